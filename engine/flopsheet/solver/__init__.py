"""The solver: from a question to steps to an answer.

`question.py` reads what is asked; `structure.py` matches equations to cells and `plan.py` orders the blocks, before any
number is touched; `execute.py` carries a plan out; `unknown.py` gathers the conditions on an unknown; `condition.py`
solves one, by peeling (`peel.py`), roots, or a scan (`scan.py`), and `closed_form.py` does the same on symbols;
`outcome.py` says what kind of answer that is, `reasons.py` why there is none, `diagnosis.py` what a question lacks or
says too often; `complete.py` adds all other cells and checks; `engine.py` is the way through.
"""
