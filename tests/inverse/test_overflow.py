"""Preimages beyond floats: what inversion cannot represent is open, never excluded and never included."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import ANY, Bounds, Cell

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.numbers.sets import RealSet

LARGEST, SMALLEST = sys.float_info.max, sys.float_info.min
MP = mpmath.MPContext()
MP.dps = 60


def asked(*relations: str, bounds: Bounds = ANY) -> Outcome:
    sheet = Sheet("sizes")
    sheet.rows.add_cell(Cell("x", "An input", bounds=bounds))
    return solve(sheet, "x", relations).outcomes["x"]


def ends(parts: RealSet) -> list[tuple[float, float]]:
    return [(float(part.lower), float(part.upper)) for part in parts]


@pytest.mark.parametrize(
    ("relation", "values", "opened"),
    [
        ("log(x) = 900", [], [(LARGEST, math.inf)]),
        ("log(x) >= 900", [], [(LARGEST, math.inf)]),
        ("log(x) <= 900", [(0, LARGEST)], [(LARGEST, math.inf)]),
        ("log(x) = -900", [], [(0, SMALLEST)]),
        ("log(x) >= -900", [(SMALLEST, math.inf)], [(0, SMALLEST)]),
        ("log(1/x) = 900", [], [(0, SMALLEST)]),
        ("abs(log(x)) = 900", [], [(0, SMALLEST), (LARGEST, math.inf)]),
        ("max(log(x), 3) = 900", [], [(LARGEST, math.inf)]),
        ("log(log(x)) = 8", [], [(LARGEST, math.inf)]),
        ("(log(x) - 900)*(x - 3) = 0", [(3, 3)], [(LARGEST, math.inf)]),
        ("sqrt(x)*exp(-700) = exp(700)", [], [(LARGEST, math.inf)]),
        ("x*exp(700) = exp(-700)", [], [(0, SMALLEST)]),
        ("-x*exp(700) = exp(-700)", [], [(-SMALLEST, 0)]),
    ],
)
def test_what_floats_cannot_hold_is_open(
    relation: str, values: list[tuple[float, float]], opened: list[tuple[float, float]]
) -> None:
    outcome = asked(relation)
    assert (ends(outcome.listed), ends(outcome.open), outcome.proof) == (values, opened, Proof.OPEN)


@pytest.mark.parametrize(
    "relation", ["log(x) = 900", "log(1/x) = 900", "sqrt(x)*exp(-700) = exp(700)", "x*exp(700) = exp(-700)"]
)
def test_bounds_within_floats_leave_nothing_open(relation: str) -> None:
    outcome = asked(relation, bounds=Bounds(lower=1e-9, upper=1e9))
    assert (outcome.kind, outcome.open) == ("none", ())
    assert outcome.proof is not Proof.OPEN


@pytest.mark.parametrize(
    "relation", ["exp(x) = 0", "exp(-x) <= 0", "x**-2 = 0", "2**x = 0", "exp(x) = -1", "x**2 = -1"]
)
def test_what_is_only_approached_is_excluded(relation: str) -> None:
    outcome = asked(relation)
    assert (outcome.kind, outcome.open) == ("none", ())
    assert outcome.proof is not Proof.OPEN


@pytest.mark.parametrize(
    ("relation", "low", "high"),
    [
        ("sqrt(x) <= 1e200", 0, 10**400),
        ("x**(1/3) >= 1e120", 10**360, math.inf),
        ("1e-200*x >= 1e200", 10**400, math.inf),
        ("x*3 >= 1", Fraction(1, 3), math.inf),
        ("exp(-x) <= 1e-300", 300 * math.log(10), math.inf),
    ],
)
def test_exact_ratios_of_any_size_are_ends(relation: str, low: float, high: float) -> None:
    outcome = asked(relation)
    assert outcome.proof is Proof.EXACT
    (part,) = outcome.listed
    assert part.upper == high
    assert part.lower == pytest.approx(low, rel=1e-12) if isinstance(low, float) else part.lower == low


def lies_in(logarithm: mpmath.mpf, parts: RealSet) -> bool:
    """Whether the number with a logarithm lies in a set, or within rounding of it."""
    off = MP.mpf(10) ** -9

    def log_of(end: float | Fraction) -> mpmath.mpf:
        if end <= 0:
            return -MP.inf
        return MP.inf if end == math.inf else MP.log(MP.mpf(Fraction(end).numerator) / Fraction(end).denominator)

    return any(log_of(part.lower) - off <= logarithm <= log_of(part.upper) + off for part in parts)


OUTER = {
    "{}": lambda inner: inner,
    "sqrt({})": MP.sqrt,
    "({})**2": lambda inner: inner**2,
    "({})**-1": lambda inner: 1 / inner,
    "({})*exp(300)": lambda inner: inner * MP.exp(300),
    "({})*1e250": lambda inner: inner * MP.mpf("1e250"),
    "({})/1e-280": lambda inner: inner / MP.mpf("1e-280"),
}
INNER = {
    "log(x)": MP.log,
    "x/3": lambda x: x / 3,
    "x**2": lambda x: x**2,
    "1/x": lambda x: 1 / x,
    "sqrt(x)": MP.sqrt,
    "x**1.7": lambda x: x ** MP.mpf("1.7"),
}


@settings(deadline=None, max_examples=60)
@given(
    st.integers(-2000, 2000), st.sampled_from([*OUTER]), st.sampled_from([*INNER]), st.sampled_from(["=", "<=", ">="])
)
def test_a_planted_root_of_any_size_is_a_value_or_open(size: int, outer: str, inner: str, sign: str) -> None:
    logarithm = MP.mpf(size) + MP.mpf("0.3")
    value = OUTER[outer](INNER[inner](MP.exp(logarithm)))
    assume(isinstance(value, MP.mpf) and MP.mpf("1e-290") < abs(value) < MP.mpf("1e290"))
    outcome = asked(f"{outer.format(inner)} {sign} {MP.nstr(value, 40)}", "x > 0")
    assert lies_in(logarithm, (*outcome.listed, *outcome.open)), (outcome.listed, outcome.open)
