"""A sheet as text, Markdown, JSON or YAML."""

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
        SheetError: a value of the sheet cannot be written as YAML or JSON.
    """
    if shape == "yaml":
        return as_yaml(sheet)
    if shape == "json":
        return json.dumps(sheet_as_dict(sheet), indent=2) + "\n"
    if shape == "markdown":
        from flopsheet.report.pages import sheet_page

        return sheet_page(sheet)
    from flopsheet.report.terminal import print_sheet

    buffer = io.StringIO()
    print_sheet(sheet, buffer)
    return buffer.getvalue()


def sheet_as_dict(sheet: Sheet) -> dict[str, Any]:
    """Return the declarations of a sheet as a JSON object: lists of rows, values as exact texts with their units.

    Raises:
        SheetError: a value of the sheet cannot be written as text.
    """
    content = document(sheet)
    texts = {key: content.get(key, "") for key in ("sheet", "title", "about")}
    rows = {key: [{"name": name, **_row(key, row)} for name, row in content.get(key, {}).items()] for key in SECTIONS}
    lists = {key: content.get(key, []) for key in ("assumptions", "notes", "sources")}
    return {**texts, **rows, "aliases": content.get("aliases", {}), **lists}


def _row(section: str, row: dict[str, Any]) -> dict[str, Any]:
    typed = {key: value == "true" if key in FLAGS else value for key, value in row.items()}
    return {**dict.fromkeys(ALWAYS), "integer": False, **typed} if section == "cells" else typed
