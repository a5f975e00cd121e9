"""Erlang's delay formula on numbers: the probability that all servers of a queue are busy, and its inverses.

With n servers and an offered load of a < n it is w/(w + n - a), where 1/w is the integral of
(1 + u)**(n - 1) * exp(-a*u) over all u >= 0. For whole n that is Erlang's formula; for others, it is between.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import mpmath

from flopsheet.numbers.brackets import bracketed
from flopsheet.tolerances import LAST_TERM, LIBRARY, SMALLEST

if TYPE_CHECKING:
    from flopsheet.units import Number

_FEW, _MANY = 100, 1e6  # servers above which Stirling's series is taken, and a series would be too long
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_HALF = 0.5  # of the servers: of a smaller load the logarithm itself has digits enough
_NEAR_ZERO = 0.01  # of the argument of Temme's expansion: below it, the digits of a difference cancel
_GUARD = 30  # digits beyond those that are asked for


def rest_of(servers: float, load: float) -> float:
    """Return w for a load above zero and of at most as many as the servers."""
    if servers <= _FEW:
        return _by_series(servers, load, math.exp(-load) * load**servers / math.gamma(servers))
    gap = (load - servers) / servers
    decay = gap - (math.log1p(gap) if gap > -_HALF else math.log(load) - math.log(servers))
    terms = _STIRLING[:1] if servers > _MANY else _STIRLING
    series = sum(factor / servers ** (2 * place + 1) for place, factor in enumerate(terms))
    whole = math.exp(-servers * decay - series) * math.sqrt(servers / (2 * math.pi))
    if servers > _MANY:
        return whole / _share_beyond(servers, gap, decay)
    return _by_series(servers, load, whole)


def _by_series(servers: float, load: float, whole: float) -> float:
    """Return w from the same integral over all u >= -1, of which the part below zero is a series."""
    term = total = 1 / servers
    above = servers
    while term > LAST_TERM * total:
        above += 1
        term *= load / above
        total += term
    return whole / (1 - total * whole)


def _share_beyond(servers: float, gap: float, decay: float) -> float:
    """Return the share of that integral above zero by Temme's uniform expansion, whose next term is below 1e-13."""
    root = -math.sqrt(2 * max(decay, 0.0))
    near = -1 / 3 + root / 12 - 2 * root**2 / 135 + root**3 / 864
    more = near if root > -_NEAR_ZERO else 1 / gap - 1 / root
    return math.erfc(root * math.sqrt(servers / 2)) / 2 + more * math.exp(-servers * decay) / math.sqrt(
        2 * math.pi * servers
    )


def error_of(servers: float, load: float) -> float:
    """Return how far w may be off, relative to it: a power of many servers magnifies the rounding of its base."""
    spread = abs(load - servers) + servers * abs(math.log(load) - math.log(servers)) if load > 0 else 0
    return LIBRARY * (16 + 8 * math.sqrt(servers) + spread)


def probability(servers: float, load: float) -> float:
    """Return the probability for a load above zero and below the servers; the least float where it underflows."""
    rest = rest_of(servers, load)
    return min(max(rest / (rest + servers - load), SMALLEST), 1.0)


def _log_gap(level: float, servers: float, load: float) -> float:
    value = 1.0 if load >= servers else probability(servers, load) if load > 0 else SMALLEST
    return math.log(value) - math.log(level)


def load_of(servers: Number, level: Number) -> Number:
    """Return the load at which servers are all busy with a probability."""
    if level <= 0 or servers == 1:
        return max(level, 0)
    if level >= 1:
        return servers
    count, known = float(servers), max(float(level), SMALLEST)
    # The probability is at most load/servers, and grows with the load by a power of at most as many as the servers.
    most = math.log(count) + math.log(known) / count
    least = min(max(math.log(count) + math.log(known), math.log(SMALLEST)), most)
    logarithm = bracketed(lambda at: _log_gap(known, count, math.exp(at)), least, most)
    return min(math.exp(logarithm), count)


def servers_of(load: Number, level: Number) -> Number:
    """Return the servers that are all busy with a probability under a load: infinitely many for zero."""
    least = max(load, 1)
    if level <= 0:
        return math.inf
    if level >= 1 or (load < 1 and level >= load):
        return least
    offered, high = float(load), 2 * float(least)
    gap = partial(_log_gap, max(float(level), SMALLEST))
    while gap(high, offered) > 0:
        high *= 2
    return max(bracketed(lambda count: gap(count, offered), float(least), high), float(least))


def precisely(servers: Any, load: Any, digits: int) -> Any:
    """Return the probability to so many digits, for a load above zero and below the servers."""
    with mpmath.workdps(digits + _GUARD):
        whole = mpmath.exp(-load + servers * mpmath.log(load) - mpmath.loggamma(servers))
        try:
            series = mpmath.hyp1f1(1, servers + 1, load)
        except mpmath.libmp.NoConvergence as error:  # of huge loads
            raise ArithmeticError(str(error)) from error
        rest = whole / (1 - whole * series / servers)
        return rest / (rest + servers - load)
