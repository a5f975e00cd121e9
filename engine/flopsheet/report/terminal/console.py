"""A console for lines that fit: styles where there is a terminal, and no control characters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

from flopsheet.errors import readable_lines
from flopsheet.report.terminal.columns import WIDEST, WIDTH, output_width, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWER, BROKEN, MINOR, TITLE = "bold green", "red", "dim", "bold"
FAILED = f"bold {BROKEN}"


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
