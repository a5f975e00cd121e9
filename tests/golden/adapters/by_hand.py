"""Golden cases computed by hand from published figures: their inputs and outputs have the names of cells.

A case whose output is a figure that a question gives, such as a batch, asks the sheet the other way round.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Mapping

# The outputs of each sheet, with the unit in which cases state them.
OUTPUTS: Mapping[str, Mapping[str, str]] = {
    "model_size": {"params": "param"},
    "weight_format": {"format_memory": "byte"},
    "kv_cache": {
        "growth": "byte/token", "sequence_cache": "byte", "total_cache": "byte", "cache_memory": "byte",
        "seq_len": "token", "n_sequences": "",
    },
    "model_states": {"state_memory": "byte", "params": "param", "n_dp": ""},
    "state_traffic": {"sync_traffic": "byte"},
    "low_rank_adapters": {"adapter_params": "param"},
    "adapter_size": {"adapter_params": "param", "lora_rank": ""},
    "pipeline_schedule": {"bubble_share": ""},
    "collectives": {"collective_time": "s", "transfer_time": "s", "payload": "MB"},
    "transformer": {"train_work_per_token": "FLOP/token"},
    "training_time": {"train_time": "day", "n_chips": "chip", "utilization": "", "dataset_tokens": "token"},
    "scaling_law": {
        "loss": "", "optimal_params": "param", "optimal_tokens": "token", "params": "param", "dataset_tokens": "token",
    },
    "goodput": {"young_interval": "s", "daly_interval": "s", "goodput": "", "n_chips": "chip"},
    "queueing": {"wait_probability": "", "mean_wait": "s", "arrival_rate": "1/s", "service_time": "s"},
    "decode": {"token_time": "s", "tokens_per_step": "", "n_sequences": "", "acceptance": ""},
    "prefill": {"first_token_time": "s", "prompt_len": "token"},
    "speculative_decoding": {"speedup": "", "draft_ratio": ""},
    "hardware_wish": {"needed_memory_bandwidth": "byte/s"},
    "tco": {"yearly_cost": "USD/year", "owned_price": "USD/hour", "lifetime": "year", "site.energy_price": "USD/kWh"},
}  # fmt: skip


def _relations(inputs: Inputs) -> list[str]:
    own = {
        name: value for name, value in inputs.items() if name not in ("base", "solve_for", "sub_case", "package", "cmd")
    }
    return [f"{name} = {value} {inputs.units.get(name, '')}".strip() for name, value in own.items()]


def _probes(sheet: str, inputs: Inputs) -> dict[str, Probe]:
    return {name: Probe(name, unit) for name, unit in OUTPUTS[sheet].items() if name not in inputs}


ADAPTERS: dict[str, Adapter] = {
    f"{sheet} by hand": Adapter(sheet, _relations, partial(_probes, sheet)) for sheet in OUTPUTS
}
