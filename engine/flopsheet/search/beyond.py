"""Numbers beyond all sizes that are searched: decided by bounds, by growth, or by the power as which a formula grows.

There a formula is a power of the unknown times what stays between two numbers. Exponents are exact, so what grows alike
cancels exactly, however far the numbers reach.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from flopsheet.functions import BY_NODE, Trait
from flopsheet.functions.explog import LOGARITHM
from flopsheet.functions.near_one import (
    EXP_LESS_ONE,
    LOG_ONE_PLUS,
    POWER_DIFFERENCE,
    POWER_LESS_ONE,
    Cancelling,
    NearOne,
)
from flopsheet.functions.powers import POWER
from flopsheet.functions.rounding import REMAINDER
from flopsheet.numbers.sets import ABOVE_ZERO, ALL, BELOW_ZERO, meet
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, touches
from flopsheet.search.grid import from_further_in, near_end
from flopsheet.search.pruning import Pruning
from flopsheet.tolerances import PLATEAU
from flopsheet.units import is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.formulas.program import Operation
    from flopsheet.numbers.sets import Interval
    from flopsheet.search.field import Field
    from flopsheet.units import Number

_SIGNED = {1: (ABOVE_ZERO,), -1: (BELOW_ZERO,), 0: ALL}
_SUM = BY_NODE[sympy.Add]
_FROM_ONE, _UP_TO_ONE = Span(1, math.inf, exact=True), Span(0, 1, exact=True)
_NOT_NEGATIVE = Span(0, math.inf, exact=True)


class Beyond(Pruning):
    """Decides numbers that no box holds."""

    def decides_beyond(self, part: Interval) -> bool:
        """Return whether all numbers beyond a size are decided: from there, or from further in if powers overflow."""
        first, *others = from_further_in(part)
        return self._decides(first) or (self.field.overflows(first) and any(map(self._decides, others)))

    def _decides(self, part: Interval) -> bool:
        """Return whether bounds decide all numbers beyond a size, or how the formula grows from there."""
        spans = self.undecided(part.lower, part.upper)
        if spans is None or self._contracts(part, spans) or self._follows_power(part):
            return True
        left = self._grown(part, spans)
        return left is None or self._contracts(part, left)

    def _follows_power(self, part: Interval) -> bool:
        """Return whether the power as which the formula grows decides all numbers of a part."""
        try:
            law = power_law(self.field, part)
        except NoValueError:
            return True
        value, signed = law.span, _SIGNED[law.sign]
        is_level = self.is_thin and self.points.is_rounded and value.high - value.low <= PLATEAU * size(value.low)
        near = is_level and self.points.is_near(part.inside())  # met within rounding, as an output is
        inside = value.total and (near or not touches(value, meet(self.others, signed)))
        self.inside += [part] * inside
        return inside or not touches(value, meet(self.target, signed))

    def _contracts(self, part: Interval, spans: list[Span]) -> bool:
        """Return whether contraction by bounds decides all numbers of a part."""
        value = spans[self.field.program.result]
        if self._contracted(spans, self.target, value) is None:
            return True
        inside = value.total and not self.is_thin and self._contracted(spans, self.others, value) is None
        self.inside += [part] * inside
        return inside

    def _grown(self, part: Interval, spans: list[Span]) -> list[Span] | None:
        """Return bounds of all operations beyond a size, from how these grow from there; None where they decide."""
        end, far = near_end(part)
        here, ratios = self.at(end), Span(0, math.inf) if far else Span(-math.inf, 0)
        if here is None:
            return spans
        growth = self.field.growth(spans, here, ratios)
        signed = _SIGNED[growth.growths.sign(self.field.program.result)]
        sides = [(growth, (meet(self.target, signed), meet(self.others, signed)))]
        if self.level is not None and (balance := self.field.balance(growth, here, self.level)) is not None:
            sides.append((balance, self._beside_one))
        decided = any(self._decide(grown.over(ratios), part, sets) for grown, sets in sides)
        return None if decided else growth.growths.spans


class PowerLaw(NamedTuple):
    """Numbers `f * y**exponent + logs * log(y)`, for each y from 1 on, with an f in `factor`; one of both is zero."""

    factor: Span
    exponent: Number = 0  # exact
    logs: Fraction = Fraction(0)

    @property
    def span(self) -> Span:
        """Bounds of the numbers."""
        if self.logs:
            return self.factor + _NOT_NEGATIVE * _point(self.logs)
        return self.factor * (_FROM_ONE if self.exponent > 0 else _UP_TO_ONE) if self.exponent else self.factor

    @property
    def sign(self) -> int:
        """The one sign of all numbers; 0 where that is not known."""
        return 0 if self.logs else 1 if self.factor.low > 0 else -1 if self.factor.high < 0 else 0

    def beside(self, exponent: Number) -> Span:
        """Return bounds of the numbers divided by a power of y that is at least as large as theirs."""
        if exponent == self.exponent:
            return self.factor
        beside = self.factor * _UP_TO_ONE
        return beside + _point(self.logs / exponent) * _UP_TO_ONE if self.logs else beside  # log(y) <= y**e / e


_ONE, _LESS_ONE = PowerLaw(Span(1, 1, exact=True)), PowerLaw(Span(-1, -1, exact=True))


def power_law(field: Field, part: Interval) -> PowerLaw:
    """Return the result of a field over the numbers beyond a size, outwards or towards zero.

    There the unknown is `end * y` or `end / y`, for y from 1 on.

    Raises:
        NoValueError: the formula has no value anywhere there.
    """
    end, far = near_end(part)
    spans = field.at(end)
    laws: list[Any] = [PowerLaw(span) if isinstance(span, Span) else span for span in spans]
    laws[field.place] = PowerLaw(spans[field.place], 1 if far else -1)
    for place, operation in field.varying:
        laws[place] = _of(operation, operation.taken(laws))
    field.evaluations += len(field.varying)
    law: PowerLaw = laws[field.program.result]
    return law


def _of(operation: Operation, terms: Sequence[Any]) -> PowerLaw:
    """Return an operation on power laws; as mere bounds where it is no power, product, logarithm or kind of sum."""
    node, bounds = operation.node, operation.entry.bounds
    has_logs = any(isinstance(term, PowerLaw) and term.logs for term in terms)
    try:
        if not has_logs and (operation.entry is REMAINDER or isinstance(operation.entry, Cancelling)):
            return _nearly(operation.entry, terms)
        if node.is_Add or (Trait.HOMOGENEOUS in operation.entry.traits and not has_logs):
            return _sum_of(bounds, terms)
        if node.is_Mul and (not has_logs or sum(map(_is_number, terms)) == len(terms) - 1):
            return _product_of(operation, terms)
        is_power = node.is_Pow and _is_number(terms[1]) and not has_logs
        if is_power or (node.func is sympy.log and terms[0].exponent):
            return _power_of(*terms) if is_power else _logarithm_of(*terms)
        return PowerLaw(bounds(*(term.span if isinstance(term, PowerLaw) else term for term in terms)))
    except NoValueError:
        raise
    except (ArithmeticError, ValueError):
        return PowerLaw(ANYTHING)


def _nearly(entry: Any, terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a remainder, a difference of powers, or a function less one."""
    if entry is REMAINDER:
        return _remainder_of(*terms)
    return _difference_of(*terms) if entry is POWER_DIFFERENCE else _near_one(entry, *terms)


