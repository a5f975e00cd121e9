"""A count times a sum that is above it by less than digits show: the signs of terms tell on which side it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("relation", "holds"),
    [
        ("x*(1 + 2**(-x)) > 5000", True),
        ("x*(1 + 2**(-x)) = 5000", False),
        ("x*(1 + 2**(-x)) <= 5000", False),
        ("3*(x - 2*exp(-x)) < 15000", True),
        ("x*(1 - 2**(-x)) < 5000", True),
        ("x*(1 - 2**(-x)) = 5000", False),
        ("x - x*(1/2)**x >= 5000", False),
        ("2*x*(1 - exp(-x)) < 10000", True),
        ("x*(exp(-x) - 1) > -5000", True),
        ("x + 0*x*exp(-x) = 5000", True),
    ],
)
def test_whole_numbers_beside_a_level(relation: str, holds: bool, tmp_path: Path) -> None:
    outcome = solve(variables(tmp_path, {"x": {"integer": True}}), "x", relation).outcomes["x"]
    assert not outcome.open
    assert is_in(5000, outcome.listed) is holds
