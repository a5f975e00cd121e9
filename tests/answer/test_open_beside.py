"""What is listed beside what stays open: it holds, and no rounding adds it from there."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import reload, solve
from flopsheet.inverse import simultaneous as together
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.numbers.sets import Interval

PARTS = 40


def inside(part: Interval) -> list[Fraction]:
    """Return numbers of a range, its ends where they belong to it and are finite."""
    if part.is_point:
        return [Fraction(part.lower)]
    lower = Fraction(part.lower)
    upper = Fraction(part.upper) if math.isfinite(part.upper) else 2 * lower + 1
    return [lower + (upper - lower) * step / PARTS for step in range(1, PARTS)]


def test_an_end_that_a_search_left_reaches_over_no_gap(tmp_path: Path) -> None:
    """A remainder of what goes through a pole: ranges lie ever more densely, and a search ends among them."""
    text = "mod(((x/1e-6 + 0.1)/(x/1e-6 - 2.5))*min(x/1e-6 + 0.1, 7), 3) < 1.728"

    def value(x: Fraction) -> Fraction:
        at = x * 10**6
        least = min(at + Fraction(1, 10), Fraction(7))
        return (at + Fraction(1, 10)) / (at - Fraction(5, 2)) * least % 3

    outcome = solve(variables(tmp_path, {"x": {}}), "x", [text, "x <= 2.5e-6"]).outcomes["x"]
    assert len(outcome.listed) > 50
    assert all(value(at) < Fraction("1.728") for part in outcome.listed for at in inside(part))


@pytest.mark.slow
def test_no_value_is_listed_where_one_relation_holds_and_the_other_one_is_open(tmp_path: Path) -> None:
    cells: dict[str, dict[str, Any]] = {
        "x": {"maximum": 410000},
        "part": {"formula": "8.2*x/(x + 1200)"},
        "whole": {"formula": "part + mod(part, 7)"},
    }

    def value(x: Fraction) -> Fraction:
        part = Fraction("8.2") * x / (x + 1200)
        return part + part % 7

    outcome = solve(variables(tmp_path, cells), "x", ["whole < 13.5", "whole >= 10"]).outcomes["x"]
    assert all(10 <= value(at) < Fraction("13.5") for part in outcome.listed for at in inside(part))


def test_what_one_tuple_of_whole_numbers_leaves_open_is_solved_for_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ratio at the end of its range lay in an open box, the tuples that were listed failed, and none was told."""
    count, share = "integer: true, minimum: 1, maximum: 7", "formula: x/y"
    cells = f"  x: {{{count}}}\n  y: {{{count}}}\n  a: {{{share}}}\n  b: {{formula: 'min(x, 4)*a'}}\n"
    model = parse_sheet(f"sheet: shares\ntitle: Shares.\ncells:\n{cells}", "shares")
    asked = ["floor(b/3)*y = 0", "a <= 3/7", "b = 9/7"]
    answer = solve(model, ["a", "y", "x"], asked)
    assert answer.tuples == [{"a": Fraction(3, 7), "y": 7, "x": 3}]
    monkeypatch.setattr(together, "MOST_BESIDE", 0)
    reload()
    assert {own.proof for own in solve(model, ["a", "y", "x"], asked).outcomes.values()} == {Proof.OPEN}
