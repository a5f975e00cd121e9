"""On which side of a set a formula lies at one number, and the floats beside it at which that changes.

It is told in floats, exactly, or with as many digits as it takes.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.numbers.arithmetic import bisected, short_ratio
from flopsheet.numbers.many_digits import PRECISIONS, SETTLED_BITS, is_rounded, sign_of
from flopsheet.numbers.sets import Interval
from flopsheet.numbers.spans import NoValueError, Span, in_floats, is_exact
from flopsheet.tolerances import USUAL
from flopsheet.units import close, exceeds_floats, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.field import Field
    from flopsheet.units import Number

_INF = math.inf
MOST_GUESSED = 100  # steps to where a formula passes a level
STEPS = (1, 2, 8, 64, 4096)  # floats from a guess, which rounding puts a few beside the root
NEAR_GUESS = 2  # of its last digits
CLOSING_IN = 100  # more digits make bounds at least so many bits narrower, unless the formula jumps
MOST_STEPS = 64  # floats that a root by inversion may be off
MOST_LOST, FASTER = 2**44, 4  # floats that a number may be off where digits cancel; the next one looked at is further
MOST_PARTS, MOST_ROOTS = 300, 30  # the numbers of longer sets stay as inversion gives them


class Points:
    """A formula at single numbers, compared with the ends of a set.

    Args:
        field: the formula over the unknown.
        target: the set.
        grid: the numbers between which it may change sides.

    `unsure` holds the numbers at which no number of digits tells the formula from an end, `unknown` those at which
    nothing tells where it lies: it is too large for digits, or infinity less infinity.
    """

    def __init__(self, field: Field, target: RealSet, grid: Any) -> None:
        self.field, self.target, self.grid = field, target, grid
        self.unsure: set[Number] = set()
        self.unknown: set[Number] = set()
        self.is_rounded = field.is_rounded or any(is_rounded(end) for part in target for end, _ in part.ends)
        self._signs: dict[tuple[Number, Number], int | None] = {}
        self._guesses: dict[Number, Number] = {}
        self._bounds: dict[tuple[Number, bool], Span] = {}

    def compare(self, at: Number, level: Number) -> int | None:
        """Return the sign of the formula less a level, 0 where even many digits cannot tell.

        None where the formula has no value, or where it lies is unknown.
        """
        key = at, level
        if key not in self._signs:
            try:
                self._signs[key] = self._compared(at, level) if is_finite(level) else self._beside(at, level)
            except NoValueError:
                self._signs[key] = None
            except (ArithmeticError, ValueError):
                self.unknown.add(at)
                self._signs[key] = None
        return self._signs[key]

    def _beside(self, at: Number, infinite: Number) -> int:
        """Return the sign of the formula less an infinite level; raise NoValueError where it has no value."""
        box = Span(at, at, exact=is_exact(at))
        if not self._about(at, box).total and box.exact:
            self.field.forward(box)
        return -1 if infinite > 0 else 1

    def _about(self, at: Number, box: Span) -> Span:
        """Return bounds of the formula at a number in floats; raise NoValueError where it has no value."""
        key = at, box.exact
        if key not in self._bounds:
            self._bounds[key] = self.field.forward(in_floats(box) if box.exact else box)[self.field.program.result]
        return self._bounds[key]

    def _sign_about(self, at: Number, box: Span, level: Number) -> int | None:
        """Return the sign of the formula less a level where floats, which are faster, tell it."""
        span = self._about(at, box)
        return _sign(span.low, span.high, level) if span.total else None

    def _compared(self, at: Number, level: Number) -> int | None:
        """Return the sign by bounds in floats where these tell it, else exactly, by signs of terms, or by digits."""
        guess, box = self._guesses.get(level), Span(at, at, exact=is_exact(at))
        is_guess = guess is not None and self.grid.is_dense and size(at - guess) <= NEAR_GUESS * math.ulp(guess)
        if not is_guess and (sign := self._sign_about(at, box, level)) is not None:
            return sign
        exactly = self.field.exactly(at)
        sign = None if exactly is None else _sign(exactly, exactly, level)
        if sign is None and box.exact and not is_guess:
            span = self.field.forward(box)[self.field.program.result]
            sign = _sign(span.low, span.high, level) if span.total else None
        sign = self.field.sign(box) or None if sign is None and not level else sign
        return self._by_digits(at, level) if sign is None else sign

    def _by_digits(self, at: Number, level: Number) -> int | None:
        """Return the sign by ever more digits, 0 where these close in on the level; else by plain evaluation."""
        is_float, widths = isinstance(at, float) and bool(at) and short_ratio(at) is None, []
        for bits in (*PRECISIONS, SETTLED_BITS):
            value = self.field.precise(at, at, bits, level)
            if (sign := sign_of(value)) is not None:
                return sign
            widths.append(value.delta)
            closes_in = widths[-1] * 2**CLOSING_IN < widths[0]
            if closes_in and is_float and bits == PRECISIONS[-1] and USUAL[0] < size(at) < USUAL[1]:
                break  # a root is no such number, so more digits tell no more
        sign = self.field.sign(Span(at, at, exact=is_exact(at)), level) if closes_in else None
        if is_float or not (sign or self.is_rounded or (closes_in and self.field.is_shown(at))):
            self.unsure.add(at)
        if closes_in:
            return sign
        value = self.field.value(at)  # counts numbers within rounding of an integer as that integer
        if value is None or value != value:  # noqa: PLR0124  # infinity less infinity, or times zero
            self.unknown.add(at)
            return None
        return 0 if close(value, level) else 1 if value > level else -1

    def meets(self, at: Number) -> bool:
        """Whether the formula lies in the set."""
        return any(self.past(at, part) and self.within(at, part) for part in self.target)

    def passes_at(self, at: float) -> bool:
        """Whether the formula lies in the set at a number, or passes a level of it between the numbers beside that."""
        low, high = self.grid.beside(at, -1), self.grid.beside(at, 1)
        levels = [part.lower for part in self.target if part.is_point]
        if self.meets(at) or not any(self.passes(low, high, level) for level in levels):
            return self.meets(at)
        return self.field.is_continuous(self.field.forward(Span(low, high)))

    def is_near(self, at: Number) -> bool:
        """Whether the formula is within rounding of an end of the set, where rounding takes part."""
        value = self.field.value(at)
        if value is None or (self.field.exactly(at) is not None and not self.is_rounded):
            return False
        return any(close(value, end) for part in self.target for end in (part.lower, part.upper))

    def past(self, at: Number, part: Interval) -> bool:
        """Whether the formula lies at or above the lower end of a part of the target."""
        sign = self.compare(at, part.lower)
        return sign is not None and (sign > 0 or (sign == 0 and part.lower_closed))

    def within(self, at: Number, part: Interval) -> bool:
        """Whether the formula lies at or below the upper end of a part of the target."""
        sign = self.compare(at, part.upper)
        return sign is not None and (sign < 0 or (sign == 0 and part.upper_closed))

    def bisected(
        self, low: Number, high: Number, level: Number, changes: Callable[[Number], bool]
    ) -> tuple[Number, Number]:
        """Return the neighbouring numbers between which a condition that fails at one end begins to hold.

        The root of the formula in plain numbers tells where to look; the condition alone decides.
        """
        guess = self._guesses.get(level, -_INF)
        if not low <= guess <= high:
            guess = self._guesses[level] = self._guess(low, high, level)
        if low < guess < high:
            low, high = self._galloped(low, high, guess, changes)
        return bisected(low, high, changes, self.grid.middle)

    def _galloped(
        self, low: Number, high: Number, guess: Number, changes: Callable[[Number], bool]
    ) -> tuple[Number, Number]:
        """Return numbers near a guess between which a condition begins to hold: one step away, or ever more steps."""
        way = -1 if changes(guess) else 1
        low, high = (low, guess) if way < 0 else (guess, high)
        for steps in STEPS:
            near = self.grid.beside(guess, way * steps)
            if not low < near < high:
                break
            low, high = (low, near) if changes(near) else (near, high)
            if (high if way > 0 else low) == near:
                break
        return low, high

    def _guess(self, low: Number, high: Number, level: Number) -> Number:
        """Return about where the formula passes a level: by regula falsi with the weights of the Illinois method."""
        left, right, replaced = self._distance(low, level), self._distance(high, level), 0
        for _ in range(MOST_GUESSED):
            middle: Number = self.grid.middle(low, high)
            if (self.grid.is_dense or self.grid.is_balanced(low, high)) and -_INF < left * right < 0:
                middle = self.grid.nearest(self.grid.part(low, high, left / (left - right)), low, high)
            if middle in (low, high):
                break
            here = self._distance(middle, level)
            if here == 0 or math.isnan(here):
                return middle
            if (here > 0) == (right > 0):  # an end that stays twice counts half
                high, right, left, replaced = middle, here, left / 2 if replaced > 0 else left, 1
            else:
                low, left, right, replaced = middle, here, right / 2 if replaced < 0 else right, -1
        return low

    def _distance(self, at: Number, level: Number) -> float:
        """Return how far the formula lies above a level: in sizes, as a power of the unknown is linear in these."""
        gap = self.field.gap(at, level)
        share = gap / float(level) if level and not exceeds_floats(level) else -1.0
        return math.copysign(math.log1p(share), gap) if -1 < share < _INF else gap

    def passes(self, low: Number, high: Number, level: Number) -> bool:
        """Whether the formula lies on different sides of a level at two numbers."""
        return (self.compare(low, level), self.compare(high, level)) in ((1, -1), (-1, 1))


def _sign(low: Any, high: Any, level: Number = 0) -> int | None:
    """Return the sign of all numbers between two less a level, compared exactly; None where they differ."""
    return 1 if low > level else -1 if high < level else 0 if low == high == level else None


def sharpened(values: RealSet, domain: Interval, meets: Callable[[Number], bool], opened: RealSet = ()) -> RealSet:
    """Return a set whose closed float ends are the last that meet a condition, open ones the first that do not.

    The set is as inversion in floats gives it; the ends of the domain stay, and those beside what is `opened`, where a
    search ended. `meets` takes as many digits as it needs.
    """
    if len(values) > MOST_PARTS:
        return values
    rooms = _with_room(values, domain, opened)
    return tuple(part if part.is_point else _sharpened(part, room, meets) for part, room in rooms)


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

    Those that are at most so many floats off stay.
    """
    if len(values) > MOST_ROOTS or len(points.target) != 1 or not points.target[0].is_point:
        return values
    return tuple(
        _root(part, room, points, most_steps) if part.is_point and isinstance(part.lower, float) else part
        for part, room in _with_room(values, domain)
    )


def _root(part: Interval, room: Interval, points: Points, most_steps: int) -> Interval:
    end, level = float(part.lower), points.target[0].lower
    off = most_steps * math.ulp(end)
    if points.passes(end - off, end + off, level) or (sign := points.compare(end, level)) in (0, None):
        return part
    passed = _passed(end, (-1, 1), room, lambda at: points.compare(at, level) == -sign, first=most_steps)
    if passed is None:
        return part
    gaps = ((points.field.value_by_digits(at, PRECISIONS[1], level), at) for at in (*passed, end))
    _, nearest = min((math.inf if gap is None else abs(gap), at) for gap, at in gaps)
    return Interval(nearest, nearest)


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
