"""Reads the numbers line of a derivation back: a parser of its own over the LaTeX that write-ups print."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
from tests.models.independent import erlang_c, geometric_sum
from tests.report.latex_words import FUNCTIONS, SIGNS, printed, unit_span
from tests.report.spans import Span, exact, hull

if TYPE_CHECKING:
    from collections.abc import Callable

ONE = Span(Fraction(1), Fraction(1))
_TOKEN = re.compile(
    r"\\operatorname\{[A-Za-z]+\}"
    r"|\\(?:left|right)(?:\\[a-z]+|[\[\]().|])|\\mathrm\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|\\[,%]"
    r"|\d+(?:\{,\}\d{3})*(?:\.\d+)?(?: \\times 10\^\{-?\d+\}|\\mathrm\{[MBT]\})?|[-+^_{}()\[\],<>=]|e(?=\^)"
)


def read(text: str, number: Callable[[str], Span] = printed, unit: Callable[[str], Span] = unit_span) -> Span:
    """Return what a line of numbers may stand for, by what a printed number and a printed unit stand for."""
    reader = _Reader(text, number, unit)
    span = reader.sum()
    assert not reader.left, f"unread: {reader.left[:6]} of {text}"
    return span


class _Reader:
    """A recursive descent over the tokens.

    Args:
        text: one side of a relation.
        number: what a printed number stands for.
        unit: what a printed unit stands for.
    """

    def __init__(self, text: str, number: Callable[[str], Span], unit: Callable[[str], Span]) -> None:
        self._number, self._unit = number, unit
        assert not _TOKEN.sub("", text).strip(), f"not LaTeX of a write-up: {_TOKEN.sub('', text)!r} in {text}"
        self.left: list[str] = _TOKEN.findall(text)

    def take(self, *expected: str) -> str:
        """Return the next token, of these if any are named."""
        assert self.left, f"the line ends before {expected}"
        token: str = self.left.pop(0)
        assert not expected or token in expected, f"{token} stands where {expected} should"
        return token

    def next(self, *tokens: str) -> bool:
        """Whether one of these comes next."""
        return bool(self.left) and self.left[0] in tokens

    def sum(self, first: Span | None = None) -> Span:
        """Return terms added up; the first factor may have been read."""
        total = self.product(first)
        while self.next("+", "-"):
            sign = self.take()
            term = self.product()
            total = total + (term if sign == "+" else -term)
        return total

    def product(self, first: Span | None = None) -> Span:
        """Return factors multiplied; a sign may stand before the first."""
        if first is None and self.next("-"):
            self.take()
            return -self.product()
        total = self.factor() if first is None else first
        while self.next(r"\cdot"):
            self.take()
            total = total * self.factor()
        return total

    def factor(self) -> Span:
        """Return an atom with its unit and its exponent."""
        base = self.units(self.atom(self.take()))
        return self.units(base.power(self.exponent())) if self.next("^") else base

    def units(self, base: Span) -> Span:
        """Return a number with the units behind it."""
        while self.next(r"\,"):
            self.take()
            base = base * self._unit(self.take())
        return base

    def exponent(self) -> Span:
        """Return what stands behind `^`."""
        self.take("^")
        return self.group()

    def group(self) -> Span:
        """Return what braces hold."""
        self.take("{")
        inner = self.sum()
        self.take("}")
        return inner

    def atom(self, token: str) -> Span:
        """Return a number, a fraction, a bracket or a function."""
        if token[0].isdigit():
            return self._number(token)
        if token.startswith(r"\mathrm"):
            return self._unit(token)
        if token in FUNCTIONS:
            return self.function(token)
        assert token in _RULES, f"{token} is not known"
        return _RULES[token](self)

    def brace(self) -> Span:
        """Return what opened braces hold."""
        inner = self.sum()
        self.take("}")
        return inner

    def fraction(self) -> Span:
        """Return a numerator over a denominator."""
        above = self.group()
        return above * self.group().inverse()

    def root(self) -> Span:
        """Return a root, the square one where its degree is not named."""
        degree = Fraction(2)
        if self.next("["):
            _, named, _ = self.take(), self.take(), self.take("]")
            degree = Fraction(named)
        return self.group().power(Span(1 / degree, 1 / degree))

    def bracket(self) -> Span:
        """Return a sum in round brackets, or the remainder of one factor by another."""
        first = None if self.next("-") else self.factor()
        if first is not None and self.next(r"\bmod"):
            self.take()
            inner = first.remainder(self.factor())
        else:
            inner = self.sum(first)
        self.take(r"\right)")
        return inner

    def indicator(self) -> Span:
        """Return 1 where a comparison holds, 0 where it does not, and both where the digits do not say."""
        left, sign, right = self.sum(), self.take(*SIGNS), self.sum()
        self.take(r"\right]")
        nothing = 0 in (left.low, left.high, right.low, right.high)  # no token is as little as no second
        assert left.dimension == right.dimension or nothing, "what is compared measures different things"
        ends = [(first, second) for first in {left.low, left.high} for second in {right.low, right.high}]
        holds = [Fraction(SIGNS[sign](first, second)) for first, second in ends]
        return Span(min(holds), max(holds))

    def ceiling(self) -> Span:
        """Return what is rounded up."""
        inner = self.sum()
        self.take(r"\right\rceil")
        return inner.stepped(math.ceil)

    def floor(self) -> Span:
        """Return what is rounded down."""
        inner = self.sum()
        self.take(r"\right\rfloor")
        return inner.stepped(math.floor)

    def size(self) -> Span:
        """Return an absolute value."""
        inner = self.sum()
        self.take(r"\right|", r"\right\vert")
        ends = [abs(inner.low), abs(inner.high)]
        return Span(Fraction(0) if inner.low < 0 < inner.high else min(ends), max(ends), inner.dimension)

    def largest(self) -> Span:
        """Return the largest of the terms."""
        return hull(self.terms(), max)

    def smallest(self) -> Span:
        """Return the smallest of the terms."""
        return hull(self.terms(), min)

    def busy(self) -> Span:
        """Return the probability that all servers are busy, which falls with them and rises with the load."""
        servers, load = self.terms()
        ends = [erlang_c(*ends) for ends in ((servers.high, load.low), (servers.low, load.high))]
        low, high = (end if isinstance(end, Fraction) else exact(end) for end in ends)
        return Span(low, high)

    def series(self) -> Span:
        """Return the sum of a geometric series, which rises with its ratio and its terms."""
        ratio, count = self.terms()
        ends = [geometric_sum(*ends) for ends in ((ratio.low, count.low), (ratio.high, count.high))]
        low, high = (end if isinstance(end, Fraction) else exact(end) for end in ends)
        return Span(low, high)

    def terms(self) -> list[Span]:
        """Return what stands between commas in round brackets."""
        self.take(r"\left(")
        arguments = [self.sum()]
        while self.take(",", r"\right)") == ",":
            arguments.append(self.sum())
        return arguments

    def function(self, name: str) -> Span:
        """Return a function of one term, its exponent before the bracket."""
        exponent = self.exponent() if self.next("^") else ONE
        braced = self.next("{")
        if braced:
            self.take()
        self.take(r"\left(")
        inner = self.bracket()
        if braced:
            self.take("}")
        return FUNCTIONS[name](inner).power(exponent)

    def circle(self) -> Span:
        """Return pi."""
        return ONE.through(lambda factor: factor * mpmath.pi)

    def euler(self) -> Span:
        """Return e."""
        return ONE.through(mpmath.exp)


_RULES: dict[str, Callable[[_Reader], Span]] = {
    "{": _Reader.brace,
    r"\frac": _Reader.fraction,
    r"\sqrt": _Reader.root,
    r"\left(": _Reader.bracket,
    r"\left[": _Reader.indicator,
    r"\left\lceil": _Reader.ceiling,
    r"\left\lfloor": _Reader.floor,
    r"\left|": _Reader.size,
    r"\left\vert": _Reader.size,
    r"\operatorname{ErlangC}": _Reader.busy,
    r"\operatorname{GeometricSum}": _Reader.series,
    r"\max": _Reader.largest,
    r"\min": _Reader.smallest,
    r"\pi": _Reader.circle,
    "e": _Reader.euler,
}
