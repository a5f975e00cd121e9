"""Between neighbouring numbers, where no box is split any more: a root, a jump, a step, or what stays open."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from flopsheet.numbers.arithmetic import short_ratio
from flopsheet.numbers.many_digits import PRECISIONS
from flopsheet.numbers.sets import Interval, complement, meet, meet_all, point, union
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span
from flopsheet.numbers.within import touches
from flopsheet.search.beyond import Beyond, exact_span
from flopsheet.search.grid import LEAST_FRACTION, REALS
from flopsheet.search.sharpened import crossing
from flopsheet.tolerances import SMALLEST_SIZE, TYPED, USUAL
from flopsheet.units import is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.derivatives import Derivatives
    from flopsheet.search.grid import Box
    from flopsheet.units import Number

BESIDE = Fraction(1, 2**20)  # of the way to a neighbour
BESIDE_PLATEAU = 2.0**-36  # rounding hides a plateau so far beside its end, as a share of that
BITS_BESIDE = 200  # a place is known when what lies this many bits beside it is


def just_beside(at: Number, way: int) -> Fraction:
    """Return a number so near to another one, above or below it, that what lies there is known of that place."""
    return Fraction(at) + way * (abs(Fraction(at)) / 2**BITS_BESIDE or Fraction(SMALLEST_SIZE))


class Gaps(Beyond):
    """Decides single numbers, and what lies between two neighbours."""

    def _decide_point(self, at: Number) -> None:
        if self.points.meets(at):
            unsure = self.is_thin and at in self.points.unsure
            if unsure and self.field.stepped:
                unsure = all(self._step(at, self.grid.beside(at, way)) is None for way in (-1, 1))
            (self.open if unsure else self.inside).append(Interval(at, at))
        elif at in self.points.unknown:
            self.open.append(Interval(at, at))
        elif not at and self.is_thin and self.points.is_near(at) and self._is_flat_at_zero():
            self.inside.append(Interval(at, at))

    def _is_flat_at_zero(self) -> bool:
        """Whether the formula has the value at zero, but for rounding, of the numbers next to it that are looked at."""
        least = SMALLEST_SIZE if self.grid is REALS else LEAST_FRACTION
        here, beside = self.field.value(0), (self.field.value(-least), self.field.value(least))
        return here is not None and any(own is not None and math.isclose(here, own, rel_tol=TYPED) for own in beside)

    def _parts(self, low: Number, high: Number) -> list[tuple[Number, Number]] | None:
        """Return the parts of a box: apart from the end of a plateau in it, else halves; None for neighbours."""
        end = self.points.plateau_end(low, high) if self.grid.is_dense and self.is_thin else None
        off = 0 if end is None else size(end) * BESIDE_PLATEAU
        ends = [low, end - off, end + off, high] if end is not None and low < end - off < end + off < high else []
        return [*pairwise(ends)] or self.grid.split(low, high)

    def _by_derivatives(self, boxes: list[Box], beyond: list[Interval]) -> list[Box]:
        """Return those of some boxes, and of what is open, that derivatives do not decide; so of numbers beside zero.

        Those beside zero that are decided are removed from what lies beyond all sizes.
        """
        smooth = [self.smooth(level) for level in self.levels] if self.smooth is not None and self.grid.is_dense else []
        known = [own for own in smooth if own is not None]
        if not known or None in smooth:
            return boxes
        small = [part for part in beyond if max(size(part.lower), size(part.upper)) <= USUAL[0]]
        boxes = [*boxes, *((part.lower, part.upper) for part in (*self.open, *small))]
        self.open.clear()
        usual = {box: None for box in boxes if max(map(size, box)) <= USUAL[1]}
        left = [box for box in boxes if box not in usual]
        for row in union(tuple(Interval(*box) for box in usual)):
            left += self._decided_by(known, row)
        beyond[:] = [
            part for part in beyond if part not in small or any(meet((part,), (Interval(*box),)) for box in left)
        ]
        return [box for box in left if not any(part in beyond and box[0] in part for part in small)]

    def _decided_by(self, smooth: list[Derivatives], row: Interval) -> list[Box]:
        """Decide a row of boxes by the zeros of a formula less each level; return what stays."""
        found = [own.zeros(row.lower, row.upper) for own in smooth]
        gaps, left = ([box for own in found for box in own[at]] for at in (0, 1))
        for low, high in dict.fromkeys(gaps):
            self._decide_point(low) if low == high else self._decide_gap(low, high)
        rest = complement(union(tuple(Interval(*box) for box in (*gaps, *left))))
        for part in () if self.is_thin else meet((row,), rest):
            if not all(own.has_no_pole(part) for own in smooth):
                self.open.append(part)
            elif self.points.meets(part.inside()):
                self.inside.append(part)
        return left

    def _apart(self, parts: RealSet, rounded: list[Interval]) -> Iterator[Interval]:
        """Yield parts with ends that are rounded to floats, but where two are rounded to the same one."""
        before, after = rounded[:1], rounded[1:]
        for part, following, following_rounded in zip(parts, parts[1:], after, strict=False):
            own = before.pop()
            is_one = not self.is_thin and len(union((own, following_rounded))) == 1
            if is_one and part.upper < following.lower:
                upper, upper_closed = self._end_between(part.upper, 1) or part.ends[1]
                lower, lower_closed = self._end_between(following.lower, -1) or following.ends[0]
                own = replace(own, upper=upper, upper_closed=upper_closed)
                following_rounded = replace(following_rounded, lower=lower, lower_closed=lower_closed)  # noqa: PLW2901
            yield own
            before.append(following_rounded)
        yield from before

    def _around(self, at: Number) -> Interval:
        """Return the numbers around one at which the formula lies in a set, and beside which it leaves it.

        That is the number alone where nothing tells that the formula leaves the set once before the next float: a sine
        turns round between two that are large.
        """
        ends = []
        for way in (-1, 1):
            beyond = math.nextafter(float(at), way * math.inf)
            is_known = self.field.stepped or self.way(*sorted((at, beyond))) is not None
            meets_beside = is_known and self.points.meets(just_beside(at, way))
            ends.append((self._end_between(at, way) if meets_beside else None) or (at, True))
        (lower, lower_closed), (upper, upper_closed) = ends
        return Interval(lower, upper, lower_closed, upper_closed)

    def _end_between(self, end: Number, way: int) -> tuple[Number, bool] | None:
        """Return where the formula passes an end of the set before the next float, and whether that is in it."""
        beyond, meets, compare = math.nextafter(float(end), way * math.inf), self.points.meets, self.points.compare
        places = (short_ratio(end), short_ratio(beyond), beyond)
        outside = next((at for at in places if at is not None and way * at > way * end and not meets(at)), None)
        if outside is None or not meets(end):
            return None
        start, stop = crossing(end, outside, lambda at: not meets(at))
        ratio = short_ratio(float(start))
        if ratio is not None and way * start <= way * ratio <= way * stop:  # the formula jumps there
            return ratio, meets(ratio)
        ends = (own for part in self.target for own in part.ends)
        passed = (included for level, included in ends if compare(start, level) != compare(stop, level))
        return tidy(start), next(passed, True)

    def _step(self, at: Number, other: Number) -> Span | None:
        """Return the one value that the formula has beside a number, on the side of a neighbour, or None."""
        near = Fraction(at) + (Fraction(other) - Fraction(at)) * BESIDE
        value, is_one = self._between_neighbours(at, near) if self.field.stepped else (None, False)
        return value if is_one else None

    def _is_one_step(self, low: Number, high: Number) -> bool:
        """Whether the formula is in a step beside each of two neighbours, with no value of the set between both."""
        steps = [step for step in (self._step(low, high), self._step(high, low)) if step is not None]
        if len(steps) < 2:
            return False
        first, last = min(step.high for step in steps), max(step.low for step in steps)
        return not any(part.lower < last and first < part.upper for part in self.target)

    def _decide_gap(self, low: Number, high: Number) -> None:
        """Decide what lies between two neighbouring numbers: a root, a jump, a hole, or what stays open."""
        ratios = [ratio for at in (low, high) if self.grid.is_dense and (ratio := short_ratio(at)) is not None]
        for at in (low, high, *ratios):
            self._decide_point(at)
        if not self.grid.is_dense:
            return
        cuts = [low, *sorted({ratio for ratio in ratios if low < ratio < high}), high]
        is_cut = not self.field.stepped and any(self._is_apart(low, ratio, high) for ratio in cuts[1:-1])
        for ends in pairwise(cuts) if is_cut else [cuts]:
            self._decide_between([*ends])

    def _is_apart(self, low: Number, ratio: Number, high: Number) -> bool:
        """Whether the formula has no value at a ratio, or lies on another side of an end of the set than beside it."""
        signs = [[self.points.compare(at, level) for level in self.levels] for at in (low, ratio, high)]
        return None in signs[1] or any(own and left == right == -own for left, own, right in zip(*signs, strict=True))

    def _is_outside_around(self, cuts: list[Number]) -> bool:
        """Whether the formula lies outside of the set on either side of short ratios at which it may jump."""
        values = [self._between_neighbours(*ends)[0] for ends in pairwise(cuts)]
        return not any(value is not None and touches(value, self.target) for value in values)

    def _decide_between(self, cuts: list[Number]) -> None:
        """Decide the numbers between two that have no float between them, with ratios there at which it may jump."""
        low, *_, high = cuts
        value, _ = self._between_neighbours(low, high)
        beside = Interval(low, high, lower_closed=False, upper_closed=False)
        sides = [] if value is None else [touches(value, side) for side in (self.target, self.others)]
        if 0 in (low, high) and sides and not all(sides):  # endlessly many sizes lie beside zero
            self.open += [] if self.decides_beyond(beside) else [beside]
            return
        if value is None or not sides[0] or self._is_outside_around(cuts):
            self._pass_beside(low, high)
            return
        if self._is_one_step(low, high):  # it has the value that it has at one of these
            holes = (complement(point(at)) for at in cuts[1:-1] if not self.points.meets(at))
            if self._meets_nearly(low) and self._meets_nearly(high):
                self.inside += meet_all(((Interval(low, high),), *holes))
            return
        if not touches(value, self.others):
            is_bounded = is_finite(value.low) and is_finite(value.high)
            at_pole = is_bounded or any(self.field.value_by_digits(at) is None for at in (low, high))
            self.inside += [beside] if at_pole else []  # else it has no value at some number between
            return
        spans = self.undecided(low, high)
        if spans is not None and self.kept(low, high, spans) is not None:
            self._decide_beside(beside, spans)

    def _pass_beside(self, low: Number, high: Number) -> None:
        """Add the root that is too near to one of two neighbours for bounds between them, unless the formula jumps."""
        if not self.is_thin or not any(self.points.passes(low, high, level) for level in self.levels):
            return
        spans = self.field.forward(exact_span(Interval(low, high)))
        if self.field.may_jump(spans):
            return
        if spans[self.field.program.result].total:
            self._add_root(low, high)
        else:
            self.open.append(Interval(low, high))

    def _decide_beside(self, gap: Interval, spans: list[Span]) -> None:
        """Decide the numbers between two neighbours that bounds leave."""
        low, high = gap.lower, gap.upper
        met = self.points.meets(low), self.points.meets(high)
        if all(met) and not self._decides_exactly(gap) and (not self.is_thin or self._rises_or_falls(gap)):
            stays = self.is_thin or not touches(self._moved(low, high, spans), self.others)
            (self.inside if stays else self.open).append(gap)
        if any(met):  # where only one is, the set ends between them
            return
        is_passed = any(self.points.passes(low, high, part.lower) for part in self.target if part.is_point)
        if is_passed and self.field.is_continuous(spans):
            self._passed(low, high)
        elif not (self.is_thin and not is_passed and self._rises_or_falls(gap)) and touches(
            self._moved(low, high, spans), self.target
        ):
            self.open.append(Interval(low, high))

    def _between_neighbours(self, low: Number, high: Number) -> tuple[Span | None, bool]:
        """Return bounds of the formula between two neighbours, at which it may jump, and whether it has one value.

        The bounds are None where it has no value.
        """
        left, right = sorted((Fraction(low), Fraction(high)))
        beside = (right - left) / 2**BITS_BESIDE
        try:
            return self.field.to_bits(left + beside, right - beside, PRECISIONS[1])
        except NoValueError:
            return None, False
        except (ArithmeticError, ValueError):
            return ANYTHING, False

    def _passed(self, low: Number, high: Number) -> None:
        """Add the root between two neighbours that lie on different sides of the target, unless the formula jumps."""
        if not self.grid.is_dense:
            return
        spans = self.undecided(low, high)
        if spans is None:
            return
        if self.field.is_continuous(spans):
            self._add_root(low, high)
        else:
            self._decide_gap(low, high)

    def _add_root(self, low: Number, high: Number) -> None:
        """Add the root between two neighbours that lie on different sides of the target."""
        nearest = float(min((low, high), key=self._off))
        other = self._rounded.setdefault(nearest, (low, high))
        if other == (low, high):
            self.inside.append(Interval(nearest, nearest))
        else:  # two roots have one nearest float
            self.inside = [part for part in self.inside if part != Interval(nearest, nearest)]
            self.inside += [part for ends in (other, (low, high)) for part in self._roots_between(*ends)]

    def _off(self, at: Number) -> float:
        """Return how far the formula is from the nearest level, by digits where floats do not hold its parts."""
        gaps = [(abs(self.field.gap(at, level)), level) for level in self.levels]
        by_digits = (self.field.value_by_digits(at, level=level) for gap, level in gaps if not math.isfinite(gap))
        held = [gap for gap, _ in gaps if math.isfinite(gap)]
        return min([*held, *(abs(gap) for gap in by_digits if gap is not None)], default=math.inf)

    def _roots_between(self, low: Number, high: Number) -> Iterator[Interval]:
        """Yield where the formula passes a level between two numbers, as ratios."""
        compare = self.points.compare
        for level in (part.lower for part in self.target if self.points.passes(low, high, part.lower)):
            sign = compare(low, level)
            at, _ = crossing(low, high, partial(self._differs, level, sign))
            yield Interval(tidy(at), tidy(at))

    def _look_for(self, level: Number, low: Number, high: Number, parts: int) -> None:
        """Add the roots between places in a box at which the formula lies on different sides of a level."""
        places = [low, *(self.grid.part(low, high, Fraction(step, parts)) for step in range(1, parts)), high]
        gaps = [self.field.gap(at, level) for at in places]
        for ends, (left, right) in zip(pairwise(places), pairwise(gaps), strict=True):
            if left * right < 0 and self.points.passes(*ends, level):
                sign = self.points.compare(ends[0], level)
                self._decide_gap(*self.points.bisected(*ends, level, partial(self._differs, level, sign)))

    def _differs(self, level: Number, sign: int | None, at: Number) -> bool:
        return self.points.compare(at, level) != sign
