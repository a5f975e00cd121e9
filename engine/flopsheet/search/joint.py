"""Relations as functions of several cells at once: both sides over boxes, contraction by all, growth and rates."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.budget import in_time
from flopsheet.formulas.program import Program
from flopsheet.numbers.arithmetic import mirrored
from flopsheet.numbers.many_digits import ends_of, sign_of
from flopsheet.numbers.spans import NoValueError, Span, around, between, is_exact
from flopsheet.search.enclosure import Enclosure
from flopsheet.tolerances import FLOAT_DIGIT, ROOT_KNOWN, SHORT, TYPED
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number

Box: TypeAlias = "tuple[tuple[Number, Number], ...]"
ROOT_BITS = 200  # with which sides are compared at a root
_INF = math.inf
ALL = Span(-_INF, _INF, exact=True)


class Joint(Enclosure):
    """Relations over several unknowns.

    Args:
        unknowns: the cells that vary.
        steps: cells that follow from them with their formulas, in order.
        relations: equations and inequalities.
        values: all other cells, in base units.
        bounds: bounds of the cells in `steps`.
    """

    def __init__(
        self,
        unknowns: Sequence[str],
        steps: Sequence[tuple[str, Expr]],
        relations: Sequence[Relation],
        values: Mapping[str, Number | str],
        bounds: Mapping[str, Interval],
    ) -> None:
        sides = [side for relation in relations for side in (relation.left, relation.right)]
        program = Program(steps, *sides)
        super().__init__(program, unknowns, values)
        self.relations = relations
        self._sides = [*zip(program.results[::2], program.results[1::2], strict=True)]
        self.equations = [sides for sides, relation in zip(self._sides, relations, strict=True) if relation.is_equation]
        self.printed = {at for at, relation in enumerate(relations) if relation.may_be_printed}
        self.room = TYPED if self.printed else SHORT  # of a root: the last digits of a printed number are rounded
        self._bounds = [(program.place_of(name), interval) for name, interval in bounds.items()]

    def sides_in(self, spans: Sequence[Span]) -> list[tuple[Span, Span]]:
        """Return both sides of each equation, a number that was printed with those that the same float stands for."""
        equations = [(at, *sides) for at, sides in enumerate(self._sides) if self.relations[at].is_equation]
        return [
            (spans[left], _loosened(spans[right], FLOAT_DIGIT) if at in self.printed else spans[right])
            for at, left, right in equations
        ]

    def contracted(self, box: Box) -> list[Span] | None:
        """Return what is left of a box in which the relations may hold; None for nothing."""
        try:
            spans = self.over([span_of(low, high) for low, high in box])
        except NoValueError:
            return None
        met = self._met(spans)
        swept = None if met is None else self.swept(met, spans)
        return None if swept is None else [swept[place] for place in self.places]

    def _met(self, spans: list[Span]) -> list[Span] | None:
        """Return bounds of all operations where the relations may hold; None where one cannot."""
        spans = spans[:]
        for at, ((left, right), relation) in enumerate(zip(self._sides, self.relations, strict=True)):
            mine, other = spans[left], spans[right]
            if at in self.printed:  # its last digits are those of a float
                other = _loosened(other, FLOAT_DIGIT)
            first = mine.meet(_related(other, relation.operator))
            second = other.meet(_related(mine, mirrored(relation.operator)))
            if first is None or second is None:
                return None
            spans[left], spans[right] = first, second
        for place, bounds in self._bounds:
            within = spans[place].meet(span_of(bounds.lower, bounds.upper))
            if within is None:
                return None
            spans[place] = within
        return spans

    def holds(self, point: Sequence[Number], equation: Callable[[Number, Number], bool] | None = None) -> bool:
        """Whether the relations hold at a point by plain evaluation.

        Equations hold by a measure of equality; without one, of exact sides exactly, but for a number that was printed.
        """
        values = self.values_at(point)
        if values is None or any(self._broken(values, equation)):
            return False
        return self._are_within(point, values)

    def holding(self, numbers: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
        """Yield the tuples of a grid at which the relations hold as `holds` tells, in no order.

        What rests on some of the unknowns is computed once for all numbers of the others.
        """
        rests = {place: {at} for at, place in enumerate(self.places)}
        for place, operation in self.varying:
            rests[place] = set().union(*(rests[term] for term in operation.terms if term in rests))
        counts = [sum(at in own for own in rests.values()) for at in range(len(numbers))]
        order = sorted(range(len(numbers)), key=lambda at: -counts[at])  # what most rests on changes least
        last = {place: max(map(order.index, own)) for place, own in rests.items()}
        levels = [[own for own in self.varying if last[own[0]] == level] for level in range(len(order))]
        values = self._numbers[:]

        def along(level: int) -> Iterator[tuple[int, ...]]:
            if level == len(order):
                point = tuple(values[place] for place in self.places)
                if not any(self._broken(values)) and self._are_within(point, values):
                    yield point
                return
            unknown = order[level]
            for number in in_time(numbers[unknown]):
                values[self.places[unknown]] = number
                try:
                    for place, operation in levels[level]:
                        values[place] = operation.entry.exact(*operation.taken(values))
                except (ArithmeticError, ValueError):
                    continue
                yield from along(level + 1)

        return along(0)

    def holds_at_root(self, point: Sequence[Number], root: Sequence[Number]) -> bool:
        """Whether inequalities hold at a point that stands for a root of the equations, which is known to 50 digits.

        Sides that so many digits do not tell apart, or those of a number that was printed, are equal.
        """
        values = self._values_within(point)
        if values is None:
            return False
        broken = [*self._broken(values, lambda _left, _right: True)]
        if self.is_rounded or all(map(is_exact, point)):
            return not broken
        off = [size(value) * (self.room if self.printed else ROOT_KNOWN) for value in root]
        unequal = [at for at, relation in enumerate(self.relations) if not relation.is_equation]
        box = [(value - room, value + room) for value, room in zip(root, off, strict=True)]
        return self._holds_by_digits(unequal, box, broken)

    def holds_exactly(self, point: Sequence[Number]) -> bool:
        """Whether relations hold at an exact point: by digits where sides are irrational, but for printed numbers."""
        told = [at for at in range(len(self.relations)) if at not in self.printed and not self.is_rounded]
        return self.holds(point) and self._holds_by_digits(told, [(value, value) for value in point], ())

    def _holds_by_digits(
        self, places: Sequence[int], box: Sequence[tuple[Number, Number]], broken: Collection[Relation]
    ) -> bool:
        """Whether relations hold in a box as far as many digits tell; else those but the broken ones do."""
        try:
            sides = self.precisely(box, ROOT_BITS) if places else {}
            return all(self._is_met(at, sides, otherwise=self.relations[at] not in broken) for at in places)
        except (ArithmeticError, ValueError):
            return not broken

    def _is_met(self, at: int, values: Mapping[int, Any], *, otherwise: bool) -> bool:
        """Whether a relation holds between the bounds of its sides; something else where one jumps over the other."""
        (left, right), operator = (values[side] for side in self._sides[at]), self.relations[at].operator
        gap = left - right
        if sign := sign_of(gap):
            return ("<" if sign < 0 else ">") in operator
        below, above = ends_of(gap)
        is_jump = above - below > SHORT * max(map(size, (*ends_of(left), *ends_of(right))))
        return otherwise if is_jump else "=" in operator

    def broken(self, point: Sequence[Number]) -> list[Relation]:
        """Return the relations that do not hold at a point; all where a formula has no value, or one out of bounds."""
        values = self._values_within(point)
        return [*self.relations] if values is None else [*self._broken(values)]

    def _values_within(self, point: Sequence[Number]) -> list[Number] | None:
        values = self.values_at(point)
        return values if values is not None and self._are_within(point, values) else None

    def _are_within(self, point: Sequence[Number], values: Sequence[Number]) -> bool:
        """Whether cells are within their bounds, but for rounding."""
        outside = [own for own in self._bounds if values[own[0]] not in own[1]]
        return not outside or self._is_rounded_out(point, outside)

    def _is_rounded_out(self, point: Sequence[Number], outside: Sequence[tuple[int, Interval]]) -> bool:
        """Whether only the rounding of floats puts cells outside of their bounds."""
        try:
            spans = self.over([span_of(at, at) for at in point])
        except NoValueError:
            return False
        near = ((_loosened(spans[place], self.room), bounds) for place, bounds in outside)
        return all(span.meet(span_of(bounds.lower, bounds.upper)) is not None for span, bounds in near)

    def _broken(
        self, values: list[Number], equation: Callable[[Number, Number], bool] | None = None
    ) -> Iterator[Relation]:
        for at, ((left, right), relation) in enumerate(zip(self._sides, self.relations, strict=True)):
            mine, other = values[left], values[right]
            if not relation.is_equation:
                holds = relation.holds(mine, other)
            elif at in self.printed and size(mine - other) <= FLOAT_DIGIT * max(size(mine), size(other)):
                holds = True
            elif equation is not None:
                holds = equation(mine, other)
            elif is_exact(mine) and is_exact(other):
                holds = mine == other
            else:
                holds = close(mine, other)
            if not holds:
                yield relation

    def slopes(self, spans: list[Span], free: Sequence[int]) -> list[list[Span]] | None:
        """Return bounds of the change of each equation's gap by each free unknown; None where some have none."""
        rates, zero = self.rates(spans), Span(0, 0, exact=True)
        rows = []
        for left, right in self.equations:
            mine, other = rates.get(left, {}), rates.get(right, {})
            places = [self.places[at] for at in free]
            rows.append([mine.get(place, zero) - other.get(place, zero) for place in places])
        return rows if all(is_finite(rate.low) and is_finite(rate.high) for row in rows for rate in row) else None

    def linear_equations(self, domains: Sequence[Interval]) -> list[tuple[list[Fraction], Fraction]]:
        """Return the equations that are linear in the unknowns with exact numbers, those with printed numbers last.

        Of each, the factors of the unknowns with what they add up to, and how far that may be off.
        """
        sides = {at: self._sides[at] for at, relation in enumerate(self.relations) if relation.is_equation}
        ends = ((domain.lower, domain.upper) for domain in domains)
        boxes = [Span(*own, exact=True) if all(map(_is_usable, own)) else ALL for own in ends]
        try:
            rates = self.rates(self.over(boxes)) if sides else {}
        except NoValueError:
            return []
        zero, slopes = Span(0, 0, exact=True), dict[int, list[Span]]()
        for at, (left, right) in sides.items():
            rising, falling = rates.get(left, {}), rates.get(right, {})
            slopes[at] = [rising.get(place, zero) - falling.get(place, zero) for place in self.places]
        linear = {at: row for at, row in slopes.items() if all(rate.exact and rate.low == rate.high for rate in row)}
        point, values = self._exact_values(domains) if linear else ((), [])
        rows = []
        for at in sorted(linear, key=lambda at: at in self.printed):
            mine, other = (values[side] if values else math.nan for side in sides[at])
            if is_exact(mine) and is_exact(other):
                factors = [Fraction(rate.low) for rate in linear[at]]
                products = (factor * Fraction(own) for factor, own in zip(factors, point, strict=True))
                total = sum(products, Fraction(other) - Fraction(mine))
                rows.append(
                    ([*factors, total], Fraction(FLOAT_DIGIT * size(other)) if at in self.printed else Fraction(0))
                )
        return rows

    def _exact_values(self, domains: Sequence[Interval]) -> tuple[Sequence[Number], Sequence[Any]]:
        """Return an exact point within domains, and the values of all operations there; nothing where none has them."""
        for tried in ((0, 1, 2), (1, 2, 3)):
            ends = ((*tried, domain.lower, domain.upper) for domain in domains)
            inside = [
                [at for at in own if is_exact(at) and at in domain] for own, domain in zip(ends, domains, strict=True)
            ]
            point = [own[0] for own in inside if own]
            values = self.values_at(point) if len(point) == len(domains) else None
            if values is not None:
                return point, values
        return (), []


def _is_usable(end: Number) -> bool:
    return is_exact(end) or not is_finite(end)


def _loosened(level: Span, share: Number) -> Span:
    """Return a level with the numbers within a share of it, as those that the same float stands for."""
    return between(level.low - size(level.low) * share, level.high + size(level.high) * share)


def _related(other: Span, sign: str) -> Span:
    """Return the numbers that stand in a relation to some number of a span."""
    return other if sign == "=" else between(-_INF if "<" in sign else other.low, _INF if ">" in sign else other.high)


def span_of(low: Number, high: Number) -> Span:
    """Return a side of a box as a span: of floats, unless it is one exact number."""
    if isinstance(low, float) and isinstance(high, float):
        return Span(low, high)
    return Span(low, low, exact=True) if low == high and is_exact(low) else around(low, high)


def middle_of(box: Box) -> tuple[float, ...]:
    """Return the middle of a box."""
    return tuple(float(low) + (float(high) - float(low)) / 2 for low, high in box)
