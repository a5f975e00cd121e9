"""Golden cases of the electricity of a run: power and energy of its chips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.golden.adapters.base import Adapter, Inputs, Probe
from tests.golden.adapters.training_run import AS_CODED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _relations(inputs: Inputs) -> list[str]:
    return [
        *AS_CODED,
        f"params = {inputs['model_params']} param",
        f"dataset_tokens = {inputs['dataset_tokens']} token",
        f"tokens = {inputs['global_batch_tokens']} token",
        f"chip_rate = {inputs['utilized_flops_per_gpu']} FLOP/s",
        f"power_per_chip = {inputs['watts_per_gpu']} W",
    ]


def _probes(_: Inputs) -> dict[str, Probe]:
    return {
        "gpus": Probe("n_chips", "chip"),
        "power": Probe("run_power", "W"),
        "power_MW": Probe("run_power", "MW"),
        "total_time": Probe("train_time", "second"),
        "energy": Probe("energy", "joule"),
        "energy_MWh": Probe("energy", "MWh"),
        "as_coded_TW_label": Probe("energy", "TJ"),
    }


PRINTED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "gpus": lambda values: str(float(values["gpus"])),
    "power": lambda values: f"{float(values['power']) / 1e6:.3f} MW",
    "energy": lambda values: f"{float(values['as_coded_TW_label']):.3f} TW",  # terajoules
}


def _site_relations(inputs: Inputs) -> list[str]:
    pins = {
        "chip.power": ("avg_system_power_per_device", "W"),
        "n_chips": ("devices", "chip"),
        "train_time": ("days" if "days" in inputs else "hours", "day" if "days" in inputs else "hour"),
        "site.grid_carbon": ("carbon_intensity", "kg/kWh"),
        "site.pue": ("pue", ""),
    }
    given = [f"{cell} = {inputs.quantity(name, unit)}" for cell, (name, unit) in pins.items() if name in inputs]
    return ["server_power = 0 W", *given]  # the power of a device is that of its share of the system


def _site_probes(_: Inputs) -> dict[str, Probe]:
    return {
        "it_energy": Probe("energy", "MWh"),
        "energy": Probe("site_energy", "MWh"),
        "operational_carbon": Probe("carbon", "tonne"),
    }


ADAPTERS: dict[str, Adapter] = {
    "electricity": Adapter("electricity", _relations, _probes, printed=PRINTED),
}
PEERS: dict[str, Adapter] = {
    "energy_and_carbon": Adapter("electricity", _site_relations, _site_probes),
}
