"""How cells that were solved for follow the inputs of a workbook."""
