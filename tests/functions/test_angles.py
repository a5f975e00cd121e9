"""Inverse sines and cosines next to 1, which rounding may exceed, angles of zero, and waves within other relations."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import acos, asin, atan, solve
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import program_of
from flopsheet.functions import BY_NODE
from flopsheet.functions.angles import Tan
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.spans import Span
from flopsheet.search.field import Field
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.units import Number

X = symbol("x")


@pytest.mark.parametrize(
    ("expression", "x", "angle"),
    [
        (asin(X), 1 + 1e-13, 90),
        (asin(X), -1 - 1e-13, -90),
        (acos(X), 1 + 1e-13, 0),
        (acos(X), -1 - 1e-13, 180),
        (asin(X), 1, 90),
        (acos(X), -1, 180),
    ],
    ids=str,
)
def test_a_sine_that_exceeds_1_by_rounding_is_1(expression: Any, x: Number, angle: int) -> None:
    assert evaluate(expression, {"x": x}) == angle


@pytest.mark.parametrize("expression", [asin(X), acos(X)], ids=str)
@pytest.mark.parametrize("x", [1 + 1e-11, -1 - 1e-11, 2])
def test_a_sine_that_exceeds_1_by_more_has_no_angle(expression: Any, x: Number) -> None:
    with pytest.raises(ArithmeticTrapError):
        evaluate(expression, {"x": x})


@pytest.mark.parametrize(("expression", "x"), [(asin(X), 0), (atan(X), 0), (acos(X), 1)], ids=str)
def test_an_angle_of_zero_has_digits(expression: Any, x: int) -> None:
    angle = Field(program_of(expression), "x", {}).precise(x, x, 100)
    assert angle.a == angle.b == 0


def test_a_line_meets_an_arc_tangent_at_zero_too(tmp_path: Path) -> None:
    sheet = variables(tmp_path, {"x": {"minimum": -100, "maximum": 100}})
    values = [part.lower for part in solve(sheet, "x", "atan(x) = x * 10 degree").outcomes["x"].listed]
    assert values == pytest.approx([-8.314159625720715, 0, 8.314159625720715], rel=1e-14)


# The smallest and largest x [degree], what is asked, and the parts that work, each with whether its ends do.
AROUND_POLES: list[tuple[str, list[str], list[tuple[int, int, bool, bool]]]] = [
    ("minimum: 0, maximum: 100", ["tan(x * 1 degree) >= 1"], [(45, 90, True, False)]),
    ("minimum: 80, maximum: 100", ["tan(x * 1 degree) <= 0"], [(90, 100, False, True)]),
    ("signed: true", ["tan(x * 1 degree) > 0.5", "x >= 0", "x <= 10"], []),
    ("signed: true", ["tan(x * 1 degree) >= 1", "x >= 0", "x <= 80"], [(45, 80, True, True)]),
    (
        "signed: true",
        ["tan(x * 1 degree) >= 1", "x >= 0", "x <= 400"],
        [(45, 90, True, False), (225, 270, True, False)],
    ),
    ("signed: true", ["tan(x * 1 degree) <= -1", "x > 0", "x < 180"], [(90, 135, False, True)]),
    ("signed: true", ["cos(x * 1 degree) <= -0.5", "x >= 0", "x <= 400"], [(120, 240, True, True)]),
    ("signed: true", ["sin(2*x * 1 degree) <= -0.5", "x >= 0", "x <= 180"], [(105, 165, True, True)]),
    (
        "signed: true",
        ["sin(x * 1 degree) >= 0", "cos(2*x * 1 degree) <= 0", "x >= 0", "x <= 360"],
        [(45, 135, True, True)],
    ),
]


@pytest.mark.parametrize(("bounds", "asked", "parts"), AROUND_POLES, ids=lambda own: str(own)[:40])
def test_a_wave_is_inverted_within_other_relations_up_to_its_poles(
    bounds: str, asked: list[str], parts: list[tuple[int, int, bool, bool]]
) -> None:
    """All angles were searched first, however few others leave; and a tangent ended 4e-10 degrees before its pole."""
    sheet = parse_sheet(f"sheet: wave\ntitle: Wave.\ncells:\n  x: {{doc: Angle, {bounds}}}\n", "wave")
    outcome = solve(sheet, "x", asked).outcomes["x"]
    assert [(part.lower, part.upper, part.lower_closed, part.upper_closed) for part in outcome.listed] == parts
    assert not outcome.open


@pytest.mark.parametrize("way", [-1, 1])
def test_a_tangent_has_a_value_next_to_its_pole_and_none_at_it(way: int) -> None:
    beside = math.nextafter(90, way * math.inf)
    for at, total in ((beside, True), (90, False), (90.0, False), (Fraction(90), False), (270, False), (1e300, True)):
        assert BY_NODE[Tan].bounds(Span(at, at)).total is total, at
    assert not BY_NODE[Tan].bounds(Span(min(beside, 90), max(beside, 90))).total


def test_no_numbers_between_two_floats_are_listed_where_a_wave_turns_round() -> None:
    """Neighbours above 1e32 are many turns apart: that both meet a bound says nothing of the numbers between."""
    sheet = parse_sheet("sheet: far\ntitle: Far.\ncells:\n  x: {doc: Number, signed: true}\n", "far")
    listed = solve(sheet, "x", "x*sin(x * 1 degree) >= 10").outcomes["x"].listed
    assert listed
    assert all(part.is_point or part.upper - part.lower < 180 for part in listed)
