"""States in training: what all chips hold together is what the recipe says, however they are divided."""

from __future__ import annotations

from typing import Any

import pytest

from flopsheet import sheet, solve

PARAMS = 70_553_706_496  # Llama 3 70B
LAYOUTS = [
    {"n_tp": 8, "n_pp": 4, "n_dp": 4, "n_cp": 1},
    {"n_tp": 8, "n_pp": 1, "n_dp": 8, "n_cp": 1},
    {"n_tp": 2, "n_pp": 4, "n_dp": 2, "n_cp": 4},
]
EXPERTS = ["rank_params = 1e9", "rank_expert_params = 4e9", "n_tp = 2", "n_dp = 16", "n_cp = 2", "n_ep = 8"]
# Recipe: bytes of a weight, a gradient and the optimizer's state of one parameter.
BYTES = {
    "fp32": (4, 4, 8),
    "mixed_16": (2, 2, 12),
    "mixed_18": (2, 4, 12),
    "fp8": (2 * (1 + 4 / 128**2), 4, 12),
    "fp8_bf16_moments": (2 * (1 + 4 / 128**2), 4, 8),
    "adam_8bit": (2, 2, 2 * (1 + 4 / 256)),
    "sgd": (2, 2, 8),
    "muon": (2, 2, 8),
}


def values(*relations: str, name: str = "model_states") -> dict[str, Any]:
    """Return the cells of a sheet by name [base units]."""
    return {cell: value.si for cell, value in solve(sheet(name), (), relations).cells.items()}


def _given(layout: dict[str, int]) -> list[str]:
    return [f"params = {PARAMS}", *(f"{name} = {degree}" for name, degree in layout.items())]


@pytest.mark.parametrize("recipe", BYTES)
def test_bytes_of_a_recipe(recipe: str) -> None:
    found = values("params = 1e6", f"recipe = {recipe}")
    assert [found[f"{kind}_memory"] / 1e6 for kind in ("param", "gradient", "optimizer")] == pytest.approx(
        BYTES[recipe]
    )


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("recipe", ["mixed_16", "mixed_18", "adam_8bit"])
def test_fully_sharded_states_of_all_chips_are_those_of_the_model(recipe: str, layout: dict[str, int]) -> None:
    found = values(*_given(layout), f"recipe = {recipe}", "sharding = weights")
    for kind, size in zip(("param", "gradient", "optimizer"), BYTES[recipe], strict=True):
        assert found["n_chips"] * found[f"{kind}_memory"] == pytest.approx(size * PARAMS)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize(("sharding", "copied"), [("none", 3), ("optimizer", 2), ("gradients", 1)])
def test_states_that_are_not_sharded_are_on_every_rank(sharding: str, copied: int, layout: dict[str, int]) -> None:
    found = values(*_given(layout), "recipe = mixed_18", f"sharding = {sharding}")
    ranks = layout["n_dp"] * layout["n_cp"]
    for place, (kind, size) in enumerate(zip(("param", "gradient", "optimizer"), (2, 4, 12), strict=True)):
        copies = ranks if place < copied else 1
        assert found["n_chips"] * found[f"{kind}_memory"] == size * PARAMS * copies


def test_gradients_are_divided_by_tensor_and_pipeline_parallelism() -> None:
    # EleutherAI's script leaves 262.97 GiB of gradients on each of 32 chips.
    found = values(*_given(LAYOUTS[0]), "recipe = mixed_18", "sharding = optimizer")
    assert found["gradient_memory"] == 4 * PARAMS / 32
    assert found["gradient_memory"] / 2**30 == pytest.approx(8.21, abs=0.005)


def test_tensor_parallelism_divides_fully_sharded_weights_once() -> None:
    # EleutherAI's script divides by the tensor degree and by all chips: 0.26 GiB.
    found = values(*_given(LAYOUTS[1]), "recipe = mixed_18", "sharding = weights")
    assert found["param_memory"] == 2 * PARAMS / 64
    assert found["param_memory"] / 2**30 == pytest.approx(2.05, abs=0.005)


