"""Sheets of plain variables, for tests of equations that nobody computes hardware with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from flopsheet import Sheet


def variables(folder: Path, cells: Mapping[str, Mapping[str, Any]]) -> Sheet:
    """Return a YAML sheet whose given cells are variables, each with its bounds: `{"x": {"signed": True}}`."""
    file = folder / "variables.yaml"
    rows = {name: {"doc": "Variable", **bounds} for name, bounds in cells.items()}
    file.write_text(yaml.safe_dump({"sheet": "variables", "title": "Variables", "cells": rows}, sort_keys=False))
    return read_sheet(file)
