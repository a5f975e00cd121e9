"""Several unknowns of which one has a range: what is said of another holds at a value of the first, and says so.

An unknown that is solved first knows no inequality that waits for a later one, so it is solved again beside that one's
value. Then each set is a slice through the values that work together, at the values that the derivation uses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import bounds_of
from flopsheet.answer.outcomes.outcome import Outcome, outcome
from flopsheet.answer.outcomes.wording import places_text
from flopsheet.answer.several import verdicts
from flopsheet.answer.several.lifting import allowed
from flopsheet.answer.several.lost import MANY
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.unknown import find
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.graph.blocks import plan
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import union

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.units import Number


def _value(outcome: Outcome) -> Number | None:
    """Return the value at which others are looked at: that of the answer, else one inside of its range."""
    if outcome.si is not None or outcome.interval is None:
        return outcome.si
    return outcome.interval.inside()


@dataclass(frozen=True)
class Slices:
    """The unknowns of a question in the order in which they were solved.

    Args:
        system: the system before any was solved.
        execution: the values before any was solved.
        used: the unknowns in order, each with the keys of the equations that gave it; None for one of a formula.
        solutions: what conditions left of the unknowns that were found one by one.
    """

    system: System
    execution: Execution
    used: Mapping[str, frozenset[str] | None]
    solutions: Mapping[str, SolutionSet]

    @property
    def _free(self) -> list[str]:
        """The unknowns that no formula gives."""
        return [name for name, used in self.used.items() if used is not None]

    def through(self, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
        """Return outcomes that name the other unknowns at whose values they hold."""
        many = [name for name in self.used if outcomes[name].kind in MANY and _value(outcomes[name]) is not None]
        if not many or len(outcomes) < 2:
            return {**outcomes}
        return {name: self._placed(name, many, outcomes) for name in outcomes}

    def _placed(self, name: str, many: list[str], outcomes: Mapping[str, Outcome]) -> Outcome:
        own, order = outcomes[name], [*self.used]
        if own.kind == "none":
            return own
        earlier = order[: order.index(name)] if name in self.used else order
        is_free = name in many and name in self._free
        tied = self._tied(name) if is_free else []
        others = {*self._waiting(name), *tied} - self._moving(name) if is_free else set[str]()
        waiting = [other for other in outcomes if other in others and _value(outcomes[other]) is not None]
        before = [other for other in earlier if other in many and self._rests_on(name, other)]
        if waiting or (is_free and any(outcomes[other].si is None for other in before)):
            solved, slice_of = self.solutions.get(name), self._beside(name, outcomes)
            partners = () if solved is None else solved.partners.unchecked
            is_point = bool(partners) and slice_of.kind == "value"  # where the others are, it is one too
            before = [] if slice_of is own and not waiting else before
            own, waiting = (verdicts.unchecked(own, partners), []) if is_point else (slice_of, waiting)
        beside = {*waiting, *before}
        values = ((outcomes[other].cell, _value(outcomes[other])) for other in order if other in beside)
        at = tuple((cell, value) for cell, value in values if value is not None)
        return replace(own.telling(f"At {places_text(at)}: {own.why}"), at=at) if at else own

    def _followers(self, name: str) -> dict[str, frozenset[str]]:
        """Return the later unknowns that equations give from one, each with all on which these equations rest."""
        order, beyond = [*self.used], self.system.knowing(self._free).structure
        later = order[order.index(name) + 1 :] if name in order else []
        cells = {
            other: frozenset[str]().union(
                *(beyond.needed(beyond.equations[key].cells) for key in self.used[other] or ())
            )
            for other in later
        }
        return {other: own for other, own in cells.items() if name in own}

    def _moving(self, name: str) -> set[str]:
        """Return the later unknowns that follow from one, at whose values nothing is said of it."""
        solved = self.solutions.get(name)
        partners = set() if solved is None else {partner.name for partner in solved.partners.unchecked}
        return (self._followers(name).keys() - partners) | ({solved.followed} if solved is not None else set())

    def _followed(self, other: str, name: str, outcomes: Mapping[str, Outcome]) -> bool:
        """Whether an earlier unknown had no value when one was found, and follows from it, so that it excludes none."""
        system = self.system
        for earlier in [*self.used][: [*self.used].index(name)] if name in self.used else ():
            value = outcomes[earlier].si
            system = system if value is None else system.with_solved(earlier, value, self.used[earlier] or frozenset())
        return outcomes[other].si is None and other in system.knowing((name,)).structure.determined

    def _tied(self, name: str) -> list[str]:
        """Return the other unknowns on which those rest that follow from one with them: these have a value as well."""
        followers = self._followers(name)
        cells = frozenset[str]().union(*followers.values())
        return [other for other in self._free if other in cells - followers.keys() - {name}]

    def _rests_on(self, name: str, other: str) -> bool:
        """Whether an unknown was found from the value of an earlier one: by equations, or by an inequality of both."""
        structure = self.system.with_solved(other, 1, self.used[other] or frozenset()).structure  # whatever the number
        if other in structure.needed([name]):
            return True
        if name in self.used and self.used[name] is None:  # a formula gives it, whatever else holds
            return False
        beyond = self.system.knowing(self._free).structure
        keys = self.used.get(name) or ()  # those of unknowns that were found together are linked by each other
        together = frozenset[str]().union(*(beyond.needed(beyond.equations[key].cells) for key in keys))
        conditions = (cells for _, cells in self._conditions(name))
        return any({name, other} <= cells for cells in (together, *conditions))

    def _waiting(self, name: str) -> Iterator[str]:
        """Yield the unknowns that were solved later and share a condition that was not looked at before.

        That they have a value at all may be one.
        """
        order, solved = self._free, self.solutions.get(name)
        if solved is None:
            return
        waiting = ((own, cells) for own, cells in self._conditions(name) if own.text not in solved.applied)
        joint = [cells for own, cells in waiting if not self._is_constant(own)]
        joint.append(frozenset(own.name for own in solved.partners.unchecked))
        yield from (other for other in order[order.index(name) + 1 :] if any(other in cells for cells in joint))

    def _conditions(self, name: str) -> list[tuple[Relation, frozenset[str]]]:
        """Return the inequalities, limits and bounds that an unknown takes part in, and on what each rests."""
        question, known = self.system.question, self.system.knowing((*self._free, name))
        bound = (*question.sheet.rows.bounded, *map(question.sheet.cells.__getitem__, question.bounding))
        conditions = (*question.inequalities, *question.limits, *bounds_of(bound))
        rests = [(own, known.structure.needed(own.cells)) for own in conditions if own.cells <= known.known]
        return [(own, cells) for own, cells in rests if name in cells]

    def _is_constant(self, condition: Relation) -> bool:
        """Whether equations give the sides of a condition before any unknown is known."""
        if not condition.cells <= self.system.known:
            return False
        trial = self.execution.copy()
        try:
            trial.run(self.system, plan(self.system.structure, condition.cells, trial.names))
        except (ArithmeticTrapError, QuestionError, SeveralValuesError):
            return False
        return True

    def _beside(self, name: str, outcomes: Mapping[str, Outcome]) -> Outcome:
        """Return the outcome of an unknown with the values that work beside those of all others.

        That is the outcome itself where others had no value when it was found, and follow from the one that is used.
        """
        own, system, si, solved = outcomes[name], self.system, outcomes[name].si, self.solutions.get(name)
        follow = set() if solved is None else {partner.name for partner in solved.partners.unchecked}
        moving = self._moving(name)
        for other in (own for own in self.used if own not in moving):
            value, used = _value(outcomes[other]), self.used[other]
            if other != name and used is not None and value is not None:
                system = system.with_solved(other, value, frozenset() if other in follow else used)
        beside = self._solved(system, name)
        interval = None if si is None else next((part for part in beside.listed if si in part), None)
        if interval is None and si is None:
            interval = beside.interval
        without = [] if interval is not None or si is None else [at for at in self.used if outcomes[at].si is None]
        if without and all(self._followed(other, name, outcomes) for other in without):
            return own
        if interval is None:  # only the value that is used is known to work, if one is
            kept = own if si is not None else replace(own, kind="none", listed=(), interval=None)
            return replace(kept.telling(beside.why or own.why), proof=Proof.OPEN, open=union(own.open, own.listed))
        if beside.listed == (interval,) and interval.is_point:
            own = replace(own, kind="value", si=interval.lower, whole=None)
        own = replace(own, listed=beside.listed, interval=interval, progressions=beside.progressions)
        return replace(own.telling(beside.why), proof=beside.proof, open=beside.open, limits=beside.limits)

    def _solved(self, system: System, name: str) -> Outcome:
        """Return the outcome of an unknown alone; of no kind where it cannot be found."""
        try:
            solutions = find(system, name, self.execution.copy())
            if solutions is not None:
                return outcome(solutions, None, partial(allowed, system, name, self.execution.copy()))
        except (ArithmeticTrapError, QuestionError):
            pass
        return Outcome(system.question.sheet.cells[name], "none")
