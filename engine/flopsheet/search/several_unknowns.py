"""Branch and prune over several unknowns: the tuples at which relations hold, proven, and where that stays open.

A box of all unknowns is contracted by the relations backwards and by interval Newton, which also proves that a box
holds exactly one root; what is left is split along the side by which the equations vary most. Whole numbers are
branched on as such. What the budget does not decide, and what closes in on a root that touches, is returned as open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, product
from typing import TYPE_CHECKING, TypeAlias

from flopsheet.budget import do_jointly, is_spent, left_jointly, part, work
from flopsheet.numbers.ends import plain_between, shortest
from flopsheet.numbers.linear import Elimination
from flopsheet.numbers.spans import are_same
from flopsheet.search.joint import middle_of
from flopsheet.search.newton import Newton
from flopsheet.search.same_ends import at_ends
from flopsheet.search.tiling import Tiling, reached
from flopsheet.tolerances import NARROW
from flopsheet.units import close, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.numbers.sets import Interval
    from flopsheet.search.joint import Box, Joint
    from flopsheet.units import Number

Point: TypeAlias = "tuple[Number, ...]"

LEAST_WORK, MOST_WORK, MOST_BOXES = 100_000, 1_200_000, 1_500  # operations on intervals: by unknowns, and by formula
WINDOW, LEAST_DECIDED = 200, 6  # of so many boxes for each unknown, so many must be decided for a search to go on
FEW_STARTS, MOST_STARTS = 7, 200
SEARCHED = 7 / 8  # share of the time; after it, Newton's method starts at more places
FEW_WHOLES, LITTLE_WORK = 64, 50_000  # tuples of whole numbers in a box that are all tried, by count and by operations
SHRUNK, MOST_SWEEPS = 0.9, 12  # a box is swept again while a side becomes smaller than this share of itself


@dataclass(frozen=True)
class Tuples:
    """What a search over several unknowns has proven."""

    points: tuple[Point, ...]  # where the relations hold, in ascending order
    open: tuple[Box, ...] = ()  # the boxes in which they may hold as well
    endless: bool = False  # whether hardly any box was decided: the points seem to form a line or a plane
    free: tuple[int, ...] = ()  # the unknowns that linear equations leave free, of which some follow from others


class JointSearch:
    """Looks for the tuples of several unknowns at which relations hold.

    Args:
        joint: the relations over the unknowns.
        domains: the values that each unknown may take.
        integers: whether each is a whole number.
        most: how many operations on intervals may be done; more for longer formulas by default.
    """

    def __init__(self, joint: Joint, domains: Sequence[Interval], integers: Sequence[bool], most: int = 0) -> None:
        self.joint, self.newton, self.tiling = joint, Newton(joint), Tiling(domains, integers)
        self.most = most or min(LEAST_WORK * len(domains) ** 2, MOST_WORK) + MOST_BOXES * len(joint.varying)
        self.points: dict[Point, None] = {}
        self.open: list[Box] = []
        self._endless = False
        self._single: list[Box] = []  # boxes that hold one root each, which is known

    def tuples(self) -> Tuples:
        """Return where the relations hold."""
        start, linear = self.joint.evaluations, self._linear()
        if linear is not None:
            return linear
        self._probe(self.tiling.starts(FEW_STARTS))
        limit = self.joint.evaluations + min(work(self.most), left_jointly())
        with part(SEARCHED):
            for box in self.boxes():
                self._search(box, limit)
        if self.open:
            apart = self.open[:: len(self.open) // MOST_STARTS + 1]
            for box in apart:  # of a root that touches, a side at zero is never narrow beside its numbers
                if all(high - low <= NARROW for low, high in box):
                    self._try_short(box)
            self._probe(chain(map(middle_of, apart), self.tiling.starts(MOST_STARTS)))
        last = self.joint.evaluations + work(self.most)
        opened = tuple(box for box in self.open if not (self._is_known(box) or self._is_left_to_try(box, last)))
        do_jointly(self.joint.evaluations - start)
        return Tuples(tuple(sorted(self.points)), opened, self._endless and bool(opened))

    def boxes(self) -> list[Box]:
        """Return boxes that hold all tuples, as far as contraction tells."""
        return [left for box in self.tiling.boxes() if (left := self._swept(box)) is not None]

    def _linear(self) -> Tuples | None:
        """Return what equations that are linear with exact numbers tell alone; None where that is not all.

        They contradict each other, give all unknowns, or leave a line or a plane, as some follow from others.
        """
        domains, joint = self.tiling.domains, self.joint
        equations, reduced = joint.linear_equations(domains), Elimination(len(domains))
        for row, room in equations:
            if not reduced.add(row, room):
                return Tuples(())
        if not reduced.free:
            return self._at(reduced.root)
        if any(self.tiling.integers) or not len(domains) <= len(equations) == len(joint.equations):
            return None
        if len(reduced.free) == 1:
            line = reduced.line(domains)
            if line.is_empty:
                return Tuples(())
            if line.is_point:
                reduced.add([*(Fraction(at in reduced.free) for at in range(len(domains))), Fraction(line.lower)])
                return self._at(reduced.root)
        boxes = self.boxes()
        is_endless = any(low < high for box in boxes for low, high in box)
        return Tuples((), tuple(boxes), endless=True, free=reduced.free) if is_endless else None

    def _at(self, root: Sequence[Fraction]) -> Tuples:
        """Return the only point that equations leave, if all relations hold there."""
        point = tuple(map(tidy, root))
        within = all(value in domain for value, domain in zip(point, self.tiling.domains, strict=True))
        return Tuples((point,) if within and self._has_wholes(point) and self.joint.holds_exactly(point) else ())

    def _search(self, box: Box, limit: float) -> None:
        """Decide a box and its parts, as far as a number of evaluations allows.

        Where hardly any of many boxes is decided, the roots form a line or a plane: that is not split to the end.
        """
        waiting, decided, taken = self.tiling.queue(box), 0, 0
        while waiting:
            box = waiting.pop()
            if self.joint.evaluations > limit or is_spent():
                self.open.append(box)
                continue
            parts = self._decided(box)
            decided, taken = decided + (not parts), taken + 1
            for smaller in parts:
                waiting.push(smaller)
            if taken == WINDOW * len(box):
                self._endless |= decided < LEAST_DECIDED
                limit = 0 if self._endless else limit
                decided = taken = 0

    def _probe(self, starts: Iterable[Sequence[float]]) -> None:
        """Add the roots that Newton's method leads to, so that what a search leaves open does not hide them.

        That takes a share of the work more.
        """
        last = self.joint.evaluations + min(work(self.most) * (1 - SEARCHED), left_jointly())
        for start in starts:
            if self.joint.evaluations > last or is_spent():
                break
            box = reached(self.joint, self.tiling.domains, start)
            if box is None or self._is_known(box) or self._takes_root(box):
                continue
            # found, though neither that it is there nor that it is the only one is proven
            root = self.newton.refined(box)
            if root is None:
                self._try_short(box)
            else:
                self._try(self._at_wholes(tuple(map(shortest, root))), close)

    def _decided(self, box: Box) -> list[Box]:
        """Decide a box, or return the parts that it is split into."""
        left = self._swept(box)
        if left is None or self._is_known(left):
            return []
        if self._is_tried(left):
            return []
        narrowed = self.newton.narrowed(left)
        if narrowed is None or self._is_known(narrowed.box):
            return []
        if narrowed.proves and self._takes_root(narrowed.box):
            return []
        whole = self._rounded(narrowed.box)
        return [] if whole is None else self._parts(whole, narrowed.shares)

    def _parts(self, box: Box, shares: Sequence[float]) -> list[Box]:
        """Return the parts of a box; of one that is narrow, try the short ratios in it, where roots that touch lie."""
        narrow = all(self.tiling.size(at, low, high) <= NARROW for at, (low, high) in enumerate(box))
        if narrow and self._try_short(box):
            return []
        parts = self.tiling.split(box, shares)
        if parts is None:
            self.open.append(box)
        return parts or []

    def _swept(self, box: Box) -> Box | None:
        """Contract a box by the relations, as long as that makes a side smaller."""
        for _ in range(MOST_SWEEPS):
            met = self.joint.contracted(box)
            if met is None:
                return None
            sides = [(max(low, side.low), min(high, side.high)) for (low, high), side in zip(box, met, strict=True)]
            left = self._rounded(tuple(sides))
            if left is None:
                return None
            shrunk = any(
                self.tiling.size(at, *side) < SHRUNK * self.tiling.size(at, *box[at]) for at, side in enumerate(left)
            )
            box = left
            if not shrunk:
                break
        return box

    def _rounded(self, box: Box) -> Box | None:
        """Return a box with the ends of whole numbers rounded inwards; None where nothing is left."""
        sides = [
            (math.ceil(low), math.floor(high)) if integer else (low, high)
            for (low, high), integer in zip(box, self.tiling.integers, strict=True)
        ]
        return tuple(sides) if all(low <= high for low, high in sides) else None

    def _may_jump(self, box: Box) -> bool:
        """Whether whole numbers in a box may not meet what bounds of a rounding meet, though floats tell a root."""
        sides = zip(box, self.tiling.integers, strict=True)
        return self.joint.jumps and any(integer and math.ceil(low) < math.floor(high) for (low, high), integer in sides)

    def _is_known(self, box: Box) -> bool:
        """Whether a box lies in one that holds a single root, which is known."""
        return any(
            all(low <= mine and other <= high for (mine, other), (low, high) in zip(box, single, strict=True))
            for single in self._single
        )

    def _is_left_to_try(self, box: Box, last: float) -> bool:
        """Try a box that was left open, as `_is_tried` does, as far as work and time allow."""
        return self.joint.evaluations <= last and not is_spent() and self._is_tried(box)

    def _is_tried(self, box: Box) -> bool:
        """Try all tuples of whole numbers in a box where they are few, and what else varies not; return whether so."""
        sides = [*zip(box, self.tiling.integers, strict=True)]
        if not all(integer or low == high for (low, high), integer in sides):
            return False
        count = math.prod(int(high - low) + 1 for (low, high), integer in sides if integer)
        operations = count * max(len(self.joint.varying), 1)  # `x = y` has none
        if count > FEW_WHOLES and operations > LITTLE_WORK:
            return False
        self.joint.evaluations += operations
        values = [range(int(low), int(high) + 1) if integer else (low,) for (low, high), integer in sides]
        for point in product(*values):
            self._try(point)
        return True

    def _takes_root(self, box: Box) -> bool:
        """Add the root of a box that is proven to hold one, and return whether it is."""
        single = self.newton.proven(box)
        if single is None or self._may_jump(single):
            return False
        root = self.newton.refined(single)
        if root is None:
            return False
        if not self._is_known(tuple((value, value) for value in root)):
            self._try_root(root)
        self._single.append(single)
        return True

    def _try_root(self, root: Sequence[Fraction]) -> None:
        """Add a root if it lies within all bounds: its equations hold, whatever rounding makes of them."""
        placed = at_ends(root, self.tiling.domains, self.joint.room)
        found = tuple(map(shortest, root)) if placed is None else placed
        whole = self._at_wholes(found)
        if whole != found:
            self._try(whole, (lambda _left, _right: True) if self.joint.is_rounded else None)
        elif placed is not None and self._has_wholes(whole) and self.joint.holds_at_root(whole, root):
            self.points[whole] = None

    def _has_wholes(self, point: Point) -> bool:
        """Whether the whole numbers among the unknowns are whole at a point."""
        return all(value == int(value) for value, integer in zip(point, self.tiling.integers, strict=True) if integer)

    def _at_wholes(self, point: Point) -> Point:
        """Return a root whose whole numbers are those beside it, where rounded numbers leave them that near."""
        if not (self.joint.is_rounded or self.joint.printed):
            return point
        return tuple(
            round(value) if integer and close(value, round(value)) else value
            for value, integer in zip(point, self.tiling.integers, strict=True)
        )

    def _try_short(self, box: Box) -> bool:
        """Add a short point of a box if the relations hold there; return whether it is the only one around."""
        point = tuple(plain_between(low, high) for low, high in box)
        self._try(point, are_same)
        single = self.newton.proven(self.tiling.around(point)) if point in self.points else None
        if single is None or self._may_jump(single):
            return False
        self._single.append(single)
        return True

    def _try(self, point: Point, equation: Callable[[Number, Number], bool] | None = None) -> None:
        """Add a point that lies within all bounds and at which the relations hold, equations by a measure."""
        within = (value in domain for value, domain in zip(point, self.tiling.domains, strict=True))
        if all(within) and self._has_wholes(point) and self.joint.holds(point, equation):
            self.points[point] = None
