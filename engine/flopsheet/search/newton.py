"""Roots of several equations by interval Newton: contracted, proven to be there and to be the only one, and refined.

The operator of Hansen and Sengupta (1981) with a preconditioner: where it maps a box into its interior, the box holds
one root and no other (A. Neumaier, Interval Methods for Systems of Equations, 1990, 5.1). Where all numbers have one
sign it works on logarithms, in which products and powers of any size are linear.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from flopsheet.functions.algebra import quotient
from flopsheet.numbers.linear import centres, preconditioner, weighted
from flopsheet.numbers.many_digits import ends_of
from flopsheet.numbers.span_logarithms import exponentials_of, logarithms_of
from flopsheet.numbers.spans import NoValueError, Span, around, divided
from flopsheet.search.enclosure import Growths
from flopsheet.search.grid import REALS
from flopsheet.search.joint import middle_of, span_of
from flopsheet.tolerances import INFLATED
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.search.joint import Box, Joint
    from flopsheet.units import Number

Root: TypeAlias = "tuple[Fraction, ...]"
Rows: TypeAlias = "list[list[Span]]"

BITS, REFINEMENTS, MOST_NARROWED = 200, 20, 60
SHRUNK = 0.9  # a box is narrowed again while a side becomes smaller than this share of itself
SETTLED = Fraction(1, 10**45)  # a step of Newton's method this small beside the numbers is the last
ROUNDED = 2**20  # so many times the width that rounding gives them, both sides of an equation may differ
WIDE = math.log(1.5)  # a box of a side that spans more sizes is seen in logarithms
_INF = math.inf


class Narrowed(NamedTuple):
    """What Newton's method leaves of a box.

    Args:
        box: what is left.
        proves: `single` where the box holds exactly one root, `regular` where it holds at most one, else nothing.
        shares: by how much each side of the box makes the equations vary; empty where that is not known.
    """

    box: Box
    proves: str = ""
    shares: Sequence[float] = ()


class _System(NamedTuple):
    """Linear equations of the moves from the middle of a box to a root: gaps and slopes times moves are zero."""

    slopes: Rows
    gaps: list[Span]
    moves: list[Span]
    middles: list[Span]  # of the sides


class Newton:
    """Newton's method on boxes of the unknowns of equations."""

    def __init__(self, joint: Joint) -> None:
        self.joint = joint

    def narrowed(self, box: Box) -> Narrowed | None:
        """Return a box contracted, and what that proves; None where it holds no root."""
        free = [at for at, (low, high) in enumerate(box) if low < high]
        if not free or len(free) > len(self.joint.equations):
            return Narrowed(box)
        try:
            spans = self.joint.over([span_of(low, high) for low, high in box])
            signed = all(box[at][0] > 0 or box[at][1] < 0 for at in free)
            in_sizes = signed and any(REALS.size(*map(float, box[at])) > WIDE for at in free)
            system = self._in_sizes(box, free, spans) if in_sizes else self._straight(box, free, spans)
            if system is None:
                return Narrowed(box)
            self.joint.evaluations += len(system.slopes) * len(free) ** 2
            shares, moved = _shares(system, free, len(box)), _solved(system)
        except NoValueError:
            return Narrowed(box)
        except _EmptyError:
            return None
        if moved is None:
            return Narrowed(box, shares=shares)
        narrowed = [*box]
        for at, centre, move in zip(free, system.middles, moved[0], strict=True):
            side = centre * exponentials_of(move) if in_sizes else move + centre
            narrowed[at] = max(box[at][0], side.low), min(box[at][1], side.high)
        return Narrowed(tuple(narrowed), moved[1], shares) if all(low <= high for low, high in narrowed) else None

    def _straight(self, box: Box, free: list[int], spans: list[Span]) -> _System | None:
        """Return the change of each equation's gap from the middle of a box; None where it is not bounded."""
        joint, middle = self.joint, middle_of(box)
        slopes = joint.slopes(spans, free)
        if slopes is None or not all(spans[side].total for pair in joint.equations for side in pair):
            return None
        here = joint.over([Span(at, at) for at in middle])
        gaps = [left - right for left, right in joint.sides_in(here)]
        middles = [Span(middle[at], middle[at]) for at in free]
        moves = [span_of(*box[at]) - centre for at, centre in zip(free, middles, strict=True)]
        return _System(slopes, gaps, moves, middles)

    def _in_sizes(self, box: Box, free: list[int], spans: list[Span]) -> _System | None:
        """Return the relative change of the sides of each equation over a box of one sign; None where one has none."""
        joint = self.joint
        sizes = [math.sqrt(abs(float(low))) * math.sqrt(abs(float(high))) for low, high in box]
        signed = [math.copysign(size, low) for size, (low, _) in zip(sizes, box, strict=True)]
        middle = [at if low < at < high else float(low) for at, (low, high) in zip(signed, box, strict=True)]
        here = joint.over([Span(at, at) for at in middle])
        middles = [Span(middle[at], middle[at]) for at in free]
        moves = [logarithms_of(divided(span_of(*box[at]), centre)) for at, centre in zip(free, middles, strict=True)]
        places = [joint.places[at] for at in free]
        growths = Growths(joint, spans, here, dict(zip(places, moves, strict=True)))
        slopes, gaps = [], [logarithms_of(divided(left, right)) for left, right in joint.sides_in(here)]
        for left, right in joint.equations:
            quotients = divided(growths.spans[left], growths.spans[right])
            if not (quotients.low > 0 and quotients.total):
                return None
            slopes.append([growths.of(left, place) - growths.of(right, place) for place in places])
        is_bounded = all(is_finite(rate.low) and is_finite(rate.high) for row in slopes for rate in row)
        return _System(slopes, gaps, moves, middles) if is_bounded else None

    def proven(self, box: Box) -> Box | None:
        """Return a box around a given one that is proven to hold exactly one root; None where that is not proven.

        It is wider, because a root may lie at the edge of the given one.
        """
        wider = tuple((low, high) if low == high else _inflated(low, high) for low, high in box)
        for attempt in (wider, box):
            narrowed = self.narrowed(attempt)
            if narrowed is not None and narrowed.proves == "single":
                return attempt
        return None

    def refined(self, box: Box) -> Root | None:
        """Return the root in a box that holds one, to about 50 digits, by Newton's method; None where it strays."""
        scales = [Fraction(max(size(low), size(high))) for low, high in box]  # a root may be zero
        for _ in range(MOST_NARROWED):
            narrowed = self.narrowed(box)
            if narrowed is None:
                return None
            sides = zip(narrowed.box, box, strict=True)
            shrunk = any(high - low < SHRUNK * (before[1] - before[0]) for (low, high), before in sides)
            box = narrowed.box
            if not shrunk:
                break
        at = tuple(Fraction(low) + (Fraction(high) - Fraction(low)) / 2 for low, high in box)
        free = [place for place, (low, high) in enumerate(box) if low < high]
        try:
            for _ in range(REFINEMENTS):
                moved = self._stepped(at, free)
                steps = [abs(new - old) for new, old in zip(moved, at, strict=True)]
                if all(step <= SETTLED * scale for step, scale in zip(steps, scales, strict=True)):
                    return self._with_zeros(moved, SETTLED * max(scales))
                at = moved
        except (ArithmeticError, ValueError):
            return None
        return None

    def _with_zeros(self, root: Root, least: Fraction) -> Root:
        """Return a root with zeros for what is nearly zero, if the equations hold there."""
        zeros = tuple(at if abs(at) > least else Fraction(0) for at in root)
        values = self.joint.precisely([(value, value) for value in zeros], BITS)
        for left, right in self.joint.equations:
            low, high = ends_of(values[left] - values[right])
            largest = max(abs(_middle(values[left])), abs(_middle(values[right])))
            if size(low) > max(ROUNDED * (high - low), 4 * SETTLED * largest):  # by more than rounding and a last step
                return root
        return zeros

    def _stepped(self, at: Root, free: list[int]) -> Root:
        """Return a point moved by a step of Newton's method on many digits; raise ArithmeticError where it has none."""
        joint = self.joint
        slopes = joint.slopes(joint.over([around(value, value) for value in at]), free)
        made = preconditioner(centres(slopes)) if slopes else None
        if made is None:
            raise ZeroDivisionError
        rows, inverse = made
        values = joint.precisely([(value, value) for value in at], BITS)
        gaps = [_middle(values[left] - values[right]) for left, right in joint.equations]
        moved = list(at)
        for place, weights in zip(free, inverse, strict=True):
            step = sum(Fraction(weight) * gaps[row] for weight, row in zip(weights, rows, strict=True))
            moved[place] = _rounded(at[place] - step)
        return tuple(moved)


