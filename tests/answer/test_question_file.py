"""Question files: what they include, their tables and paragraphs, and the places that their mistakes name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet.answer.question_file import MOST_INCLUDED, is_question, read_question
from flopsheet.answer.solve import answer
from flopsheet.errors import FlopsheetError, RegistryError, UnknownNameError
from flopsheet.report import Extras
from flopsheet.report.pages import write_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file into one folder, and return its path."""

    def written(name: str, text: str) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    return written


def test_what_is_included_comes_before_what_is_stated(write: Callable[[str, str], Path]) -> None:
    write("sets/a.yaml", "where: [seq_len = 4096]\n")
    write("b.yaml", "where:\n  - n_blocks = 4\n  - n_dp = 2\n")
    file = write("q.yaml", "sheet: notebook_memory\ninclude: [sets/a.yaml, b.yaml]\nwhere: [d_model = 512]\n")
    assert [*read_question(file).question.pins] == ["seq_len", "n_blocks", "n_dp", "d_model"]


@pytest.mark.parametrize(
    ("included", "problem"),
    [
        ("wrong.yaml", r"key 'include'.*wrong.yaml:1:\d+.*'were'.*Did you mean 'where'"),
        ("none.yaml", "key 'include'.*none.yaml.*cannot be read"),
        ("../q.yaml", "'../q.yaml' is not in the folder"),
        ("/etc/hosts", "'/etc/hosts' is not in the folder"),
    ],
)
def test_a_mistake_in_what_is_included_names_both_files(
    included: str, problem: str, write: Callable[[str, str], Path]
) -> None:
    write("wrong.yaml", "were: [n_blocks = 4]\nwhere: [n_dp = 2]\n")
    file = write("q.yaml", f"sheet: notebook_memory\ninclude: {included}\n")
    with pytest.raises(RegistryError, match=problem) as caught:
        read_question(file)
    assert "q.yaml:2:" in str(caught.value)


@pytest.mark.parametrize("count", [MOST_INCLUDED, MOST_INCLUDED + 1])
def test_only_so_many_files_are_included(count: int, write: Callable[[str, str], Path]) -> None:
    write("a.yaml", "where: [n_dp = 2]\n")
    file = write("q.yaml", f"sheet: notebook_memory\ninclude: [{', '.join(['a.yaml'] * count)}]\n")
    if count <= MOST_INCLUDED:
        assert [*read_question(file).question.pins] == ["n_dp"]
        return
    with pytest.raises(RegistryError, match=f"includes {count} files, more than {MOST_INCLUDED}"):
        read_question(file)


def test_a_wrong_relation_names_its_own_line(write: Callable[[str, str], Path]) -> None:
    file = write("q.yaml", "sheet: notebook_memory\nwhere:\n  - n_dp = 2\n  - n_dpp = 3\n  - d_model = 512\n")
    with pytest.raises(FlopsheetError, match=r"q.yaml:4:5.*Did you mean .*'n_dp'"):
        read_question(file)


def test_an_empty_line_begins_a_paragraph(write: Callable[[str, str], Path]) -> None:
    text = "sheet: notebook_memory\nwhere: [n_dp = 2]\nbefore: |\n  One\n  line.\n\n  Two.\nafter: [Three., Four.]\n"
    file = read_question(write("q.yaml", text))
    assert (file.before, file.after) == (("One\nline.", "Two."), ("Three.", "Four."))
    assert (file.title, file.template, file.table) == ("", "", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sheet: notebook_memory\nwhere: [n_dp = 2]\n", True),
        ("where: [n_dp = 2]\n", False),
        ("- sheet\n", False),
        ("sheet: [\n", True),
    ],
)
def test_what_is_included_is_no_question_and_a_broken_file_is_one(
    text: str, expected: bool, write: Callable[[str, str], Path]
) -> None:
    assert is_question(write("q.yaml", text)) is expected


def test_a_file_says_how_names_are_ranked(tmp_path: Path) -> None:
    file = tmp_path / "fast.yaml"
    text = "sheet: chip_peak\nunknown: chip\nwhere: [peak_rate >= 900 TFLOP/s]\nbest: {}\n"
    for best, larger_first in (("max:peak_rate", True), ("min:peak_rate", False)):
        file.write_text(text.format(best))
        ranking = answer(read_question(file).question).ranking
        assert ranking is not None
        rates = [candidate.answer.cells["peak_rate"].si for candidate in ranking.working if candidate.answer]
        assert rates == sorted(rates, reverse=larger_first)
    file.write_text(text.format("max:peek_rate"))
    with pytest.raises(UnknownNameError, match=r"fast.yaml:4:7.*Did you mean 'peak_rate'"):
        read_question(file)


def test_the_question_in_words_heads_its_page(write: Callable[[str, str], Path]) -> None:
    text = "question: |\n  How many parameters\n  has it?\ntitle: Parameters\nsheet: ffn_memory\nunknown: params\n"
    asked = read_question(write("q.yaml", f"{text}where: [d_model = 64, d_ff = 256, n_blocks = 2]\n"))
    assert (asked.wording, asked.title) == ("How many parameters has it?", "Parameters")
    assert write_up(answer(asked.question), asked.template, extras=Extras.of(asked)).startswith(
        "# How many parameters has it?\n"
    )
    assert asked._repr_markdown_().startswith("**How many parameters has it?**\n")


def test_a_table_takes_the_records_that_have_a_text(write: Callable[[str, str], Path]) -> None:
    where = "d_model = 8192, d_ff = 28672, n_blocks = 80, batch = 256, seq_len = 4096, device_memory <= chip.memory"
    text = f"sheet: ffn_memory\nunknown: n_fsdp\nwhere: [{where}, chip.vendor = Meta]\ntable: {{show: [chip.power]}}\n"
    file = read_question(write("chips.yaml", text))
    assert file.table is not None
    assert [row.values for row in file.table.rows] == [("mtia-v2",)]
    assert file.question.records["chip"].key == "mtia-v2"
