"""The numbers that a search branches over: floats of all sizes, or whole numbers."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import Interval, RealSet, complement, is_in, meet, union, whole_ends
from flopsheet.numbers.spans import Span, around, is_exact
from flopsheet.tolerances import SMALLEST_SIZE, USUAL
from flopsheet.units import size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from fractions import Fraction

    from flopsheet.units import Number

T = TypeVar("T")
Box: TypeAlias = "tuple[Number, Number]"
Measure: TypeAlias = "Callable[[Any], Any] | None"

LARGEST = 1e300  # larger numbers are not looked for
LARGEST_WHOLE = 10**300
FEW = 16  # whole numbers in a box that is decided one by one
LEAST_FRACTION = 2.0**-20  # smaller ones are no number of anything
LOPSIDED = 16  # a box of one sign whose ends differ by more is split in sizes
FURTHER_IN = (2, 8, 64)  # which roots of the largest and the smallest size growth is bounded from
OFF_CENTRE = 0.4831  # round numbers are often roots, and a root on a split would be met twice
_INF = math.inf
TOO_LARGE, TOO_LARGE_WHOLE = (
    (Interval(-_INF, -most, lower_closed=False), Interval(most, _INF, upper_closed=False))
    for most in (LARGEST, LARGEST_WHOLE)
)
BESIDE_ZERO = (
    Interval(-LEAST_FRACTION, 0, lower_closed=False, upper_closed=False),
    Interval(0, LEAST_FRACTION, lower_closed=False, upper_closed=False),
)
TOO_SMALL = (Interval(-SMALLEST_SIZE, 0, upper_closed=False), Interval(0, SMALLEST_SIZE, lower_closed=False))


class Queue(Generic[T]):
    """Boxes that wait, taken in turns: by age, and that of the smallest measure if they have one.

    Of one unknown, the box that has waited longest covers all sizes evenly, and of endlessly many whole numbers the one
    nearest to zero finds the first. Of several unknowns, the newest reaches roots, and the largest leaves little open.

    Args:
        boxes: the boxes.
        measure: by what every second box is taken.
        newest: whether the newest box is taken by age, and first of all.
        later: boxes that are taken when all others are decided.
    """

    def __init__(
        self, boxes: Iterable[T], measure: Measure = None, *, newest: bool = False, later: Iterable[T] = ()
    ) -> None:
        self._measure, self._newest, self._later = measure, newest, deque(later)
        self._boxes, self._order = OrderedDict[int, T](), count()
        self._measured: list[tuple[Any, int]] = []
        self._by_age = not newest
        for box in boxes:
            self.push(box)

    def __bool__(self) -> bool:
        return bool(self._boxes or self._later)

    def push(self, box: T) -> None:
        """Add a box."""
        number = next(self._order)
        self._boxes[number] = box
        if self._measure is not None:
            heappush(self._measured, (self._measure(box), number))

    def pop(self) -> T:
        """Remove and return the next box."""
        if not self._boxes:
            return self._later.popleft()
        self._by_age = self._measure is None or not self._by_age
        if self._by_age:
            return self._boxes.popitem(last=self._newest)[1]
        while (number := heappop(self._measured)[1]) not in self._boxes:
            pass
        return self._boxes.pop(number)

    def rest(self) -> list[T]:
        """Return the boxes that still wait, the newest first: these are the smallest."""
        return [*reversed(self._boxes.values()), *self._later]


class Reals:
    """Floats: a box holds all real numbers between two of them."""

    is_dense = True

    def queue(self, domain: Interval) -> Queue[Box]:
        """Return a domain as boxes of one sign; sizes that occur in practice come first."""
        low, high = self.outwards(max(domain.lower, -LARGEST), min(domain.upper, LARGEST))
        sizes = self.sizes(domain)
        boxes = [(max(low, first), min(high, last)) for first, last in pairwise(sizes)]
        boxes += [(max(low, -last), min(high, -first)) for first, last in pairwise(sizes)]
        boxes = [(first, last) for first, last in boxes if first < last or first == last == low]
        usual: list[Box] = [(first, last) for first, last in boxes if USUAL[0] <= max(-first, last) <= USUAL[1]]
        return Queue(usual, later=[box for box in boxes if box not in usual])

    def sizes(self, domain: Interval) -> tuple[float, ...]:
        """Return the sizes that part boxes."""
        return (0.0 if 0 in domain else SMALLEST_SIZE, *USUAL, LARGEST)

    def beyond(self, domain: Interval) -> RealSet:
        """Return the numbers of a domain that are larger or smaller than all sizes."""
        return meet((domain,), TOO_LARGE if 0 in domain else union(TOO_LARGE, TOO_SMALL))

    def joined(self, values: RealSet) -> RealSet:
        """Return a set as it is."""
        return values

    def span(self, low: Number, high: Number) -> Span:
        """Return a box as a span."""
        return Span(low, high, exact=is_exact(low) and is_exact(high))

    def size(self, low: float, high: float) -> float:
        """Return how large a box is: how many sizes it spans, or how far apart its ends are beside their size."""
        least, most = _sizes(low, high)
        return math.log(most / least)

    def middle(self, low: float, high: float) -> float:
        """Return the middle of a box, of its sizes where it spans several; one of its ends where there is none."""
        if self.is_balanced(low, high):
            return low + (high - low) / 2
        least, most = _sizes(low, high)
        middle = math.sqrt(least) * math.sqrt(most)
        return math.copysign(middle, low + high) if least < middle < most else low

    def is_balanced(self, low: float, high: float) -> bool:
        """Whether the middle of a box is that of its ends, not of their sizes."""
        least, most = _sizes(low, high)
        return most <= LOPSIDED * least

    def part(self, low: float, high: float, share: Fraction) -> float:
        """Return the number at a share of a box, of its sizes where it spans several."""
        if self.is_balanced(low, high):
            return low + (high - low) * float(share)
        least, most = _sizes(low, high)
        larger = float(share) if low >= 0 else 1 - float(share)
        return math.copysign(least * (most / least) ** larger if most / least < _INF else most, low + high)

    def nearest(self, at: float, low: float, high: float) -> float:
        """Return the number inside a box that is nearest to a number."""
        return min(max(at, math.nextafter(low, _INF)), math.nextafter(high, -_INF))

    def beside(self, at: float, steps: int) -> float:
        """Return the float so many steps above another."""
        return at + steps * math.ulp(at)

    def split(self, low: float, high: float) -> list[tuple[float, float]] | None:
        """Return the two parts of a box; None where its ends are neighbours."""
        off = low + OFF_CENTRE * (high - low)
        middle = off if self.is_balanced(low, high) and low < off < high else self.middle(low, high)
        return [(low, middle), (middle, high)] if low < middle < high else None

    def outwards(self, low: Number, high: Number) -> tuple[float, float]:
        """Return ends as floats, none further inside."""
        box = around(low, high)
        return float(box.low), float(box.high)


class Counts(Reals):
    """Floats between which a formula of a whole number is looked at: zero, and none between it and a small fraction."""

    def queue(self, domain: Interval) -> Queue[Box]:
        """Return a domain as boxes of one sign, and zero by itself."""
        boxes = super().queue(domain)
        if 0 in domain:
            boxes.push((0.0, 0.0))
        return boxes

    def sizes(self, _: Interval) -> tuple[float, ...]:
        """Return the sizes that part boxes."""
        return (LEAST_FRACTION, USUAL[1], LARGEST)

    def beyond(self, domain: Interval) -> RealSet:
        """Return the numbers of a domain that are larger than all sizes."""
        return meet((domain,), TOO_LARGE)

    def joined(self, values: RealSet) -> RealSet:
        """Return a set with the fractions next to zero where it has zero and the smallest that was looked at."""
        for part in BESIDE_ZERO:
            ends = is_in(0, values) and is_in(part.lower or part.upper, values)
            values = union(values, (part,)) if ends else meet(values, complement((part,)))
        return values


class Wholes:
    """Whole numbers: a box holds those from one to another."""

    is_dense = False

    def queue(self, domain: Interval) -> Queue[Box]:
        """Return a domain as boxes of one sign, and zero by itself."""
        first, last = whole_ends(domain)
        low, high = int(max(first, -LARGEST_WHOLE)), int(min(last, LARGEST_WHOLE))
        boxes: list[Box] = [(low, min(high, -1)), (max(low, 0), min(high, 0)), (max(low, 1), high)]
        return Queue([box for box in boxes if box[0] <= box[1]], lambda box: (min(map(size, box)), box))

    def beyond(self, domain: Interval) -> RealSet:
        """Return the numbers of a domain that are larger than all sizes."""
        return meet((domain,), TOO_LARGE_WHOLE)

    def joined(self, values: RealSet) -> RealSet:
        """Return the runs of whole numbers in a set."""
        return whole_runs(values)

    def span(self, low: int, high: int) -> Span:
        """Return a box as a span: of floats, which are faster, unless it is small."""
        return Span(low, high, exact=True) if high - low < FEW else around(low, high)

    def size(self, low: int, high: int) -> float:
        """Return how many digits a box has."""
        return float(math.log2(high - low + 1))

    def middle(self, low: int, high: int) -> int:
        """Return a whole number of a box, in the middle of its sizes where it spans several."""
        if low > 0 and high // low > LOPSIDED:
            return math.isqrt(low * high)
        if high < 0 and low // high > LOPSIDED:
            return -math.isqrt(low * high)
        return (low + high) // 2

    def is_balanced(self, low: int, high: int) -> bool:
        """Whether the middle of a box is that of its ends, not of their sizes."""
        return high - low <= LOPSIDED * max(min(abs(low), abs(high)), 1)

    def part(self, low: int, high: int, share: Fraction) -> int:
        """Return about the number at a share of a box."""
        return low + int((high - low) * share)

    def nearest(self, at: float, low: int, high: int) -> int:
        """Return the whole number inside a box that is nearest to a number."""
        return min(max(round(at), low + 1), high - 1) if high - low > 1 else low

    def beside(self, at: int, steps: int) -> int:
        """Return the whole number so many steps above another."""
        return at + steps

    def split(self, low: int, high: int) -> list[tuple[int, int]]:
        """Return the two parts of a box, or its numbers where they are few."""
        if high - low < FEW:
            return [(number, number) for number in range(low, high + 1)]
        middle = self.middle(low, high)
        return [(low, middle), (middle + 1, high)]

    def outwards(self, low: Number, high: Number) -> tuple[int, int]:
        """Return the whole numbers between two ends, those within rounding included."""
        return math.ceil(max(low, -LARGEST_WHOLE)), math.floor(min(high, LARGEST_WHOLE))


REALS, COUNTS, WHOLES = Reals(), Counts(), Wholes()


def near_end(part: Interval) -> tuple[Number, bool]:
    """Return where the numbers beyond a size begin, and whether they reach outwards from there, not towards zero."""
    inner, outer = sorted((part.lower, part.upper), key=size)
    return (inner, True) if size(outer) > 1 else (outer, False)


def from_further_in(part: Interval) -> Iterator[Interval]:
    """Yield the numbers beyond a size in one direction, then the same from sizes where powers do not overflow."""
    yield part
    end = float(near_end(part)[0])
    for root in FURTHER_IN:
        moved = math.copysign(abs(end) ** (1 / root), end)
        yield replace(part, lower=moved) if end == float(part.lower) else replace(part, upper=moved)


def _sizes(low: float, high: float) -> tuple[float, float]:
    """Return the smaller and the larger size of the ends of a box of one sign; zero counts as the smallest."""
    sizes = max(abs(low), SMALLEST_SIZE), max(abs(high), SMALLEST_SIZE)
    return min(sizes), max(sizes)
