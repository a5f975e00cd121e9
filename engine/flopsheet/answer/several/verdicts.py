"""Outcomes of several unknowns: which values are followed, and how sure all of them are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Mod

from flopsheet.answer.cell_bounds import is_always_whole
from flopsheet.answer.execute import Step
from flopsheet.answer.outcomes.outcome import Outcome
from flopsheet.answer.outcomes.told import Told
from flopsheet.answer.outcomes.undecided import not_excluded
from flopsheet.answer.outcomes.wording import are, lack_of_time, wholes_in
from flopsheet.answer.several.tuples import MOST_TUPLES, excluded
from flopsheet.budget import is_over
from flopsheet.errors import UndecidedError, joined
from flopsheet.inverse.method import Method, Proof
from flopsheet.inverse.solution import combined
from flopsheet.inverse.tested_ends import holds_at
from flopsheet.numbers.members import hulls
from flopsheet.numbers.sets import complement, meet, meet_all, point, union
from flopsheet.units import close, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

TOGETHER = "It follows from the relations taken together."


def not_found_in_time(name: str) -> UndecidedError | None:
    """Return the error for an unknown whose condition was not inverted before the time was over, or None."""
    problem = f"'{name}' was not found: {lack_of_time()}."
    return UndecidedError(f"unknown '{name}'", problem, f"Give it more time, or bound '{name}'.") if is_over() else None


def listed(outcome: Outcome, *, among_wholes: bool) -> list[Number]:
    """Return the values of an unknown where they are few: single ones, or else the whole numbers of its ranges."""
    if outcome.kind == "values":
        return [part.lower for part in outcome.listed]
    if not among_wholes or not outcome.cell.integer or outcome.progressions:
        return []
    numbers, more = wholes_in(outcome.listed, MOST_TUPLES)
    return [] if more else [*numbers]


def to_follow(outcome: Outcome, unsolved: Sequence[Relation], cells: Sequence[Cell]) -> list[Number]:
    """Return the values of an unknown at each of which limits have to be checked, or inputs that follow be found.

    Where limits may exclude some, those come last that are next to the value that is used: the last one that works is.
    """
    if not (unsolved or cells):
        return []
    points, used = listed(outcome, among_wholes=bool(unsolved)), outcome.si
    return points if used is None or not unsolved else sorted(points, key=lambda own: -size(own - used))


def unchecked(result: Outcome, cells: Sequence[Cell], relations: Sequence[Relation] = ()) -> Outcome:
    """Return an outcome as one value that substitution proves, and others that are open, for want of their partners.

    Or since limits or bounds could not be inverted, which are checked at that value alone.
    """
    if not (cells or relations) or result.kind == "none":
        return result
    names, several = joined([cell.name for cell in cells]), len(cells) > 1
    own = () if result.si is None else point(result.si)
    beyond = meet(possible(result), complement(own))
    if not beyond:
        return result
    at = "" if result.si is None else f" only at {result.cell.text(result.si)}"
    follow, give, have = ("follow", "them", "they have values") if several else ("follows", "it", "it has a value")
    tried = f"computed{at}" if at else "not computed"
    why = f"{names} {follow} from {result.cell.name}, {tried}: give {give} to see more. Where {have}: {result.why}"
    if not cells:
        why = f"{are(relations)} {f'checked{at}' if at else 'not checked'}. Without: {result.why}"
        if not own:
            return replace(result, proof=Proof.OPEN, open=beyond, reason=Told(why))
    return replace(
        result,
        kind="value" if own else "none",
        listed=own,
        interval=own[0] if own else None,
        progressions=(),
        proof=Proof.OPEN,
        open=beyond,
        reason=Told(why),
    )


def beside_rounding(result: Outcome, solutions: SolutionSet) -> Outcome:
    """Return an outcome that says no more than is known where rounding may hide the whole numbers of partners."""
    if result.kind != "none" or result.open or not solutions.partners.counts:
        return result
    stated = [condition for condition in solutions.conditions if not isinstance(condition.relation.left, Mod)]
    left = meet_all([(solutions.domain,), *(condition.solution.around for condition in stated)])
    if not left:
        return result
    why = not_excluded(left, result.cell, f"{result.why} But rounding may hide some: values of {{}} are")
    return replace(result.telling(why), proof=Proof.OPEN, open=left)


def remarks(solutions: SolutionSet) -> Iterator[str]:
    """Yield what the values of an unknown do not show: limits that are only checked, and other values of a cell."""
    name, by = solutions.cell.name, solutions.followed
    for own in solutions.unsolved:
        yield f"{are([own])} only checked: {name} could not be found from it."
    if by:
        yield f"{name} is found by {by}: where {by} has several values, the relations hold at one of them."


def note(result: Outcome, solutions: SolutionSet, unknowns: Sequence[str]) -> None:
    """Add the step to an unknown to an execution, with what other unknowns are by the formulas to its condition.

    These may choose a root.
    """
    boundary = result.si if result.boundary is None else result.boundary
    if boundary is None:
        return
    deciding = result.condition or solutions.conditions[0]
    how, source = deciding.solution.how, lambda: (deciding.composed, result.closed_form)
    solutions.execution.log.append(Step(solutions.cell, how, boundary, source))
    others = [name for name in deciding.chain.formulas if name in unknowns]
    cells = (deciding.chain.cells_at(result.si) or {}) if result.si is not None and others else {}
    solutions.execution.reached |= {name: cells[name] for name in others if name in cells}


def doubted(result: Outcome, system: System, execution: Execution) -> Outcome:
    """Return an outcome with how sure it is that the cells that it rests on have no other values."""
    name = result.cell.name
    steps = [step for step in execution.log if isinstance(step, Step) and step.how is Method.SIMULTANEOUS]
    if not steps and not execution.open:
        return result
    needed = system.structure.needed([name])
    searched, others = any(step.cell.name in needed for step in steps), execution.open.keys() & needed
    if not others:
        return replace(result, proof=Proof.PROVEN) if searched and result.proof is Proof.EXACT else result
    more = execution.open[name] if name in others else (result.cell.bounds.interval,)
    return replace(result, proof=Proof.OPEN, open=union(result.open, more))


def may_hide_counts(solved: SolutionSet) -> bool:
    """Whether rounding may hide that counts which follow from an unknown are whole, at values without these."""
    chain = solved.conditions[0].chain if solved.conditions else None
    counts = [own for own in solved.partners.counts if chain is None or not is_always_whole(chain, own)]
    if not counts or chain is None or solved.partners.unchecked or solved.open or solved.progressions:
        return bool(counts)
    left = combined(solved.domain, [condition.solution for condition in solved.conditions if not condition.implied])
    points = [part.lower for part in left.values if part.is_point and not isinstance(part.lower, float)]
    if left.open or left.progressions or len(points) < len(left.values):
        return True
    return not all(isinstance(chain.at_or_none(at, own.symbol), int) for own in counts for at in points)


def at_assumed(solutions: SolutionSet, result: Outcome, assumed: Number) -> Outcome:
    """Return the outcome of an unknown at a value that is assumed of it; none where limits exclude it.

    Raises:
        OverdeterminedError: the values of the unknown are known, and that is none of them.
    """
    _refuse_excluded(solutions, result, assumed)
    if result.kind == "none" and result.limits and not result.open:  # the other unknowns are still solved for
        return result
    return replace(result, kind="value", listed=point(assumed), si=assumed, boundary=assumed, whole=None)


def _refuse_excluded(solutions: SolutionSet, result: Outcome, assumed: Number) -> None:
    """Raise an OverdeterminedError where the values of an unknown are known and one that is assumed is none of them."""
    if result.open or result.progressions or not result.listed:
        return
    if any(assumed in part or any(close(assumed, end) for end, _ in part.ends) for part in result.listed):
        return
    asked = (own for own in solutions.conditions if not own.implied)
    shown = ((own.chain, solutions.execution.resolved(own.relation)) for own in asked)
    if not all(holds_at(chain, assumed, relation) for chain, relation in shown):  # of a zero, rounding may leave more
        raise excluded(result.cell, assumed)


def possible(outcome: Outcome) -> RealSet:
    """Return the values that work, listed or not, and where more may lie."""
    return union(outcome.listed, hulls(outcome.progressions), outcome.open)


def refused(outcome: Outcome, why: str, opened: RealSet) -> Outcome:
    """Return an outcome without a value, for a reason, and where it is open whether there are others."""
    text = f"{why} {not_excluded(opened, outcome.cell, 'Values of {} are')}" if opened else why
    return Outcome(outcome.cell, "none", reason=Told(text), proof=Proof.OPEN if opened else Proof.EXACT, open=opened)
