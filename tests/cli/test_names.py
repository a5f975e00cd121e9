"""Names of several packs on the command line: which one is used, what the answer says of it, and where to find all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from flopsheet.registry import packs as packs_module
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

CHIP = "{{extends: built-in:h100-sxm, name: Ours, source: our tests, memory: {}}}"
ASKED = (
    "solve",
    "ffn_memory",
    "device_memory",
    "d_model=64",
    "d_ff=64",
    "n_blocks=2",
    "batch=1",
    "seq_len=64",
    "n_fsdp=1",
)
SHEET = "sheet: {}\ntitle: Twice.\n{}cells: {{width: {{doc: W, example: 3}}, twice: {{doc: T, formula: 2 * width}}}}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(packs_module, "_named", [])
    SESSION.drop_files()
    yield tmp_path
    SESSION.drop_files()


def write(folder: Path, inside: str, text: str) -> None:
    """Write a file, and the folders around it."""
    (folder / inside).parent.mkdir(parents=True, exist_ok=True)
    (folder / inside).write_text(text, encoding="utf-8")


def memory_of_chip(run: Run, name: str) -> tuple[str, list[str]]:
    """Return the memory that an answer takes for a chip, and its warnings."""
    answer = json.loads(run(*ASKED, f"chip={name}", "--as", "json")[1])
    cell = answer["cells"]["chip.memory"]
    return f"{cell['value']:g} {cell['unit']}", answer["warnings"]


def test_a_chip_that_a_later_release_also_defines_stays_that_of_the_project(run: Run, here: Path) -> None:
    write(here, "hardware/chips.yaml", f"h200-sxm: {CHIP.format('7 GiB')}\n")
    memory, (warning,) = memory_of_chip(run, "h200-sxm")
    assert memory == "7 GiB"
    assert "It takes the name 'h200-sxm' of the built-in chip (hardware/chips/" in warning
    assert warning.endswith(
        "Write 'override: true' if this is meant, and write 'built-in:h200-sxm' for the built-in one."
    )
    assert memory_of_chip(run, f"{here.name}:h200-sxm")[0] == "7 GiB"
    built_in, warnings = memory_of_chip(run, "built-in:h200-sxm")
    assert built_in != "7 GiB"
    assert warnings == []
    write(here, "hardware/chips.yaml", f"h200-sxm: {CHIP.format('7 GiB')[:-1]}, override: true}}\n")
    assert memory_of_chip(run, "h200-sxm") == ("7 GiB", [])


def test_listings_name_the_records_that_take_names(run: Run, here: Path) -> None:
    write(here, "hardware/chips.yaml", f"h200-sxm: {CHIP.format('7 GiB')}\n")
    for words in (("list",), ("show", "h200-sxm"), ("where", "h200-sxm")):
        code, _, err = run("hardware", *words)
        assert code == 0
        assert err.startswith("Warning: ")
    rows = run("hardware", "where", "h200-sxm")[1].splitlines()[2:]
    assert [(row.split()[1].partition(":")[0], row.split("   ")[-1].strip()) for row in rows] == [
        ("built-in", "not used"),
        (here.name, "in force"),
    ]


def test_chips_of_two_packs_are_both_tried_where_a_chip_is_asked_for(run: Run, here: Path) -> None:
    for name, memory in (("one", "800 GiB"), ("two", "900 GiB")):
        write(here, f"{name}/flopsheet.yaml", f"chips:\n  twin: {CHIP.format(memory)}\n")
    asked = ("solve", "ffn_memory", "chip", *ASKED[3:], "chip.memory >= 800 GiB", "--best", "max:chip.memory")
    answer = json.loads(run("--pack", "one", "--pack", "two", *asked, "--as", "json")[1])
    assert answer["answers"]["chip"]["values"] == ["two:twin", "one:twin"]
    assert memory_of_chip(run, answer["answers"]["chip"]["value"])[0] == "900 GiB"
    shown = run("hardware", "where", "twin")[1]
    assert shown.count("needs its pack") == 2


@pytest.mark.parametrize("override", ["", "override: true\n"])
def test_a_sheet_that_takes_a_name_is_told_with_the_answer(override: str, run: Run, here: Path) -> None:
    write(here, "models/electricity.yaml", SHEET.format("electricity", override))
    code, out, _ = run("solve", "electricity", "width", "twice=8", "--as", "json")
    warnings = json.loads(out)["warnings"]
    assert (code, json.loads(out)["answers"]["width"]["value"]) == (0, 4)
    assert ["It takes the name 'electricity' of the built-in sheet" in text for text in warnings] == (
        [] if override else [True]
    )
    assert ("Warning: " in run("sheets")[2]) == (not override)
    assert run("sheets", "built-in:electricity")[1] != run("sheets", "electricity")[1]


def test_a_question_file_names_sheet_and_chip_with_their_pack(run: Run, here: Path) -> None:
    write(here, "one/models/doubled.yaml", SHEET.format("doubled", ""))
    write(here, "two/models/doubled.yaml", SHEET.format("doubled", "").replace("2 * width", "4 * width"))
    for name, width in (("one", 4), ("two", 2)):
        write(here, "q.yaml", f"sheet: {name}:doubled\nunknown: width\nwhere: [twice = 8]\n")
        out = run("--pack", "one", "--pack", "two", "ask", "q.yaml", "--as", "json")[1]
        assert json.loads(out)["answers"]["width"]["value"] == width
