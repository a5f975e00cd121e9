"""Sheets: cells, relations and limits, and the ways to write them.

`cell.py` and `kernel.py` hold the rows that every other room knows. `declarations.py` and `body.py` are the class-body
syntax over it, `yaml_sheet.py`, `yaml_rows.py` and `yaml_export.py` the YAML one; `statements.py` makes cells and
choices for both. `joining.py` merges the rows of extended sheets, `embedding.py` puts other sheets under a prefix.
`source.py` imports Python sheets, and `catalogue.py` finds and loads sheets by name over all packs.
"""
