"""The registry: strict YAML, kinds of records, packs, and where every figure comes from.

`strict_yaml.py` reads YAML without resolving types or tags; `reader.py` takes typed fields out of it; `records.py` and
`chip.py` say what a record holds; `packs.py` says where records lie; `store.py` finds them by name.
"""
