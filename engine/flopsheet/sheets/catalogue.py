"""Finds sheets by name over all packs, and loads only the one that is asked for."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.errors import SheetError, find
from flopsheet.registry.packs import packs
from flopsheet.registry.reader import Reader
from flopsheet.registry.strict_yaml import read
from flopsheet.sheets.body import Sheet, SheetType, snake_case
from flopsheet.sheets.source import explain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType


@cache
def sheet_files() -> Mapping[str, Path]:
    """Return the file of each sheet by the sheet's name."""
    return {file.stem: file for pack in packs() for file in pack.files("models", "*.py")}


def sheet(name: str) -> Sheet:
    """Return the sheet with this name.

    Raises:
        UnknownNameError: there is none; the message has the nearest.
        SheetError: its file declares it wrongly.
    """
    files = sheet_files()
    find(name, files, "sheet", "sheet", more="`flopsheet sheets` lists them.")
    return load(files[name])


@cache
def load(file: Path) -> Sheet:
    """Return the sheet that a Python file declares.

    Raises:
        SheetError: the file declares no sheet of its own name, or declares it wrongly.
    """
    module = _module(file)
    for value in vars(module).values():
        if (
            isinstance(value, SheetType)
            and value.__module__ == module.__name__
            and snake_case(value.__name__) == file.stem
        ):
            made = value()
            if isinstance(made, Sheet):
                return made
    fix = f"Name the class like the file: {''.join(word.title() for word in file.stem.split('_'))}."
    raise SheetError(str(file), f"The file declares no sheet '{file.stem}'.", fix)


def _module(file: Path) -> ModuleType:
    """Import a sheet's file, as `flopsheet.builtin.models.<name>` in checkout and wheel alike."""
    name = f"flopsheet.builtin.models.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise SheetError(str(file), "The file is not Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise explain(error, file) from error
    return module


@cache
def nomenclature() -> Mapping[str, Mapping[str, str]]:
    """Return the table of recurring names: `symbol`, `unit` and `meaning` of each."""
    table: dict[str, dict[str, str]] = {}
    for pack in packs():
        for file in pack.files("models", "nomenclature.yaml"):
            reader = Reader(read(file, pack.shown(file)))
            for name in reader.node.items:
                row = reader.inner(name)
                row.check_keys(("symbol", "unit", "meaning"), ("symbol", "meaning"))
                table[name] = {key: row.text(key) for key in ("symbol", "unit", "meaning")}
    return table
