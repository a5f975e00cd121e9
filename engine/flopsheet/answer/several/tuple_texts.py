"""Tuples of several unknowns as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_SHOWN = 8


def tuples_texts(answer: Answer) -> list[str]:
    """Return the tuples of several unknowns as a sentence, and that what is to rank ranks no range; as far as it is so.

    There is no first sentence where there is one tuple, or where they are not listed.
    """
    texts = []
    if len(answer.tuples) > 1 and len(answer.outcomes) > 1:
        cells = {name: outcome.cell for name, outcome in answer.outcomes.items()}
        shown = tuples_shown([*cells.values()], [[*map(values.get, cells)] for values in answer.tuples])
        texts.append(f"Together, ({', '.join(cells)}) is {shown}.")
    many = ("range",) if answer.tuples else ("range", "whole")
    best, ranges = answer.question.best, [name for name, own in answer.outcomes.items() if own.kind in many]
    if best is not None and ranges and not answer.question.substituted:
        has = have(tuple(ranges))
        texts.append(f"{best.cell} ranks names and listed values, and {joined(ranges)} {has} a range: bound it.")
    return texts


def tuples_shown(cells: Sequence[Cell], tuples: Sequence[Sequence[Number | None]]) -> str:
    """Return tuples of cells as a list: `(1, 8), (2, 4) or (4, 2)`."""
    shown = [
        f"({', '.join(cell.text(value) for cell, value in zip(cells, values, strict=True) if value is not None)})"
        for values in tuples[:MOST_SHOWN]
    ]
    return f"{joined(shown, 'or')}{' and others' if len(tuples) > MOST_SHOWN else ''}"


def have(names: tuple[str, ...]) -> str:
    """Return the verb behind names: has or have."""
    return "has" if len(names) == 1 else "have"
