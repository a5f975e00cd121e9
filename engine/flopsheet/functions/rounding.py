"""Functions that round: the integers above and below, and remainders. A float next to an integer counts as it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv
from mpmath.libmp import mpf_ceil, mpf_floor

from flopsheet.functions.spec import Function, NoInverseError, Trait, Units
from flopsheet.functions.symbols import formula_function
from flopsheet.layout.nodes import POWER, PRODUCT, Fenced, Node, bracketed, in_brackets, relation
from flopsheet.numbers.arithmetic import divided, near_whole
from flopsheet.numbers.many_digits import is_settled
from flopsheet.numbers.sets import EMPTY, NOT_ZERO, Interval, RealSet, meet, union, whole_ends
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, as_span, is_exact
from flopsheet.numbers.spans import divided as divided_spans
from flopsheet.tolerances import CLEAR, FLOAT_DIGIT, LARGEST_OFF, NEAR_WHOLE, NEAR_WHOLE_ULPS, in_spreadsheets
from flopsheet.units import Dimension, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number


def _excel_near_integer(term: str) -> str:
    """Return the test of a spreadsheet for a number that is an integer within the rounding of floats."""
    share, most, last = (in_spreadsheets(off) for off in (NEAR_WHOLE, LARGEST_OFF, NEAR_WHOLE_ULPS * FLOAT_DIGIT))
    return f"ABS({term}-ROUND({term},0))<=MIN({share}*ABS({term}),MAX({most},{last}*ABS({term})))"


class _Rounding(Function):
    """The next integer above or below, of a count or a pure number, by Python's function."""

    way: Callable[[Number], int]
    unique = False
    traits = Trait.STEPPED | Trait.FLAT | Trait.JUMPS
    operand = PRODUCT

    def build(self, *terms: Any) -> Expr:
        term = sympy.sympify(*terms)  # of an irrational number, sympy would compute digits by the million
        return self.node(term, evaluate=not term.is_number or bool(term.is_Rational))

    def dimension(self, node: Expr, units: Units) -> Dimension:
        (term,) = node.args
        dimension = units.dimension(term)
        if dimension and not dimension.is_count:
            problem = f"'{units.text(term)}' is {dimension}: rounding it depends on the unit."
            raise units.error(problem, "Round a count: divide by a quantity of the same unit first.")
        return dimension

    def exact(self, value: Number) -> Number:
        value = near_whole(value)
        return value if not is_finite(value) else self.way(value)

    def bounds(self, *spans: Span) -> Span:
        # Each end is rounded by itself, and as the integer that it is within rounding.
        span = as_span(*spans)
        low, high = min(self._ends(span.low)), max(self._ends(span.high))
        return Span(low, high, span.total, is_exact(low) and is_exact(high))

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return no change within a step, else none or any rise."""
        value = self.bounds(*spans)
        return (Span(0, 0 if value.low == value.high else math.inf, exact=True),)

    def jumps(self, value: Span, terms: Sequence[Any]) -> bool:
        """Whether there is a step between the bounds."""
        del terms
        return value.low != value.high

    def precise(self, *terms: Any) -> Any:
        """Return both ends rounded; the integer that most digits do not tell a number from, as in log2(8)."""
        way = mpf_ceil if self.way is math.ceil else mpf_floor
        ends = terms[0]._mpi_  # the only way to its ends
        low, high = mpf_ceil(ends[0]), mpf_floor(ends[1])
        if low == high and is_settled(terms[0]):
            return iv.make_mpf((low, high))
        return iv.make_mpf(tuple(way(end) for end in ends))

    def _ends(self, end: Number) -> tuple[Number, Number]:
        if not is_finite(end):
            return end, end
        return self.way(end), self.way(near_whole(end))

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        runs = (whole_ends(part) for part in target)
        return union(tuple(self._steps(first, last) for first, last in runs if first <= last))

    def _steps(self, first: Number, last: Number) -> Interval:
        if self.way is math.ceil:
            return Interval(first - 1, last, lower_closed=False, upper_closed=last != math.inf)
        return Interval(first, last + 1, lower_closed=first != -math.inf, upper_closed=False)

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        return sympy.Rational(value(node))

    def layout(self, *terms: Node) -> Node:
        return Fenced("⌈", terms[0], "⌉") if self.way is math.ceil else Fenced("⌊", terms[0], "⌋")

    def excel(self, *terms: str) -> str:
        (term,) = terms  # INT rounds down, negative numbers too
        near = f"IF({_excel_near_integer(term)},ROUND({term},0),{term})"
        return f"(-INT(-{near}))" if self.way is math.ceil else f"INT({near})"


CEILING = _Rounding(name="ceil", node=sympy.ceiling, way=math.ceil)
FLOOR = _Rounding(name="floor", node=sympy.floor, way=math.floor)


@formula_function
def ceil(term: Any) -> Expr:
    """Return the next integer, of a count."""
    return CEILING.build(term)


@formula_function
def floor(term: Any) -> Expr:
    """Return the integer below, of a count."""
    return FLOOR.build(term)


class Mod(sympy.Mod):  # type: ignore[misc]  # sympy is untyped
    """A remainder, evaluated for numbers alone: sympy expands its terms to find common factors."""

    @classmethod
    def eval(cls, term: Expr, divisor: Expr) -> Any:
        """Return the remainder of two numbers, or None.

        Raises:
            ZeroDivisionError: the divisor is zero.
        """
        return sympy.Mod(term, divisor) if divisor.is_Number and (term.is_Number or not divisor) else None


class _Remainder(Function):
    """The remainder of a division, with the sign of the divisor: 0 for a multiple."""

    name, node, arity, verb, unique = "mod", Mod, 2, "divides", False
    traits = Trait.PERIODIC | Trait.FLAT | Trait.LAZY | Trait.HOMOGENEOUS | Trait.JUMPS | Trait.WHOLE
    operand = POWER
    domain = NOT_ZERO

    def exact(self, value: Number, divisor: Number) -> Number:
        return _remainder(value, divisor, divided(value, divisor))

    def floats(self, value: Number, divisor: Number) -> Number:
        return _remainder(value, divisor, float(value) / float(divisor))

    def bounds(self, *spans: Span) -> Span:
        value, divisor = map(as_span, spans)
        if divisor.low <= 0 <= divisor.high:
            return ANYTHING
        times, total = self._times(value, divisor), value.total and divisor.total
        if times is None:
            return Span(min(0, divisor.low), max(0, divisor.high), total, divisor.exact)
        return value + divisor * -times if times else Span(value.low, value.high, total, value.exact)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return 1 for the dividend while the quotient has one integral part; else any change."""
        value, divisor = map(as_span, spans)
        times = self._times(value, divisor)
        if times is None:
            return ANYTHING, ANYTHING
        return Span(1, 1, exact=True), Span(-times, -times, exact=True)

    def _times(self, value: Span, divisor: Span) -> int | None:
        """Return the integral part of the quotient where it is one; None where it varies or is near an integer."""
        if divisor.low <= 0 <= divisor.high:
            return None
        quotient = divided_spans(value, divisor)
        exactly = quotient.exact and divisor.low == divisor.high
        slack = 0 if exactly else CLEAR * max(size(quotient.low), size(quotient.high))
        if not is_finite(quotient.low) or not is_finite(quotient.high):
            return None
        times = math.floor(quotient.low - slack)
        return times if math.floor(quotient.high + slack) == times else None

    def jumps(self, value: Span, terms: Sequence[Any]) -> bool:
        """Whether the integral part of the quotient varies."""
        return self._times(*map(as_span, terms)) is None

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the target with the multiple of the divisor that was taken off, where that is one."""
        value, divisor = map(as_span, terms)
        times = self._times(value, divisor)
        return divisor if place == 1 else value if times is None else target + divisor * times

    def precise(self, *terms: Any) -> Any:
        """Return the remainder where the quotient has one integral part, else anything up to the divisor."""
        value, divisor = terms
        if divisor.a == divisor.b == 0:
            raise NoValueError
        quotient = value / divisor
        low, high = (mpf_floor(end) for end in quotient._mpi_)  # the only way to its ends
        if low != high and is_settled(quotient):
            return iv.mpf(0)
        if low == high:
            return value - divisor * iv.make_mpf((low, high))
        return iv.mpf([min(0, divisor.a), max(0, divisor.b)])

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        divisor = rest or 0
        if place == 1:
            raise NoInverseError("endlessly many divisors leave a remainder")
        if divisor == 0:
            return EMPTY
        whole = Interval(0, divisor, upper_closed=False) if divisor > 0 else Interval(divisor, 0, lower_closed=False)
        return meet(target, (whole,))

    def period(self, rest: Number | None) -> Number:
        return size(rest or 1)

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        dividend, divisor = node.args
        return dividend - divisor * sympy.Rational(value(sympy.floor(dividend / divisor)))

    def layout(self, *terms: Node) -> Node:
        dividend, divisor = (bracketed(term, POWER) for term in terms)
        return in_brackets(relation(dividend, "mod", divisor))

    def excel(self, *terms: str) -> str:
        term, divisor = terms  # MOD itself rejects large quotients
        quotient = f"{term}/{divisor}"
        return f"IF({_excel_near_integer(quotient)},0,{term}-{divisor}*INT({quotient}))"


def _remainder(value: Number, divisor: Number, quotient: Number) -> Number:
    if not is_finite(divisor):  # too large for a number: the other sign leaves a remainder that is too large as well
        return value if value == 0 or (value > 0) == (divisor > 0) else divisor
    quotient = near_whole(quotient)
    return 0 if isinstance(quotient, int) else value - divisor * math.floor(quotient)


REMAINDER = _Remainder()


@formula_function
def mod(term: Any, divisor: Any) -> Expr:
    """Return the remainder of a division, with the sign of the divisor: 0 for a multiple."""
    return Mod(term, divisor)


ENTRIES = (CEILING, FLOOR, REMAINDER)


def merged(total: Expr, varying: frozenset[Expr]) -> Expr:
    """Return a sum with a number and its rounding as one function, which holds the number once; else the sum as it is.

    `u - floor(u)` and `ceil(u) - u` are remainders by 1, and `u - mod(u, v)` is `v*floor(u/v)`. So are multiples of
    them by cells that do not vary: `v*ceil(u/v) - u`.
    """
    for term in total.args if total.is_Add else ():
        factor, rounded = term.as_independent(*varying, as_Add=False)
        if not isinstance(rounded, (sympy.floor, sympy.ceiling, Mod)):
            continue
        inner = rounded.args[0]
        rest = total - term + factor * inner
        if _n_terms(rest) == len(total.args) - 1 - _n_terms(inner):  # it cancels
            return rest + factor * _less_number(rounded, *rounded.args)
    return total


def _less_number(rounded: Expr, number: Expr, divisor: Any = 1) -> Expr:
    """Return a rounding, or a remainder, less the number that is rounded."""
    if isinstance(rounded, Mod):
        return -divisor * FLOOR.build(number / divisor)
    return -Mod(number, sympy.Integer(1)) if isinstance(rounded, sympy.floor) else Mod(-number, sympy.Integer(1))


def _n_terms(total: Expr) -> int:
    return len(sympy.Add.make_args(total)) if total else 0
