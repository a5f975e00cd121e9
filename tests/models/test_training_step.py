"""Time and memory of training with what is computed again and what each tensor-parallel rank has whole."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.models.solved import cells

from flopsheet import solve

DEEPSEEK = ("model = deepseek-v3", "seq_len = 4096 token", "n_pp = 4", "n_ep = 8", "n_dp = 8", "batch = 64")
CHIP = ("chip = h800-sxm5-80gb",)
# Of DeepSeek-V3: width, ranks of queries and of keys and values, width of the rotary key, heads and their widths
D, Q, KV, ROPE, HEADS, D_HEAD, D_VALUE = 7168, 1536, 512, 64, 128, 192, 128


@pytest.mark.parametrize(("latent_inputs", "copies"), [("copied", 8), ("divided", 1)])
def test_ranks_copy_the_matrices_into_latent_attention(latent_inputs: str, copies: int) -> None:
    """All ranks together have the parameters of a layer, and some of them as often as there are ranks."""
    known = (*DEEPSEEK, *CHIP, f"latent_inputs = {latent_inputs}")
    whole, rank = (cells("training_memory", *known, f"n_tp = {n_tp}")["rank_block_params"] for n_tp in (1, 8))
    latent = D * (Q + KV + ROPE) + Q + KV
    norms_and_router = 2 * D + 58 / 61 * 256 * D
    assert 8 * rank - whole == pytest.approx(7 * norms_and_router + (copies - 1) * latent, rel=1e-3)


def test_copied_matrices_compute_all_tokens_unless_sequences_are_divided_too() -> None:
    known = (*DEEPSEEK, *CHIP, "n_tp = 8", "forward_moves = 1e-9", "backward_moves = 1e-9")
    divided, copied, parallel, none = (
        cells("training_step", *known, *more)
        for more in (
            ("latent_inputs = divided", "router_counted = no"),
            ("router_counted = no",),
            ("sequence_parallel = yes",),
            ("sequence_parallel = yes", "latent_inputs = divided"),
        )
    )
    work = 3 * 2 * D * (Q + KV + ROPE) * 4096 * (1 - 1 / 8)
    assert copied["layer_time"] - divided["layer_time"] == pytest.approx(
        work / copied["sustained_matmul_rate"], rel=1e-3
    )
    assert parallel["layer_time"] == pytest.approx(none["layer_time"])


REPEATS = {
    "recompute_norms": 2 * 4096 * D + 4096 * (Q + KV),
    "recompute_products": 4096 * (3 * 18432 + 58 * (8 + 1) * 2048) / 61,
    "recompute_heads": 4096 * HEADS * (2 * D_HEAD + D_VALUE),
}


@pytest.mark.parametrize("what", REPEATS)
def test_what_is_computed_again_moves_as_before_and_once_more(what: str) -> None:
    known = (*DEEPSEEK, *CHIP, "micro_batch = 1")
    kept, again = cells("training_step", *known), cells("training_step", *known, f"{what} = yes")
    values = 2 * REPEATS[what]
    assert kept["computed_memory"] - again["computed_memory"] == pytest.approx(values, rel=1e-3)
    assert again["repeated_memory"] == pytest.approx(values, rel=1e-3)
    more = 2 * values / again["memory_rate"]
    if what == "recompute_heads":
        heads = Q * HEADS * D_HEAD + KV * HEADS * (D_HEAD - ROPE + D_VALUE)
        more += 2 * heads * 4096 / again["sustained_matmul_rate"]
    assert again["layer_time"] - kept["layer_time"] == pytest.approx(more, rel=1e-2)


def test_full_recomputation_repeats_heads_once() -> None:
    """Heads that are computed again are a part of a layer that is computed again."""
    known = (*DEEPSEEK, *CHIP, "recomputation = full")
    assert cells("training_step", *known, "recompute_heads = yes")["repeated_work"] == 0


def test_ranks_copy_the_latents_of_a_module_for_a_further_token() -> None:
    known = (*DEEPSEEK, *CHIP, "n_tp = 8", "n_blocks = 64")  # 61 would leave places for it on the last stage
    less, more = cells("training_memory", *known), cells("training_memory", *known, "n_trained_mtp = 1")
    whole = D * (Q + KV + ROPE) + Q + KV + 5 * D + 256 * (D + 1)  # into latents, norms and the router
    added = (more["mtp_module_params"] - whole) / 8 + whole
    assert more["rank_params"] - less["rank_params"] == pytest.approx(added)


def test_experts_that_pad_compute_what_they_have_room_for() -> None:
    even, padded = (cells("training_step", *DEEPSEEK, *CHIP, f"capacity_factor = {room}") for room in (1, 1.25))
    assert padded["layer_matmul_work"] - even["layer_matmul_work"] == pytest.approx(2 * 58 / 61 * 8 * 3 * D * 2048 / 4)
    assert padded["model_work_per_token"] == even["model_work_per_token"]


def test_one_chip_needs_no_links() -> None:
    rates = ("chip.flops.bf16 = 989.4 TFLOP/s", "chip.memory_bandwidth = 3350 GB/s")
    known = ("model = llama-3-8b", "seq_len = 4096 token", "batch = 4")
    by_hand, of_record = cells("training_step", *known, *rates), cells("training_step", *known, "chip = h100-sxm")
    assert by_hand["step_time"] == of_record["step_time"]


@pytest.mark.parametrize("schedule", ["one_f_one_b", "zb_h1"])
def test_a_ramp_takes_the_sum_of_its_steps(schedule: str) -> None:
    """Small batches wait as long for the pipeline as large ones do: the bubble is that of its stages."""
    known = (
        *("model = llama-3-8b", "chip = h100-sxm", "n_tp = 2", "n_pp = 4", "n_dp = 2", "n_cp = 1", "n_etp = 1"),
        *("seq_len = 8192 token", "dataset_tokens = 1e10 token", "sharding = optimizer", f"schedule = {schedule}"),
    )
    batches = range(8, 33, 2)
    steps = [cells("training_step", *known, f"batch = {batch}")["step_time"] for batch in batches]
    ramp = (f"start_batch = {batches[0]}", f"batch = {batches[-1]}", f"ramp_samples = {sum(batches)}")
    found = cells("training_plan", *known, *ramp)
    assert found["ramp_steps"] == len(batches)
    assert found["ramp_time"] == pytest.approx(sum(steps))
    assert found["trained_tokens"] == pytest.approx(found["dataset_tokens"])


@pytest.mark.parametrize(("last_batch", "steps"), [("partial", 305.17578125), ("drop", 305), ("nearest", 305)])
def test_a_last_batch_that_is_not_full(last_batch: str, steps: float) -> None:
    known = ("model = llama-3-8b", "n_tp = 2", "n_pp = 1", "n_dp = 8", "seq_len = 8192 token", "batch = 400")
    found = cells("training_plan", *known, "dataset_tokens = 1e9 token", "n_cp = 1", f"last_batch = {last_batch}")
    assert found["n_steps"] == steps
    assert found["trained_tokens"] == steps * 400 * 8192


@pytest.mark.parametrize("recipe", ["lora", "qlora"])
def test_frozen_matrices_have_no_gradients_of_weights(recipe: str) -> None:
    """Forward and backward, the matrices of Llama 3 8B are passed once each, and pairs of tokens once and twice."""
    known = (
        *("model = llama-3-8b", "chip = h100-sxm", "n_tp = 1", "n_pp = 1", "n_dp = 1", "seq_len = 4096 token"),
        *("batch = 4", "overlap = none", "forward_moves = 1e-12", "backward_moves = 1e-12", f"recipe = {recipe}"),
    )
    found = cells("training_step", *known)
    tokens, elements = 4 * 4096, 32 * (2 * 4096 * 5120 + 3 * 4096 * 14336) + 4096 * 128256
    pairs = 32 * 4 * 4096 * 4097 / 2
    assert found["model_work_per_token"] == pytest.approx(2 * 2 * elements + 3 * pairs)
    seconds = tokens * (2 * 2 * elements / 0.7 + 3 * pairs / 0.5) / 989.4e12
    assert found["pipeline_time"] == pytest.approx(seconds)
    adapters = 16 * found["adapter_params"]  # bytes in fp32: weight, gradient, two moments
    assert found["optimizer_time"] == pytest.approx(2 * adapters / (0.8 * 3.35e12))
    assert cells("training_step", *known, "work_rule = six_n")["model_work_per_token"] == 4 * 8030261248


@pytest.mark.parametrize("schedule", ["zb_h1", "zb_h2"])
def test_zero_bubbles_need_gradients_of_weights_to_fill_them(schedule: str) -> None:
    known = ("model = llama-3-8b", "n_pp = 4", "n_dp = 1", "n_tp = 1", "batch = 16", f"schedule = {schedule}")
    assert cells("training_step", *known, "recipe = lora", "seq_len = 4096 token")["bubble_ratio"] == 3 / 16


@pytest.mark.parametrize(("sharding", "each"), [("none", 18), ("optimizer", 2 + 4 + 12 / 8), ("weights", 18 / 8)])
def test_stages_beside_the_most_loaded_one(sharding: str, each: float) -> None:
    known = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_pp = 4", "n_dp = 8", "seq_len = 8192 token")
    found = cells("training_memory", *known, f"sharding = {sharding}", "recipe = mixed_18")
    assert found["end_state_memory"] == pytest.approx((128256 / 8 + 1) * 8192 * each)
    assert found["device_memory"] == found["first_chip_memory"] > found["inner_chip_memory"]
    assert found["first_chip_memory"] - found["inner_chip_memory"] == pytest.approx(found["end_state_memory"])
    layers = 20 * found["layer_memory"]  # of four micro-batches in the first stage, of one in the last
    assert found["first_chip_memory"] - found["last_chip_memory"] == pytest.approx(3 * layers - found["end_memory"])


@pytest.mark.parametrize(
    ("ramp", "violated"),
    [
        ((), set()),
        (("start_batch = 128", "ramp_samples = 1e6"), set()),
        (("start_batch = 128",), {"ramp_has_sequences"}),
        (("start_batch = 1024", "ramp_samples = 1e6"), {"grows"}),
    ],
)
def test_a_ramp_grows_over_some_sequences(ramp: tuple[str, ...], violated: set[str]) -> None:
    known = ("model = llama-3-8b", "chip = h200-sxm", "n_tp = 2", "n_pp = 1", "n_dp = 64", "batch = 512", "n_cp = 1")
    answer = solve("training_plan", (), [*known, "seq_len = 8192 token", "dataset_tokens = 15e12 token", *ramp])
    names = {check.relation.name for check in answer.limits if check.holds is False}
    assert names & {"grows", "ramp_has_sequences", "ends"} == violated


@pytest.mark.parametrize(("offload", "counts"), [("none", True), ("optimizer", False), ("all", False)])
def test_a_step_says_that_the_time_of_the_host_does_not_count(offload: str, *, counts: bool) -> None:
    known = ("model = llama-3-8b", "chip = h200-sxm", "n_tp = 1", "n_pp = 1", "n_dp = 8", "seq_len = 4096 token")
    answer = solve("training_step", "step_time", [*known, "batch = 16", f"offload = {offload}"])
    verdicts = {check.relation.name: check.holds for check in answer.limits}
    assert verdicts.get("host_time_counts", True) is counts


# An exchange of so many micro-batches of 4, a third of each its forward pass: how much of one nothing hides
WINDOWS = {
    "none": ("5/6", "none", 1 / 6),  # an all-reduce of gradients, beside the last backward pass alone
    "none-recomputed": ("5/6", "full", 1 / 12),  # which takes three quarters where it computes the forward pass again
    "optimizer": ("7/6", "none", 1 / 6),  # gradients beside the last backward pass, weights beside the next forward one
    "gradients": ("25/6", "none", 1 / 6),  # gradients of each micro-batch, beside the passes of the next one too
    "weights": ("25/6", "none", 1 / 6),  # weights beside all passes
}


@pytest.mark.parametrize("case", WINDOWS)
def test_states_are_exchanged_beside_the_passes_that_wait_for_none(case: str) -> None:
    sent, recomputation, exposed = WINDOWS[case]
    known = ("model = llama-3.2-1b", "system = dgx-h100", "n_dp = 64", "n_microbatches = 4")
    options = (f"sharding = {case.partition('-')[0]}", f"recomputation = {recomputation}")
    asked = f"dp_time = {sent} * stage_compute_time"
    found = solve("training_step", "scale_out_bandwidth", (*known, *options, "seq_len = 4096", asked)).cells
    assert found["exposed_dp_time"].si / found["stage_compute_time"].si == pytest.approx(exposed)


@pytest.mark.parametrize(("recomputation", "share"), [("none", 2 / 3), ("selective", 2 / 3), ("full", 3 / 4)])
def test_sites_synchronize_beside_the_backward_pass_of_the_layout(recomputation: str, share: float) -> None:
    """The plan knows what the backward pass computes again, which `site_sync` alone has to be told."""
    found = cells("training_plan", "model = llama-3.2-1b", "chip = h100-sxm", f"recomputation = {recomputation}")
    assert found["backward_share"] == pytest.approx(share)


@pytest.mark.parametrize(
    ("n_blocks", "schedule", "places"), [(61, "dualpipe", 8), (64, "dualpipe", 9), (64, "zb_v", 5)]
)
def test_a_module_for_a_further_token_takes_a_free_place(n_blocks: int, schedule: str, places: int) -> None:
    """DualPipe holds two stages of four layers a chip; 61 layers on 16 stages leave three places to the last one."""
    known = ("model = deepseek-v3", f"n_blocks = {n_blocks}", f"n_moe_blocks = {n_blocks}", *CHIP, "n_trained_mtp = 1")
    layout = ("n_pp = 16", "n_dp = 64", "n_ep = 64", f"schedule = {schedule}", "batch = 4096", "seq_len = 4096 token")
    experts = places * 256 / 64 * 3 * D * 2048
    assert cells("training_memory", *known, *layout)["rank_expert_params"] == pytest.approx(experts)


def test_an_allocator_reserves_more_than_tensors_take() -> None:
    known = ("model = llama-3.2-1b", *CHIP, "n_pp = 2", "batch = 4", "seq_len = 4096 token")
    none, some = (cells("training_memory", *known, f"reserved_share = {share} %") for share in (0, 5))
    ends = ("device_memory", "first_chip_memory", "last_chip_memory", "inner_chip_memory")
    for name in ends:
        tensors = none[name] - none["framework_memory"]
        assert some[name] == pytest.approx(1.05 * tensors + none["framework_memory"])


def test_the_chip_with_both_ends_has_what_is_left_of_the_last_stage() -> None:
    """Of 61 layers, 64 or 48 on 16 stages of DualPipe: the last stage has one layer, four or three."""

    def needed(n_blocks: int) -> float:
        known = ("model = deepseek-v3", f"n_blocks = {n_blocks}", f"n_moe_blocks = {n_blocks}", *CHIP, "n_pp = 16")
        layout = ("n_dp = 64", "n_ep = 64", "schedule = dualpipe", "batch = 4096", "seq_len = 1 token")
        return cells("training_memory", *known, *layout)["device_memory"]

    layer = (needed(64) - needed(48)) / 2  # a layer more in both of the stages that a chip holds
    assert needed(64) - needed(61) == pytest.approx(3 * layer, rel=0.01)


@pytest.mark.parametrize("sharding", ["none", "optimizer"])
def test_both_chips_with_the_same_weights_of_dualpipe_add_up_gradients(sharding: str) -> None:
    """One replica on 8 stages: chips 1 and 8, 2 and 7 and so on hold the same two stages."""
    known = ("model = llama-3-70b", "chip = h100-sxm", "seq_len = 4096 token", "n_tp = 8", "n_pp = 8", "n_dp = 1")
    found = cells("training_step", *known, "batch = 16", "schedule = dualpipe", f"sharding = {sharding}")
    assert found["weight_ranks"] == 2
    assert found["sync_traffic"] == pytest.approx(2 * 1 / 2 * 2 * found["rank_params"])
    assert found["dp.n_ranks"] == 2


@pytest.mark.parametrize(
    ("schedule", "n_interleave", "holds"),
    [
        ("interleaved", 2, True),
        ("interleaved", 5, True),
        ("interleaved", 10, True),
        ("interleaved", 3, False),
        ("interleaved", 20, False),
        ("one_f_one_b", 20, True),
    ],
)
def test_chunks_of_a_stage_have_whole_layers(schedule: str, n_interleave: int, *, holds: bool) -> None:
    """80 layers on 8 stages: ten each, in as many chunks as divide them."""
    known = ("model = llama-3-70b", "chip = h100-sxm", "seq_len = 4096 token", "n_pp = 8", "n_dp = 1", "batch = 16")
    answer = solve("training_memory", (), [*known, f"schedule = {schedule}", f"n_interleave = {n_interleave}"])
    assert {check.relation.name: check.holds for check in answer.limits}["chunks_have_layers"] is holds


@pytest.mark.parametrize(("n_pp", "holds"), [(8, True), (16, False), (20, True)])
def test_both_arms_of_a_v_have_layers(n_pp: int, *, holds: bool) -> None:
    """80 layers: ten a stage on 8 are five in each arm, five on 16 are no whole number, four on 20 are two."""
    known = ("model = llama-3-70b", "chip = h100-sxm", "seq_len = 4096 token", f"n_pp = {n_pp}", "n_dp = 1")
    answer = solve("training_memory", (), [*known, "batch = 64", "schedule = zb_v"])
    assert {check.relation.name: check.holds for check in answer.limits}["chunks_have_layers"] is holds


@pytest.mark.parametrize(
    ("model", "numbers"), [("deepseek-v3", HEADS // 8 * (D_HEAD + D_VALUE)), ("gemma-3-27b", 16 // 8 * (128 + 128))]
)
def test_ranks_of_a_sequence_exchange_keys_and_values_of_all_heads_in_all_layers(model: str, numbers: int) -> None:
    """Forward, backward and their gradients; one rank has an eighth of the sequence, and sends 7 parts of 8."""
    known = (f"model = {model}", "system = dgx-h100", "seq_len = 65536 token", "n_tp = 8", "n_cp = 8", "n_dp = 2")
    found = cells("training_step", *known, "n_pp = 1", "n_ep = 1", "batch = 4", "dataset_tokens = 1e9 token")
    sent = Fraction(7, 8) * 65536 * numbers * 2 / (50 * 10**9)
    assert found["layer_cp_time"] == pytest.approx(3 * (float(sent) + 7 * 5e-6))
