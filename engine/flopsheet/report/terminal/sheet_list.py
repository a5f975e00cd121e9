"""The list of sheets for a terminal; it imports little, as what it lists comes from the disk cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from flopsheet.report.terminal.console import print_lines, table_lines, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.sheets.summaries import Summary


def print_sheets(sheets: Iterable[Summary], file: TextIO | None = None) -> None:
    """Print a list of sheets: name, number of cells, title."""
    rows = [[sheet.name, str(sheet.cells), sheet.title] for sheet in sheets]
    print_lines(table_lines(["sheet", "cells", "what it computes"], rows, width_of(file)), file)
