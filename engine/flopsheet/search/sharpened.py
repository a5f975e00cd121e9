"""The floats beside what inversion in floats gives at which a formula enters or leaves a set."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.budget import is_over
from flopsheet.numbers.arithmetic import bisected
from flopsheet.numbers.many_digits import PRECISION, PRECISIONS, Irrational
from flopsheet.numbers.sets import EMPTY, Interval, point
from flopsheet.search.field import stay_ratios
from flopsheet.tolerances import SHORT
from flopsheet.units import close, is_finite, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.field import Field
    from flopsheet.search.points import Points
    from flopsheet.units import Number

MOST_STEPS = 64  # floats that a root by inversion may be off
SHORT_DIGITS = 12  # a decimal of so many that is a root is told exactly
MOST_LOST, FASTER = 2**44, 4  # floats that a number may be off where digits cancel; the next one looked at is further
MOST_HALVED, FLOAT_DIGITS = 200, 2**52  # halvings between two floats, and where they end
BESIDE, FURTHEST = 4096, 512  # floats between both points of the secant, and those that a root may be off
SECANT, BENT = 2.0**-20, 1 / 8  # the same of a secant in floats, as a share of the root; the slopes may differ so much
MOST_PARTS, MOST_ROOTS = 300, 30  # the numbers of longer sets stay as inversion gives them


def sharpened(values: RealSet, domain: Interval, meets: Callable[[Number], bool], opened: RealSet = ()) -> RealSet:
    """Return a set whose closed float ends are the last that meet a condition, open ones the first that do not.

    The set is as inversion in floats gives it; the ends of the domain stay, and those beside what is `opened`, where a
    search ended. `meets` takes as many digits as it needs.
    """
    if len(values) > MOST_PARTS or all(part.is_point for part in values):
        return values
    rooms = _with_room(values, domain, opened)
    return tuple(part if part.is_point or is_over() else _sharpened(part, room, meets) for part, room in rooms)


def _sharpened(part: Interval, room: Interval, meets: Callable[[Number], bool]) -> Interval:
    lower = _moved(part.lower, -1, part.lower_closed, room, meets)
    upper = _moved(part.upper, 1, part.upper_closed, room, meets)
    return replace(part, lower=lower, upper=upper) if lower < upper else part


def _moved(end: Number, way: int, closed: bool, room: Interval, meets: Callable[[Number], bool]) -> Number:
    """Return the float next to an end at which the condition begins or ends to hold; the end itself if none is near."""
    if not isinstance(end, float) or not is_finite(end) or end in (room.lower, room.upper):
        return end
    inside = meets(end)
    passed = _passed(end, (way if inside else -way,), room, lambda at: meets(at) != inside)
    return end if passed is None else passed[0] if inside == closed else passed[1]


def nearest_roots(values: RealSet, domain: Interval, points: Points, most_steps: int = MOST_STEPS) -> RealSet:
    """Return a set whose single floats are those nearest to where the formula passes the one number of a target.

    Those that are at most so many floats off stay, and where all numbers are exact those that are at most one off.
    """
    if len(values) > MOST_ROOTS or len(points.target) != 1 or not points.target[0].is_point:
        return values
    last_digits = None if points.is_rounded else LastDigits(points.field, points.target[0].lower)
    return tuple(
        _root(part, room, points, most_steps, last_digits) if part.is_point and isinstance(part.lower, float) else part
        for part, room in _with_room(values, domain)
    )


def _root(part: Interval, room: Interval, points: Points, most_steps: int, last_digits: LastDigits | None) -> Interval:
    end, level = float(part.lower), points.target[0].lower
    off = most_steps * math.ulp(end)
    short = f"{end:.{SHORT_DIGITS}g}"
    if abs(float(short) - end) <= off:
        ratio = tidy(Fraction(short))
        if points.compare(ratio, level) == 0 and ratio not in points.unsure:
            return Interval(ratio, ratio)
    if last_digits is not None and (nearest := last_digits.nearest(end, room)) is not None:
        return Interval(nearest, nearest)
    steps = 1 if last_digits and not points.field.jumps else most_steps  # as many digits as the numbers have
    near = steps * math.ulp(end)
    if points.passes(end - near, end + near, level) or (sign := points.compare(end, level)) in (0, None):
        return part
    passed = _passed(end, (-1, 1), room, lambda at: points.compare(at, level) == -sign, first=steps)
    if passed is None:
        return part
    gaps = ((points.field.value_by_digits(at, PRECISIONS[1], level), at) for at in (*passed, end))
    _, nearest = min((math.inf if gap is None else abs(gap), at) for gap, at in gaps)
    return Interval(nearest, nearest)


def crossing(low: Number, high: Number, changes: Callable[[Number], bool]) -> tuple[Fraction, Fraction]:
    """Return ratios on both sides of where a condition changes, so near that its distance to each end has many digits.

    Args:
        low: a number, below or above the other one.
        high: the other one, with no float between them.
        changes: whether the condition is other than at the first number.
    """
    first, last = start, stop = Fraction(low), Fraction(high)
    for _ in range(MOST_HALVED):
        middle = (start + stop) / 2
        start, stop = (start, middle) if changes(middle) else (middle, stop)
        if abs(stop - start) * FLOAT_DIGITS <= min(abs(start - first), abs(last - stop)):
            break
    return start, stop


class LastDigits:
    """A formula less a level at single floats, with more digits than these.

    A step of the secant method finds the float nearest to a root: beside it a formula is as good as straight.

    Args:
        field: the formula over its unknown; its cells are exact or known to all digits.
        level: the same.
    """

    def __init__(self, field: Field, level: Number) -> None:
        self._field, self._level = field, level

    def nearest(self, root: float, room: Interval) -> float | None:
        """Return the float nearest to a root beside a float; None where it is further off, or beyond a jump."""
        here = self._gap(root)
        rise = self._rise(root) if here else None
        if not here or not rise:
            return root if here == 0 else None
        off = here / rise * math.ulp(root)
        nearest = root - off
        if not (abs(off) <= FURTHEST * math.ulp(root) and room.lower <= nearest <= room.upper):
            return None
        left = self._gap(nearest) if self._field.jumps else 0  # it may jump over the level too
        return nearest if left is not None and abs(left) <= abs(rise) else None

    def _rise(self, root: float) -> float | None:
        """Return by how much the formula changes from one float to the next beside a root."""
        if self._is_product:
            off = abs(root) * SECANT
            before, after = (self._field.gap(at, self._level) for at in (root - off, root + off))
            if abs(before + after) <= BENT * abs(after) < math.inf:
                return (after - before) / 2 * math.ulp(root) / off
        here, there = self._gap(root), self._gap(root + BESIDE * math.ulp(root))
        return None if here is None or there is None else (there - here) / BESIDE

    @cached_property
    def _is_product(self) -> bool:
        """Whether no sum may cancel digits of floats."""
        return not any(operation.node.is_Add for _, operation in self._field.varying)

    def _gap(self, at: float) -> float | None:
        """Return how far the formula lies above the level at a float; None where it has no value."""
        exactly = self._exactly(at)
        if exactly is None:
            return self._field.value_by_digits(at, PRECISION, self._level)
        try:
            return float(exactly - _ratio(self._level))
        except OverflowError:
            return None

    def _exactly(self, at: float) -> Number | None:
        """Return the formula at a float as a ratio, but for digits that no float has; None where it is no ratio."""
        if self._ratios is None:
            return None
        values = self._ratios[:]
        values[self._field.place] = Fraction(at)
        return values[self._field.program.result] if stay_ratios(values, self._field.varying) else None

    @cached_property
    def _ratios(self) -> list[Any] | None:
        """What does not vary, by place, as ratios; None where a formula has none, or gives no ratio for ratios."""
        field, program = self._field, self._field.program
        if not program.is_rational:
            return None
        values: list[Any] = [None] * max(program.size, field.place + 1)
        for place, number in (*program.constants.items(), *field.inputs.items()):
            try:
                values[place] = _ratio(number)
            except (ArithmeticError, ValueError):
                return None
        return values if stay_ratios(values, program.plan(field.places).known) else None


def _ratio(number: Number | str) -> Any:
    """Return a number that is known to all digits as a ratio with more of them than floats have.

    Raises:
        ArithmeticError, ValueError: it has no bounds.
    """
    return number.ratio() if isinstance(number, Irrational) else number


def at_jump(part: Interval, field: Field) -> RealSet:
    """Return an end of a narrow range at which a formula jumps away from what it gives inside."""
    for (end, closed), way in zip(part.ends, (-1, 1), strict=True):
        at = Fraction(end)
        here, beyond = field.value_by_digits(at), field.value_by_digits(at + way * abs(at) * SHORT)
        if closed and here is not None and (beyond is None or not close(here, beyond)):
            return point(end)
    return EMPTY


def stands_for(at: Number, jumps: list[tuple[Interval, Interval]], field: Field, level: Number) -> bool:
    """Whether a number stands for a jump: it is in its part, or rounding put it on the side that misses the level."""
    near = [part for part, jump in jumps if at in part or close(at, jump.lower)]
    value = field.value_by_digits(at) if near else None
    return any(at in part for part in near) or (value is not None and not close(value, level))


def _with_room(values: RealSet, domain: Interval, opened: RealSet = ()) -> Iterator[tuple[Interval, Interval]]:
    """Yield the parts of a set, each with the numbers between its neighbours, and between what is open."""
    others = (*values, *opened)
    lowers, uppers = sorted(part.lower for part in others), sorted(part.upper for part in others)
    for part in values:
        before, after = bisect_right(uppers, part.lower), bisect_left(lowers, part.upper)
        before -= part.is_point  # its own end
        after += part.is_point
        below = uppers[before - 1] if before > 0 else domain.lower
        yield part, Interval(below, lowers[after] if after < len(lowers) else domain.upper)


def _passed(
    end: float, ways: tuple[int, ...], room: Interval, changed: Callable[[Number], bool], first: int = 1
) -> tuple[float, float] | None:
    """Return the neighbouring floats beside an end between which a condition changes; None where it does not nearby."""
    last, steps = dict.fromkeys(ways, end), first
    while steps <= MOST_LOST:
        for way in ways:
            at = end + way * steps * math.ulp(end)
            if room.lower <= at <= room.upper:
                if changed(at):
                    return bisected(last[way], at, changed, lambda low, high: low + (high - low) / 2)
                last[way] = at
        steps *= FASTER
    return None