def _near_one(entry: Cancelling, term: PowerLaw, *exponents: PowerLaw) -> PowerLaw:
    """Return a power less one, or a logarithm of 1 and more: about its term where that becomes small."""
    if entry is POWER_LESS_ONE and term.factor.low > -1:
        inner = _near_one(LOG_ONE_PLUS, term)
        power = _product(inner, *exponents)
        if power.exponent < 0 and not inner.logs:
            return _near_one(EXP_LESS_ONE, power)
    elif isinstance(entry, NearOne) and term.exponent < 0 and term.factor.low > -1:
        return PowerLaw(term.factor * entry.quotient(term.span), term.exponent)
    base = _sum_of(_SUM.bounds, (_ONE, term))
    if entry is LOG_ONE_PLUS and base.exponent:
        return _logarithm_of(base)
    if entry is POWER_LESS_ONE and _is_number(*exponents):
        return _sum_of(_SUM.bounds, (_power_of(base, *exponents), _LESS_ONE))
    return PowerLaw(entry.bounds(*(law.span for law in (term, *exponents))))


def _difference_of(power: PowerLaw, base: PowerLaw, more: PowerLaw, exponent: PowerLaw) -> PowerLaw:
    """Return the power of a sum less that of its first term: by how much more the sum is, where that is the larger."""
    if not _is_number(exponent):
        return PowerLaw(POWER_DIFFERENCE.bounds(power.span, base.span, more.span, exponent.span))
    if power.factor.low > 0 and base.factor.low > 0 and more.exponent < base.exponent:
        share = _near_one(POWER_LESS_ONE, _product(more, _power_of(base, _LESS_ONE)), exponent)
        return _product(power, share)
    less = _product(_LESS_ONE, power)
    return _sum_of(_SUM.bounds, (_power_of(_sum_of(_SUM.bounds, (base, more)), exponent), less))


