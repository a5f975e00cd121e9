"""Chains of formulas over several cells: forks that join, thousands of links, steps that lose digits."""

from __future__ import annotations

import cProfile
import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flopsheet import ceil, exp, log, max_, min_, mod, ratio, sqrt
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import ABOVE_ZERO, ALL, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.inverse.solution import Solution
    from flopsheet.units import Number

X, Y, Z, A = (symbol(name) for name in "xyza")


def links(count: int, link: Callable[[Any], Any]) -> Chain:
    """Return a chain x, c1, c2, ..., each cell the same function of the one before."""
    cells = [X, *(symbol(f"c{place}") for place in range(1, count + 1))]
    return Chain("x", ABOVE_ZERO, {cell.name: link(before) for before, cell in pairwise(cells)}, {})


def solved(chain: Chain, sign: str, right: Any) -> Solution:
    result = chain.solve(Relation(symbol([*chain.formulas][-1]), sign, sympy.sympify(right), ""))
    assert result is not None
    return result


def roots(chain: Chain, right: Any) -> list[Number]:
    result = solved(chain, "=", right)
    assert all(interval.is_point for interval in result.values)
    assert not result.open
    return [interval.lower for interval in result.values]


@pytest.mark.parametrize(
    ("formulas", "right", "expected"),
    [
        ({"y": X + 1, "z": 2 * Y}, 10, [4]),
        ({"y": X + 1, "z": 2 * X, "w": Y * Z}, 12, [2]),
        ({"y": X**2, "z": 3 * X, "w": Y - Z}, -2, [1, 2]),
        ({"y": max_(X, 3), "z": min_(X, 3), "w": Y - Z}, 2, [1, 5]),
        ({"y": 1 / X, "z": X + 1, "w": Y * Z}, Fraction(3, 2), [2]),
        ({"y": X + A, "z": Y / A}, 4, [9]),
        ({"y": log(X), "z": Y**2 + Y}, 0, [math.exp(-1), 1]),
        ({"y": X - 2, "z": Y**2, "u": Z + 1, "v": Z - 1, "w": symbol("u") * symbol("v")}, 15, [4]),
    ],
    ids=str,
)
def test_forks_that_join_again(formulas: dict[str, Any], right: Any, expected: list[float]) -> None:
    right = ratio(*Fraction(right).as_integer_ratio())
    assert roots(Chain("x", ABOVE_ZERO, formulas, {"a": 3}), right) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("count", "link", "right"),
    [
        (600, lambda before: before + 1, lambda count: 5 + count),
        (200, lambda before: before * sympy.Float(1.001), lambda count: 5 * 1.001**count),
        (200, lambda before: 3005 - before, lambda _: 5),
        (200, lambda before: sqrt(before**2 + 1), lambda count: math.sqrt(25 + count)),
        (200, lambda before: max_(before, 2) + 1, lambda count: 5 + count),
    ],
    ids=["sum", "factor", "difference", "hypotenuse", "max"],
)
def test_the_work_grows_in_proportion_to_the_cells(
    count: int, link: Callable[[Any], Any], right: Callable[[int], Any]
) -> None:
    half, whole = (_calls(links(cells, link), right(cells)) for cells in (count // 2, count))
    assert whole < 3 * half  # twice, up to a constant; a quadratic method makes four times as many calls


def _calls(chain: Chain, right: Any) -> int:
    """Return how many functions are called to invert a chain at 5: unlike seconds, no load changes that."""
    profile = cProfile.Profile()
    assert profile.runcall(roots, chain, right) == pytest.approx([5], rel=1e-9)
    return sum(entry.callcount for entry in profile.getstats())


def test_links_that_double_digits_do_not_grow_without_bound() -> None:
    assert roots(links(60, lambda before: before * (before + 1) / 2), 1) == pytest.approx([1], rel=1e-9)


def test_a_chain_of_ladders_keeps_forking_and_joining() -> None:
    formulas: dict[str, Any] = {}
    last = X
    for place in range(300):
        left, right, joint = (symbol(f"{kind}{place}") for kind in "abc")
        formulas |= {left.name: last + 1, right.name: 2 * last, joint.name: left + right - 2 * last}
        last = joint
    assert roots(Chain("x", ABOVE_ZERO, formulas, {}), 305) == [5]


def test_a_chain_that_loses_all_digits_in_floats_is_exact_with_ratios() -> None:
    exact = links(100, lambda before: before / 2 + 1)
    assert roots(exact, 2 + Fraction(3, 2**100)) == [5]
    assert roots(links(100, lambda before: 10 - 4 * before), 2 + 4**100 * 3) == [5]


@pytest.mark.parametrize(
    ("link", "right"),
    [
        (lambda before: before * sympy.Float(0.5) + 1, 2.0),
        (lambda before: 1 / (before + 1), (math.sqrt(5) - 1) / 2),
        (lambda before: sqrt(before) + 1, (3 + math.sqrt(5)) / 2),
        (lambda before: log(before + 2), 1.1461932206205825),
    ],
    ids=["half", "golden", "root", "log"],
)
def test_a_chain_that_contracts_does_not_claim_that_there_is_none(link: Callable[[Any], Any], right: float) -> None:
    result = solved(links(60, link), "=", right)
    assert result.values
    inside = result.values[0].inside()
    assert links(60, link).at_or_none(inside, symbol("c60")) == pytest.approx(right, rel=1e-9)


def test_a_root_one_digit_beside_the_end_of_the_domain_stays_open() -> None:
    result = solved(links(40, lambda before: log(before) + 2), "=", 3)
    assert (result.values, result.proof) == ((), Proof.OPEN)
    (opened,) = result.open
    assert (opened.lower, opened.upper) == pytest.approx((0.158594339563039, 0.158594339563039), rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 5, 10, 20])
@pytest.mark.parametrize("half", [sympy.Float(1.5), ratio(3, 2)])
def test_links_with_two_roots_find_both(count: int, half: Any) -> None:
    chain = links(count, lambda before: (before + 4 / before) / half)
    result = roots(chain, 4)
    assert len(result) == 2
    assert result[0] * result[1] == pytest.approx(4, rel=1e-9)
    for root in result:
        assert chain.at_or_none(root, symbol(f"c{count}")) == pytest.approx(4, rel=1e-9)


@pytest.mark.parametrize(
    ("formulas", "relation", "domain", "expected"),
    [
        ({"y": 4 * X}, (mod(ratio(1000, 1), Y), 0), Interval(1, math.inf), [1, 2, 5, 10, 25, 50, 125, 250]),
        ({"y": mod(X, 7)}, (mod(Y, 3), 1), Interval(0, 20), [1, 4, 8, 11, 15, 18]),
        ({"y": 10**6 * X}, (mod(Y, 7), 3), Interval(0, 20), [3, 10, 17]),
    ],
    ids=str,
)
def test_counts_behind_a_formula(
    formulas: dict[str, Any], relation: tuple[Any, int], domain: Interval, expected: list[int]
) -> None:
    left, right = relation
    result = Chain("x", domain, formulas, {}, integer=True).solve(Relation(left, "=", sympy.Integer(right), ""))
    assert result is not None
    assert not result.open
    numbers = [number for number in range(1, 300) if any(number in interval for interval in result.values)]
    assert numbers == expected


@pytest.mark.parametrize(("sign", "lower", "upper"), [("<=", 0, 30), ("<", 0, 28), (">", 30, math.inf), ("=", 28, 30)])
def test_steps_behind_a_chain_are_ranges(sign: str, lower: float, upper: float) -> None:
    chain = Chain("x", ABOVE_ZERO, {"y": X / 2, "z": ceil(Y) * 2 + 1}, {})
    (result,) = solved(chain, sign, 31).values
    assert (result.lower, result.upper) == (lower, upper)


@pytest.mark.parametrize(("right", "values"), [(3, (ABOVE_ZERO,)), (4, ())])
def test_what_does_not_depend_on_the_unknown_holds_everywhere_or_nowhere(right: int, values: Any) -> None:
    chain = Chain("x", ABOVE_ZERO, {"y": A + 0 * X}, {"a": 3})
    assert chain.solve(Relation(Y, "=", sympy.Integer(right), "")).values == values  # type: ignore[union-attr]


nests = st.lists(
    st.sampled_from(
        [
            lambda inner: 2 * inner + 1,
            lambda inner: 3 / (inner + 1),
            lambda inner: inner**2,
            sqrt,
            lambda inner: exp(-inner),
            lambda inner: inner + 1 / (1 + inner),
            lambda inner: max_(inner, 1 - inner),
        ]
    ),
    min_size=1,
    max_size=7,
)


@given(nests, st.fractions(min_value=Fraction(1, 10), max_value=5, max_denominator=10))
@settings(deadline=None, max_examples=60)
def test_the_value_of_a_chain_leads_back_to_its_start(nest: list[Callable[[Any], Any]], start: Fraction) -> None:
    formulas: dict[str, Any] = {}
    last = X
    for place, link in enumerate(nest):
        formulas[f"c{place}"] = link(last)
        last = symbol(f"c{place}")
    chain = Chain("x", ALL[0], formulas, {})
    value = chain.at_or_none(start, last)
    assert value is not None
    assume(value)  # an exponential that underflows is never 0
    printed = str(value)  # as it is pasted back
    result = chain.solve(Relation(last, "=", ratio(*Fraction(printed).as_integer_ratio()), f"{last} = {printed}"))
    assert result is not None
    ends = [end for interval in result.values for end in (interval.lower, interval.upper)]
    starts = (point for point in (chain.at_or_none(end, last) for end in ends) if point is not None)
    assert any(start in interval for interval in result.values) or any(
        math.isclose(point, value, rel_tol=1e-9) for point in starts
    )
