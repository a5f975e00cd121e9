"""Systems give their chip, and sheets read the power, the links, the price and the nodes of the whole."""

from __future__ import annotations

from fractions import Fraction

import pytest

from flopsheet import record, solve, table
from flopsheet.errors import OverdeterminedError, UnknownNameError

RUN = {"params": "70e9 param", "tokens": "4e6 token", "n_chips": 4248}


def test_a_system_gives_its_chip() -> None:
    answer = solve("training_run", "peak_rate", {"system": "gb200-nvl72"})
    assert answer.value == 2500
    assert {name: known.key for name, known in answer.question.records.items()} == {
        "system": "gb200-nvl72",
        "chip": "gb200",
    }


def test_a_chip_beside_its_system_may_be_said_twice() -> None:
    assert solve("training_run", "peak_rate", {"system": "gb200-nvl72", "chip": "gb200"}).value == 2500


def test_a_chip_of_another_system_contradicts() -> None:
    with pytest.raises(OverdeterminedError, match="the system gb200-nvl72 has gb200"):
        solve("training_run", "peak_rate", {"system": "gb200-nvl72", "chip": "h100"})


@pytest.mark.parametrize(
    ("relation", "says", "fix"),
    [
        ("chip = gb200-nvl72", "'gb200-nvl72' is a system", "Write system = gb200-nvl72 or chip = gb200."),
        ("system = gb200", "'gb200' is a chip", "system = gb200-nvl72"),
        ("chip = jean-zay", "'jean-zay' is a datacenter", ""),
    ],
)
def test_a_record_of_another_kind_says_what_it_is(relation: str, says: str, fix: str) -> None:
    with pytest.raises(UnknownNameError) as raised:
        solve("training_run", "peak_rate", [relation])
    assert says in raised.value.problem
    assert fix in raised.value.fix


def test_power_is_that_of_the_system() -> None:
    rack = record("system", "gb200-nvl72").values
    answer = solve("electricity", "power_per_chip", {**RUN, "system": "gb200-nvl72"})
    assert answer.outcomes["power_per_chip"].si == Fraction(120_000, 72)
    assert (rack["power"].si, rack["n_chips"].si) == (120_000, 72)
    rack_alone, alone = (solve("electricity", "power_per_chip", {**RUN, "chip": chip}) for chip in ("gb200", "mi300x"))
    assert rack_alone.outcomes["power_per_chip"].si == pytest.approx(Fraction(120_000, 72), rel=1e-4)
    assert alone.outcomes["power_per_chip"].si == 750 + Fraction(750 * 575, 700)  # as beside an H100


def test_a_site_holds_whole_systems() -> None:
    given = {"system": "gb200-nvl72", "system_power": "120 kW", "site_power": "100 MW", "pue": 1.2}
    relations = [*(f"{name} = {value}" for name, value in given.items()), "drawn_power <= site_power"]
    answer = solve("site_capacity", "n_systems", relations)
    assert answer.value == 694
    assert solve("site_capacity", "max_chips", given).value == 694 * 72


def test_links_and_nodes_are_those_of_the_system() -> None:
    up = record("system", "gb200-nvl72").values["link.bandwidth"].si
    assert solve("chip_rates", "network_rate", {"system": "gb200-nvl72"}).outcomes["network_rate"].si == 2 * up
    assert solve("gpt_layout", (), {"system": "dgx-a100"}).cells["chips_per_node"].value == 8
    assert solve("gpt_layout", (), {"system": "gb200-nvl72"}).cells["chips_per_node"].value == 72


def test_a_system_can_be_the_unknown() -> None:
    relations = [*(f"{name} = {value}" for name, value in RUN.items()), "train_time <= 2 day"]
    answer = solve("training_run", "system", relations)
    assert answer.ranking is not None
    assert "gb200-nvl72" in answer.ranking.options("system")
    assert "dgx-a100" not in answer.ranking.options("system")


def test_an_unknown_system_must_have_the_chip_that_is_given() -> None:
    relations = [*(f"{name} = {value}" for name, value in RUN.items()), "train_time <= 100 day", "chip = h100"]
    answer = solve("training_run", "system", relations)
    assert answer.ranking is not None
    assert all(record("system", name).references["chip"] == "h100-sxm" for name in answer.ranking.options("system"))


@pytest.mark.parametrize("figures", ["nominal", "usable", "measured"])
def test_figures_count_on_the_basis_that_is_asked_for(figures: str) -> None:
    values = record("chip", "h100-sxm").at(figures).values
    answer = solve("ffn_memory", (), {"chip": "h100-sxm"}, figures=figures)
    assert answer.cells["chip.memory"].si == values["memory"].si
    assert answer.as_dict()["figures"] == figures
    assert answer.as_dict()["cells"]["chip.memory"].get("basis", "nominal") == values["memory"].basis
    rows = table("chip_peak", (), vary={"chip": ["h100-sxm"]}, show="peak_rate", figures=figures).rows
    assert rows[0].answer is not None
    assert rows[0].answer.cells["peak_rate"].si == values["flops.bf16"].si


def test_the_page_says_which_figures_count() -> None:
    page = solve("chip_peak", "peak_rate", {"chip": "h100-sxm"}).derivation()
    assert "Figures of records are nominal: as vendors state them." in page
    usable = solve("ffn_memory", (), {"chip": "h100-sxm"}, figures="usable").derivation()
    assert "Figures of records are what software gets" in usable


def test_an_unknown_basis_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="measured"):
        solve("chip_peak", "peak_rate", {"chip": "h100-sxm"}, figures="mesured")
