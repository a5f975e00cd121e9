"""Unknowns without a value: whether that says something of the others, and of their proof."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.outcome import Outcome, outcome
from flopsheet.answer.outcomes.told import Told
from flopsheet.answer.outcomes.undecided import not_excluded
from flopsheet.answer.several.verdicts import possible
from flopsheet.answer.unknown import find
from flopsheet.errors import ArithmeticTrapError, QuestionError, UndecidedError, joined
from flopsheet.inverse.method import Proof
from flopsheet.tolerances import NEXT_INTEGER
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.structure import Structure
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell

MANY = frozenset(("range", "whole", "values"))  # kinds of outcomes with several values


def no_tuple(cell: Cell, names: Sequence[str], opened: RealSet) -> Outcome:
    """Return the outcome of one of several unknowns for which no values were found, or for which there are none."""
    why = f"No {'whole ' if cell.integer else ''}values of {joined([*names])} meet all relations at once."
    if opened:
        why = not_excluded(opened, cell, f"No values of {joined([*names])} were found, but some of {{}} are")
    return Outcome(cell, "none", reason=Told(why), proof=Proof.OPEN if opened else Proof.PROVEN, open=opened)


def left_open(
    cells: Mapping[str, Cell], groups: Iterable[Sequence[str]], errors: Sequence[QuestionError]
) -> dict[str, Outcome]:
    """Return the outcomes of unknowns of which no value was found in time; raise the first error if none says so."""
    if not any(isinstance(error, UndecidedError) for error in errors):
        raise errors[0]
    names = tuple(chain(*groups))
    return {name: no_tuple(cells[name], names, (cells[name].bounds.interval,)) for name in names}


def lost_by_choice(outcomes: Iterable[Outcome]) -> bool:
    """Whether an unknown has no value beside one of the many of another one, which says nothing of the others."""
    kinds = {outcome.kind for outcome in outcomes}
    return "none" in kinds and not kinds.isdisjoint(MANY)


def beside_lost(
    outcomes: Mapping[str, Outcome], waiting: Iterable[Sequence[str]], system: System, execution: Execution
) -> dict[str, Outcome]:
    """Return the outcomes of unknowns beside one that has no value whatever they are; empty where none is shown to.

    Those of several values have none either, and those that were not found. One that equations alone give keeps its
    value. A limit that leaves one unknown no value leaves the others theirs.

    Args:
        outcomes: what was found of the unknowns in turn.
        waiting: the unknowns that were not found, in groups.
        system: the system before any was solved.
        execution: the values before any was solved.
    """
    many = [name for name, own in outcomes.items() if own.kind in MANY]
    followed = (name for name, own in outcomes.items() if own.kind == "value" and name in execution.assumed)
    names = [*many, *followed, *chain(*waiting)]
    if not names or lost_by_rounding(outcomes.values(), system.question):
        return {}
    lost = (own for own in outcomes.values() if own.kind == "none" and own.proof is not Proof.OPEN and not own.limits)
    alone = next((own for own in lost if not many or _is_lost_alone(own.cell.name, system, execution)), None)
    if alone is None:
        return {}
    why, cells = Told(f"{alone.cell.name}, asked with it, has no value. {alone.why}"), system.question.sheet.cells
    return {name: Outcome(cells[name], "none", reason=why, proof=alone.proof) for name in names}


def _is_lost_alone(name: str, system: System, execution: Execution) -> bool:
    """Whether an unknown is proven to have no value before any other is known."""
    try:
        solved = find(system, name, execution.copy())
    except (ArithmeticTrapError, QuestionError):
        return False
    alone = None if solved is None else outcome(solved, None, lambda: None)
    return alone is not None and alone.kind == "none" and alone.proof is not Proof.OPEN


def lost_by_rounding(outcomes: Iterable[Outcome], question: Question) -> bool:
    """Whether only rounding may keep a count from a whole number: an output was given back, rounded to its digits."""
    printed = [relation for relation in question.stated if relation.may_be_printed]
    lost = (own for own in outcomes if own.kind == "none" and own.cell.integer)
    return bool(printed) and any(_may_be_whole(own, printed) for own in lost)


def _may_be_whole(result: Outcome, printed: Sequence[Relation]) -> bool:
    """Whether a value is near an integer at which the relation that gives it, where no other is printed, may hold."""
    end = result.boundary
    if end is None:
        return False
    integer = round(end)
    if abs(float(end) - integer) > NEXT_INTEGER * max(abs(float(end)), 1):
        return False
    condition = result.condition
    if condition is None or [*map(id, printed)] != [id(condition.relation)]:
        return True
    chain, relation = condition.chain, condition.relation
    sides = [chain.at_or_none(integer, side) for side in (relation.left, relation.right)]
    return sides[0] is None or sides[1] is None or close(sides[0], sides[1])


def tells_of_all(
    outcomes: Mapping[str, Outcome], names: Collection[str], before: Container[str], question: Question
) -> bool:
    """Whether unknowns solved in turn tell of all their tuples: each has a value, or the first is proven to have none.

    A later one may lack a value only beside those of the ones before it, and the first one too where relations ask for
    what may be `printed`: two decimals contradict each other by their last digits.
    """
    first = next((own for name, own in outcomes.items() if name in names and name not in before), None)
    printed = any(own.may_be_printed for own in question.relations)
    is_empty = first is not None and first.kind == "none" and first.proof is not Proof.OPEN and not printed
    return is_empty or all(outcomes[name].kind != "none" for name in names)


def not_excluding(outcomes: Mapping[str, Outcome], solutions: Mapping[str, SolutionSet]) -> dict[str, Outcome]:
    """Return outcomes of which those without a value, beside one of many of another unknown, exclude none.

    These many are open too, and values of an unknown from which the others follow: whether they have one is not known.
    """
    lost = {name for name, own in outcomes.items() if own.kind == "none"}
    unknown = {
        name for name, own in solutions.items() if not lost.isdisjoint(cell.name for cell in own.partners.unchecked)
    }
    unknown |= {name for name, own in outcomes.items() if own.kind in MANY}
    opened = {name: possible(own) if name in unknown else (own.cell.bounds.interval,) for name, own in outcomes.items()}
    doubted = lost | unknown
    return {
        name: no_tuple(own.cell, [*outcomes], opened[name]) if name in doubted else own
        for name, own in outcomes.items()
    }


def lost_with(cell: Cell, outcomes: Iterable[Outcome], needed: Container[str]) -> Outcome | None:
    """Return the outcome of an unknown that needs one without a value, or None; limits exclude no cell."""
    nothing = (outcome for outcome in outcomes if outcome.kind == "none")
    lost = next((outcome for outcome in nothing if outcome.cell.name in needed and not outcome.limits), None)
    return None if lost is None else _resting_on(lost, cell)


def _resting_on(lost: Outcome, cell: Cell) -> Outcome:
    """Return the outcome of an unknown that rests on one that has no value."""
    opened = (cell.bounds.interval,) if lost.open else ()
    return Outcome(
        cell, "none", reason=Told(f"It rests on {lost.cell.name}. {lost.why}"), proof=lost.proof, open=opened
    )


def refuse_dependents(outcomes: dict[str, Outcome], structure: Structure) -> None:
    """Turn outcomes into "none" that rest on an unknown for which no value works."""
    empty = [name for name, result in outcomes.items() if result.kind == "none"]
    # one that an equation gives keeps it: as known, it would let its own formula give what the question pins
    over = structure.with_known(*(name for name in empty if name not in structure.of_cell))
    for name, result in outcomes.items():
        needed = over.needed([name])
        lost = next((other for other in empty if other in needed), None)
        if lost is not None and result.kind != "none":
            outcomes[name] = _resting_on(outcomes[lost], result.cell)
