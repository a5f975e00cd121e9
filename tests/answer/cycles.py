"""Sheets whose cells depend on each other, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from flopsheet import Sheet

CELLS = "sheet: cells\ntitle: T\nimplicit: true\ncells:\n"


def declared(*rows: str, limits: str = "") -> Sheet:
    text = CELLS + "".join(f"  {row}\n" for row in rows) + (f"limits:\n  {limits}\n" if limits else "")
    return parse_sheet(text, "cells")
