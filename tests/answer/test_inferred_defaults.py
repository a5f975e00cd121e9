"""A default that follows from other cells is overridden before one with a number of its own, where either could be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from flopsheet import record, solve
from flopsheet.errors import AmbiguousDefaultError


@pytest.mark.parametrize("given", ["batch = 96", "n_microbatches = 12"])
def test_the_batch_is_overridden_before_the_degrees(given: str) -> None:
    known = ["model = llama-3-70b", "seq_len = 4096", "n_dp = 8"]
    answer = solve("training_memory", "device_memory", [*known, given])
    assert (answer.cells["n_pp"].value, answer.cells["micro_batch"].value) == (1, 1)
    assert (answer.cells["batch"].value, answer.cells["n_microbatches"].value) == (96, 12)


def test_several_numbers_of_their_own_stay_ambiguous() -> None:
    known = ["model = llama-3-70b", "seq_len = 4096", "n_dp = 8", "batch = 96"]
    with pytest.raises(AmbiguousDefaultError, match="n_pp"):
        solve("training_memory", "device_memory", [*known, "n_chips = 64"])


def test_it_is_overridden_where_it_contradicts_what_was_asked_whatever_the_unknown() -> None:
    known = ["model = llama-3-70b", "system = dgx-h100", "seq_len = 1024", "n_dp = 512", "sharding = weights"]
    answer = solve("training_step", "micro_batch", [*known, "n_microbatches = 1", "exposed_dp_time <= 0 second"])
    assert answer.outcomes["micro_batch"].kind != "none"
    assert answer.cells["n_microbatches"].value == 1
    assert "batch" in answer.dropped_defaults


RUN = ["params = 70e9", "active_params = 70e9", "dataset_tokens = 1.4e12", "chip = h100-sxm", "n_chips = 1000"]
RUN += ["tokens = 4e6", "train_cost = 1 USD"]


@pytest.mark.parametrize("more", [[], ["train_time <= 900 day"]])
def test_it_stays_where_the_unknown_moves_what_was_asked_but_not_far_enough(more: list[str]) -> None:
    """At a cost of 1 USD no utilization is below 1: the price that was inferred has no part in that."""
    answer = solve("training_run", "utilization", [*RUN, *more])
    assert answer.outcomes["utilization"].kind == "none"
    assert "chip_price" not in answer.dropped_defaults
    assert answer.cells["chip_price"].si > 0


def test_it_stays_where_nothing_else_would_tell_the_unknown() -> None:
    known = ["model = llama-3-70b", "seq_len = 4096", "n_dp = 8", "n_microbatches = 1"]
    outcome = solve("training_memory", "micro_batch", known).outcomes["micro_batch"]
    assert (outcome.kind, outcome.proof.name) == ("none", "EXACT")


@pytest.mark.parametrize("shape", ["params = 70e9", "model = llama-3.1-8b", "model = deepseek-v3"])
@pytest.mark.parametrize(("unknown", "stated"), [("dataset_tokens", "train_time"), ("dataset_tokens", "total_work")])
def test_a_default_does_not_answer_for_the_cell_that_follows_from_it(shape: str, unknown: str, stated: str) -> None:
    """Tokens that 30 days suffice for are not 20 per parameter, with a model of other size."""
    given = [shape, "chip = h100-sxm", "n_chips = 1024", "utilization = 0.4"]
    forward = solve("training_time", (), [*given, "dataset_tokens = 7e12"])
    answer = solve("training_time", unknown, [*given, f"{stated} = {float(forward.cells[stated].si)} {UNITS[stated]}"])
    assert answer.cells[unknown].si == pytest.approx(7e12)
    assert answer.dropped_defaults == ("tokens_per_param",)


@pytest.mark.parametrize(("days", "sign"), [(1, "<="), (30, "<="), (30, ">=")])
def test_a_default_does_not_answer_for_the_cell_of_which_an_inequality_was_asked(days: int, sign: str) -> None:
    given = ["params = 70e9", "chip = h100-sxm", "n_chips = 4096", "utilization = 0.4"]
    tokens = solve("training_time", "dataset_tokens", [*given, f"train_time = {days} day"]).cells["dataset_tokens"].si
    answer = solve("training_time", "dataset_tokens", [*given, f"train_time {sign} {days} day"])
    (found,) = answer.outcomes["dataset_tokens"].solutions
    assert (found.upper if sign == "<=" else found.lower) == pytest.approx(tokens)
    assert answer.dropped_defaults == ("tokens_per_param",)


@pytest.mark.parametrize(
    "more",
    [
        ["dataset_tokens <= 2e12"],  # the unknown itself
        ["chip_rate >= 1 TFLOP/s"],  # a cell that does not rest on it
        ["tokens_per_param = 20 token/param", "train_time <= 30 day"],  # no default
    ],
)
def test_an_inequality_that_leaves_the_unknown_alone_is_checked_at_the_default(more: list[str]) -> None:
    given = ["params = 70e9", "chip = h100-sxm", "n_chips = 4096", "utilization = 0.4"]
    answer = solve("training_time", "dataset_tokens", [*given, *more])
    assert answer.cells["dataset_tokens"].si == pytest.approx(1.4e12)
    assert answer.dropped_defaults == ()


def test_several_defaults_from_which_the_unknown_follows_stay() -> None:
    """No one of them is the one that the inequality outweighs."""
    given = ["model = llama-3.1-8b", "chip = h100-sxm", "n_chips = 4096", "utilization = 0.4"]
    answer = solve("training_time", "total_work", [*given, "total_work <= 1e30 FLOP", "train_time <= 30 day"])
    assert answer.dropped_defaults == ()


UNITS = {"train_time": "s", "total_work": "FLOP"}
CHIPS = ["model = llama-3.1-405b", "chip = h100-sxm", "seq_len = 8192", "n_chips = 2048", "n_tp = 8", "batch = 2048"]


def test_replicas_follow_from_the_chips_where_all_other_degrees_are_known() -> None:
    answer = solve("training_step", "step_time", [*CHIPS, "n_pp = 16"])
    assert answer.cells["n_dp"].value == 16
    assert "n_dp" in answer.dropped_defaults


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unknown", "other", "degree"), [("n_pp", "n_cp", 1), ("n_pp", "n_cp", 2), ("n_cp", "n_pp", 64)]
)
def test_replicas_follow_from_the_chips_where_one_replica_has_no_solution(
    unknown: str, other: str, degree: int
) -> None:
    more = [f"{other} = {degree}", "sharding = gradients", "sequence_parallel = yes", "device_memory <= chip.memory"]
    answer = solve("training_step", unknown, [*CHIPS, *more])
    others = 8 * degree
    found = [int(part.lower) for part in answer.outcomes[unknown].solutions]
    assert found
    for value in found:
        replicas = 2048 // (others * value)
        assert replicas * others * value == 2048
        layout = [f"n_dp = {replicas}", f"{unknown} = {value}", *more[:-1]]
        checked = solve("training_step", (), [relation for relation in CHIPS if "n_chips" not in relation] + layout)
        assert checked.cells["n_chips"].value == 2048
        assert checked.cells["memory_fill"].si <= 1


def test_replicas_follow_from_the_chips_where_something_else_decides_on_the_stages() -> None:
    """One replica of 16 stages fits too, but is one way of many to use 128 chips."""
    known = ["model = llama-3-70b", "system = hgx-h100", "seq_len = 8192", "n_tp = 8", "batch = 2048"]
    known += ["sharding = gradients"]
    answer = solve("training_plan", "n_pp", [*known, "n_chips = 128", "device_memory <= chip.memory"])
    assert [part.lower for part in answer.outcomes["n_pp"].solutions] == [2, 4, 8, 16]
    for stages in (1, 2, 4, 8, 16):
        checked = solve("training_plan", (), [*known, f"n_pp = {stages}", f"n_dp = {16 // stages}"])
        assert (checked.cells["memory_fill"].si <= 1) is (stages != 1)


def test_one_replica_stays_where_nothing_else_decides_on_the_stages() -> None:
    known = ["model = llama-3-70b", "seq_len = 4096", "n_tp = 8", "n_chips = 64", "batch = 64"]
    answer = solve("training_memory", "n_pp", known)
    assert answer.outcomes["n_pp"].si == 8
    assert answer.cells["n_dp"].value == 1


@pytest.mark.parametrize("sheet", ["training_run", "electricity", "training_work"])
def test_what_a_named_record_says_stays(sheet: str) -> None:
    """Given tokens override how many there are per parameter, not the model that the question names."""
    given = ["model = llama-3.1-8b", "dataset_tokens = 2e12 token"]
    answer = solve(sheet, "tokens_per_param", given)
    assert answer.cells["params"].si == record("architecture", "llama-3.1-8b").values["params"].si
    without = solve(sheet, "params", given[1:])
    assert without.cells["params"].si == 10**11  # 20 tokens per parameter


MEMORY = ["model = llama-3-70b", "chip = h100-sxm", "seq_len = 8192"]


@pytest.mark.parametrize("sharding", ["optimizer", "weights"])
def test_the_chips_for_which_a_model_fits_give_the_replicas(sharding: str) -> None:
    known = [*MEMORY, "n_tp = 8", "n_pp = 4", f"sharding = {sharding}"]
    answer = solve("training_memory", "n_chips", [*known, "device_memory <= 77 GiB"])
    chips = answer.outcomes["n_chips"].solutions[0].lower if answer.outcomes["n_chips"].solutions else None
    assert chips is not None
    assert "n_dp" in answer.dropped_defaults
    memory = [
        solve("training_memory", "device_memory", [*known, f"n_dp = {replicas}"]).cells["device_memory"].si
        for replicas in (chips // 32, chips // 32 - 1)
    ]
    assert memory[0] <= 77 * 2**30 < memory[1]


def test_a_level_that_the_chips_are_asked_for_gives_the_replicas() -> None:
    known = [*MEMORY, "n_tp = 8", "n_pp = 4", "sharding = optimizer"]
    memory = solve("training_memory", "device_memory", [*known, "n_dp = 5"]).cells["device_memory"].si
    answer = solve("training_memory", "n_chips", [*known, f"device_memory = {float(memory)!r} byte"])
    assert answer.cells["n_chips"].si == pytest.approx(160)


@pytest.mark.parametrize(("days", "chips"), [(90, [2048, 4096, 8192]), (20, [8192])])
def test_the_chips_of_a_time_are_those_at_which_the_run_takes_it(days: int, chips: list[int]) -> None:
    known = ["model = llama-3-70b", "system = dgx-h100", "seq_len = 8192", "batch = 1024", "n_tp = 8"]
    known += ["dataset_tokens = 3e12", "sharding = weights", "recomputation = full"]
    answer = solve("training_plan", "n_chips", [*known, f"train_time <= {days} day"])
    found = [part.lower for part in answer.outcomes["n_chips"].solutions]
    times = {
        count: solve("training_plan", "train_time", [*known, f"n_dp = {count // 8}"]).cells["train_time"].si
        for count in (256, 512, 1024, 2048, 4096, 8192)
    }
    assert found == [count for count, seconds in times.items() if seconds <= days * 86400]
    assert set(chips) <= set(found)


def test_a_figure_that_is_given_in_place_of_a_record_stays() -> None:
    """What a question says of its model outweighs a usual ratio: 15T tokens are not 20 for each of its parameters."""
    given = ["model.params = 70B", "dataset_tokens = 15T", "chip = h100-sxm", "n_chips = 1024"]
    answer = solve("training_run", (), given)
    assert answer.dropped_defaults == ("tokens_per_param",)
    assert answer.cells["params"].si == 70_000_000_000
    assert answer.cells["tokens_per_param"].si == Fraction(1500, 7)


def test_it_gives_way_where_equations_between_have_no_value_with_it() -> None:
    """The usual batch has as many micro-batches as stages: four of them are met by no number of replicas."""
    known = ["model = llama-3-8b", "seq_len = 4096", "sharding = weights", "chip = h100-sxm", "n_microbatches = 4"]
    answer = solve("training_memory", "n_dp", [*known, "device_memory = 40 GiB"])
    assert answer.dropped_defaults == ("batch",)
    assert answer.outcomes["n_dp"].neighbours == (8, 9)


CHATS = ["model=qwen3-32b", "chip=l40s", "n_tp=4", "weight_format=fp8", "prompt_len=2000", "output_len=300"]


@pytest.mark.parametrize(("most", "is_dropped"), [("20 s", False), ("15 s", True)])
def test_a_formula_to_infer_gives_way_where_an_inequality_does_not_hold_with_it(most: str, is_dropped: bool) -> None:
    """The usual load gives the replicas; it is lower where requests would take too long, and more chips are needed."""
    where = [*CHATS, "arrival_rate = 20 request/s"]
    answer = solve("serving", "n_chips", [*where, f"tail_request_time <= {most}"])
    assert answer.solved
    assert ("answer_replicas" in answer.dropped_defaults) is is_dropped
    chips = round(float(answer.outcomes["n_chips"].si or 0))
    by_chips = solve("serving", (), [*where, f"answer_replicas = {chips // 4}"], show="tail_request_time")
    assert by_chips.cells["tail_request_time"].si <= float(most[:2])


def test_what_is_asked_for_alone_is_what_its_default_says() -> None:
    given_cells = ["model = llama-3.1-8b", "tokens = 4e6 token"]
    answer = solve("gradient_sync", "params", given_cells)
    assert answer.value == 8_030_261_248
    assert answer.outcomes["params"].why == "Computed from its default."
    assert not answer.dropped_defaults
    by_memory = solve("gradient_sync", "params", [*given_cells, "gradient_memory = 30 GB"])  # no longer the model's
    assert by_memory.value == 15e9


def test_what_follows_from_a_named_record_through_another_default_does_not_yield() -> None:
    where = ["model = llama-3-70b", "chip = h100-sxm", "tokens = 4M", "train_time = 30 day", "step_time = 5 second"]
    with pytest.raises(AmbiguousDefaultError):
        solve("training_run", "n_chips", where)


def test_tokens_that_are_given_replace_those_per_parameter() -> None:
    known = ["chip = h100-sxm", "utilization = 40 %", "n_chips = 512", "dataset_tokens = 2T"]
    answer = solve("training_run", "params", [*known, "train_time = 30 day"])
    rate = 989.4e12 * 0.4 * 512
    params = 30 * 86400 * rate / (6 * 2e12)
    assert answer.value == pytest.approx(params)
    assert answer.cells["tokens_per_param"].si == pytest.approx(2e12 / params)


def test_a_figure_on_which_an_answer_does_not_rest_is_told() -> None:
    """Bandwidth comes from the system here; what is given of its chip alone would change nothing unsaid."""
    known = ["model = llama-3-70b", "system = dgx-h100", "seq_len = 8192", "n_tp = 8", "batch = 512"]
    text = "chip.link.bandwidth is given, but the answer does not rest on it."
    assert text in solve("training_step", "step_time", [*known, "chip.link.bandwidth = 9 TB/s"]).warnings
    alone = [known[0], "chip = h100-sxm", *known[2:], "chip.link.bandwidth = 9 TB/s"]
    assert text not in solve("training_step", "step_time", alone).warnings


def test_computation_of_a_parameter_yields_to_no_time_that_is_given() -> None:
    known = ["model = llama-3-70b", "chip = h100-sxm", "utilization = 40 %", "n_chips = 1000", "dataset_tokens = 15T"]
    with pytest.raises(AmbiguousDefaultError, match=r"185\.7 day"):
        solve("training_run", "train_cost", [*known, "train_time = 30 day"])
    answer = solve("training_run", "work_per_param_token", [*known, "train_time = 30 day"])
    assert answer.value == pytest.approx(0.9693, rel=1e-3)