def _remainder_of(dividend: PowerLaw, divisor: PowerLaw) -> PowerLaw:
    """Return the remainder of a division: the dividend where that is smaller, else anything up to the divisor."""
    if not divisor.sign:
        return PowerLaw(REMAINDER.bounds(dividend.span, divisor.span))
    least = min(size(divisor.factor.low), size(divisor.factor.high))
    most = max(size(dividend.factor.low), size(dividend.factor.high))
    if dividend.sign and dividend.exponent <= divisor.exponent and most < least:
        return dividend if dividend.sign == divisor.sign else _sum_of(_SUM.bounds, (divisor, dividend))
    return PowerLaw(divisor.factor * _UP_TO_ONE, divisor.exponent)


def _product(left: PowerLaw, right: PowerLaw) -> PowerLaw:
    return PowerLaw(left.factor * right.factor, left.exponent + right.exponent)


def _power_of(base: PowerLaw, exponent: PowerLaw) -> PowerLaw:
    """Return a power with a number as exponent."""
    factor = POWER.bounds(base.factor, exponent.factor)
    return PowerLaw(factor, tidy(base.exponent * Fraction(exponent.factor.low)))


def _logarithm_of(term: PowerLaw) -> PowerLaw:
    return PowerLaw(LOGARITHM.bounds(term.factor), logs=Fraction(term.exponent))


def _sum_of(bounds: Callable[..., Span], terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a sum, or another function of terms that is k times as large where they are."""
    exponents = (term.exponent for term in terms if term.logs or term.factor.low or term.factor.high)
    largest = max(exponents, default=0)
    logs = Fraction(0) if largest else sum((term.logs for term in terms), Fraction(0))
    return PowerLaw(bounds(*(term.beside(largest) for term in terms)), largest, logs)


def _product_of(operation: Operation, terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a product of powers, or of numbers and one sum with a logarithm."""
    factor = operation.entry.bounds(*(term.factor for term in terms))
    logs = sum((term.logs for term in terms), Fraction(0))
    scale = math.prod(Fraction(term.factor.low) for term in terms if not term.logs) if logs else Fraction(0)
    return PowerLaw(factor, sum(term.exponent for term in terms), logs * scale)


def _is_number(term: PowerLaw) -> bool:
    is_constant = not (term.exponent or term.logs) and is_finite(term.factor.low)
    return is_constant and term.factor.low == term.factor.high


def _point(number: Number) -> Span:
    return Span(number, number, exact=True)
