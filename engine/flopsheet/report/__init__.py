"""Answers for people and programs: Markdown write-ups from templates, JSON, text for a terminal.

`latex.py` prints formulas, `writeup.py` makes the object that templates see, `environment.py` runs templates in a
sandbox, `sentences.py` says answers in words, `as_json.py` is the documented JSON, `terminal.py` the tables.
"""
