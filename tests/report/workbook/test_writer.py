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
