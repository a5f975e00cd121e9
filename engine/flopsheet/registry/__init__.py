"""The registry: records of chips, systems, sites, grids, prices and architectures, from the YAML files of all packs.

`records.py` is what a kind of records and a record are, and `kinds.py` has the kinds. `packs.py` finds packs, with
`installed.py` those of pip, and `pack_file.py` reads their `flopsheet.yaml`; `names.py` tells which of several things a
name means. `strict_yaml.py` and `reading.py` parse them, `disk_cache.py` keeps the result. `assembly.py` puts the
records of packs together, with the figures that those of one kind add to those of another (`additions.py`), `store.py`
finds records and sources by name. `authoring.py`, and `huggingface.py` with `families.py`, serve those who write
records.
"""
