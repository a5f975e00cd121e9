"""Numbers beside the ends of what inversion and search find, each tested by itself: whole ones, and ends of the domain.

They are tested exactly, or with as many digits as it takes. Only numbers that may have been computed in floats leave
room for rounding.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import compress, takewhile
from typing import TYPE_CHECKING

from flopsheet.budget import at_least, is_over
from flopsheet.formulas.evaluate import evaluate
from flopsheet.inverse.method import Method
from flopsheet.inverse.printed import Printed, plateau
from flopsheet.inverse.solution import Solution
from flopsheet.numbers.arithmetic import bisected, near_whole
from flopsheet.numbers.ends import closed_ends, eased, is_copy, is_copy_of_one, may_be_computed
from flopsheet.numbers.members import between_wholes
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, about, is_in, meet, point, side, union, whole_ends
from flopsheet.search.grid import WHOLES
from flopsheet.search.points import FASTER, Points
from flopsheet.search.sharpened import MOST_STEPS
from flopsheet.tolerances import NEAR_WHOLE, NEXT_INTEGER, TYPED, WHOLE_BESIDE
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.units import Number

MOST_TESTED = 200  # parts of a set; the ends of more stay as inversion gives them
LEAST_TIME = 0.5  # to test them, also where a search took all time [s]
HUNDREDTH = Fraction(1, 100)


def leaves_room(chain: Chain, expression: Expr, target: RealSet) -> bool:
    """Whether a number takes part that may have been computed in floats, so that rounding may keep it from a level.

    What is computed from exact numbers without floats is exact, and its integers are printed as they are.
    """
    floats, known = chain.computes_floats(expression), chain.known.leaves_room
    if expression not in known:
        known[expression] = _leave_room((own for own in chain.numbers(expression) if not isinstance(own, str)), floats)
    return known[expression] or _leave_room((end for part in target for end, _ in part.ends if is_finite(end)), floats)


def _leave_room(numbers: Iterable[Number], floats: bool) -> bool:
    """Whether one of some numbers may have been computed, integers only where what they are used for has floats."""
    return any(
        isinstance(number, float) or ((floats or not isinstance(number, int)) and may_be_computed(number))
        for number in numbers
    )


def with_domain_ends(chain: Chain, values: RealSet, expression: Expr, target: RealSet) -> RealSet:
    """Return a set with the closed ends of the domain that only rounding keeps from a closed end of the target."""
    ends = [end for end in closed_ends((chain.domain,)) if not is_in(end, values)]
    near = [end for end in ends if _is_near_level(chain, end, expression, target)]
    if not near or not leaves_room(chain, expression, target):
        return values
    points, levels = Points(chain.field(expression), eased(target), None), closed_ends(target)
    met = [end for end in near if points.meets(end) or chain.at_or_none(end, expression) in levels]
    others = (part for part in values if not (part.is_point and any(part.lower in about(end) for end in met)))
    return union(tuple(others), *map(point, met)) if met else values


def _is_near_level(chain: Chain, at: Number, expression: Expr, target: RealSet) -> bool:
    value = chain.at_or_none(at, expression)
    levels = (level for part in target for level, closed in part.ends if closed)
    return value is not None and any(close(value, level) for level in levels)


def meets_nearly(chain: Chain, at: Number, expression: Expr, target: RealSet) -> bool:
    """Whether an expression is in a target, or within rounding of it, where the unknown has a value."""
    value = chain.at_or_none(at, expression)
    value = chain.field(expression).value_by_digits(at) if value is None else value
    ends = [end for part in target for end, _ in part.ends]
    return value is not None and (is_in(value, target) or any(close(value, end) for end in ends))


def tested(chain: Chain, solution: Solution, expression: Expr, target: RealSet) -> Solution:
    """Return a solution with the whole numbers at its ends and the closed ends of the domain that are in the target.

    Whole numbers that there is no time to test are open.
    """
    values, late = solution.values, EMPTY
    if chain.integer:
        values, late = WholeEnds(chain, expression, target).of(values)
    values = with_domain_ends(chain, values, expression, target)
    opened = union(solution.open, late) if late else solution.open
    return solution if values is solution.values else replace(solution, values=values, open=opened)


def holds_at(chain: Chain, at: Number, relation: Relation) -> bool:
    """Whether a relation holds where the unknown of a chain has a value: of a count exactly, else within rounding."""
    return test_of(chain, relation)(at)


def test_of(chain: Chain, relation: Relation) -> Callable[[Number], bool]:
    """Return the same for many values, as a function of the value."""
    return _whole_ends(chain, relation).holds_at if chain.integer else partial(_holds_nearly, chain, relation)


def _holds_nearly(chain: Chain, relation: Relation, at: Number) -> bool:
    left, right = (chain.at_or_none(at, side) for side in (relation.left, relation.right))
    if left is None or right is None:
        return False
    is_exact = not isinstance(left, float) and not isinstance(right, float)
    if relation.operator == "=" and is_exact:  # but for the last digits of a pasted number
        return size(left - right) <= (TYPED * size(right) if may_be_computed(right) else 0)
    return relation.holds(left, right)


def _whole_ends(chain: Chain, relation: Relation) -> WholeEnds:
    expression, sign, right = relation.one_sided(chain.links.symbols)
    return WholeEnds(chain, expression, side(sign, evaluate(right, chain.values)))


def held_by(chain: Chain, candidates: Sequence[Number], relation: Relation) -> Solution:
    """Return the whole numbers at which a relation holds; all between those that there is no time for is open."""
    key, known = (relation.left, relation.operator, relation.right, *candidates), chain.known.solutions
    if key in known:
        return known[key]  # type: ignore[no-any-return]
    ends = _whole_ends(chain, relation)
    tried = [ends.holds_at(number) for number in takewhile(lambda _: not is_over(), candidates)]
    met, rest = compress(candidates, tried), candidates[len(tried) :]
    opened = (Interval(min(rest), max(rest)),) if rest else EMPTY  # thousands of single numbers would take long to join
    solution = Solution(union(*map(point, met)), Method.TRIAL, open=opened)
    if not opened:
        known[key] = solution
    return solution


class WholeEnds:
    """Tests whole numbers for a condition: that an expression of a chain lies in a set."""

    def __init__(self, chain: Chain, expression: Expr, target: RealSet) -> None:
        self.chain, self.expression, self.target = chain, expression, target
        self.points = Points(chain.field(expression), target, WHOLES)
        self.printed = Printed(chain, expression, self.points)
        self.leaves_room = leaves_room(chain, expression, target)
        self.is_rounded = any(isinstance(number, float) for number in chain.numbers(expression))
        self.is_exact = not self.is_rounded and not chain.links.computes_floats(expression)

    def of(self, values: RealSet) -> tuple[RealSet, RealSet]:
        """Return a set with its ends moved to where the condition begins or ends to hold, and what is not tested."""
        if len(values) > MOST_TESTED:
            return values, EMPTY
        is_equation = all(level.is_point for level in self.target)
        with at_least(LEAST_TIME):
            moved, late = _in_time(self._part, values)
            if self.leaves_room and is_equation:
                moved, more = _in_time(self.printed.within, moved)
                late = union(late, more)
        untested = union(*((between_wholes(part),) for part in late))
        return meet(moved, (self.chain.domain,)), meet(untested, (self.chain.domain,))

    def _part(self, part: Interval) -> RealSet:
        return self._point(part) if self._is_single(part) else self._range(part)

    def holds_at(self, at: Number) -> bool:
        """Whether the condition holds at a number, one of which an end of the target was printed included."""
        value = self.chain.at_or_none(at, self.expression) if self.leaves_room or self.is_exact else None
        known = self.is_exact and value is not None and not isinstance(value, float)
        if is_in(value, self.target) if known and value is not None else self.points.meets(at):
            return True
        if not self.leaves_room:
            return False
        return is_copy_of_one(value, closed_ends(self.target), in_other_units=self.is_rounded)

    def _is_single(self, part: Interval) -> bool:
        """Whether a part is one value, or what rounding leaves of one that an equation has between whole numbers."""
        if part.is_point or not (is_finite(part.lower) and is_finite(part.upper)):
            return part.is_point
        is_narrow = close(part.lower, part.upper) and part.upper - part.lower < HUNDREDTH  # a step is wider
        is_between = is_narrow and math.floor(part.lower) == math.ceil(part.upper) - 1
        return is_between and all(level.is_point for level in self.target)

    def _point(self, part: Interval) -> RealSet:
        """Return the integer that a single value is within rounding of, if it meets the condition; else the value."""
        integer = round(part.lower)
        is_beside = abs(Fraction(part.lower) - integer) <= Fraction(NEXT_INTEGER) * max(abs(integer), 1)
        is_copied = is_beside and self._is_copied(integer, (integer - 1, integer + 1))
        printed = self.printed.near(part.lower) if self.leaves_room and not is_copied else None
        if printed is not None:
            return point(printed)
        if not is_beside:
            return (part,)
        is_zero = self.leaves_room and near_whole(part.lower) == integer and self.target == point(0)
        if is_zero or self._is_met(integer):  # a difference of rounded numbers is no copy of zero
            return point(integer)
        beside = self._passed(part.lower)
        if met := [whole for whole in beside if self._is_met(whole)]:
            return point(met[0])
        # no whole number, so that nothing takes it for one
        between = self._root(*map(Fraction, beside)) if beside else Fraction(part.lower)
        return () if between == integer else point(between)

    def _is_met(self, integer: int) -> bool:
        """Whether the level is met at a whole number, or printed of the value there and not of those beside it."""
        return self.points.meets(integer) or self._is_copied(integer, (integer - 1, integer + 1), by_equation=True)

    def _passed(self, at: Number) -> tuple[int, ...]:
        """Return the neighbours between which the level is passed, beside a float that is whole but for rounding."""
        if not isinstance(at, float) or size(at - round(at)) > MOST_STEPS * math.ulp(at):
            return ()
        return self.points.neighbours(at, WHOLE_BESIDE * size(at))

    def _root(self, low: Fraction, high: Fraction) -> Fraction:
        """Return about where between two whole numbers the level is passed."""
        level = self.target[0].lower
        begins = self.points.beyond(level, high)
        low, high = bisected(
            low, high, begins, lambda one, other: one if other - one < HUNDREDTH else (one + other) / 2
        )
        return (low + high) / 2

    def _is_copied(self, integer: int, beside: Iterable[int], *, by_equation: bool = False) -> bool:
        """Whether a closed end of the target is printed of the value at a whole number, and not of those beside it.

        It is this float, or within rounding of the value and of no other. By an equation, numbers that give the same
        value are met alike.
        """
        if not self.leaves_room or integer not in self.chain.domain:
            return False
        value, *others = (self.chain.at_or_none(at, self.expression) for at in (integer, *beside))
        others = [other for other in others if not (by_equation and other == value)]
        ends = closed_ends(self.target)
        in_units = by_equation or self.is_rounded
        copied = [end for end in ends if value is not None and is_copy(value, end, in_other_units=in_units)]
        if isinstance(value, float) and value in copied and value not in others:
            return True
        return any(all(other is None or other not in about(end) for other in others) for end in copied)

    def _range(self, part: Interval) -> RealSet:
        lower, lower_closed = self._end(part.lower, -1, closed=part.lower_closed)
        upper, upper_closed = self._end(part.upper, 1, closed=part.upper_closed)
        moved = Interval(lower, upper, lower_closed, upper_closed)
        return () if moved.is_empty or self._is_missed_plateau(moved) else (moved,)

    def _is_missed_plateau(self, part: Interval) -> bool:
        """Whether an expression is constant in a range, and only rounding took it for one that meets an inequality."""
        inside = meet((part,), (self.chain.domain,))
        first, last = whole_ends(inside[0]) if inside else (1, 0)
        if first > last or self.is_exact or any(level.is_point for level in self.target):
            return False
        whole = next(filter(is_finite, (first, last)), 0)
        return not self.holds_at(whole) and plateau(self.chain, inside[0], self.expression) is not None

    def _end(self, end: Number, way: int, *, closed: bool) -> tuple[Number, bool]:
        """Return the last whole number that meets the condition, or an end that no rounding has moved past one."""
        if not is_finite(end):
            return end, closed
        if isinstance(end, float):
            last, first = self._around(end, way)
            if last is None:  # not even beside it does the condition begin to hold
                whole = near_whole(end)
                return (end, closed) if isinstance(whole, float) else (whole, self.holds_at(whole))
            if not closed and first == round(end) and not self._is_copied(first, (first + way,)):
                return first, False
        else:
            last = math.ceil(end) if way < 0 else math.floor(end)
            last -= way * (last == end and not closed)
        if self._is_copied(last + way, (last + 2 * way,)):
            return last + way, True
        return (last, True) if isinstance(end, float) else (end, closed)

    def _around(self, end: float, way: int) -> tuple[int, int] | tuple[None, None]:
        """Return the neighbours between which the condition ends to hold, where these are not those around an end."""
        room, meets = max(NEAR_WHOLE * abs(end), 4 * math.ulp(end)), self.points.meets
        before = math.floor(end) if way > 0 else math.ceil(end)
        if meets(before) and not meets(before + way):
            return (before, before + way) if abs(end - round(end)) <= room else (None, None)
        while room <= max(WHOLE_BESIDE * abs(end), 2):
            inside, outside = round(end) - way * math.ceil(room), round(end) + way * math.ceil(room)
            if meets(inside) and not meets(outside):
                return bisected(inside, outside, lambda at: not meets(at), self.points.grid.middle)
            room *= FASTER
        return None, None


def _in_time(test: Callable[[Interval], RealSet], parts: RealSet) -> tuple[RealSet, RealSet]:
    """Return what a test makes of some parts, and those that it did not come to the end of in time."""
    tested = list[RealSet]()
    for place, part in enumerate(parts):
        made = test(part)
        if is_over():
            return union(*tested), parts[place:]
        tested.append(made)
    return union(*tested), EMPTY
