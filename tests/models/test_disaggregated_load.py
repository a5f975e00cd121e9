"""Prompts and answers on chips of their own at random loads: replicas, waits, pasts on their way, and prices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from tests.models.first_principles import past

from flopsheet import records, sheet, solve

MODELS = ("llama-3-70b", "qwen3-32b", "gemma-3-27b", "mixtral-8x7b", "phi-4", "olmo-2-32b", "gpt-oss-120b")
CHIPS = ("h100-sxm", "h200-sxm", "b200-sxm", "mi300x", "a100-sxm4-80gb")
TUKEY, POWER, MARGIN, PERCENTILE, MEAN_LOAD = 4.91, 0.14, 0.8, 0.95, 0.816


def cells(name: str, *relations: str) -> dict[str, Any]:
    """Return the cells of a sheet by name [base units], whether or not limits hold."""
    answer = solve(name, (), relations, without=[*sheet(name).limits])
    return {cell: value.si for cell, value in answer.cells.items()}


def pipeline(stages: int, passes: int, stage: float, last: float, prompts: int) -> tuple[float, float]:
    """Return when the first of many prompts leaves a pipeline, and how long after it the others do."""
    free, left = [0.0] * stages, []
    for _ in range(prompts):
        for number in range(passes):
            ready = 0.0
            for place in range(stages):
                busy = stage + (last if place == stages - 1 and number == passes - 1 else 0)
                free[place] = ready = max(free[place], ready) + busy
        left.append(ready)
    return left[0], (left[-1] - left[prompts // 2]) / (prompts - 1 - prompts // 2)


@pytest.mark.parametrize(("stages", "prompt_len"), [(1, 4000), (2, 4000), (4, 4000), (4, 32768)])
def test_prompts_follow_each_other_through_the_stages(stages: int, prompt_len: int) -> None:
    known = (
        "model = llama-3-70b",
        "chip = h100-sxm",
        "n_tp = 4",
        f"n_pp = {stages}",
        f"prompt_len = {prompt_len} token",
    )
    found = cells(
        "prefill", *known, "seq_len = 32768 token", "n_sequences = 1", "host_time = 0 ms", "sequence_host_time = 0 us"
    )
    times = float(found["stage_pass_time"]), float(found["output_time"])
    first, later = pipeline(stages, max(1, prompt_len // 8192), *times, prompts=40)
    assert found["first_token_time"] == pytest.approx(first)
    assert found["prompt_interval"] == pytest.approx(later)


def handover(layers: int, computing: float, sending: float) -> float:
    """Return how long after the last layer is computed the last one is sent, one after the other."""
    free = 0.0
    for layer in range(1, layers + 1):
        free = max(free, layer * computing / layers) + sending / layers
    return free - computing


def erlang_c(servers: int, load: float) -> float:
    """Return the probability that all servers are busy, by the sum of Erlang."""
    terms = [math.exp(n * math.log(load) - math.lgamma(n + 1)) for n in range(servers)]
    busy = math.exp(servers * math.log(load) - math.lgamma(servers + 1)) * servers / (servers - load)
    return busy / (sum(terms) + busy)


def gamma_percentile(mean: float, cv: float) -> float:
    """Return a percentile of a gamma distribution, by Wilson and Hilferty."""
    normal = TUKEY * (PERCENTILE**POWER - (1 - PERCENTILE) ** POWER)
    return float(mean * (1 - cv**2 / 9 + normal * cv / 3) ** 3)


def waits(law: str, rate: float, service: float, servers: int, variability: float) -> tuple[float, float, float]:
    """Return mean, percentile and standard deviation of the wait for a server."""
    load = rate * service
    chance = load / servers if law == "mg1" else erlang_c(servers, load)
    factor = 1.0 if law == "mmc" else (1 + variability) / 2
    delayed = factor * service * (servers if law == "mg1" else 1) / (servers - load)
    tail = delayed * max(0.0, math.log(chance / (1 - PERCENTILE)))
    return chance * delayed, tail, delayed * math.sqrt(chance * (2 - chance))


@dataclass(frozen=True)
class Fleet:
    """Requests, and chips that prefill them and that decode them: each a kind, a degree, a network and a price."""

    model: str
    prompt_len: int
    output_len: int
    rate: float
    batch: int
    stages: int
    spread: float
    law: str
    transfer: str
    prefill: tuple[str, int, int, int]
    decode: tuple[str, int, int, int]

    @property
    def known(self) -> list[str]:
        """The relations of the sheet."""
        known = [f"model = {self.model}", f"prompt_len = {self.prompt_len} token", f"n_sequences = {self.batch}"]
        for side, (chip, degree, network, price) in (("prefill", self.prefill), ("decode", self.decode)):
            known += [f"{side}.chip = {chip}", f"{side}.n_tp = {degree}", f"{side}.weight_format = bf16"]
            known += [f"{side}.scale_out_bandwidth = {network} GB/s", f"{side}_rent.chip_price = {price} USD/hour"]
        known += [f"arrival_rate = {self.rate} request/s", f"prefill.n_pp = {self.stages}", "decode.n_pp = 1"]
        known += [
            f"output_len = {self.output_len} token",
            f"prompt_cv = {self.spread}",
            f"queue.queue_law = {self.law}",
        ]
        return [*known, f"cache_transfer = {self.transfer}"]

    @property
    def alone(self) -> list[str]:
        """The relations of a prompt alone."""
        chip, degree, network, _ = self.prefill
        known = [f"model = {self.model}", f"chip = {chip}", f"n_tp = {degree}", f"n_pp = {self.stages}"]
        known += [f"scale_out_bandwidth = {network} GB/s", f"prompt_len = {self.prompt_len} token"]
        return [*known, "weight_format = bf16", f"seq_len = {self.prompt_len} token", "n_sequences = 1"]

    def expected(self, first: float, interval: float, step: float, latency: float) -> dict[str, float]:
        """Return what the fleet needs and costs, from the times of a prompt and of a token, alone and under load."""
        chips, writing = self.prefill[1] * self.stages, self.decode[1]
        slot = (self.output_len - 1) * step / self.batch  # a prompt gives the first token
        prompts, answers = math.ceil(self.rate * interval / MARGIN), math.ceil(self.rate * slot / MARGIN)
        layers = int(records("architecture")[self.model].values["n_blocks"].si)
        sent = float(past(self.model, self.prompt_len)) / (min(chips * self.prefill[2], writing * self.decode[2]) * 1e9)
        waited = handover(layers, first, sent) if self.transfer == "layerwise" else sent
        mean, tail, deviation = waits(self.law, self.rate, interval, prompts, self.spread**2)
        total = mean + first + waited + (self.output_len - 1) * latency
        hour = prompts * chips * self.prefill[3] + answers * writing * self.decode[3]
        return {
            "prompt_replicas": prompts,
            "answer_replicas": answers,
            "n_chips": prompts * chips + answers * writing,
            "max_arrival_rate": min(prompts / interval, answers / slot),
            "cache_transfer_time": sent,
            "handover_time": waited,
            "mean_first_token": mean + first,
            "tail_first_token": tail + gamma_percentile(first, self.spread),
            "request_time": total,
            "tail_request_time": gamma_percentile(total, math.hypot(deviation, self.spread * first) / total),
            "fleet_price": hour / 3600,
            "token_cost": hour / 3600 / (MEAN_LOAD * self.rate) / (self.prompt_len + self.output_len),
            "input_cost": chips * interval * self.prefill[3] / 3600 / self.prompt_len,
            "output_cost": writing * slot * self.decode[3] / 3600 / self.output_len,
        }


def drawn_fleet(model: str, draw: Random) -> Fleet:
    """Return a fleet of random chips for random requests."""
    sides = [(draw.choice(CHIPS), draw.choice([4, 8]), draw.choice([1, 12, 50]), draw.choice([2, 5])) for _ in range(2)]
    return Fleet(
        model,
        prompt_len=draw.choice([500, 2000, 6000]),
        output_len=draw.choice([100, 400, 1000]),
        rate=draw.choice([0.3, 3, 30]),
        batch=draw.choice([16, 64, 128]),
        stages=draw.choice([1, 2]),
        spread=draw.choice([0, 0.5, 1]),
        law=draw.choice(["mmc", "mgc", "mg1"]),
        transfer=draw.choice(["layerwise", "after"]),
        prefill=sides[0],
        decode=sides[1],
    )


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_fleet_at_random_loads(model: str) -> None:
    draw = Random(model)  # noqa: S311  # no secret
    for _ in range(10):
        fleet = drawn_fleet(model, draw)
        here, prompt = cells("disaggregated_serving", *fleet.known), cells("prefill", *fleet.alone)
        first, interval = float(prompt["first_token_time"]), float(prompt["prompt_interval"])
        assert float(here["first_token_time"]) == pytest.approx(first)
        expected = fleet.expected(first, interval, float(here["token_time"]), float(here["token_latency"]))
        for name, value in expected.items():
            assert float(here[name]) == pytest.approx(value, rel=1e-9), (name, fleet)


def test_replicas_that_send_pasts_more_slowly_than_prompts_arrive_are_too_few() -> None:
    fleet = (
        "prompt_replicas = 2",
        "answer_replicas = 3",
        "decode.n_tp = 8",
        "n_sequences = 64",
        "output_len = 200 token",
    )
    chips = ("model = llama-3-70b", "decode.chip = h100-sxm", "prefill.chip = h100-sxm", "prompt_len = 2000 token")
    for times, holds in ((0.99, True), (1.01, False)):
        bandwidth = 3 * float(past("llama-3-70b", 2000)) / 2 / times  # bytes a second of two pairs that send at once
        known = (*chips, *fleet, "arrival_rate = 3 request/s", f"transfer_bandwidth = {bandwidth!r} byte/s")
        limits = {check.relation.name: check.holds for check in solve("disaggregated_serving", (), known).limits}
        assert limits["pasts_are_sent"] is holds
