"""Rows of a sheet of a workbook: texts as texts, whatever they begin with, numbers, formulas; and names of cells."""

from __future__ import annotations

import re
from itertools import accumulate
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from flopsheet.units import Number, is_finite
from flopsheet.units.text import COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xlsxwriter import Workbook


LONGEST_TEXT = 32_000  # a cell holds 32,767 characters
LONGEST_NAME = 200
LONGEST_QUOTED, MOST_QUOTED = 120, 960  # even where each character is a quote, which is doubled
NO_NUMBER = "#N/A"  # the error of a search that finds nothing
LARGEST = 9.9e307  # programs know none larger
# The mark of a quoted text keeps programs from taking "=1+1" for a formula when somebody edits the cell.
_TEXT: dict[str, str | int] = {"quote_prefix": True, "num_format": "@", "text_wrap": True, "valign": "top"}
_LIVE: dict[str, str | int] = {"quote_prefix": False, "num_format": "General"}  # of formulas that give a text
_INPUT = {"font_color": "#0000FF", "bg_color": "#FFF9DB"}
_STYLES: dict[str, dict[str, str | int | bool]] = {
    "text": _TEXT,
    "plain": {**_TEXT, "text_wrap": False, "font_color": "#6B7280"},
    "title": {**_TEXT, "text_wrap": False, "bold": True},
    "headline": {**_TEXT, "text_wrap": False, "bold": True, "font_size": 14},
    "answer": {"text_wrap": False, "bold": True, "font_size": 12},
    "head": {**_TEXT, "bold": True, "bottom": 1},
    "section": {**_TEXT, "text_wrap": False, "bold": True, "bottom": 1},
    "number head": {**_TEXT, "bold": True, "bottom": 1, "align": "right"},
    "unit": {**_TEXT, "align": "left", "indent": 1},
    "unit head": {**_TEXT, "bold": True, "bottom": 1, "align": "left", "indent": 1},
    "ordinal": {"valign": "top", "align": "left"},
    "narrow": {**_TEXT, "bold": True, "bottom": 1, "font_size": 8, "align": "right"},
    "stale": {**_TEXT, "text_wrap": False, "bold": True, "font_color": "#B91C1C"},
    "live text": {**_TEXT, **_LIVE},
    "live head": {**_TEXT, **_LIVE, "bold": True, "bottom": 1},
    "warning": {**_TEXT, "font_color": "#B91C1C"},
    "live warning": {**_TEXT, **_LIVE, "font_color": "#B91C1C"},
    "computed": {"valign": "top"},
    "solved": {"valign": "top", "italic": True, "bg_color": "#FDE68A"},
    "wrong": {"bold": True, "font_color": "#B91C1C", "bg_color": "#FEE2E2"},
    # LibreOffice takes some truth values as 1, and 7.4 crashes where it prints adjacent ones without such a format.
    "verdict": {"valign": "top", "align": "center", "num_format": '"TRUE";"TRUE";"FALSE"'},
    "error": {"font_color": "#9CA3AF"},
    "right": {"bold": True, "font_color": "#166534", "bg_color": "#DCFCE7"},
    "input": {"valign": "top", **_INPUT},
    "choice": {**_TEXT, **_INPUT, "quote_prefix": False},
}
NUMBERS = "[>=1E+15]0.000E+00;[>=1000]#,##0;"  # thousands with commas, and how smaller numbers are shown
WHOLE_NUMBERS = "#,##0"
# Of a number of millions, billions or trillions, whether it is whole or at least so large, and its digits.
COUNTS = (("MOD({0},{1})=0", "0"), ("{0}/{1}>=100", "0.0"), ("{0}/{1}>=10", "0.0#"), ("TRUE", "0.0##"))
_NUMERIC = frozenset(("computed", "solved", "input", "ordinal"))
_PAPER_A4 = 9
WIDEST_NUMBER = 20  # characters: fifteen digits with commas
WIDEST_PRINTED = 240  # characters of a page that can still be read
LINE, MOST_LINES = 15, 20  # height of a line in points; a row has at most 409
HEIGHTS = {"headline": 22.0, "answer": 18.0}  # of rows in larger letters
SMALLEST_PLAIN = 0.01

# What programs read as a place in the sheet, in the styles A1 and R1C1, as a truth value, or as a name of their own.
_REFUSED = re.compile(
    r"[a-z]{1,3}\d+|r\d*(c\d*)?|c\d*|true|false|print_(area|titles)|auto_\w+|database|criteria|extract", re.IGNORECASE
)


