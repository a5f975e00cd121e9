"""Computed cells beside the way to an unknown, which are zero or more by default: what makes one less is no answer.

They are looked at once an answer is there, since few answers make one less: bound from the start, all of them would be
inverted. Where an answer may make one less, the question is solved again, and these bind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.cell_bounds import MOST_COMPUTED, bound_by_default, bounds_of, exceeding, is_outside, with_gaps
from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.several.verdicts import possible, refused
from flopsheet.answer.unknown import formulas_behind
from flopsheet.errors import ArithmeticTrapError, QuestionError, joined
from flopsheet.formulas.links import links
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.signs import is_never_negative
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.tested_ends import holds_at
from flopsheet.numbers.members import hulls
from flopsheet.numbers.sets import hull, meet, meet_near, point, union
from flopsheet.search.known import seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Execution
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.structure import Structure
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell


class Beside(NamedTuple):
    """The computed cells without a bound of their own that did not bind an answer, by name."""

    below: frozenset[str]  # out of their bounds at some value of it
    unproven: frozenset[str] = frozenset()  # of which it is not known

    def bind(self, question: Question) -> Question:
        """Return a question in which those that are out of their bounds bind."""
        return replace(question, bounding=question.bounding | self.below)

    @property
    def warnings(self) -> list[str]:
        """That these may be out of their bounds, a sentence for each."""
        return [f"Whether {name} stays within its bounds is not proven." for name in sorted(self.unproven)]


def left_unbound(answered: Answer, solved: System, system: System, execution: Execution) -> Beside:
    """Return the computed cells that an answer puts out of their bounds, or may put there, and that did not bind.

    Args:
        answered: the answer, all of whose cells are computed.
        solved: the equations with the values of the unknowns.
        system: the equations without the values of the unknowns.
        execution: the values before the unknowns were solved for.
    """
    question, values = answered.question, answered.execution.values
    if not any(own.listed or own.progressions for own in answered.outcomes.values()):
        return Beside(frozenset())
    endless = [name for name, own in answered.outcomes.items() if own.si is None]  # a range without a first value
    structure = solved.knowing(endless).structure
    seen_by = "beside", question.unknowns, question.bounding, tuple(question.used_cells)
    cells = structure.derived(seen_by, lambda: _free(question, structure))
    below = [own for own in cells if own.name in values and is_outside(own, answered.execution.number(own.name))]
    if below:
        return Beside(frozenset(own.name for own in below))
    many = [own for own in answered.outcomes.values() if not _is_single(own)]
    found = [_over(own, cells, system, execution) for own in many if not own.at]  # with what follows from it
    if len(answered.outcomes) > 1:
        found += [_over(own, cells, solved, execution) for own in many]  # beside the values of the others
    return Beside(*(frozenset(name for own in found for name in own[place]) for place in (0, 1)))


def _free(question: Question, structure: Structure) -> list[Cell]:
    """Return the cells that rest on an unknown and that nothing else binds."""
    resting = structure.resting_on(question.unknowns).intersection(question.used_cells)
    free = (own for own in _bound_beside(question, structure) if own.name in resting)
    return [own for own in free if own.name not in question.pins and own.name not in question.bounding]


def _bound_beside(question: Question, structure: Structure) -> Iterator[Cell]:
    """Yield the computed cells without a bound of their own, and those that a default formula gives."""
    rows = question.sheet.rows
    yield from bound_by_default(rows)
    free = (own for own in rows.inferred if own.formula is None)
    yield from (own for own in free if f"inferred {own.name}" in structure.equations)


def _is_single(outcome: Outcome) -> bool:
    """Whether an outcome is one value and no more."""
    return not outcome.progressions and len(outcome.listed) == 1 and outcome.listed[0].is_point


def _over(outcome: Outcome, cells: list[Cell], system: System, execution: Execution) -> Beside:
    """Return the cells out of their bounds at a value of an outcome, of those that can be computed from it alone."""
    name, known, wide = outcome.cell.name, system.knowing((outcome.cell.name,)), execution.copy()
    resting = known.structure.resting_on((name,))
    relations = known.constraining(bounds_of([cell for cell in cells if cell.name in resting]), (name,))
    try:
        formulas = formulas_behind(known, wide, relations, name)
    except (QuestionError, ArithmeticTrapError, SeveralValuesError):
        return Beside(frozenset())
    values, left = wide.with_pins(), _values(outcome)
    chained = seen(links(name, tuple(formulas.items())), values)
    chain = Chain(name, outcome.cell.bounds.interval, formulas, values, outcome.cell.integer, chained)
    possible = exceeding(chain, [cell for cell in cells if cell.name in formulas], left)
    possible = [cell for cell in possible if not _is_never_negative(cell, system.question)]
    verdicts = {cell.name: {_is_met(chain, own, left) for own in cell.bound_relations} for cell in possible}
    below = frozenset(name for name, own in verdicts.items() if False in own)
    return Beside(below, frozenset(name for name, own in verdicts.items() if None in own) - below)


def _values(outcome: Outcome) -> RealSet:
    """Return the values of an outcome; few whole numbers one by one."""
    values = union(outcome.listed, hulls(outcome.progressions))
    wholes, more = wholes_in(values, MOST_COMPUTED) if outcome.cell.integer else ([], True)
    return values if more else union(*map(point, wholes))


def _is_met(chain: Chain, relation: Relation, values: RealSet) -> bool | None:
    """Whether no value of an unknown puts a cell out of a bound; None where that is not proven."""
    if all(part.is_point for part in values):
        numbers = (part.lower for part in values)
        return all(holds_at(chain, at, relation) or chain.at_or_none(at, relation.left) is None for at in numbers)
    over = replace(chain, domain=hull(values) or chain.domain)
    allowed = over.solve(relation)
    if allowed is None:
        return None
    allowed = with_gaps(allowed, over, relation.left, values)
    if meet_near(values, union(allowed.around, allowed.open)) != values:
        return False
    return None if meet(allowed.open, values) else True


def _is_never_negative(cell: Cell, question: Question) -> bool:
    """Whether formulas tell that a cell is zero or more where all others are."""
    rows = question.sheet.rows
    known: dict[str, bool] = rows.derived.setdefault("never negative", {})
    if cell.name not in known:
        signed = {own.name for own in rows.cells.values() if own.bounds.lower < 0}
        computed = {own.name: own.formula for own in rows.cells.values() if own.formula is not None}
        formulas = {name: formula for name, formula in computed.items() if signed.isdisjoint(cells_of(formula))}
        known[cell.name] = cell.name in formulas and is_never_negative(cell.formula, formulas)
    return known[cell.name]


def refuse_outside(answered: Answer, solved: System) -> None:
    """Turn outcomes into "none" where one of several values, or the only one, puts a cell out of its bounds."""
    assumed, outcomes = answered.execution.assumed, answered.outcomes.values()
    is_one = all(own.kind in ("value", "none") and not own.open for own in outcomes)
    is_only = is_one and all(map(_is_single, outcomes))
    names = [*assumed, *answered.question.unknowns]
    failures = joined([check.failure for check in answered.broken])  # they say in words what is wrong
    because = f"{failures[:1].upper()}{failures[1:]}. " if failures else ""
    for cell in _outside(answered, solved.structure.resting_on(names)) if assumed or is_only else ():
        shown, bounds = cell.beside_bounds(answered.execution.number(cell.name))
        why = f"{because}{cell.name} would be {shown}, outside its bounds ({bounds})."
        now = answered.outcomes.items()  # where there are other values, all are open
        answered.outcomes |= {name: refused(own, why, () if is_one else possible(own)) for name, own in now}


def _outside(answered: Answer, names: frozenset[str]) -> list[Cell]:
    """Return the computed cells among some that are outside of their bounds, those of default formulas too."""
    cells, origins, pins = answered.question.sheet.cells, answered.execution.origins, answered.question.pins
    own = (cells[name] for name in sorted(names) if origins.get(name) == "computed" and name not in pins)
    return [cell for cell in own if is_outside(cell, answered.execution.number(cell.name))]
