"""The short templates in every form of pages: they say the same, plain text within its width."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest
from tests.cli.test_main import QUESTION

from flopsheet.report.forms import FORMATS
from flopsheet.report.terminal import columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

NAMES = ("fsdp-shards", "chips-in-30-days", "sync-by-batch", "chip-for-2m-usd", "full-fine-tune-7b-rtx-4090")
TEMPLATES = ("brief", "memo", "table")
_TAGS = re.compile(r"<style>.*?</style>|<title>.*?</title>|<math.*?</math>|<[^>]+>", re.DOTALL)
_LATEX = re.compile(r"\\allowbreak\{\}|\\symbol\{34\}|\{\}")


def asked(name: str) -> str:
    return str(QUESTION.with_name(f"{name}.yaml"))


def numbers(page: str) -> set[str]:
    """Return the numbers of a page with a point or a separator in them."""
    return set(re.findall(r"(?<![\w.,])\d[\d,]*[.,]\d+", page))


def plain(page: str, form: str) -> str:
    if form == "html":
        return html.unescape(_TAGS.sub(" ", page.partition("<body>")[2]))
    return _LATEX.sub("", page.partition(r"\begin{document}")[2]).replace("\\", "") if form == "latex" else page


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", NAMES)
def test_each_form_has_the_numbers_of_the_others(run: Run, name: str, template: str) -> None:
    pages = {form: plain(run("ask", asked(name), "--template", template, "--as", form)[1], form) for form in FORMATS}
    wanted = numbers(re.sub(r"\$`.*?`\$", "", pages["markdown"]))
    assert wanted or template == "brief"
    for form, page in pages.items():
        assert wanted <= numbers(page), form


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_plain_text_fits_its_terminal(run: Run, template: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "output_width", lambda: width)
    for name in NAMES:
        out = run("ask", asked(name), "--template", template, "--as", "text")[1]
        assert max(map(len, out.splitlines())) <= width
        assert not re.search(r"[`|\\]|\*\*|\n\n\n", out)


def test_the_end_of_a_file_selects_plain_text(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "memo.txt"
    assert run("ask", asked(NAMES[0]), "--template", "memo", "-o", str(file))[0] == 0
    assert file.read_text() == run("ask", asked(NAMES[0]), "--template", "memo", "--as", "text")[1]


def test_formulas_are_plain_text_too(run: Run) -> None:
    out = run("ask", asked(NAMES[0]), "--template", "table", "--as", "text")[1]
    assert "M_param + M_grad + M_opt" in out
