"""Sheets: cells, relations and limits, and the ways to write them.

`kernel.py` is what everything else knows; `body.py` and `declarations.py` are the class-body syntax over it;
`joining.py` puts the rows of several extended sheets together, `parts.py` and `embedding.py` hold records and other
sheets under a prefix; `parser.py` reads formulas from text without evaluating them; `dimensions.py` is the unit check;
`order.py` puts terms in the order of declaration. `yaml_sheet.py` reads and writes sheets as YAML, with
`yaml_builder.py`, `yaml_rows.py`, `yaml_export.py` and `exact_text.py`. `listing.py` says which file is the sheet of a
name, over all packs, and `catalogue.py` loads sheets by name.
"""
