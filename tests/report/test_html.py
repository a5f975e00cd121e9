"""The page stands alone, has all parts of the derivation, draws every formula, and no text breaks out of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from tests.report.hostile import NAMES, QUESTIONS, TEXT, derived, hostile

from flopsheet import solve, table
from flopsheet.report import Extras
from flopsheet.report.forms.html import aligned, math
from flopsheet.report.pages import write_up
from flopsheet.report.templating import environment, render

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "br", "img", "link", "input", "hr", "wbr"}


class Page(HTMLParser):
    """Reads a page: its tags with their attributes, its texts, and whether every tag is closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)


@pytest.mark.slow
@pytest.mark.parametrize("file", QUESTIONS, ids=NAMES)
def test_every_question(file: Path) -> None:
    text, markdown = derived(file, "html"), derived(file, "markdown")
    page = Page(text)
    sections = re.findall(r"<(?:h2|summary)>(.+?)</", text)
    in_answer = (
        "Names that work",
        "More names that work",
        "Other names",
        "All rows",
        "The question in cells",
    )  # which Markdown tells without a title
    assert [title for title in sections if title not in in_answer] == re.findall(r"^## (.+)$", markdown, re.MULTILINE)
    drawings = [attributes.get("class") for tag, attributes in page.tags if tag == "svg"]
    assert len([name for name in drawings if name != "plot"]) == markdown.count("```mermaid")
    assert drawings.count("plot") <= 1  # the curve, which Markdown has in a file beside it
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.tags}
    _refers_to_nothing_outside(page)
    assert "\\" not in "".join(page.texts)
    assert 'class="latex"' not in text
    assert len([tag for tag, _ in page.tags if tag == "math"]) >= markdown.count("```math")


def _refers_to_nothing_outside(page: Page) -> None:
    for tag, attributes in page.tags:
        assert "src" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        if "href" in attributes:
            assert tag == "a"
            assert (attributes["href"] or "").startswith("https://")


def test_style_loads_nothing() -> None:
    assert not re.search(r"url\((?!#)|@import", derived(QUESTIONS[0], "html"))


def test_no_text_breaks_out() -> None:
    page = Page(render("derivation", "html", w=hostile()))
    assert not {"script", "b"} & {tag for tag, _ in page.tags}
    _refers_to_nothing_outside(page)
    assert "".join(page.texts).count(TEXT) > 20
    assert "javascript:alert(1)" in "".join(page.texts)


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"219{,}848{,}638\,\mathrm{param}", "<mn>219,848,638</mn>"),
        (r"5\,\mathrm{GB/s}", "<mtext>GB/s</mtext>"),
        (r"40\,\mathrm{\%}", "<mtext>%</mtext>"),
        (r"\text{a<b & c}", "a&lt;b"),
        (r"\left\lceil{n^{*}}\right\rceil", "⌈"),
        (r"\left\lfloor{x}\right\rfloor", "⌊"),
        (r"\frac{a}{b}", "<mfrac>"),
        (r"\max\left(a, b\right)", "max"),
        (r"\left(a \bmod b\right)", "mod"),
        (r"\left[\text{a b} \colon x,\ \text{c} \colon y\right]", ":"),
        (r"{n^{*}}^{\text{chip a}}", "chip\u00a0a"),
        (r"\sum_{i} x_i \cdots", "⋯"),
        (r"1.5 \times 10^{9}", "×"),
        (r"\mathrm{m^{2}\,s}", "<msup>"),
        (r"\sqrt[3]{x}", "<mroot>"),
        (r"\arcsin\left(x\right) \ge \varphi", "arcsin"),
    ],
)
def test_formulas(latex: str, shown: str) -> None:
    drawn = math(latex)
    assert drawn.startswith("<math")
    assert shown in drawn
    assert "\\" not in drawn
    Page(drawn)


@pytest.mark.parametrize("latex", [r"\foo{x}", r"\frac{a", "a}", r"\left(", r"\begin{x}", "<b>\\y", "{" * 5000])
def test_what_is_no_formula_is_shown_as_it_is(latex: str) -> None:
    drawn = math(latex)
    Page(drawn)
    assert "<b>" not in drawn


def test_lines_are_aligned() -> None:
    drawn = aligned([r"N &= 2 d f", "&= 4"])
    assert drawn.count("<mtr>") == 2
    assert drawn.count("<mtd>") == 4


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
@pytest.mark.parametrize("file", QUESTIONS, ids=NAMES)
def test_browser_draws_the_page(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(derived(file, "html"), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [str(CHROMIUM), *options, "--dump-dom", page.as_uri()]
    seen = Page(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)
    assert "math" in {tag for tag, _ in seen.tags}
    assert not re.search(r"\\[A-Za-z]", "".join(seen.texts))


_ENDS = """<script>
const [table] = document.getElementsByClassName("grid"), box = table.parentElement;
const ends = (scroll) => {
  box.scrollLeft = scroll;
  const {left, right} = box.getBoundingClientRect();
  const places = (cell) => cell.getBoundingClientRect();
  const seen = (cell) => places(cell).left >= left - 1 && places(cell).right <= right + 1;
  return [...table.rows].map((row) => [seen(row.cells[0]), seen(row.querySelector(".sought"))].join());
};
parent.postMessage([box.scrollWidth > box.clientWidth, ends(0), ends(1e6)].flat().join(" "), "*");
</script>"""
_FRAME = """<iframe style="width: 390px; height: 800px" src="page.html"></iframe><pre></pre>
<script>onmessage = (message) => { document.querySelector("pre").textContent = message.data; }</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_telephone_shows_the_answers_of_a_wide_table_first(tmp_path: Path) -> None:
    vary: dict[str, list[object]] = {
        "chip": ["rtx-pro-6000-blackwell-max-q", "h200"],
        "batch": [64],
        "seq_len": [4096, 8192],
        "d_ff": [28672],
    }
    where = ["d_model = 8192", "n_blocks = 80", "device_memory <= chip.memory"]
    rows = table("ffn_memory", "n_fsdp", where, vary=vary, show=["device_memory"])
    first = solve("ffn_memory", "n_fsdp", [*where, *rows.first])
    text = write_up(first, "page", "html", Extras(table=rows))
    (tmp_path / "page.html").write_text(text.replace("default-src 'none'", "") + _ENDS, encoding="utf-8")
    (tmp_path / "frame.html").write_text(_FRAME, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [str(CHROMIUM), *options, "--virtual-time-budget=5000", "--dump-dom", (tmp_path / "frame.html").as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r"<pre>(.*?)</pre>", shown)
    assert found
    lines = len(rows.rows) + 1
    wide, *seen = found[1].split()
    assert wide == "true"
    assert seen[:lines] == ["true,true"] * lines
    assert [line.partition(",")[0] for line in seen[lines:]] == ["true"] * lines


def test_a_missing_value_is_aligned_as_the_numbers_of_its_column() -> None:
    rows = [["a", "-", "-"], ["b", "2T token", "text"]]
    macro = environment("html").from_string(
        '{% from "flopsheet/_shared.html.j2" import table %}{{ table(head, rows) }}'
    )
    cells = re.findall(r"<t[hd]\b(.*?)>", macro.render(head=["x", "y", "z"], rows=rows))
    assert [" class=" in cell for cell in cells] == [False, True, False] * 3
