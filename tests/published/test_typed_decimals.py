"""Decimals mean what is typed; one that an answer prints of a float is met within its last digits, as it says."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from mpmath import mp, mpf
from tests.published.variables import variables

from flopsheet import Sheet, formula, given, solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet.answer.outcomes.outcome import Outcome

# The inverse of 1 - formula: the number at which a formula is so much below 1.
LACKS: dict[str, Callable[[Any], Any]] = {
    "x/(x + 1)": lambda off: 1 / off - 1,
    "1 - exp(-x)": lambda off: -mp.log(off),
    "1 - 1/x**2": lambda off: 1 / mp.sqrt(off),
    "1 - x": lambda off: off,
    "(x**2 + 1)/(x**2 + 3)": lambda off: mp.sqrt(2 / off - 3),
    "1/(1 + exp(-x))": lambda off: mp.log((1 - off) / off),
}


def asked(folder: Path, relation: str, **bounds: Any) -> Outcome:
    return solve(variables(folder, {"x": bounds}), "x", relation).outcomes["x"]


@pytest.mark.parametrize("digits", [17, 19, 20, 24])
@pytest.mark.parametrize("formula", LACKS)
def test_a_long_decimal_below_a_limit_has_one_root(formula: str, digits: int, tmp_path: Path) -> None:
    with mp.workdps(60):
        root = LACKS[formula](mpf(10) ** -digits)
    outcome = asked(tmp_path, f"{formula} = {1 - Decimal(10) ** -digits}")
    assert outcome.si is not None
    assert outcome.kind == "value"
    assert outcome.proof in (Proof.EXACT, Proof.PROVEN)
    assert float(outcome.si) == pytest.approx(float(root), rel=1e-12)


@pytest.mark.parametrize(
    ("relation", "roots"),
    [
        ("x + 1e16 = 10000000000000000.5", [0.5]),
        ("x + 1e15 = 1000000000000000.25", [0.25]),
        ("x**2 + 1 = 1.00000000000000000001", [1e-10]),
        ("x + 1/x = 2.0000000000000001", [1 - 1e-8, 1 + 1e-8]),
        ("x + 1/x = 1.9999999999999999", []),
        ("x**3 - 3*x + 2.0000000000000001 = 0", []),
    ],
)
def test_all_digits_count(relation: str, roots: list[float], tmp_path: Path) -> None:
    outcome = asked(tmp_path, relation)
    assert not outcome.open
    assert [float(part.lower) for part in outcome.solutions] == pytest.approx(roots, rel=1e-12)
    assert "last digits" not in outcome.why


@pytest.mark.parametrize(
    ("relation", "last"),
    [("x/3 <= 33.333333333333333", 99), ("x/3 < 33.333333333333334", 100), ("x/7 <= 14.2857142857142857", 99)],
)
def test_all_digits_count_for_whole_numbers(relation: str, last: int, tmp_path: Path) -> None:
    assert asked(tmp_path, relation, integer=True, maximum=200).whole == last


@pytest.mark.parametrize(
    ("relation", "inside"),
    [
        ("1 - exp(-x) = 1.0", 40),
        ("x**2*exp(-x) = 0.5413411329464508", 2),
        ("x/(x + 1) = 0.9999999999999999", 1.1e16),
        ("exp(x) - x = 1.0000000000000002", 1e-8),
    ],
)
def test_what_answers_print_is_met_within_its_last_digits(relation: str, inside: float, tmp_path: Path) -> None:
    outcome = asked(tmp_path, relation)
    assert any(part.lower <= inside <= part.upper for part in outcome.solutions)
    assert f"'{relation}' (within its last digits) holds for" in outcome.why


def test_a_plateau_is_met_exactly(tmp_path: Path) -> None:
    assert "last digits" not in asked(tmp_path, "ceil(x)/4 = 0.75").why


@pytest.mark.parametrize("formula", ["exp(-x) - exp(-2*x)", "x*(1 - x)", "x - x**2"])
def test_a_short_decimal_at_an_extremum_is_no_range(formula: str, tmp_path: Path) -> None:
    outcome = asked(tmp_path, f"{formula} = 0.25", maximum=10)
    assert all(part.is_point for part in outcome.solutions)


@pytest.mark.parametrize(
    "relation", ["x**2 + 3/x = 3.931112091313346", "x + 2/x = 2.8284271247461903", "x**2 + 2/x = 3.0000000000000004"]
)
def test_where_a_printed_level_is_touched_within_its_last_digits_it_says_so(relation: str, tmp_path: Path) -> None:
    assert f"'{relation}' (within its last digits) holds at" in asked(tmp_path, relation).why


def test_a_system_that_touches_within_last_digits_says_so(tmp_path: Path) -> None:
    relations = ["x**2 + y**2 = 1", "x + y = 1.414213562373095"]
    answer = solve(variables(tmp_path, {"x": {"signed": True}, "y": {"signed": True}}), ["x", "y"], relations)
    assert any("(within its last digits)" in outcome.why for outcome in answer.outcomes.values())


@pytest.mark.parametrize(
    "relation",
    [
        "(x**2 - 2)**2 = 0.0",
        "x + 2/x = 2.8284271247961903",
        "x**2 = 2.0000000000000004",
        "x + log(x) = 1.2345678901234567",
    ],
)
def test_roots_that_are_passed_are_met_exactly(relation: str, tmp_path: Path) -> None:
    assert "last digits" not in asked(tmp_path, relation).why


@pytest.mark.parametrize(
    ("relation", "least", "inside"),
    [
        ("x/(x + 1) = 0.9999999999999999", 1e14, 1.1e16),
        ("exp(x)/(exp(x) + 3) = 1.0", 30, 40),
        ("2**x/(2**x + 3) = 1.0", 45, 60),
        ("exp(x**2/9)/(exp(x**2/9) + 3) = 1.0", 16, 20),
    ],
)
def test_last_digits_are_those_of_each_value(relation: str, least: float, inside: float, tmp_path: Path) -> None:
    """All positive numbers were told, as one of them was within rounding of the level: x = 1 gives 1/2."""
    outcome = asked(tmp_path, relation)
    assert [part for part in outcome.solutions if part.lower < least] == []
    assert any(part.lower <= inside <= part.upper for part in outcome.solutions)


class Held(Sheet):
    """Bytes of which some depend on an input, or none."""

    size = given("Bytes of a parameter", "byte/param", example=2)
    count = given("Parameters", "param", example=1, minimum=0)
    rest = given("Other bytes", "byte", example=1)
    memory = formula(rest + size * count, "GiB", "Memory")


@pytest.mark.parametrize("rest", [63752908800, 63752908801, 64023999999, 7400664645])
def test_a_printed_float_of_15_digits_in_other_units_is_met(rest: int) -> None:
    """59.3745231628418 GiB are 63,752,908,800 bytes, as printed: that no more than zero works was said as proven."""
    known = (f"rest = {rest} byte", "count = 0 param", f"memory = {rest / 2**30!r} GiB")
    parts = solve(Held, "size", known).outcomes["size"].solutions
    assert any(part.lower <= 2 <= part.upper for part in parts)


def test_a_decimal_that_differs_by_more_than_its_last_digit_is_not_met() -> None:
    known = ("rest = 63752908800 byte", "count = 0 param")
    assert solve(Held, "size", [*known, "memory = 59.3745231628419 GiB"]).outcomes["size"].kind == "none"
