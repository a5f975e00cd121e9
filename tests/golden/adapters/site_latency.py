"""Golden cases of the latency between sites: distances, and what a run that waits costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _way_relations(inputs: Inputs) -> list[str]:
    return [
        f"here.latitude = {inputs['lat1']} degree",
        f"here.longitude = {inputs['lon1']} degree",
        f"there.latitude = {inputs['lat2']} degree",
        f"there.longitude = {inputs['lon2']} degree",
        f"speed_of_light = {inputs['speed_of_light']} m/s",
    ]


def _way_probes(inputs: Inputs) -> dict[str, Probe]:
    earth = (f"earth_radius = {inputs['earth_radius']} km",)
    earth_as_coded = (f"earth_radius = {inputs['earth_radius']} m",)  # the source divides kilometres by metres a second
    return {
        "distance": Probe("distance", "km", extra=earth),
        "latency_as_coded": Probe("vacuum_latency", "second", extra=earth_as_coded),
        "latency_corrected": Probe("vacuum_latency", "second", extra=earth),
        "fiber_latency_n1.468": Probe("fibre_latency", "second", extra=earth),
    }


def _run_relations(inputs: Inputs) -> list[str]:
    return [
        "last_batch = drop",
        f"params = {inputs['model_params']} param",
        f"dataset_tokens = {inputs['dataset_tokens']} token",
        f"tokens = {inputs['global_batch_tokens']} token",
        f"chip_price = {inputs['cost_per_gpu_hour']} USD/hour",
    ]


def _run_probes(inputs: Inputs) -> dict[str, Probe]:
    latency = (f"latency = {inputs['latency']} second",)
    latency_as_coded = (f"latency = {inputs['latency']} ms",)  # a thousandth: kilometres over metres a second
    here = (*latency, f"n_chips = {int(inputs['gpus_this_batch'])}")
    stale = (*latency_as_coded, f"n_chips = {int(inputs['gpus_stale'])}")  # the chips of another row
    return {
        "total_steps": Probe("n_steps", "step"),
        "total_latency": Probe("total_latency", "second", extra=latency),
        "total_latency_as_coded": Probe("total_latency", "second", extra=latency_as_coded),
        "gpu_idle_days": Probe("idle_chip_time", "day", extra=here),
        "idle_cost": Probe("idle_cost", "USD", extra=here),
        "gpu_idle_days_as_coded": Probe("idle_chip_time", "day", extra=stale),
        "idle_cost_as_coded": Probe("idle_cost", "USD", extra=stale),
    }


def _early_relations(inputs: Inputs) -> list[str]:
    return [
        "last_batch = drop",
        "tokens_per_param = 20 token/param",
        f"params = {inputs['model_params']} param",
        f"tokens = {inputs['global_batch_tokens']} token",
        f"chip_price = {inputs['cost_per_gpu_hour']} USD/hour",
        f"n_chips = {int(inputs['gpus_stale'])}",
    ]


def _early_probes(inputs: Inputs) -> dict[str, Probe]:
    probes: dict[str, Probe] = {}
    for site, idle_unit in (("jc", "day"), ("ec", "year")):
        extra = (f"latency = {inputs[f'latency_jz_{site}']} second",)
        probes[f"{site}_total"] = Probe("total_latency", "second", extra=extra)
        probes[f"{site}_gpu_idle"] = Probe("idle_chip_time", idle_unit, extra=extra)
        probes[f"{site}_cost"] = Probe("idle_cost", "USD", extra=extra)
    return probes


def _shown(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda values: f"{float(values[name]):.6f}"


def _money(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda values: f"{float(values[name]) / 1e6:,.1f}m" if values[name] >= 1e5 else f"{float(values[name]):.6f}"


EARLY_PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "jc_total": _shown("jc_total"),
    "jc_idle": lambda values: f"{float(values['jc_gpu_idle']):.1f} days",
    "jc_cost": _money("jc_cost"),
    "ec_total": _shown("ec_total"),
    "ec_idle": lambda values: f"{float(values['ec_gpu_idle']):.2f} years",
    "ec_cost": _money("ec_cost"),
}

ADAPTERS: dict[str, Adapter] = {
    "great_circle_latency": Adapter("site_latency", _way_relations, _way_probes),
    "total_latency_cost": Adapter("site_latency", _run_relations, _run_probes),
    "total_latency_cost_as_coded": Adapter("site_latency", _early_relations, _early_probes, printed=EARLY_PRINTED),
}
