"""Erlang's delay formula: the probability that all servers of a queue are busy.

With n servers and an offered load of a < n it is C = w/(w + n - a), where 1/w is the integral of
(1 + u)**(n - 1) * exp(-a*u) over all u >= 0, and a where n = 1. The integral extends the formula from whole numbers of
servers to all n >= 1. It rises with n and falls with a, so C falls with n and rises with a. Both derivatives follow
from it, that by n between bounds, as u/(1 + u) <= log(1 + u) <= u.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import mpmath
import sympy
from mpmath import iv
from mpmath.libmp import prec_to_dps

from flopsheet.functions.comparisons import indicator
from flopsheet.functions.enclosed import ZERO, around_all, wider
from flopsheet.functions.spec import Function, FunctionNode, Trait
from flopsheet.functions.symbols import formula_function
from flopsheet.layout.nodes import Call, Node, comma_separated
from flopsheet.numbers import many_digits
from flopsheet.numbers.erlang import error_of, load_of, precisely, probability, rest_of, servers_of
from flopsheet.numbers.sets import NOT_NEGATIVE, Interval, RealSet, mapped, meet, side, union
from flopsheet.numbers.spans import NoValueError, Span, as_span, divided, in_floats, is_exact
from flopsheet.tolerances import LIBRARY, SMALLEST_SIZE
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

_STEP = 2**-20  # of the servers: the derivative by them is a quotient of differences
SMALLEST = "1E-300"
_GUARD = 30  # digits beyond those that are asked for
_ONE, _WAITS = Span(1, 1, exact=True), Interval(0, 1)
_COUNTS = side(">=", 1)


class _ErlangC(Function):
    """The probability that all servers of a queue are busy, by their number and the load that is offered to them."""

    name, arity, unique = "erlang_c", 2, False
    traits = Trait.INEXACT | Trait.FLAT
    definition = (
        r"\operatorname{ErlangC}(n, a) = "
        r"\frac{1}{1 + \left(1 - \frac{a}{n}\right) \sum_{k=0}^{n-1} \frac{n!}{k!\,a^{n-k}}}"
        r" \text{ for } a < n, \text{ else } 1"
    )
    range = _WAITS

    def __init__(self) -> None:
        self.node = ErlangC

    def exact(self, servers: Number, load: Number) -> Number:
        """Return the probability: 1 where the load is as large as the servers are many.

        Raises:
            ValueError: there is less than one server, or the load is negative.
        """
        if servers < 1 or load < 0:
            raise ValueError("less than one server, or a negative load")
        if load >= servers:
            return 1
        return load if servers == 1 or load == 0 else probability(float(servers), float(load))

    def demands(self, node: Expr) -> Iterator[tuple[Expr, RealSet]]:
        """Yield both arguments: one server or more, and no negative load."""
        yield node.args[0], _COUNTS
        yield node.args[1], NOT_NEGATIVE

    # --- intervals ---

    def bounds(self, *spans: Span) -> Span:
        """Return the values at the most servers with the least load, and at the fewest with the largest."""
        servers, load, total = self._inside(spans)
        low, high = self.exact(servers.high, load.low), self.exact(servers.low, load.high)
        if is_exact(low) and is_exact(high):
            return Span(low, high, total, exact=True)
        servers, load = in_floats(servers), in_floats(load)
        return Span(self._end(servers.high, load.low, -1), self._end(servers.low, load.high, 1), total)

    def _inside(self, spans: Sequence[Span]) -> tuple[Span, Span, bool]:
        """Return the parts of both terms for which there is a value, and whether these are all.

        Raises:
            NoValueError: there is none.
        """
        servers, load = map(as_span, spans)
        if servers.high < 1 or load.high < 0:
            raise NoValueError
        total = servers.total and load.total and servers.low >= 1 and load.low >= 0
        low, least = max(servers.low, 1), max(load.low, 0)
        return Span(low, servers.high, exact=servers.exact), Span(least, load.high, exact=load.exact), total

    def _end(self, servers: Number, load: Number, way: int) -> float:
        """Return a value that is moved one way by as much as it may be off."""
        servers, load = max(float(servers), 1.0), max(float(load), 0.0)
        if servers == math.inf:
            return 0.0 if way < 0 else 1.0
        value = float(self.exact(servers, load))
        if 0 < load < servers:
            value = math.nextafter(value * (1 + way * error_of(servers, load)), way * math.inf)
        return min(max(value, 0.0), 1.0)

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether there is one server or more, and no negative load."""
        return bool(terms[0].low >= 1 and terms[1].low >= 0)

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return 1 for a load above zero, where the value may underflow."""
        return 1 if signs[1] > 0 else super().sign(value, terms, signs)

    def _parts(self, spans: Sequence[Span]) -> tuple[Span, Span, Span, Span, Span] | None:
        """Return the value, servers, load, n - a, and 1/(w + n - a) below the plateau; None where there is nothing."""
        servers, load = map(in_floats, self._inside(spans)[:2])
        most = min(load.high, servers.high)
        if load.low >= servers.high or servers.high == math.inf:
            return None
        gap = Span(max(servers.low - load.high, 0.0), servers.high - load.low) * Span(1 - LIBRARY, 1 + LIBRARY)
        fewest, least, last = float(servers.low), float(load.low), min(float(most), float(servers.low))
        low = _moved_rest(float(servers.high), least, -1)
        high = _moved_rest(fewest, last, 1)
        share = divided(_ONE, Span(low, high) + gap)
        return self.bounds(servers, load), servers, Span(load.low, most), gap, share

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return the derivatives, zero on the plateau: by the load C/(w + n - a) + C (n - a)/a."""
        growths = self._growths(spans)
        if growths is None:
            return self._unknown(spans)
        value, servers, load, by_servers, by_load = growths
        return divided(value * by_servers, servers), divided(value * by_load, load)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the relative changes by both terms times theirs."""
        known = self._growths(terms)
        if known is None:
            return super().growth(value, terms, growths, beside)
        parts = [by * growth for by, growth in zip(known[3:], growths, strict=True) if growth is not None]
        return sum(parts[1:], parts[0]) if parts else ZERO

    def _unknown(self, spans: Sequence[Span]) -> tuple[Span, Span]:
        servers, load, _ = self._inside(spans)
        if load.low >= servers.high:
            return ZERO, ZERO
        return Span(-math.inf, 0.0), Span(0.0, math.inf)

    def _growths(self, spans: Sequence[Span]) -> tuple[Span, Span, Span, Span, Span] | None:
        """Return the value, both terms, and its relative change by that of each; None where these are not bounded."""
        parts = self._parts(spans)
        if parts is None or parts[2].low <= 0:
            return None
        value, servers, load, gap, share = parts
        by_load = load * share + gap
        # Between the two bounds of log(1 + u): that above gives the derivative by the load.
        by_most = servers * (share + divided(gap, load))
        by_least = servers * share
        if servers.low > 1:
            fewer = servers + -1
            curved = divided(share * (fewer - load) + value, fewer)
            by_least = by_least + servers * gap * Span(max(curved.low, 0.0), max(curved.high, 0.0))
        by_servers = Span(-by_most.high, -by_least.low)
        if as_span(spans[1]).high >= servers.low:  # a part of the plateau
            by_servers, by_load = around_all((by_servers, ZERO)), around_all((by_load, ZERO))
        return value, servers, load, by_servers, by_load

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return a span around the term, by the inverse at both ends of the other term."""
        other = as_span(terms[1 - place])
        low, high = max(target.low, 0), min(target.high, 1)
        if low > 1 or high < 0:
            return None
        low = low if low > SMALLEST_SIZE else 0  # a value that underflows is that of any more servers
        if place == 0:
            least = servers_of(max(other.low, 0), high) if high < 1 else 1
            return wider(least, servers_of(other.high, low) if is_finite(other.high) else math.inf)
        most = load_of(other.high, high) if high < 1 and is_finite(other.high) else math.inf
        return wider(load_of(max(other.low, 1), low), most)

    def precise(self, *terms: Any) -> Any:
        """Return the values at the ends of intervals, to many digits."""
        servers, load = terms
        if servers.b < 1 or load.b < 0:
            raise NoValueError
        low = _many_digits(servers.b, max(load.a, iv.mpf(0)))
        high = _many_digits(max(servers.a, iv.mpf(1)), load.b)
        return iv.mpf([low.a, high.b])

    # --- inverse ---

    def rest(self, node: Expr, place: int) -> Expr:
        return node.args[1 - place]

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        other = 0 if rest is None else rest
        if place == 1:
            if other < 1:
                return ()
            below = Interval(0, 1, upper_closed=False)
            loads = tuple(mapped(part, partial(load_of, other), rising=True) for part in meet(target, (below,)))
            return union(loads, side(">=", other) if _holds_one(target) else ())
        if other <= 0:
            return _COUNTS if other == 0 and any(0 in part for part in target) else ()
        # One server is busy for a share `other` of the time; from a load of one on, all are, up to as many as the load.
        below = Interval(0, min(other, 1), lower_closed=False, upper_closed=other <= 1)
        counts = tuple(mapped(part, partial(servers_of, other), rising=False) for part in meet(target, (below,)))
        return union(counts, (Interval(1, other),) if other >= 1 and _holds_one(target) else ())

    # --- derivative and printed forms ---

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr | None:
        servers, load = map(value, node.args)
        return sympy.Integer(1) if load >= servers else None

    def layout(self, *terms: Node) -> Node:
        return Call("ErlangC", comma_separated(*terms))

    def excel(self, *terms: str) -> str:
        servers, load = terms
        density = f"GAMMADIST({load},{servers}+1,1,FALSE)"
        fewer = f"(1-({load})/({servers}))*(1-GAMMADIST({load},{servers},1,TRUE))"
        # The share of many idle servers is below the smallest float, where programs have 0, which has no logarithm.
        share = f"MAX({density},{SMALLEST})/({density}+{fewer})"
        return f"IF({load}>={servers},1,IF({load}<=0,0,{share}))"


