"""Several whole unknowns with fewer equations: where one follows from another, that one must be whole too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, formula, given, sheet, solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 60


class Pair(Sheet):
    """Two counts, and what follows from them."""

    a = given("First count", integer=True)
    b = given("Second count", integer=True)
    product = formula(a * b, "", "Product")
    total = formula(a + b, "", "Sum")
    share = formula(a / b, "", "Quotient")


CASES: list[tuple[list[str], Callable[[int, int], bool]]] = [
    (["share = 2", "total <= 9"], lambda a, b: a == 2 * b and a + b <= 9),
    (["product = 16", "a <= 16", "b <= 16"], lambda a, b: a * b == 16),
    (["product <= 40", "share = 2"], lambda a, b: a * b <= 40 and a == 2 * b),
    (["share = 2", "a <= 9"], lambda a, b: a == 2 * b and a <= 9),
    (["share = 1.5", "total <= 20"], lambda a, b: 2 * a == 3 * b and a + b <= 20),
    (["a + 2*b = 30", "product <= 100"], lambda a, b: a + 2 * b == 30 and a * b <= 100),
    (["product = 48", "a <= 12"], lambda a, b: a * b == 48 and a <= 12),
    (["product = 37", "a <= 30", "a >= 2"], lambda a, b: a * b == 37 and 2 <= a <= 30),
]


@pytest.mark.parametrize(("relations", "holds"), CASES)
@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_both_are_whole(relations: list[str], holds: Callable[[int, int], bool], order: tuple[str, str]) -> None:
    pairs = [(a, b) for a in range(1, MOST) for b in range(1, MOST) if holds(a, b)]
    answer = solve(Pair(), order, relations)
    for at, name in enumerate(("a", "b")):
        outcome = answer.outcomes[name]
        assert not outcome.open
        assert [int(part.lower) for part in outcome.listed] == sorted({pair[at] for pair in pairs})
        assert all(part.is_point for part in outcome.listed)


@pytest.mark.slow
def test_they_are_told_as_steps_where_they_are_many() -> None:
    outcome = solve(Pair(), ("a", "b"), ["share = 2.5", "total <= 1e12"]).outcomes["a"]
    assert outcome.listed[0].lower == 5
    assert not any(part.lower % 5 for part in outcome.listed)
    assert "every 5 from 5 to 714,285,714,285" in str(outcome.why)


def test_degrees_of_a_layout_divide_its_chips() -> None:
    answer = solve(sheet("parallel_degrees"), ["n_tp", "n_pp"], ["replica_chips = 64 chip", "n_tp <= 8"])
    assert [part.lower for part in answer.outcomes["n_tp"].listed] == [1, 2, 4, 8]
    assert [part.lower for part in answer.outcomes["n_pp"].listed] == [8, 16, 32, 64]


UNBOUNDED: list[tuple[list[str], Callable[[int, int], bool]]] = [
    (["product = 16"], lambda a, b: a * b == 16),
    (["product = 36", "a <= 9"], lambda a, b: a * b == 36 and a <= 9),
    (["total = 12"], lambda a, b: a + b == 12),
    (["a - b^3 = 4", "a <= 5"], lambda a, b: a - b**3 == 4 and a <= 5),
    (["(a + b)*max(a, b) = 190", "b >= 9"], lambda a, b: (a + b) * max(a, b) == 190 and b >= 9),
]


@pytest.mark.parametrize(("relations", "holds"), UNBOUNDED)
def test_all_pairs_are_listed_where_bounds_leave_few(relations: list[str], holds: Callable[[int, int], bool]) -> None:
    pairs = [(a, b) for a in range(1, MOST) for b in range(1, MOST) if holds(a, b)]
    answer = solve(Pair(), ("a", "b"), relations)
    assert {outcome.proof for outcome in answer.outcomes.values()} <= {Proof.PROVEN, Proof.EXACT}
    found = [(values["a"], values["b"]) for values in answer.tuples]
    assert sorted(found) == pairs


def test_a_bound_loses_no_answer() -> None:
    batches = solve(sheet("global_batch"), ["batch", "seq_len"], ["tokens = 4e6 token", "seq_len <= 8192"])
    assert len(batches.tuples) == sum(4_000_000 % length == 0 for length in range(1, 8193))
