"""A table of texts, printed for a terminal, as Markdown or as CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Grid:
    """Rows of texts below a head.

    Args:
        head: the names of the columns.
        rows: the texts, one for each column.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Return the table in columns of blanks: no library, because listing must cost no more than reading."""
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        rule = "─" * (sum(widths) + 3 * len(widths) - 3)
        lines = [self._line(row, widths) for row in (self.head, *self.rows)]
        return "\n".join((lines[0], rule, *lines[1:])) + "\n"

    @staticmethod
    def _line(row: Sequence[str], widths: Sequence[int]) -> str:
        return "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()

    def markdown(self) -> str:
        """Return the table as Markdown, its texts escaped."""
        from flopsheet.render.environment import escaped

        marks = ["---"] * len(self.head)
        lines = [[*map(escaped, self.head)], marks, *([*map(escaped, row)] for row in self.rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

    def csv(self) -> str:
        """Return the table as CSV; a text that a spreadsheet would run as a formula has a quote before it."""
        import csv
        import io

        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([self.head, *map(_harmless, self.rows)])
        return buffer.getvalue()


def _harmless(row: Sequence[str]) -> Iterator[str]:
    for cell in row:
        number = cell[1:2].isdigit() and cell[:1] in "+-"
        yield f"'{cell}" if cell[:1] in "=+-@\t\r" and cell and not number else cell
