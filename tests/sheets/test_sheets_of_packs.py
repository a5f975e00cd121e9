"""Sheets of packs: YAML is read, Python is run only where it is trusted, a broken file takes no other down."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import flopsheet
from flopsheet import sheet, solve
from flopsheet.errors import FlopsheetError, SheetError, UnknownNameError
from flopsheet.registry.packs import Pack, packs
from flopsheet.sheets import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

YAML = (
    "sheet: {name}\ntitle: Twice.\ncells:\n  width: {{doc: W, example: 3}}\n  twice: {{formula: 2 * width, doc: T}}\n"
)
PYTHON = "from flopsheet import Sheet, given\nclass {name}(Sheet):\n    width = given('W', example=3)\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Pack]:
    """Add a pack of sheets behind those that are active."""
    active = [*packs()]

    def placed(name: str, files: dict[str, str], *, trusted: bool = False) -> Pack:
        for file, text in files.items():
            path = tmp_path / name / "models" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        active.append(Pack(name, tmp_path / name, "FLOPSHEET_PATH", trusted))
        monkeypatch.setattr(catalogue, "packs", lambda: tuple(active))
        return active[-1]

    return placed


def test_a_yaml_sheet_of_a_pack_is_found(place: Callable[..., Pack]) -> None:
    place(
        "mine", {"doubled.yaml": YAML.format(name="doubled"), "nomenclature.yaml": "width: {symbol: w, meaning: W}\n"}
    )
    assert list(sheet("doubled").cells) == ["width", "twice"]
    assert "doubled" in [sheet.name for sheet in catalogue.sheets_and_problems()[0]]
    assert catalogue.sheets_and_problems()[1] == []
    assert catalogue.nomenclature()["width"]["symbol"] == "w"


def test_an_edited_sheet_is_noticed(place: Callable[..., Pack]) -> None:
    pack = place("mine", {"doubled.yaml": YAML.format(name="doubled")})
    assert solve("doubled", "twice", ["width = 3"]).value == 6
    before = sheet("doubled")
    assert sheet("doubled") is before
    models = pack.folder / "models"
    (models / "doubled.yaml").write_text(YAML.format(name="doubled").replace("2 * width", "4 * width"))
    (models / "added.yaml").write_text(YAML.format(name="added"))
    assert solve("doubled", "twice", ["width = 3"]).value == 12
    assert "added" in catalogue.sheet_files()
    (models / "nomenclature.yaml").write_text("width: {symbol: w, meaning: W}\n")
    sheet("doubled")
    assert catalogue.nomenclature()["width"]["symbol"] == "w"


def test_a_python_sheet_is_not_run_unless_its_pack_is_trusted(place: Callable[..., Pack], tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()\n" + PYTHON.format(name="Risky")
    place("mine", {"risky.py": code})
    with pytest.raises(SheetError) as caught:
        sheet("risky")
    assert caught.value.where == "mine/models/risky.py"
    assert caught.value.problem == (
        "This sheet is Python, and the pack 'mine' (FLOPSHEET_PATH) is not trusted to run it."
    )
    assert caught.value.fix == (
        f"Read the file; then set FLOPSHEET_TRUST={tmp_path / 'mine'} to run it, or have it exported where it is "
        "trusted: flopsheet sheets risky --as yaml."
    )
    assert str(caught.value) in [str(problem) for problem in catalogue.sheets_and_problems()[1]]
    assert "risky" not in [sheet.name for sheet in catalogue.sheets_and_problems()[0]]
    assert not ran.exists()


def test_a_trusted_python_sheet_has_a_module_of_its_own(place: Callable[..., Pack]) -> None:
    place("one", {"plain.py": PYTHON.format(name="Plain")}, trusted=True)
    place("two", {"other.py": PYTHON.format(name="Other")}, trusted=True)
    modules = {type(sheet(name)).__module__ for name in ("plain", "other", "ffn_memory")}
    assert len(modules) == 3
    assert "flopsheet.builtin.models.ffn_memory" in modules
    assert all(re.fullmatch(r"flopsheet\.builtin\.models\.\w+|flopsheet_packs\.\w+\.\w+", module) for module in modules)


def active() -> tuple[Pack, ...]:
    """Return the packs of the test."""
    return tuple(getattr(catalogue, "packs")())  # noqa: B009  # patched


YAML_SILENCE = "Write 'override: true' if this is meant, and write 'built-in:ffn_memory' for the built-in one."
PYTHON_SILENCE = "Rename it, or write it as YAML with 'override: true', and write 'built-in:ffn_memory'"


@pytest.mark.parametrize(
    ("file", "text", "fix"),
    [
        ("ffn_memory.yaml", YAML.format(name="ffn_memory"), YAML_SILENCE),
        ("ffn_memory.py", PYTHON.format(name="FfnMemory"), PYTHON_SILENCE),
    ],
)
def test_a_sheet_stays_its_packs_when_the_built_in_pack_also_has_its_name(
    file: str, text: str, fix: str, place: Callable[..., Pack]
) -> None:
    place("mine", {file: text}, trusted=True)
    assert "width" in sheet("ffn_memory").cells
    assert sheet("mine:ffn_memory") is sheet("ffn_memory")
    assert "device_memory" in sheet("built-in:ffn_memory").cells
    assert catalogue.sheets_and_problems()[1] == []
    (warning,) = catalogue.listing(active()).names.warnings
    assert str(warning).startswith(f"mine/models/{file}: It takes the name 'ffn_memory' of the built-in sheet (models/")
    assert fix in str(warning)


def test_a_sheet_of_two_packs_is_an_error_where_it_is_used(place: Callable[..., Pack]) -> None:
    for name in ("one", "two"):
        place(name, {"doubled.yaml": YAML.format(name="doubled")})
    with pytest.raises(FlopsheetError) as caught:
        sheet("doubled")
    assert caught.value.problem.startswith("The packs 'one' (one/models/doubled.yaml) and 'two' (two/models/")
    assert caught.value.fix == "Write 'one:doubled' or 'two:doubled'."
    assert sheet("one:doubled").name == "doubled"
    assert {"one:doubled", "two:doubled"} <= catalogue.sheet_files().keys()


def test_a_sheet_with_mistakes_does_not_give_way_to_the_built_in_one(place: Callable[..., Pack]) -> None:
    place("mine", {"ffn_memory.yaml": YAML.format(name="ffn_memory") + "override: maybe\n"})
    with pytest.raises(FlopsheetError, match="'maybe' is neither true nor false"):
        sheet("ffn_memory")


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("mean.yml", "The file models/mean.yml is not read: name it mean.yaml."),
        ("mean.yaml", "The file models/mean.yaml is not read as a sheet: it has no line 'sheet: mean'."),
        ("mean.py", "The file models/mean.py is not read as a sheet: it does not import flopsheet."),
    ],
)
def test_a_file_that_is_no_sheet_is_named_where_its_name_is_asked_for(
    file: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / file).write_text("a: 1\n")
    monkeypatch.chdir(tmp_path)
    for name in ("mean", "mine:mean"):
        with pytest.raises(UnknownNameError) as caught:
            sheet(name)
        assert reason in str(caught.value)


def test_a_sheet_overrides_another_only_with_override(place: Callable[..., Pack]) -> None:
    place("mine", {"ffn_memory.yaml": YAML.format(name="ffn_memory") + "override: true\n"})
    assert list(sheet("ffn_memory").cells) == ["width", "twice"]
    assert catalogue.sheets_and_problems()[1] == []


def test_two_files_of_a_pack_do_not_share_a_name(place: Callable[..., Pack]) -> None:
    text = YAML.format(name="doubled") + "override: true\n"
    place("mine", {"doubled.py": PYTHON.format(name="Doubled"), "doubled.yaml": text}, trusted=True)
    assert list(sheet("doubled").cells) == ["width"]
    assert "Rename one of the two" in str(catalogue.sheets_and_problems()[1][0])


def test_a_sheet_that_overrides_none_is_a_warning(place: Callable[..., Pack]) -> None:
    place("mine", {"ffn_memry.yaml": YAML.format(name="ffn_memry") + "override: true\n"})
    message = "no earlier pack has a sheet of this name. Did you mean 'ffn_memory'"
    assert message in str(catalogue.listing(active()).names.warnings[0])
    assert "width" in sheet("ffn_memry").cells


def test_an_invalid_file_does_not_affect_others(place: Callable[..., Pack]) -> None:
    files = {
        "bad.yaml": "sheet: bad\ntitle: T\ncells: {a: {unit: Gb}, a: {doc: again}}\n",
        "worse.yaml": "{",
        "good.yaml": YAML.format(name="good"),
        "nomenclature.yaml": "width: w\n",
    }
    place("mine", files)
    assert {"good", "ffn_memory"} <= {sheet.name for sheet in catalogue.sheets_and_problems()[0]}
    assert {problem.where.partition(":")[0] for problem in catalogue.sheets_and_problems()[1]} == {
        "mine/models/bad.yaml",
        "mine/models/worse.yaml",
        "mine/models/nomenclature.yaml",
    }
    with pytest.raises(FlopsheetError, match=r"2 mistakes\.\nmine/models/bad\.yaml:3:24: The key 'a' is also in"):
        sheet("bad")
    with pytest.raises(UnknownNameError, match=r"There is no sheet 'goo'\. Did you mean 'good'"):
        sheet("goo")


def test_a_file_outside_of_its_pack_is_not_read(place: Callable[..., Pack], tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(YAML.format(name="linked"))
    pack = place("mine", {"good.yaml": YAML.format(name="good")})
    (pack.folder / "models" / "linked.yaml").symlink_to(outside)
    assert "leads out of the pack" in str(catalogue.sheets_and_problems()[1][0])
    assert "linked" not in catalogue.sheet_files()


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with a pack on FLOPSHEET_PATH."""
    paths = {"PYTHONPATH": str(Path(flopsheet.__file__).parents[1]), "FLOPSHEET_PATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "flopsheet", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, **paths, **environment},
    )


