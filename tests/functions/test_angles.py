"""Inverse sines and cosines next to 1, which rounding may exceed, and angles of zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import acos, asin, atan, solve
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import program_of
from flopsheet.functions.symbols import symbol
from flopsheet.search.field import Field

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
