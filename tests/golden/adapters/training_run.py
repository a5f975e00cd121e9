"""Golden cases of a training run: rows of the compute table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

AS_CODED = ("last_batch = drop", "rounding = down", "n_chips = target_chips")


def run_relations(inputs: Inputs) -> list[str]:
    """Return the relations of a run whose steps and chips are rounded down, as the source does."""
    return [
        *AS_CODED,
        f"params = {inputs['model_params']} param",
        f"dataset_tokens = {inputs['dataset_tokens']} token",
        f"tokens = {inputs['global_batch_tokens']} token",
        f"chip_rate = {inputs['utilized_flops_per_gpu']} FLOP/s",
        f"chip_price = {inputs.get('cost_per_gpu_hour', 2)} USD/hour",
    ]


def _probes(_: Inputs) -> dict[str, Probe]:
    probes = {
        "total_steps": Probe("n_steps", "step"),
        "total_flop": Probe("total_work", "FLOP"),
        "flop_per_step": Probe("step_work", "FLOP"),
        "gpus": Probe("n_chips"),
        "time_per_step": Probe("step_time", "second"),
        "total_time": Probe("train_time", "second"),
        "total_time_days": Probe("train_time", "day"),
        "training_cost": Probe("train_cost", "USD"),
    }
    for count in (5, 10, 100):
        extra = (f"n_accumulation = {count}",)
        probes[f"grad_accum_{count}_time"] = Probe("accumulation_time", "year", extra=extra)
        probes[f"grad_accum_{count}_gpus"] = Probe("accumulation_chips", extra=extra)
    return probes


def _accumulated(count: int) -> Callable[[Mapping[str, Any]], str]:
    return lambda values: (
        f"{float(values[f'grad_accum_{count}_time']):.2f} years | {float(values[f'grad_accum_{count}_gpus'])} gpus"
    )


PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "steps": lambda values: str(values["total_steps"]),
    "total_flop": lambda values: f"{float(values['total_flop']) / 1e18:,} EFLOPs",
    "flop_per_step": lambda values: f"{float(values['flop_per_step']) / 1e15:,} PFLOPs",
    "gpus": lambda values: str(float(values["gpus"])),
    "cost": lambda values: f"{float(values['training_cost']) / 1e6:,.1f}m",
    "days": lambda values: f"{float(values['total_time_days']):.1f} days",
    **{f"ga{count}": _accumulated(count) for count in (5, 10, 100)},
}

ADAPTERS: dict[str, Adapter] = {
    "training_compute_row": Adapter("training_run", run_relations, _probes, printed=PRINTED),
}
