"""Answers of the questions on training, computed again in plain Python from the numbers that each question names."""

from __future__ import annotations

import math

import pytest
from tests.asked import answered as answer_to

from flopsheet import read_question, solve
from flopsheet.registry.packs import packs

FOLDER = packs()[0].folder / "models" / "questions"
GIB, HOUR, DAY = 2**30, 3600, 24 * 3600
H100, SHARE = 989.4e12, 0.4  # FLOP/s in bf16, and the share of it that the questions on runs take
LLAMA_7B = 6738417664
# Llama 3 70B: the matrices of its layers, the two of its vocabulary, and its norms
MATRICES = 80 * (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672)
OUTER, NORMS = 2 * 128256 * 8192, 161 * 8192
ADAPTED = 16 * 80 * (2 * (8192 + 8192) + 2 * (8192 + 1024) + 3 * (8192 + 28672))  # rank 16 at all matrices of a layer
LLAMA_405B = 405853388800
FAILURES = 50677 * HOUR  # s between failures of a chip of that run: 419 in 54 days of 16,384


def cell(name: str, wanted: str) -> float:
    """Return the value of a cell that the question asks for or computes [base units]."""
    return float(answer_to(name).cells[wanted].si)


def lower(name: str, unknown: str) -> float:
    """Return the lower end of a range [base units]."""
    return float(answer_to(name).outcomes[unknown].solutions[0].lower)


def test_states_of_a_full_fine_tune() -> None:
    weights_and_gradients, moments = (2 + 2) * LLAMA_7B, 12 * LLAMA_7B
    name = "full-fine-tune-7b-a100"
    assert answer_to(name).value == "optimizer"
    assert cell(name, "model_memory") == pytest.approx(weights_and_gradients + moments / 4, rel=1e-3)
    assert weights_and_gradients + moments > 80 * GIB  # so that none of the states sharded does not fit


def test_shards_of_a_full_fine_tune_on_small_cards() -> None:
    shards = cell("full-fine-tune-7b-rtx-4090", "n_dp")
    states = cell("full-fine-tune-7b-rtx-4090", "state_memory")
    assert states == pytest.approx(16 * LLAMA_7B / shards, rel=1e-3)
    rest = cell("full-fine-tune-7b-rtx-4090", "device_memory") - states
    assert states + rest <= 24 * GIB < 16 * LLAMA_7B / (shards - 1) + rest


def test_sequences_beside_4_bit_weights() -> None:
    four_bits = 0.5 + (1 + 4 / 256) / 64
    states = four_bits * MATRICES + 2 * (OUTER + NORMS) + (4 + 4 + 8) * ADAPTED
    name = "qlora-70b-h200"
    assert cell(name, "trained_params") == ADAPTED
    assert cell(name, "state_memory") == pytest.approx(states, rel=1e-4)
    tokens = 8192 * cell(name, "micro_batch")
    kept = 80 * tokens * 8192 * 2  # the input of each layer
    assert cell(name, "stage_memory") == pytest.approx(kept)
    assert cell(name, "head_memory") == pytest.approx(tokens * (128256 * 8 + 2 * 8192 * 2), rel=1e-3)


def test_model_cost_and_power_of_10000_chips() -> None:
    work = 10_000 * SHARE * H100 * 90 * DAY
    name = "model-for-10000-h100"
    assert cell(name, "params") == pytest.approx(math.sqrt(work / 6 / 20))
    assert cell(name, "train_cost") == pytest.approx(10_000 * 90 * 24 * 2)
    assert cell(name, "run_power") == pytest.approx(10_000 * (700 + 575))
    energy = 1.2 * 10_000 * 1275 * 90 * DAY
    assert cell(name, "site_energy") == pytest.approx(energy)
    assert cell(name, "carbon") == pytest.approx(energy / 3.6e6 * 57)  # J, kWh, g


def test_optimum_of_10000_chips() -> None:
    budget = 10_000 * SHARE * H100 * 90 * DAY / 6

    def loss(params: float) -> float:
        return float(1.8172 + 482.01 / params**0.3478 + 2085.43 / (budget / params) ** 0.3658)

    found = cell("law-for-10000-h100", "params")
    assert found * cell("law-for-10000-h100", "dataset_tokens") == pytest.approx(budget)
    assert cell("law-for-10000-h100", "loss") == pytest.approx(loss(found))
    assert loss(found) < min(loss(0.99 * found), loss(1.01 * found))