def test_experts_are_sharded_over_their_own_ranks() -> None:
    found = values(*EXPERTS, "recipe = mixed_18", "sharding = optimizer")
    data_ranks, expert_ranks = 16 * 2, 2 * 2 * 16 // 8
    assert found["optimizer_memory"] == 12e9 / data_ranks + 12 * 4e9 / expert_ranks
    assert found["param_memory"] == 2 * 5e9
    assert found["gradient_memory"] == 4 * 5e9


def test_copies_of_shards_in_groups() -> None:
    found = values("params = 1e9", "n_dp = 64", "n_shard = 8", "sharding = weights", name="state_traffic")
    assert found["state_memory"] == 16e9 / 8
    assert found["n_shard_groups"] == 8
    assert found["sync_traffic"] == pytest.approx(7 / 8 * (3 * 2e9) + 2 * 7 / 8 * 2e9 / 8)


@pytest.mark.parametrize(("sharding", "passes"), [("none", 2), ("optimizer", 2), ("gradients", 5), ("weights", 12)])
def test_micro_batches_reduce_and_gather_anew(sharding: str, passes: int) -> None:
    given = ["params = 1e9", "n_dp = 4", "n_accumulation = 4", f"sharding = {sharding}"]
    assert values(*given, name="state_traffic")["sync_traffic"] == passes * 3 / 4 * 2e9


def test_one_rank_sends_nothing() -> None:
    for sharding in ("none", "weights"):
        assert values("params = 1e9", f"sharding = {sharding}", name="state_traffic")["sync_traffic"] == 0


def test_muon_keeps_a_second_moment_outside_the_matrices() -> None:
    found = values("params = 1e9", "rank_outer_params = 1e8", "recipe = muon")
    assert found["optimizer_memory"] == 8 * 9e8 + 12e8


def test_formats_of_matrices_leave_embeddings_in_bf16() -> None:
    found = values("params = 1e9", "rank_outer_params = 1e8", "recipe = fp8", "fp8_layouts = 1")
    assert found["param_memory"] == pytest.approx((1 + 4 / 128**2) * 9e8 + 2e8)


@pytest.mark.parametrize(("recipe", "size"), [("lora", 2), ("qlora", (4 + 8 / 64 + 32 / (64 * 256)) / 8)])
def test_adapters_are_trained_beside_frozen_weights(recipe: str, size: float) -> None:
    adapters = 16 * 2_498_560
    given = ["params = 7e9", f"recipe = {recipe}", "lora_rank = 16", "adapted_width = 2498560"]
    found = values(*given, "n_dp = 4", "sharding = optimizer")
    assert found["param_memory"] == pytest.approx(size * 7e9 + 4 * adapters)
    assert found["gradient_memory"] == 4 * adapters
    assert found["optimizer_memory"] == 8 * adapters / 4
    assert found["trained_share"] == pytest.approx(adapters / (7e9 + adapters))


@pytest.mark.parametrize("offload", ["none", "optimizer", "all"])
def test_chip_and_host_hold_the_states_together(offload: str) -> None:
    given = ["params = 1e9", "recipe = mixed_18", "n_dp = 8", "sharding = gradients", "largest_layer_params = 1e7"]
    found = values(*given, f"offload = {offload}")
    assert found["device_state_memory"] + found["host_state_memory"] == found["state_memory"]
    held = {"none": 2e9 + 16e9 / 8, "optimizer": 2e9, "all": 0}[offload]
    assert found["device_state_memory"] == held
    assert found["model_memory"] == held + (1e7 * (2 * 2 + 2) if offload == "all" else 0)


@pytest.mark.parametrize(
    ("n_ep", "n_etp", "holds"), [(8, 1, True), (6, 1, False), (4, 2, True), (3, 2, False), (32, 1, False)]
)
def test_groups_of_experts_have_equally_many_chips(n_ep: int, n_etp: int, holds: bool) -> None:
    """A stage has 2 x 8 chips in all replicas: 6 groups of experts would leave 4 of them without experts."""
    given = ["params = 30e9", "rank_params = 1e9", "n_tp = 2", "n_dp = 8", f"n_ep = {n_ep}", f"n_etp = {n_etp}"]
    verdicts = {check.relation.name: check.holds for check in solve("model_states", (), given).limits}
    assert verdicts["expert_ranks_fit"] is holds


