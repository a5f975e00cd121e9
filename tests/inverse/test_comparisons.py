"""Comparisons with 0 and 1 that signs, logarithms and ratios decide, against the same in many digits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.outcome import Outcome

LINE, POSITIVE = Sheet("line"), Sheet("positive")
LINE.rows.add_cell(Cell("x", "A number of either sign", bounds=ANY))
POSITIVE.rows.add_cell(Cell("x", "A positive number"))
INF = math.inf


def asked(relation: str, sheet: Sheet = LINE) -> Outcome:
    return solve(sheet, "x", [relation]).outcomes["x"]


def ends(outcome: Outcome) -> list[tuple[float, float]]:
    return [(float(part.lower), float(part.upper)) for part in outcome.listed]


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("100*1.5**x = 200*1.2**x", [(math.log(2) / math.log(1.25),) * 2]),
        ("100*1.5**x >= 200*1.2**x", [(math.log(2) / math.log(1.25), INF)]),
        ("200*1.2**x > 100*1.5**x", [(-INF, math.log(2) / math.log(1.25))]),
        ("2**x = 3**x", [(0, 0)]),
        ("2**x + 3**x <= 0", []),
        ("2**x + 3**x > 0", [(-INF, INF)]),
        ("-3*exp(x) >= 2*5**(-x)", []),
    ],
)
def test_exponentials_of_two_bases_are_compared_to_infinity(relation: str, expected: list[tuple[float, float]]) -> None:
    outcome = asked(relation)
    assert ends(outcome) == [pytest.approx(part, rel=1e-13) for part in expected]
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("x**x = 1", [(1, 1)]),
        ("x**x >= 1", [(1, INF)]),
        ("x**x < 1", [(0, 1)]),
        ("(1 + 1/x)**x <= 1", []),
        ("x**(1/x) <= 1", [(0, 1)]),
        ("x*log(x) >= 0", [(1, INF)]),
        ("-2*(log(x) - 3)*exp(x) > 0", [(0, math.exp(3))]),
        ("(log(x) - 1)*(exp(x) - 2) < 0", [(math.log(2), math.e)]),
        ("(log(x) - 1)/(2 - exp(x)) >= 0", [(math.log(2), math.e)]),
    ],
)
def test_signs_and_logarithms_decide_down_to_zero(relation: str, expected: list[tuple[float, float]]) -> None:
    outcome = asked(relation, POSITIVE)
    assert ends(outcome) == [pytest.approx(part, rel=1e-13) for part in expected]
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(("relation", "holds"), [("(log(x) - 1)*(exp(x) - 2) >= 0", True), ("log(x)*x > 0", False)])
def test_a_zero_of_a_factor_belongs_to_what_is_not_strict(relation: str, holds: bool) -> None:
    outcome = asked(relation, POSITIVE)
    (end,) = {end for part in outcome.listed for end in (part.lower, part.upper) if end == 1 or 2.7 < end < 2.8}
    assert any(end in part for part in outcome.listed) is holds


BASES = st.builds(Fraction, st.integers(1, 60), st.integers(1, 40)).filter(lambda base: base != 1)


@settings(max_examples=60, deadline=None)
@given(first=BASES, second=BASES, factor=BASES, sign=st.sampled_from(["=", "<=", ">"]))
def test_planted_balances(first: Fraction, second: Fraction, factor: Fraction, sign: str) -> None:
    outcome = asked(f"({first})**x {sign} ({factor})*({second})**x")
    if first == second:
        assert (ends(outcome) == []) is not {"=": False, "<=": factor > 1, ">": factor < 1}[sign]
        return
    with mpmath.workdps(60):
        level, rate = (mpmath.log(mpmath.mpf(each.numerator) / each.denominator) for each in (factor, first / second))
        root = float(level / rate)
    rises = first > second
    expected = {
        "=": (root, root),
        "<=": (-INF, root) if rises else (root, INF),
        ">": (root, INF) if rises else (-INF, root),
    }
    assert ends(outcome) == [pytest.approx(expected[sign], rel=1e-13)]
    assert outcome.proof is Proof.EXACT
