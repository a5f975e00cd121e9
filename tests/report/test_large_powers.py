"""Powers whose closed form has more digits than anybody reads: every display of an answer ends all the same."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import parse_sheet

QUESTIONS = (
    ("2**a", "y", "a <= 1e40"),
    ("a**1e-12", "a", "z = 3"),
    ("a**1e-12", "z", "a >= 3"),
    ("a**(1/20000)", "z", "a >= 3"),
    ("a**0.1", "a", "z = 1e40"),
    ("a**0.1", "a", "z >= 1e40"),
    ("log(a)/1e12", "a", "z = 3"),
)


@pytest.mark.parametrize(("formula", "unknown", "relation"), QUESTIONS)
def test_displays_end(formula: str, unknown: str, relation: str) -> None:
    cells = f"  a: {{}}\n  y: {{formula: '{formula}', signed: true}}\n  z: {{formula: 3*y, signed: true}}\n"
    answer = solve(parse_sheet(f"sheet: powers\ntitle: Powers\ncells:\n{cells}", "powers"), unknown, [relation])
    assert answer.as_dict()["answers"][unknown]["kind"]
    assert "## Answer" in answer.derivation()
