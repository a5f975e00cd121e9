"""Random formulas over boxes of many sizes, what a search finds of them, and what plain evaluation says."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from hypothesis import assume, reject
from hypothesis import strategies as st

from flopsheet import ceil, exp, floor, indicator, log, max_, min_, mod, ratio, select, sqrt
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.functions import BY_NODE, has_no_value
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.many_digits import ends_of
from flopsheet.numbers.sets import Interval, side
from flopsheet.search.field import Field
from flopsheet.search.grid import REALS, WHOLES
from flopsheet.search.one_unknown import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.numbers.sets import RealSet
    from flopsheet.search.one_unknown import Cover
    from flopsheet.units import Number

X = symbol("x")
INF = math.inf
BITS = 400
ROUNDING = Fraction(1, 10**12)  # ends that are floats are known to this share
WORK = 20_000
SIGNS = ["=", "<", "<=", ">", ">="]


class Question(NamedTuple):
    """A formula over a domain, compared with its value at a number inside."""

    formula: Any
    start: Fraction
    domain: Interval
    integer: bool = False


def _selected(condition: Any, then: Any, otherwise: Any) -> Any:
    """Return a case distinction; its first branch where one has no value."""
    return then if has_no_value(then) or has_no_value(otherwise) else select(condition, then, otherwise)


def searched(formula: Any, sign: str, level: Number, domain: Interval, *, integer: bool = False) -> Cover:
    field = Field(program_of(formula), "x", {})
    return Search(field, side(sign, level), WHOLES if integer else REALS, WORK).over(domain)


def over(low: Number, high: Number) -> Interval:
    return Interval(low, high, math.isfinite(low), math.isfinite(high))


def finite_value(formula: Any, at: Fraction) -> Number:
    """Return the value of a formula at a number; reject the example where it has none."""
    value = value_or_none(formula, {"x": at})
    if value is None or not math.isfinite(value):
        reject()
    return float(value) if isinstance(value, float) else value  # as a question states it, without further digits


def formula_at(formula: Any, at: Number) -> Number:
    """Return the value of a formula at a number, by plain evaluation: a plateau is met within its rounding."""
    value = value_or_none(formula, {"x": at})
    return INF if value is None else value


def holds(formula: Any, sign: str, level: Number, at: Number) -> bool | None:
    """Return whether a relation holds at a number; None without a value, or where many digits do not decide."""
    if value_or_none(formula, {"x": at}) is None:
        return None
    field = Field(program_of(formula), "x", {})
    exactly = field.exactly(at)
    try:
        precise = ends_of(field.precise(at, at, BITS, level)) if exactly is None else None
        low, high = precise or (Fraction(exactly or 0) - Fraction(level),) * 2
    except (ArithmeticError, ValueError):
        return None
    if low <= 0 <= high and low != high:
        return None
    return {"=": low == 0, "<": low < 0, "<=": low <= 0, ">": low > 0, ">=": low >= 0}[sign]


def holds_near(at: Number, values: RealSet) -> bool:
    """Whether a number lies in a set, or within rounding of it."""
    off = ROUNDING * abs(Fraction(at))
    return any(part.lower - off <= at <= part.upper + off for part in values)


def is_beside_a_float(at: Number, values: RealSet) -> bool:
    """Whether rounding decides on which side of an end a number lies."""
    ends = (end for part in values for end, _ in part.ends if isinstance(end, float) and math.isfinite(end))
    return any(abs(Fraction(end) - Fraction(at)) <= ROUNDING * abs(Fraction(at)) for end in ends)


# --- random questions ---


def extreme(way: Callable[..., Any], one: Any, other: Any) -> Any:
    """Return the larger or the smaller of two formulas; the first where sympy proves that one is no real number."""
    try:
        return way(one, other)
    except ValueError:
        return one


small = st.builds(Fraction, st.integers(1, 20), st.sampled_from([1, 1, 2, 3, 5]))
sized = st.builds(lambda number, size: number * Fraction(10) ** size, small, st.integers(-8, 8))
signed = st.builds(
    lambda number, sign: ratio(*(sign * number).as_integer_ratio()), small | sized, st.sampled_from([1, 1, -1])
)
powers = st.sampled_from([1, 1, 2, 3, 4, -1, -2, -3, ratio(1, 2), ratio(-1, 2), ratio(3, 2), ratio(1, 3)])
monomials = st.builds(lambda factor, power: factor * X**power, signed, powers)


def arithmetic(inner: Any) -> list[Any]:
    """Return what both sorts of formulas are made of: sums, products, quotients and extremes."""
    return [
        st.builds(lambda a, b: a + b, inner, inner | signed),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b if b != 0 else a, inner, inner),
        st.builds(extreme, st.sampled_from([max_, min_]), inner, inner | signed),
    ]


exact_formulas = st.recursive(
    monomials,
    lambda inner: st.one_of(
        *arithmetic(inner),
        st.builds(
            lambda a, b, power: (a + b) ** power if a + b != 0 else a, inner, signed, st.sampled_from([2, 3, -1, -2])
        ),
        *(st.builds(way, inner) for way in (abs_, ceil, floor)),
        st.builds(mod, inner, signed),
        st.builds(lambda a, b: mod(b, a) if a != 0 else b, inner, signed),
        st.builds(lambda a, b, c: a + b * indicator(sympy.Le(a, c, evaluate=False)), inner, signed, signed),
        st.builds(lambda a, b, c: _selected(sympy.Le(X, c, evaluate=False), a, b), inner, inner, signed),
    ),
    max_leaves=4,
)
smooth_formulas = st.recursive(
    monomials,
    lambda inner: st.one_of(
        *arithmetic(inner),
        st.builds(lambda a: exp(-abs_(a)), inner),
        st.builds(
            lambda a, b: exp(b * log(X) / 5) + a, inner, small.map(lambda number: ratio(*number.as_integer_ratio()))
        ),
        st.builds(lambda a: log(a) if a.has(X) else a, inner),
        st.builds(lambda a, b, c: _selected(sympy.Gt(X, c, evaluate=False), a, b), inner, inner, signed),
        st.builds(lambda a: sqrt(a) if a.has(X) else a, inner),
    ),
    max_leaves=4,
)
# Beside a large divisor, what varies is a last digit, or none of a float.
hidden_formulas = st.builds(
    lambda term, divisor, way, step, power: (mod(term, divisor) / way(step) + 1) ** power,
    monomials | st.builds(lambda a, b: a + b, monomials, monomials),
    st.builds(lambda size, sign: sympy.Integer(sign * 10**size), st.integers(2, 20), st.sampled_from([1, -1])),
    st.sampled_from([ceil, floor, abs_]),
    monomials,
    st.sampled_from([1, 2, -1]),
)


@st.composite
def questions(draw: Any, formulas: Any) -> Question:
    """Draw a question whose domain spans up to twelve sizes on either side of a number, or more."""
    formula, integer = draw(formulas), draw(st.booleans())
    assume(formula.has(X) and not has_no_value(formula))
    assume(not [part for part in sympy.preorder_traversal(formula) if part.args and part.func not in BY_NODE])
    start = Fraction(draw(st.integers(1, 999)))
    if integer:
        start *= 10 ** draw(st.integers(0, 6))
    else:
        start *= Fraction(10) ** draw(st.integers(-9, 9))
    low, high = (start * Fraction(10) ** (way * draw(st.integers(0, 12))) for way in (-1, 1))
    low, high = draw(
        st.sampled_from([(low, high), (low, high), (0, high), (low, INF), (0, INF), (-high, high), (-INF, INF)])
    )
    if draw(st.integers(0, 5)) == 0:
        start, low, high = -start, -high, -low
    return Question(formula, start, over(low, high), integer)


def probes(question: Question) -> Iterator[Number]:
    """Yield numbers of all sizes inside of the domain, and its ends."""
    low, high = question.domain.lower, question.domain.upper
    numbers: list[Number] = [
        question.start * Fraction(10) ** size * step for size in range(-12, 13, 3) for step in (1, Fraction(7, 3), -2)
    ]
    numbers += [end for end in (low, high) if math.isfinite(end)] + [0]
    if math.isfinite(high - low):
        numbers += [low + (high - low) * Fraction(step, 9) for step in range(10)]
    for at in numbers:
        number = round(at) if question.integer else at
        if number in question.domain:
            yield number
