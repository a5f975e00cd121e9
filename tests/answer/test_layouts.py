"""Layouts: the degrees of parallelism are asked for at once, as tuples that limits filter and a cell ranks."""

from __future__ import annotations

import re
from itertools import product

import pytest

from flopsheet import Sheet, formula, given, limit, solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.inverse.method import Proof

CLUSTER = ["chip = h100-sxm", "model = llama-3-70b", "seq_len = 8192", "n_chips = 1024"]
DEGREES = ("n_pp", "n_dp", "n_tp")
CHIPS = 1024
POWERS = [2**power for power in range(11)]


class Grid(Sheet):
    """Counts whose product is given, a limit on two of them, and what ranks them."""

    a = given("First count", integer=True)
    b = given("Second count", integer=True)
    c = given("Third count", integer=True)
    total = formula(a * b * c, "", "Product")
    squared = formula(a * b**2, "", "Product of powers")
    cost = formula(a + 3 * b + c**2 / 5, "", "What ranks them")
    close = limit(a <= 4 * b, "The first is at most four times the second")


def tuples_of(relations: list[str], best: str | None = None) -> list[tuple[int, ...]]:
    answer = solve(Grid(), ("a", "b", "c"), relations, best=best)
    assert {outcome.proof for outcome in answer.outcomes.values()} <= {Proof.PROVEN, Proof.EXACT}
    return [(int(own["a"]), int(own["b"]), int(own["c"])) for own in answer.tuples]


def cost(point: tuple[int, ...]) -> float:
    a, b, c = point
    return a + 3 * b + c**2 / 5


@pytest.mark.parametrize("total", [24, 64, 97, 360, 1024])
def test_all_factors_are_listed_within_limits(total: int) -> None:
    divisors = [number for number in range(1, total + 1) if total % number == 0]
    expected = [
        point
        for point in product(divisors, repeat=3)
        if point[0] * point[1] * point[2] == total and point[0] <= 4 * point[1]
    ]
    assert sorted(tuples_of([f"total = {total}"])) == expected
    ranked = tuples_of([f"total = {total}"], "min:cost")
    assert [*map(cost, ranked)][:64] == sorted(map(cost, expected))[:64]
    assert sorted(ranked) == expected


def test_powers_and_proportions_of_counts_are_listed() -> None:
    within = [point for point in product(range(1, 145), repeat=2) if point[0] * point[1] ** 2 == 144]
    expected = [(a, b, 2 * a) for a, b in within if a <= 4 * b]
    assert sorted(tuples_of(["squared = 144", "c = 2*a"])) == expected


def test_what_limits_exclude_is_told_with_what_there_is_without_them() -> None:
    answer = solve(Grid(), ("a", "b", "c"), ["total = 6", "b = 1", "a >= 5"])
    assert not answer.tuples
    outcome = answer.outcomes["a"]
    assert outcome.kind == "none"
    assert outcome.limits == ("close",)
    lifted = solve(Grid(), ("a", "b", "c"), ["total = 6", "b = 1", "a >= 5"], without="close")
    assert [*lifted.tuples[0].values()] == [6, 1, 1]


def test_a_product_that_is_no_whole_number_has_no_factors() -> None:
    answer = solve(Grid(), ("a", "b", "c"), ["total = 24.5"])
    assert answer.outcomes["a"].kind == "none"
    assert answer.outcomes["a"].proof is not Proof.OPEN


@pytest.mark.slow
def test_more_than_can_be_listed_is_refused() -> None:
    with pytest.raises(UnderdeterminedError):
        solve(Grid(), ("a", "b", "c"), ["a + b + c = 1000"])


