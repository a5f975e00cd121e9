"""Plain text: lines and tables that fit a width, formulas in the language in which they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import readable_lines
from flopsheet.layout.reader import LatexError
from flopsheet.layout.text import plain
from flopsheet.report.forms import TextForm
from flopsheet.report.formulas import layout_of_line, layout_of_text
from flopsheet.report.tables import Grid
from flopsheet.report.terminal.columns import wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def text(value: object) -> str:
    """Return a text on one line, without control characters."""
    return readable_lines(" ".join(str(value).split()))


def wrap(value: object, width: int, indent: str = "") -> str:
    """Return a text as lines of a width, later ones indented; no number is broken."""
    return "\n".join(wrapped(text(value), width, indent))


def columns(rows: Sequence[Sequence[str]], head: Sequence[str], width: int, least: Sequence[str] = ()) -> str:
    """Return rows as a table of a width below its head; columns that do not fit are named below it, `least` first."""
    return Grid(head, rows, least).text(width)


def math(formula: object) -> str:
    """Return a formula inside a line, or the text itself where it is none."""
    try:
        return plain(layout_of_text(formula if isinstance(formula, str) else str(formula)))
    except LatexError:
        return text(formula)


def aligned(lines: Iterable[str], margin: int = 0) -> str:
    """Return lines one below the other, behind a margin of so many blanks."""
    return "\n".join(" " * margin + _line(line) for line in lines)


def _line(line: str) -> str:
    try:
        return plain(layout_of_line(line))
    except LatexError:
        return text(line)


def display(formula: object, margin: int = 0) -> str:
    """Return a formula on a line of its own."""
    return " " * margin + math(formula)


_FILTERS: dict[str, Callable[..., str]] = {
    "wrap": wrap, "columns": columns, "math": math, "display": display, "aligned": aligned,
}  # fmt: skip
FORM = TextForm(text, _FILTERS, automatic=False)
