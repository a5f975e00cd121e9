"""Sheets: cells, relations and limits, and the ways to write them.

`kernel.py` holds the rows that every other room knows. `declarations.py` and `body.py` are the class-body syntax over
it, `yaml_sheet.py` and its neighbours the YAML one; `statements.py` makes cells and choices for both. `joining.py`
merges the rows of extended sheets, `embedding.py` puts records and other sheets under a prefix. `listing.py` finds the
file of a sheet over all packs, and `catalogue.py` loads sheets by name.
"""