def _moved_rest(servers: float, load: float, way: int) -> float:
    """Return w, moved one way by as much as it may be off."""
    return max(rest_of(servers, load) * (1 + way * error_of(servers, load)), 0.0) if load > 0 else 0.0


def _holds_one(target: RealSet) -> bool:
    return any(1 in part for part in target)


def _many_digits(servers: Any, load: Any) -> Any:
    """Return bounds of the probability at two ends of intervals."""
    if load >= servers:
        return iv.mpf(1)
    if load <= 0:
        return iv.mpf(0)
    count, offered = map(many_digits.lower_end, (servers, load))
    value = precisely(count, offered, prec_to_dps(iv.prec))
    return many_digits.around_value(value)


class ErlangC(FunctionNode):
    """Erlang's delay formula in sympy trees."""

    nargs = 2

    def _eval_evalf(self, precision: int) -> Any:
        servers, load = (term.evalf(prec_to_dps(precision) + _GUARD) for term in self.args)
        if not (servers.is_Float and load.is_Float) or servers < 1 or load < 0:
            return sympy.nan if servers.is_number and load.is_number else None
        if load >= servers or not load:
            return sympy.Integer(1 if load >= servers else 0)
        return sympy.Float(
            precisely(mpmath.mpf(servers._mpf_), mpmath.mpf(load._mpf_), prec_to_dps(precision)), precision=precision
        )

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative: that by the servers as a quotient of differences, to about nine digits."""
        servers, load = self.args
        if argindex == 1:
            step = servers * _STEP
            return (ErlangC(servers + step, load) - self) / step
        below = (1 - self) / (servers - load) + (servers - load) / load
        return indicator(sympy.Lt(load, servers, evaluate=False)) * self * below


ERLANG_C = _ErlangC()
ErlangC.entry = ERLANG_C
ENTRIES = (ERLANG_C,)


@formula_function
def erlang_c(servers: Any, load: Any) -> Expr:
    """Return the probability that all servers of a queue are busy, 1 where the load exceeds them.

    The queue is M/M/c: the load is the rate of arrivals times the mean time of service. Between whole numbers of
    servers it is the integral that Erlang's formula has there.
    """
    return ErlangC(servers, load)