@pytest.mark.slow
def test_the_command_line_lists_shows_solves_and_exports(tmp_path: Path) -> None:
    models = tmp_path / "mine" / "models"
    models.mkdir(parents=True)
    (models / "doubled.yaml").write_text(YAML.format(name="doubled"))
    (models / "risky.py").write_text(PYTHON.format(name="Risky"))
    folder = models.parent
    process = run(folder, "sheets")
    assert process.returncode == 0
    assert re.search(r"^doubled +2 +Twice\.", process.stdout, re.MULTILINE)
    assert f"FLOPSHEET_TRUST={folder}" in process.stderr
    assert "twice" in run(folder, "sheets", "doubled").stdout
    assert run(folder, "solve", "doubled", "width", "twice = 8").stdout.endswith("width = 4\n")
    refused = run(folder, "sheets", "risky", "--as", "yaml")
    assert (refused.returncode, refused.stdout) == (2, "")
    exported = run(folder, "sheets", "risky", "--as", "yaml", FLOPSHEET_TRUST=str(folder))
    assert exported.stdout == "sheet: risky\ntitle: risky\ncells:\n  width: {doc: W, example: 3}\n"


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Call the command line in this process."""
    from flopsheet.cli import main

    def called(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["flopsheet", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed: Any = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return called


def test_a_sheet_is_shown_in_four_forms(call: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    result = json.loads(call("sheets", "ffn_memory", "--as", "json")[1])
    rows = {row["name"]: row for row in result["cells"]}
    assert rows["params"]["formula"] == "2*d_model*d_ff*n_blocks"
    assert (rows["params"]["unit"], rows["params"]["integer"]) == ("param", True)
    assert (rows["bytes_per_param"]["default"], rows["bytes_per_param"]["source"]) == ("4 byte/param", "ieee-754")
    assert result["limits"] == [
        {"name": "fits", "relation": "device_memory <= chip.memory", "doc": result["limits"][0]["doc"]}
    ]
    assert call("sheets", "ffn_memory", "--as", "markdown")[1].startswith("## `ffn_memory`")
    for shape, start in (("yaml", "sheet: ffn_memory\n"), ("text", "Memory to train")):
        file = tmp_path / shape
        assert call("sheets", "ffn_memory", "--as", shape, "-o", str(file))[:2] == (0, "")
        assert file.read_text(encoding="utf-8").startswith(start)
    code, _, err = call("sheets", "--as", "yaml")
    assert (code, "name of a SHEET" in err) == (2, True)


def test_the_sheet_of_the_readme_is_one(place: Callable[..., Pack]) -> None:
    readme = Path(flopsheet.__file__).parents[2] / "README.md"
    shown = re.search(r"<!-- yaml-sheet -->\n```yaml\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    place("mine", {"cooling.yaml": shown[1]})
    answer = flopsheet.solve("cooling", "power", ["n_chips = 1000 chip"])
    assert answer.value == pytest.approx(1.56)
