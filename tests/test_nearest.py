"""The nearest of known names."""

from __future__ import annotations

import pytest

from flopsheet import record
from flopsheet.nearest import SYNONYMS, nearest
from flopsheet.registry.kinds import KINDS
from flopsheet.report.records import texts_of

FIELDS = ["power", "memory", "memory_bandwidth", "link.bandwidth", "flops.bf16", "cores"]


@pytest.mark.parametrize(
    ("name", "known", "result"),
    [
        ("tdp", FIELDS, ["power"]),
        ("TDP", FIELDS, ["power"]),
        ("chip.tdp", ["chip.power", "chip.memory"], ["chip.power"]),
        ("tdp", ["tdp", "power"], ["tdp"]),
        ("bandwidth", FIELDS, ["memory_bandwidth", "link.bandwidth"]),
        ("vram", ["d_model"], []),
        ("core", FIELDS, ["cores"]),
        ("powr", FIELDS, ["power"]),
        ("POWER", FIELDS, ["power"]),
    ],
)
def test_nearest(name: str, known: list[str], result: list[str]) -> None:
    assert nearest(name, known) == result


def test_synonyms_are_of_fields_that_exist() -> None:
    fields = {name for kind in KINDS.values() for name in (*kind.all_fields, *texts_of(kind))}
    assert {name for ours in SYNONYMS.values() for name in ours} - fields == set()
    assert set(SYNONYMS) & fields == set()


@pytest.mark.parametrize("name", ["H100-SXM", "h100-SXM", "H100"])
def test_records_are_found_in_any_case(name: str) -> None:
    assert record("chip", name).key == "h100-sxm"
