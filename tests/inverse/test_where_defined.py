"""Where a cell on the way has no value, no relation behind it holds, though formulas put together may have one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("formulas", "relation", "expected"),
    [
        ({"c": "sqrt(x)", "y": "c**2"}, "y <= x", [(0, 20)]),
        ({"c": "sqrt(x - 4)", "y": "c**2 + x"}, "y <= 6", [(4, 5)]),
        ({"c": "x**1.5", "y": "c**2"}, "y <= x", [(0, 1)]),
        ({"c": "1/x", "y": "c*x**2"}, "y <= 3", [(-20, 0), (0, 3)]),
        ({"c": "1/x", "e": "c*x", "y": "1/e"}, "y >= x", [(-20, 0), (0, 1)]),
        ({"c": "log(x)", "e": "log(x)", "y": "c - e"}, "y <= x", [(0, 20)]),
        ({"c": "x**2", "y": "c/x"}, "y <= 2", [(-20, 0), (0, 2)]),
        ({"c": "exp(-sqrt(x)/50)", "y": "mod(1/10, c)"}, "y <= 1/2", [(0, 20)]),
        ({"c": "1/x", "e": "sqrt(c - 1)", "y": "e**2 + x"}, "y <= 3 + x", [(Fraction(1, 4), 1)]),
    ],
)
def test_values_without_a_cell_on_the_way_do_not_meet_a_relation(
    tmp_path: Path, formulas: dict[str, str], relation: str, expected: list[tuple[float, float]]
) -> None:
    cells: dict[str, dict[str, Any]] = {"x": {"minimum": -20, "maximum": 20}}
    cells |= {name: {"formula": formula, "signed": True} for name, formula in formulas.items()}
    sheet = variables(tmp_path, cells)
    outcome = solve(sheet, "x", [relation]).outcomes["x"]
    assert [(part.lower, part.upper) for part in outcome.listed] == expected
    for part in outcome.listed:
        for end, closed in part.ends:
            has_value = "y" in solve(sheet, (), [f"x = {end}"]).cells
            assert has_value or not closed, end
