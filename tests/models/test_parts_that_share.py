"""Groups of chips that share work: what each of them computes, sends, waits for and has room for."""

from __future__ import annotations

import math

import pytest
from tests.models.solved import cells

from flopsheet import solve


def verdicts(sheet: str, *relations: str) -> dict[str, bool]:
    """Return whether each limit holds."""
    return {check.relation.name: check.holds for check in solve(sheet, (), relations).limits}


SITES = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_dp = 64", "batch = 2048", "seq_len = 8192 token")
RUN = ("dataset_tokens = 15.6e12 token", "recomputation = full", "sequence_parallel = yes", "n_sites = 3")


@pytest.mark.parametrize("method", ["diloco", "every_step"])
def test_sites_synchronize_beside_the_last_backward_pass(method: str) -> None:
    """Gradients are final in the last of 32 micro-batches: the others hide nothing."""
    links = ("site_bandwidth = 50 Gbit/s", "site_distance = 100 km", f"sync_method = {method}", "n_inner_steps = 50")
    found = cells("training_plan", *SITES, *RUN, *links)
    window = 3 / 4 * found["microbatch_time"]
    layer = window / 80
    assert found["n_microbatches"] == 32
    assert found["fragment_wait"] == pytest.approx(found["sync_time"] - window + layer)


def test_a_pipeline_passes_the_last_micro_batch_on() -> None:
    found = cells("training_plan", *SITES[:2], "n_pp = 4", "n_dp = 8", "batch = 512", "seq_len = 8192 token", *RUN)
    assert found["last_pass_time"] == pytest.approx(4 * found["microbatch_time"])
    alone = cells("training_plan", *SITES[:2], "n_pp = 4", "n_dp = 8", "batch = 8", "seq_len = 8192 token", *RUN)
    assert alone["last_pass_time"] <= alone["step_time"]


PROMPTS = ("model = deepseek-v3", "chip = h200-sxm", "n_tp = 1", "n_adp = 16", "n_ep = 16", "seq_len = 8192 token")


@pytest.mark.parametrize(("n_prompts", "most"), [(1, 1), (4, 1), (16, 1), (17, 2), (31, 2), (32, 2), (33, 3)])
def test_groups_compute_whole_prompts_and_experts_those_that_there_are(n_prompts: int, most: int) -> None:
    one, found = (cells("prefill", *PROMPTS, f"n_prompts = {n}") for n in (1, n_prompts))
    assert found["rank_prompts"] == most
    computed = found["n_passes"] * found["expert_work"]
    assert computed == pytest.approx(n_prompts * one["n_passes"] * one["expert_work"])
    assert found["stage_tokens"] * found["n_passes"] == pytest.approx(n_prompts * 8192)


HYBRID = ("model = qwen3-235b-a22b", "chip = h100-sxm", "n_dp = 32", "n_tp = 4", "n_pp = 4", "n_ep = 8")
BATCH = ("batch = 1024", "seq_len = 4096 token", "sharding = optimizer")


def test_groups_with_copies_of_shards_of_experts_are_their_own() -> None:
    """Both layouts send the same bytes over the network: in groups of four or all at once."""
    known = (*HYBRID, *BATCH)
    some = cells("training_step", *known, "n_expert_shard = 4")
    network = some["sent_expert_gradients"] / 4 * 2 * (1 - 1 / some["n_expert_shard_groups"])
    assert some["expert_groups.transfer_time"] == pytest.approx(network / 50e9)
    assert some["groups.transfer_time"] == 0
    dense = cells("training_step", *known, "n_shard = 4")
    assert dense["expert_groups.transfer_time"] == 0
    sent = dense["sent_gradients"] / 4 * 2 * (1 - 1 / 8)
    assert dense["groups.transfer_time"] == pytest.approx(sent / 50e9)


