"""Relations of exact numbers hold exactly, whatever floats say; bounds that are declared bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.errors import OverdeterminedError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path


TINY = "{doc: Value, formula: exp(-a), signed: true}"
STEPS = "{doc: Steps, formula: 'ceil(exp(-a/10)/a)*ceil(ceil(exp(-a/10)/a)/6)', signed: true}"
ABOVE = "{doc: Beside it, formula: a - 3, above: 0}"


def sheet_of(folder: Path, y: str) -> str:
    file = folder / "numbers.yaml"
    given = "sheet: numbers\ntitle: Numbers.\ncells:\n  a: {doc: Number, signed: true}\n"
    file.write_text(f"{given}  y: {y}\n  square: {{doc: Square, formula: a**2}}\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(("sign", "holds"), [(">", True), (">=", True), ("<=", False), ("<", False)])
@pytest.mark.parametrize("exponent", [800, 1000, 4321])
def test_a_value_that_underflows_is_compared_by_its_digits(
    tmp_path: Path, sign: str, exponent: int, *, holds: bool
) -> None:
    sheet, relations = sheet_of(tmp_path, TINY), [f"a = {exponent}", f"y {sign} 0"]
    assert (solve(sheet, "y", relations).outcomes["y"].kind == "value") is holds
    assert solve(sheet, (), relations).meets_question is holds


@pytest.mark.parametrize("off", ["1e-9", "1e-10", "3e-12"])
def test_exact_sides_that_differ_by_little_are_not_equal(tmp_path: Path, off: str) -> None:
    sheet = variables(tmp_path, {"x": {"minimum": "-10", "maximum": "10"}})
    outcome = solve(sheet, "x", ["x**3 = 8", f"x**2 = 4 + {off}"]).outcomes["x"]
    assert (outcome.kind, outcome.proof) == ("none", Proof.EXACT)
    assert "rounding" not in outcome.why
    assert solve(sheet, "x", ["x**3 = 8", f"x**2 <= 4 + {off}"]).value == 2


def test_a_decimal_is_met_within_half_its_last_digit(tmp_path: Path) -> None:
    sheet = variables(tmp_path, {"x": {"minimum": "0", "maximum": "10"}})
    assert solve(sheet, (), ["x = 1/3", "x + 1 = 1.3333333333"]).meets_question
    with pytest.raises(OverdeterminedError):
        solve(sheet, (), ["x = 1/3", "x + 1 = 1.33333333300"])


@pytest.mark.slow
def test_bounds_beyond_all_floats_do_not_end_a_search(tmp_path: Path) -> None:
    outcome = solve(sheet_of(tmp_path, STEPS), "a", ["y = 1"]).outcomes["a"]
    assert any(1 in part for part in outcome.listed)


def test_a_declared_bound_above_zero_binds(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, ABOVE)
    assert solve(sheet, "a", ["square = 9"]).outcomes["a"].kind == "none"
    (part,) = solve(sheet, "a", ["square <= 16"]).outcomes["a"].listed
    assert (part.lower, part.lower_closed, part.upper) == (3, False, 4)


def test_an_end_that_is_excluded_is_told_so(tmp_path: Path) -> None:
    sheet = variables(tmp_path, {"x": {"above": "8"}})
    assert "x**2 cannot fall to 64 at any x above 8" in solve(sheet, "x", ["x**2 = 64"]).outcomes["x"].why
    assert sheet.cells["x"].bounds.text(sheet.cells["x"].unit) == "above 8"


def test_a_forward_question_says_first_what_does_not_hold(tmp_path: Path) -> None:
    answer = solve(sheet_of(tmp_path, ABOVE), (), ["a = 5", "square <= 24"])
    assert str(answer) == "'square <= 24' does not hold: 25 is more than 24."


@pytest.mark.parametrize(("sign", "kind"), [(">", "value"), ("<", "none")])
def test_sides_beyond_floats_are_compared_too(tmp_path: Path, sign: str, kind: str) -> None:
    sheet = variables(tmp_path, {name: {"minimum": "0", "maximum": "1e9"} for name in "xy"})
    relations = ["x + y = 30000003", "x - y = 29999997", f"exp(x) {sign} exp(8)"]
    assert solve(sheet, ["x", "y"], relations).outcomes["x"].kind == kind


@pytest.mark.parametrize(
    ("given", "relation", "kind", "proof"),
    [
        ("x = y - 5/2", "sqrt(x) <= 3", "none", Proof.EXACT),  # x = -2
        ("x = y - 5/2", "x**y <= 7", "none", Proof.EXACT),
        ("x = y - 5/2", "log(x) <= 3", "none", Proof.EXACT),
        ("x = -2", "x**y <= 7", "none", Proof.EXACT),
        ("x = y - 1/2", "1/x <= 7", "none", Proof.EXACT),
        ("x**y/x**y*x = -2", "x <= 7", "none", Proof.EXACT),
        ("x = exp(2*y)", "sqrt(2 - x) <= 3", "none", Proof.EXACT),  # x = e, which no rounding makes less than 2
        ("x = 2 + 1e-15*sqrt(y)", "sqrt(2 - x) <= 3", "none", Proof.EXACT),  # of which floats lose digits
        ("x = y + 5/2", "sqrt(x) <= 3", "value", Proof.EXACT),
    ],
)
def test_an_unknown_at_which_a_relation_has_no_value_is_none(
    tmp_path: Path, given: str, relation: str, kind: str, proof: Proof
) -> None:
    """Where the unknown is computed, the relation is only substituted: that raised an error of arithmetic."""
    sheet = variables(tmp_path, {name: {"signed": "true"} for name in "xy"})
    outcome = solve(sheet, "x", [given, relation, "y = 1/2"]).outcomes["x"]
    assert (outcome.kind, outcome.proof) == (kind, proof)
    assert kind == "value" or "has no value at these numbers" in outcome.why or "needs" in outcome.why
