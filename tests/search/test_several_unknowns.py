"""Systems of several unknowns: every root is found or left open, what is found is a root, and "no other" is proven."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stored import read_yaml

from flopsheet import ceil, exp, log, max_, ratio
from flopsheet.formulas.parser import parse_relation
from flopsheet.formulas.relation import Relation
from flopsheet.functions.algebra import abs_
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import ALL, Interval
from flopsheet.search.joint import Joint
from flopsheet.search.newton import Newton
from flopsheet.search.several_unknowns import JointSearch
from flopsheet.search.tiling import reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.search.several_unknowns import Point, Tuples

PUBLISHED = Path(__file__).parent.parent / "published" / "problems.yaml"
PROBLEMS = [row for row in read_yaml(PUBLISHED) if len(row["unknowns"]) > 1]
OPEN = frozenset(  # a root touches, or equations depend on each other
    ("mgh02-freudenstein-roth", "mgh13-powell-singular", "mgh27-brown7", "mgh27-brown10", "tangent-circles")
)
X, Y, Z = (symbol(name) for name in "xyz")
INF = math.inf
POSITIVE = Interval(0, INF, lower_closed=False, upper_closed=False)


def solved(problem: dict[str, Any]) -> Tuples:
    names = [*problem["unknowns"]]
    relations = [parse_relation(text, names, "here") for text in problem["relations"]]
    domains = [Interval(Fraction(str(low)), Fraction(str(high))) for low, high in problem["unknowns"].values()]
    integers = [problem.get("integer", False)] * len(names)
    return JointSearch(Joint(names, [], relations, {}, {}), domains, integers).tuples()


def roots_of(problem: dict[str, Any]) -> list[list[float]]:
    return [[float(value) for value in root] for root in problem["solutions"]]


def is_same(point: Sequence[Any], root: Sequence[float]) -> bool:
    return all(
        math.isclose(value, other, rel_tol=1e-11, abs_tol=1e-14) for value, other in zip(point, root, strict=True)
    )


def is_left_open(root: Sequence[float], result: Tuples) -> bool:
    return any(
        all(low - 1e-9 <= value <= high + 1e-9 for value, (low, high) in zip(root, box, strict=True))
        for box in result.open
    )


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(row, id=row["id"], marks=[pytest.mark.slow] * (row.get("slow", False) or row["id"] in OPEN))
        for row in PROBLEMS
    ],
)
def test_every_published_root_is_found_or_left_open_and_none_is_false(problem: dict[str, Any]) -> None:
    result, roots = solved(problem), roots_of(problem)
    assert all(any(is_same(point, root) for root in roots) for point in result.points)
    missed = [root for root in roots if not any(is_same(point, root) for point in result.points)]
    assert all(is_left_open(root, result) for root in missed)
    if problem["id"] not in OPEN:
        assert (missed, result.open) == ([], ())


def search(*relations: tuple[Any, str, Any], domains: Sequence[Interval] = (), integers: bool = False) -> Tuples:
    names = sorted({cell.name for left, _, right in relations for cell in (left - right).free_symbols})
    written = [Relation(left, sign, sympy.sympify(right), "") for left, sign, right in relations]
    joint = Joint(names, [], written, {}, {})
    return JointSearch(joint, domains or [POSITIVE] * len(names), [integers] * len(names)).tuples()


def test_products_of_any_size_are_solved_exactly() -> None:
    assert search((X * Y, "=", 6 * 10**15), (Y * Z, "=", 9000), (X * Z, "=", 6 * 10**12)) == (
        search((X * Z, "=", 6 * 10**12), (X * Y, "=", 6 * 10**15), (Y * Z, "=", 9000))
    )
    result = search((X * Y, "=", 6 * 10**15), (Y * Z, "=", 9000), (X * Z, "=", 6 * 10**12))
    assert result.points == ((2 * 10**12, 3000, 3),)
    assert not result.open


def test_all_orders_of_a_symmetric_system_are_tuples() -> None:
    result = search((X + Y + Z, "=", 6), (X * Y * Z, "=", 6), (X * Y + Y * Z + Z * X, "=", 11))
    assert result.points == ((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1))
    assert not result.open


def test_equations_without_a_root_are_proven_to_have_none() -> None:
    everywhere = [Interval(-INF, INF, lower_closed=False, upper_closed=False)] * 2
    for relations in ([(X**2 + Y**2, "=", 1), (X + Y, "=", 10)], [(X * Y, "=", 1), (X * Y, "=", 2)]):
        result = search(*relations, domains=everywhere)
        assert (result.points, result.open) == ((), ())


def test_a_root_at_the_edge_of_the_domain_is_found() -> None:
    square = [Interval(0, 1), Interval(0, 1)]
    assert search((X - X**2 * Y, "=", 0), (X + Y, "=", 1), domains=square).points == ((0, 1),)
    assert search((X * Y, "=", 1), (X + Y, "=", 2), domains=square).points == ((1, 1),)


def test_inequalities_cut_tuples() -> None:
    equations = [(X * Y, "=", 12), (X + Y, "=", 7)]
    assert search(*equations).points == ((3, 4), (4, 3))
    assert search(*equations, (X, "<=", Y)).points == ((3, 4),)
    assert search(*equations, (X, "<", 3)).points == ()


def test_whole_numbers_need_no_equation_for_each() -> None:
    box = [Interval(1, 10**6)] * 2
    assert search((X * Y, "=", 8051), (X, "<=", Y), domains=box, integers=True).points == ((1, 8051), (83, 97))
    steps = search((ceil(X / 4) + ceil(Y / 6), "=", 9), (X + Y, "=", 41), domains=[Interval(1, 41)] * 2, integers=True)
    assert steps.points == tuple((x, 41 - x) for x in range(1, 41) if -(-x // 4) - (-(41 - x) // 6) == 9)


def test_a_line_of_roots_is_left_open_with_those_that_are_reached() -> None:
    result = search((max_(X, Y), "=", 5), (max_(X, 2), "=", 5))
    assert all(x == 5 for x, _ in result.points)
    assert is_left_open((5, 3), result)


def test_a_root_that_touches_is_found_and_not_called_the_only_one() -> None:
    square = [Interval(-10, 10)] * 2
    result = search((X**2 + Y**2, "=", 1), ((X - 3) ** 2 + Y**2, "=", 4), domains=square)
    assert result.points == ((1, 0),)
    assert result.open


def test_a_proven_box_holds_one_root_and_its_digits_are_those_of_the_root() -> None:
    eight, three = sympy.Integer(8), sympy.Integer(3)
    joint = Joint(["x", "y"], [], [Relation(exp(X) * Y, "=", eight, ""), Relation(log(X) + Y, "=", three, "")], {}, {})
    newton = Newton(joint)
    box = reached(joint, [ALL[0]] * 2, (1.0, 2.0))
    assert box is not None
    single = newton.proven(box)
    assert single is not None
    root = newton.refined(single)
    assert root is not None
    x, y = (sympy.Rational(value.numerator, value.denominator) for value in root)
    assert abs(sympy.N(sympy.exp(x) * y - 8, 60)) < sympy.Rational(1, 10**40)
    assert abs(sympy.N(sympy.log(x) + y - 3, 60)) < sympy.Rational(1, 10**40)


whole = st.integers(-6, 6)


planted = given(st.tuples(whole, whole), st.lists(whole, min_size=8, max_size=8), st.booleans())


@planted
@settings(deadline=None, max_examples=15)
def test_a_planted_root_is_found_or_left_open(root: Point, slopes: list[int], kink: bool) -> None:
    check_planted_root(root, slopes, kink=kink)


@pytest.mark.slow
@planted
@settings(deadline=None, max_examples=150)
def test_many_planted_roots_are_found_or_left_open(root: Point, slopes: list[int], kink: bool) -> None:
    check_planted_root(root, slopes, kink=kink)


def check_planted_root(root: Point, slopes: list[int], *, kink: bool) -> None:
    a, b, c, d, e, f, g, h = slopes
    left = [a * X**2 + b * X * Y + c * Y, d * Y**2 + e * X + f * X * Y**2 + (g * abs_(X - h) if kink else 0)]
    at = {X: root[0], Y: root[1]}
    relations = [(side, "=", side.subs(at)) for side in map(sympy.sympify, left) if side.free_symbols]
    if len({cell for side, _, _ in relations for cell in side.free_symbols}) < 2:
        return
    result = search(*relations, domains=[Interval(-10, 10)] * 2)
    assert root in result.points or is_left_open([float(value) for value in root], result)
    for point in result.points:
        values = {X: ratio(*Fraction(point[0]).as_integer_ratio()), Y: ratio(*Fraction(point[1]).as_integer_ratio())}
        for side, _, right in relations:
            assert math.isclose(float(side.subs(values)), float(right), rel_tol=1e-9, abs_tol=1e-9)
