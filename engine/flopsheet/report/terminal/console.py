"""A console for lines that fit: styles where there is a terminal, and no control characters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

from flopsheet.errors import readable_lines
from flopsheet.report.terminal.columns import WIDEST, WIDTH, layout, output_width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANSWER, BROKEN, MINOR, TITLE = "bold green", "red", "dim", "bold"
FAILED = f"bold {BROKEN}"
NARROW = 14  # letters in a column of texts that are wrapped


class Line(NamedTuple):
    """A line, and the style in which a terminal shows it."""

    text: str
    style: str = ""


def width_of(file: TextIO | None) -> int:
    """Return the width of an output: that of the terminal or of COLUMNS for standard output, else a fixed one."""
    return WIDTH if file is not None else output_width() or WIDTH


def print_lines(lines: Iterable[Line], file: TextIO | None = None) -> None:
    """Print lines as they are: they fit already."""
    console = Console(file=file or sys.stdout, width=WIDEST, highlight=False, emoji=False, markup=False)
    for line in lines:
        console.print(Text(readable_lines(line.text), style=line.style), soft_wrap=True)


def paragraph(text: str, width: int, style: str = "", indent: str = "  ") -> list[Line]:
    """Return a text as lines, later ones indented."""
    return [Line(part, style) for part in wrapped(readable_lines(text), width, indent)]


def table_lines(
    head: Sequence[str], rows: Sequence[Sequence[str]], width: int, least: Iterable[str] = ()
) -> list[Line]:
    """Return a table as lines: texts are wrapped, columns that do not fit dropped and named."""
    shown = layout(head, rows, width, least, narrow=NARROW)
    lines = [Line(line) for line in (*shown.head, *(line for row in shown.rows for line in row))]
    return [*lines, *paragraph(shown.note, width, MINOR)] if shown.note else lines
