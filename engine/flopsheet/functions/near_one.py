"""Functions near 1: e**u - 1, (1 + u)**n - 1, (1 + u)**n and log(1 + u), whose digits are lost where u is small.

Formulas do not know them: evaluation and search put them in place of sums that would cancel. Each is about u where u
is small, so besides its bounds it has those of its quotient by u, and of its growth by u: how it changes relative to
itself.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.functions.algebra import quotient
from flopsheet.functions.enclosed import ONE, ZERO
from flopsheet.functions.explog import EXPONENTIAL, LOGARITHM
from flopsheet.functions.powers import POWER
from flopsheet.functions.spec import Function, Trait
from flopsheet.numbers.spans import Span, divided, in_floats, loosely
from flopsheet.tolerances import LITTLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

_INF, _LEAST = math.inf, -700  # a smaller exponent gives about zero
_WIDE = -0.5  # below it 1 + u has digits enough


class Cancelling(Function):
    """A difference of numbers that may be almost equal; most are about a multiple of their first term u near zero."""

    above: int | None = None  # what its values exceed, if by less than digits show


class NearOne(Cancelling, ABC):
    """A function less 1 that has the sign of its only term u, and is about u where u is small."""

    @abstractmethod
    def quotient(self, span: Span) -> Span:
        """Return bounds of the value divided by u, where 1 + u is above zero."""

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the sign of u."""
        return signs[0]


class _ExpLessOne(NearOne):
    """e**u - 1."""

    node, traits, above = sympy.Function("exp_less_one"), Trait.INEXACT, -1

    def exact(self, term: Number) -> Number:
        return 0 if term == 0 else _expm1(float(term))

    def bounds(self, *spans: Span) -> Span:
        return _mapped(_expm1, spans[0], least=-1)

    def quotient(self, span: Span) -> Span:
        return _mapped(lambda u: _by_term(_expm1, u, _INF), span, least=0)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        return (EXPONENTIAL.bounds(*spans),)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return u e**u / (e**u - 1), which rises, times the growth of u."""
        (term,) = terms
        low, high = max(term.low, _LEAST), max(term.high, _LEAST)
        share = _mapped(_exp_growth, Span(low, high, exact=term.exact), least=0)
        growth: Span = (share if low == term.low else Span(0.0, share.high)) * (growths[0] or ZERO)
        return growth

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        return None if target.high <= -1 else _mapped(_log1p, target)

    def precise(self, *terms: Any) -> Any:
        return EXPONENTIAL.precise(*terms) - 1


class _LogOnePlus(NearOne):
    """log(1 + u)."""

    node, traits = sympy.Function("log_one_plus"), Trait.INEXACT

    def exact(self, term: Number) -> Number:
        return math.log1p(term) if isinstance(term, float) else LOGARITHM.exact(1 + term)

    def bounds(self, *spans: Span) -> Span:
        (span,) = spans
        return LOGARITHM.bounds(ONE + span) if span.low < _WIDE else _mapped(_log1p, span)

    def quotient(self, span: Span) -> Span:
        return _mapped(lambda u: _by_term(_log1p, u, 0), span, rising=False, least=0)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        return (divided(ONE, ONE + spans[0]),)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return u / ((1 + u) log(1 + u)), which falls, times the growth of u."""
        growth: Span = _mapped(_log_growth, terms[0], rising=False, least=0) * (growths[0] or ZERO)
        return growth

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        return bool(terms[0].low > -1)

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        return _mapped(_expm1, target, least=-1)

    def precise(self, *terms: Any) -> Any:
        return LOGARITHM.precise(1 + terms[0])


class _OfPower(Cancelling):
    """(1 + u)**n, or that less a number: e**(n log(1 + u)) where 1 + u is positive."""

    arity = 2

    def by_logarithm(self, value: Span, logarithm: Span, growth: Span, beside: Beside) -> Span:
        """Return the growth by the logarithm of the power, and by the growth of that."""
        return logarithm * growth

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the growth by the logarithm of the power, whose growth is that of both terms."""
        term, exponent = terms
        if not term.low > -1:
            return super().growth(value, terms, growths, beside)
        of_term = ZERO if growths[0] is None else LOG_ONE_PLUS.growth(value, [term], [growths[0]], beside)
        return self.by_logarithm(value, _logarithm(term, exponent), of_term + (growths[1] or ZERO), beside)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        return POWER.rates(ONE + spans[0], spans[1])

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        return bool(terms[0].low > -1)


class _PowerLessOne(_OfPower):
    """(1 + u)**n - 1: e**(n log(1 + u)) - 1 where 1 + u is positive."""

    node, above = sympy.Function("power_less_one"), -1

    def exact(self, term: Number, exponent: Number) -> Number:
        return POWER.exact(1 + term, exponent) - 1

    def bounds(self, *spans: Span) -> Span:
        term, exponent = spans
        if not term.low > -1 or (term.exact and exponent.exact):
            return POWER.bounds(ONE + term, exponent) + -1
        return EXP_LESS_ONE.bounds(_logarithm(term, exponent))

    def by_logarithm(self, value: Span, logarithm: Span, growth: Span, beside: Beside) -> Span:
        return EXP_LESS_ONE.growth(value, [logarithm], [growth], beside)

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        return signs[0] * signs[1] if terms[0].low > -1 else super().sign(value, terms, signs)

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the logarithm of the target divided by the exponent, or by that of 1 + u."""
        term, exponent = terms
        if not term.low > -1:
            only: Span = terms[place]
            return only
        if target.high <= -1:
            return None
        logs, inner = _mapped(_log1p, target), LOG_ONE_PLUS.bounds(term)
        if place:
            return quotient(logs, inner, exponent)
        roots = quotient(logs, exponent, inner)
        return None if roots is None else _mapped(_expm1, roots, least=-1)

    def precise(self, *terms: Any) -> Any:
        return POWER.precise(1 + terms[0], terms[1]) - 1


