"""Names that a spreadsheet program accepts for cells: `chip.memory` becomes `chip_memory`, `x1` becomes `x1_`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 200
# What programs read as a place in the sheet, in the styles A1 and R1C1, as a truth value, or as a name of their own.
_REFUSED = re.compile(
    r"[a-z]{1,3}\d+|r\d*(c\d*)?|c\d*|true|false|print_(area|titles)|auto_\w+|database|criteria|extract", re.IGNORECASE
)


def excel_names(names: Iterable[str]) -> dict[str, str]:
    """Return the defined name of each cell; no two are alike, capital and small letters taken as the same."""
    free: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        free[name] = _free(_accepted(name), taken)
        taken.add(free[name].casefold())
    return free


def _accepted(name: str) -> str:
    """Return a name without dots that is no place in a sheet."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:LONGEST]
    return f"{plain}_" if _REFUSED.fullmatch(plain) else plain


def _free(name: str, taken: set[str]) -> str:
    number, candidate = 2, name
    while candidate.casefold() in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
