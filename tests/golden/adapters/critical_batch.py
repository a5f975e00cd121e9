"""Golden cases of the critical batch: the law as published, and as the notebook reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _of_params(inputs: Inputs) -> list[str]:
    return [
        "batch_law = params",
        f"params = {inputs['model_params']} param",
        f"sequence_tokens = {inputs['sequence_multiplier']}",
    ]


def _of_compute(inputs: Inputs) -> list[str]:
    return [f"total_work = {inputs['compute_flop']} FLOP"]


def _probes(_: Inputs) -> dict[str, Probe]:
    return {
        "power_law_value": Probe("law_value", "token"),
        "critical_batch_tokens": Probe("critical_batch", "token"),
    }


def _size(params: float) -> str:
    return f"{params / 1e12:.1f}T" if params >= 1e11 else f"{params / 1e9:,.2f}B"


PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "critical_batch_size_tokens": lambda values: f"{int(values['critical_batch_tokens']) / 1e6}M",
    "model_size": lambda values: _size(values["model_params"]),
}

ADAPTERS: dict[str, Adapter] = {
    "critical_batch_size": Adapter("critical_batch", _of_params, _probes, printed=PRINTED),
    "critical_batch_size_from_compute": Adapter("critical_batch", _of_compute, _probes, printed=PRINTED),
}
