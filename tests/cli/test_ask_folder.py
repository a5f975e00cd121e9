"""`ask` on a folder: all questions answered again, what has changed, questions with prose and included relations."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.kept import state

import flopsheet
from flopsheet.cli.folder import MARK

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

GIVENS = "where: [d_model = 64, d_ff = 256, n_blocks = 4]\n"
QUESTION = """
title: How many parameters
before: ["First, a word with *stars* and $dollars$."]
sheet: ffn_memory
unknown: params
include: sets/small.yaml
where: [batch = 2]
after: Then another.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a folder with two questions, one of which includes givens."""
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "small.yaml").write_text(GIVENS)
    (tmp_path / "one.yaml").write_text(QUESTION)
    (tmp_path / "two.yaml").write_text(
        "sheet: ffn_memory\nunknown: params\nwhere: [d_model = 8, d_ff = 8, n_blocks = 1]\n"
    )
    (tmp_path / "givens.yaml").write_text(GIVENS)
    return tmp_path


def test_all_answers_are_written_and_changes_told(folder: Path, run: Run) -> None:
    assert run("ask", str(folder)) == (0, "1 of 2  one.md: new\n2 of 2  two.md: new\n", "")
    text = (folder / "one.md").read_text()
    assert "(params): 131,072 params.**" in text
    assert r"First, a word with \*stars\* and \$dollars\$." in text
    assert text.index("First, a word") < text.index("(params): 131") < text.index("Then another.")
    assert run("ask", str(folder))[1] == "1 of 2  one.md: unchanged\n2 of 2  two.md: unchanged\n"
    (folder / "sets" / "small.yaml").write_text(GIVENS.replace("4", "8", 1))
    assert run("ask", str(folder))[1].startswith("1 of 2  one.md: changed, ")


def test_a_wrong_question_takes_no_other_down(folder: Path, run: Run) -> None:
    (folder / "one.yaml").write_text(QUESTION.replace("batch = 2", "btch = 2"))
    code, out, _ = run("ask", str(folder))
    assert code == 2
    assert "one.yaml: WRONG: one.yaml" in out.replace(str(folder) + "/", "")
    assert "Did you mean 'batch'" in out
    assert "two.md: new" in out


def test_only_files_with_the_mark_are_overwritten(folder: Path, run: Run) -> None:
    (folder / "one.md").write_text("# By hand\n")
    code, out, _ = run("ask", str(folder))
    assert code == 2
    assert "one.md: `ask` did not write this file, and keeps it. Rename it, or delete it." in out
    assert "2 of 2  two.md: new" in out
    assert (folder / "one.md").read_text() == "# By hand\n"
    assert (folder / "two.md").read_text().startswith(MARK)


@pytest.mark.parametrize("fault", ["link", "gone", "directory", "FIFO", "read-only", "not UTF-8"])
def test_what_is_in_the_way_is_named_and_left(fault: str, folder: Path, run: Run) -> None:
    target, stored = folder / "target", folder / "one.md"
    target.write_text("target")
    if fault in ("link", "gone"):
        stored.symlink_to(target if fault == "link" else folder / "nothing")
    elif fault == "directory":
        stored.mkdir()
    elif fault == "FIFO":
        os.mkfifo(stored)
    else:
        stored.write_bytes(b"\xff" if fault == "not UTF-8" else MARK.encode())
        stored.chmod(0o644 if fault == "not UTF-8" else 0o444)
    before = state(stored)
    code, out, _ = run("ask", str(folder))
    assert code == 2
    assert "1 of 2  one.yaml: WRONG: " in out
    assert "two.md: new" in out
    assert state(stored) == before
    assert target.read_text() == "target"
    assert not (folder / "nothing").exists()


def test_a_marked_file_that_is_no_text_is_written_again(folder: Path, run: Run) -> None:
    (folder / "one.md").write_bytes(MARK.encode() + b"\xff\n")
    code, out, _ = run("ask", str(folder))
    assert code == 0
    assert "one.md: changed, " in out


def test_questions_that_are_links_are_not_read(folder: Path, run: Run) -> None:
    (folder / "sets" / "secret").write_text("root:x:0:0\n")
    (folder / "three.yaml").symlink_to(folder / "sets" / "secret")
    (folder / "four.yaml").symlink_to(folder / "two.yaml")
    code, out, _ = run("ask", str(folder))
    assert code == 2
    assert out.count("This is a link, which is not followed. Copy the file into the folder.") == 2
    assert "x:0:0" not in out
    assert not (folder / "four.md").exists()


def test_two_questions_with_one_answer_file_are_refused(folder: Path, run: Run) -> None:
    (folder / "one.yml").write_text(QUESTION)
    code, out, _ = run("ask", str(folder))
    assert code == 2
    assert out.count("Another question of this folder would be answered in one.md too. Rename one of the two.") == 2
    assert "3 of 3  two.md: new" in out
    assert not (folder / "one.md").exists()


def test_a_full_disk_is_reported_for_each_file(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("ask", str(folder))
    before = {file.name: file.read_bytes() for file in folder.glob("*.md")}
    (folder / "sets" / "small.yaml").write_text(GIVENS.replace("4", "8", 1))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, out, _ = run("ask", str(folder))
    assert code == 2
    assert "one.yaml: WRONG: " in out
    assert "one.md: The file cannot be written: No space left on device." in out
    assert "two.md: unchanged" in out
    assert {file.name: file.read_bytes() for file in folder.glob("*.md")} == before
    assert not [*folder.glob(".*")]


def test_an_unreadable_folder_is_named(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("pathlib.Path.iterdir", refused)
    code, _, err = run("ask", str(folder))
    assert code == 2
    assert "The folder cannot be read: Permission denied." in " ".join(err.split())


@pytest.mark.slow
def test_six_processes_at_once_write_whole_files(folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(flopsheet.__file__).parents[1])}
    environment["FLOPSHEET_CACHE"] = str(folder / "cache")  # they fill it together
    command = [sys.executable, "-m", "flopsheet", "ask", str(folder)]
    processes = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(6)]
    assert [(process.communicate()[1], process.returncode) for process in processes] == [(b"", 0)] * 6
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == "1 of 2  one.md: unchanged\n2 of 2  two.md: unchanged\n"
    assert not [*folder.rglob("*.part")]


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_whole_files(tmp_path: Path) -> None:
    """Kill the command at each of seven moments while it replaces old answers: each file is the old or the new one."""
    names = [f"q{number:02}" for number in range(20)]
    question = "sheet: ffn_memory\nunknown: params\ntitle: {}\nwhere: [d_model = 8, d_ff = 8, n_blocks = {}]\n"
    for number, name in enumerate(names, 1):
        (tmp_path / f"{name}.yaml").write_text(question.format(name, number))
    environment = os.environ | {"PYTHONPATH": str(Path(flopsheet.__file__).parents[1]), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "flopsheet", "ask", str(tmp_path)]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    new = {name: (tmp_path / f"{name}.md").read_text() for name in names}
    for moment in range(1, len(names), 3):
        old = dict.fromkeys(names, f"{MARK}old {moment}\n")
        for name, text in old.items():
            (tmp_path / f"{name}.md").write_text(text)
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for _ in range(moment):
                process.stdout.readline()
            process.kill()
        texts = {name: (tmp_path / f"{name}.md").read_text() for name in names}
        assert all(texts[name] in (old[name], new[name]) for name in names)
        assert sum(texts[name] == new[name] for name in names) >= moment


def test_a_folder_without_questions_is_an_error(tmp_path: Path, run: Run) -> None:
    (tmp_path / "givens.yaml").write_text(GIVENS)
    code, _, err = run("ask", str(tmp_path))
    assert code == 2
    assert "There are no question files in it" in " ".join(err.split())
    assert run("ask", str(tmp_path), "--as", "json")[0] == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../outside.yaml", "is not in the folder of the question, or below"),
        ("/etc/passwd", "is not in the folder of the question, or below"),
        ("nothing.yaml", "The file cannot be read"),
        ("two.yaml", "There is no such key"),
    ],
)
def test_what_is_included_lies_beside_the_question(name: str, message: str, folder: Path, run: Run) -> None:
    (folder / "one.yaml").write_text(QUESTION.replace("sets/small.yaml", name))
    code, _, err = run("ask", str(folder / "one.yaml"))
    assert code == 2
    assert message in " ".join(err.split())


@pytest.mark.parametrize("template", ["brief", "memo", "table", "compare"])
def test_other_shapes_of_the_same_answer(template: str, run: Run) -> None:
    words = ["d_model=64", "d_ff=256", "n_blocks=4", "batch=2", "seq_len=64", "device_memory <= chip.memory"]
    vary = ["--vary", "chip=h100,h200", "--show", "device_memory"] if template == "compare" else ["chip=tpu-v5e"]
    code, out, _ = run("solve", "ffn_memory", "n_fsdp", *words, *vary, "--as", "markdown", "--template", template)
    assert code == 0
    assert "n_fsdp" in out
    if template == "compare":
        assert "| chip | h100 | h200 |" in out
    if template == "memo":
        assert out.count("was not verified in its source") == 1
    if template == "brief":
        assert len([line for line in out.splitlines() if line.strip()]) == 1
        assert "with chip = tpu-v5e" in out


WRONG = """\
sheet: ffn_memory
unknown: {unknown}
where:
  - d_model = 64
  - d_ff = 256
  - {relation}
