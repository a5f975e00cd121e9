"""A table of texts, written for a terminal, as Markdown or as CSV."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Grid:
    """A head and rows of texts.

    Args:
        head: the names of the columns.
        rows: the rows, each with a text for every column.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Return the table in columns padded with blanks; without rich, whose import takes longer than the listing."""
        rows = [[_on_one_line(cell) for cell in row] for row in (self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rule = "─" * (sum(widths) + 3 * len(widths) - 3)
        lines = [self._line(row, widths) for row in rows]
        return "\n".join((lines[0], rule, *lines[1:])) + "\n"

    @staticmethod
    def _line(row: Sequence[str], widths: Sequence[int]) -> str:
        return "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()

    def markdown(self) -> str:
        """Return the table as Markdown, its texts escaped."""
        from flopsheet.report.forms.markdown import escaped

        marks = ["---"] * len(self.head)
        lines = [[*map(escaped, self.head)], marks, *([*map(escaped, row)] for row in self.rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

    def csv(self) -> str:
        """Return the table as CSV; a text that a spreadsheet would evaluate as a formula gets a leading quote."""
        import csv
        import io

        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([self.head, *map(_harmless, self.rows)])
        return buffer.getvalue()


def _on_one_line(cell: str) -> str:
    """Return a text without line breaks and terminal control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in cell)


def _harmless(row: Sequence[str]) -> Iterator[str]:
    for cell in row:
        formula = cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(cell)
        yield f"'{cell}" if formula else cell
