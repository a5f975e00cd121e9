"""Several counts in relations that round: all tuples, against all that there are, one by one in exact ratios."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.by_trial import tuples_of
from tests.published.variables import variables

from flopsheet import Sheet, ceil, floor, formula, given, max_, solve, sqrt
from flopsheet.errors import UnderdeterminedError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST = 40


class Counts(Sheet):
    """Counts, and cells that round what follows from them."""

    a = given("First count", integer=True, maximum=MOST)
    b = given("Second count", integer=True, maximum=MOST)
    rounds = formula(ceil(a / b), "", "Rounds")
    left = formula(a - b, "", "What is left, which is not negative")
    constant = formula(max_(12, 6), "", "A number")
    halves = formula(floor(a * 9 / 4), "", "Rounded")


RELATIONS = [
    ["ceil(18/a)*b = 84"],
    ["floor(10/b) + floor(b/9)*a = 11"],
    ["b - floor(b/a) = 20"],
    ["min(b, a*b) = 1"],
    ["min(a, b) = 7", "37*b >= 7*a"],
    ["ceil(a/b)*b = 12"],
    ["a*b = 24", "mod(6, a) = 0"],
    ["min(b, a) = 2", "ceil(a/b) = 2"],
    ["mod(a, b) = 3", "a + b <= 30"],
    ["ceil(a/b) = 3", "mod(a*b, 7) = 0", "a < 20"],
    ["a*b/(a + b) = 6"],
    ["a**2 + b**2 = 625"],
]


@pytest.mark.parametrize("relations", RELATIONS, ids=", ".join)
@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_all_tuples_are_listed(relations: list[str], order: tuple[str, str]) -> None:
    counts = range(1, MOST + 1)
    expected = tuples_of([*relations, "a >= b"], {"a": counts, "b": counts})  # what is left is not negative
    answer = solve(Counts(), order, relations)
    assert {outcome.proof for outcome in answer.outcomes.values()} <= {Proof.PROVEN, Proof.EXACT}
    only = [{name: own.si for name, own in answer.outcomes.items()}] if answer.solved else []
    tuples: list[dict[str, Any]] = [*answer.tuples] or only
    assert sorted((own["a"], own["b"]) for own in tuples) == expected
    assert all(isinstance(value, int) for own in tuples for value in own.values())


def test_bounds_of_computed_cells_bind() -> None:
    answer = solve(Counts(), ("a", "b"), ["left + a = 6"])
    pairs = product(range(1, MOST + 1), repeat=2)
    assert [(own["a"], own["b"]) for own in answer.tuples] == [(a, b) for a, b in pairs if 2 * a - b == 6 and a >= b]


def test_no_fraction_is_listed_where_no_whole_numbers_work() -> None:
    answer = solve(Counts(), ("a", "b"), ["halves = 46", "max(halves, 5*b) = 46"])
    assert {outcome.kind for outcome in answer.outcomes.values()} == {"none"}


def test_large_counts_meet_an_equation_exactly() -> None:
    class Large(Sheet):
        """Counts without bounds."""

        n = given("First count", integer=True)
        k = given("Second count", integer=True, maximum=100)

    answer = solve(Large(), ("n", "k"), ["n**2 + k = 10**12 + 7", "n >= 10**6 - 3"])
    assert [*answer.tuples] in ([{"n": 10**6, "k": 7}], [])
    assert (answer.outcomes["n"].si, answer.outcomes["k"].si) == (10**6, 7)


@pytest.mark.parametrize(
    ("unknown", "relations", "expected"),
    [
        ("b", ["b <= 9", "59*b = 8*c"], [8]),
        ("b", ["b <= 9", "b*c = 12"], [1, 2, 3, 4, 6]),
        ("c", ["14 + c = 43*b", "c >= 0"], [29]),
    ],
)
def test_a_count_that_follows_is_whole_and_within_its_bounds(
    unknown: str, relations: list[str], expected: list[int]
) -> None:
    class Following(Sheet):
        """Counts of which one follows from the other."""

        b = given("First count", integer=True, maximum=12)
        c = given("Second count", integer=True, maximum=64)

    outcome = solve(Following(), unknown, relations).outcomes[unknown]
    assert [part.lower for part in outcome.listed] == expected


def test_a_constant_constrains_no_unknown() -> None:
    with pytest.raises(UnderdeterminedError):
        solve(Counts(), ("a", "b"), ["constant = 12"])


class Printed(Sheet):
    """Counts, and cells that irrational functions of them give."""

    a = given("First count", integer=True, maximum=100)
    b = given("Second count", integer=True, maximum=100)
    size = given("Bytes of one", "byte")
    time = given("Time of one", "s")
    root = formula(size * sqrt(a + b), "MB", "By a root")
    law = formula(size * a * sqrt(a) / b, "byte", "By a power law")
    share = formula(size * a * b / 7, "MB", "By a product")
    all_of_b = formula(time * b, "s", "By one of them")
    mixed = formula(time * sqrt(b) * a, "hour", "By both")
    square = formula(time * a * a / b, "ms", "By a square")


@pytest.mark.parametrize("cells", [("root", "all_of_b"), ("share", "mixed"), ("law", "square"), ("root", "square")])
@pytest.mark.parametrize("seed", range(6))
def test_outputs_given_back_are_met_at_the_counts_they_come_from(cells: tuple[str, str], seed: int) -> None:
    random = Random(f"{cells} {seed}")  # noqa: S311  # the same numbers each time
    inputs = [f"size = {random.randint(100, 99999) / 100} MB", f"time = {random.randint(10, 999) / 10} s"]
    counts = random.randint(2, 64), random.randint(2, 32)
    given_back = solve(Printed(), (), [*inputs, f"a = {counts[0]}", f"b = {counts[1]}"]).as_dict()["cells"]
    printed = [f"{cell} = {given_back[cell]['value']} {given_back[cell]['unit']}" for cell in cells]
    answer = solve(Printed(), ("a", "b"), [*inputs, *printed])
    assert counts in [(own["a"], own["b"]) for own in answer.tuples]
    assert all(isinstance(value, int) for own in answer.tuples for value in own.values())


@pytest.mark.parametrize(
    ("relations", "holds"),
    [
        (
            ["mod(n, q) = 5", "mod(q, 7) = 2", "n >= q"],
            lambda n, q: n % q == 5 and q % 7 == 2 and n >= q,
        ),
        (
            ["mod(n, 9) = 5", "mod(q, 7) = 2", "n >= q"],
            lambda n, q: n % 9 == 5 and q % 7 == 2 and n >= q,
        ),
        (
            ["mod(n, q) = 5", "mod(q, 20) = 2", "n + q <= 70"],
            lambda n, q: n % q == 5 and q % 20 == 2 and n + q <= 70,
        ),
    ],
)
def test_whole_numbers_beside_each_value_of_another_count_are_all_listed(
    tmp_path: Path, relations: list[str], holds: Callable[[int, int], bool]
) -> None:
    bounds = {"minimum": 1, "maximum": 60, "integer": True}
    answer = solve(variables(tmp_path, {"n": bounds, "q": bounds}), ["n", "q"], relations)
    assert {(own["n"], own["q"]) for own in answer.tuples} == {
        (n, q) for n in range(1, 61) for q in range(1, 61) if holds(n, q)
    }
    assert all(outcome.proof is not Proof.OPEN for outcome in answer.outcomes.values())


@pytest.mark.parametrize("most", [40, 1000, 10**6, None])
@pytest.mark.parametrize(
    "relations",
    [
        ["x*y <= 30", "x + y >= 5"],
        ["x**2 + y**2 <= 100", "x >= y"],
        ["x*ceil(y/3) <= 12", "y <= 2*x"],
        ["x*y <= 20", "mod(x, y) >= 1"],
    ],
    ids=", ".join,
)
def test_counts_that_inequalities_alone_tie_are_listed(relations: list[str], most: int | None, tmp_path: Path) -> None:
    """However many pairs their bounds allow: those that meet the inequalities are few."""
    cell = {"integer": True} if most is None else {"integer": True, "maximum": most}
    answer = solve(variables(tmp_path, {"x": cell, "y": cell}), ["x", "y"], relations)
    expected = tuples_of(relations, {"x": range(1, 41), "y": range(1, 41)})
    assert sorted((own["x"], own["y"]) for own in answer.tuples) == expected
    assert {outcome.proof for outcome in answer.outcomes.values()} == {Proof.PROVEN}
