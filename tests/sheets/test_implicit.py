"""Sheets whose formulas depend on each other: how they say so, in both syntaxes, and what is rejected."""

from __future__ import annotations

import re
from types import new_class
from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, formula, given, limit, override, part, ratio, solve
from flopsheet.errors import DimensionError, RegistryError, SheetError
from flopsheet.report.pages import sheet_page
from flopsheet.sheets.catalogue import load
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path

# Rows of a class body are names of it; mypy and ruff see those declared below as undefined.
# mypy: disable-error-code="name-defined, used-before-def"
# ruff: noqa: F821

YAML = """sheet: budget
title: Cost of a project with an overhead on its total.
implicit: true
cells:
  base: {unit: USD, doc: Cost before overhead, example: 90 USD}
  share: {doc: Share of the total, default: 0.1}
  overhead: {formula: share*total, unit: USD, doc: Overhead}
  total: {formula: base + overhead, unit: USD, doc: Total}
"""


class Budget(Sheet):
    """Cost of a project with an overhead on its total."""

    implicit = True
    base = given("Cost before overhead", "USD", example=90)
    share = given("Share of the total", default="0.1")
    overhead = formula(share * total, "USD", "Overhead")
    total = formula(base + overhead, "USD", "Total")


def test_both_syntaxes_declare_the_same_cells() -> None:
    declared, parsed = Budget(), parse_sheet(YAML, "budget")
    assert as_yaml(declared) == as_yaml(parsed) == YAML
    assert declared.rows.cycles == parsed.rows.cycles == [("overhead", "total")]
    assert solve(declared, "total", ["base = 90 USD"]).value == 100
    assert solve(parsed, "base", ["total = 100 USD"]).value == 90


def test_cells_behind_a_cycle_follow_it() -> None:
    rows = "  twice: {formula: 2*total, unit: USD}\n"
    model = parse_sheet(YAML.replace("  base:", rows + "  base:"), "budget")
    assert list(model.cells) == ["base", "share", "overhead", "total", "twice"]


def test_a_page_says_which_cells_are_solved_together() -> None:
    assert "- overhead and total depend on each other, and are solved together.\n" in sheet_page(Budget())
    alone = "sheet: fix\ntitle: T\nimplicit: true\ncells:\n  x: {formula: exp(-x)}\n"
    assert "- x depends on itself, and is solved for.\n" in sheet_page(parse_sheet(alone, "fix"))


WORD = r"Leave one of them given, or let the sheet solve them together: 'implicit: true'\."


@pytest.mark.parametrize("word", ["", "implicit: false\n"])
def test_a_cycle_needs_the_word(word: str) -> None:
    problem = rf"key 'cells.overhead.formula': The formulas of 'overhead' and 'total' form a cycle\. {WORD}"
    with pytest.raises(RegistryError, match=problem):
        parse_sheet(YAML.replace("implicit: true\n", word), "budget")


def test_a_formula_of_its_own_cell_needs_the_word() -> None:
    text = "sheet: fix\ntitle: T\ncells:\n  x: {formula: exp(-x)}\n"
    with pytest.raises(RegistryError, match=rf"The formula of 'x' uses 'x' itself\. {WORD}"):
        parse_sheet(text, "fix")


def test_every_cycle_is_reported() -> None:
    text = (
        "sheet: two\ntitle: T\ncells:\n  a: {formula: b}\n  b: {formula: a}\n  x: {formula: y + a}\n  y: {formula: x}\n"
    )
    with pytest.raises(RegistryError) as caught:
        parse_sheet(text, "two")
    assert [re.findall("'([abxy])'", problem.problem) for problem in caught.value.problems] == [["a", "b"], ["x", "y"]]


def test_the_word_is_true_or_false() -> None:
    with pytest.raises(RegistryError, match="3:11, key 'implicit': 'maybe' is neither true nor false"):
        parse_sheet(YAML.replace("true", "maybe"), "budget")


def test_the_word_without_a_cycle_changes_nothing() -> None:
    """It permits cycles: a sheet that is extended or embedded may have none yet, and one that extends it may cut it."""
    text = YAML.replace("share*total", "share*base")
    model, plain = parse_sheet(text, "budget"), parse_sheet(text.replace("implicit: true\n", ""), "budget")
    assert model.rows.cycles == []
    assert str(solve(model, "total", ["base = 90 USD"])) == str(solve(plain, "total", ["base = 90 USD"]))