table:
  vary:
    {varied}: [2, 3]
  show: [{shown}]
"""
RIGHT = {"unknown": "n_fsdp", "relation": "n_blocks = 4", "varied": "batch", "shown": "device_memory"}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"unknown": "n_fsdpp"}, 2),
        ({"relation": "n_blokcs = 4"}, 6),
        ({"varied": "btach"}, 9),
        ({"shown": "device_memroy"}, 10),
    ],
)
def test_a_mistake_is_told_at_its_line(change: dict[str, str], line: int, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(WRONG.format(**RIGHT | change))
    code, _, err = run("ask", str(file))
    assert code == 2
    assert f"wrong.yaml:{line}:" in err.replace("\n", "")


def test_an_empty_line_begins_a_paragraph(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "prose.yaml"
    file.write_text("sheet: ffn_memory\nbefore: |\n  One.\n\n  Two,\n  still two.\nwhere:\n  - d_model = 64\n")
    assert "\nOne.\n\nTwo, still two.\n" in run("ask", str(file), "--as", "markdown")[1]


def test_briefs_and_tables_name_the_record_and_all_steps(run: Run) -> None:
    words = ["d_model=64", "d_ff=256", "n_blocks=4", "batch=2", "seq_len=64", "device_memory <= chip.memory"]
    for template in ("brief", "memo"):
        assert "chip = h200" in run("solve", "ffn_memory", "n_fsdp", *words, "chip=h200-sxm", "--template", template)[1]
    out = run("solve", "ffn_memory", "n_fsdp", *words, "chip=h200-sxm", "--template", "table")[1]
    assert "| `chip` | | h200-sxm | given |" in out
    assert all(f"| `{name}` |" in out for name in ("params", "state_memory", "device_memory", "chip.memory"))
    several = ["--vary", "chip=h100,h200", "--template", "brief"]
    brief = run("solve", "ffn_memory", "n_fsdp", *words, *several)[1]
    assert "(n_fsdp): every value works in every row." in brief
    assert brief.count("\n") == 1