def test_model_and_chips_for_2_million_dollars() -> None:
    name = "chip-for-2m-usd"
    rate, price = SHARE * cell(name, "chip.flops.bf16"), cell(name, "chip_price")
    work = 2e6 / price * rate  # the price is one of a second
    assert cell(name, "params") == pytest.approx(math.sqrt(work / 6 / 20), rel=1e-6)
    assert cell(name, "n_chips") == math.ceil(work / rate / (60 * DAY))


def test_sequences_that_hide_the_gathers() -> None:
    # Two gathers in 16 bits, gradients in 32; the 64 servers exchange an eighth of it over each of their eight ports
    params = MATRICES + OUTER + NORMS
    sent = (2 + 2 + 4) * params * 63 / 64 / 8 / 50e9
    name = "batch-hides-fsdp"
    assert cell(name, "dp_time") == pytest.approx(sent, rel=0.2)  # without the latency of 500 hops a layer
    assert cell(name, "dp_time") > sent
    computed = 1024 * 8 * MATRICES / (0.7 * H100)  # a sequence, forward twice and backward
    assert cell(name, "stage_compute_time") / 2 == pytest.approx(computed, rel=0.1)
    assert math.ceil(lower(name, "micro_batch")) == 2


@pytest.mark.parametrize(("name", "steps"), [("bandwidth-three-sites", 1), ("bandwidth-three-sites-diloco", 100)])
def test_bandwidth_of_three_sites(name: str, steps: int) -> None:
    computed, backward = steps * 26, 26 * 2 / 3
    latency = 4 * 1e6 * 1.468 / 299792458  # there and back around the ring of three
    sent = 2 * LLAMA_405B * 2 * 2 / 3  # bytes of bf16, two thirds of them twice
    wait = computed / 9  # a tenth of all
    layer = 1 / 126  # the last one is sent when the backward pass is over
    time = wait + backward * (1 - layer) - latency
    assert lower(name, "site_bandwidth") == pytest.approx(sent / time, rel=0.01)


def test_checkpoints_of_16384_chips() -> None:
    between, write = FAILURES / 16384, 14 * 405e9 / 2e12
    ratio = write / 2 / between
    interval = math.sqrt(2 * write * between) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write  # Daly
    name = "checkpoint-interval-16k"
    assert cell(name, "checkpoint_interval") == pytest.approx(interval, rel=1e-6)
    lost = between * math.exp((600 + 30 + write) / between) * math.expm1((interval + write) / between)
    assert cell(name, "goodput") == pytest.approx(interval / lost, rel=1e-3)


@pytest.mark.slow
@pytest.mark.xdist_group("spare-nodes-for-goodput")  # whose page is written from the same answer
def test_spares_of_the_largest_run() -> None:
    chips = cell("spare-nodes-for-goodput", "n_chips")
    in_repair = chips / FAILURES * 0.78 * DAY
    assert cell("spare-nodes-for-goodput", "spare_nodes") == math.ceil(in_repair + 2.326 * math.sqrt(in_repair))


def test_steps_of_a_ramp() -> None:
    # Batches of 512, 513, ... 2047 sequences, each for as many sequences, as Megatron-LM grows them
    ramp = sum(500e9 / 8192 / 1536 / batch for batch in range(512, 2048))
    assert cell("ramp-to-16m-tokens", "ramp_steps") == pytest.approx(ramp, rel=1e-3)
    assert cell("ramp-to-16m-tokens", "n_steps") == pytest.approx(ramp + (15.6e12 - 500e9) / 8192 / 2048, rel=1e-4)


def test_adapters_beside_16_bit_weights() -> None:
    states = 2 * (MATRICES + OUTER + NORMS) + (4 + 4 + 8) * ADAPTED
    table = read_question(FOLDER / "lora-70b-h200.yaml").table
    assert table is not None
    first = table.rows[0].answer
    assert first is not None
    assert first.cells["trained_params"].si == ADAPTED
    assert float(first.cells["state_memory"].si) == pytest.approx(states)


def test_a_token_uses_no_more_parameters_than_the_model_has() -> None:
    known = ["params = 70B", "chip = h100-sxm", "n_chips = 1024", "dataset_tokens = 1.4T", "utilization = 0.4"]
    answer = solve("training_run", [], [*known, "train_time = 30 day"])
    assert [check.relation.name for check in answer.broken] == ["has_active_params"]
    assert not solve("training_run", "train_time", known).broken
    law = solve("scaling_law", [], ["params = 10B", "active_params = 12B", "dataset_tokens = 1T"])
    assert [check.relation.name for check in law.broken] == ["has_active_params"]
