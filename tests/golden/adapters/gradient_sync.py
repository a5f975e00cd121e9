"""Golden cases of synchronization between sites: rows of the gradient table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DAY = 86400
YEAR = 365.25 * DAY
CHIPS = ("n_chips = target_chips",)
FP8 = ("gradient_precision = fp8",)


def _relations(inputs: Inputs) -> list[str]:
    return [
        "last_batch = drop",
        "rounding = down",
        "reduction = none",
        f"params = {inputs['model_params']} param",
        f"dataset_tokens = {inputs['dataset_tokens']} token",
        f"tokens = {inputs['global_batch_tokens']} token",
        f"chip_rate = {inputs['utilized_flops_per_gpu']} FLOP/s",
        f"link_bandwidth = {inputs['bandwidth']} byte/s",
        f"n_sites = {inputs['num_data_centers']}",
    ]


def _probes(inputs: Inputs) -> dict[str, Probe]:
    price = inputs["cost_per_gpu_hour"]
    inner = (f"n_inner_steps = {inputs['diloco_inner_steps']}",)
    cost = (*CHIPS, f"chip_price = {price} USD/hour")
    # The source took the chips that another row had left behind, and divided by the price.
    chips_as_coded = (f"n_chips = {int(inputs['stale_gpu_count'])}",) if "stale_gpu_count" in inputs else CHIPS
    cost_as_coded = (*chips_as_coded, f"chip_price = 1 USD/hour / {price}")
    return {
        "bf16_gradient_bytes": Probe("gradient_memory", "byte"),
        "fp8_gradient_bytes": Probe("gradient_memory", "byte", extra=FP8),
        "compute_time": Probe("train_time", "second", extra=CHIPS),
        "bf16_comm_time": Probe("total_sync_time", "second"),
        "bf16_comm_days": Probe("total_sync_time", "day"),
        "bf16_comm_years": Probe("total_sync_time", "year"),
        "bf16_comm_share": Probe("sync_fraction", "percent", extra=CHIPS),
        "fp8_comm_time": Probe("total_sync_time", "second", extra=FP8),
        "fp8_comm_days_correct": Probe("total_sync_time", "day", extra=FP8),
        "fp8_comm_years": Probe("total_sync_time", "year", extra=FP8),
        "fp8_comm_share": Probe("sync_fraction", "percent", extra=(*FP8, *CHIPS)),
        # The source calls these bf16, but sends fp8.
        "diloco_comm_time_as_coded": Probe("total_sync_time", "second", extra=(*FP8, *inner)),
        "diloco_comm_days_as_coded": Probe("total_sync_time", "day", extra=(*FP8, *inner)),
        "diloco_share_as_coded": Probe("sync_fraction", "percent", extra=(*FP8, *inner, *CHIPS)),
        "diloco_bf16_comm_days_corrected": Probe("total_sync_time", "day", extra=inner),
        "diloco_bf16_share_corrected": Probe("sync_fraction", "percent", extra=(*inner, *CHIPS)),
        "bf16_idle_cost_as_coded": Probe("idle_cost", "USD", extra=cost_as_coded),
        "fp8_idle_cost_as_coded": Probe("idle_cost", "USD", extra=(*FP8, *cost_as_coded)),
        "gpus_at_this_batch": Probe("n_chips", "chip", extra=CHIPS),
        "bf16_idle_cost_corrected": Probe("idle_cost", "USD", extra=cost),
        "fp8_idle_cost_corrected": Probe("idle_cost", "USD", extra=(*FP8, *cost)),
    }


def _times(precision: str) -> Callable[[Mapping[str, Any]], str]:
    """Days of bf16 stand beside the years of either precision: a slip of the source."""
    return lambda values: (
        f"{float(values['bf16_comm_time']) / DAY:.1f} days / "
        f"{float(values[f'{precision}_comm_time']) / YEAR:.2f} years - {float(values[f'{precision}_comm_share']):.2f}%"
    )


def _billions(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda values: f"{float(values[name]) / 1e9:,.2f}B"


PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "bf16_grad": lambda values: f"{float(values['bf16_gradient_bytes']) / 1e12:.3f} TB",
    "fp8_grad": lambda values: f"{float(values['fp8_gradient_bytes']) / 1e12:.3f} TB",
    "bandwidth": lambda values: f"{values['bandwidth'] / 1e9:.3f} GB/s",
    "bf16_idle": _billions("bf16_idle_cost_as_coded"),
    "fp8_idle": _billions("fp8_idle_cost_as_coded"),
    "diloco": lambda values: (
        f"{float(values['diloco_comm_time_as_coded']) / DAY:.1f} days - {float(values['diloco_share_as_coded']):.2f}%"
    ),
    **{f"{precision}{end}": _times(precision) for precision in ("bf16", "fp8") for end in ("", "_comm")},
}

ADAPTERS: dict[str, Adapter] = {
    "gradient_comm_row": Adapter("gradient_sync", _relations, _probes, printed=PRINTED),
}
