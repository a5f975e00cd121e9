"""Golden values: what published programs computed, forwards and as inverse questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.golden.adapters import ADAPTERS, Probe

import flopsheet
from flopsheet.units import in_unit, unit

if TYPE_CHECKING:
    from fractions import Fraction

TOLERANCE = 1e-9


def test_case(case: dict[str, Any]) -> None:
    adapter = ADAPTERS.get(case["calc"])
    if adapter is None:
        pytest.skip(f"no sheet speaks of '{case['calc']}' yet")
    inputs = {name: leaf["value"] for name, leaf in case["inputs"].items()}
    relations, probes = adapter.relations(inputs), adapter.probes(inputs)
    for name, leaf in case["outputs"].items():
        found = _value(adapter.sheet, relations, probes[name])
        assert _same(found, leaf["value"]), f"{case['id']}.{name}: {found} instead of {leaf['value']}"


def _value(sheet: str, relations: list[str], probe: Probe) -> Fraction | float | None:
    where = [*relations, *probe.extra, *([probe.goal] if probe.goal else [])]
    answer = flopsheet.solve(sheet, probe.cell, where)
    outcome = answer.outcomes[probe.cell]
    return None if outcome.si is None else in_unit(outcome.si, unit(probe.unit))


def _same(found: Fraction | float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    if isinstance(expected, int):
        return found == expected
    return abs(float(found) - expected) <= TOLERANCE * abs(expected)
