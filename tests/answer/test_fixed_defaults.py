"""A default that is a definition or a constant of nature is overridden by the question itself, never by equations."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.errors import OverdeterminedError
from flopsheet.sheets.catalogue import sheets_and_problems
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet

CACHE = ["model = gpt3-175b", "seq_len = 8192", "n_sequences = 1"]
UNITS = {"one_byte", "byte_of_8_bits", "params_unit", "token_unit", "work_unit", "single_token", "speed_of_light"}
TEXT = """
sheet: fall
title: Fall
about: Square of the speed at which a fall ends.
cells:
  start: {unit: m^2/s^2, doc: Square of the speed at the start}
  height: {unit: m, doc: Height, default: 10 m, source: assumed}
  gravity: {unit: m/s^2, doc: Standard gravity, default: 9.80665 m/s^2, fixed: true, source: si}
  factor: {doc: Factor, inferred: height/height, fixed: true}
  end: {formula: start + 2*factor*gravity*height, unit: m^2/s^2, doc: Square of the speed at the end}
"""


def test_a_contradiction_names_both_sides() -> None:
    with pytest.raises(OverdeterminedError, match=r"128 KiB/token.*4608 KiB/token.*'model = gpt3-175b'"):
        solve("kv_cache", "sequence_cache", [*CACHE, "growth = 128 KiB/token"])


def test_the_question_may_give_it_or_ask_for_it() -> None:
    assert solve("kv_cache", "growth", [*CACHE, "one_byte = 2 byte/token"]).cells["growth"].value == 9216
    assert solve("kv_cache", "one_byte", [*CACHE, "growth = 2304 KiB/token"]).outcomes["one_byte"].si == 0.5
    assert solve("kv_cache", "growth", [*CACHE, "bytes_per_cached = 1 byte/token"]).cells["growth"].value == 2304


def test_another_default_is_overridden_in_its_place() -> None:
    sheet = parse_sheet(TEXT, "fall")
    answer = solve(sheet, "height", ["end = 500 m^2/s^2", "start = 107.734 m^2/s^2"])
    assert answer.outcomes["height"].si == pytest.approx(20)
    answer = solve(sheet, [], ["end = 500 m^2/s^2", "start = 107.734 m^2/s^2"])
    assert answer.dropped_defaults == ("height",)
    with pytest.raises(OverdeterminedError, match="end = 500"):
        solve(sheet, [], ["end = 500 m^2/s^2", "start = 107.734 m^2/s^2", "height = 10 m"])


def test_it_survives_an_export() -> None:
    sheet = parse_sheet(TEXT, "fall")
    again = parse_sheet(as_yaml(sheet), "fall")
    assert [name for name, cell in again.cells.items() if cell.fixed] == ["gravity", "factor"]


def test_units_and_constants_of_nature_are_fixed_in_every_sheet() -> None:
    loose = [
        f"{sheet.name}.{cell.name}"
        for sheet in sheets_and_problems()[0]
        for cell in sheet.cells.values()
        if cell.name.rpartition(".")[2] in UNITS and cell.default is not None and not cell.fixed
    ]
    assert loose == []
