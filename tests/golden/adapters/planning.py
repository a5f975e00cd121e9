"""Golden cases of aiconfigurator: chips that serve a rate of requests in time, from tables measured on silicon.

It searches batches and layouts, and its kernels are measured; the sheet has the least layout in which the model fits,
the largest batch in time, and shares of peak rates that are alike everywhere. They agree within a quarter.
"""

from __future__ import annotations

import math
import re
from functools import cache, partial
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe, record_like

from flopsheet import solve

if TYPE_CHECKING:
    from flopsheet import Answer

QUARTER = 0.25
SECONDS = 60  # the batch is searched among whole numbers of the whole sheet
CHOSEN = {
    "best_disagg_ttft": "its own choice of batches and layouts, with a wait that it adds",
    "best_disagg_tpot": "its own choice of batches; the sheet takes the largest that is in time",
}
TIMES = {"together": "token_latency", "apart": "token_time"}


def relations_of(inputs: Inputs) -> list[str]:
    """Return the relations of a case."""
    label = re.sub(r"-(FP8|FP4|NVFP4|BF16)$", r" \1", str(inputs["model"]).partition(":")[0].strip())
    model, _, scheme = label.partition(" ")
    quantized = [f"weight_format = {scheme.lower().replace('-', '_')}", "precision = fp8"] if scheme else []
    return [
        f"model = {record_like('architecture', model)}",
        f"chip = {record_like('chip', str(inputs.get('system', 'h200_sxm')))}",
        *quantized,
        f"prompt_len = {inputs.get('isl', 4000)} token",
        f"output_len = {inputs.get('osl', 1000)} token",
        f"arrival_rate = {inputs['target_rate']} request/second",
        "target_load = 1",
    ]


@cache
def planned(relations: tuple[str, ...], placement: str, slowest: float) -> Answer:
    """Return the plan with the fewest chips a replica that have room, and the most answers at once that are in time."""
    for n_tp in (1, 2, 4, 8):
        known = [*relations, f"placement = {placement}", f"n_tp = {n_tp}"]
        in_time = f"{TIMES[placement]} <= {slowest} ms"
        outcome = solve("serving", "n_sequences", [*known, in_time], budget=SECONDS).outcomes["n_sequences"]
        ends = [end for part in outcome.solutions for end, _ in part.ends]
        if ends:
            return solve("serving", (), [*known, f"n_sequences = {math.floor(max(ends))}"])
    raise AssertionError("it fits in no layout of up to 8 chips")


def _planned_value(cell: str, placement: str, inputs: Inputs, _: Answer) -> float:
    return float(planned(tuple(relations_of(inputs)), placement, inputs["tpot_max"]).cells[cell].si)


def _probes(inputs: Inputs) -> dict[str, Probe]:
    def probe(cell: str, unit: str, placement: str) -> Probe:
        return Probe("params", unit, read=partial(_planned_value, cell, placement, inputs), band=QUARTER)

    return {
        "best_disagg_throughput_per_gpu": probe("chip_answer_rate", "token/s", "apart"),
        "best_agg_throughput_per_gpu": probe("chip_answer_rate", "token/s", "together"),
        "gpus_needed_disagg": probe("n_chips", "chip", "apart"),
        "gpus_needed_agg": probe("n_chips", "chip", "together"),
    }


PEERS: dict[str, Adapter] = {
    "inference_capacity_planning": Adapter("serving", relations_of, _probes, deviating=CHOSEN),
}
