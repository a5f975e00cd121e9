"""Computed cells beside the way to an unknown bind it, too: they are zero or more by default, or have own bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from flopsheet import Sheet, ceil, formula, given, max_, min_, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.signs import is_never_negative
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet, read_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.numbers.sets import RealSet

INFINITE = float("inf")


def sheet_of(folder: Path, least: int = 0, **formulas: str) -> Sheet:
    """Return a sheet of two inputs of either sign, and computed cells: those named `signed_` are so too."""
    cells: dict[str, dict[str, Any]] = {
        name: {"doc": name, "symbol": name, "signed": True, "example": 1} for name in ("x", "z")
    }
    for place, (name, text) in enumerate(formulas.items()):
        bounds = {"signed": True} if name.startswith("signed_") else {"minimum": least} if least else {}
        cells[name] = {"doc": name, "symbol": f"c_{place}", "formula": text, **bounds}
    file = folder / "beside.yaml"
    file.write_text(yaml.safe_dump({"sheet": "beside", "title": "Beside", "cells": cells}, sort_keys=False))
    return read_sheet(file)


def ends(solutions: RealSet) -> list[tuple[float, float]]:
    return [(float(part.lower), float(part.upper)) for part in solutions]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("sign", ["=", "<=", ">="])
def test_a_default_bound_beside_the_way_excludes_values(sign: str, seed: int, tmp_path: Path) -> None:
    """`goal = (x - a)**2` is asked for while `x - b`, which nothing asks for, is zero or more. It only warned."""
    random = Random(f"{sign} {seed}")  # noqa: S311  # draws of a test
    a, b, c = (Fraction(random.randint(-400, 400), 16) for _ in range(3))
    sheet = sheet_of(tmp_path, goal=f"(x - {a})**2", beside=f"x - {b}")
    outcome = solve(sheet, "x", [f"goal {sign} {c * c}"]).outcomes["x"]
    low, high = float(a - abs(c)), float(a + abs(c))
    pieces = {"=": [(low, low), (high, high)], "<=": [(low, high)], ">=": [(-INFINITE, low), (high, INFINITE)]}[sign]
    expected = [(max(low, float(b)), high) for low, high in pieces if high >= b]
    if sign != "<=" and len(expected) == 2 and expected[0][1] == expected[1][0]:  # they touch
        expected = [expected[0]] if sign == "=" else [(expected[0][0], INFINITE)]
    assert ends(outcome.listed) == expected
    assert outcome.proof is not Proof.OPEN


def test_the_bound_is_named(tmp_path: Path) -> None:
    answer = solve(sheet_of(tmp_path, signed_goal="2*x", beside="x - 2"), "x", ["signed_goal = 2"])
    assert not answer.solved
    assert "'beside >= 0'" in answer.outcomes["x"].why
    assert not [text for text in answer.warnings if "outside" in text]


@pytest.mark.parametrize(
    ("more", "expected"), [([], {(3, 2)}), (["x <= 2.5"], set()), (["x >= 2.5"], {(3, 2)})], ids=str
)
def test_tuples_are_excluded(more: list[str], expected: set[tuple[int, int]], tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, signed_sum="x + z", signed_product="x*z", beside="x - z")
    answer = solve(sheet, ("x", "z"), ["signed_sum = 5", "signed_product = 6", *more])
    assert {(own["x"], own["z"]) for own in answer.tuples} == expected
    assert answer.solved == bool(expected)
    assert not [text for text in answer.warnings if "several values" in text]


@pytest.mark.parametrize("least", [0, 1])
def test_a_bound_excludes_the_only_tuple(least: int, tmp_path: Path) -> None:
    """It was told as the answer, with a warning."""
    sheet = sheet_of(tmp_path, least, signed_sum="x + z", signed_product="x*z", beside="x - z")
    answer = solve(sheet, ("x", "z"), ["signed_sum = 5", "signed_product = 6", "x <= 2.5"])
    assert not answer.solved
    assert "beside would be -1, outside its bounds" in answer.outcomes["x"].why


def test_a_range_of_one_unknown_on_which_another_rests(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, signed_sum="x + z", signed_product="x*z", beside="x - z")
    answer = solve(sheet, ("x", "z"), ["signed_sum = 5", "signed_product >= 6"])
    assert ends(answer.outcomes["x"].listed) == [(2.5, 3)]


class Steps(Sheet):
    """Times of which one hides the other, counts, and what is left of both."""

    n = given("Count", integer=True, maximum=10_000)
    rate = given("Rate", default=7, source="ours")
    work = formula(ceil(n / 3) * 5, "", "Work")
    exchange = formula(rate * n, "", "Exchange")
    both = formula(max_(work, exchange), "", "Both at once")
    waited = formula(both - work, "", "What is left of it: never negative")
    hidden = formula(work - min_(work, exchange), "", "Nor this")
    sum_of_all = formula(both + work + exchange, "", "All")
    rest = formula(sum_of_all - exchange, "", "Nor this")


def test_what_is_never_negative_by_its_form_binds_nothing() -> None:
    """Interval arithmetic does not see that `max(work, exchange) - work` is not negative."""
    outcome = solve(Steps(), "n", ["sum_of_all <= 20000"]).outcomes["n"]
    assert len(outcome.listed) == 1
    assert outcome.proof is not Proof.OPEN
    assert outcome.whole == 1276


NAMES = ("a", "b", "c", "d")
FORMULAS = {"a": "max(b, c)", "b": "c + d", "d": "min(c, 3*c)"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - b", True),
        ("a - c", True),
        ("2*a - b - c", True),
        ("b - d", True),
        ("c - min(c, d)", True),
        ("d*(a - b)", True),
        ("a - b - c", False),
        ("c - d", True),
        ("b - a", True),
        ("a - 2*c", False),
        ("log(a)", False),
        ("a + c**2 + exp(b)", True),
        ("max(a - b, 0) - c", False),
        ("(b - 2*c)**2", True),
        ("max(c - d, 1) - 1", True),
    ],
)
def test_signs_by_form(text: str, expected: bool) -> None:
    formulas = {name: parse_formula(own, NAMES) for name, own in FORMULAS.items()}
    formula_of = parse_formula(text, NAMES)
    assert is_never_negative(formula_of, formulas) == expected
    for number in range(60):  # a second way: at values of which none is below zero
        c = number / 8
        values = {"c": c, "d": min(c, 3 * c), "b": 2 * c, "a": max(2 * c, c)}
        known = {"max": max, "min": min, "exp": math.exp, "log": lambda a: math.log(a or 1), **values}
        assert not expected or eval(text, known) >= 0  # noqa: S307  # texts of this file


def test_a_bound_that_is_not_proven_is_said(tmp_path: Path) -> None:
    """A square that only its expanded form hides touches zero."""
    square = "x*x - 2*x*exp(-x/1000) + exp(-x/500)"
    answer = solve(sheet_of(tmp_path, signed_goal="2*x", beside=square), "x", ["signed_goal >= 0", "signed_goal <= 9"])
    assert ends(answer.outcomes["x"].listed) == [(0, 4.5)]
    assert "Whether beside stays within its bounds is not proven." in answer.warnings


class Sharded(Sheet):
    """Ranks of which a default formula leaves fewer than one, and a side cell without a value."""

    n_ranks = given("Ranks", integer=True, maximum=64)
    n_tensor = given("Ranks that share a matrix", default=8, source="ours")
    n_shard = given("Ranks that share states", inferred=n_ranks / n_tensor, minimum=1)
    memory = formula(4096 / n_ranks, "", "Memory")
    room = formula(9 / (n_ranks - 20) ** 2, "", "A cell that has no value at 20")


def test_a_default_formula_binds_and_what_has_no_value_does_not() -> None:
    outcome = solve(Sharded(), "n_ranks", ["memory >= 64"]).outcomes["n_ranks"]
    assert ends(outcome.listed) == [(8, 64)]
    assert "n_shard >= 1" in outcome.why


@pytest.mark.parametrize(
    ("bounds", "formula_text"),
    [({"maximum": 100}, "1/(x*mod(x, 16))"), ({"maximum": 0.9}, "1/(x*mod(x, 16))"), ({"maximum": 100}, "log(x - 3)")],
)
def test_what_has_no_value_beside_the_way_breaks_no_bound(bounds: dict[str, float], formula_text: str) -> None:
    """Whether a count is found in a range or by an equation makes no difference; the answer says what has no value."""
    cells: dict[str, dict[str, Any]] = {"x": {"integer": True, "minimum": 0, "maximum": 20}, "y": {"formula": "x + 1"}}
    cells["b"] = {"formula": formula_text, **bounds}
    declared = {name: {"doc": name, "symbol": f"c_{name}", **cell} for name, cell in cells.items()}
    sheet = parse_sheet(yaml.safe_dump({"sheet": "beside", "title": "Beside", "cells": declared}), "beside")

    def is_fine(x: int) -> bool:
        divides, takes = x in (0, 16), x <= 3
        if takes if "log" in formula_text else divides:
            return True
        value = math.log(x - 3) if "log" in formula_text else 1 / (x * (x % 16))
        return 0 <= value <= bounds["maximum"]

    expected = [x for x in range(18) if is_fine(x)]
    parts = solve(sheet, "x", ["y <= 18"]).outcomes["x"].solutions
    assert [x for x in range(21) if any(x in part for part in parts)] == expected
    for x in range(18):
        assert (solve(sheet, "x", [f"y = {x + 1}"]).outcomes["x"].kind == "value") is (x in expected), x
