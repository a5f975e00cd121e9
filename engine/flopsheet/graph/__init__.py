"""The structure of a question: equations matched to cells, and blocks in the order of computation."""