def test_without_sharding_the_ranks_that_would_share_are_of_no_account() -> None:
    known = ("model = llama-3-70b", "chip = h100-sxm", "n_dp = 64", "n_tp = 8", "n_pp = 4", "batch = 1024")
    none, some = (cells("training_step", *known, "seq_len = 8192 token", *more) for more in ((), ("n_shard = 8",)))
    assert none["dp_time"] == some["dp_time"]


@pytest.mark.parametrize(
    ("schedule", "bubble"),
    [("one_f_one_b", 15 / 32), ("zb_h1", 15 * 2 / 128), ("zb_h2", 15 / 128), ("dualpipe", 7 / 32)],
)
def test_what_is_computed_again_waits_in_every_schedule(schedule: str, bubble: float) -> None:
    """Passes of 1, 2 and 1: forward, then again with gradients of inputs, then gradients of weights."""
    known = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_pp = 16", "n_dp = 8", "batch = 256")
    more = ("seq_len = 8192 token", "recomputation = full", f"schedule = {schedule}")
    assert cells("training_step", *known, *more)["bubble_ratio"] == pytest.approx(bubble)


def test_messages_of_dualpipe_are_those_of_one_direction() -> None:
    """A micro-batch passes each chip once, from either end of the pipeline."""
    known = ("model = llama-3-70b", "chip = h100-sxm", "n_tp = 8", "n_pp = 16", "n_dp = 8", "batch = 512")
    plain, both, chunks = (
        cells("training_step", *known, "seq_len = 8192 token", f"schedule = {schedule}")["microbatch_pp_time"]
        for schedule in ("one_f_one_b", "dualpipe", "interleaved")
    )
    assert both == plain
    assert chunks == pytest.approx(2 * plain)


DISAGGREGATED = ("model = deepseek-v3", "prefill.chip = h200-sxm", "decode.chip = h200-sxm", "prompt_len = 8192 token")
GROUPS = ("prefill.n_tp = 1", "prefill.n_pp = 1", "prefill.n_adp = 16", "prefill.n_ep = 16", "output_len = 512 token")


@pytest.mark.parametrize(("rate", "holds"), [(100, True), (11000, True), (11200, False)])
def test_each_group_of_chips_gets_pasts_of_its_own(rate: int, *, holds: bool) -> None:
    """A past takes 11.5 ms to one of 128 chips: they get up to 11,118 in a second."""
    answers = ("decode.n_tp = 1", "decode.n_pp = 1", "decode.n_adp = 128", "decode.n_ep = 128")
    replicas = ("prompt_replicas = 4000", "answer_replicas = 1", f"arrival_rate = {rate} request/second")
    found = solve("disaggregated_serving", (), [*DISAGGREGATED, *GROUPS, *answers, *replicas])
    assert {check.relation.name: check.holds for check in found.limits}["pasts_are_sent"] is holds


def test_each_group_of_chips_has_room_for_its_own_sequences() -> None:
    known = ("model = deepseek-v3", "chip = h200-sxm", "n_tp = 1", "n_adp = 16", "n_ep = 16", "n_pp = 1")
    load = ("arrival_rate = 2 request/second", "prompt_len = 65536 token", "output_len = 4096 token")
    found = cells("serving", *known, *load, "prompt_cv = 1", "output_cv = 1", "cache_allocation = paged")
    room = found["max_sequences"] / 16
    each = math.floor(
        max(n for n in range(1, 10**4) if n / 100 + found["room_spread"] * math.sqrt(n / 100) <= room) / 100
    )
    assert found["paged_sequences"] == 16 * each


