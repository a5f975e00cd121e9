"""Notebooks: what each object shows of itself, escaped, and a real notebook that shows them."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.answer.toy import TOY

import flopsheet
from flopsheet.answer.question_file import QuestionFile
from flopsheet.errors import Place
from flopsheet.question.ask import ask
from flopsheet.registry.packs import packs
from flopsheet.registry.records import Record, Value
from flopsheet.report.pages import record_page
from flopsheet.report.tables import Grid
from flopsheet.units import PURE_NUMBER, Quantity, Unit

WHERE = {"d_model": 16384, "d_ff": 53248, "n_blocks": 126, "batch": 128, "seq_len": 1024, "chip": "tpu-v5p"}
SHAPE = {name: value for name, value in WHERE.items() if name != "chip"}
GOAL = "device_memory <= chip.memory"
HOSTILE = "<script>a</script> | `b` $c$ [d](e)\n# f"
ESCAPED = r"\<script>a\</script> \| \`b\` \$c\$ \[d\](e) # f"
QUESTION = packs()[0].folder / "models" / "questions" / "cost-by-batch.yaml"


def _columns(text: str) -> set[int]:
    """Return how many columns the rows of a table have."""
    return {row.replace(r"\|", "").count("|") for row in text.splitlines() if row.startswith("|")}


def test_a_record_is_a_table_of_figures_with_notes_marks_and_sources() -> None:
    record = flopsheet.record("chip", "gh200-96gb", "test")
    text = record_page(record)
    assert text.startswith("**NVIDIA GH200")
    assert "| memory_bandwidth | 4 TB/s |" in text
    assert "not verified" in next(line for line in text.splitlines() if line.startswith("| memory |"))
    assert "\n1. " in text
    assert "| figure | nominal | usable | measured | vendor prints | note | source | defined at |" in text
    assert _columns(text) == {9}
    for name in (*record.values, *record.labels):
        assert f"| {name} |" in text


def _record(**fields: Any) -> Record:
    amount = Quantity(1, Unit(HOSTILE, Fraction(1), PURE_NUMBER))
    plain = Value(HOSTILE, amount, (HOSTILE,), HOSTILE, verified=False, spot=Place(HOSTILE, 1, 1), record=HOSTILE)
    measured = plain._replace(basis="measured", condition=HOSTILE, read=HOSTILE)
    value = plain._replace(label=HOSTILE, usable=plain, measured=measured)
    return Record(
        "k", "chip", HOSTILE, HOSTILE, "", (), (), HOSTILE, {"link.name": HOSTILE}, {"memory": value}, **fields
    )


def test_no_text_of_a_record_breaks_out() -> None:
    text = record_page(_record())
    assert _columns(text) == {9}
    for markup in ("<script>", "`b`", "$c$", "[d]"):
        assert markup not in text.replace("\\" + markup[0], "")
    assert not [line for line in text.splitlines() if line.startswith("# ")]


def test_a_record_without_figures_is_shown() -> None:
    text = record_page(Record("k", "chip", "", "", "", (), (), ""))
    assert text.startswith("**k** (chip, k)\n\n| figure |")


def test_a_question_is_its_sentence_and_what_it_gives() -> None:
    text = ask(flopsheet.sheet("ffn_memory"), "n_fsdp", [*(f"{key} = {value}" for key, value in WHERE.items()), GOAL])
    shown = text._repr_markdown_()
    assert shown.startswith("What is n_fsdp (")
    assert f"such that {GOAL}?" in shown
    assert "| chip | tpu-v5p |" in shown
    assert "| d_model | 16,384 |" in shown
    assert "|" not in ask(TOY, "x")._repr_markdown_()


def test_a_question_file_has_headline_and_table() -> None:
    shown = flopsheet.read_question(QUESTION)._repr_markdown_()
    assert shown.startswith("**What does a 70B run take at each batch size, for both sizes of data set?**\n")
    assert "A table of 14 rows varies dataset_tokens and tokens;" in shown
    assert QuestionFile(ask(TOY, "x"), HOSTILE, "")._repr_markdown_().startswith(f"**{ESCAPED}**\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("3.35 TB/s", r"$3.35\,\mathrm{TB/s}$"),
        ("12", "$12$"),
        ("40 %", r"$40\,\mathrm{\%}$"),
        ("70e9 param", r"$70\mathrm{B}\,\mathrm{param}$"),
    ],
)
def test_a_quantity_is_a_formula(text: str, shown: str) -> None:
    assert flopsheet.quantity(text)._repr_latex_() == shown


def test_tables_answers_and_sheets_show_themselves() -> None:
    rows = flopsheet.table(TOY, where=["y = 2"], vary={"x": ["1 | 2", "2"]}, show=["area"])
    assert r"1 \| 2" in rows._repr_markdown_()
    assert _columns(rows._repr_markdown_()) == {4}
    assert (
        flopsheet.solve(TOY, "x", ["area = 6", "y = 2"])._repr_markdown_().startswith("# First: which values work?\n")
    )
    assert "| `area` |" in TOY._repr_markdown_()


def test_an_answer_is_a_first_screen_above_a_fold() -> None:
    answer = flopsheet.solve("ffn_memory", "n_fsdp", GIVEN)
    first, fold, rest = answer._repr_html_().partition("<details>")
    assert fold
    assert "at least 46" in first
    assert "<svg" in first
    assert "<ol" not in first
    assert "Memory of the weights" in rest
    assert "<style>body" not in first + rest


def test_an_answer_has_its_closed_form_as_latex() -> None:
    assert r"n_{\text{fsdp}} \ge \frac" in str(flopsheet.solve("ffn_memory", "n_fsdp", GIVEN)._repr_latex_())
    assert flopsheet.solve(TOY, [], ["x = 2", "y = 2"])._repr_latex_() is None


GIVEN = [*(f"{name} = {value}" for name, value in WHERE.items()), GOAL]
CELLS = {
    'flopsheet.sheet("ffn_memory")': "## `ffn_memory`",
    f"asked = flopsheet.solve('ffn_memory', 'n_fsdp', {GIVEN})\nasked": "**n_fsdp >= 45.76, so 46**",
    "asked.question": "What is n_fsdp",
    f"flopsheet.read_question({str(QUESTION)!r})": "**What does a 70B run take at each batch size",
    'flopsheet.record("chip", "h200-sxm", "here")': "| memory_bandwidth | 4.8 TB/s |",
    'flopsheet.quantity("95 GiB")': r"$95\,\mathrm{GiB}$",
    "flopsheet.table('ffn_memory', (), {'d_model': 2, 'd_ff': 2}, vary={'n_blocks': [1, 2]}, show='params')": (
        "| n_blocks | params"
    ),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the libraries that run notebooks
def test_a_notebook_shows_them(tmp_path: Path) -> None:
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in ("import flopsheet", *CELLS)]
    ours = {**os.environ, "PYTHONPATH": str(Path(flopsheet.__file__).parents[1])}
    client.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute(env=ours)
    for cell, shown in zip(notebook.cells[1:], CELLS.values(), strict=True):
        (output,) = cell.outputs
        texts = [output.data[form] for form in ("text/markdown", "text/latex") if form in output.data]
        assert shown in texts[0]


def test_numbers_of_a_view_are_right_aligned_and_wide_tables_scroll() -> None:
    """Notebooks have styles of their own: some align every cell right, some every cell left."""
    answer = flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*(f"{k} = {v}" for k, v in SHAPE.items()), GOAL])
    view = answer._repr_html_()
    assert ".flopsheet .number { text-align: right;" in view
    assert ".flopsheet .wide { overflow-x: auto; }" in view
    assert view.count('<td class="number">') > view.count("<tr>")


def test_a_table_of_answers_is_an_html_table_in_a_notebook() -> None:
    table = flopsheet.table(TOY, where=["y = 5"], vary={"x": [2, 3]}, show="area")
    assert table._repr_html_() == (
        "<table>\n<thead><tr><th>x</th><th>area</th></tr></thead>\n<tbody>\n"
        '<tr><td style="text-align: right">2</td><td style="text-align: right">10</td></tr>\n'
        '<tr><td style="text-align: right">3</td><td style="text-align: right">15</td></tr>\n'
        "</tbody>\n</table>\n"
    )
    assert Grid(["<b>"], [["a & b"]]).html().count("&lt;b&gt;") == 1


def test_a_table_of_answers_is_an_array_where_a_notebook_becomes_latex() -> None:
    table = flopsheet.table(TOY, where=["y = 5"], vary={"x": [2, 3]}, show="area")
    assert table._repr_latex_() == (
        "$$\\begin{array}{rr}\n\\text{x} & \\text{area} \\\\ \\hline\n"
        "\\text{2} & \\text{10} \\\\\n\\text{3} & \\text{15}\n\\end{array}$$"
    )
    assert r"\text{n\_a \& 5 \%}" in Grid(["name"], [["n_a & 5 %"]]).latex()