@pytest.mark.slow
def test_layouts_of_a_cluster_are_those_that_fit_one_by_one() -> None:
    answer = solve("training_step", DEGREES, [*CLUSTER, "step_time <= 40 second"], best="max:model_utilization")
    fitting = {}
    for degrees in product(POWERS, repeat=3):
        if degrees[0] * degrees[1] * degrees[2] == CHIPS and degrees[2] <= 64:
            given_degrees = [f"{name} = {degree}" for name, degree in zip(DEGREES, degrees, strict=True)]
            forward = solve("training_step", (), [*CLUSTER[:3], *given_degrees])
            if not forward.broken and forward.cells["step_time"].si <= 40:
                fitting[degrees] = float(forward.cells["model_utilization"].si)
    found = [tuple(int(values[name]) for name in DEGREES) for values in answer.tuples]
    assert sorted(found) == sorted(fitting)
    assert found[0] == max(fitting, key=fitting.__getitem__)
    utilization = [float(own.cells["model_utilization"].si) for own in answer.alternatives]
    assert utilization == pytest.approx(sorted(fitting.values(), reverse=True))


@pytest.mark.slow
@pytest.mark.parametrize("asked", [["step_time <= 40 second"], []])
@pytest.mark.parametrize("best", ["max:model_utilization", None])
def test_replicas_follow_where_two_degrees_are_asked_for(best: str | None, asked: list[str]) -> None:
    where = [*CLUSTER, *asked]
    two = solve("training_step", ("n_tp", "n_pp"), where, best=best, budget=20)
    three = solve("training_step", ("n_tp", "n_pp", "n_dp"), where, best=best, budget=20)
    assert two.tuples == three.tuples
    assert len(two.tuples) > 4
    assert all(own["n_tp"] * own["n_pp"] * own["n_dp"] == CHIPS for own in two.tuples)
    assert max(own["n_dp"] for own in two.tuples) > 1


@pytest.mark.slow
def test_degrees_of_a_number_of_chips_are_the_same_asked_for_alone_and_together() -> None:
    """Two had the layouts of one replica only, and one took the time of the question to tell that these fail."""
    where = ["model = llama-3-70b", "chip = h100-sxm", "n_chips = 1024", "dataset_tokens = 15T", "seq_len = 8192"]
    together = solve("training_plan", ("n_tp", "n_pp"), where, budget=20)
    for stages in (2, 4):
        alone = solve("training_plan", "n_tp", [*where, f"n_pp = {stages}"], budget=20)
        degrees = [part.lower for part in alone.outcomes["n_tp"].listed]
        assert degrees == sorted(own["n_tp"] for own in together.tuples if own["n_pp"] == stages)
        assert degrees


def test_replicas_that_are_given_stay() -> None:
    answer = solve("training_step", ("n_tp", "n_pp"), [*CLUSTER, "n_dp = 4", "step_time <= 40 second"], budget=20)
    assert answer.tuples
    assert all(own["n_tp"] * own["n_pp"] == CHIPS / 4 for own in answer.tuples)


def test_where_no_layout_works_the_nearest_that_was_tried_is_told() -> None:
    asked = ["model = llama-3.1-405b", "system = hgx-h100", "n_dp = 8", "seq_len = 8192", "recomputation = selective"]
    bounds = ["sharding = optimizer", "n_tp <= 8", "device_memory <= 90 % * chip.memory"]
    outcome = solve("training_memory", ["n_tp", "n_pp"], [*asked, *bounds]).outcomes["n_pp"]
    match = re.search(r"n_tp = (\d+) and n_pp = (\d+) come nearest: .* does not hold: (\S+) GiB is more", outcome.why)
    assert outcome.kind == "none"
    assert match is not None
    n_tp, n_pp, memory = match.groups()
    forward = solve("training_memory", (), [*asked, bounds[0], f"n_tp = {n_tp}", f"n_pp = {n_pp}"])
    assert forward.cells["device_memory"].value == pytest.approx(float(memory), abs=0.05)


def test_of_runs_bounded_from_above_the_largest_number_is_taken() -> None:
    asked = ["system = hgx-h100", "operation = all_reduce", "payload = 1 GB", "algorithm = hierarchical"]
    outcome = solve("collectives", "n_ranks", [*asked, "collective_time <= 10 ms"]).outcomes["n_ranks"]
    assert len(outcome.listed) > 1
    assert outcome.si == max(part.upper for part in outcome.listed)
