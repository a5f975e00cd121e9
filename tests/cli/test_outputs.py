"""Where output goes: the form follows the file's name, and a fault leaves the old file."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.kept import state

import flopsheet

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

SOLVE = ("solve", "ffn_memory", "params", "d_model=8", "d_ff=8", "n_blocks=1")
COMMANDS = [
    SOLVE,
    ("sheets", "ffn_memory"),
    ("hardware", "list"),
    ("hardware", "show", "h100"),
    ("hardware", "schema"),
    ("hardware", "new", "chip", "my-chip"),
]
LONG = "x" * 300


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command[:2]))
@pytest.mark.parametrize("ending", ["pdf", "png", "svg", "docx", "jpeg", "zip", "py", "PNG"])
def test_a_name_of_another_form_is_refused(command: tuple[str, ...], ending: str, run: Run) -> None:
    code, out, err = run(*command, "-o", f"answer.{ending}")
    assert (code, out) == (2, "")
    assert f"'.{ending.lower()}'" in err
    assert not Path(f"answer.{ending}").exists()


@pytest.mark.parametrize(
    ("shape", "name"), [("text", "a.png"), ("json", "a.xlsx"), ("markdown", "a.pdf"), ("xlsx", "a.md"), ("xlsx", "a")]
)
def test_a_form_that_no_reader_of_such_files_reads_is_refused(shape: str, name: str, run: Run) -> None:
    code, _, err = run(*SOLVE, "--as", shape, "-o", name)
    assert code == 2
    assert f"cannot hold {shape}" in " ".join(err.split())
    assert not Path(name).exists()


def test_a_picture_is_proposed_for_the_name_of_one(run: Run) -> None:
    assert "--picture graph:FILE draws a picture." in " ".join(run(*SOLVE, "-o", "a.svg")[2].split())


@pytest.mark.parametrize("name", ["answer", "answer.txt", "ANSWER.TXT"])
def test_text_has_any_plain_name(name: str, run: Run) -> None:
    assert run(*SOLVE, "-o", name)[0] == 0
    assert Path(name).read_text().endswith("params = 128 param\n")


def test_records_follow_the_name_too(run: Run) -> None:
    for name, start in (("a.json", "["), ("a.csv", "name,"), ("a.md", "| name |"), ("a.txt", "name ")):
        assert run("hardware", "list", "-o", name)[0] == 0
        assert Path(name).read_text().startswith(start)


FAULTS: dict[str, Callable[[Path], object]] = {
    "directory": Path.mkdir,
    "FIFO": os.mkfifo,
    "link": lambda place: place.symlink_to("target"),
    "read-only": lambda place: os.close(os.open(place, os.O_CREAT, 0o444)),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("option", ["-o", "--picture"])
def test_what_is_no_file_of_ours_to_write_is_left(fault: str, option: str, run: Run) -> None:
    name = "a.md" if option == "-o" else "a.svg"
    FAULTS[fault](Path(name))
    Path("target").write_text("target")
    before = state(name)
    code, _, err = run(*SOLVE, option, name if option == "-o" else f"graph:{name}")
    assert code == 2
    assert name in err
    assert state(name) == before
    assert Path("target").read_text() == "target"


def test_a_question_is_not_overwritten_by_its_answer(run: Run) -> None:
    text = "sheet: ffn_memory\nunknown: params\nwhere: [d_model = 8, d_ff = 8, n_blocks = 1]\n"
    Path("question.yaml").write_text(text)
    Path("folder").mkdir()
    code, _, err = run("ask", "question.yaml", "--as", "text", "-o", "folder/../question.yaml")
    assert code == 2
    assert "--output names the question itself" in err
    assert Path("question.yaml").read_text() == text


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", LONG),
        ("--pack", LONG, "sheets"),
        ("hardware", "check", LONG),
        ("hardware", "import", LONG),
        (*SOLVE, "-o", LONG),
        (*SOLVE, "--picture", f"graph:{LONG}.svg"),
        ("hardware", "new", "chip", "my-chip", "-o", LONG),
        (*SOLVE, "--template", LONG),
    ],
    ids=lambda arguments: "-".join(arguments)[:20],
)
def test_a_path_that_no_file_can_have_is_named(arguments: tuple[str, ...], run: Run) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert "xxxxxxxxxx" in err
    assert "The output cannot be written" not in err
    assert "defect" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", ""),
        ("--pack", "", "sheets"),
        ("hardware", "check", ""),
        ("hardware", "import", ""),
        (*SOLVE, "-o", ""),
        ("hardware", "new", "chip", "my-chip", "-o", ""),
    ],
    ids=lambda arguments: "-".join(arguments)[:20],
)
@pytest.mark.parametrize(("path", "problem"), [("", "The path is empty."), ("a\0b", "A path has no null characters.")])
def test_an_empty_path_is_rejected(arguments: tuple[str, ...], path: str, problem: str, run: Run) -> None:
    code, _, err = run(*(argument or path for argument in arguments))
    assert code == 2
    assert problem in " ".join(err.split())


@pytest.mark.slow
def test_a_file_that_no_longer_fits_keeps_its_old_content() -> None:
    """A limit on the size of files stands for a full disk: writing ends in the middle."""
    Path("answer.md").write_text("old")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    environment = os.environ | {"PYTHONPATH": str(Path(flopsheet.__file__).parents[1])}
    command = [sys.executable, "-B", "-m", "flopsheet", *SOLVE, "-o", "answer.md"]  # or compiled files are cut short
    done = subprocess.run(command, check=False, capture_output=True, text=True, preexec_fn=limit, env=environment)
    assert done.returncode == 2
    assert done.stderr == "answer.md: The file cannot be written: File too large. Choose another place.\n"
    assert [(file.name, file.read_text()) for file in Path().iterdir()] == [("answer.md", "old")]


def test_a_compiled_file_that_is_cut_short_is_no_interruption(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(*_: object) -> None:
        raise EOFError

    monkeypatch.setattr("flopsheet.cli.commands.print_answer", cut)
    code, out, err = run(*SOLVE)
    assert (code, out) == (3, "")
    assert "Delete the folders __pycache__ in" in " ".join(err.split())


def test_a_template_that_may_not_override_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine" / "templates"
    folder.mkdir(parents=True)
    (folder / "page.md.j2").write_text("mine")
    (folder / "other.md.j2").write_text("mine")
    monkeypatch.setenv("FLOPSHEET_PATH", str(folder.parent))
    code, out, err = run(*SOLVE, "--as", "markdown")
    assert code == 0
    assert "\n**Parameters of the stack" in out
    assert err.count("Left out") == 1
    assert "mine/templates/page.md.j2: Templates are code" in err
    assert run("templates")[2].count("Left out: mine/templates/") == 2
    monkeypatch.setenv("FLOPSHEET_TRUST", str(folder.parent))
    assert run(*SOLVE, "--as", "markdown") == (0, "mine", "")


def test_csv_is_printed_and_written(run: Run) -> None:
    code, out, err = run(*SOLVE, "--as", "csv")
    assert (code, err) == (0, "")
    assert out.startswith("cell,value,unit,origin,source,meaning\n")
    assert "\nparams,128,param,computed," in out
    assert run(*SOLVE, "-o", "answer.csv")[0] == 0
    assert Path("answer.csv").read_text(encoding="utf-8") == out
    varied = (
        "solve",
        "ffn_memory",
        "d_ff=8",
        "n_blocks=1",
        "--vary",
        "d_model=8,16",
        "--show",
        "params",
        "--as",
        "csv",
    )
    assert run(*varied)[1] == "d_model,params [param],remark\n8,128,\n16,256,\n"
