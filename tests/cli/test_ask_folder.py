"""`ask` on a folder: all questions answered again, what has changed, questions with prose and included relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
    assert "**params = 131,072 param**" in text
    assert r"First, a word with \*stars\* and \$dollars\$." in text
    assert text.index("First, a word") < text.index("## Answer") < text.index("Then another.")
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
    vary = ["--vary", "chip=h100,h200", "--show", "device_memory"] if template == "compare" else ["chip=h200"]
    code, out, _ = run("solve", "ffn_memory", "n_fsdp", *words, *vary, "--as", "markdown", "--template", template)
    assert code == 0
    assert "n_fsdp" in out
    if template == "compare":
        assert "| chip | h100 | h200 |" in out
    if template == "memo":
        assert out.count("was not verified in its source") == 1
    if template == "brief":
        assert len([line for line in out.splitlines() if line.strip()]) == 1
        assert "With `d_model` = 64, `d_ff` = 256" in out


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
    assert "| `chip` | h200-sxm | given |" in out
    assert all(f"| `{name}` |" in out for name in ("params", "state_memory", "device_memory", "chip.memory"))
    several = ["--vary", "chip=h100,h200", "--template", "brief"]
    assert "For the first row of the table: **" in run("solve", "ffn_memory", "n_fsdp", *words, *several)[1]
