"""Why an answer has no curve, and what to do: each cause has a message of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.units import is_finite

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

_NAME_ONE = "Name an input with a positive value: curve:INPUT:FILE.svg."


def lacking(answer: Answer, by: str, target: str, strongest: str) -> tuple[str, str]:
    """Return why there is no curve of a cell, against an input if that is named, and what to do.

    Args:
        answer: the answer.
        by: the input that is named; empty for none.
        target: the number of the answer; empty where it has none.
        strongest: the input that moves it most; empty where none does.
    """
    if not target and answer.question.names:
        return "Only names are asked for, and no number.", "Name a cell to show: --show CELL."
    if target not in answer.cells:
        what = f"'{target}' has no value." if target else "No number that is asked for has a value."
        return what, "Change the question until it has one."
    given = answer.cells.get(by)
    if by and (given is None or not given.is_input):
        return f"'{by}' is no input of the answer.", _NAME_ONE
    if not by and not strongest:
        return f"No input moves '{target}', and no relation that bounds it can be drawn.", _NAME_ONE
    given, name = answer.cells[by or strongest], by or strongest
    if not is_finite(given.si) or given.si <= 0:
        return f"'{name}' is not positive.", _NAME_ONE
    problem = f"No formula gives '{target}' from '{name}' alone: it was searched, or has no value beside this one."
    return problem, f"Compute it for several values: --vary {name}=A,B,C."
