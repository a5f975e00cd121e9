"""Formulas of YAML sheets need a value as they are written, where sympy simplifies what could lack one."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.numbers.sets import Interval
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet

SHEET = """
sheet: domains
title: Formulas that sympy simplifies
cells:
  x: {doc: Variable, signed: true, example: 5}
  mass: {doc: Variable with a unit, unit: GB, signed: true, example: 5 GB}
  shift: {doc: Logarithm, formula: exp(log(x - 3)), signed: true}
  square: {doc: Root and ratio, formula: sqrt(x)**4 + x/x, signed: true}
  same: {doc: Ratio, unit: GB, formula: mass**2/mass, signed: true}
  twice: {doc: Rests on a logarithm, formula: 2*shift, signed: true}
"""


@pytest.mark.parametrize(
    ("unknown", "relation", "expected"),
    [
        ("x", "shift = -1", ()),
        ("x", "twice = -2", ()),
        ("x", "shift = 2", (Interval(5, 5),)),
        ("x", "shift <= 2", (Interval(3, 5, lower_closed=False),)),
        ("x", "square = 5", (Interval(2, 2),)),
        ("x", "square <= 5", (Interval(0, 2, lower_closed=False),)),
        ("mass", "same = 0 GB", ()),
        ("mass", "same = 2 GB", (Interval(2 * 10**9, 2 * 10**9),)),
    ],
)
def test_what_is_written_needs_a_value_where_it_is_used(
    unknown: str, relation: str, expected: tuple[Interval, ...]
) -> None:
    assert solve(parse_sheet(SHEET, "domains"), unknown, [relation]).outcomes[unknown].listed == expected


def test_without_an_unknown_the_first_line_tells() -> None:
    assert "shift_domain" in str(solve(parse_sheet(SHEET, "domains"), (), ["x = 2"]))
    assert "_domain" not in str(solve(parse_sheet(SHEET, "domains"), (), ["x = 4"]))


def test_bounds_that_imply_it_need_no_limit() -> None:
    positive = SHEET.replace("x: {doc: Variable, signed: true,", "x: {doc: Variable,")
    assert {limit.of for limit in parse_sheet(positive, "domains").limits.values()} == {"shift", "same"}


def test_export_keeps_it() -> None:
    sheet = parse_sheet(SHEET, "domains")
    again = parse_sheet(as_yaml(sheet), "domains")
    assert {name: (own.text, own.of) for name, own in again.limits.items()} == {
        name: (own.text, own.of) for name, own in sheet.limits.items()
    }
    assert solve(again, "mass", ["same = 0 GB"]).outcomes["mass"].kind == "none"
    assert solve(again, "x", ["square = 5"]).outcomes["x"].si == 2
