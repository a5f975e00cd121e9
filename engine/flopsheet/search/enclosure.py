"""Formulas of which a few cells vary over boxes and the others have values: bounds, rates, contraction, more digits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mpmath import iv

from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.many_digits import interval_of, precision
from flopsheet.numbers.spans import ANYTHING, NOTHING, NoValueError, Span, in_floats, is_exact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.search.program import Operation, Program
    from flopsheet.units import Number


PRECISE = 8  # an operation with many digits takes as long as so many in floats


class Enclosure:
    """A program as a function of some of its cells.

    Args:
        program: the operations.
        unknowns: the cells that vary.
        values: the others, in base units.

    `evaluations` counts the operations done on intervals, which measure the work.
    """

    def __init__(self, program: Program, unknowns: Sequence[str], values: Mapping[str, Number | str]) -> None:
        self.program = program
        self.places = tuple(program.inputs.get(name, -1) for name in unknowns)
        self.evaluations, self._has_value = 0, True
        self._precise: dict[int, dict[int, Any]] = {}
        self._inputs = {place: values[name] for name, place in program.inputs.items() if place not in self.places}
        self._numbers: dict[int, Any] = {**self._inputs, **program.constants}
        known = {place: Span(number, number, exact=is_exact(number)) for place, number in self._numbers.items()}
        self.varying: list[tuple[int, Operation]] = []
        self._narrowable: dict[int, tuple[int, ...]] = {}  # of each varying operation, which of its terms vary
        varies = {*self.places}
        for place, operation in program.operations.items():
            if varies.isdisjoint(operation.terms):
                self._compute(place, operation, known)
            else:
                varies.add(place)
                self.varying.append((place, operation))
                self._narrowable[place] = tuple(at for at, term in enumerate(operation.terms) if term in varies)
        self.is_rounded = any(isinstance(number, float) for number in self._inputs.values())
        self._known = [known.get(place, ANYTHING) for place in range(program.size)]
        self._known_in_floats = [
            span if place in program.kept_exact or span is ANYTHING or span is NOTHING else in_floats(span)
            for place, span in enumerate(self._known)
        ]

    def _compute(self, place: int, operation: Operation, known: dict[int, Span]) -> None:
        """Compute an operation on known numbers; without a value, the formula has none at all."""
        numbers = self._numbers
        try:
            terms = [known.get(term, term) for term in operation.terms]
            number = numbers[place] = operation.entry.exact(*(numbers.get(term, term) for term in operation.terms))
            exact = is_exact(number) and all(term.exact for term in terms if isinstance(term, Span))
            known[place] = Span(number, number, exact=True) if exact else operation.entry.bounds(*terms)
        except (ArithmeticError, ValueError):
            known[place], numbers[place], self._has_value = NOTHING, math.nan, False

    def over(self, boxes: Sequence[Span]) -> list[Span]:
        """Return the bounds of every operation while the unknowns run through boxes.

        Raises:
            NoValueError: a formula has no value anywhere in them.
        """
        if not self._has_value:
            raise NoValueError
        exact = all(box.exact for box in boxes)
        spans = self._known[:] if exact else self._known_in_floats[:]
        for place, box in zip(self.places, boxes, strict=True):
            if place >= 0:
                spans[place] = box
        for place, operation in self.varying:
            terms = [spans[term] if isinstance(term, int) else term for term in operation.terms]
            try:
                bounds = operation.entry.bounds(*terms)
                spans[place] = in_floats(bounds) if exact and (is_long(bounds.low) or is_long(bounds.high)) else bounds
            except NoValueError:
                raise
            except (ArithmeticError, ValueError):
                spans[place] = ANYTHING
        self.evaluations += len(self.varying)
        return spans

    def swept(self, spans: list[Span]) -> list[Span] | None:
        """Return bounds of all operations, the terms of each contracted by its own bounds; None where nothing is left.

        The operations are taken backwards, so that what is known of the results reaches the unknowns.
        """
        spans = spans[:]
        for place, operation in reversed(self.varying):
            if not self._narrows(spans, place, operation):
                return None
        self.evaluations += 2 * len(self.varying)
        return spans

    def _narrows(self, spans: list[Span], place: int, operation: Operation) -> bool:
        """Contract the terms of an operation that vary, and return whether anything is left of them."""
        terms = [spans[term] if isinstance(term, int) else term for term in operation.terms]
        for at in self._narrowable[place]:
            term = operation.terms[at]
            try:
                allowed = operation.entry.contract(operation.node, at, spans[place], terms)
            except (ArithmeticError, ValueError):
                continue
            met = None if allowed is None else spans[term].meet(allowed)
            if met is None:
                return False
            spans[term] = terms[at] = met
        return True

    def values_at(self, point: Sequence[Number]) -> dict[int, Any] | None:
        """Return the values of all operations at a point by plain evaluation; None where one has none."""
        values = {**self._numbers, **dict(zip(self.places, point, strict=True))}
        try:
            for place, operation in self.varying:
                terms = (values[term] if isinstance(term, int) else term for term in operation.terms)
                values[place] = operation.entry.exact(*terms)
        except (ArithmeticError, ValueError):
            return None
        return values

    def rates(self, spans: list[Span]) -> dict[int, dict[int, Span]]:
        """Return bounds of the change of each operation by that of each unknown, between any two points of a box."""
        rates: dict[int, dict[int, Span]] = {place: {place: Span(1, 1, exact=True)} for place in self.places}
        for place, operation in self.varying:
            terms = [spans[term] if isinstance(term, int) else term for term in operation.terms]
            try:
                own = operation.entry.rates(*terms)
            except (ArithmeticError, ValueError):
                own = (ANYTHING,) * len(terms)
            totals: dict[int, Span] = {}
            for at, term in enumerate(operation.terms):
                for unknown, rate in rates[term].items() if term in rates else ():
                    part = own[at] * rate
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
                values[place] = iv.mpf([interval_of(low).a, interval_of(high).b])
            return _precise(self.varying, values)

    def _known_precisely(self, bits: int) -> dict[int, Any]:
        """Return what does not vary as intervals of mpmath, computed once for each number of bits."""
        if bits not in self._precise:
            numbers = {**self.program.constants, **self._inputs}
            values = {place: interval_of(number) for place, number in numbers.items() if not isinstance(number, str)}
            varying = {place for place, _ in self.varying}
            known = [(place, operation) for place, operation in self.program.operations.items() if place not in varying]
            self._precise[bits] = _precise(known, values)
        return self._precise[bits]


def _precise(operations: Iterable[tuple[int, Operation]], values: dict[int, Any]) -> dict[int, Any]:
    """Add the values of operations to those of their terms, on intervals of mpmath."""
    for place, operation in operations:
        values[place] = operation.entry.precise(*(values.get(term, term) for term in operation.terms))
    return values
