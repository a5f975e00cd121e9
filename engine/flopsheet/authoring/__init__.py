"""What those use who write packs: a new pack, checks of what is in it, and packs that are added and removed.

`where.py` lists what packs define under a name, `contents.py` counts what they hold, `check.py` checks a file for what
it is, `check_pack.py` a whole pack, `new.py` writes one to start from, and `manage.py` adds packs and removes them.
"""
