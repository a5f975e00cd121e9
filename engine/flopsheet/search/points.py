"""On which side of a set a formula lies at one number.

It is told in floats, exactly, or with as many digits as it takes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flopsheet.numbers.arithmetic import bisected, short_ratio
from flopsheet.numbers.many_digits import PRECISIONS, SETTLED_BITS, is_rounded, sign_of, span_at
from flopsheet.numbers.spans import NoValueError, Span, in_floats, is_exact
from flopsheet.search.facts import MOST_BOXES
from flopsheet.tolerances import TYPED, USUAL
from flopsheet.units import close, exceeds_floats, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.numbers.sets import Interval, RealSet
    from flopsheet.search.field import Field
    from flopsheet.units import Number

_INF = math.inf
MOST_GUESSED = 100  # steps to where a formula passes a level
STEPS = (1, 2, 8, 64, 4096)  # floats from a guess, which rounding puts a few beside the root
NEAR_GUESS = 2  # of its last digits
SECANT = 2.0**-20  # how far beside a guess its slope is taken, as a share of it
FLOAT_BITS = 52  # of a number, behind the first: it is so far from the next float, at least
WIDER = 4  # than the bounds of a formula at a number is what rounding in another order may make of it
FASTER = 64  # the next window around a number is so many times as wide
CLOSING_IN = 100  # more digits make bounds at least so many bits narrower, unless the formula jumps


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
        ends = (end for part in target for end, _ in part.ends)
        self.is_rounded = field.is_rounded or any(is_rounded(end) for end in ends if is_finite(end))
        self._signs: dict[tuple[Number, Number], int | None] = {}
        self._guesses: dict[Number, Number] = {}
        self._ended: set[Number] = set()  # the values of plateaus whose ends were looked for

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
        key, known = (at, box.exact), self.field.facts.at
        if key in known:
            self.field.evaluations += len(self.field.varying)  # so that a search does as much as a first one
        else:
            if len(known) >= MOST_BOXES:
                known.clear()
            known[key] = self.field.forward(in_floats(box) if box.exact else box)[self.field.program.result]
        return known[key]

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
        if not (self._about(at, Span(at, at, exact=is_exact(at))).total or self.field.has_value(at)):
            self.unknown.add(at)
            return None
        is_float, widths = isinstance(at, float) and bool(at) and short_ratio(at) is None, []
        for bits in (*PRECISIONS, SETTLED_BITS):
            value = self.field.precise(at, at, bits, level)
            if (sign := sign_of(value)) is not None:
                return sign
            widths.append(value.delta)
            closes_in = widths[-1] * 2**CLOSING_IN < widths[0]
            if closes_in and is_float and bits == PRECISIONS[-1] and USUAL[0] < size(at) < USUAL[1]:
                break  # a root is no such number, so more digits tell no more
        sign = self.field.sign(span_at(Fraction(at)), level) if closes_in else None
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
        room = self._rounding_at(at, value)
        ends = (end for part in self.target for end in (part.lower, part.upper))
        return any(close(value, end) and size(value - end) <= room for end in ends)

    def _rounding_at(self, at: Number, value: Number) -> Number:
        """Return by how much rounding may move the formula at a number: more where terms cancel."""
        try:
            here = self._about(at, Span(at, at, exact=is_exact(at)))
        except NoValueError:  # of the bounds, though plain evaluation counts what is within rounding of a value
            return TYPED * size(value)
        width = here.high - here.low
        return max(WIDER * width if is_finite(width) else 0, TYPED * size(value))

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
            guess = self._guesses[level] = self._corrected(self._guess(low, high, level), low, high, level)
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

    def _corrected(self, guess: Number, low: Number, high: Number, level: Number) -> Number:
        """Return a guess after one step of Newton's method with more digits, as floats lose some where terms cancel."""
        if not self.grid.is_dense or not low < guess < high:
            return guess
        off = abs(float(guess)) * SECANT
        rise = self.field.gap(guess + off, level) - self.field.gap(guess - off, level)
        gap = self.field.value_by_digits(guess, level=level) if rise and math.isfinite(rise) else None
        step = math.inf if gap is None else gap / rise * 2 * off
        is_jump = not abs(step) <= STEPS[-1] * math.ulp(guess)
        return guess if is_jump else self.grid.nearest(guess - step, low, high)

    def _distance(self, at: Number, level: Number) -> float:
        """Return how far the formula lies above a level: in sizes, as a power of the unknown is linear in these."""
        gap = self.field.gap(at, level)
        share = gap / float(level) if level and not exceeds_floats(level) else -1.0
        return math.copysign(math.log1p(share), gap) if -1 < share < _INF else gap

    def plateau_end(self, low: Number, high: Number) -> Number | None:
        """Return about where the formula in plain numbers leaves the value that it has at an end of a box and inside.

        Asked again for the same value, return None: a formula may leave one value many times.
        """
        middle, value = self.grid.middle(low, high), self.field.value
        first, here, last = map(value, (low, middle, high))
        if here is None or here in self._ended or (here == first) == (here == last):
            return None
        self._ended.add(here)
        self.field.evaluations += MOST_GUESSED // 4 * len(self.field.varying)
        is_first = here == first
        start, stop = (middle, high) if is_first else (low, middle)
        return bisected(start, stop, lambda at: (value(at) == here) != is_first, self.grid.middle)[0]

    def passes(self, low: Number, high: Number, level: Number) -> bool:
        """Whether the formula lies on different sides of a level at two numbers."""
        return (self.compare(low, level), self.compare(high, level)) in ((1, -1), (-1, 1))

    def beyond(self, level: Number, at: Number) -> Callable[[Number], bool]:
        """Return whether the formula is at a level, or on the side of it on which it is at a number, as a function."""
        sides = (0, self.compare(at, level))
        return lambda number: self.compare(number, level) in sides

    def neighbours_within(self, low: Number, high: Number) -> tuple[Any, ...]:
        """Return the numbers of the grid between which the only level of the set is passed, between two others."""
        if len(self.target) != 1 or not self.passes(low, high, level := self.target[0].lower):
            return ()
        return bisected(low, high, self.beyond(level, high), self.grid.middle)

    def neighbours(self, at: Number, reach: Number) -> tuple[Any, ...]:
        """Return the same around a number, so far from it at most."""
        room, passed = abs(round(at)) >> FLOAT_BITS or 1, ()
        while room <= reach and not passed:
            passed = self.neighbours_within(math.floor(at) - room, math.ceil(at) + room)
            room *= FASTER
        return passed


def _sign(low: Any, high: Any, level: Number = 0) -> int | None:
    """Return the sign of all numbers between two less a level, compared exactly; None where they differ."""
    return 1 if low > level else -1 if high < level else 0 if low == high == level else None