def _sheets() -> Any:
    """Return the class of sheets, which write formulas as they are.

    XlsxWriter looks in each for some forty functions of late versions of Excel, none of which is ours: that
    took most of the time.
    """
    from xlsxwriter.worksheet import Worksheet

    def prepared(_: Any, formula: str, *__: Any) -> str:
        return formula.removeprefix("=")

    return type("PlainSheet", (Worksheet,), {"_prepare_formula": prepared})


class SheetWriter:
    """Writes a new sheet of a workbook of XlsxWriter from top to bottom; its columns have a width in characters."""

    def __init__(self, book: Workbook, name: str, widths: Sequence[int]) -> None:
        self.sheet, self.name = book.add_worksheet(name, _sheets()), name
        self._book = book
        self._formats: dict[tuple[str, str], Any] = {}
        self.line, self._widths = -1, tuple(widths)
        for column, width in enumerate(widths):
            self.sheet.set_column(column, column, width)
        self.sheet.set_landscape()
        self.sheet.set_paper(_PAPER_A4)
        self.sheet.fit_to_pages(1, 0)  # one page wide
        self.sheet.set_footer("&L&A&RPage &P of &N")

    def format(self, style: str, numbers: str = "") -> Any:
        """Return a format of the workbook; of numbers, with how they are shown."""
        key = style, numbers
        if key not in self._formats:
            shown = {"num_format": numbers or f"{NUMBERS}General"} if style in _NUMERIC else {}
            self._formats[key] = self._book.add_format({**_STYLES[style], **shown})
        return self._formats[key]

    def row(self, *texts: str, style: str = "text") -> None:
        """Begin a row of texts."""
        self.line += 1
        for column, text in enumerate(texts):
            self.text(column, text, style)
        wrapped = zip(texts, self._widths, strict=False) if _STYLES[style].get("text_wrap") else ()
        lines = max((_lines(text, width) for text, width in wrapped), default=1)
        height = HEIGHTS.get(style, LINE * min(lines, MOST_LINES))
        if height != LINE:  # some programs do not measure wrapped texts
            self.sheet.set_row(self.line, height)

    def head(self, *texts: str, numbers: Sequence[int] = (), units: Sequence[int] = ()) -> None:
        """Begin a row of headings, to the right above columns of numbers, above units as far from these as they are."""
        self.row(*texts, style="head")
        styles = dict.fromkeys(numbers, "number head") | dict.fromkeys(units, "unit head")
        for column, text in enumerate(texts):
            if not text:  # the line below goes on
                self.sheet.write_blank(self.line, column, None, self.format("head"))
            self.text(column, text, styles.get(column, "head"))

    def section(self, *texts: str, numbers: Sequence[int] = (), units: Sequence[int] = ()) -> None:
        """Begin a row of headings below an empty row."""
        self.line += 1
        if len(texts) == 1:
            self.row(*texts, style="section")
        else:
            self.head(*texts, numbers=numbers, units=units)

    def print_columns(self, most: int = 0) -> None:
        """Print at most so many of the first columns, or as many as a page has room for: one page is as wide."""
        widths = accumulate(self._widths)
        fitting = sum(width <= WIDEST_PRINTED for width in widths)
        last = min(most or fitting, fitting, len(self._widths)) - 1
        self.sheet.print_area(0, 0, max(self.line, self.sheet.dim_rowmax or 0), last)

    def freeze(self, columns: int = 1) -> None:
        """Keep the rows above, and the first columns, in sight."""
        self.sheet.freeze_panes(self.line + 1, columns)
        self.sheet.repeat_rows(self.line)

    def text(self, column: int, text: str, style: str = "text") -> None:
        """Write a text into the current row."""
        if text:
            self.sheet.write_string(self.line, column, text[:LONGEST_TEXT], self.format(style))

    def number(self, column: int, number: Number, style: str = "input", *, whole: bool = False) -> None:
        """Write a number into the current row, as a text where it is too large for a spreadsheet."""
        shown = plain(number)
        if shown is None:
            self.text(column, str(number))
        else:
            self.sheet.write_number(self.line, column, shown, self.format(style, _pattern(number, whole=whole)))

    def formula(
        self,
        column: int,
        formula: str | None,
        result: Number | str | bool,
        style: str = "computed",
        *,
        whole: bool = False,
    ) -> None:
        """Write a formula with its result into the current row; where there is no formula, the result alone."""
        shown = result if isinstance(result, bool | str) else plain(result)
        written = self.format("verdict" if isinstance(result, bool) else style, _pattern(result, whole=whole))
        if formula is not None:
            self.sheet.write_formula(self.line, column, formula, written, "" if shown is None else shown)
            if isinstance(result, bool):
                self.judge(column)
        elif isinstance(result, bool):
            self.sheet.write_boolean(self.line, column, result, written)
        elif not isinstance(result, str):
            self.number(column, result, style)

    def count(self, column: int, unit: str, rows: int = 1, columns: int = 1) -> None:
        """Show millions, billions or trillions of what is counted with a letter, as `70.55B`; the cell stays exact.

        Args:
            column: the first column, counted from 0.
            unit: the unit of the numbers.
            rows: how many rows, of which the current one is the last. A rule for all of them takes the time of one.
            columns: how many columns.
        """
        if unit.partition("/")[0] not in COUNTED:
            return
        first = self.line - rows + 1
        place = f"{column_name(column)}{first + 1}"  # of the first cell: programs move it for the others
        scale = f"10^(3*INT(LOG10({place})/3))"
        for test, digits in COUNTS:
            tests = f"ISNUMBER({place}),{place}>=1E+6,{place}<1E+15"
            formula = f"=IF(AND({tests}),{test.format(place, scale)},FALSE)"
            numbers = f'[>=1E+12]{digits},,,,"T";[>=1E+9]{digits},,,"B";{digits},,"M"'
            rule = {"type": "formula", "criteria": formula, "format": self._book_format(numbers), "stop_if_true": True}
            self.sheet.conditional_format(first, column, self.line, column + columns - 1, rule)

    def _book_format(self, numbers: str) -> Any:
        """Return a format that changes how numbers are shown, and nothing else."""
        key = "", numbers
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"num_format": numbers})
        return self._formats[key]

    def define(self, name: str, place: str) -> None:
        """Give a place of the workbook a name."""
        self._book.define_name(name, place)

    def judge(self, column: int, right: str = "TRUE", wrong: str = "FALSE") -> None:
        """Show a verdict of the current row in green or red."""
        for value, style in ((right, "right"), (wrong, "wrong")):
            rule = {"type": "cell", "criteria": "==", "value": value, "format": self.format(style)}
            self.sheet.conditional_format(self.line, column, self.line, column, rule)

    def shade_errors(self, first: int) -> None:
        """Show errors in grey, in the columns from the first one on."""
        last = max(first, self.sheet.dim_colmax or 0)
        rule = {"type": "errors", "format": self.format("error")}
        self.sheet.conditional_format(0, first, self.sheet.dim_rowmax or 0, last, rule)

    def options(self, column: int, options: Sequence[str] | str, warning: str = "") -> None:
        """Let a person pick the cell in this row and column from a list, or from a range: `=chips!$A$2:$A$9`.

        With a warning, which programs show then, it may have another text too.
        """
        rule = {"validate": "list", "source": options if isinstance(options, str) else [*options]}
        rule |= {"error_type": "warning", "error_message": warning} if warning else {}
        self.sheet.data_validation(self.line, column, self.line, column, rule)


