"""flopsheet: a declarative, spreadsheet-style model engine for the hardware arithmetic of large language models.

Everything public is reached from here, and imported when it is first used: sympy and pint take half a second, and
`flopsheet --help` needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.question_file import read_question
    from flopsheet.answer.solve import solve
    from flopsheet.answer.table import table
    from flopsheet.errors import FlopsheetError
    from flopsheet.functions.language import (
        acos,
        asin,
        atan,
        ceil,
        cos,
        equal,
        exp,
        floor,
        indicator,
        log,
        log2,
        max_,
        min_,
        mod,
        ratio,
        select,
        sin,
        sqrt,
        tan,
    )
    from flopsheet.registry.kinds.architecture import Architecture
    from flopsheet.registry.kinds.chip import Chip
    from flopsheet.registry.kinds.datacenter import Datacenter
    from flopsheet.registry.kinds.system import System
    from flopsheet.registry.packs import use_pack
    from flopsheet.registry.store import record, records
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.catalogue import sheet
    from flopsheet.sheets.declarations import choice, formula, given, limit, override
    from flopsheet.sheets.parts import part
    from flopsheet.units import Quantity, quantity, unit

_HOMES = {
    "flopsheet.errors": ("FlopsheetError",),
    "flopsheet.registry.kinds.architecture": ("Architecture",),
    "flopsheet.registry.kinds.chip": ("Chip",),
    "flopsheet.registry.kinds.datacenter": ("Datacenter",),
    "flopsheet.registry.packs": ("use_pack",),
    "flopsheet.registry.store": ("record", "records"),
    "flopsheet.registry.kinds.system": ("System",),
    "flopsheet.sheets.body": ("Sheet",),
    "flopsheet.sheets.catalogue": ("sheet",),
    "flopsheet.sheets.declarations": ("choice", "formula", "given", "limit", "override"),
    "flopsheet.functions.language": (
        *("acos", "asin", "atan", "ceil", "cos", "equal", "exp", "floor", "indicator", "log", "log2", "max_", "min_"),
        *("mod", "ratio", "select", "sin", "sqrt", "tan"),
    ),
    "flopsheet.sheets.parts": ("part",),
    "flopsheet.answer.answer": ("Answer",),
    "flopsheet.answer.solve": ("solve",),
    "flopsheet.answer.question_file": ("read_question",),
    "flopsheet.answer.table": ("table",),
    "flopsheet.units": ("Quantity", "quantity", "unit"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Architecture",
    "Chip",
    "Datacenter",
    "FlopsheetError",
    "Quantity",
    "Sheet",
    "System",
    "acos",
    "asin",
    "atan",
    "ceil",
    "choice",
    "cos",
    "equal",
    "exp",
    "floor",
    "formula",
    "given",
    "indicator",
    "limit",
    "log",
    "log2",
    "max_",
    "min_",
    "mod",
    "override",
    "part",
    "quantity",
    "ratio",
    "read_question",
    "record",
    "records",
    "select",
    "sheet",
    "sin",
    "solve",
    "sqrt",
    "table",
    "tan",
    "unit",
    "use_pack",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'flopsheet' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
