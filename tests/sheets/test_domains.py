"""Formulas of YAML sheets need a value as they are written, where sympy simplifies what could lack one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from flopsheet import solve
from flopsheet.errors import NOWHERE, RegistryError
from flopsheet.functions import symbol
from flopsheet.numbers.sets import Interval
from flopsheet.sheets.cell import Cell, Part
from flopsheet.sheets.embedding import embed
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet
from flopsheet.units import unit

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


BRANCHES = """
sheet: branches
title: Branches of a choice, and limits, that sympy simplifies
choices:
  mode: {options: [ratio, plain]}
cells:
  x: {doc: Variable, signed: true}
  y: {doc: One of two branches, formula: "select(mode, ratio=x/x + x, plain=x + 1)", signed: true}
limits:
  rooted: {relation: sqrt(x + 2)**2 <= 9, doc: Has a value from -2 on}
"""


@pytest.mark.parametrize(("mode", "kind"), [("ratio", "none"), ("plain", "value")])
def test_a_branch_needs_a_value_where_its_option_takes_it(mode: str, kind: str) -> None:
    assert solve(parse_sheet(BRANCHES, "branches"), "x", [f"mode = {mode}", "y = 1"]).outcomes["x"].kind == kind


def test_a_limit_needs_a_value_as_it_is_written() -> None:
    sheet, asked = parse_sheet(BRANCHES, "branches"), ["mode = plain", "y <= 3"]
    assert solve(sheet, "x", asked).outcomes["x"].listed == (Interval(-2, 2),)
    assert solve(sheet, "x", asked, without="rooted").outcomes["x"].listed == (
        Interval(-math.inf, 2, lower_closed=False),
    )


NUMBERS = """
sheet: numbers
title: Relations that are simpler than they are written
cells:
  x: {doc: Variable, integer: true, minimum: -6, maximum: 6}
  y: {doc: Exponent, signed: true}
"""


@pytest.mark.parametrize("text", ["mod(x, x) = 0", "mod(3*x, x) = 0", "mod(x, x) + x <= 6", "mod(x**3, x) = 0"])
def test_a_remainder_by_zero_is_no_value(text: str) -> None:
    solutions = solve(parse_sheet(NUMBERS, "numbers"), "x", [text]).outcomes["x"].solutions
    numbers = [x for x in range(-6, 7) if any(x in part for part in solutions)]
    assert numbers == [x for x in range(-6, 7) if x]


@pytest.mark.parametrize("text", ["1/(1/x) = 0", "x/(x/x) = 0", "1/(1/x)**3 = 0"])
def test_a_ratio_of_ratios_has_no_value_at_zero(text: str) -> None:
    assert solve(parse_sheet(NUMBERS, "numbers"), "x", [text]).outcomes["x"].kind == "none"


@pytest.mark.parametrize(("exponent", "first"), [("1/2", 1), ("-1/2", 1), ("3", -6), ("-3", -6)])
def test_a_power_that_cancels_needs_a_value(exponent: str, first: int) -> None:
    """Of a negative number only whole powers have one; zero has no negative power, and `x**y*x**(-y)` has both."""
    outcome = solve(parse_sheet(NUMBERS, "numbers"), "x", ["x**y*x**(-y) + x <= 5", f"y = {exponent}"]).outcomes["x"]
    numbers = [x for x in range(-6, 7) if any(x in part for part in outcome.solutions)]
    assert numbers == [x for x in range(first, 5) if x]


def test_a_divisor_with_a_varying_power_keeps_its_domain() -> None:
    text = BRANCHES.replace("plain=x + 1", "plain=1/(x**2 + 1)**x")
    assert {limit.of for limit in parse_sheet(text, "branches").limits.values()} == {"y", ""}
    assert [own.name for own in parse_sheet(text, "branches").limits.values() if own.of] == ["y_domain"]


INFERRED = """
sheet: inferred
title: Defaults that sympy simplifies
cells:
  x: {doc: Variable, signed: true}
  rooted: {doc: Root, signed: true, formula: sqrt(x)**2}
  direct: {doc: Default with a root, signed: true, inferred: sqrt(x)**2}
  behind: {doc: Default that rests on a root, signed: true, inferred: rooted}
  sum_direct: {doc: Sum, signed: true, formula: direct + x}
  sum_behind: {doc: Sum, signed: true, formula: behind + x}
"""


@pytest.mark.parametrize("way", ["direct", "behind"])
def test_a_default_needs_a_value_where_it_is_used(way: str) -> None:
    """`x + sqrt(x)**2 = 2x` from zero on; with another value d in place of the root, `x + d` has a value everywhere."""
    sheet, total = parse_sheet(INFERRED, "inferred"), f"sum_{way}"
    for goal, given, expected in ((-2, "", None), (2, "", 1), (2, f"{way} = 5", -3), (3, f"{way} = x/2 + 6", -2)):
        outcome = solve(sheet, "x", [f"{total} = {goal}", *([given] if given else [])]).outcomes["x"]
        assert outcome.si == expected, (goal, given)
    assert solve(sheet, "x", [f"{total} <= 2"]).outcomes["x"].listed == (Interval(0, 1),)
    assert solve(sheet, way, ["x = -3", f"{total} = 2"]).outcomes[way].si == 5


@pytest.mark.parametrize(("given", "breaks"), [((), True), (("direct = 2", "behind = 2"), False)])
def test_without_an_unknown_a_default_that_is_not_used_is_not_told(given: tuple[str, ...], breaks: bool) -> None:
    text = str(solve(parse_sheet(INFERRED, "inferred"), (), ["x = -4", *given]))
    assert ("direct_domain" in text) == breaks


def test_export_keeps_that_of_a_default() -> None:
    again = parse_sheet(as_yaml(parse_sheet(INFERRED, "inferred")), "inferred")
    assert solve(again, "x", ["sum_direct = -2"]).outcomes["x"].kind == "none"
    assert solve(again, "x", ["sum_direct = 2", "direct = 5"]).outcomes["x"].si == -3


def test_one_of_several_defaults_that_needs_a_value_is_a_mistake() -> None:
    text = INFERRED.replace("inferred: sqrt(x)**2", "inferred: [sqrt(x)**2, x]")
    with pytest.raises(RegistryError, match="only where x >= 0"):
        parse_sheet(text, "inferred")
    parse_sheet(text.replace("x: {doc: Variable, signed: true}", "x: {doc: Variable}"), "inferred")


@pytest.mark.parametrize("bound", [{"direct": 7}, {"direct": symbol("given_one")}, {"direct": 2 * symbol("given_one")}])
def test_a_formula_that_is_replaced_needs_nothing(bound: dict[str, Any]) -> None:
    rows = Rows("outer")
    rows.add_cell(Cell("given_one", "Given", unit("")))
    embed(rows, parse_sheet(INFERRED, "inferred").rows, Part("inner", "inferred", "Inner sheet"), bound, NOWHERE)
    assert {limit.of for limit in rows.limits.values()} == {"inner.rooted"}
    rows.replace_cell(replace(rows.cells["inner.rooted"], formula=2 * symbol("inner.x")))
    assert not rows.limits
