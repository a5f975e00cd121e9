"""Sheets by name, and files that declare none: the error names file and line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import flopsheet
from flopsheet import sheet, solve
from flopsheet.errors import SheetError, UnknownNameError
from flopsheet.sheets.catalogue import load, sheet_files

HEAD = "from flopsheet import Sheet, formula, given\nclass Model(Sheet):\n    a = given('A')\n    b = given('B')\n"


def test_a_sheet_is_found_by_name() -> None:
    model = sheet("ffn_memory")
    assert (model.name, model.title[:15]) == ("ffn_memory", "Memory to train")
    assert "device_memory" in model.cells
    assert sheet("ffn_memory") is model


@pytest.mark.parametrize("name", sheet_files())
def test_every_file_declares_the_sheet_of_its_name(name: str) -> None:
    assert sheet(name).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ffn_memry", "There is no sheet 'ffn_memry'. Did you mean 'ffn_memory'"),
        ("FFN_MEMRY", "Did you mean 'ffn_memory'"),
        ("zzz", "Known: activation_estimates, .*lists them"),
        ("../ffn_memory", "There is no sheet"),
        ("", "There is no sheet ''"),
        ("x" * 100_000, "There is no sheet 'x{60}…'"),
    ],
)
def test_an_unknown_sheet_suggests(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message) as caught:
        sheet(name)
    assert "`flopsheet sheets` lists them" in caught.value.fix


def test_a_yaml_file_is_asked_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cooling.yaml"
    cells = "  n: {doc: Chips, integer: true}\n  power: {formula: n * 1.3, doc: Power}\n"
    file.write_text(f"sheet: cooling\ntitle: Power of a room\ncells:\n{cells}")
    monkeypatch.chdir(tmp_path)
    assert solve(str(file), "n", "power <= 13").outcomes["n"].whole == 10
    assert solve("cooling.yaml", "power", "n = 10").cells["power"].si == 13
    file.write_text(file.read_text().replace("1.3", "2.6"))  # read again
    assert solve("cooling.yaml", "power", "n = 10").cells["power"].si == 26


@pytest.mark.parametrize("name", ["nowhere.yaml", "x" * 100_000 + ".yaml", "a\0.yaml", ".yaml"])
def test_a_yaml_file_that_is_not_there_is_told(name: str) -> None:
    with pytest.raises(SheetError, match="There is no such file"):
        sheet(name)


def test_a_file_is_loaded_by_path(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(HEAD + "    c = formula(a * b)\n")
    assert list(load(file).cells) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD + "    c = formula(aa)\n", 5, "'aa' is not declared"),
        (HEAD + "    c = formula(a *\n        bbb)\n", 6, "'bbb' is not declared"),
        ("x = undefined\n", 1, "'undefined' is not declared"),
        (HEAD + "    if a > b:\n        c = formula(a)\n", 5, "Python's `if`, `and`, `or` or a chained comparison"),
        (HEAD + "    c = formula(a if a > b else b)\n", 5, "Write max_, min_ or select"),
        (HEAD + "    c = formula(a * b, 'GiB'\n", 5, ""),
        ("from flopsheet import Sheeet\n", 1, "Sheeet"),
        ("\nimport no_such_module_here\n", 2, "no_such_module_here"),
        (HEAD + "    c = formula(1 / 0 * a)\n", 5, "division by zero"),
        (HEAD + "    c = formula(a, b=1)\n", 5, "b"),
        ("raise RuntimeError('broken')\n", 1, "broken"),
    ],
)
def test_a_file_with_a_mistake_gives_file_and_line(text: str, line: int, message: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(text)
    with pytest.raises(SheetError, match=rf"model\.py:{line}\b") as caught:
        load(file)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD + "    small = limit(a <= 8)\n", 5, "'limit' is not declared. Import it: from flopsheet import limit."),
        (HEAD + "    c = formula(a * b, 'GiB'\n", 5, "This is not Python"),
    ],
)
def test_a_mistake_in_an_imported_file_gives_that_file(
    text: str, line: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "imported_base.py").write_text(text)
    file = tmp_path / "model.py"
    file.write_text("from flopsheet import limit\nfrom imported_base import Model as Base\n")
    with pytest.raises(SheetError, match=rf"imported_base\.py:{line}\b") as caught:
        load(file)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "x = 1\n", "from flopsheet import Sheet\n", "from flopsheet import Sheet\nclass Other(Sheet):\n    pass\n"],
)
def test_a_file_without_a_sheet_of_its_name_names_the_missing_class(text: str, tmp_path: Path) -> None:
    file = tmp_path / "two_words.py"
    file.write_text(text)
    with pytest.raises(SheetError, match=r"declares no sheet 'two_words'\. Name the class like the file: TwoWords"):
        load(file)


def test_an_invalid_file_leaves_no_module_behind(tmp_path: Path) -> None:
    file = tmp_path / "mended.py"
    file.write_text("x = undefined\n")
    with pytest.raises(SheetError):
        load(file)
    file.write_text(HEAD.replace("Model", "Mended") + "    longer = given('Longer')\n")
    assert list(load(file).cells) == ["a", "b", "longer"]


@pytest.mark.slow
def test_titles_survive_python_without_docstrings() -> None:
    code = "import flopsheet; found = flopsheet.sheet('ffn_memory'); print(found.title, len(found.about), sep='|')"
    command = [sys.executable, "-OO", "-c", code]
    paths = os.environ | {"PYTHONPATH": str(Path(flopsheet.__file__).parents[1])}
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=paths).stdout
    model = sheet("ffn_memory")
    assert shown.strip() == f"{model.title}|{len(model.about)}"
