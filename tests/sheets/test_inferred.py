"""Defaults that figures of records give: they apply where a record has them, and a question may override them."""

from __future__ import annotations

import pytest

from flopsheet import Chip, Sheet, formula, given, part, solve
from flopsheet.errors import DimensionError
from flopsheet.sheets.catalogue import as_sheet
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet


class Hall(Sheet):
    """Power of chips in a hall."""

    chip = part(Chip, "Chip in the hall", example="h100-sxm")
    overhead = given("Power of a host, per chip", "W", default=100, source="ours")
    share = given(
        "Power per chip",
        "W",
        inferred=(chip.power + overhead, chip.power * 2),
        default=300,
        source="ours",
    )
    n_chips = given("Chips", example=8, integer=True)
    hall_power = formula(n_chips * share, "W", "Power of the hall")


def test_a_record_gives_the_default() -> None:
    answer = solve(Hall, "hall_power", {"chip": "h100-sxm", "n_chips": 2})
    assert answer.value == 2 * (700 + 100)
    assert [step.cell.name for step in answer.steps] == ["share", "hall_power"]
    assert answer.elasticities()["chip.power"] == pytest.approx(700 / 800)


def test_the_number_stands_where_no_record_does() -> None:
    assert solve(Hall, "hall_power", {"n_chips": 2}).value == 600


def test_a_figure_in_the_question_counts_as_one_of_a_record() -> None:
    assert solve(Hall, "hall_power", {"chip.power": "900 W", "n_chips": 2}).value == 2000


def test_a_question_overrides_it() -> None:
    answer = solve(Hall, "hall_power", {"chip": "h100-sxm", "n_chips": 2, "share": "500 W"})
    assert answer.value == 1000
    assert answer.dropped_defaults == ("share",)


def test_it_gives_way_to_what_the_question_demands() -> None:
    answer = solve(Hall, "n_chips", {"chip": "h100-sxm", "hall_power": "8 kW"})
    assert answer.value == 10
    freed = solve(Hall, "share", {"chip": "h100-sxm", "hall_power": "8 kW", "n_chips": 2})
    assert freed.value == 4000


def test_a_figure_can_be_the_unknown() -> None:
    assert solve(Hall, "chip.power", {"hall_power": "8 kW", "n_chips": 10}).value == 700


def test_a_name_can_be_the_unknown() -> None:
    answer = solve(Hall, "chip", ["n_chips = 10", "hall_power <= 8 kW"])
    assert answer.ranking is not None
    assert "h100-sxm" in answer.ranking.options("chip")
    assert "gb200" not in answer.ranking.options("chip")


def test_yaml_keeps_it() -> None:
    hall = as_sheet(Hall)
    text = as_yaml(hall)
    assert parse_sheet(text, "hall").cells["share"].inferred == hall.cells["share"].inferred


def test_its_unit_is_checked() -> None:
    with pytest.raises(DimensionError):

        class Wrong(Sheet):
            chip = part(Chip, "Chip", example="h100-sxm")
            share = given("Power per chip", "W", inferred=chip.memory)