BODY = """
    base = given("Cost before overhead", "USD", example=90)
    share = given("Share of the total", default="0.1")
    overhead = formula(share * total, "USD", "Overhead")
    total = formula(base + overhead, "USD", "Total")
"""


def declared(folder: Path, body: str) -> Sheet:
    file = folder / "budget.py"
    head = 'from flopsheet import *\n\nclass Budget(Sheet):\n    """Cost."""\n'
    file.write_text(head + body, encoding="utf-8")
    return load(file)


def test_a_class_without_the_word_is_told_of_it(tmp_path: Path) -> None:
    fix = r"budget\.py:8: 'total' is not declared\. Declare it above, or write implicit = True first where the two"
    with pytest.raises(SheetError, match=fix):
        declared(tmp_path, BODY)


MISTAKES = [
    ("implicit = 1", r"budget\.py:5, 'implicit': This is not True or False\. Write implicit = True"),
    ("implicit = True\n    c = formula(toal, 'USD')", r":6, 'c': The formula uses 'toal', .*Did you mean 'total'"),
    ("implicit = True\n    c = formula(total, 'USD/s')", r":6, 'c': 'c' is declared in USD/s"),
    (
        "implicit = True\n    c = limit(total <= 100 * total)",
        r":6, 'c': The formula uses 'total', which is not declared",
    ),
    ("implicit = True\n    c = formula(total / 0)", "divides by zero"),
]


@pytest.mark.parametrize(("rows", "problem"), MISTAKES)
def test_mistakes_are_told_with_their_line(rows: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises((SheetError, DimensionError), match=problem):
        declared(tmp_path, f"    {rows}{BODY}")


def test_other_names_keep_their_meaning() -> None:
    rate = ratio(1, 5)

    class Taxed(Budget):
        """Cost with a tax."""

        tax = formula(rate * net, "USD", "Tax")
        net = formula(total + sum([tax, tax]) / len("ab"), "USD", "Net")

    assert solve(Taxed(), "net", ["base = 72 USD"]).value == 100


def test_a_sheet_that_extends_an_implicit_one_is_implicit_unless_it_says_no() -> None:
    class Explicit(Budget):
        """Cost with an overhead on the base."""

        implicit = False
        overhead = override(share * base)

    assert "implicit" not in as_yaml(Explicit())
    assert solve(Explicit(), "total", ["base = 100 USD"]).value == 110
    with pytest.raises(SheetError, match="'overhead' and 'total' form a cycle"):
        new_class("Still", (Budget,), exec_body=lambda body: body.__setitem__("implicit", False))


def test_a_cycle_that_extending_closes_needs_the_word() -> None:
    class Load(Sheet):
        """Power of a load."""

        heat = given("Heat", "W", example=100)
        power = formula(heat / 2 + heat, "W", "Power")

    class Fan(Sheet):
        """Heat of a fan."""

        power = given("Power", "W", example=100)
        fixed = given("Fixed heat", "W", example=10)
        heat = formula(power / 3 + fixed, "W", "Heat")

    with pytest.raises(SheetError, match=r"form a cycle\. Leave one of them given, or .* 'implicit = True'\."):
        new_class("Both", (Load, Fan))

    class Together(Load, Fan):
        """Both."""

        implicit = True

    assert solve(Together(), "heat", ["fixed = 10 W"]).value == 20


def test_an_embedded_sheet_brings_its_cycle_and_may_be_part_of_one() -> None:
    class Firm(Sheet):
        """Two projects, of which the second costs what the first does in all."""

        reserve = given("Reserve", "USD", example=10)
        first = part(Budget, "First project")
        second = part(Budget, "Second project", base=first.total)
        fits = limit(second.total >= reserve, "Enough")

    model = Firm()
    assert model.rows.cycles == [("first.overhead", "first.total"), ("second.overhead", "second.total")]
    assert as_yaml(parse_sheet(as_yaml(model), "firm")) == as_yaml(model)
    assert solve(model, "second.total", ["first.base = 81 USD"]).value == 100

    class Loop(Sheet):
        """A project whose base is a half of a fee on its total."""

        implicit = True
        project = part(Budget, "Project", base=half)
        fee = given("Fee", "USD", example=45)
        half = formula(project.total / 2 + fee, "USD", "Half of the total, and a fee")

    answer = solve(Loop(), "half", ["fee = 40 USD"])
    assert (answer.value, answer.cells["project.total"].si) == (90, 100)
