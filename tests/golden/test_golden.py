"""Golden values: what published programs computed, forwards and as inverse questions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tests.cases import check_each
from tests.golden.adapters import ADAPTERS, Adapter, Probe

import flopsheet
from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from tests.cases import Record

    from flopsheet import Answer

TOLERANCE = 1e-9


def test_case(case: dict[str, Any], record_property: Record) -> None:
    check_each([case["id"]], lambda _: _check(case), record_property, "golden")


def _check(case: dict[str, Any]) -> None:
    adapter = ADAPTERS.get(case["calc"])
    assert adapter is not None, f"no adapter speaks of '{case['calc']}'"
    inputs = {name: leaf["value"] for name, leaf in case["inputs"].items()}
    if "rejected_with" in case["outputs"]:
        _check_rejected(adapter, inputs, str(case["outputs"]["rejected_with"]["value"]))
        return
    relations, probes = adapter.relations(inputs), adapter.probes(inputs)
    results: dict[str, Any] = {}
    for name, leaf in case["outputs"].items():
        if name in adapter.deviating:
            continue
        results[name] = _value(adapter, tuple(relations), probes[name])
        expected = leaf["value"]
        assert _same(results[name], expected, probes[name]), (
            f"{case['id']}.{name}: {results[name]} instead of {expected}"
        )
    printed = {name: text for key, texts in case.items() if key.startswith("printed") for name, text in texts.items()}
    for name, text in printed.items():
        if name in adapter.printed:
            shown = adapter.printed[name]({**inputs, **results}).replace(",", "")
            assert shown == str(text).replace(",", ""), f"{case['id']}, printed {name}"


def _check_rejected(adapter: Adapter, inputs: dict[str, Any], words: str) -> None:
    """Check that an error or a limit refuses a case, and that it says what the original said."""
    assert adapter.rejected is not None
    reason = adapter.rejected(inputs, words)
    try:
        answer = _answer(adapter.sheet, "", tuple(adapter.relations(inputs)))
    except FlopsheetError as error:
        assert reason in str(error)  # noqa: PT017  # an error or a limit refuses it
        return
    assert reason in [limit.relation.name for limit in answer.limits if not limit.holds]


def _value(adapter: Adapter, relations: tuple[str, ...], probe: Probe) -> object:
    return probe.value(_answer(probe.sheet or adapter.sheet, probe.cell, (*relations, *probe.relations)))


@cache
def _answer(sheet: str, cell: str, relations: tuple[str, ...]) -> Answer:
    return flopsheet.solve(sheet, cell or (), relations)


def _same(computed: Any, expected: Any, probe: Probe) -> bool:
    if computed is None or expected is None or isinstance(expected, bool | str | list):
        return bool(computed == expected)
    if isinstance(expected, int):
        return bool(computed == expected)
    if probe.digits is not None:
        return bool(round(float(computed), probe.digits) == expected)
    return bool(abs(float(computed) - expected) <= TOLERANCE * abs(expected))