class _EmptyError(Exception):
    """A box holds no root."""


def _solved(system: _System) -> tuple[list[Span], str] | None:
    """Return the moves to a root, and what that proves; None without an inverse. Raise _EmptyError for no root."""
    slopes, gaps, moves, _ = system
    made = preconditioner(centres(slopes))
    if made is None:
        return None
    rows, inverse = made
    inside = regular = True
    moves, count = moves[:], len(moves)
    for row, weights in enumerate(inverse):
        total = weighted(weights, [gaps[at] for at in rows])
        own = weighted(weights, [slopes[at][row] for at in rows])
        for column in range(count):
            if column != row:
                total = total + weighted(weights, [slopes[at][column] for at in rows]) * moves[column]
        before = moves[row]
        steps = quotient(-total, own, before)
        after = None if steps is None else before.meet(steps)
        if steps is None or after is None:
            raise _EmptyError
        regular &= not own.low <= 0 <= own.high
        inside &= before.low < steps.low and steps.high < before.high
        moves[row] = after
    return moves, "" if not regular else "single" if inside else "regular"


def _shares(system: _System, free: list[int], count: int) -> list[float]:
    """Return by how much each side of a box makes equations vary: of each, by which share of all sides together.

    To split the side of the largest sum is `smearsumrel` of G. Trombettoni et al., Inner regions and interval
    linearizations for global optimization, AAAI 2011.
    """
    sums = [0.0] * count
    widths = [move.high - move.low for move in system.moves]
    for row in system.slopes:
        steepest = (max(size(rate.low), size(rate.high)) for rate in row)
        parts = [float(most * width) for most, width in zip(steepest, widths, strict=True)]
        total = sum(parts)
        for at, part in zip(free, parts, strict=True):
            sums[at] += part / total if 0 < total < _INF else 0.0
    return sums


def _inflated(low: Number, high: Number) -> tuple[float, float]:
    """Return a side wider by a share of its width, which keeps its sign."""
    margin = INFLATED * (float(high) - float(low))
    least, most = math.nextafter(float(low) - margin, -_INF), math.nextafter(float(high) + margin, _INF)
    return (float(low) / 2 if least <= 0 < low else least), (float(high) / 2 if most >= 0 > high else most)


def _middle(interval: Any) -> Fraction:
    low, high = ends_of(interval)
    return (Fraction(low) + Fraction(high)) / 2


def _rounded(number: Fraction) -> Fraction:
    """Return a ratio with at most `BITS` binary digits."""
    shift = BITS - (abs(number.numerator).bit_length() - number.denominator.bit_length())
    return Fraction(round(number * Fraction(2) ** shift)) / Fraction(2) ** shift
