"""Packs as their authors use them: made, edited, checked, found, added, listed and removed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cases import check_each

from flopsheet import read_question, record, sheet
from flopsheet.authoring.check_pack import check_pack, path_in
from flopsheet.authoring.findings import Findings
from flopsheet.errors import FlopsheetError, RegistryError
from flopsheet.registry import packs as module
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.pack_file import section_of
from flopsheet.registry.packs import SINGLE, packs
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

CHIP = "{name: X, vendor: V, source: read here, memory: 8 GiB, memory_bandwidth: 1 TB/s, flops: {bf16: 9 TFLOP/s}}"
FILES = ["flopsheet.yaml", "pyproject.toml", ".github/workflows/check.yml", "README.md"]


def write(folder: Path, inside: str, text: str) -> Path:
    """Write a file of a folder that is made for it."""
    file = folder / inside
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    SESSION.begin_call()
    return file


def test_a_new_pack_holds_five_kinds_and_has_no_mistakes(run: Run, here: Path) -> None:
    code, out, err = run("pack", "new", "my-pack")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("Wrote")] == [
        f"Wrote my-pack/{name}" for name in FILES
    ]
    assert run("pack", "check", "my-pack") == (
        0,
        "my-pack: 1 chip, 1 system, 1 datacenter, 1 sheet and 1 question. No mistakes.\n",
        "",
    )
    text = (here / "my-pack" / SINGLE).read_text(encoding="utf-8")
    assert "NAME" not in text.replace("my_pack", "")
    assert "my_pack_room:" in text


def test_a_new_pack_is_asked_in_its_folder_and_below(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("pack", "new", "mine")
    inner = here / "mine" / "notes" / "deep"
    inner.mkdir(parents=True)
    for folder in (here / "mine", inner):
        monkeypatch.chdir(folder)
        assert run("ask", "mine-chips")[1].endswith("n_chips <= 1666.7 chip, so 1666 chip\n")
        assert run("ask", "mine:mine-chips")[0] == 0
        assert run("solve", "mine:mine_room", "power", "n_chips=1", "chip=mine:mine-chip", "site=mine-site")[0] == 0
        assert [(pack.name, pack.origin) for pack in packs()] == [("flopsheet", "built-in"), ("mine", "project")]


def test_a_new_record_goes_to_the_project_around(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("hardware", "new", "chip", "first")[1].startswith("Wrote hardware/chips/first.yaml.")
    (here / "notes").mkdir()
    monkeypatch.chdir(here / "notes")
    place = here / "hardware" / "chips" / "second.yaml"
    assert run("hardware", "new", "chip", "second")[1].startswith(f"Wrote {place}.")
    assert place.is_file()
    assert list((here / "notes").iterdir()) == []


@pytest.mark.parametrize("barrier", [".git", "home", "nothing"])
def test_the_search_for_a_project_ends_at_repositories_and_home(
    barrier: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here, "hardware/chips.yaml", f"x: {CHIP}\n")
    inner = here / "repository"
    inner.mkdir()
    if barrier == ".git":
        (inner / ".git").mkdir()
    if barrier == "home":
        monkeypatch.setenv("HOME", str(here))
    monkeypatch.chdir(inner)
    SESSION.begin_call()
    assert [pack.origin for pack in packs()] == ["built-in", *(["project"] if barrier == "nothing" else [])]


def test_a_folder_of_another_owner_is_no_project(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, "hardware/chips.yaml", f"x: {CHIP}\n")
    (here / "mine").mkdir()
    monkeypatch.chdir(here / "mine")
    monkeypatch.setattr(module, "_owner", lambda folder: 1 if folder == here else 2)
    SESSION.drop_files()
    assert [pack.origin for pack in packs()] == ["built-in"]


@pytest.mark.parametrize(
    ("inside", "text", "is_project"),
    [
        ("models/doubled.yaml", "sheet: doubled\n", True),
        ("models/two_words.py", "from flopsheet import Sheet\nclass TwoWords(Sheet):\n    pass\n", True),
        ("models/two_words.py", "from flopsheet import Sheet\n", False),
        ("models/config.yaml", "layers: 3\n", False),
        ("models/questions/q.yaml", "sheet: doubled\n", True),
        ("hardware/README.md", "cables", False),
        (SINGLE, "chips: {}\n", True),
    ],
)
def test_what_makes_a_folder_a_project(inside: str, text: str, is_project: bool, here: Path) -> None:
    write(here, inside, text)
    SESSION.drop_files()
    assert ([pack.origin for pack in packs()] == ["built-in", "project"]) == is_project


def test_the_pack_around_a_question_file_is_used_for_it(
    run: Run, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("pack", "new", "mine")
    text = "sheet: mine_room\nunknown: n_chips\nwhere: [chip = mine-chip, site = mine-site, power <= 1 MW]\n"
    file = write(here / "mine", "notes/q.yaml", text)
    monkeypatch.chdir(tmp_path)
    assert run("ask", str(file))[1].endswith("n_chips <= 833.3 chip, so 833 chip\n")
    asked = read_question(file)
    assert [pack.origin for pack in packs()] == ["built-in", "question"]
    read_question(packs()[0].folder / "models" / "questions" / "fsdp-shards.yaml")
    assert [pack.origin for pack in packs()] == ["built-in"]
    assert asked.answer().value == 833


def test_one_file_holds_records_of_every_kind(here: Path) -> None:
    assert {"chips", "systems", "datacenters", "architectures"} <= {section_of(kind) for kind in KINDS.values()}
    write(here, SINGLE, f"chips:\n  x: {CHIP}\nsources:\n  ours: {{title: Ours}}\n")
    assert str(record("chip", "x").spot) == "here/flopsheet.yaml:2:6"


def test_mistakes_of_a_section_leave_the_others_alone(here: Path) -> None:
    sheets = "sheets:\n  twice: {title: T, cells: {n: {doc: N, example: 3}, p: {doc: P, formula: 2 * n}}}\n"
    write(here, SINGLE, f"chip: {{}}\nchips:\n  x: {{memory: 5 W}}\n{sheets}")
    assert list(sheet("twice").cells) == ["n", "p"]
    with pytest.raises(FlopsheetError, match="There is no chip 'x'"):
        record("chip", "x")


ANNOTATED = """\
::error file={0}/flopsheet.yaml,line=1,col=1::There is no such key. Did you mean 'chips'?
::warning file={0}/flopsheet.yaml,line=4,col=53::'80 TB' is unusual: a chip has 4 GiB to 2 TiB. Did you mean 80 GB?
{0}: 1 chip. 1 mistake.
"""


@pytest.mark.parametrize("name", ["mine", "."])
def test_findings_are_annotations_for_github(name: str, run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"chip: {{}}\nchips:\n  y: {CHIP}\n".replace("8 GiB", "80 TB").replace("  y: {", "  y:\n    {")
    write(here, f"mine/{SINGLE}", text)
    if name == ".":
        monkeypatch.chdir(here / "mine")
    code, out, err = run("pack", "check", name, "--as", "github")
    assert (code, err) == (2, "")
    assert out == ANNOTATED.format(name).replace("./flopsheet", "flopsheet")


def test_annotations_are_escaped() -> None:
    findings = Findings(errors=[RegistryError("a,b.yaml:3", "100 %\nis: wrong.")])
    findings.warnings = [FlopsheetError("somewhere", "It is odd.")]
    assert list(findings.annotations(lambda shown: shown)) == [
        "::error::a,b.yaml:3: 100 %25%0Ais: wrong.",
        "::warning::somewhere: It is odd.",
    ]
    findings = Findings(errors=[RegistryError("a%b.yaml:3", "100 %\nis: wrong.", "Mend it.")])
    assert list(findings.annotations(str)) == ["::error file=a%25b.yaml,line=3::100 %25%0Ais: wrong. Mend it."]


CHECKED: dict[str, tuple[dict[str, str], str]] = {
    "record": ({"hardware/chips/x.yaml": "x: {memory: 5 W}\n"}, "'5 W' is power"),
    "misplaced": ({"hardware/x.yaml": "x: {}\n"}, "This file is not read. Move it into"),
    "sheet": ({"models/x.yaml": "sheet: x\ntitle: T\ncells: {n: {doc: N, unit: Gb}}\n"}, "'Gb' is not how a unit"),
    "question": (
        {"models/questions/q.yaml": "sheet: ffn_memory\nunknown: n_fsdp\nwhere: [d_modl = 3]\n"},
        "Did you mean 'd_model'",
    ),
    "unanswerable question": (
        {"models/questions/q.yaml": "sheet: ffn_memory\nunknown: n_fsdp\nwhere: [d_model = 3]\n"},
        "questions/q.yaml:2:10, unknown 'n_fsdp'",
    ),
    "template": ({"templates/page.md.j2": "{% if %}"}, "templates/page.md.j2:1: It cannot be parsed"),
    "name of a template": ({"templates/Page.md.j2": ""}, "The name of a template has lower-case letters"),
    "source": ({"models/sources.yaml": "s: {titel: T}\n"}, "Did you mean 'title'"),
}


@pytest.mark.parametrize("case", CHECKED)
def test_a_check_finds_mistakes_of_every_sort(case: str, here: Path) -> None:
    files, message = CHECKED[case]
    for inside, text in files.items():
        write(here / "mine", inside, text)
    findings = check_pack(here / "mine")
    assert len(findings.errors) == 1
    assert message in str(findings.errors[0])
    assert findings.errors[0].where.startswith("mine/")


def test_a_check_warns_of_what_is_doubtful(here: Path) -> None:
    write(here / "mine", "models/sources.yaml", "a: {title: A, url: https://a.org}\nb: {title: B, url: nothing}\n")
    write(here / "mine", "models/mine.py", "raise SystemError  # flopsheet\n")
    write(here / "mine", "hardware/chips.yaml", f"h100-sxm: {CHIP}\n")
    findings = check_pack(here / "mine")
    assert findings.errors == []
    texts = " ".join(map(str, findings.warnings))
    for part in (
        "The address of the source 'a' is the root of a site",
        "The address 'nothing' of the source 'b' is none",
        "models/mine.py: Python is not checked without trust",
        "It takes the name 'h100-sxm' of the built-in chip",
    ):
        assert part in texts
    assert len(findings.warnings) == 4


def test_links_that_lead_out_of_a_pack_are_mistakes(here: Path, tmp_path: Path) -> None:
    write(here / "mine", "hardware/chips.yaml", f"x: {CHIP}\n")
    (here / "mine" / "hardware" / "notes.txt").symlink_to(write(tmp_path, "secret.txt", "s"))
    (here / "mine" / "hardware" / "inner.txt").symlink_to(here / "mine" / "hardware" / "chips.yaml")
    (error,) = check_pack(here / "mine").errors
    assert str(error).startswith("mine/hardware/notes.txt: This leads out of the pack")


def test_the_built_in_pack_has_no_mistakes() -> None:
    from flopsheet.authoring.check import check

    findings = check([])
    assert (findings.errors, findings.warnings) == ([], [])


@pytest.mark.parametrize(
    ("inside", "text", "line"),
    [
        ("models/x.yaml", "sheet: x\ntitle: T\ncells: {n: {doc: N, example: 3}}\n", "sheet, 1 cells"),
        ("q.yaml", "sheet: ffn_memory\nwhere: [d_model = 3]\n", "question of the sheet ffn_memory"),
        ("sources.yaml", "s: {title: T}\n", "1 sources"),
        ("chips/x.yaml", f"x: {CHIP}\n", "x: 3 figures"),
    ],
)
def test_a_file_is_checked_for_what_it_is(inside: str, text: str, line: str, run: Run, here: Path) -> None:
    write(here, inside, text)
    assert run("hardware", "check", inside) == (0, f"{inside}: {line}. No mistakes.\n", "")


@pytest.mark.parametrize("in_a_pack", [False, True])
@pytest.mark.parametrize("trusted", [False, True])
def test_a_python_sheet_is_checked_only_where_it_may_run(
    in_a_pack: bool, trusted: bool, run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from flopsheet import Sheet, given\nopen('ran', 'w').close()\nclass Row(Sheet):\n    n = given('N')\n"
    inside = "models/row.py" if in_a_pack else "row.py"
    write(here, inside, text)
    if trusted:
        monkeypatch.setenv("FLOPSHEET_TRUST", str(here))
    code, out, err = run("hardware", "check", inside)
    assert code == 0
    assert (here / "ran").exists() == (in_a_pack and trusted)
    assert out.startswith(f"{inside}: {'sheet, 1 cells' if in_a_pack and trusted else 'not run'}. No mistakes")
    assert ("Python is not checked without trust" in err) != (in_a_pack and trusted)


def test_an_edited_file_of_a_pack_is_noticed(here: Path) -> None:
    for memory in ("8 GiB", "9 GiB"):
        write(here, SINGLE, f"chips:\n  x: {CHIP.replace('8 GiB', memory)}\n")
        assert record("chip", "x").values["memory"].text == memory
    write(here, "hardware/chips.yaml", f"y: {CHIP.replace('name: X', 'name: Y')}\n")
    assert record("chip", "y").key == "y"
    (here / SINGLE).unlink()
    SESSION.begin_call()
    with pytest.raises(FlopsheetError, match="There is no chip 'x'"):
        record("chip", "x")


def test_a_pack_is_added_listed_renewed_and_removed(run: Run, here: Path, tmp_path: Path) -> None:
    run("pack", "new", "mine")
    write(here / "mine", "models/added.py", "from flopsheet import Sheet\n")
    write(here / "mine", "notes/secret.txt", "s")
    code, out, err = run("pack", "add", "./mine")
    copy = tmp_path / "config" / "packs" / "mine"
    counts = "1 chip, 1 system, 1 datacenter, 2 sheets and 1 question"
    assert (code, out, err) == (0, f"Added the pack 'mine' (added) in {copy}: {counts}.\n", "")
    assert sorted(str(file.relative_to(copy)) for file in copy.rglob("*.*")) == ["flopsheet.yaml", "models/added.py"]
    assert run("ask", "mine:mine-chips")[0] == 0
    assert "is not trusted to run it" in " ".join(run("sheets", "mine:added")[2].split())
    for words in (("pack", "list"), ("packs",)):
        (row,) = (line.split() for line in run(*words)[1].splitlines() if line.startswith("mine"))
        assert row[:3] == ["mine", "added", "no"]
        assert row[-1] == str(copy)
    assert "There is a pack 'mine' already" in run("pack", "add", "./mine")[2]
    assert run("pack", "remove", "mine") == (0, f"Removed the pack 'mine' (added) from {copy}.\n", "")
    assert not copy.exists()
    assert "There is no question" in run("ask", "mine:mine-chips")[2]


def test_the_original_of_an_added_pack_stands_in_for_it(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("pack", "new", "mine")
    monkeypatch.chdir(here / "mine")
    assert run("pack", "add", ".")[0] == 0
    assert [pack.origin for pack in packs()] == ["built-in", "project"]
    assert run("ask", "mine-chips")[0] == 0


def test_a_link_out_of_a_folder_is_not_copied(run: Run, here: Path, tmp_path: Path) -> None:
    write(here / "mine", "hardware/chips.yaml", f"x: {CHIP}\n")
    (here / "mine" / "hardware" / "secret.yaml").symlink_to(write(tmp_path, "secret.yaml", "s"))
    assert run("pack", "add", "./mine")[0] == 0
    assert [file.name for file in (tmp_path / "config" / "packs" / "mine" / "hardware").iterdir()] == ["chips.yaml"]


def test_pip_is_run_with_a_list_of_arguments(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def fail(command: list[str], *, check: bool) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, int(check) + 1)

    monkeypatch.setattr("flopsheet.authoring.manage.subprocess.run", fail)
    monkeypatch.setattr("flopsheet.report.missing.find_spec", lambda name: name)
    for what in ("git+https://example.org/pack.git@main", "some-pack", "some_pack[extra]==1.2"):
        code, out, err = run("pack", "add", what)
        assert (code, ran[-1]) == (2, [sys.executable, "-m", "pip", "install", what])
        assert out.startswith(f"Running: {sys.executable} -m pip install ")
        assert "It ended with exit code 1" in " ".join(err.split())
    assert list(here.iterdir()) == []


def test_what_is_no_name_of_a_package_is_not_passed_to_pip(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flopsheet.authoring.manage.subprocess.run", None)

    def check_refused(what: str) -> None:
        assert run("pack", "add", "--", what)[0] == 2

    check_each(
        ["--index-url=x", "-r", "a b", "a;b", "", "git+", "git+https://a b", "a@b", "x" * 1000 + "!"], check_refused
    )


def test_paths_of_annotations_are_those_of_the_folder_as_it_is_named(here: Path) -> None:
    file = write(here, "mine/models/x.yaml", "")
    assert path_in(here / "mine", "mine/models/x.yaml") == str(file)
    assert path_in(here / "mine", "elsewhere.yaml") == "elsewhere.yaml"
