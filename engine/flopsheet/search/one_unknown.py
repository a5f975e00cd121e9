"""Branch and prune over one unknown: where a formula lies in a set, proven, and where that stays open.

A box is inside the set (the relation holds everywhere in it), outside (nowhere), or open. Bounds, contraction and
interval Newton decide wide boxes; where the rate of change has one sign, each end of the set is met once, and bisection
finds where. The rest is split. Points that floats cannot decide are evaluated with more digits. Nothing is left out:
what the budget does not decide is returned as open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING

from flopsheet import budget
from flopsheet.budget import is_over, is_spent, work
from flopsheet.numbers.arithmetic import short_ratio
from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import Interval, RealSet, complement, is_in, meet, meet_all, union
from flopsheet.numbers.within import touches
from flopsheet.search.gaps import Gaps, just_beside
from flopsheet.search.grid import REALS, Queue
from flopsheet.tolerances import SMALLEST_SIZE, USUAL
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from flopsheet.numbers.spans import Span
    from flopsheet.search.derivatives import Smooth
    from flopsheet.search.field import Field
    from flopsheet.search.grid import Reals, Wholes
    from flopsheet.units import Number

LEAST_WORK, MOST_BOXES = 120_000, 2_000  # operations on intervals, and more for each operation of the formula
MOST_WORK = 300_000  # operations on intervals: a second or two
EARLY, EARLY_TIME, LATE_TIME = 1 / 8, 1 / 2, 0.95  # shares of the work and the time after which roots are looked for
WALKED, SPLIT = 2, 8  # operations for each one of the formula that a box with and without known parts counts for
LOOKED = 8  # which takes one part in so many of the work
SIMPLE = 1024  # largest denominator of a number at which a formula may touch an end of a range
SAMPLES = 8  # parts of a box that stays open
MOST_INSIDE = 5_000  # ranges that are found: to join more takes longer than to find them
FEW = 64  # whole numbers, which are tried one by one
MOST_ROWS = 8  # of boxes that are decided at once
_INF = math.inf


@dataclass(frozen=True)
class Cover:
    """What a search has proven."""

    values: RealSet  # where the formula lies in the set
    open: RealSet = ()  # where it may


class Search(Gaps):
    """Looks for the boxes of one unknown in which a formula lies in a set.

    `most` is how many operations on intervals may be done: more for longer formulas by default.
    """

    def __init__(
        self,
        field: Field,
        target: RealSet,
        grid: Reals | Wholes = REALS,
        most: int = 0,
        smooth: Smooth | None = None,
    ) -> None:
        super().__init__(field, target, grid, smooth)
        self.most = most or min(LEAST_WORK + MOST_BOXES * field.program.size, MOST_WORK)

    def over(self, domain: Interval, known: RealSet = ()) -> Cover:
        """Return where in a domain the formula lies in the set, beside what is known to.

        What earlier searches have proven helps, but what stays open is what a search without it leaves.
        """
        had, cover = bool(self.field.facts), self._over(domain, known)
        if not cover.open:
            return cover
        self.field.facts.clear()
        if had and not is_over():
            again = Search(self.field, self.target, self.grid, self.most, self.smooth)
            cover = again._over(domain, known)
            self.field.facts.clear()
        return cover

    def _over(self, domain: Interval, known: RealSet) -> Cover:
        rest = complement(known)
        waiting, beyond = self.grid.queue(domain), [part for part in self.grid.beyond(domain) if meet((part,), rest)]
        start = self.field.evaluations
        for share, time in ((EARLY, EARLY_TIME), (1, LATE_TIME)):
            with budget.part(time):
                while waiting and self.field.evaluations < start + share * work(self.most) and not is_spent():
                    if len(self.inside) > MOST_INSIDE:
                        break
                    box = waiting.pop()
                    if (known and not meet((Interval(*box),), rest)) or self._ends_beyond(box, beyond):
                        continue
                    for part in self._decided(*box):
                        waiting.push(part)
            if share == EARLY and (waiting or self.open or beyond):
                waiting = Queue(self._by_derivatives(waiting.rest(), beyond))
            left = self._left(waiting.rest())
            if not left:
                break
            self._look_in(waiting.rest())
        self.open += left
        self.open += [part for part in beyond if not (self.decides_beyond(part) or self._decides_exactly(part))]
        for end, closed in domain.ends:
            if closed and is_finite(end) and self.grid.is_dense:
                self._decide_point(end)
        parts, last = union(tuple(self.inside)), self.field.evaluations + work(self.most)
        exact = [self._exactly(part) if self.field.evaluations < last else part for part in parts]
        values = meet(union(tuple(self._apart(parts, exact))), (domain,))
        values = tuple(part for part in values if not self._is_rounded_up(part)) if self.field.stepped else values
        opened = meet_all((union(tuple(self.open)), complement(values), rest, (domain,)))
        return Cover(self.grid.joined(values), self.grid.joined(opened))

    def _is_rounded_up(self, part: Interval) -> bool:
        """Whether numbers count only as floats round them to the whole number beside: they have another value."""
        if part.is_point or not self.is_thin or not self.grid.is_dense or not close(part.lower, part.upper):
            return False
        value = self.field.value_by_digits(part.inside())
        return value is not None and not any(close(value, level) for level in self.levels)

    def _left(self, boxes: list[tuple[Number, Number]]) -> list[Interval]:
        """Return those of some boxes that bounds leave; exact ones decide all in a row where a factor is zero."""
        rest = [Interval(*box) for box in boxes if self._is_left(box)]
        rows = self.grid.joined(union(tuple(rest)))
        exact = [row for row in rows[:MOST_ROWS] if not is_over() and self._decides_exactly(row)]
        return [box for box in rest if not any(row.meet(box) == box for row in exact)] if exact else rest

    def _is_left(self, box: tuple[Number, Number]) -> bool:
        """Whether bounds do not decide a box."""
        fact = self.field.facts.of(box, is_dense=self.grid.is_dense)
        if fact is None:
            return self.undecided(*box) is not None
        return not self._decide(fact.value, Interval(*box), self.sets)

    def _ends_beyond(self, box: tuple[Number, Number], beyond: list[Interval]) -> bool:
        """Whether a box of unusual sizes is decided together with the numbers beyond it, which then wait no more."""
        if not self.grid.is_dense or (min(map(size, box)) != USUAL[1] and max(map(size, box)) != USUAL[0]):
            return False
        for part in beyond:
            joined = union((part, Interval(*box)))
            if len(joined) == 1 and self._decides(joined[0]):
                beyond.remove(part)
                return True
        return False

    def _decided(self, low: Number, high: Number) -> list[tuple[Number, Number]]:
        """Decide a box, or return the parts that it is split into."""
        if low == high:
            self._decide_point(low)
            return []
        box, facts, is_dense = (low, high), self.field.facts, self.grid.is_dense
        known = self._known(box)
        if known is not None:
            return known
        left = self.pruned(low, high)
        if left is None:
            return []
        low, high, spans, trend = left
        is_beside_zero = self.grid.is_dense and not low * high and high - low <= SMALLEST_SIZE
        if low == high:
            self._decide_point(low)
        elif spans[self.field.program.result].total and self.is_monotone(trend):
            self._between(low, high, spans[self.field.program.result], rising=bool(trend.rising))
        elif is_beside_zero and self.decides_beyond(Interval(low, high, bool(low), bool(high))):
            self._decide_point(0)  # the rest of it is beyond all sizes that are searched
        elif not is_dense and high - low < FEW and self._decide_each(int(low), int(high)):
            pass
        elif parts := self._parts(low, high):
            facts.split(box, parts, is_dense=is_dense)
            return list(parts)
        else:
            self._decide_gap(low, high)
        return []

    def _known(self, box: tuple[Number, Number]) -> list[tuple[Number, Number]] | None:
        """Decide a box by what earlier searches have proven, or return its parts; None where that does not tell."""
        fact = self.field.facts.of(box, is_dense=self.grid.is_dense)
        if fact is None or self._decide(fact.value, Interval(*box), self.sets):
            return None if fact is None else []
        if fact.rising is None:  # what an earlier search contracted to decide it does not hold for another level
            self.field.evaluations += (WALKED if fact.parts else SPLIT) * len(self.field.varying)  # so that few wait
            fact.parts = fact.parts or self.grid.split(*box) or ()
            return [*fact.parts] or None
        self._between(*box, fact.value, rising=fact.rising)
        return []

    def _exactly(self, values: Interval) -> Interval:
        """Return an interval whose ends are short ratios, as decimals are, where the set ends within a digit of one."""
        if not self.grid.is_dense:
            return values
        if values.is_point and not self.is_thin:
            return self._around(values.lower)
        if values.is_point:
            at, ratio = values.lower, short_ratio(values.lower)
            if ratio is None or not self.points.meets(ratio) or self._passes_apart(at, ratio):
                return values
            is_other = self.points.meets(at) and ratio != at and at not in self.points.unsure
            return values if is_other else Interval(ratio, ratio)
        lower, lower_closed = self._exact_end(values, *values.ends[0], -1)
        upper, upper_closed = self._exact_end(values, *values.ends[1], 1)
        return Interval(lower, upper, lower_closed, upper_closed)

    def _passes_apart(self, at: Number, ratio: Number) -> bool:
        """Whether a level is passed around a float, between neighbours that a ratio beside it is not between."""
        low, high = self.grid.beside(at, -1), self.grid.beside(at, 1)
        return not low <= ratio <= high and any(self.points.passes(low, high, level) for level in self.levels)

    def _exact_end(self, part: Interval, end: Number, closed: bool, way: int) -> tuple[Number, bool]:
        """Return an end of a part as a short ratio where it ends at one, else as the float nearest to where it ends.

        Sets that end at one place, on either side of it, so end at one number.
        """
        if not isinstance(end, float) or math.isinf(end):
            return end, closed
        ratio = short_ratio(end)
        if ratio is not None and way * ratio > way * (part.lower if way > 0 else part.upper):
            is_met, meets = self.points.meets(ratio), self.points.meets
            if meets(just_beside(ratio, -way)) and not (is_met and meets(just_beside(ratio, way))):
                return ratio, is_met
        beyond, compare = math.nextafter(end, way * _INF), self.points.compare
        for level, included in (own for parts in self.target for own in parts.ends) if closed else ():
            sides = compare(end, level), compare(beyond, level)
            if None not in sides and sides[0] != sides[1]:
                return min((end, beyond), key=lambda at: (abs(self.field.gap(at, level)), at)), included
        return end, closed

    def _decide_each(self, first: int, last: int) -> bool:
        """Decide whole numbers one by one, where the formula has exact values; return whether it has."""
        before, numbers = self.field.evaluations, range(first, last + 1)
        met: list[Interval] = []
        for at in numbers:
            if (value := self.field.exactly(at)) is None:
                return False
            met += [Interval(at, at)] * is_in(value, self.target)
        self.inside += whole_runs(met)
        self.field.evaluations = before + len(numbers) * len(self.field.varying) // 2  # of ratios, not intervals
        return True

    # --- where the formula rises or falls throughout ---

    def _between(self, low: Number, high: Number, value: Span, *, rising: bool) -> None:
        """Find where the formula lies in the target."""
        for part in self.target:
            if touches(value, (part,)):
                self._find_part(low, high, part, rising=rising)

    def _find_part(self, low: Number, high: Number, part: Interval, *, rising: bool) -> None:
        """Find where the formula lies in a part of the target: from where it enters it to where it leaves it."""
        enters, leaves = (self.points.past, self.points.within) if rising else (self.points.within, self.points.past)
        unknown = self.points.unknown
        for end, is_towards in ((low, leaves), (high, enters)):
            if not is_towards(end, part):
                self.open += [Interval(low, high)] * (end in unknown)
                return
            if self.is_thin and self.points.compare(end, part.lower) == 0 and end not in self.points.unsure:
                self.inside.append(Interval(end, end))  # beside it the formula has other values
                return
        ends = (part.lower, part.upper) if rising else (part.upper, part.lower)
        before, first, last, beyond = low, low, high, high
        if not enters(low, part):
            before, first = self.points.bisected(low, high, ends[0], lambda at: enters(at, part))
        if not leaves(high, part):
            start, stop = before if leaves(before, part) else low, high if leaves(first, part) else first
            last, beyond = self.points.bisected(start, stop, ends[1], lambda at: not leaves(at, part))
        if not unknown.isdisjoint((low, before, first, last, beyond, high)):
            self.open.append(Interval(low, high))
        elif first > last:
            self._passed(last, first)
        elif part.is_point and not self.points.unsure.isdisjoint((first, last)):
            self.open.append(Interval(first, last))
        else:
            self.inside.append(Interval(first, last))

    def _look_in(self, boxes: list[tuple[Number, Number]]) -> None:
        """Look in boxes for roots, between their ends first, then at short ratios there, as roots that touch often are.

        That takes a share of the work more. So a root is found even where time leaves most undecided. Of ranges, single
        numbers would say little, but where the formula touches the end of one, and the first whole number in one.
        """
        is_dense = self.grid.is_dense
        places = boxes if is_dense or not self.is_thin else []
        if not self.is_thin:
            simple = {end for box in places for end in box if is_finite(end) and end.as_integer_ratio()[1] <= SIMPLE}
            places, boxes = [(end, end) for end in simple], [] if is_dense else boxes
        looks = chain(
            (partial(self._look_for, level, *box, 1) for box, level in product(boxes, self.levels)),
            (partial(self._decide_point, ratio) for ratio in map(short_ratio, chain(*places)) if ratio is not None),
            (partial(self._look_for, level, *box, SAMPLES) for box, level in product(boxes, self.levels)),
        )
        last = self.field.evaluations + work(self.most) // LOOKED
        for look in looks:
            if self.field.evaluations > last or is_over():
                break
            look()
