"""Functions of power laws: numbers that grow as a power, or a logarithm, times what stays between two numbers.

Exponents are exact, so what grows alike cancels exactly, however far the numbers reach.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from flopsheet.functions import BY_NODE, Trait
from flopsheet.functions.branches import Guarded, taken_place
from flopsheet.functions.explog import EXPONENTIAL, LOGARITHM
from flopsheet.functions.near_one import (
    EXP_LESS_ONE,
    LOG_ONE_PLUS,
    POWER_DIFFERENCE,
    POWER_LESS_ONE,
    POWER_OF_ONE_PLUS,
    Cancelling,
    NearOne,
)
from flopsheet.functions.powers import POWER
from flopsheet.functions.rounding import REMAINDER
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, in_floats
from flopsheet.units import is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number

_SUM, _PRODUCT = BY_NODE[sympy.Add], BY_NODE[sympy.Mul]
_FROM_ONE, _UP_TO_ONE = Span(1, math.inf, exact=True), Span(0, 1, exact=True)
_NOT_NEGATIVE = Span(0, math.inf, exact=True)


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
    def shortened(self) -> PowerLaw:
        """The same with a factor in floats where it has many digits: in a chain of squares these double at each."""
        is_longer = self.factor.exact and (is_long(self.factor.low) or is_long(self.factor.high))
        return self._replace(factor=in_floats(self.factor)) if is_longer else self

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


def law_of(entry: Function, node: Expr, terms: Sequence[Any]) -> PowerLaw:
    """Return a function of power laws; as mere bounds where it is no power, product, logarithm or kind of sum."""
    if isinstance(entry, Guarded) and entry.needed([law.span for law in terms[-len(entry.wanted) :]]):
        return law_of(entry.inner, entry.own, terms[: -len(entry.wanted)])
    has_logs = any(isinstance(term, PowerLaw) and term.logs for term in terms)
    try:
        if not has_logs and (entry is REMAINDER or isinstance(entry, Cancelling)):
            return _nearly(entry, terms)
        if node.is_Add or Trait.HOMOGENEOUS in entry.traits:
            return _homogeneous(entry, node, terms)
        if node.is_Mul:
            return _product_of(entry, terms)
        law = _raised(*terms) if node.is_Pow and not has_logs else _taken(entry, terms)
        if node.func is sympy.log and terms[0].exponent:
            law = _logarithm_of(*terms)
        return law or PowerLaw(entry.bounds(*(term.span if isinstance(term, PowerLaw) else term for term in terms)))
    except NoValueError:
        raise
    except (ArithmeticError, ValueError):
        return PowerLaw(ANYTHING)


def _taken(entry: Function, terms: Sequence[PowerLaw]) -> PowerLaw | None:
    """Return the branch that a condition takes for each y; None where that may change, or there is no condition."""
    place = taken_place(terms[0].span) if entry.traits & Trait.GUARDS else None
    return None if place is None or not terms[0].span.total else terms[place + 1]


def _homogeneous(entry: Function, node: Expr, terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a sum, or another function that is k times as large where its terms are."""
    chosen = _chosen(entry, terms) if Trait.EXTREME in entry.traits else None
    if chosen is None and not node.is_Add and any(term.logs for term in terms):
        return PowerLaw(entry.bounds(*(term.span for term in terms)))
    return chosen or _sum_of(entry.bounds, terms)


def _chosen(entry: Function, terms: Sequence[PowerLaw]) -> PowerLaw | None:
    """Return the term that is the largest, or smallest, for each y; None where that may change."""
    spans = [term.span for term in terms]
    deciding = (term for term, share in zip(terms, entry.rates(*spans), strict=True) if share.low == 1)
    return next(deciding, None) if all(span.total for span in spans) else None


def _nearly(entry: Any, terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a remainder, a difference of powers, or a function less one."""
    if entry is REMAINDER:
        return _remainder_of(*terms)
    if entry is POWER_OF_ONE_PLUS and terms[0].span.low > -1:
        return _exponential_of(_near_one(LOG_ONE_PLUS, terms[0]), terms[1])
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


def _raised(base: PowerLaw, exponent: PowerLaw) -> PowerLaw | None:
    """Return a power; None where its exponent varies, and its base may be negative."""
    if _is_number(exponent):
        return _power_of(base, exponent)
    return _exponential_of(_logarithm_of(base), exponent) if base.factor.low > 0 else None


def _power_of(base: PowerLaw, exponent: PowerLaw) -> PowerLaw:
    """Return a power with a number as exponent."""
    factor = POWER.bounds(base.factor, exponent.factor)
    return PowerLaw(factor, tidy(base.exponent * Fraction(exponent.factor.low)))


def _logarithm_of(term: PowerLaw) -> PowerLaw:
    return PowerLaw(LOGARITHM.bounds(term.factor), logs=Fraction(term.exponent))


def _exponential_of(logarithm: PowerLaw, exponent: PowerLaw) -> PowerLaw:
    """Return a power, by the logarithm of its base."""
    return PowerLaw(EXPONENTIAL.bounds(_product_of(_PRODUCT, (logarithm, exponent)).span))


def _sum_of(bounds: Callable[..., Span], terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a sum, or another function of terms that is k times as large where they are."""
    exponents = (term.exponent for term in terms if term.logs or term.factor.low or term.factor.high)
    largest = max(exponents, default=0)
    logs = Fraction(0) if largest else sum((term.logs for term in terms), Fraction(0))
    return PowerLaw(bounds(*(term.beside(largest) for term in terms)), largest, logs)


def _product_of(entry: Function, terms: Sequence[PowerLaw]) -> PowerLaw:
    """Return a product of powers, of numbers and one sum with a logarithm, or of one such sum and what decays."""
    exponent: Number = sum(term.exponent for term in terms)
    logs = [term for term in terms if term.logs]
    if len(logs) == 1 and exponent < 0:
        return _decaying(entry, terms, Fraction(exponent))
    others = [term for term in terms if not term.logs]
    if len(logs) > 1 or (logs and not all(map(_is_number, others))):
        return PowerLaw(entry.bounds(*(term.span for term in terms)))
    scale = math.prod((Fraction(term.factor.low) for term in others), start=Fraction(1)) if logs else Fraction(0)
    more = sum((term.logs for term in logs), Fraction(0)) * scale
    return PowerLaw(entry.bounds(*(term.factor for term in terms)), exponent, more)


def _decaying(entry: Function, terms: Sequence[PowerLaw], exponent: Fraction) -> PowerLaw:
    """Return a product with a logarithm, whose powers decay: half of these outweigh it, as log(y) < y**e / e."""
    half = exponent / 2
    share = Span(0, -1 / half, exact=True)
    factors = (term.factor * _UP_TO_ONE + _point(term.logs) * share if term.logs else term.factor for term in terms)
    return PowerLaw(entry.bounds(*factors), half)


def _is_number(term: PowerLaw) -> bool:
    is_constant = not (term.exponent or term.logs) and is_finite(term.factor.low)
    return is_constant and term.factor.low == term.factor.high


def _point(number: Number) -> Span:
    return Span(number, number, exact=True)
