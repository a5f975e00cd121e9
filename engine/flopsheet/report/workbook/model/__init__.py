"""The rows of an answer: how they follow its inputs, and the sheet Model, in which each value has a defined name."""