def _pattern(number: Number | str | bool, *, whole: bool) -> str:
    """Return how numbers like one are shown: with four places behind the point, small ones with a power of ten."""
    if whole:
        return WHOLE_NUMBERS
    if isinstance(number, bool | str) or plain(number) is None or number == int(number):
        return ""
    return NUMBERS + ("0.0###" if abs(float(number)) >= SMALLEST_PLAIN else "0.000E+00")


def _lines(text: str, width: int) -> int:
    """Return how many lines a text takes in a column, whose width is in digits: most letters are no wider."""
    return sum(len(wrap(line, width)) if len(line) > width else 1 for line in text.split("\n"))


def quoted(text: str) -> str:
    """Return a text as a formula has it, a long one in parts: programs take at most 255 characters in quotes."""
    starts = range(0, min(len(text), MOST_QUOTED) or 1, LONGEST_QUOTED)
    parts = [text[at : at + LONGEST_QUOTED] for at in starts]
    return "&".join('"' + part.replace('"', '""') + '"' for part in parts)


def column_name(column: int) -> str:
    """Return the letters of a column, counted from 0: `AA` for 26."""
    above, place = divmod(column, 26)
    return (column_name(above - 1) if above else "") + chr(ord("A") + place)


def number_in(number: Number) -> str:
    """Return a number as a formula takes it, a float with all of its digits."""
    return repr(float(number)).upper()


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
