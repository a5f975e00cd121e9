"""Files that are edited while the process runs: the next public call reads them again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import flopsheet
from flopsheet import Answer, record, records, sheet, solve, table
from flopsheet.errors import UnknownNameError
from flopsheet.registry import packs as packs_module
from flopsheet.session import SESSION
from flopsheet.sheets.catalogue import nomenclature, sheets_and_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Write = Callable[..., None]

MODEL = """\
sheet: tank
title: A tank
cells:
  volume: {{doc: Volume, unit: byte, default: {} byte}}
  height: {{doc: Height, unit: byte, formula: 2 * volume}}
"""
PYTHON = """\
from flopsheet import Sheet, formula, given{}


class {}({}):
    \"\"\"A sheet.\"\"\"

    {}
"""
CHIP_MODEL = """\
sheet: tank
title: A tank
parts: {chip: {kind: chip, example: x}}
cells:
  height: {doc: Height, unit: byte, formula: 2 * chip.memory}
"""
CHIP = "x: {{name: V X, vendor: V, source: s, memory: {} GiB, memory_bandwidth: 1 TB/s, flops: {{bf16: 1 TFLOP/s}}}}\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write files of a pack that is trusted."""
    monkeypatch.setattr(packs_module, "_named", [])
    monkeypatch.setattr(sys, "dont_write_bytecode", False)  # as users run it: stale bytecode must not be run
    pack = tmp_path / "pack"
    (pack / "models").mkdir(parents=True)
    monkeypatch.setenv("FLOPSHEET_PATH", str(pack))
    monkeypatch.setenv("FLOPSHEET_TRUST", str(pack))
    SESSION.drop_files()

    def write(inside: str, text: str) -> None:
        file = pack / inside
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    yield write
    SESSION.drop_files()


def height(answer: Answer) -> float:
    return float(answer.cells["height"].si)


def test_a_yaml_sheet(write: Write) -> None:
    for volume in (5, 6, 7):  # of one size, within one second
        write("models/tank.yaml", MODEL.format(volume))
        assert height(solve("tank", "height")) == 2 * volume
    same = sheet("tank")
    assert sheet("tank") is same
    write("models/tank.yaml", MODEL.format(8))
    rows = table("tank", vary={"volume": [1]}, show=["height"]).rows
    assert len(rows) == 1
    assert sheet("tank") is not same


def test_a_sheet_that_comes_and_goes(write: Write, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        solve("tank", "height")
    write("models/tank.yaml", MODEL.format(5))
    assert height(solve("tank", "height")) == 10
    (tmp_path / "pack" / "models" / "tank.yaml").unlink()
    with pytest.raises(UnknownNameError):
        solve("tank", "height")


def test_a_sheet_that_was_wrong(write: Write) -> None:
    write("models/tank.yaml", MODEL.format(5).replace("formula", "formla"))
    with pytest.raises(flopsheet.FlopsheetError, match="formla"):
        solve("tank", "height")
    write("models/tank.yaml", MODEL.format(5))
    assert height(solve("tank", "height")) == 10


def test_a_python_sheet(write: Write) -> None:
    for volume in (5, 6, 7):
        rows = (
            f'volume = given("Volume", "byte", default="{volume} byte")\n    height = formula(2 * volume, "byte", "H")'
        )
        write("models/tank.py", PYTHON.format("", "Tank", "Sheet", rows))
        assert height(solve("tank", "height")) == 2 * volume


def test_a_record_and_what_extends_it(write: Write) -> None:
    write("models/tank.yaml", CHIP_MODEL)
    write("hardware/chips/y.yaml", "y: {extends: x, source: s, power: 5 W}\n")
    for memory in (1, 2, 3):
        write("hardware/chips/x.yaml", CHIP.format(memory))
        assert records("chip")["x"].values["memory"].si == memory * 2**30
        assert record("chip", "y").values["memory"].si == memory * 2**30
        assert height(solve("tank", "height", {"chip": "y"})) == memory * 2**31


def test_a_nomenclature(write: Write) -> None:
    for symbol in ("a", "b"):
        write("models/nomenclature.yaml", f"own_name: {{symbol: {symbol}, meaning: M}}\n")
        sheets_and_problems()[0]
        assert nomenclature()["own_name"]["symbol"] == symbol


def test_a_template_and_a_source(write: Write) -> None:
    write("hardware/chips/x.yaml", CHIP.format(9))
    write("models/tank.yaml", CHIP_MODEL)
    answer = solve("tank", "height", {"chip": "x"})
    for text in ("one", "two"):
        write("templates/own.md.j2", text)
        assert answer.derivation("own").strip() == text
    for title in ("First title", "Other title"):
        write("hardware/sources.yaml", f"s: {{title: {title}}}\n")
        assert title in answer.derivation()


def test_a_python_sheet_that_others_import(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import flopsheet.builtin

    (tmp_path / "builtin" / "models").mkdir(parents=True)
    (tmp_path / "builtin" / "hardware").mkdir()
    monkeypatch.setattr(flopsheet.builtin, "__path__", [str(tmp_path / "builtin")])
    for name in [name for name in sys.modules if name.startswith("flopsheet.builtin.models")]:
        monkeypatch.delitem(sys.modules, name)
    SESSION.drop_files()
    uses = "\nfrom flopsheet.builtin.models.tank import Tank"
    pack = "../builtin/models/"
    write(f"{pack}basin.py", PYTHON.format(uses, "Basin", "Tank", 'height = formula(2 * volume, "byte", "Height")'))
    for volume in (5, 6, 7):
        row = f'volume = given("Volume", "byte", default="{volume} byte")'
        write(f"{pack}tank.py", PYTHON.format("", "Tank", "Sheet", row))
        assert height(solve("basin", "height")) == 2 * volume
