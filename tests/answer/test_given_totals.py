"""A total that is given leaves its other counts free: what works forwards beside it is in the answer backwards."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, formula, given, limit, solve

DENSE, LARGE = "model = llama-3-70b", "model = llama-3.1-405b"
TRAINED = [DENSE, "system = dgx-h100", "n_chips = 2048", "n_tp = 8", "micro_batch = 1", "seq_len = 8192"]
LONG = [*TRAINED[:-1], "seq_len = 131072"]
HELD = ["chip = h100-sxm", "seq_len = 8192", "micro_batch = 1", "recomputation = full"]
SERVED = [DENSE, "chip = h100-sxm", "prompt_len = 2000", "output_len = 500"]
ON_EIGHT = [*SERVED, "n_tp = 8"]
FIVE, TWELVE = "arrival_rate = 5 request/second", "arrival_rate = 12 request/second"
CASES = [
    ("training_memory", "n_pp", [DENSE, *HELD, "n_chips = 512", "n_tp = 8", "sharding = optimizer"], "8"),
    ("training_memory", "n_tp", [LARGE, *HELD, "n_chips = 16384", "n_pp = 16", "sharding = weights"], "8"),
    ("serving", "arrival_rate", [*ON_EIGHT, "n_chips = 16"], "3 request/second"),
    ("serving", "memory_efficiency", [*ON_EIGHT, TWELVE, "n_chips = 24", "token_latency <= 23 ms"], "0.95"),
    ("serving", "chip.memory_bandwidth", [*ON_EIGHT, FIVE, "n_chips = 16", "token_latency <= 20 ms"], "3.35 TB/s"),
]
LONG_CASES = [
    ("training_step", "n_pp", [*TRAINED, "batch = 2048", "sharding = optimizer"], "16"),
    ("training_plan", "n_pp", [*TRAINED, "batch = 2048", "sharding = optimizer", "dataset_tokens = 15T"], "8"),
    ("training_step", "n_cp", [*LONG, "batch = 128", "sharding = weights"], "32"),
    ("serving", "n_tp", [*SERVED, TWELVE, "n_chips = 64"], "8"),
    ("serving", "matmul_efficiency", [*ON_EIGHT, TWELVE, "n_chips = 24", "token_latency <= 24 ms"], "0.8"),
    ("serving", "chip.flops.bf16", [*ON_EIGHT, FIVE, "n_chips = 16", "tail_first_token <= 150 ms"], "800 TFLOP/s"),
]


class Shared(Sheet):
    """Work of machines in groups: one of each, unless stated."""

    n_groups = given("Groups", integer=True, inferred=1, maximum=10**6)
    n_machines = given("Machines of a group", integer=True, maximum=10**6)
    n_sites = given("Sites", integer=True, default=1)
    work = given("Work", default=12)
    n_all = formula(n_groups * n_machines, "", "All machines", integer=True)
    n_everywhere = formula(n_sites * n_all, "", "All machines of all sites", integer=True)
    load = formula(work / n_machines, "", "Work of one machine of a group")
    is_light = limit(load <= 3, "No machine is overloaded")


def _works(sheet: type[Sheet] | str, known: list[str], value: str, unknown: str) -> None:
    forward = solve(sheet, (), [*known, f"{unknown} = {value}"])
    assert forward.solved, forward
    outcome = solve(sheet, unknown, known).outcomes[unknown]
    assert any(forward.cells[unknown].si in part for part in outcome.listed), outcome.why


@pytest.mark.parametrize(("sheet", "unknown", "known", "value"), CASES)
def test_what_works_beside_a_total_is_in_the_answer(sheet: str, unknown: str, known: list[str], value: str) -> None:
    _works(sheet, known, value, unknown)


@pytest.mark.slow
@pytest.mark.parametrize(("sheet", "unknown", "known", "value"), LONG_CASES)
def test_what_works_beside_a_total_is_in_its_answer(sheet: str, unknown: str, known: list[str], value: str) -> None:
    _works(sheet, known, value, unknown)


@pytest.mark.parametrize("total", ["n_all = 24", "n_sites = 2, n_everywhere = 48"])
@pytest.mark.parametrize("more", [[], ["n_machines >= 1"], ["n_machines <= 1000"]])
def test_limits_decide_on_a_count_of_a_total(total: str, more: list[str]) -> None:
    """All divisors of 24 from 4 on, whatever an inequality that excludes nothing says besides."""
    outcome = solve(Shared, "n_machines", [*total.split(", "), *more]).outcomes["n_machines"]
    assert [part.lower for part in outcome.listed] == [4, 6, 8, 12, 24]


def test_without_a_limit_there_is_one_group() -> None:
    assert solve(Shared, "n_machines", ["n_all = 24"], without="is_light").value == 24


def test_an_equation_on_what_rests_on_the_count_decides_on_it() -> None:
    answer = solve(Shared, "n_machines", ["n_all = 24", "load = 2"])
    assert answer.value == 6
    assert answer.cells["n_groups"].value == 4


def test_a_total_that_is_asked_for_leaves_its_counts_free() -> None:
    """Of machines in all and in a group, any number of groups: not of one group alone."""
    answer = solve(Shared, ["n_all", "n_machines"], ["load <= 3", "n_all <= 24"])
    expected = {(groups * machines, machines) for machines in range(4, 25) for groups in range(1, 24 // machines + 1)}
    assert {(own["n_all"], own["n_machines"]) for own in answer.tuples} == expected
