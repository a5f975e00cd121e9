"""Inequalities whose number has 16 or 17 digits, near where the formula is largest or smallest: each digit counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from mpmath import mp, mpf

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import is_in
from flopsheet.sheets.yaml_sheet import parse_sheet

FORMULAS = {
    "1-exp(-x)": lambda x: 1 - mp.exp(-x),
    "x**2+1": lambda x: x**2 + 1,
    "1/(1+x**2)": lambda x: 1 / (1 + x**2),
    "x**2-2*x": lambda x: x**2 - 2 * x,
    "x*(1-x)": lambda x: x * (1 - x),
    "x/(1+x)": lambda x: x / (1 + x),
    "exp(-x)+5": lambda x: mp.exp(-x) + 5,
}
ASKED = [
    *(("1-exp(-x)", sign, "0.9999999999999999", (0, 100), (36, 36.73, 36.74, 50, 99)) for sign in (">", ">=")),
    ("x**2+1", "<", "1.0000000000000002", (-10, 10), (-2e-8, -1.4e-8, 0, 1.4e-8, 2e-8)),
    ("1/(1+x**2)", ">=", "0.9999999999999998", (-10, 10), (-2e-8, -1.4e-8, 0, 1.4e-8, 2e-8)),
    *(
        ("x**2-2*x", sign, "-0.9999999999999998", (0, 5), (0.5, 1 - 2e-8, 1 - 1e-8, 1, 1 + 1e-8))
        for sign in ("<=", "<")
    ),
    ("x*(1-x)", ">=", "0.2499999999999999", (0, 1), (0.4, 0.5 - 2e-8, 0.5 - 1e-8, 0.5 + 1e-8, 0.5 + 2e-8)),
    ("x/(1+x)", ">=", "0.9999999999999999", (1, 10**30), (1, 1e14, 1e15, 8e15, 1e16, 1e20)),
    ("exp(-x)+5", "<=", "5.000000000000001", (0, 100), (1, 33, 34.3, 34.4, 50)),
]


@pytest.mark.parametrize(("formula", "sign", "level", "bounds", "numbers"), ASKED)
def test_a_level_is_the_float_that_is_written(
    formula: str, sign: str, level: str, bounds: tuple[int, int], numbers: tuple[float, ...]
) -> None:
    rows = (
        f"sheet: levels\ntitle: A number.\ncells:\n  x: {{doc: Number, minimum: {bounds[0]}, maximum: {bounds[1]}}}\n"
    )
    outcome = solve(parse_sheet(rows, "levels"), "x", [f"{formula} {sign} {level}"]).outcomes["x"]
    assert outcome.proof is not Proof.OPEN
    found = set()
    for number in numbers:
        with mp.workdps(60):
            gap = FORMULAS[formula](mpf(number)) - mpf(float(level))
            holds = gap == 0 if "=" in sign and not gap else (gap < 0) == ("<" in sign)
        assert is_in(Fraction(number), outcome.listed) is holds, number
        found.add(holds)
    assert found == {True, False}
