"""Questions: a sheet, the relations that a user adds, and the cells that are asked for."""
