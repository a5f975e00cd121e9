"""The search: what no exact method inverts, over the whole domain, against plain evaluation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import ceil, exp, floor, geometric_sum, log, max_, mod, ratio, sin, sqrt
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import program_of
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.casewise import branch
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Method, Proof
from flopsheet.numbers.sets import ABOVE_ZERO, ALL, EMPTY, Interval, RealSet, point, side, whole_ends
from flopsheet.numbers.spans import Span
from flopsheet.search import grid
from flopsheet.search.field import Field
from flopsheet.search.grid import REALS, WHOLES
from flopsheet.search.one_unknown import Search

if TYPE_CHECKING:
    from flopsheet.inverse.solution import Solution
    from flopsheet.search.one_unknown import Cover
    from flopsheet.units import Number

X, A = symbol("x"), symbol("a")
INF = math.inf
SMALL = Interval(-8, 8)
COUNTS, FORTY = Interval(1, 60), Interval(1, 40)
DIVISORS = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60]


def solved(expression: Any, sign: str, right: Any, domain: Interval = ALL[0], *, integer: bool = False) -> Solution:
    relation = Relation(expression, sign, sympy.sympify(right), "")
    solution = Chain("x", domain, {}, {"a": 3}, integer=integer).solve(relation)
    assert solution is not None
    return solution


def covered(expression: Any, target: RealSet, domain: Interval, *, integer: bool = False) -> Cover:
    return Search(Field(program_of(expression), "x", {"a": 3}), target, WHOLES if integer else REALS).over(domain)


def wholes(values: RealSet) -> list[int]:
    return [number for first, last in map(whole_ends, values) for number in range(int(first), int(last) + 1)]


def ends(values: RealSet) -> list[Number]:
    return [end for part in values for end, _ in part.ends]


# --- real numbers ---


@pytest.mark.parametrize(
    ("expression", "sign", "right", "domain", "expected"),
    [
        (X + log(X), "=", 1, ABOVE_ZERO, [(1, 1)]),
        (X + log(max_(X, A) - A), "=", 4, ALL[0], [(4, 4)]),
        (max_(log(X) - X, 2 / X), ">", 0, ALL[0], [(0, INF)]),
        (X * mod(X, 5), "=", 6, FORTY, [((5 * k + math.sqrt(25 * k * k + 24)) / 2,) * 2 for k in range(8)]),
    ],
    ids=str,
)
def test_all_values_are_found_and_proven(
    expression: Any, sign: str, right: Any, domain: Interval, expected: list[tuple[float, float]]
) -> None:
    solution = solved(expression, sign, right, domain)
    assert ends(solution.values) == pytest.approx([end for pair in expected for end in pair], rel=1e-12)
    assert (solution.how, solution.proof) == (Method.SEARCH, Proof.PROVEN)


@given(
    st.sampled_from([X + exp(X), X * log(X + 9), X**2 + sin(X), X + log(X + 9) ** 2]),
    st.fractions(min_value=-6, max_value=6, max_denominator=3),
)
@settings(deadline=None, max_examples=25)
def test_a_search_finds_where_a_smooth_function_has_a_value(expression: Any, start: Fraction) -> None:
    value = evaluate(expression, {"x": start})
    solution = solved(
        expression, "=", ratio(*value.as_integer_ratio()) if isinstance(value, Fraction) else value, SMALL
    )
    assert solution.how is (Method.PEEL if expression.is_Mul and not value else Method.SEARCH)
    assert solution.values != EMPTY
    assert min(abs(float(part.lower) - start) for part in solution.values) < 1e-6


def test_steps_out_of_reach_are_not_written() -> None:
    node = floor(X ** (log(X) / 9) * 20)
    before = branch.cache_info().misses
    solution = solved(max_(X + node * log(X), 3 * X), "<=", 40, Interval(2, 9))
    (part,) = solution.values
    assert part.lower == 2
    assert part.upper == pytest.approx(4.0, rel=0.5)
    assert not solution.open
    assert branch.cache_info().misses - before < 12


# --- whole numbers ---


@pytest.mark.parametrize(
    ("expression", "sign", "right", "numbers"),
    [
        (mod(60, X), "<", 1, DIVISORS),
        (mod(X**2, X + 3), "=", 1, [1, 5]),
        (X * mod(X, 4), "=", 9, [3, 9]),
    ],
    ids=str,
)
def test_whole_numbers_are_searched(expression: Any, sign: str, right: int, numbers: list[int]) -> None:
    solution = solved(expression, sign, right, COUNTS, integer=True)
    assert wholes(solution.values) == numbers
    assert (solution.how, solution.proof) == (Method.TRIAL, Proof.PROVEN)


def test_integers_that_floats_cannot_hold_end_no_search() -> None:
    above, below = (Field(program_of(sign * floor(2 * X**2)), "x", {}) for sign in (1, -1))
    assert (above.gap(1e200, 0), above.gap(10.0, 10**500), below.gap(10.0, -(10**500))) == (INF, -INF, INF)


def test_of_a_remainder_over_an_endless_domain_all_multiples_are_known() -> None:
    solution = solved(mod(X, 1000) + 7, "=", 7, Interval(Fraction(1, 2), INF, upper_closed=False), integer=True)
    (multiples,) = solution.progressions
    assert (multiples.lower, multiples.factor, multiples.upper) == (1000, Fraction(1000), math.inf)
    assert solution.proof is Proof.EXACT


def test_a_remainder_that_fits_all_whole_numbers_stays_open_beyond_the_first() -> None:
    solution = solved(mod(X**2, X + 1), "=", 1, Interval(1, INF, upper_closed=False), integer=True)
    (first,) = solution.values
    assert first.lower == 1
    assert first.upper > 100
    assert solution.proof is Proof.OPEN
    assert solution.open[0].lower == first.upper + 1


@given(st.integers(-5, 5), st.integers(-9, 9), st.integers(2, 7), st.integers(0, 6), st.integers(1, 40))
@settings(deadline=None, max_examples=60)
def test_whole_numbers_are_those_of_plain_python(factor: int, shift: int, divisor: int, level: int, last: int) -> None:
    expression = mod(X**2 + factor * X, divisor) + mod(X + shift, A)
    numbers = [
        number
        for number in range(1, last + 1)
        if (number**2 + factor * number) % divisor + (number + shift) % 3 <= level
    ]
    cover = covered(expression, side("<=", level), Interval(1, last), integer=True)
    assert (wholes(cover.values), cover.open) == (numbers, EMPTY)
    solution = solved(expression, "<=", level, Interval(1, last), integer=True)
    assert (wholes(solution.values), solution.open) == (numbers, EMPTY)


@pytest.mark.parametrize(
    ("expression", "sign", "right", "expected"),
    [
        (X**2 + log(X), "<", 6, [1, 2]),
        (X * ceil(X / 7), "=", 6, [6]),
        (X * ceil(X / 7), "=", 24, [12]),
    ],
    ids=str,
)
def test_a_count_is_a_real_number_where_the_formula_does_not_jump_or_is_an_equation(
    expression: Any, sign: str, right: int, expected: list[int]
) -> None:
    solution = solved(expression, sign, right, FORTY, integer=True)
    assert wholes(solution.values) == expected
    assert solution.how is not Method.TRIAL
    assert not solution.open


def test_roundings_against_ranges() -> None:
    numbers = [number for number in range(1, 41) if number * -(-number // 7) > 200]
    assert wholes(solved(X * ceil(X / 7), ">", 200, FORTY, integer=True).values) == numbers
    cover = covered(X * ceil(X / 7), side(">", 200), FORTY, integer=True)
    assert (wholes(cover.values), cover.open) == (numbers, EMPTY)
    assert covered(X * ceil(X / 7), point(24), FORTY, integer=True).values == point(12)


# --- single numbers ---


@pytest.mark.parametrize(
    ("expression", "at", "target", "expected"),
    [
        (A * X, Fraction(1, 3), point(1), True),
        (A * X, Fraction(1, 3) + Fraction(1, 10**30), point(1), False),
        (A * X, 1 / 3 + 1e-6, point(1), False),
        (sqrt(X), 16, side("<", 4), False),
        (X - X / A, 3, (Interval(0, 1), Interval(2, 3)), True),
        (1 / X, 0, side("<", 5), False),
        (log(X), -1, side(">", -100), False),
        (exp(X), 1e5, side(">", 5), True),
        (exp(X), 1e5, point(1e200), False),
        (X, 1, EMPTY, False),
    ],
    ids=str,
)
def test_a_point_lies_in_the_target_or_has_no_value(
    expression: Any, at: Number, target: RealSet, expected: bool
) -> None:
    search = Search(Field(program_of(expression), "x", {"a": 3}), target)
    assert search.points.meets(at) is expected


def test_a_formula_as_a_function_on_floats() -> None:
    field = Chain("x", ALL[0], {}, {"a": 3}).field(A / X + sqrt(X))
    assert field.gap(4.0, 0) == 2.75
    assert all(math.isnan(field.gap(at, 0)) for at in (0.0, -1.0))


@pytest.mark.parametrize("rounded", [floor, ceil])
def test_a_plateau_of_a_count_is_found_up_to_where_the_count_changes(rounded: Any) -> None:
    count = rounded(1000003 * sqrt(X) * X ** ratio(1, 3) / 7)
    field = Field(program_of(count * A), "x", {"a": 3.7})
    level = field.value(12.4) or 0
    cover = Search(field, point(level)).over(Interval(0, INF, lower_closed=False, upper_closed=False))
    steps = round(level / 3.7) + (0 if rounded is floor else -1)
    ends = [(7 * number / 1000003) ** (6 / 5) for number in (steps, steps + 1)]
    assert cover.open == ()
    assert [cover.values[0].lower, cover.values[-1].upper] == pytest.approx(ends, rel=1e-11)
    assert sum(part.upper - part.lower for part in cover.values) == pytest.approx(ends[1] - ends[0], rel=1e-5)


@pytest.mark.parametrize("rounded", [ceil, floor])
@pytest.mark.parametrize("level", [-(10**18), 1 - 10**18])
def test_steps_narrower_than_a_float_are_not_excluded(rounded: Any, level: int) -> None:
    """Between two floats the formula takes hundreds of steps; at -1e-6, a short ratio, it has the first level."""
    cover = covered(rounded(X**-3), point(level), Interval(Fraction(-1, 10**5), Fraction(-1, 10**7)))
    near = Interval(Fraction(-1000001, 10**12), Fraction(-999999, 10**12))
    assert any(part.meet(near) for part in (*cover.values, *cover.open))
    if level == -(10**18):
        assert cover.values == point(Fraction(-1, 10**6))


def test_whole_numbers_beside_what_stays_open_are_found_before_the_work_is_done() -> None:
    waves = X + 300 * sin(X) + 200 * sin(X * ratio(7, 5))
    cover = Search(Field(program_of(waves), "x", {}), side("<=", 900), WHOLES, 400).over(Interval(1, 10**7))
    assert cover.open
    assert len(cover.values) > 1
    assert all(evaluate(waves, {"x": whole}) <= 900 for whole in wholes(cover.values))


def searched(expression: Any, level: Any, domain: Interval, values: dict[str, Any], known: RealSet = EMPTY) -> Any:
    """Return what a search for a level covers, and how many operations it does for each one of the formula."""
    field = Field(program_of(expression), "x", values)
    cover = Search(field, point(level)).over(domain, known)
    return cover, field.evaluations / len(field.varying)


def test_a_term_that_is_zero_hides_no_trend() -> None:
    """Without the terms that are zero the formula rises, which a search for its root needs to know."""
    expression = X / (X + 5 + A * log(X + 1)) - (1 + A * sin(X)) / (X + 3)
    cover, work = searched(expression, 0.25, Interval(0, INF, upper_closed=False), {"a": 0})
    (root,) = cover.values
    assert float(root.lower) == pytest.approx(math.sqrt(35 / 3), rel=1e-12)
    assert cover.open == ()
    assert work < 300


def test_a_count_of_one_times_one_is_one_term() -> None:
    field = Field(program_of(geometric_sum(A, A * max_(1, X / 8))), "x", {"a": 1.0})
    assert field.bounds(Span(1.5, 2.5)).total


def test_a_root_at_the_end_of_a_domain_takes_no_digits_beside_it() -> None:
    cover, work = searched(8 * X + A * exp(X) - A / (X + 1), 0, Interval(0, 9), {"a": 3.7})
    assert cover.values == point(0)
    assert cover.open == ()
    assert work < 300


def test_a_plateau_is_left_at_once() -> None:
    rising = sqrt(X) * log(X + 2) + X / (X + 1)
    cover, work = searched(max_(A, rising), 5.5, Interval(0, INF, upper_closed=False), {"a": 5.5})
    (plateau,) = cover.values
    assert evaluate(rising, {"x": plateau.upper}) == pytest.approx(5.5)
    assert plateau.lower == 0
    assert work < 500


def test_what_is_known_is_not_searched_again() -> None:
    domain, waves = Interval(0, 20), (X - 3) * (X - 7) * (X - 15) * exp(X / 10)
    cover, work = searched(waves, 0, domain, {})
    rest, less = searched(waves, 0, domain, {}, (Interval(0, 8),))
    assert ends(cover.values)[::2] == [3, 7, 15]
    assert 3 not in ends(rest.values)
    assert 15 in ends(rest.values)
    assert less < work


@pytest.mark.parametrize("start", [0, 2])
def test_a_plateau_at_a_single_number_of_a_set_with_ranges_is_no_root(start: int) -> None:
    """At its lower end it meets the number, and stays there."""
    rising = max_(A, 3 + (X - 5) * X)
    field = Field(program_of(rising), "x", {"a": 3})
    cover = Search(field, (*point(3), Interval(9, 17))).over(Interval(start, 7))
    assert cover.open == ()
    assert [(part.lower, part.upper) for part in cover.values] == [(start, 5), (6, 7)]


COUNTED = [
    ((X - 3) * (1000 * X - 2), point(0), (Interval(3, 3),)),  # of a count, 0.002 is no matter
    (X * (X - 40) * (10**9 * X - 1), point(0), (Interval(0, 0), Interval(40, 40))),
    (X * (X - 40) + exp(-X), side("<=", 1), (Interval(0, 40),)),
    (X * exp(-X), side("<=", Fraction(1, 10**9)), (Interval(0, 0), Interval(24, 60))),
]


@pytest.mark.parametrize(("formula", "target", "expected"), COUNTED)
def test_counts_are_found_without_a_look_at_fractions_next_to_zero(
    formula: Any, target: RealSet, expected: RealSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes: list[Interval] = []

    def noted(search: Search, low: Number, high: Number) -> Any:
        boxes.append(Interval(low, high))
        return pruned(search, low, high)

    pruned = Search.pruned
    monkeypatch.setattr(Search, "pruned", noted)
    cover = Search(Field(program_of(formula), "x", {}), target, grid.COUNTS).over(Interval(0, 60))
    assert [wholes((part,)) for part in cover.values if wholes((part,))] == [wholes((part,)) for part in expected]
    assert not any(wholes((part,)) for part in cover.open)
    assert not any(0 < box.upper < grid.LEAST_FRACTION for box in boxes)
