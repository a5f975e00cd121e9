"""Rows of a sheet of a workbook: texts as texts, whatever they begin with, numbers, formulas; and names of cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.units import Number, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xlsxwriter import Workbook


LONGEST_TEXT = 32_000  # a cell holds 32,767 characters
LONGEST_NAME = 200
LARGEST = 9.9e307  # programs know none larger
# The mark of a quoted text keeps programs from taking "=1+1" for a formula when somebody edits the cell.
_TEXT: dict[str, str | int] = {"quote_prefix": True, "num_format": "@", "text_wrap": True, "valign": "top"}
_STYLES: dict[str, dict[str, str | int]] = {
    "text": _TEXT,
    "head": {**_TEXT, "bold": True, "bottom": 1},
    "computed": {"valign": "top"},
    "solved": {"valign": "top", "italic": True, "bg_color": "#FDE68A"},
    "wrong": {"bold": True, "font_color": "#B91C1C", "bg_color": "#FEE2E2"},
    "input": {"valign": "top", "font_color": "#0000FF", "bg_color": "#FFF9DB"},
    "choice": {**_TEXT, "font_color": "#0000FF", "bg_color": "#FFF9DB", "quote_prefix": False},
}

# What programs read as a place in the sheet, in the styles A1 and R1C1, as a truth value, or as a name of their own.
_REFUSED = re.compile(
    r"[a-z]{1,3}\d+|r\d*(c\d*)?|c\d*|true|false|print_(area|titles)|auto_\w+|database|criteria|extract", re.IGNORECASE
)


class SheetWriter:
    """Writes a new sheet of a workbook of XlsxWriter from top to bottom; its columns have a width in characters."""

    def __init__(self, book: Workbook, name: str, widths: Sequence[int]) -> None:
        self._sheet = book.add_worksheet(name)
        self._styles = {key: book.add_format(style) for key, style in _STYLES.items()}
        self.line = -1
        for column, width in enumerate(widths):
            self._sheet.set_column(column, column, width)

    def row(self, *texts: str, style: str = "text") -> None:
        """Begin a row of texts."""
        self.line += 1
        for column, text in enumerate(texts):
            self.text(column, text, style)

    def head(self, *texts: str) -> None:
        """Begin a row of headings."""
        self.row(*texts, style="head")

    def section(self, *texts: str) -> None:
        """Begin a row of headings below an empty row."""
        self.line += 1
        self.head(*texts)

    def freeze(self) -> None:
        """Keep the rows above, and the first column, in sight."""
        self._sheet.freeze_panes(self.line + 1, 1)

    def text(self, column: int, text: str, style: str = "text") -> None:
        """Write a text into the current row."""
        if text:
            self._sheet.write_string(self.line, column, text[:LONGEST_TEXT], self._styles[style])

    def number(self, column: int, number: Number, style: str = "input") -> None:
        """Write a number into the current row, as a text where it is too large for a spreadsheet."""
        shown = plain(number)
        if shown is None:
            self.text(column, str(number))
        else:
            self._sheet.write_number(self.line, column, shown, self._styles[style])

    def formula(self, column: int, formula: str | None, result: Number | str | bool) -> None:
        """Write a formula with its result into the current row; where there is no formula, the result alone."""
        shown = result if isinstance(result, bool | str) else plain(result)
        style = self._styles["computed"]
        if formula is not None:
            self._sheet.write_formula(self.line, column, formula, style, "" if shown is None else shown)
            if isinstance(result, bool):
                wrong = {"type": "cell", "criteria": "==", "value": "FALSE", "format": self._styles["wrong"]}
                self._sheet.conditional_format(self.line, column, self.line, column, wrong)
        elif isinstance(result, bool):
            self._sheet.write_boolean(self.line, column, result, style)
        elif not isinstance(result, str):
            self.number(column, result, "computed")

    def options(self, column: int, options: Sequence[str]) -> None:
        """Let a person pick the cell in this row and column from a list."""
        self._sheet.data_validation(self.line, column, self.line, column, {"validate": "list", "source": [*options]})


def plain(number: Number) -> float | None:
    """Return a number as a spreadsheet has it, None where it is infinite or too large."""
    return float(number) if is_finite(number) and -LARGEST < number < LARGEST else None


def excel_names(names: Iterable[str]) -> dict[str, str]:
    """Return a defined name for each cell that programs accept: `chip_memory` for `chip.memory`, `x1_` for `x1`.

    No two are alike, capital and small letters taken as the same.
    """
    free: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain_name = re.sub(r"[^A-Za-z0-9_]", "_", name)[:LONGEST_NAME]
        candidate = accepted = f"{plain_name}_" if _REFUSED.fullmatch(plain_name) else plain_name
        number = 2
        while candidate.casefold() in taken:
            candidate, number = f"{accepted}_{number}", number + 1
        free[name] = candidate
        taken.add(candidate.casefold())
    return free