class _PowerOfOnePlus(_OfPower):
    """(1 + u)**n: e**(n log(1 + u)) where 1 + u is positive, so that a small u keeps its digits."""

    node = sympy.Function("power_of_one_plus")

    def exact(self, term: Number, exponent: Number) -> Number:
        if isinstance(term, float) and abs(term) < LITTLE:
            return EXPONENTIAL.exact(float(exponent) * math.log1p(term))
        return POWER.exact(1 + term, exponent)

    def bounds(self, *spans: Span) -> Span:
        term, exponent = spans
        if not term.low > -1 or (term.exact and exponent.exact):
            return POWER.bounds(ONE + term, exponent)
        return EXPONENTIAL.bounds(_logarithm(term, exponent))

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        return 1 if terms[0].low > -1 else super().sign(value, terms, signs)

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        return POWER_LESS_ONE.contract(node, place, target + -1, terms)

    def precise(self, *terms: Any) -> Any:
        return POWER.precise(1 + terms[0], terms[1])


class _PowerDifference(Cancelling):
    """(b + r)**n - p for a power p = b**n: its share of p is that of 1 + r/b where all are positive.

    Its terms are p, b, r and n, as p may be written otherwise: sqrt(x**2 + 1) - x.
    """

    node, arity = sympy.Function("power_difference"), 4

    def exact(self, power: Number, base: Number, more: Number, exponent: Number) -> Number:
        return POWER.exact(base + more, exponent) - power

    def bounds(self, *spans: Span) -> Span:
        power, base, more, exponent = spans
        if not _are_positive(power, base, base + more) or all(span.exact for span in spans):
            return POWER.bounds(base + more, exponent) - power
        return power * POWER_LESS_ONE.bounds(divided(more, base), exponent)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        _, base, more, exponent = spans
        by_base, by_exponent = POWER.rates(base + more, exponent)
        return -ONE, by_base, by_base, by_exponent

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the growth of p and that of the share, by r and by b."""
        power, base, more, exponent = terms
        if not _are_positive(power, base, base + more) or growths[3] is not None:
            return super().growth(value, terms, growths, beside)
        of_share = (growths[2] or ZERO) - (growths[1] or ZERO)
        share = POWER_LESS_ONE.growth(value, [divided(more, base), exponent], [of_share, None], beside)
        return (growths[0] or ZERO) + share

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the sign of r, or the other one for a negative exponent."""
        is_growing = signs[0] > 0 and signs[1] > 0 and terms[1].low + terms[2].low > 0
        return signs[2] * signs[3] if is_growing else super().sign(value, terms, signs)

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return p as the larger power less the target, and b and r by the root of what both are together."""
        power, base, more, exponent = terms
        only: Span = terms[place]
        if place == 0:
            return POWER.bounds(base + more, exponent) - target
        raised = target + power
        if place == 3 or raised.low <= 0 or exponent.low != exponent.high:
            return only
        other: Span = more if place == 1 else base
        return POWER.bounds(raised, divided(ONE, exponent)) - other

    def precise(self, *terms: Any) -> Any:
        power, base, more, exponent = terms
        return POWER.precise(base + more, exponent) - power


def _are_positive(*spans: Span) -> bool:
    return all(span.low > 0 for span in spans)


def _logarithm(term: Span, exponent: Span) -> Span:
    return exponent * LOG_ONE_PLUS.bounds(term)


def _expm1(u: float) -> float:
    try:
        return math.expm1(u)
    except OverflowError:
        return _INF


def _log1p(u: float) -> float:
    return math.log1p(u) if u > -1 else -_INF


def _by_term(function: Callable[[float], float], u: float, endless: float) -> float:
    """Return a function of a number divided by that number: 1 at zero."""
    return 1.0 if u == 0 else endless if u == _INF else function(u) / u


def _exp_growth(u: float) -> float:
    return 1.0 if u == 0 else _INF if u == _INF else u / -math.expm1(-u)


def _log_growth(u: float) -> float:
    return 1.0 if u == 0 else _INF if u <= -1 else u / (1 + u) / math.log1p(u) if u < _INF else 0.0


def _mapped(function: Callable[[float], float], span: Span, *, rising: bool = True, least: float = -_INF) -> Span:
    """Return the bounds of a monotone function of floats, no lower than it can be."""
    floats = in_floats(span)
    low, high = (floats.low, floats.high) if rising else (floats.high, floats.low)
    bounds = loosely(function(float(low)) or 0, function(float(high)) or 0, span.total)  # zero is exact
    return Span(max(bounds.low, least), bounds.high, bounds.total, bounds.exact)


EXP_LESS_ONE, LOG_ONE_PLUS, POWER_LESS_ONE = _ExpLessOne(), _LogOnePlus(), _PowerLessOne()
POWER_OF_ONE_PLUS, POWER_DIFFERENCE = _PowerOfOnePlus(), _PowerDifference()
