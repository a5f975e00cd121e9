"""Formulas are written as they are: XlsxWriter has nothing to put into them."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import pytest
from tests.asked import answered, asked
from tests.report.workbooks import EveryFunction

import flopsheet
from flopsheet.report import Extras
from flopsheet.report.workbook import workbook, writer

worksheet = pytest.importorskip("xlsxwriter.worksheet")
AT = {"x1": "3 GiB", "d1": 7, "RC": 10, "r_": 2, "angle": "30 degree", "time": "1500 ms", "huge": "12345678901 FLOP"}


def _content(data: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(data)) as book:
        return {name: book.read(name) for name in book.namelist()}


@pytest.mark.parametrize("name", ["every function", "fsdp-shards", "cost-by-batch"])
def test_sheets_hold_what_xlsxwriter_would_write(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "every function":
        answer, extras = flopsheet.solve(EveryFunction(), (), {**AT, "way": "up"}), Extras()
    else:
        answer, extras = answered(name), Extras.of(asked(name))
    plain = _content(workbook(answer, extras))
    monkeypatch.setattr(writer, "_sheets", lambda: worksheet.Worksheet)
    assert _content(workbook(answer, extras)) == plain


def test_what_is_printed_can_be_read() -> None:
    """Units are away from the numbers before them, and a page of a search or a curve has few columns."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(BytesIO(workbook(answered("batch-llama-3-70b-h100"))))
    model = {row[0].value: row for row in book["Model"].iter_rows()}
    for row in (model["name"], model["chip.memory"]):
        assert (row[2].alignment.horizontal, row[2].alignment.indent) == ("left", 1)
    for title in ("Search", "Curve"):
        sheet = book[title]
        last = openpyxl.utils.cell.range_boundaries(sheet.print_area.partition("!")[2])[2]
        letters = [openpyxl.utils.get_column_letter(column) for column in range(1, last + 1)]
        assert sum(sheet.column_dimensions[own].width for own in letters) <= writer.WIDEST_PRINTED
        assert last < sheet.max_column
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
    chart = book["Curve"]._charts[0]
    assert chart.anchor.to.col < openpyxl.utils.cell.range_boundaries(book["Curve"].print_area.partition("!")[2])[2]
    heads = [row for row in book["Answer"].iter_rows() if row[1].value == "relation"]
    assert all(cell.border.bottom.style == "thin" for row in heads for cell in row[:7])


def test_a_row_is_as_high_as_its_longest_text() -> None:
    assert writer._lines("a" * 44, 44) == 1
    assert writer._lines("word " * 20, 44) == 3
    assert writer._lines("word\n\nword", 44) == 3
    assert writer._lines("a" * 89, 44) == 3