@pytest.mark.parametrize(("n_shard", "holds"), [(1, True), (4, True), (8, True), (3, False), (16, False), (64, False)])
def test_whole_groups_share_states(n_shard: int, *, holds: bool) -> None:
    """Eight ranks hold the same weights: no group of more of them, or of three, can share their states."""
    given = ["params = 8e9", "n_tp = 2", "n_dp = 4", "n_cp = 2", "sharding = weights", f"n_shard = {n_shard}"]
    verdicts = {check.relation.name: check.holds for check in solve("model_states", (), given).limits}
    assert verdicts["shards_divide"] is holds


@pytest.mark.parametrize(("n_expert_shard", "holds"), [(1, True), (2, True), (4, True), (3, False), (8, False)])
def test_whole_groups_share_states_of_experts(n_expert_shard: int, *, holds: bool) -> None:
    """Two times sixteen chips of a stage hold the experts in eight groups: four ranks have the same ones."""
    given = ["params = 30e9", "rank_params = 1e9", "n_tp = 2", "n_dp = 16", "n_ep = 8"]
    answer = solve("model_states", (), [*given, "sharding = weights", f"n_expert_shard = {n_expert_shard}"])
    assert {check.relation.name: check.holds for check in answer.limits}["expert_shards_divide"] is holds


def test_what_fits_where_ranks_share_is_a_divisor_of_the_ranks() -> None:
    known = ["model = llama-3-8b", "chip = h100-sxm", "seq_len = 4096 token", "n_dp = 8", "batch = 8"]
    answer = solve("training_memory", "n_shard", [*known, "sharding = weights", "device_memory <= chip.memory"])
    assert [int(solution.lower) for solution in answer.outcomes["n_shard"].solutions] == [4, 8]


@pytest.mark.parametrize(("recipe", "size"), [("fp8", 1 + 4 / 128**2), ("mixed_18", 2)])
def test_ranks_gather_one_layout_of_a_weight(recipe: str, size: float) -> None:
    """A chip transposes an fp8 weight itself: the second layout takes memory and is not sent."""
    known = ("params = 1e9", "rank_outer_params = 1e8", f"recipe = {recipe}", "n_dp = 4", "sharding = weights")
    found = values(*known, name="state_traffic")
    assert found["gather_traffic"] == pytest.approx(2 * 3 / 4 * (size * 9e8 + 2e8))


@pytest.mark.parametrize("model", ["qwen3-30b-a3b", "mixtral-8x7b", "gpt-oss-20b", "nemotron-3-nano"])
def test_experts_of_a_model_are_divided_as_training_memory_divides_them(model: str) -> None:
    """One stage without a tensor split has all of the model but experts of other ranks."""
    layout = [f"model = {model}", "n_dp = 64", "n_ep = 8", "sharding = optimizer", "recipe = mixed_18"]
    states = {name: own.si for name, own in solve("model_states", (), layout).cells.items()}
    whole = solve("training_memory", (), [*layout, "chip = h100-sxm", "seq_len = 4096"], without=["fits"])
    expected = {name: own.si for name, own in whole.cells.items()}
    assert states["rank_expert_params"] == expected["rank_expert_params"] > 0
    assert states["rank_params"] + 8 * states["rank_expert_params"] == states["params"]
    assert states["state_memory"] == pytest.approx(float(expected["state_memory"]), rel=1e-6)


def test_without_a_model_no_parameters_are_taken_for_experts() -> None:
    cells = solve("model_states", (), ["params = 70e9", "n_dp = 64", "n_ep = 8"]).cells
    assert cells["rank_expert_params"].si == 0
    assert cells["rank_params"].si == 70e9


@pytest.mark.parametrize(("n_ep", "n_etp"), [(1, 8), (2, 1), (8, 1)])
def test_tensor_parallelism_divides_experts_unless_other_ranks_have_some(n_ep: int, n_etp: int) -> None:
    """As Megatron-LM does without expert parallelism, and inference in all cases."""
    layout = ["model = mixtral-8x7b", "n_tp = 8", "n_dp = 8", f"n_ep = {n_ep}"]
    cells = solve("model_states", (), layout).cells
    assert cells["n_etp"].si == n_etp
    assert cells["rank_expert_params"].si == 32 * 8 * 3 * 4096 * 14336 / (n_ep * n_etp)
