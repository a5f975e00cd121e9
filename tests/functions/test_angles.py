"""Inverse sines and cosines next to 1, which rounding may exceed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import acos, asin
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
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
