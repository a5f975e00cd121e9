"""Sheets show themselves: rows with symbol, unit, formula or default, then limits and assumptions."""

from __future__ import annotations

import re

import flopsheet
from flopsheet.registry.packs import packs
from flopsheet.report.pages import catalogue, sheet_page
from flopsheet.sheets.catalogue import nomenclature, sheet_files


def test_a_sheet_shows_its_rows() -> None:
    sheet = flopsheet.sheet("ffn_memory")
    page = sheet_page(sheet)
    assert page.startswith("## `ffn_memory`\n")
    for name, cell in sheet.cells.items():
        assert (f"| `{name}` |" in page) is (cell in sheet.rows.shown)
    assert "| `tokens` | $`B`$ | token | $`= b s`$ | Tokens in a global batch |" in page
    assert "- Limit `fits`: `device_memory <= chip.memory`. One device holds its share." in page
    assert all(text in page for text in sheet.assumptions)


def test_notebooks_show_the_same() -> None:
    sheet = flopsheet.sheet("ffn_memory")
    assert sheet._repr_markdown_() == re.sub(r"\$`([^`]*)`\$", r"$\1$", sheet_page(sheet))


def test_the_catalogue_holds_every_page() -> None:
    sheet = flopsheet.sheet("ffn_memory")
    assert sheet_page(sheet).strip() in catalogue([sheet])


def test_a_choice_shows_all_its_branches() -> None:
    page = sheet_page(flopsheet.sheet("training_run"))
    (row,) = [line for line in page.splitlines() if line.startswith("| `trained_tokens`")]
    assert r"\text{partial} \colon D,\ \text{drop} \colon \left\lfloor{\frac{D}{B}}\right\rfloor B" in row


def test_no_name_stands_in_a_formula_with_a_line_below() -> None:
    page = (packs()[0].folder / "models" / "README.md").read_text(encoding="utf-8")  # the catalogue: see test_docs
    assert all(f"## `{name}`\n" in page for name in sheet_files())
    assert not re.findall(r"\\text\{[^}]*_[^}]*\}", page)


def test_the_names_that_recur_stand_at_the_end() -> None:
    page = catalogue([flopsheet.sheet("ffn_memory")]).partition("## Names")[2]
    assert all(f"| `{name}` | $`{row['symbol']}`$ |" in page for name, row in nomenclature().items())
