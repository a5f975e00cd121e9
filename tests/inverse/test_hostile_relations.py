"""Relations made to deceive: digits that cancel, factors that vanish, roots beside poles, levels beyond floats.

A number that meets one is listed or left open, and a number that does not is never listed: "only", "none" and "every
value" are said of nothing else. What each number does was found with 60 digits.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, solve
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from flopsheet.units import Number

LINE, POSITIVE = Sheet("line"), Sheet("positive")
LINE.rows.add_cell(Cell("x", "A number of either sign", bounds=ANY))
POSITIVE.rows.add_cell(Cell("x", "A positive number"))
NOTHING = "(log(10) - log(2) - log(5))"  # zero; 4e-16 in floats
LONGEST = (  # to answer: the slow suite asks these
    f"{NOTHING}*x*exp(x) >= 0",
    f"{NOTHING}*x*exp(x) > 0",
    f"x/{NOTHING} > 1",
    "exp(sqrt(x - 2))*2**x < 2*exp(sqrt(x - 2))*3**x",
)
TENTH = Fraction(1, 10)

RELATIONS: list[tuple[Sheet, str, list[Number], list[Number]]] = [
    # sheet, relation, numbers that meet it, numbers that do not
    (POSITIVE, "x**x > 0", [TENTH, 3], []),
    (POSITIVE, "max(x*log(x), 2) >= 1", [TENTH, 3], []),
    (POSITIVE, "(exp(x) - 1)**(x - 3) > 0", [TENTH, 1, 4], []),
    (POSITIVE, "min(x*log(x), -2) <= -1", [TENTH, 3], []),
    (LINE, "exp(x*log(x)) > 0", [TENTH, 3], [0, -1]),
    (LINE, "abs(x*log(x)) >= 0", [TENTH, 3], [0, -1]),
    (LINE, "1/(1 + exp(x*log(x))) < 1", [TENTH, 3], [0]),
    (LINE, "max((exp(x) - 2)*log(x + 0.5), 7) > 2", [0, TENTH, 6 * TENTH], [-1]),
    (LINE, "exp(1/x + x) < 9*exp(1/x)", [-1, 2], [0, 3]),
    (LINE, "exp(sqrt(x))*2**x < 2*exp(sqrt(x))*3**x", [0, 5], [-1]),
    (LINE, "2**log(x) - 3*2**(log(x) + x) < 0", [TENTH, 5], [-1]),
    (LINE, "8**(1/x)*2**(x - 3/x) < 4", [-1, 1], [0, 3]),
    (LINE, "2**(1/(x - 1) + x) = 2**(1/(x - 1) + 1)", [], [1]),
    (POSITIVE, "exp(sqrt(x - 2))*2**x < 2*exp(sqrt(x - 2))*3**x", [2, 5], [1]),
    (LINE, f"x*{NOTHING} = 1", [], [2251799813685248]),
    (LINE, f"x*{NOTHING} > 1", [], [10**16]),
    (LINE, f"{NOTHING}*x*exp(x) > 0", [], [1]),
    (LINE, f"{NOTHING}*x*exp(x) >= 0", [-1, 1], []),
    (LINE, f"x + 1e30*{NOTHING} < 5", [0, 4], [6]),
    (LINE, f"exp(x)*{NOTHING} > 0", [], [0, 40]),
    (LINE, f"exp(x)*{NOTHING} >= 1", [], [40]),
    (LINE, f"{NOTHING}/x = 1", [], [Fraction(1, 2251799813685248)]),
    (LINE, f"x/{NOTHING} > 1", [], [1]),
    (LINE, f"x*abs({NOTHING}) > 1", [], [10**16]),
    (LINE, f"exp(x) > {NOTHING}", [-40, 0], []),
    (LINE, f"(x - 1)**2 <= {NOTHING}", [1], [1 + Fraction(1, 10**8)]),
    (LINE, "x + log(10) - log(5) - log(2) >= 0", [0, 1], [-Fraction(4, 10**16)]),
    (LINE, "(sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6)))*x = 1", [], [10**15]),
    (LINE, "x**2 + 1 > exp(1e-20)", [1], [0, Fraction(1, 10**11)]),
    (LINE, "x**2 + 1 <= exp(-1e-20)", [], [0]),
    (LINE, "x**2 + 1 = exp(-1e-20)", [], [0]),
    (LINE, "exp(x**2) = exp(0 - 1e-20)", [], [0]),
    (LINE, "x**2 + 2 = sqrt(3.99999999999999999999)", [], [0]),
    (LINE, "(x**2 + 1)*log(2) < log(2.00000000000000000001)", [0], [Fraction(1, 10**8)]),
    (LINE, "x**2 + log(10) = log(2) + log(5) - 1e-18", [], [0]),
    (LINE, "exp(x) < exp(1e-20)", [0, Fraction(1, 10**21)], [1]),
    (LINE, "log(2)*(x**2 - x)/(x - 1) + x = 1 + log(2)", [], [1, Fraction(999999999999999, 10**15)]),
    (LINE, "(log(2)*x - log(8))/(x - 3) > 0.7", [], [3, 3 + Fraction(1, 10**15)]),
    (LINE, "(log(2)*x - log(8))/(x - 3) > 0.6", [2, 3 - Fraction(1, 10**15), 4], [3]),
    (LINE, "(log(10)*x - log(1000))/(x - 3) > 2.5", [], [3 + Fraction(1, 10**15)]),
    (LINE, "exp(x)*2**((x**2 - x)/(x - 1)) > 2", [2], [0, 1]),
    (LINE, "(exp(x) - 2)*log(x - 0.6931471805599453094) = 0", [0.6931471805599453], []),
    (
        LINE,
        "(exp(x) - 3)*log(x/1.0986122886681097 - 1) = 0",
        [2.197224577336219],
        [1.0986122886681098],
    ),
    (LINE, "(exp(x) - 3)*sqrt(x - 1.0986122886681097) = 0", [Fraction("1.0986122886681097")], []),
    (POSITIVE, "max(x, 2.7182818284590452)**2 > 7.389056098930650035", [3], [1]),
    (LINE, "(exp(x) - 2)*(2**x - 1.6168066722416746701) = 0", [0.6931471805599453], [1]),
    (LINE, "(x - log(3))*(exp(x) - 3) <= 0", [1.0986122886681098], [1, 2]),
    (LINE, "exp(1/x + 1) > 2*exp(1/x)", [-1, 1], [0]),
    (LINE, "exp(sqrt(x) + 1) - 2*exp(sqrt(x)) > 0", [0, 1], [-1]),
]


@pytest.mark.parametrize(
    ("sheet", "relation", "met", "missed"),
    [pytest.param(*row, id=row[1], marks=[pytest.mark.slow] if row[1] in LONGEST else []) for row in RELATIONS],
)
def test_nothing_is_claimed_that_digits_deny(
    sheet: Sheet, relation: str, met: list[Number], missed: list[Number]
) -> None:
    outcome = solve(sheet, "x", [relation]).outcomes["x"]
    around = (*outcome.listed, *outcome.open)
    for number in met:
        assert any(number in part for part in around), f"{number} meets it"
    for number in missed:
        assert not any(number in part for part in outcome.listed), f"{number} does not meet it"


@pytest.mark.parametrize(
    ("relation", "roots"),
    [
        ("x**2 + 1 = exp(1e-20)", [-1e-10, 1e-10]),
        ("x + 1 = exp(1e-20)", [1e-20]),
        ("exp(x**2) = exp(1e-20)", [-1e-10, 1e-10]),
        ("x**2 + 2 = sqrt(4.00000000000000000001)", [-5e-11, 5e-11]),
        ("x**2 + log(10) = log(2) + log(5) + 1e-18", [-1e-9, 1e-9]),
        ("x + log(10) = log(2) + log(5) + 1e-17", [1e-17]),
    ],
)
def test_what_a_float_of_the_right_side_loses_is_found(relation: str, roots: list[float]) -> None:
    outcome = solve(LINE, "x", [relation]).outcomes["x"]
    assert [float(part.lower) for part in outcome.listed] == pytest.approx(roots, rel=1e-9)
    assert not outcome.open