@pytest.mark.parametrize(("n_tp", "n_cp"), [(1, 8), (2, 4), (8, 1)])
def test_chips_that_share_experts_add_up_what_they_give(n_tp: int, n_cp: int) -> None:
    """All chips have all tokens and some of the experts: each layer is a sum over all of them."""
    known = ("model = qwen3-235b-a22b", "chip = h100-sxm", f"n_tp = {n_tp}", f"n_cp = {n_cp}", "n_ep = 8")
    found = cells("decode", *known, "n_sequences = 128", "seq_len = 8192 token")
    if n_cp > 1:
        alone = found["cp.latency_time"] + found["exchange_launch_time"] + found["cp.transfer_time"]
        pairs = 94 * (found["cp.latency_time"] + found["exchange_launch_time"]) + 94 * 2 * found["cp.transfer_time"]
        assert found["stage_cp_time"] == pytest.approx(pairs + 94 * alone)  # 64 heads of 128: twice the width
        assert found["cp.payload"] == pytest.approx(128 * 4096 * 2 / n_tp)
    else:
        assert found["stage_cp_time"] == 0
    whole = cells("decode", *known[:2], "n_tp = 8", "n_ep = 8", "n_sequences = 128", "seq_len = 8192 token")
    moe = found["stage_tp_time"] + found["stage_cp_time"]
    assert moe > whole["stage_tp_time"] / 2  # none of the layouts adds up experts for nothing


@pytest.mark.parametrize(("model", "n_pp"), [("gemma-3-27b", 4), ("qwen3-4b", 5), ("llama-3-8b", 4)])
def test_a_short_last_stage_hides_the_output_matrix(model: str, n_pp: int) -> None:
    """The load never takes longer than what its own step takes, and a share of it is none above one."""
    known = (f"model = {model}", "chip = h100-sxm", "n_tp = 1", f"n_pp = {n_pp}", "n_sequences = 256")
    rates = ("seq_len = 2048 token", "offered_token_rate = 200 token/s")
    found = cells("decode_at_load", *known, *rates)
    assert found["shared_share"] <= 1
    implied = 1 + 200 * found["running_token_time"]
    assert found["running_sequences"] == pytest.approx(implied, rel=0.05)


@pytest.mark.parametrize(("n_tp", "holds"), [(1, True), (3, False), (8, True), (16, True), (32, False), (80, True)])
def test_ranks_divide_heads_of_recurrent_states(n_tp: int, *, holds: bool) -> None:
    known = ("model = mamba-2-2.7b", "chip = h100-sxm", "n_pp = 1", "n_dp = 4", "batch = 64", "seq_len = 4096 token")
    found = verdicts("training_memory", *known, f"n_tp = {n_tp}")
    assert found["state_heads_divide"] is holds


@pytest.mark.parametrize(("recipe", "share"), [("mixed_16", 1), ("lora", 0), ("qlora", 0)])
def test_sites_synchronize_and_keep_what_is_trained(recipe: str, share: int) -> None:
    known = ("model = llama-3.1-405b", "system = dgx-h100", "n_tp = 8", "n_pp = 16", "n_dp = 16", "batch = 2048")
    sites = ("n_sites = 2", "site_bandwidth = 100 Gbit/s", "site_distance = 1000 km", "sync_method = every_step")
    found = cells(
        "training_plan", *known, *sites, "seq_len = 8192 token", f"recipe = {recipe}", "dataset_tokens = 1e12"
    )
    trained = found["params"] if share else found["adapter_params"]
    assert found["sync_size"] == pytest.approx(2 * (1 / 2) * 2 * trained)
    assert found["checkpoint_memory"] == pytest.approx(trained * (2 + 12 if share else 4 + 8))


@pytest.mark.parametrize("overlap", ["none", "full"])
@pytest.mark.parametrize("launches", ["graph", "eager"])
@pytest.mark.parametrize("n_pp", [1, 4])
def test_rates_that_a_promise_needs_keep_it(overlap: str, launches: str, n_pp: int) -> None:
    """All rates times the need: tokens come when promised, and no part alone needs more."""
    known = ("model = llama-3-70b", "system = mi300x-platform", "n_tp = 8", "n_sequences = 64", "seq_len = 8192 token")
    asked = (*known, f"n_pp = {n_pp}", f"overlap = {overlap}", f"launches = {launches}", "token_target = 200 ms")
    found = cells("hardware_wish", *asked)
    alone = (found[f"{part}_need"] for part in ("bandwidth", "rate", "link", "network"))
    assert found["rates_need"] >= max(alone) * (1 - 1e-9)
    need = found["rates_need"]
    rates = {
        "chip.memory_bandwidth": "B/s",
        "chip.flops.bf16": "FLOP/s",
        "scale_up_bandwidth": "B/s",
        "scale_out_bandwidth": "B/s",
    }
    scaled = [f"{name} = {found[name] * need!r} {unit}" for name, unit in rates.items()]
    moved = cells("hardware_wish", *asked, *scaled)
    host = n_pp * found["host_overhead"] + found["scheduler_time"]
    assert moved["token_time"] == pytest.approx(max(0.2, host), rel=1e-6)


