"""The registry: records of chips, systems, datacenters and architectures, from the YAML files of all packs.

`fields.py` says what a kind of records has; `chip.py`, `system.py`, `datacenter.py`, `architecture.py` are the kinds.
`strict_yaml.py`, `reader.py` and `reading.py` read files; `records.py` is what they give. `packs.py` finds folders,
`assembly.py` puts their records together, `store.py` and `sources.py` find them by name, `kept.py` and `cache.py` keep
what reading gave. `schema.py`, `template.py`, `checking.py` and `importing.py` serve those who write records.
"""
