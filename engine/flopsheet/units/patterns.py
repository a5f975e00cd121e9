"""Patterns of units that measure the same, for JSON Schemas: editors mark what the reader rejects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.session import cached
from flopsheet.units.system import DIVISIBLE, WITHOUT_PREFIX, unit_system

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.units.expressions import Unit
    from flopsheet.units.system import Dimension


def unit_pattern(unit: Unit) -> str:
    """Return a regular expression of the units that measure the same and are written alike, factor by factor.

    Counts such as `chip` may follow: `USD/hour/chip`.
    """
    system, factors = unit_system(), []
    for sign, name in re.findall(r"([/*]?)([^/*\s]+)", unit.text):
        size, joint = system.find(name), f" *{re.escape(sign)} *" if sign else ""
        factors.append(joint + (_names(size.dimension) if size else re.escape(name)))
    counts = _names(None)
    return f"{''.join(factors)}( */ *{counts})*" if factors else f"({counts})?"


@cached(maxsize=64)
def _names(dimension: Dimension | None) -> str:
    """Return a regular expression of all names that measure a dimension, prefixes included; of counts for None."""
    system = unit_system()
    parts: dict[str, list[str]] = {}
    for spelling, name in system.names.items():
        measured = system.sizes[name].dimension
        if (measured == dimension) if dimension is not None else not measured:
            plural = "s?" if spelling == name and name.islower() else ""
            parts.setdefault(system.groups[name], []).append(re.escape(spelling) + plural)
    prefixes = {WITHOUT_PREFIX: "", DIVISIBLE: _one_of(filter(None, system.prefixes))}
    large = _one_of(prefix for prefix, factor in system.prefixes.items() if factor > 1)
    texts = []
    for group, names in parts.items():
        prefix = prefixes.get(group, large)
        texts.append(f"{f'{prefix}?' if prefix else ''}{_one_of(names)}")
    return texts[0] if len(texts) == 1 else _one_of(texts)


def _one_of(texts: Iterable[str]) -> str:
    return f"({'|'.join(texts)})"
