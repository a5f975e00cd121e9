"""An equation with an irrational root and an inequality whose decimal is near it: digits decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from flopsheet import Sheet, solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

Real = Callable[[mpf], mpf]
DIGITS = 40
EQUATIONS: dict[str, tuple[Real, mpf, mpf]] = {  # each rises between the two numbers
    "exp(x)": (mp.exp, mpf("0.01"), mpf(5)),
    "log(x)": (mp.log, mpf("1.01"), mpf(10**6)),
    "x**2": (lambda x: x**2, mpf("0.1"), mpf(1000)),
    "x**3 + x": (lambda x: x**3 + x, mpf("0.1"), mpf(1000)),
    "x + exp(x)": (lambda x: x + mp.exp(x), mpf("0.01"), mpf(5)),
    "x*log(x)": (lambda x: x * mp.log(x), mpf("1.01"), mpf(1000)),
}
OTHERS: dict[str, Real] = {"x": lambda x: x, "x**3": lambda x: x**3, "y": lambda x: mp.log(1 + x) + x}
SHEET = """
sheet: roots
title: A root and what follows from it.
cells:
  x: {doc: Number, minimum: 0}
  y: {doc: What follows, formula: log(1 + x) + x}
  z: {doc: Another number, signed: true}
"""


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    return parse_sheet(SHEET, "roots")


def root_of(function: Real, level: mpf, low: mpf, high: mpf) -> mpf:
    for _ in range(4 * DIGITS):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < level else (low, middle)
    return low


def decimal(value: mpf, digits: int, last: int) -> str:
    """Return a number with so many digits, its last one moved."""
    exponent = digits - 1 - int(mp.floor(mp.log10(value)))
    mantissa = int(mp.nint(value * mpf(10) ** exponent)) + last
    text: str = mp.nstr(mpf(mantissa) / mpf(10) ** exponent, digits, strip_zeros=False, min_fixed=-30, max_fixed=30)
    return text


ASKED = st.fixed_dictionaries(
    {
        "equation": st.sampled_from([*EQUATIONS]),
        "level": st.integers(2, 40),
        "other": st.sampled_from([*OTHERS]),
        "sign": st.sampled_from(["<=", ">=", "<", ">"]),
        "digits": st.integers(6, 15),
        "last": st.integers(-3, 3),
        "another": st.booleans(),
    }
)


@settings(max_examples=60)
@drawn(ASKED)
def test_digits_decide_whether_a_root_meets_an_inequality(sheet: Sheet, asked: dict[str, Any]) -> None:
    equation, level, other, sign = asked["equation"], asked["level"], asked["other"], asked["sign"]
    function, low, high = EQUATIONS[equation]
    with mp.workdps(DIGITS):
        if not function(low) < level < function(high):
            return
        root = root_of(function, mpf(level), low, high)
        if abs(root - mp.nint(root)) < mpf("1e-20"):
            return  # it is rational: nothing rounds
        value = OTHERS[other](root)
        bound = decimal(value, asked["digits"], asked["last"])
        gap = value - mpf(bound)
        if abs(gap) < mpf("2e-15") * value:
            return  # such a decimal may have been printed of the value
        holds = (gap < 0) == ("<" in sign)
    unknowns = ("x", "z") if asked["another"] else ("x",)
    relations = [f"{equation} = {level}", f"{other} {sign} {bound}", *(["z = 2*x - 3"] if asked["another"] else [])]
    answer = solve(sheet, unknowns, relations)
    outcome = answer.outcomes["x"]
    assert outcome.kind == ("value" if holds else "none"), (relations, float(gap))
    assert outcome.proof is not Proof.OPEN
    assert answer.meets_question is holds


@pytest.mark.parametrize(
    ("relations", "holds"),
    [
        (["x**2 = 2", "z = x + 1", "z <= 2.414213562373"], False),
        (["x**2 = 2", "z = x + 1", "z <= 2.414213562374"], True),
        (["x**2 = 2.0", "x <= 1.41421356"], False),  # 2.0 may be a float that was printed, but not one so far off
        (["x**2 = 2.0", "x <= 1.41421357"], True),
        (["x**2 = 2.000000000000001", "x <= 1.4142135623730951"], True),  # both may have been printed
        (["exp(x) = 2", "x >= 0.6931471805599453"], True),  # the float that is printed of the root
    ],
)
def test_what_follows_from_a_root_is_known_to_its_digits(sheet: Sheet, relations: list[str], holds: bool) -> None:
    unknowns = ("x", "z") if any("z" in text for text in relations) else ("x",)
    assert solve(sheet, unknowns, relations).meets_question is holds


def test_a_cell_computed_from_logarithms_is_compared_by_digits(sheet: Sheet) -> None:
    answer = solve(sheet, "z", ["x = log(2)", "z = exp(x)", "z >= 2.00000000000001"])
    assert answer.outcomes["z"].kind == "none"
    assert solve(sheet, "z", ["x = log(2)", "z = exp(x)", "z >= 1.99999999999999"]).meets_question
