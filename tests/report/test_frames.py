"""Data frames of answers and tables: rows, units, and the message where pandas is missing."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import flopsheet
from flopsheet.errors import FlopsheetError, UnknownNameError

STACK = {"d_model": 8192, "d_ff": 28672, "n_blocks": 80, "batch": 128, "seq_len": 4096, "chip": "h100-sxm"}
ANSWER = flopsheet.solve("ffn_memory", "n_fsdp", [*(f"{k} = {v}" for k, v in STACK.items()), "device_memory <= 72 GiB"])


class _Frame:
    """What is used of a data frame."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows, self.attrs, self.columns, self.index = rows, dict[str, Any](), list(rows[0]) if rows else [], ""

    def set_index(self, name: str) -> _Frame:
        self.index = name
        return self


@pytest.fixture
def _pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=_Frame))


@pytest.mark.usefixtures("_pandas")
def test_cells_are_rows_by_name() -> None:
    frame = ANSWER.frame()
    rows = {row["name"]: row for row in frame.rows}
    assert frame.index == "name"
    assert rows.keys() == ANSWER.cells.keys()
    assert (rows["chip.memory"]["value"], rows["chip.memory"]["unit"]) == (80, "GiB")
    assert rows["d_model"]["origin"] == "given"


@pytest.mark.usefixtures("_pandas")
def test_steps_and_limits_are_rows() -> None:
    steps, limits = ANSWER.frame("steps"), ANSWER.frame("limits")
    assert [row["name"] for row in steps.rows] == [step.cell.name for step in ANSWER.steps]
    assert next(row for row in steps.rows if row["name"] == "tokens")["formula"] == "batch*seq_len"
    assert [row["holds"] for row in limits.rows] == [True] * (len(ANSWER.checks) + len(ANSWER.limits))
    assert limits.rows[0]["left"] <= limits.rows[0]["right"] == 72


@pytest.mark.usefixtures("_pandas")
def test_a_table_has_its_rows_in_order_and_its_units_beside() -> None:
    where = {name: value for name, value in STACK.items() if name != "batch"} | {"n_fsdp": 64}
    frame = flopsheet.table("ffn_memory", where=where, vary={"batch": [128, 256]}, show="device_memory").frame()
    assert [row["batch"] for row in frame.rows] == ["128", "256"]
    assert frame.attrs["units"] == {"device_memory": "GiB"}


def test_frames_of_pandas_hold_the_same() -> None:
    pytest.importorskip("pandas")
    assert ANSWER.frame().loc["chip.memory", "value"] == 80


def test_an_unknown_part_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="cells"):
        ANSWER.frame("cell")


def test_the_message_names_the_command_where_pandas_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(FlopsheetError, match=r"Data frames need pandas, .*\n.*install pandas"):
        ANSWER.frame()
