"""Golden values: what published programs and peers computed, forwards and as inverse questions."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import check_each
from tests.golden.adapters import OUTSIDE, Adapter, Inputs, Probe, adapter_of
from tests.golden.compare import band, is_same
from tests.golden.forms import SubCase, read_cases, sub_cases

import flopsheet
from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from tests.cases import Record

    from flopsheet import Answer


def test_case(case: dict[str, Any], record_property: Record, request: pytest.FixtureRequest) -> None:
    if case["calc"] in OUTSIDE and adapter_of(case) is None:
        pytest.skip(f"{case['calc']}: {OUTSIDE[case['calc']]}")
    cases = read_cases(request.config.getoption("--golden-file"))
    check_each([case["id"]], lambda _: _check(case, cases), record_property, "golden")


def _check(case: dict[str, Any], cases: list[dict[str, Any]]) -> None:
    adapter = adapter_of(case)
    assert adapter is not None, f"no adapter speaks of '{case['calc']}'"
    parts = {part.name or case["id"]: part for part in sub_cases(case, cases)}
    check_each(parts, lambda name: _check_part(adapter, case, parts[name]))


def _check_part(adapter: Adapter, case: dict[str, Any], part: SubCase) -> None:
    if "rejected_with" in part.outputs:
        _check_rejected(adapter, part.inputs, str(part.outputs["rejected_with"]["value"]))
        return
    results: dict[str, Any] = {}
    check_each(part.outputs, partial(_check_output, adapter, case, part, results))
    for name, text in part.printed.items():
        if name in adapter.printed:
            shown = adapter.printed[name]({**part.inputs, **results}).replace(",", "")
            assert shown == str(text).replace(",", ""), f"{case['id']}, printed {name}"


def _check_output(adapter: Adapter, case: dict[str, Any], part: SubCase, results: dict[str, Any], name: str) -> None:
    """Check one output; one with a reason really deviates in our own cases, and may be near it in a given file."""
    relations, probe = adapter.relations(part.inputs), adapter.probe(name, part.inputs)
    reason = adapter.reasons(part.inputs).get(name, "")
    if probe is None:
        assert reason, f"{case['id']}.{name}: the adapter has no probe and no reason for it"
        return
    leaf = part.outputs[name]
    stated = str(leaf.get("unit", "")) if "class" in case else ""
    results[name] = _value(adapter, tuple(relations), probe, stated)
    is_met = is_same(results[name], leaf["value"], probe, band(case, name, probe))
    expected = f"{case['id']}.{name}: {results[name]} instead of {leaf['value']}"
    if reason:
        assert not is_met or case.get("is_given"), f"{expected}: it is met, so it does not deviate"
    else:
        assert is_met, expected


def _check_rejected(adapter: Adapter, inputs: Inputs, words: str) -> None:
    """Check that an error or a limit refuses a case, and that it says what the original said."""
    assert adapter.rejected is not None
    reason = adapter.rejected(inputs, words)
    try:
        answer = _answer(adapter.sheet, "", tuple(adapter.relations(inputs)))
    except FlopsheetError as error:
        assert reason in str(error)  # noqa: PT017  # an error or a limit refuses it
        return
    assert reason in [limit.relation.name for limit in answer.limits if not limit.holds]


def _value(adapter: Adapter, relations: tuple[str, ...], probe: Probe, stated: str) -> object:
    asked = relations if probe.instead is None else probe.instead
    return probe.value(_answer(probe.sheet or adapter.sheet, probe.cell, (*asked, *probe.relations)), stated)


@cache
def _answer(sheet: str, cell: str, relations: tuple[str, ...]) -> Answer:
    answer = flopsheet.solve(sheet, cell or (), relations)
    unmet = {name for own in answer.outcomes.values() if own.kind == "none" for name in own.limits}
    return flopsheet.solve(sheet, cell, relations, without=tuple(unmet)) if unmet else answer  # others have no limits
