"""The blocks of the sheet Search: rows in each of which the whole model is computed at one value of an unknown."""
