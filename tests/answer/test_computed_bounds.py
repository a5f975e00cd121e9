"""Bounds of computed cells: they bind the unknown where these cells follow from it, at values and over ranges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import Interval
from flopsheet.search.one_unknown import Search
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Sheet

CELLS = {
    "height": {"doc": "Height", "symbol": "h", "maximum": 100, "example": 15},
    "above_ground": {"doc": "Height above ground", "symbol": "a", "formula": "height - 10"},
    "above_roof": {"doc": "Height above a roof", "symbol": "r", "formula": "height - 12", "signed": True},
    "area": {"doc": "Area", "symbol": "A", "formula": "above_ground**2 + 0*above_roof"},
}


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    """Return a sheet with a computed cell that is zero or more, as they are by default, and one that may be less."""
    file = tmp_path / "heights.yaml"
    file.write_text(yaml.safe_dump({"sheet": "heights", "title": "Heights", "cells": CELLS}, sort_keys=False))
    return read_sheet(file)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("area = 25", Interval(15, 15)),
        ("area <= 25", Interval(10, 15)),
        ("area >= 25", Interval(15, 100)),
        ("area = 0", Interval(10, 10)),
    ],
)
def test_a_computed_cell_stays_within_its_bounds(sheet: Sheet, relation: str, expected: Interval) -> None:
    outcome = solve(sheet, "height", [relation]).outcomes["height"]
    assert outcome.listed == (expected,)
    assert not outcome.open


def test_memory_of_fewer_blocks_than_none_is_no_answer() -> None:
    """More blocks with a window than there are blocks would leave a negative number with a full cache."""
    given = ["model = llama-3.1-8b", "seq_len = 4096", "n_sequences = 8", "cache_memory <= 1 TiB"]
    outcome = solve("kv_cache", "n_window_blocks", given).outcomes["n_window_blocks"]
    assert [(part.lower, part.upper) for part in outcome.listed] == [(0, 32)]


def test_beside_a_float_end_that_other_conditions_set_nothing_is_found(tmp_path: Path) -> None:
    cells: dict[str, dict[str, Any]] = {
        "x": {"minimum": "0.1", "maximum": 1000},
        "a": {"formula": "(1 - exp(-x/5)) - x", "minimum": -426},
        "b": {"formula": "mod(exp(-a/10), 10)", "maximum": "9.33"},
    }
    outcome = solve(variables(tmp_path, cells), "x", "a <= -340").outcomes["x"]
    assert all(341 <= part.lower <= part.upper <= 427 for part in outcome.listed)


def test_a_search_keeps_to_where_following_cells_are_within_their_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = {
        "moe": {"doc": "Layers with experts", "example": 8, "integer": True, "maximum": 10**9},
        "dense": {"doc": "Other layers", "formula": "80 - moe"},
        "time": {"doc": "Time", "formula": "dense*exp(-moe/50) + moe*log(2 + moe)"},
    }
    file = tmp_path / "layers.yaml"
    file.write_text(yaml.safe_dump({"sheet": "layers", "title": "Layers", "cells": cells}, sort_keys=False))
    domains: list[Interval] = []

    def noted(search: Search, domain: Interval, *known: Any) -> Any:
        domains.append(domain)
        return over(search, domain, *known)

    over = Search.over
    monkeypatch.setattr(Search, "over", noted)
    layers, time = read_sheet(file), 68 * math.exp(-12 / 50) + 12 * math.log(14)
    assert solve(layers, "moe", [f"time = {time}"]).value == 12
    assert domains
    assert all(domain.upper <= 81 for domain in domains)
    unbound = solve(layers, "moe", ["time = 1e5"]).outcomes["moe"]  # which more layers than there are would take
    assert unbound.kind == "none"
    assert unbound.proof is Proof.PROVEN
    assert "dense >= 0" in unbound.why
