"""Which of the defaults in a conflict yields to what a question states."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.reasons import rests_on_name
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.structure import Equation, Structure
    from flopsheet.question.question import Question


def yielding_default(conflict: Iterable[Equation], question: Question) -> str | None:
    """Return the default that a conflict overrides: the only one, or the only one of those that yield first.

    The one from which a cell with a formula would follow that is asked for yields first: else the answer would be that
    default, whatever else is stated. So does a number to infer beside it, as `n_dp` for `n_chips`, and a formula to
    infer from which a cell follows that is given, and then a number there: tokens that are given replace those per
    parameter. Formulas over other cells yield before numbers that are declared as inferred, and both before other
    numbers. What follows from a record that the question names, or from a figure that it gives in place of one, as
    `params` from its model, yields last.
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
    direct = [equation for equation in others if equation.target in _behind_given(question)]
    formulas = [one for one in inferred if len(one.cells) > 1]
    for candidates in (defaults, near, beside, given, direct, formulas, inferred, others):
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


def with_following(question: Question) -> Question:
    """Return a question that asks for the number to infer which follows from several unknowns, as for these.

    Unless equations alone decide on these: `n_chips = 256` gives `n_dp` for each `n_tp` and `n_pp`. With one replica,
    as by default, it would exclude most of them.
    """
    said = question.inequalities or question.best
    if len(question.unknowns) < 2 or not (said or len(_demands_on_unknowns(question)) < len(question.unknowns)):
        return question
    numbers = [following_number(*pair, question) for pair in _demands_on_unknowns(question, 2)]
    following = next(filter(None, numbers), None) or _behind_asked(question)
    return replace(question, unknowns=(*question.unknowns, following)) if following else question


def _behind_asked(question: Question) -> str | None:
    """Return the only number to infer from which a count would follow that is asked for with others: `n_dp`."""
    equations, cells = system_of(question).structure.equations.values(), question.sheet.cells
    counts = [name for name in question.unknowns if name in cells and cells[name].integer]
    inputs = _inputs_of_counts(counts, question)
    numbers = [one.target for one in equations if one.is_usual_number and one.target in inputs]
    return numbers[0] if len(numbers) == 1 else None


def has_following(question: Question) -> bool:
    """Whether a cell that is given gives one to infer for each value of the only unknown: then limits decide on that.

    `n_chips = 256` gives `n_dp` for each `n_tp`; with one replica, as by default, it would exclude all but one. In
    serving it gives the replicas, whatever load is usual for one.
    """
    if len(question.unknowns) != 1 or says_more(question):
        return False

    def follows() -> bool:
        demands = _demands_on_unknowns(question)
        inferred = [one for demand, conflict in demands for one in _of_totals(demand, conflict, question)]
        is_number = [one.is_usual_number for one in inferred].count(True) == 1
        return len(demands) == 1 and (is_number or _following_formula(question, demands) is not None)

    return system_of(question).structure.derived(("has following",), follows)


def replaced_by_given(question: Question) -> tuple[str, ...]:
    """Return the cell with a formula to infer in whose place a given one gives it, where more is said of the unknown.

    Else that formula gives the unknown: the load at which eight replicas are usual.
    """
    if len(question.unknowns) != 1 or not question.demands:
        return ()
    said = "replaced", *(own.cells for own in question.inequalities)
    return system_of(question).structure.derived(said, lambda: _replaced_formula(question))


def _replaced_formula(question: Question) -> tuple[str, ...]:
    name = _following_formula(question, _demands_on_unknowns(question))
    if name is None:
        return ()
    structure = system_of(question, (name,)).structure.with_known(*question.unknowns)
    said = [own.cells for own in question.inequalities if _is_of_others(own, question)]
    said += [frozenset(structure.cells_of[key]) for key in structure.unmatched if key in _demanded(structure)]
    known = structure.determined | question.sheet.choices.keys()
    is_said = any(own <= known and not structure.needed(own).isdisjoint(question.unknowns) for own in said)
    return (name,) if is_said else ()


def says_more(question: Question) -> bool:
    """Whether inequalities speak of other cells than the unknowns."""
    return any(_is_of_others(own, question) for own in question.inequalities)


def _is_of_others(relation: Relation, question: Question) -> bool:
    return not relation.cells <= {*question.unknowns}


def following_number(demand: Equation, conflict: Iterable[Equation], question: Question) -> str | None:
    """Return the only number to infer in the formula of a cell of a demand, which gives that number: `n_dp`."""
    numbers = [one.target for one in _behind(demand, conflict, question) if one.is_usual_number]
    return numbers[0] if len(numbers) == 1 else None


def _following_formula(question: Question, demands: Iterable[tuple[Equation, list[Equation]]]) -> str | None:
    """Return the only cell with a formula to infer in that of a cell which is given, and rests on unknowns.

    None where a default yields first from which what is asked for would follow.
    """
    behind = [one for demand, conflict in demands for one in _of_totals(demand, conflict, question)]
    found = {one.target for one in behind if len(one.cells) > 1 and not is_of_record(one, question)}
    is_first = not any(near_asked(conflict, question) for _, conflict in demands)
    return found.pop() if len(found) == 1 and is_first else None


def _behind(demand: Equation, conflict: Iterable[Equation], question: Question) -> Iterator[Equation]:
    """Yield the formulas to infer in a conflict on whose cells a demand rests directly, or through counts."""
    inputs = _inputs_of_counts(demand.cells, question)
    return (one for one in conflict if one.kind == "inferred" and one.target in inputs)


def _of_totals(demand: Equation, conflict: Iterable[Equation], question: Question) -> Iterator[Equation]:
    """Yield the same of counts behind a count: `active_params` are how `params` make a computation, and no total."""
    cells, total = question.sheet.cells, demand.target or demand.cells[0]
    if total in cells and cells[total].integer:
        yield from (one for one in _behind(demand, conflict, question) if cells[one.target].integer)


def _inputs_of_counts(names: Iterable[str], question: Question) -> set[str]:
    """Return the cells in the formulas of cells, and in those of counts there: chips of all sites have replicas."""
    inputs, waiting = set[str](), _inputs(names, question)
    while waiting:
        inputs |= waiting
        counts = {name for name in waiting if name in question.sheet.cells and question.sheet.cells[name].integer}
        waiting = _inputs(counts, question) - inputs
    return inputs


def _inputs(names: Iterable[str], question: Question) -> set[str]:
    """Return the cells in the formulas of cells."""
    cells = question.sheet.cells
    own = (question.formula(name) for name in names if name in cells and cells[name].formula is not None)
    return set[str]().union(*map(cells_of, own))


def _demands_on_unknowns(question: Question, of: int = 1) -> list[tuple[Equation, list[Equation]]]:
    """Return each demand that rests on unknowns, at least so many of them, with the equations that would give it."""
    structure = system_of(question).structure.with_known(*question.unknowns)
    pairs = [(structure.equations[key], structure.conflict(key)) for key in _demanded(structure)]
    cells = [{name for equation in conflict for name in equation.cells} for _, conflict in pairs]
    return [pair for pair, own in zip(pairs, cells, strict=True) if len(own.intersection(question.unknowns)) >= of]


def _demanded(structure: Structure) -> list[str]:
    """Return the demands that other equations give already."""
    return [key for key in structure.unmatched if structure.equations[key].kind == "demand"]
