"""Errors for conditions on cells that the question does not ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import lack_of_time
from flopsheet.errors import NotInvertibleError, OverdeterminedError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.printing import relation_text
from flopsheet.formulas.relation import cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.errors import ArithmeticTrapError
    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell

MOST_MEANT = 2  # cells that may have been meant


def cannot_invert(cell: Cell, condition: Relation, names: tuple[str, ...]) -> NotInvertibleError:
    """Return the error for a condition that no method inverts."""
    text = condition.text or relation_text(condition.left, condition.operator, condition.right, names)
    problem = f"'{cell.name}' cannot be found from '{text}': it occurs several times, and not as a low polynomial."
    return NotInvertibleError(f"unknown '{cell.name}'", problem, f"Give '{cell.name}' and ask for another cell.")


def met_nowhere(
    condition: Relation, quoted: str, cell: Cell, tied: Iterable[Cell], cells: Mapping[str, Cell]
) -> OverdeterminedError:
    """Return the error for a condition that no value of a cell meets, beside cells whose bounds it is tied to."""
    others = f", with {joined([other.name for other in tied])} within theirs" if tied else ""
    problem = f"It holds for no value of '{cell.name}' within its bounds ({cell.bounds.text(cell.unit)}){others}."
    named = [name for name in cells_of(condition.left) | cells_of(condition.right) if name != cell.name]
    meaning = _meaning(cells[named[0]], cells) if len(named) == 1 else ""
    return OverdeterminedError(f"relation '{quoted}'", problem, f"Check the values that are given{meaning}.")


def not_listed(names: Sequence[str], most: int) -> UnderdeterminedError:
    """Return the error for whole numbers that too few relations leave, which are more than a most, or late where 0."""
    what = joined([f"'{name}'" for name in names])
    why = f"more than {most} tuples meet them" if most else f"their whole numbers were not listed: {lack_of_time()}"
    problem = f"They have too few relations, and {why}."
    return UnderdeterminedError(f"unknowns {what}", problem, f"Give one of {what}, or bound it.")


def clause_of(error: QuestionError | ArithmeticTrapError) -> str:
    """Return what is wrong, as a sentence whose part before a colon is a clause too: `relation 'a = 3'` is none."""
    if isinstance(error, QuestionError) and error.clause:
        return f"{error.clause}."
    if error.problem.startswith("It "):  # the place, in the problems of all errors
        return f"{error.where} {error.problem.removeprefix('It ')}"
    return error.problem


def _meaning(cell: Cell, cells: Mapping[str, Cell]) -> str:
    """Return what a cell means, and the given ones of its unit with all words of its name: `dataset_tokens`."""
    words = {*cell.name.split("_")}
    meant = [
        f"'{other.name}': {other.doc}"
        for other in cells.values()
        if other.formula is None and other.unit == cell.unit and words < {*other.name.split("_")}
    ]
    others = f"; perhaps you mean {joined(meant[:MOST_MEANT], 'or')}" if meant else ""
    return f". '{cell.name}' means: {cell.doc}{others}"