def ring_sum(values: float, n_ranks: int) -> tuple[float, float]:
    """Return latency and transfer of a sum of bf16 values around a ring of an H100's links [s]."""
    return 2 * (n_ranks - 1) * 1e-6, 2 * (1 - 1 / n_ranks) * 2 * values / 450e9


@pytest.mark.parametrize(
    ("model", "outer", "inner", "width", "summed"),
    [
        ("falcon-mamba-7b", 64, 64, 4096, 256 + 2 * 16),  # steps, keys and queries from divided channels
        ("jamba-1.5-large", 144, 63, 8192, 512 + 2 * 16),
        ("mamba-2-2.7b", 64, 64, 2560, 0),  # one group of channels: a norm over all of them
        ("olmo-2-32b", 128, 64, 5120, 0),  # a norm over all heads sums one number a token
        ("falcon-180b", 80, 0, 14848, 0),  # attention and the feed-forward part are summed at once
        ("command-r-plus", 64, 0, 12288, 0),  # norms of queries and keys are over each head
        ("llama-3-70b", 160, 0, 8192, 0),
    ],
)
def test_divided_channels_and_heads_are_summed_inside_a_part_too(
    model: str, outer: int, inner: int, width: int, summed: int
) -> None:
    known = (f"model = {model}", "chip = h100-sxm", "n_tp = 8", "n_sequences = 16", "seq_len = 4096 token")
    latency, transfer = ring_sum(16 * width, 8)
    by_hand = outer * (latency + transfer + 10e-6) + inner * (latency + ring_sum(16 * summed, 8)[1] + 10e-6)
    served = cells("decode", *known)
    assert served["stage_tp_time"] == pytest.approx(by_hand)
    wish = cells("hardware_wish", *known, "token_target = 200 ms")
    assert wish["link_time"] == pytest.approx(outer * transfer + inner * ring_sum(16 * summed, 8)[1])
    assert wish["exchange_latency"] == pytest.approx((outer + inner) * (latency + 10e-6))
    whole = ("n_pp = 1", "n_dp = 1", "batch = 1", "n_etp = 1")
    trained = cells("training_step", *known[:3], "seq_len = 4096 token", *whole)
    latency, transfer = ring_sum(4096 * width, 8)
    outer -= 36 if model.startswith("jamba") else 0  # whole experts, to which tokens are sent
    by_hand = 2 * (outer * (latency + transfer) + inner * (latency + ring_sum(4096 * summed, 8)[1]))
    assert trained["stage_tp_time"] == pytest.approx(by_hand)


@pytest.mark.parametrize(("model", "n_cp", "holds"), [("falcon-h1-3b", 2, False), ("falcon-h1-3b", 1, True)])
def test_a_step_says_that_mixers_exchange_states_for_nothing(model: str, n_cp: int, *, holds: bool) -> None:
    known = (f"model = {model}", "chip = h100-sxm", f"n_cp = {n_cp}", "n_tp = 1", "n_ep = 1", "n_dp = 2")
    assert verdicts("layer_exchanges", *known, "seq_len = 8192 token")["mixers_keep_sequences"] is holds


def test_attention_alone_exchanges_its_keys() -> None:
    known = ("model = llama-3-8b", "chip = h100-sxm", "n_cp = 4", "n_tp = 1", "n_ep = 1", "n_dp = 2")
    assert verdicts("layer_exchanges", *known, "seq_len = 8192 token")["mixers_keep_sequences"] is True
