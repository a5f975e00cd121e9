"""Sheets show themselves: rows with symbol, unit, formula or default, then limits and assumptions."""

from __future__ import annotations

import flopsheet
from flopsheet.render.catalogue import catalogue, sheet_page


def test_a_sheet_shows_its_rows() -> None:
    sheet = flopsheet.sheet("ffn_memory")
    page = sheet_page(sheet)
    assert page.startswith("## `ffn_memory`\n")
    for name, cell in sheet.cells.items():
        assert (f"| `{name}` |" in page) is not bool(cell.part)
    assert "| `tokens` | $B$ | token | $= b s$ | Tokens in a global batch |" in page
    assert "- Limit `fits`: `device_memory <= chip.memory`. One device holds its share." in page
    assert all(text in page for text in sheet.assumptions)


def test_notebooks_show_the_same() -> None:
    sheet = flopsheet.sheet("ffn_memory")
    assert sheet._repr_markdown_() == sheet_page(sheet)


def test_the_catalogue_holds_every_page() -> None:
    sheet = flopsheet.sheet("ffn_memory")
    assert sheet_page(sheet).strip() in catalogue([sheet])
