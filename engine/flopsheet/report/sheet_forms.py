"""A sheet in the forms of the command line: text, Markdown, JSON and YAML."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from flopsheet.sheets.yaml_export import document
from flopsheet.sheets.yaml_sheet import as_yaml

if TYPE_CHECKING:
    from flopsheet.sheets.body import Sheet

SECTIONS = ("sheets", "parts", "choices", "cells", "limits")
FLAGS = ("integer", "signed")
ALWAYS = ("formula", "unit", "doc", "default", "example", "source")


def sheet_in(shape: str, sheet: Sheet) -> str:
    """Return a sheet as `text`, `markdown`, `json` or `yaml`.

    Raises:
        SheetError: something in it cannot be written as YAML or JSON.
    """
    if shape == "yaml":
        return as_yaml(sheet)
    if shape == "json":
        return json.dumps(sheet_as_dict(sheet), indent=2) + "\n"
    if shape == "markdown":
        from flopsheet.report.catalogue import sheet_page

        return sheet_page(sheet)
    from flopsheet.report.terminal import print_sheet

    buffer = io.StringIO()
    print_sheet(sheet, buffer)
    return buffer.getvalue()


def sheet_as_dict(sheet: Sheet) -> dict[str, Any]:
    """Return what a sheet declares as a JSON object: lists of rows, values as exact texts with their units.

    Raises:
        SheetError: something in it cannot be written as text.
    """
    said = document(sheet)
    texts = {key: said.get(key, "") for key in ("sheet", "title", "about")}
    rows = {key: [{"name": name, **_row(key, row)} for name, row in said.get(key, {}).items()] for key in SECTIONS}
    lists = {key: said.get(key, []) for key in ("assumptions", "notes", "sources")}
    return {**texts, **rows, "aliases": said.get("aliases", {}), **lists}


def _row(section: str, row: dict[str, Any]) -> dict[str, Any]:
    said = {key: each == "true" if key in FLAGS else each for key, each in row.items()}
    return {**dict.fromkeys(ALWAYS), "integer": False, **said} if section == "cells" else said
