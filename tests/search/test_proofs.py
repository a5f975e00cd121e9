"""What a search proves: no value is lost, and none is wrong, for random formulas over boxes of many sizes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import sympy
from hypothesis import assume, example, given, reject, settings
from hypothesis import strategies as st

from flopsheet import ceil, exp, floor, indicator, log, max_, min_, mod, ratio, sqrt
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.functions import BY_NODE, has_no_value
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.many_digits import ends_of
from flopsheet.numbers.sets import Interval, about, is_in, is_rounded_to, side
from flopsheet.numbers.spans import Span, around, between
from flopsheet.search.field import Field
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


def searched(formula: Any, sign: str, level: Number, domain: Interval, *, integer: bool = False) -> Cover:
    field = Field(program_of(formula), "x", {})
    return Search(field, side(sign, level), integer=integer, most=WORK).over(domain)


def over(low: Number, high: Number) -> Interval:
    return Interval(low, high, math.isfinite(low), math.isfinite(high))


def finite_value(formula: Any, at: Fraction) -> Number:
    """Return the value of a formula at a number; reject the example where it has none."""
    value = value_or_none(formula, {"x": at})
    if value is None or not math.isfinite(value):
        reject()
    return value


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


LARGE = X * sqrt((1900000 + 17 / X**2) ** 3)
NEAR = Fraction(1, 10**7)


@pytest.mark.parametrize(
    ("question", "sign", "level"),
    [
        (Question(X * sqrt((1 + 1 / X**2) ** 3), Fraction(10**12), over(0, 1e13)), "=", 1e12),
        (Question(LARGE, Fraction(6570000000), over(0, 8541 * 10**12)), "=", 1.7206628057234223e19),
        (Question(sqrt(X) + X, Fraction(0), over(0, 10)), ">", -1),
        (Question(X * (11 - 5 * X ** ratio(3, 2)), Fraction(0), over(-10, 10)), ">", -1000),
        (Question(X ** (X / 100), Fraction(10**50), over(1, INF)), ">=", 5),
        (Question(8 / X**3, Fraction(1, 10**200), over(0, 1)), ">=", 1),
        (Question(1 / (2 + X**-3), Fraction(10**11), over(1, 10**12)), ">", 1 / (2 + Fraction(1, 10**30))),
        (
            Question((ratio(19, 2) + 360000 / X**3) ** 2, Fraction(2056), over(2000, 2100), integer=True),
            "<=",
            Fraction(1664292713519044249, 18440755681001536),
        ),
        (Question(X, NEAR, over(NEAR, NEAR)), "=", NEAR),
        (Question(X, NEAR, over(NEAR, 1)), "<=", NEAR),
    ],
    ids=str,
)
def test_what_floats_would_lose_is_kept(question: Question, sign: str, level: Number) -> None:
    formula, at, domain, integer = question
    cover = searched(formula, sign, level, domain, integer=integer)
    assert holds_near(at, (*cover.values, *cover.open))
    assert is_in(at, (*cover.values, *cover.open)) or sign == "="


@pytest.mark.parametrize(
    ("formula", "level", "domain", "integer", "at"),
    [
        (-6 * X ** ratio(3, 2) + 3 * X**2 / 200, -66, over(100_000, 200_000), True, 160_000),
        (X * mod(6, X), 0, over(0, 10), False, 0),
        (X * mod(6, sqrt(X)), 0, over(0, 10), False, 0),
    ],
    ids=str,
)
def test_what_is_no_root_is_not_added(formula: Any, level: int, domain: Interval, integer: bool, at: int) -> None:
    assert not is_in(at, searched(formula, "=", level, domain, integer=integer).values)


@pytest.mark.parametrize("sign", ["=", ">"])
def test_what_lies_beyond_the_largest_number_is_not_excluded(sign: str) -> None:
    cover = searched(log(X) + 1 / X, sign, 1000, over(1, INF))  # met at 10**434
    assert is_in(10**435, (*cover.values, *cover.open)) or (sign == "=" and cover.open)


def test_bounds_that_are_too_large_are_no_numbers() -> None:
    for formula, at, value in ((X * sqrt((1 + X**-2) ** 3), 1e-110, 1e220), (X / sqrt((1 + X) ** 3), 1e120, 1e-60)):
        bounds = Field(program_of(formula), "x", {}).bounds(Span(at, at))
        assert bounds.low <= value <= bounds.high


@given(questions(exact_formulas))
@settings(deadline=None, max_examples=12)
def test_a_planted_root_is_never_lost(question: Question) -> None:
    check_planted_root(question)


@pytest.mark.slow
@given(questions(exact_formulas))
@settings(deadline=None, max_examples=40)
def test_none_of_many_planted_roots_is_lost(question: Question) -> None:
    check_planted_root(question)


@given(questions(hidden_formulas))
@settings(deadline=None, max_examples=12)
def test_a_root_that_a_large_divisor_hides_is_never_lost(question: Question) -> None:
    check_planted_root(question)


@pytest.mark.parametrize(
    ("formula", "at"),
    [
        ((mod(X**-3, -100_000) / ceil(1 / X) + 1) ** 2, Fraction(3750)),
        ((mod(-(X**-3), 100_000) / ceil(1 / X) + 1) ** 2, Fraction(3750)),
        (mod(-ratio(1, 7) / X**4, 10**12) * floor(X), Fraction(1001)),
        (ceil(X) + X / 10**40, Fraction(5, 2)),
        (mod(X, 100) / ceil(2 / X) + 1, Fraction(-1, 100)),  # on a jump, between two floats
    ],
    ids=str,
)
def test_what_hardly_changes_beside_a_rounding_is_not_one_step(formula: Any, at: Fraction) -> None:
    check_planted_root(Question(formula, at, over(*sorted((at / 100, at * 10)))))


def sizes(exponents: tuple[int, int]) -> st.SearchStrategy[Fraction]:
    return st.builds(lambda digits, power: digits * Fraction(10) ** power, st.integers(1, 999), st.integers(*exponents))


@given(sizes((-9, 30)), sizes((-20, 20)), sizes((0, 25)), st.booleans(), st.sampled_from(["=", "<", "<=", ">", ">="]))
@settings(deadline=None, max_examples=40)
def test_what_is_beyond_floats_at_a_root_of_another_factor_is_not_left_out(
    shift: Fraction, scale: Fraction, far: Fraction, folded: bool, sign: str
) -> None:
    """One factor is zero where the other one is too large for floats: exp(-x/scale) far below zero."""
    root = shift - far
    if root >= 0:
        reject()
    across = abs_(X - shift) - far if folded else X + far - shift
    cover = searched(across * (exp(-X / scale) - ratio(3, 8)), sign, 0, over(-math.inf, math.inf))
    for at in (root * (1 + Fraction(way, 10**6)) for way in (-1, 1)):
        is_positive = (at < root) == folded  # below zero, the other factor is
        met = sign != "=" and is_positive == (">" in sign)
        assert any(at in part for part in cover.open) or any(at in part for part in cover.values) == met
    if "=" in sign:
        assert holds_near(root, (*cover.values, *cover.open))


@pytest.mark.parametrize(("power", "level"), [(15, Fraction(-1, 2)), (-15, Fraction(-2)), (33, Fraction(-3))])
def test_a_negative_power_rises_though_its_bounds_underflow_past_zero(power: int, level: Fraction) -> None:
    cover = searched(X**power, "=", level, Interval(-INF, INF, lower_closed=False, upper_closed=False))
    root = -(abs(level) ** (1 / power))
    assert holds_near(Fraction(root), cover.values)


def check_planted_root(question: Question) -> None:
    formula, start, domain, integer = question
    level = Field(program_of(formula), "x", {}).exactly(start)
    if level is None or value_or_none(formula, {"x": start}) is None:
        reject()
    cover = searched(formula, "=", level, domain, integer=integer)
    assert holds_near(start, (*cover.values, *cover.open)), (level, cover)


@given(questions(smooth_formulas))
@settings(deadline=None, max_examples=15)
def test_a_level_that_is_crossed_is_never_lost(question: Question) -> None:
    formula, start, domain, _ = question
    left, right = start - abs(start) / 10**9, start + abs(start) / 10**9
    level = finite_value(formula, start)
    assume(left in domain and right in domain)
    sides = {holds(formula, ">", level, at) for at in (left, right)}
    field = Field(program_of(formula), "x", {})
    assume(sides == {True, False} and field.is_continuous(field.forward(around(left, right))))
    cover = searched(formula, "=", level, domain)
    assert any(part.lower <= right and part.upper >= left for part in (*cover.values, *cover.open)), (level, cover)


@given(questions(exact_formulas | smooth_formulas), st.sampled_from(SIGNS), st.sampled_from([0, 0, 1, -1, 3]))
@example(Question(mod(ratio(1, 10), sqrt(X)), Fraction(10), over(10, 100), integer=False), "=", 0)
@example(Question(ceil(1 / X), Fraction(-1), Interval(Fraction(-1), 0), integer=False), "<", 0)
@settings(deadline=None, max_examples=40)
def test_numbers_are_inside_just_when_they_meet_the_relation(question: Question, sign: str, off: int) -> None:
    formula, start, domain, integer = question
    level = finite_value(formula, start)
    assume(abs(float(level)) < 1e300)
    level = level + off * (abs(Fraction(level)) + 1) / 7
    cover = searched(formula, sign, level, domain, integer=integer)
    for at in probes(question):
        if is_beside_a_float(at, (*cover.values, *cover.open)):
            continue
        expected = holds(formula, sign, level, at)
        if expected is True and (sign != "=" or formula_at(formula, at) == level):
            assert is_in(at, cover.values) or is_in(at, cover.open), ("lost", at, level, cover)
        elif expected is False and not is_rounded_to(formula_at(formula, at), level, about(level)):
            assert not is_in(at, cover.values), ("false", at, level, cover)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.booleans())
def test_an_exact_level_at_the_end_of_a_box_of_floats_is_not_inside(end: int, width: int, integer: bool) -> None:
    level = 1 + Fraction(1, end)
    cover = searched(1 + 1 / X, "<", level, Interval(end, end + width), integer=integer)
    assert not is_in(end, cover.values)
    assert is_in(end + 1, cover.values)


@pytest.mark.parametrize("other", [between(0.5, 2.5), between(0, 2.5)], ids=["floats", "a float and an integer"])
def test_what_exact_ends_and_floats_share_has_floats_around_it(other: Span) -> None:
    shared = other.meet(between(Fraction(10**20 + 1, 10**20), math.inf))
    assert shared is not None
    assert isinstance(shared.low, float)
    assert shared.low <= Fraction(10**20 + 1, 10**20)
    assert not shared.exact


@pytest.mark.parametrize("formula", [-(1 - 2 * X * exp(X)) * exp(-X) / 2, (X * exp(X) + 1) * exp(-X)], ids=str)
def test_where_a_formula_has_no_value_in_floats_it_meets_nothing(formula: Any) -> None:
    cover = searched(formula, "<=", 20, Interval(0, math.inf, upper_closed=False))
    assert all(part.upper <= 20 for part in cover.values)


def test_a_difference_of_large_numbers_meets_nothing_that_it_is_above() -> None:
    cover = searched(sqrt(X**2 + 1) - X, "<=", 0, Interval(1, math.inf, upper_closed=False))
    assert cover.values == ()


@pytest.mark.parametrize("power", [1, 3, 5])
@pytest.mark.parametrize("root", [9100, 91, 7 * 10**6])
def test_a_root_of_any_order_is_met_though_floats_miss_it(power: int, root: int) -> None:
    """What rounding leaves of the cubic root of 9100**3 is far from zero beside itself, and so are its powers."""
    at = root**3
    formula = (X ** ratio(1, 3) - root) ** power * (exp(-X / (at / ratio(377, 10))) - ratio(7, 10)) ** power
    cover = searched(formula, "=", 0, over(float(at) / 7, float(at) * 14))
    assert holds_near(Fraction(at), cover.values)
