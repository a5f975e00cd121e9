"""Sheets that speak of a machine or a model take it from the registry: a system with its chip, a model."""

from __future__ import annotations

import pytest
from tests.models.points import SHEETS

from flopsheet import sheet, solve, unit

RATE = unit("FLOP/s").dimension
CHIPS = {name: [part for part in sheet(name).parts.values() if part.kind == "chip"] for name in SHEETS}
WITH_CHIP = [name for name, chips in CHIPS.items() if chips]

SHAPE = {"params", "d_model", "n_blocks", "n_heads", "d_ff", "vocab"}
OWN_SHAPE = {"gpt_depth_law": "models that the law itself describes"}
WITH_SHAPE = [name for name in SHEETS if not SHAPE.isdisjoint(sheet(name).cells) and name not in OWN_SHAPE]


@pytest.mark.parametrize("name", WITH_SHAPE)
def test_a_sheet_with_a_shape_takes_a_model(name: str) -> None:
    assert [part.name for part in sheet(name).parts.values() if part.kind == "architecture" and part.bare] != []


@pytest.mark.parametrize("name", ["model_states", "scaling_law", "goodput", "training_recipe", "state_traffic"])
def test_a_sheet_with_parameters_alone_takes_those_of_the_record(name: str) -> None:
    assert solve(name, (), {"model": "llama-3-70b"}).cells["params"].si == 70553706496


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_with_a_compute_rate_takes_a_chip(name: str) -> None:
    rates = [cell.name for cell in sheet(name).cells.values() if cell.unit.dimension == RATE]
    assert not rates or name in WITH_CHIP, rates


@pytest.mark.parametrize("name", WITH_CHIP)
def test_a_sheet_with_a_chip_takes_a_system(name: str) -> None:
    for chip in CHIPS[name]:
        prefix = chip.name.removesuffix("chip")
        assert (chip.name, chip.of) == (f"{prefix}chip", f"{prefix}system")
        assert sheet(name).parts[chip.of].kind == "system"


@pytest.mark.parametrize("name", [name for name in WITH_CHIP if "peak_rate" in sheet(name).cells])
def test_the_peak_rate_is_that_of_the_chip_of_the_system(name: str) -> None:
    answer = solve(name, "peak_rate", {"system": "gb200-nvl72", "precision": "bf16"})
    assert answer.outcomes["peak_rate"].si == 25 * 10**14


@pytest.mark.parametrize(("system", "rate"), [("dgx-a100", 8 * 312e12), ("gb200-nvl72", 72 * 2500e12)])
def test_a_cluster_is_a_system(system: str, rate: float) -> None:
    run = {"system": system, "utilization": "0.4", "n_dp": 2}
    assert solve("parallel_traffic", "run_rate", run).outcomes["run_rate"].si == pytest.approx(2 * 0.4 * rate)
    single = solve("parallel_traffic", "run_rate", {**run, "cluster_rate": "100 TFLOP/s"})
    assert single.outcomes["run_rate"].si == 2e14


def test_a_measured_step_gives_the_utilization_with_and_without_recomputation() -> None:
    # 8 FLOP per parameter and token, 2048 sequences of 2048 tokens, 384 chips of 312 TFLOP/s for 100 s
    run = {"params": "200e9", "batch": 2048, "seq_len": 2048, "n_chips": 384, "step_time": "100 s", "chip": "a100"}
    expected = 8 * 200e9 * 2048**2 / (100 * 384 * 312e12)
    assert solve("gpt_training", "utilization", run).value == pytest.approx(expected)
    assert solve("gpt_training", "model_utilization", run).value == pytest.approx(expected * 6 / 8)


@pytest.mark.parametrize(("chip", "watt"), [("jetson-orin-nano-super", 25), ("t4-16gb", 70), ("h100-sxm", 700)])
def test_the_rest_of_a_server_is_as_large_as_its_chips(chip: str, watt: int) -> None:
    """An H100 of 700 W has 575 W beside it; a card of 70 W has a tenth of that."""
    answer = solve("chip_power", "power_per_chip", {"chip": chip})
    assert answer.outcomes["power_per_chip"].si == pytest.approx(watt * 1275 / 700)


@pytest.mark.parametrize("system", ["dgx-2", "dgx-a100", "hgx-h20", "dgx-b200", "dgx-b300", "gb200-nvl72", "dgx-spark"])
def test_a_server_of_the_registry_takes_about_as_much_as_its_chips_say(system: str) -> None:
    stated = solve("chip_power", "power_per_chip", {"system": system}).cells
    alone = solve("chip_power", "power_per_chip", {"chip.power": f"{float(stated['chip.power'].si)} W"})
    assert alone.outcomes["power_per_chip"].si == pytest.approx(float(stated["power_per_chip"].si), rel=0.35)
