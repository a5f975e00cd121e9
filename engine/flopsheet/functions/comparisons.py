"""Comparisons as numbers: indicators, 1 where a comparison holds and 0 elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv
from sympy.core.symbol import Str

from flopsheet.errors import FormulaError, public
from flopsheet.functions.spec import Case, Function, Trait, Units
from flopsheet.functions.symbols import formula_function
from flopsheet.layout.nodes import PRODUCT, Fenced, Node, relation
from flopsheet.numbers.arithmetic import HOLDS, holds, mirrored
from flopsheet.numbers.sets import RealSet, complement, side, union
from flopsheet.numbers.spans import Span, as_span
from flopsheet.tolerances import CLEAR, CLOSENESS, INDICATED, STRICT, in_spreadsheets
from flopsheet.units import PURE_NUMBER, Dimension, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

COMPARISONS = {sympy.Eq: "=", sympy.Le: "<=", sympy.Ge: ">=", sympy.Lt: "<", sympy.Gt: ">"}


class Indicator(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """1 where a comparison holds, else 0: `Indicator(left, Str(sign), right)`."""

    is_real = True
    is_nonnegative = True

    @property
    def sign(self) -> str:
        """The operator: `=`, `<=`, `>=`, `<` or `>`."""
        return str(self.args[1])


class _Indicated(Function):
    """1 where a comparison holds, else 0."""

    name, node, unique = "indicator", Indicator, False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.RELATIVE | Trait.JUMPS
    operand = PRODUCT
    definition = r"\left[c\right] = 1 \text{ where } c \text{ holds, else } 0"

    def build(self, *terms: Any) -> Expr:
        return indicator(*terms)

    def dimension(self, node: Expr, units: Units) -> Dimension:
        units.same("compares", node.args[::2])
        return PURE_NUMBER

    def exact(self, left: Number, sign: str, right: Number) -> Number:
        is_rounded = isinstance(left, float) or isinstance(right, float)
        return int(holds(left, sign, right) if is_rounded else HOLDS[sign](left, right))

    def bounds(self, *spans: Any) -> Span:
        """Return 1 or 0 where one of the two is certain, else 0 to 1."""
        left, sign, right = spans
        left, right = as_span(left), as_span(right)
        gap = left - right
        slack = 0 if gap.exact else CLEAR * max(map(size, (left.low, left.high, right.low, right.high)))
        value = self._certain(gap.low - slack, gap.high + slack, sign)
        low, high = (0, 1) if value is None else (value, value)
        return Span(low, high, gap.total, exact=True)

    def _certain(self, low: Any, high: Any, sign: str) -> int | None:
        """Return 1 or 0 where a difference between two numbers decides a comparison, else None."""
        if sign == "=":
            return 0 if low > 0 or high < 0 else 1 if low == high == 0 else None
        if sign in (">", ">="):
            low, high = -high, -low
        closed = "=" in sign
        if high < 0 or (closed and high <= 0):
            return 1
        return 0 if low > 0 or (not closed and low >= 0) else None

    def rates(self, *spans: Any) -> tuple[Span, ...]:
        """Return no change where the comparison is certain, else any."""
        value = self.bounds(*spans)
        rate = Span(0, 0, exact=True) if value.low == value.high else Span(-math.inf, math.inf)
        return rate, rate, rate

    def jumps(self, value: Span, terms: Sequence[Any]) -> bool:
        """Whether it is 0 at some points and 1 at others."""
        return value.low != value.high

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the side of the comparison that a target of 0 or 1 leaves."""
        holds_there, fails_there = target.low <= 1 <= target.high, target.low <= 0 <= target.high
        if holds_there == fails_there:
            return as_span(terms[place]) if holds_there else None
        sign = node.sign if place == 0 else mirrored(node.sign)
        own, other = map(as_span, (terms[place], terms[2 - place]))
        if (sign in ("<", "<=")) == holds_there and sign != "=":
            return Span(-math.inf, other.high, exact=other.exact)
        if sign == "=":
            return other if holds_there else own
        return Span(other.low, math.inf, exact=other.exact)

    def precise(self, *terms: Any) -> Any:
        """Return 1 or 0, or both."""
        left, sign, right = terms
        gap = left - right
        value = self._certain(gap.a, gap.b, sign)
        return iv.mpf([0, 1] if value is None else value)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        holding = side(node.sign if place == 0 else mirrored(node.sign), rest or 0)
        parts = (holding if value else complement(holding) for value in (0, 1) if _is_met(value, target))
        return union(*parts)

    def cases(self, node: Expr) -> Iterator[Case]:
        left, _, right = node.args
        holding = side(node.sign, 0)
        yield Case(((left - right, holding),), sympy.Integer(1))
        yield Case(((left - right, complement(holding)),), sympy.Integer(0))

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        return sympy.Rational(value(node))

    def written(self, *terms: Any) -> Node:
        left, sign, right = terms
        return Fenced("[", relation(left, sign.text, right), "]")  # as Iverson wrote it

    def excel(self, *terms: str) -> str:
        return f"IF({excel_comparison(*terms)},1,0)"


def excel_comparison(left: str, sign: str, right: str) -> str:
    """Return a comparison of a spreadsheet: `<=`, `>=` and `=` allow for rounding, `<` and `>` ask for more than it."""
    larger = f"MAX(ABS({left}),ABS({right}))"
    close = f"{in_spreadsheets(1 / CLOSENESS)}*{larger}"
    if sign == "=":
        return f"ABS({left}-{right})<={close}"
    small, large = (left, right) if sign in ("<", "<=") else (right, left)
    if sign in ("<=", ">="):
        return f"{small}-{large}<={close}"
    return f"{large}-{small}>{in_spreadsheets(STRICT)}*{larger}"


def _is_met(value: int, target: RealSet) -> bool:
    """Whether an indicator's value lies in a target, whose ends may be sums that have lost some digits."""
    floats = (end for part in target for end, closed in part.ends if closed and isinstance(end, float))
    return any(value in part for part in target) or any(abs(end - value) <= INDICATED for end in floats)


@public
def indicator(comparison: Any) -> Expr:
    """Return 1 where a comparison of cells holds, else 0: `indicator(k > 1)`, in texts also `[k > 1]`.

    Raises:
        FormulaError: it is no comparison.
    """
    if isinstance(comparison, bool | sympy.logic.boolalg.BooleanAtom):
        return sympy.Integer(int(bool(comparison)))
    if getattr(comparison, "func", None) not in COMPARISONS:
        raise FormulaError("indicator()", "It takes a comparison of cells.", "Write indicator(k > 1).")
    left, right = comparison.args
    if left == right and left.is_Symbol:
        return sympy.Integer("=" in COMPARISONS[comparison.func])
    return Indicator(left, Str(COMPARISONS[comparison.func]), right)


@formula_function
def equal(left: Any, right: Any) -> Expr:
    """Return the relation `left = right` for a limit; Python's `==` between cells is False at once."""
    return sympy.Eq(left, right, evaluate=False)


ENTRIES = (_Indicated(),)
