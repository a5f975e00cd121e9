"""Formulas of which a few cells vary over boxes and the others have values: bounds, rates, contraction, more digits.

And their growth, the relative change over a box: bounds of g in f(x) = f(m) (x / m)**g, between its middle and any
point. What factors have in common cancels in g, however many sizes a box spans.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property, partial, reduce
from operator import mul
from typing import TYPE_CHECKING, Any

from mpmath import iv

from flopsheet.functions import Trait
from flopsheet.functions.enclosed import ONE, ZERO
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.many_digits import interval_of, is_rounded, precision, span_at
from flopsheet.numbers.span_logarithms import exponentials_of
from flopsheet.numbers.spans import ANYTHING, LARGEST, NOTHING, NoValueError, Span, divided, in_floats, is_exact, sum_of
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.formulas.program import Operation, Program
    from flopsheet.units import Number

PRECISE = 8  # an operation with many digits takes as long as so many in floats
_NONE: dict[int, Span] = {}


class Enclosure:
    """A program as a function of some of its cells, the unknowns; the others have values [base units].

    `evaluations` counts the operations done on intervals, which measure the work.
    """

    def __init__(self, program: Program, unknowns: Sequence[str], values: Mapping[str, Number | str]) -> None:
        self.program = program
        beyond = range(program.size, program.size + len(unknowns))  # those that the formulas do not use have places too
        self.places = tuple(program.inputs.get(name, place) for name, place in zip(unknowns, beyond, strict=True))
        self._plan = program.plan(self.places)
        self.varying, self.stepped, self.jumps = self._plan.varying, self._plan.stepped, self._plan.jumps
        self.evaluations, self._has_value = 0, True
        self._precise: dict[int, dict[int, Any]] = {}
        self.inputs = {place: values[name] for name, place in program.inputs.items() if place not in self.places}
        self.is_rounded = any(map(is_rounded, self.inputs.values()))
        self._numbers: list[Any] = [math.nan] * beyond.stop
        self._known: list[Any] = [ANYTHING] * beyond.stop
        for place, number in (*self.inputs.items(), *program.constants.items()):
            self._numbers[place] = number
            self._known[place] = number if isinstance(number, str) else span_at(number)
        for place, operation in self._plan.known:
            self._compute(place, operation)

    def _compute(self, place: int, operation: Operation) -> None:
        """Compute an operation on known numbers; without a value, the formula has none at all."""
        known = self._known
        try:
            terms = operation.taken(known)
            number = self._numbers[place] = operation.entry.exact(*operation.taken(self._numbers))
            exact = is_exact(number) and is_finite(number)
            is_rounded = bool(operation.entry.traits & Trait.JUMPS)  # as it is computed forward: a float may be a copy
            exact = exact and (is_rounded or all(term.exact for term in terms if isinstance(term, Span)))
            known[place] = Span(number, number, exact=True) if exact else operation.entry.bounds(*terms)
        except (ArithmeticError, ValueError):
            known[place], self._numbers[place], self._has_value = NOTHING, math.nan, False

    @cached_property
    def _known_in_floats(self) -> list[Any]:
        """The bounds of what does not vary, in floats where that is faster."""
        spans, kept = self._known[:], self.program.kept_exact
        for place in self._plan.used:
            if place not in kept and spans[place] is not ANYTHING and spans[place] is not NOTHING:
                spans[place] = in_floats(spans[place])
        return spans

    @cached_property
    def _numbers_in_floats(self) -> list[Any]:
        """The numbers that do not vary, in floats where these hold them."""
        numbers = self._numbers[:]
        for place in self._plan.used:
            if not isinstance(numbers[place], str) and abs(numbers[place]) <= LARGEST:
                numbers[place] = float(numbers[place])
        return numbers

    def over(self, boxes: Sequence[Span]) -> list[Span]:
        """Return the bounds of every operation over boxes; raise NoValueError where a formula has no value in them."""
        if not self._has_value:
            raise NoValueError
        exact = all(box.exact for box in boxes)
        spans = self._known[:] if exact else self._known_in_floats[:]
        for place, box in zip(self.places, boxes, strict=True):
            spans[place] = box
        for place, operation in self.varying:
            try:
                bounds = spans[place] = operation.entry.bounds(*operation.taken(spans))
            except NoValueError:
                raise
            except (ArithmeticError, ValueError):
                bounds = spans[place] = ANYTHING
            if exact and (is_long(bounds.low) or is_long(bounds.high)):
                spans[place] = in_floats(bounds)
        self.evaluations += len(self.varying)
        return spans

    def swept(self, spans: list[Span], forward: Sequence[Span]) -> list[Span] | None:
        """Return bounds of all operations, the terms of each contracted by its own bounds; None where nothing is left.

        The operations are taken backwards, so that what is known of the results reaches the unknowns. One with a value
        everywhere says nothing of its terms where it still has the bounds that these give `forward`.
        """
        spans = spans[:]
        for place, operation in reversed(self.varying):
            is_narrowed = spans[place] is not forward[place] or not forward[place].total
            if is_narrowed and not self._narrows(spans, place, operation):
                return None
        self.evaluations += 2 * len(self.varying)
        return spans

    def _narrows(self, spans: list[Span], place: int, operation: Operation) -> bool:
        """Contract the terms of an operation that vary, and return whether anything is left of them."""
        terms = [*operation.taken(spans)]
        for at in self._plan.narrowable[place]:
            try:
                allowed = operation.entry.contract(operation.node, at, spans[place], terms)
            except (ArithmeticError, ValueError):
                continue
            met = None if allowed is None else terms[at].meet(allowed)
            if met is None:
                return False
            spans[operation.terms[at]] = terms[at] = met
        return True

    def values_at(self, point: Sequence[Number]) -> list[Any] | None:
        """Return the values of all operations at a point by plain evaluation; None where one has none."""
        values = self._numbers_in_floats[:] if all(isinstance(at, float) for at in point) else self._numbers[:]
        for place, number in zip(self.places, point, strict=True):
            values[place] = number
        try:
            for place, operation in self.varying:
                values[place] = operation.entry.exact(*operation.taken(values))
        except (ArithmeticError, ValueError):
            return None
        return values

    def rates(self, spans: list[Span]) -> dict[int, dict[int, Span]]:
        """Return bounds of the change of each operation by that of each unknown, between any two points of a box."""
        rates: dict[int, dict[int, Span]] = {place: {place: ONE} for place in self.places}
        for place, operation in self.varying:
            varying = self._plan.narrowable[place]
            try:
                own = operation.entry.rates_by(varying, operation.taken(spans))
            except (ArithmeticError, ValueError):
                own = dict.fromkeys(varying, ANYTHING)
            totals: dict[int, Span] = {}
            for at in varying:
                for unknown, rate in rates[operation.terms[at]].items():
                    part = rate if own[at] is ONE else own[at] if rate is ONE else own[at] * rate
                    totals[unknown] = totals[unknown] + part if unknown in totals else part
            rates[place] = totals
        self.evaluations += 3 * len(self.varying)
        return rates

    def precisely(self, boxes: Sequence[tuple[Number, Number]], bits: int) -> dict[int, Any]:
        """Return the bounds of every operation as intervals of mpmath with a number of bits.

        Raises:
            NoValueError: a formula has no value anywhere in the boxes.
            ArithmeticError, ValueError: a bound cannot be computed.
        """
        self.evaluations += PRECISE * len(self.varying)
        with precision(bits):
            values = {**self._known_precisely(bits)}
            for place, (low, high) in zip(self.places, boxes, strict=True):
                lowest = interval_of(low)
                values[place] = lowest if low is high else iv.mpf([lowest.a, interval_of(high).b])
            for place, operation in self.varying:
                values[place] = operation.entry.precise(*map(values.__getitem__, operation.terms))
        return values

    def _known_precisely(self, bits: int) -> dict[int, Any]:
        """Return what matters of what does not vary as intervals of mpmath, computed once for each number of bits.

        Exact numbers are taken as they are, others are computed again from the inputs.
        """
        if bits not in self._precise:
            numbers, needed, spans = self._numbers, set(self._plan.used), self._known
            computed = [one for one in self._plan.known if not (spans[one[0]].exact and is_exact(numbers[one[0]]))]
            for place, operation in reversed(computed):
                needed.update(operation.terms if place in needed else ())
            known = {place: _precisely(numbers[place]) for place in needed}
            for place, operation in computed:
                if place in needed:
                    known[place] = operation.entry.precise(*map(known.__getitem__, operation.terms))
            self._precise[bits] = known
        return self._precise[bits]


def _precisely(number: Number | str) -> Any:
    return number if isinstance(number, str) else interval_of(number)


class Growths:
    """Bounds of all operations over a box, and of their relative change by that of each unknown.

    Args:
        enclosure: the operations.
        spans: their bounds over the box, in which each unknown has one sign.
        middle: those at its middle.
        ratios: for the place of each unknown that varies, the logarithms of its values beside the middle.
    """

    def __init__(
        self, enclosure: Enclosure, spans: Sequence[Span], middle: Sequence[Span], ratios: Mapping[int, Span]
    ) -> None:
        self.spans = [*spans]
        self._middle, self._ratios = middle, ratios
        self._growths = {place: {place: ONE} for place in ratios}
        self._signs = {place: 1 if spans[place].high > 0 else -1 for place in ratios}
        self._factors = {place: operation.terms for place, operation in enclosure.varying if operation.node.is_Mul}
        self._narrowed = set[int]()
        enclosure.evaluations += 4 * len(enclosure.varying)
        for place, operation in enclosure.varying:
            self._add(place, operation)

    def of(self, place: int, unknown: int) -> Span:
        """Return the growth of an operation by an unknown."""
        return self._growths.get(place, _NONE).get(unknown, ZERO)

    def _add(self, place: int, operation: Operation) -> None:
        """Add the growth of an operation, and contract its bounds by that where several of its terms vary."""
        terms = operation.taken(self.spans)
        known = [self._growths.get(term, _NONE) for term in operation.terms]
        unknowns, value = dict.fromkeys(unknown for growths in known for unknown in growths), self.spans[place]
        own = dict.fromkeys(unknowns, ZERO if value.low == value.high else ANYTHING)  # zero does not change
        try:
            if not self._narrowed.isdisjoint(operation.terms):
                value = value.meet(operation.entry.bounds(*terms)) or value
            beside = partial(self._quotient, operation)
            if value.low < 0 < value.high:
                value = operation.entry.compared(value, terms, beside)
            sign = 1 if value.low > 0 else -1 if value.high < 0 else 0
            if not (sign and value.total):
                signs = [*map(self.sign, operation.terms)]
                sign = sign or operation.entry.sign(value, terms, signs)
                if operation.entry.has_value(terms, signs):
                    total = all(term.total for term in terms if isinstance(term, Span))
                    value = Span(value.low, value.high, total, value.exact)
            self._signs[place] = sign
            if sign:
                for unknown in unknowns:
                    shares = [growths.get(unknown) for growths in known]
                    own[unknown] = operation.entry.growth(value, terms, shares, beside)
            if sum(map(bool, known)) > 1 and (change := self._change(own)) is not None:
                value = value.meet(self._middle[place] * exponentials_of(change)) or value
        except (ArithmeticError, ValueError):
            own = dict.fromkeys(unknowns, ANYTHING)
        if value is not self.spans[place]:
            self._narrowed.add(place)
        self.spans[place], self._growths[place] = value, own

    def sign(self, place: int) -> int:
        """Return the sign of an operation or a number, 0 where it may have both or be zero."""
        span: Any = self.spans[place]
        if place in self._signs or isinstance(span, str):
            return self._signs.get(place, 0)
        return 1 if span.low > 0 else -1 if span.high < 0 else 0

    def _quotient(self, operation: Operation, at: int, other: int) -> Span:
        """Return bounds of one term of an operation divided by another, which leave out what both have in common."""
        above, below = operation.terms[at], operation.terms[other]
        quotient = self._cancelled(above, below)
        mine, its = self._growths.get(above, _NONE), self._growths.get(below, _NONE)
        change = self._change(
            {unknown: self.of(above, unknown) - self.of(below, unknown) for unknown in {**mine, **its}}
        )
        if change is None:
            return quotient
        return quotient.meet(divided(self._middle[above], self._middle[below]) * exponentials_of(change)) or quotient

    def _cancelled(self, above: int, below: int) -> Span:
        """Return bounds of one operation divided by another, without the factors that both have."""
        factors = [self._factors.get(place, (place,)) for place in (above, below)]
        if {*factors[0]}.isdisjoint(factors[1]):
            return divided(self.spans[above], self.spans[below])
        mine, its = map(Counter, factors)
        sides = ((side - (mine & its)).elements() for side in (mine, its))
        return divided(*(reduce(mul, map(self.spans.__getitem__, side), ONE) for side in sides))

    def _change(self, growths: Mapping[int, Span]) -> Span | None:
        """Return the logarithms of values beside that at the middle; None where some growth is not bounded."""
        if any(growth.low == -math.inf and growth.high == math.inf for growth in growths.values()):
            return None
        return sum_of([growth * self._ratios[unknown] for unknown, growth in growths.items()]) if growths else ZERO
