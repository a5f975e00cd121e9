"""Which of the defaults in a conflict yields to what a question states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.reasons import rests_on_name
from flopsheet.formulas.relation import cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.graph.structure import Equation
    from flopsheet.question.question import Question


def yielding_default(conflict: Iterable[Equation], question: Question) -> str | None:
    """Return the default that a conflict overrides: the only one, or the only one of those that yield first.

    The one from which a cell with a formula would follow that is asked for yields first: else the answer would be that
    default, whatever else is stated. So does a number to infer beside it, as `n_dp` for `n_chips`, and a formula to
    infer from which a cell follows that is given. Formulas over other cells yield before numbers that are declared as
    inferred, and both before other numbers. What follows from a record that the question names, or from a figure that
    it gives in place of one, as `params` from its model, yields last.
    None yields to a figure of a name that is tried: that name does not fit.
    """
    conflict = list(conflict)
    if rests_on_name(conflict, question):
        return _replaced(conflict, question) if question.yields_to_names else None
    defaults = [equation for equation in conflict if equation.is_default]
    others = [equation for equation in defaults if not is_of_record(equation, question)]
    inferred = [equation for equation in others if equation.kind == "inferred"]
    asked = near_asked(conflict, question)
    near = [equation for equation in others if equation.target in asked]
    beside = [equation for equation in others if equation.target in inferred_beside(conflict, question)]
    given = [equation for equation in others if equation.target in beside_given(conflict, question)]
    formulas = [one for one in inferred if len(one.cells) > 1]
    for candidates in (defaults, near, beside, given, formulas, inferred, others):
        if len(candidates) == 1:
            return candidates[0].target
    return None


def _replaced(conflict: Iterable[Equation], question: Question) -> str | None:
    """Return the only default from which a cell that is given would follow directly: what is given replaces it."""
    conflict, inputs = list(conflict), _behind_given(question)
    numbers = [one.target for one in conflict if one.kind == "default" and one.target in inputs]
    own = numbers or beside_given(conflict, question)
    return own[0] if len(own) == 1 else None


def replaces_default(question: Question) -> bool:
    """Whether a cell that a question gives would follow directly from a default."""
    cells = question.sheet.cells
    names = _behind_given(question) & cells.keys() - question.pins.keys()
    return any(cells[name].default is not None or cells[name].inferred for name in names)


def _behind_given(question: Question) -> frozenset[str]:
    """Return the cells in the formulas of cells that a question gives."""
    return frozenset().union(*(cells_of(question.formula(pin.cell)) for pin in question.demands))


def beside_given(conflict: Iterable[Equation], question: Question) -> list[str]:
    """Return the cells with a formula to infer from which, in a conflict, a cell would follow that is given."""
    inputs = _behind_given(question)
    own = (one for one in conflict if one.kind == "inferred" and len(one.cells) > 1 and one.target in inputs)
    return [one.target for one in own if not is_of_record(one, question)]


def near_asked(conflict: list[Equation], question: Question) -> list[str]:
    """Return the cells whose default yields to a cell that is asked for and would follow from it."""
    asked, defaults = rested_on(conflict, question), (equation for equation in conflict if equation.is_default)
    return [one.target for one in defaults if one.target in asked and not is_of_record(one, question)]


def inferred_beside(conflict: Iterable[Equation], question: Question, *, formulas: bool = False) -> list[str]:
    """Return the numbers to infer that a conflict and the formula of the only unknown have: `n_dp` for `n_chips`.

    Or, where these are asked for, the cells there that have a formula to infer.
    """
    cells, unknowns = question.sheet.cells, question.unknowns
    if len(unknowns) != 1 or unknowns[0] not in cells or cells[unknowns[0]].formula is None:
        return []
    inputs = cells_of(question.formula(unknowns[0]))
    inferred = (one for one in conflict if one.kind == "inferred" and (len(one.cells) > 1) is formulas)
    return [one.target for one in inferred if one.target in inputs]


def rested_on(conflict: list[Equation], question: Question) -> set[str]:
    """Return the cells on which those that are asked for rest by their formulas, as far as a conflict goes."""
    cells = question.sheet.cells
    found = {name for name in question.unknowns if name in cells and cells[name].formula is not None}
    while more := {name for one in conflict if one.target in found for name in one.cells} - found:
        found |= more
    return found


def is_of_record(equation: Equation, question: Question) -> bool:
    """Whether a default follows from figures of records that a question names or gives, and from nothing else."""
    inputs = [name for name in equation.cells if name != equation.target and name in question.sheet.cells]
    return len(equation.cells) == len(inputs) + 1 > 1 and all(_is_recorded(name, question) for name in inputs)


def _is_recorded(name: str, question: Question) -> bool:
    """Whether a cell is a figure of a record that a question names or gives, or a default of it follows from some."""
    cell = question.sheet.cells.get(name)
    if cell is None or cell.part:
        return cell is not None and (cell.part in question.records or name in question.pins)
    used = (cells_of(formula) for formula in cell.inferred if name not in question.pins)
    return any(cells and all(_is_recorded(own, question) for own in cells) for cells in used)
