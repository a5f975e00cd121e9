"""From the values that work to a kind of answer: a value, several, a range, whole numbers, or none."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.limits import exclusion, none_within, shaping
from flopsheet.answer.outcomes.neighbours import around, effects, effects_beside
from flopsheet.answer.outcomes.picked import Pick, bounds_from_above, picked
from flopsheet.answer.outcomes.single_values import named, single_values
from flopsheet.answer.outcomes.spaced import progression_texts
from flopsheet.answer.outcomes.told import UNTOLD, Told, held_where, hold_for
from flopsheet.answer.outcomes.undecided import Cause, causes_of, not_excluded
from flopsheet.answer.outcomes.wording import (
    MOST_RANGES,
    MOST_SHOWN,
    around_zero,
    ranges_text,
    some_wholes,
)
from flopsheet.answer.reasons import nothing
from flopsheet.errors import joined
from flopsheet.inverse.method import Method, Proof
from flopsheet.numbers.members import adjoined
from flopsheet.numbers.sets import Interval, RealSet, is_in, whole_ends
from flopsheet.units import Number, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.numbers.progressions import Progression
    from flopsheet.sheets.cell import Cell

DISCRETE = frozenset((Method.DIVISORS, Method.PERIOD))


@dataclass(frozen=True)
class Outcome:
    """What is known of one unknown; all numbers are in base units."""

    cell: Cell  # the unknown
    kind: str  # `value`, `values`, `range`, `whole` or `none`
    listed: RealSet = ()  # the values that work, as far as they can be listed
    interval: Interval | None = None  # of these, the interval that holds the value
    si: Number | None = None  # the value that the derivation uses
    boundary: Number | None = None  # where the deciding condition holds exactly
    whole: int | None = None  # of a whole-number cell asked through an inequality, the first that works
    neighbours: tuple[int, ...] = ()  # of a whole-number cell that only a fraction satisfies, the whole numbers around
    reason: Told | Callable[[], Told] = UNTOLD  # in a sentence or two; often what tells it when it is first read
    sign: str = "="  # the operator between unknown and closed form
    proof: Proof = Proof.EXACT  # how sure it is that these are the values, and all of them
    progressions: tuple[Progression, ...] = ()  # values that are too many to list, the first of them are listed
    open: RealSet = ()  # where more values may lie
    causes: tuple[Cause, ...] = ()  # why they are not excluded there
    condition: Condition | None = None  # that sets the value or the boundary
    limits: tuple[str, ...] = ()  # the limits of the sheet that shape the values
    at: tuple[tuple[Cell, Number], ...] = ()  # the values of other unknowns at which these are the values
    form: Callable[[], Expr | None] | None = None  # makes the closed form of a value that no condition sets

    def __repr__(self) -> str:
        return f"<Outcome of {self.cell.name}: {self.kind}, {self.proof.value}>"

    @cached_property
    def _told(self) -> Told:
        return self.reason if isinstance(self.reason, Told) else self.reason()

    @property
    def why(self) -> str:
        """The reason, in a sentence or two."""
        return self._told.text

    @property
    def digits(self) -> int:
        """With how many digits its reason gives the cell that the deciding relation bounds; 0 where it does not."""
        return self._told.digits

    def telling(self, why: str) -> Outcome:
        """Return the same with another reason."""
        return replace(self, reason=Told(why, self.digits))

    @property
    def solutions(self) -> tuple[Interval | Progression, ...]:
        """All values that work, as far as is known: see `open`."""
        return *self.listed, *self.progressions

    @property
    def deciding(self) -> Relation | None:
        """The relation that sets the value or the boundary."""
        return None if self.condition is None else self.condition.relation

    @property
    def bound(self) -> str:
        """Whether relations bound it from below (`>`), from above (`<`), at neither end (empty), or set it (`=`)."""
        if self.kind != "range":
            return "="
        return "" if self.boundary is None else self.sign[0]

    @cached_property
    def is_one_of_several(self) -> bool:
        """Whether the closed form is that of one value, or one end, of several that relations set."""
        bounds = self.cell.bounds
        low = (bounds.lower, bounds.lower_closed)
        ends = {part.lower for part in self.listed if (part.lower, part.lower_closed) != low}
        ends |= {part.upper for part in self.listed}
        return bool(self.progressions) or len([end for end in ends if is_finite(end) and end != bounds.upper]) > 1

    @cached_property
    def closed_form(self) -> Expr | None:
        """The unknown as an expression over other cells, or None where there is none."""
        if self.condition is not None and self.boundary is not None:
            return self.condition.solution.form_at(self.boundary, self.condition.chain.values)
        return None if self.form is None else self.form()


def outcome(
    solved: SolutionSet, near: Number | None = None, lifted: Callable[[], Outcome | None] | None = None
) -> Outcome:
    """Return the outcome of an unknown; of several values the one near a given value is taken.

    `lifted` returns that without limits: it is called where limits leave nothing, to say what they exclude.
    """
    result = _outcome(solved, near)
    if result.kind != "none":
        return replace(result, limits=shaping(solved)) if solved.names_of_limits else result
    unlimited = lifted() if lifted is not None and solved.limits and not solved.open else None
    limits = solved.names_of_limits
    if unlimited is None:
        result = result.telling(none_within(solved)) if solved.limits and not solved.open else result
        return replace(result, limits=limits) if limits and not solved.limits else result
    if unlimited.kind == "none":  # where that is not proven, what limits leave nothing of still is
        return replace(result, limits=limits) if unlimited.open else unlimited
    why = exclusion(solved, unlimited.listed, unlimited.whole, others=bool(unlimited.limits))
    return replace(result.telling(why), limits=limits)


def _outcome(solved: SolutionSet, near: Number | None) -> Outcome:
    intervals = solved.values
    if not intervals:
        causes = causes_of(solved.open, solved)
        found = "No value of {} was found, but some are"
        why = not_excluded(solved.open, solved.cell, found, causes) if solved.open else nothing(solved)
        return Outcome(solved.cell, "none", reason=Told(why), proof=solved.proof, open=solved.open, causes=causes)
    by_equation = any(condition.relation.is_equation for condition in solved.asked)
    points = all(interval.is_point for interval in intervals)
    if solved.cell.integer and (_is_discrete(solved, solved.asked) or not (points and by_equation)):
        result = _whole(solved, near)
    elif points and around(solved.cell, intervals[0].lower):
        result = _fractional(solved, near)
    elif points:
        result = _values(solved, near)
    else:
        pick = picked(solved, intervals, near)
        value = pick.end if pick.end in pick.interval else None
        result = _bounded(solved, pick, value, lambda: Told(held_where(solved, pick, intervals)))
    if solved.progressions:
        why = f"{result.why} All of them: {joined(progression_texts(solved.progressions, solved.cell), 'or')}."
        result = replace(result.telling(why), progressions=solved.progressions)
    result = replace(result, proof=solved.proof, open=solved.open, causes=causes_of(solved.open, solved))
    return result if near is None or result.kind == "none" else _nearest(result, near)


def _is_discrete(solved: SolutionSet, conditions: Iterable[Condition]) -> bool:
    """Whether conditions list the whole numbers that work one by one: divisors, multiples, no long runs.

    The only one that meets an equation is a value. A limit that every whole number in a range meets lists none, nor do
    conditions that do not repeat.
    """
    listing = [own for own in conditions if not (own.limit and not all(part.is_point for part in own.solution.values))]
    methods = {own.solution.how for own in listing}
    if methods & DISCRETE or (len(solved.values) == len(solved.asked) == 1 and solved.asked[0].relation.is_equation):
        return bool(methods & DISCRETE)
    is_tried = any(own.solution.how is Method.TRIAL and own.repeats for own in listing)
    return is_tried and all(last - first <= 1 for first, last in map(whole_ends, solved.values))


def _nearest(result: Outcome, near: Number) -> Outcome:
    """Return the outcome with the value nearest to a given one."""
    values = [value for interval in result.listed if (value := _member(interval, near, result.cell)) is not None]
    values += [progression.nearest(near) for progression in result.progressions]
    if not values:
        return result
    value = min(values, key=lambda member: size(member - near))
    of_these = "Of those found," if result.open else "Of the values that work,"
    nearest = f" {of_these} {result.cell.text(value)} is nearest to {result.cell.text(near)}."
    why = f"{result.why}{'' if value == near else nearest}"
    interval = next((interval for interval in result.listed if value in interval), Interval(value, value))
    whole = None if result.whole is None else int(value)
    result = result if result.kind == "value" else result.telling(why)
    return replace(result, si=value, whole=whole, interval=interval)


def _member(interval: Interval, near: Number, cell: Cell) -> Number | None:
    """Return the number of an interval nearest to a given one; None where that would be an open end."""
    counts = cell.integer and not interval.is_point
    low, high = whole_ends(interval) if counts else (interval.lower, interval.upper)
    value = min(max(round(near) if counts else near, low), high)
    return value if value in interval else None


def _values(solved: SolutionSet, near: Number | None) -> Outcome:
    deciding, value, tell = single_values(solved, near)
    kind = "value" if len(solved.values) == 1 else "values"
    interval = next(interval for interval in solved.values if interval.lower == value)
    return Outcome(solved.cell, kind, solved.values, interval, value, value, reason=tell, condition=deciding)


def _fractional(solved: SolutionSet, near: Number | None) -> Outcome:
    """Return that no whole number meets an equation, with the fraction that does and what the numbers around give."""
    deciding, value, tell = single_values(solved, near)
    why = tell().text
    wholes, asked = around(solved.cell, value), solved.asked
    question = solved.execution.question
    if deciding.relation not in question.stated:  # the formula of a cycle, where what was asked gives a cell of it
        return Outcome(solved.cell, "none", boundary=value, neighbours=wholes, reason=Told(why), condition=deciding)
    texts = [why, *(effects(solved, deciding, wholes)[0] if near is not None or len(solved.values) == 1 else [])]
    if len(asked) == len(question.unknowns) == 1:
        bounds = [f"'{deciding.relation.text.replace(' = ', sign)}'" for sign in (" <= ", " >= ")]
        texts.append(f"For whole numbers, ask for {joined(bounds, 'or')}.")
    texts += [not_excluded(solved.open, solved.cell, causes=causes_of(solved.open, solved))] if solved.open else []
    why = " ".join(texts)
    if near is None and len(solved.values) > 1:
        wholes = tuple(whole for part in solved.values for whole in around(solved.cell, part.lower))
        return Outcome(solved.cell, "none", neighbours=wholes[:MOST_SHOWN], reason=Told(why))
    return Outcome(solved.cell, "none", boundary=value, neighbours=wholes, reason=Told(why), condition=deciding)


def _bounded(solved: SolutionSet, pick: Pick, value: Number | None, tell: Callable[[], Told]) -> Outcome:
    """Return the outcome of a range whose end is the boundary of the deciding condition."""
    deciding = pick.setting[0] if pick.setting else None
    boundary = pick.boundary if deciding else None
    outcome = Outcome(solved.cell, "range", solved.values, pick.interval, value, boundary, reason=tell)
    return replace(outcome, sign=pick.sign, condition=deciding)


def _whole(solved: SolutionSet, near: Number | None) -> Outcome:
    holding = [interval for interval in solved.values if operator.le(*whole_ends(interval))]
    if not holding:
        values = ranges_text(solved.values, solved.cell)
        return Outcome(solved.cell, "none", reason=Told(f"The solution set {values} contains no whole number."))
    is_endless = not any(map(is_finite, whole_ends(holding[0])))
    if _is_discrete(solved, solved.conditions) and not is_endless:
        return _enumerated(solved, holding)
    parts = adjoined(solved.values)
    pick = picked(solved, [part for part in parts if operator.le(*whole_ends(part))], near)
    first, last = whole_ends(pick.interval)
    whole = int(next(filter(is_finite, (first, last) if pick.lower else (last, first)), 0))
    beyond = whole - 1 if pick.lower else whole + 1

    def tell() -> Told:
        shown = [number for number in (whole, beyond) if number in solved.domain and not is_in(number, solved.open)]
        texts, digits = effects(solved, pick.setting[0], shown) if pick.setting else ([], 0)
        return Told(" ".join([held_where(solved, pick, parts), *texts]), digits)

    return replace(_bounded(solved, pick, whole, tell), whole=whole, listed=parts)


def _enumerated(solved: SolutionSet, holding: list[Interval]) -> Outcome:
    """Return whole numbers one by one, as the value the first; the last where what was asked bounds them from above."""
    runs = tuple(Interval(*whole_ends(interval)) for interval in holding)
    from_above = bounds_from_above(solved)
    ends = (own.hull for own in solved.progressions if is_finite(own.upper) and own.hull.upper_closed)
    last_run = max((runs[-1], *(Interval(own.upper, own.upper) for own in ends)), key=lambda own: own.upper)
    run = last_run if from_above else around_zero(runs, 1, solved.progressions)[0]
    value = int(next(filter(is_finite, (run.upper, run.lower) if from_above else (run.lower, run.upper))))

    def tell() -> Told:
        most = MOST_RANGES if solved.progressions else MOST_SHOWN
        few = around_zero(runs, most, solved.progressions)
        shown = some_wholes(few, solved.cell, most, rest=" and others" if solved.progressions else "")
        first, last = (runs[0].lower, False), (last_run.upper, True)
        texts, digits = effects_beside(solved, (last, first) if from_above else (first, last), runs)
        return Told(" ".join([hold_for(named(solved), shown), *texts]), digits)

    return Outcome(solved.cell, "whole", runs, run, value, whole=value, reason=tell)
