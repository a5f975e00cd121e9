"""Every page as GitHub shows it: the maths that reaches its engine is the maths that was written, and is valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cases import sampled
from tests.models.points import SHEETS, example
from tests.report.github import meant, rows_of, shown
from tests.report.latex_lines import in_one_row
from tests.report.pages import EVERY, page

from flopsheet.layout import nodes
from flopsheet.layout.reader import LatexError, read
from flopsheet.layout.text import plain
from flopsheet.report import Extras
from flopsheet.report.forms.markdown import aligned, display, escaped, in_dollars, math
from flopsheet.report.formulas import Formula, layout_of_line
from flopsheet.report.templating import templates
from flopsheet.report.writeup import WriteUp
from flopsheet.units import quantity
from flopsheet.units.text import quantity_layout

ROOT = Path(__file__).parents[2]
FOLDERS = (".", ".github", "engine", "hardware", "models", "templates", "templates/gallery")
DOCUMENTS = sorted(file.relative_to(ROOT).as_posix() for folder in FOLDERS for file in (ROOT / folder).glob("*.md"))
ESCAPE = re.compile(r"\\[^A-Za-z\s%]")  # what Markdown would take for the sign alone; a percent sign is in code
BROKEN = re.compile(r"\\\\(?!\n)")


def check(text: str) -> None:
    """Check that the maths of a page arrives as it was written, and is maths."""
    arrived, written = shown(text), meant(text)
    assert arrived.blocks == written.blocks
    assert arrived.inline == written.inline
    assert arrived.dollars == []
    assert [latex for latex in arrived.inline if ESCAPE.search(latex) or "\\\\" in latex] == []
    assert [latex for latex in arrived.blocks if BROKEN.search(latex)] == []
    for latex in arrived.inline:
        read(latex)
    for latex in arrived.blocks:
        for row in rows_of(latex):
            layout_of_line(row)


@pytest.mark.parametrize("name", sampled(EVERY))
def test_every_page(name: str) -> None:
    check(page(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document(name: str) -> None:
    check((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("template", [name for name in templates() if name not in ("catalogue", "sheet")])
def test_every_template(template: str) -> None:
    check(example("ffn_memory").answer.derivation(template))


@pytest.mark.parametrize("name", sampled(SHEETS))
def test_numbers_units_and_percent_signs_are_those_of_the_answer(name: str) -> None:
    """Compare the steps that arrive with the lines from which other formats are written."""
    arrived = list(map(rows_of, shown(page(name)).blocks))
    for step in WriteUp(example(name).answer, Extras()).steps:
        assert list(map(in_one_row, step.lines)) in arrived, step.name


def test_the_model_sees_what_github_breaks() -> None:
    """The forms that pages do not use: each loses what an escape or a tag takes."""
    assert shown(r"$128\,\mathrm{sequence}$").inline == [r"128,\mathrm{sequence}"]
    assert shown("$$\n40\\,\\mathrm{\\%}\n$$").blocks == [r"40,\mathrm{%}"]
    assert shown(r"$\hat{x}_{a}$ and $\hat{y}_{b}$").inline == []
    assert shown(r"$n^{*} + m^{*}$").dollars == [r"$n^{" + "\0" + "} + m^{" + "\0" + "}$"]
    assert shown("| a |\n|---|\n| $`|x|`$ |").inline == []
    assert shown("100. A step\n\n    ```math\n    x\n    ```\n").blocks == []
    assert shown("100. A step\n\n     ```math\n     x\n     ```\n").blocks == ["x"]


@pytest.mark.parametrize(
    "text",
    [
        r"$128\,\mathrm{sequence}$",
        "$$\n40\\,\\mathrm{\\%}\n$$",
        r"$\hat{x}_{a}$ and $\hat{y}_{b}$",
        r"It costs $`x`$ and 5$ more",
        r"$`128\,\mathrm{sequence}`$",
        "```math\n1 \\\\ 2\n```",
    ],
)
def test_the_check_fails_on_it(text: str) -> None:
    with pytest.raises(AssertionError):
        check(text)


@pytest.mark.parametrize("text", ["$`\\frac{1}`$", "```math\n\\nothing\n```"])
def test_the_check_fails_on_what_is_no_formula(text: str) -> None:
    with pytest.raises(LatexError):
        check(text)


@pytest.mark.parametrize("amount", ["128 sequence", "40 %", "3.35 TB/s", "0.5 USD/hour/chip"])
def test_a_quantity_inside_a_line_is_read_as_it_was_written(amount: str) -> None:
    given = quantity(amount)
    layout = quantity_layout(given.si, given.unit)
    text = f"It is {math(Formula(layout))}, {escaped('40 %')}."
    check(text)
    (latex,) = shown(text).inline
    assert plain(read(latex)).replace(nodes.THIN, " ") == plain(layout) == amount


def test_a_percent_sign_arrives_inside_a_line_and_in_a_block() -> None:
    given = quantity("40 %")
    formula = Formula(quantity_layout(given.si, given.unit))
    arrived = shown(f"It is {math(formula)}.\n\n{display(formula)}\n")
    assert len(arrived.inline) == len(arrived.blocks) == 1
    assert all(latex.endswith(r"\mathrm{\%}") for latex in (*arrived.inline, *arrived.blocks))


def test_an_absolute_value_stays_in_its_cell_of_a_table() -> None:
    text = math(Formula(nodes.Fenced("|", nodes.Sign("x"), "|")))
    assert shown(f"| a | b |\n|---|---|\n| {text} | c |").inline == [r"\left\vert{x}\right\vert"]


def test_blocks_break_at_the_end_of_a_line_behind_their_margin() -> None:
    rows = ["   ```math", r"   \begin{aligned}", r"   x &= 1 \\", "   &= 2", r"   \end{aligned}", "   ```"]
    assert aligned(["x &= 1", "&= 2"], 3).splitlines() == rows
    assert display("x") == "```math\nx\n```"


def test_what_is_no_formula_is_code() -> None:
    assert math(r"\input{file} | `x`") == r"`\input{file}   'x'`"


def test_notebooks_read_dollar_signs() -> None:
    text = f"1. It is {math('x')}\n\n{aligned(['x &= 1', '&= 2'], 3)}\n\n`code` costs \\$`5`\\$\n"
    block = "   $$\n   \\begin{aligned}\n   x &= 1 \\\\\n   &= 2\n   \\end{aligned}\n   $$"
    assert in_dollars(text) == f"1. It is $x$\n\n{block}\n\n`code` costs \\$`5`\\$\n"
