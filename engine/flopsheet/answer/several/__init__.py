"""Several unknowns at once: as tuples, together, or each at a value of the others."""
