"""The functions of the formula language."""
