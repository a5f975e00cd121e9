"""The LaTeX holds all parts, no text breaks out of it, and every engine reads it."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.models.points import SHEETS
from tests.report.hostile import NAMES, QUESTIONS, derived, hostile
from tests.report.pages import default_page

from flopsheet.layout import nodes
from flopsheet.layout.latex import latex
from flopsheet.report.forms import html, markdown
from flopsheet.report.forms import latex as documents
from flopsheet.report.forms.latex import tex, tex_address, tex_url
from flopsheet.report.formulas import Formula, Formulas, is_formula, symbol_of
from flopsheet.report.templating import render
from flopsheet.sheets.catalogue import sheets_and_problems

if TYPE_CHECKING:
    from pathlib import Path

    import flopsheet

MOST_OVERFULL = 5  # points
ENGINES = [name for name in ("pdflatex", "lualatex", "tectonic") if shutil.which(name)]
MARKDOWN_ONLY = "Dependencies"  # a drawing in Markdown and HTML; the LaTeX page has none


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a & b", r"a \& b"),
        ("5 % $ #", r"5 \% \$ \#"),
        ("a_b", r"a\_\allowbreak{}b"),
        ("{}", r"\{\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("a <= b", r"a \textless{}= b"),
        ("≤ × β µ", r"\ensuremath{\le} \ensuremath{\times} \ensuremath{\beta} \ensuremath{\mu}"),
        ("10⁹", r"10\ensuremath{^{9}}"),
        ("--near", r"-{}-{}near"),
        ("Zürich", "Zürich"),
        ("a\n\nb\x00\u202e", "a b"),
        ("[x]", "{[}x{]}"),
    ],
)
def test_texts(text: str, shown: str) -> None:
    assert tex(text) == shown


def test_a_long_name_breaks_between_its_words() -> None:
    symbol = Formula(nodes.Words("power of the whole building"))
    assert documents.math(symbol) == r"\allowbreak".join(
        rf"\text{{{word}}}" for word in ("power ", "of ", "the ", "whole ", "building")
    )
    assert documents.math(Formula(nodes.Words("chip power"))) == r"\text{chip power}"


@pytest.mark.parametrize(
    "latex",
    [
        *(r"\input{x}", r"\write18{ls}", r"\csname input\endcsname", r"\def\x{}", r"x$ \input y $", "x % y", "}{", "{"),
        *(r"\begin{document}", "a ^^5cinput b", "a\n\nb", r"\directlua{x}", r"\\x", "#1", r"\}}"),
    ],
)
def test_what_is_no_formula_is_text(latex: str) -> None:
    assert not is_formula(latex)
    assert documents.math(latex).startswith(r"\text{\texttt{")


@pytest.mark.parametrize(
    "latex",
    [r"\frac{a}{b_{\text{x y}}}", r"\left\lceil{x}\right\rceil", r"5\,\mathrm{\%}", r"20{,}000", r"\left\{x\right\}"],
)
def test_formulas_stay(latex: str) -> None:
    assert documents.math(latex) == latex


def letters(mathml: str) -> str:
    """Return what MathML shows, without its tags."""
    return re.sub("<[^>]*>", "", mathml)


@pytest.mark.slow
@pytest.mark.parametrize("sheet", sheets_and_problems()[0], ids=lambda sheet: str(sheet.name))
def test_formulas_of_every_sheet(sheet: flopsheet.Sheet) -> None:
    shown = Formulas(sheet.cells, {}, {})
    for cell in sheet.cells.values():
        for layout in [symbol_of(cell)] + ([] if cell.formula is None else [shown.symbols(cell.formula)]):
            assert is_formula(latex(layout)), cell.name
            assert letters(html.math(latex(layout))) == letters(html.math(Formula(layout))), cell.name


def test_one_line_needs_no_columns_unless_it_has_them() -> None:
    assert documents.aligned(["a = b"]) == r"\formula{a = b}"
    assert documents.aligned(["a &= b"]) == r"\formula{\begin{aligned}a &= b\end{aligned}}"
    assert markdown.aligned(["a = b"]) == "```math\na = b\n```"
    assert markdown.aligned(["a &= b"]) == "```math\n\\begin{aligned}\na &= b\n\\end{aligned}\n```"


def test_addresses() -> None:
    assert tex_url('https://a.b/c_d?e=f&g%20#h}"\\') == r"https://a.b/c_d?e=f\&g\%20\#h\%7D\%22\%5C"


@pytest.mark.slow
@pytest.mark.parametrize("file", QUESTIONS, ids=NAMES)
def test_every_question(file: Path) -> None:
    text, markdown = derived(file, "latex"), derived(file, "markdown")
    headings = re.findall(r"^## (.+)$", markdown, re.MULTILINE)
    assert re.findall(r"\\section\*\{(.+)\}", text) == [heading for heading in headings if heading != MARKDOWN_ONLY]
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert r"\texttt{\textbackslash" not in text


def test_no_text_breaks_out() -> None:
    text = render("derivation", "latex", w=hostile())
    assert r"\input" not in text
    assert not re.search(r"(?<!\\)%(?! A formula|$)", text, re.MULTILINE)
    assert "javascript:alert(1)}" not in text


def _compile(engine: str, text: str, folder: Path) -> None:
    (folder / "page.tex").write_text(text, encoding="utf-8")
    options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    process = subprocess.run([engine, *options, "page.tex"], cwd=folder, capture_output=True, timeout=240, check=False)
    assert process.returncode == 0, process.stdout.decode("utf-8", "replace")[-2000:]
    assert (folder / "page.pdf").is_file()


@pytest.mark.slow
@pytest.mark.skipif(not ENGINES, reason="no TeX is installed")
@pytest.mark.parametrize("file", QUESTIONS, ids=NAMES)
def test_compiles(file: Path, tmp_path: Path) -> None:
    for engine in ENGINES:
        _compile(engine, derived(file, "latex"), tmp_path)


@pytest.mark.slow
@pytest.mark.skipif("pdflatex" not in ENGINES, reason="pdflatex is not installed")
@pytest.mark.parametrize("name", [*NAMES, *SHEETS[::3]])
def test_no_line_of_a_page_is_wider_than_the_paper(name: str, tmp_path: Path) -> None:
    assert _overfull(default_page(name, "latex"), tmp_path) <= MOST_OVERFULL


@pytest.mark.slow
@pytest.mark.skipif("pdflatex" not in ENGINES, reason="pdflatex is not installed")
@pytest.mark.parametrize("file", QUESTIONS[1::3], ids=NAMES[1::3])
def test_no_line_of_a_derivation_is_wider_than_the_paper(file: Path, tmp_path: Path) -> None:
    assert _overfull(derived(file, "latex"), tmp_path) <= MOST_OVERFULL


def _overfull(text: str, folder: Path) -> float:
    """Return by how many points the widest line of a document is wider than its page."""
    _compile("pdflatex", text, folder)
    log = (folder / "page.log").read_text(encoding="latin-1")
    return max(map(float, re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)), default=0.0)


def test_a_formula_in_a_text_may_break_behind_its_signs_but_no_number_breaks() -> None:
    shown = tex_address("max(decode.work*2, 0.25)")
    assert shown.split(r"\allowbreak{}") == ["max(", "decode.", "work*", "2,", " 0.25)"]


def test_an_address_may_break_behind_its_signs() -> None:
    shown = tex_address("https://a.b/c-d?e=1&f")
    assert shown.count(r"\allowbreak{}") == 9
    assert shown.replace(r"\allowbreak{}", "") == tex("https://a.b/c-d?e=1&f").replace(r"\allowbreak{}", "")


@pytest.mark.slow
@pytest.mark.skipif(not ENGINES, reason="no TeX is installed")
def test_hostile_texts_compile(tmp_path: Path) -> None:
    for engine in ENGINES:
        _compile(engine, render("derivation", "latex", w=hostile()), tmp_path)
