"""Records of models from the config.json that is published with each on the Hugging Face Hub.

`keys.py` reads a configuration key by key, `families.py` lists the supported families, `experts.py`, `recurrent.py` and
`plain.py` hold rules of families, and `record.py` writes the record.
"""
