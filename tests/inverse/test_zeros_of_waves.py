"""Zeros and poles of sines and tangents: each of a domain is found, those too that no float gives to the last digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.functions import entry_of
from flopsheet.functions.angles import Cos, Sin, Tan
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.outcomes.outcome import Outcome


def asked(folder: Path, relation: str, low: float, high: float) -> Outcome:
    """Return what a relation leaves of `x` between two numbers."""
    sheet = variables(folder, {"x": {"minimum": low, "maximum": high}})
    return solve(sheet, "x", [relation]).outcomes["x"]


@pytest.mark.parametrize(
    ("relation", "low", "high", "expected"),
    [
        ("sin(x*180 degree) = 0", -10, 10, [*range(-10, 11)]),
        ("x*cos(x*90 degree) = 0", -4, 4, [-3, -1, 0, 1, 3]),
        ("cos(x*90 degree) = 1", 0, 9, [0, 4, 8]),
        ("tan(x*45 degree) = 0", 0, 9, [0, 4, 8]),
        ("tan(x*45 degree) = 1", 0, 9, [1, 5, 9]),
        ("x*tan(x*45 degree) = 3", 0, 9, [1.4327150981780243, 4.720787466122705, 8.43507394061061]),
        ("x*sin(x*57.29577951308232 degree) = 0", 0, 10, [0, 3.141592653589793, 6.283185307179586, 9.42477796076938]),
        ("tan(x*1 degree) = 1e7", 0, 89.9999999, [89.99999427042205]),
        ("tan(x*1 degree) = 1e7", 0, 300, [89.99999427042205, 269.99999427042206]),
    ],
)
def test_all_zeros_of_a_domain_are_found(
    tmp_path: Path, relation: str, low: float, high: float, expected: list[float]
) -> None:
    outcome = asked(tmp_path, relation, low, high)
    assert [float(part.lower) for part in outcome.listed] == pytest.approx(expected, rel=1e-15)
    assert all(part.is_point for part in outcome.listed)
    assert outcome.proof is not Proof.OPEN


@pytest.mark.parametrize(
    ("function", "values"), [(Sin, (0, 1, 0, -1)), (Cos, (1, 0, -1, 0)), (Tan, (0, None, 0, None))]
)
def test_right_angles_have_whole_values(function: object, values: tuple[int | None, ...]) -> None:
    entry = entry_of(function(symbol("x")))  # type: ignore[operator]
    for turns in (-2, 0, 5):
        for quarter, value in enumerate(values):
            if value is not None:
                assert entry.exact(360 * turns + 90 * quarter) == value
                assert entry.exact(360.0 * turns + 90 * quarter) == value
