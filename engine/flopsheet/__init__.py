"""flopsheet: a declarative, spreadsheet-style model engine for the hardware arithmetic of large language models.

The public names are those of `__init__.pyi`. Each is imported when it is first used: sympy and pint take half a second
to import, and `flopsheet --help` needs neither.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from flopsheet import displays

__version__ = "0.1.0"

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_LINES = [line.split() for line in _STUB.splitlines() if line.startswith("from ")]  # from MODULE import NAME as NAME
_HOMES = {line[3]: line[1] for line in _LINES}
__all__ = list(_HOMES)

displays.register("flopsheet.report")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'flopsheet' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
