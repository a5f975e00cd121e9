"""Constants whose digits cancel in floats: what is computed from exact numbers keeps them, or nothing is claimed."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
import sympy

from flopsheet import Sheet, solve
from flopsheet.formulas.relation import Relation
from flopsheet.functions import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Proof
from flopsheet.inverse.sharpness import sharp_constant, sharp_ratio
from flopsheet.numbers.sets import Interval
from flopsheet.sheets.cell import ANY, Cell

LINE = Sheet("line")
LINE.rows.add_cell(Cell("x", "A number of either sign", bounds=ANY))
X, C = symbol("x"), symbol("c")
NEARLY_E = sympy.Rational("2.7182818284590452")
with mpmath.workdps(60):
    LESS = float(mpmath.log(mpmath.mpf("2.7182818284590452")) - 1)  # zero in floats


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (sympy.log(NEARLY_E) - 1, LESS),
        (sympy.log(C) - 1, LESS),
        (2 * sympy.log(2) - 5, 2 * math.log(2) - 5),
        (sympy.Rational(1, 3), sympy.Rational(1, 3)),
    ],
)
def test_a_constant_has_all_digits(expression: sympy.Expr, value: float) -> None:
    number = sharp_constant(expression, {"c": NEARLY_E})
    assert number is not None
    assert float(number) == pytest.approx(float(value), rel=1e-15)


def test_what_most_digits_do_not_tell_from_zero_is_zero() -> None:
    assert sharp_constant(sympy.log(C) - 3 * sympy.log(2), {"c": 8}) == 0
    assert sharp_constant(sympy.log(C) - 3 * sympy.log(2), {"c": 8 + Fraction(8, 10**200)}) == 1e-200


def test_a_polynomial_has_all_digits_of_its_coefficients() -> None:
    ratio = sharp_ratio(X**2 * sympy.log(NEARLY_E) - X**2 + X * sympy.log(2) + 3, X, {})
    assert ratio is not None
    assert [float(each) for each in ratio.above] == pytest.approx([3, math.log(2), LESS], rel=1e-15)
    assert ratio.is_sharp
    assert not ratio.is_exact


def test_divisors_have_all_digits_too() -> None:
    ratio = sharp_ratio(sympy.log(2) / (X + 1 - sympy.log(NEARLY_E)), X, {})
    assert ratio is not None
    ((constant, slope),) = ratio.poles
    assert float(constant) == pytest.approx(-LESS, rel=1e-15)
    assert slope == 1
    assert sharp_ratio(1 / (X * sympy.log(2) - 3), X, {}) is None  # its factors would have rounded coefficients


@pytest.mark.parametrize(
    ("relation", "root"),
    [
        ("exp(x)*2.7182818284590452**(-x) = 1.5", math.log(1.5) / -LESS),
        ("x*log(2.7182818284590452) - x = -1e-17", -1e-17 / LESS),
        ("x**3*log(2.7182818284590452) - x**3 = 1e-17", math.copysign(abs(1e-17 / LESS) ** (1 / 3), LESS)),
    ],
)
def test_a_root_that_floats_lose_is_found(relation: str, root: float) -> None:
    outcome = solve(LINE, "x", [relation]).outcomes["x"]
    if outcome.open:
        assert outcome.proof is Proof.OPEN
        return
    (part,) = outcome.listed
    assert float(part.lower) == pytest.approx(root, rel=1e-12)


@pytest.mark.parametrize("relation", ["1.44**x*1.2**(-2*x) = 1", "exp(log(8)*x) = 2**(3*x)", "6**x = 2**x*3**x"])
def test_bases_with_common_factors_cancel_exactly(relation: str) -> None:
    outcome = solve(LINE, "x", [relation]).outcomes["x"]
    assert "Every value" in outcome.why
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(
    ("relation", "root"),
    [
        ("(log(x) - 3)/(log(x) - 3 - 1e-18) = 0", math.exp(3)),
        ("(x**2 - 3)/(x**2 - 3 - 1e-18) = 0", math.sqrt(3)),
        ("(x**2 - 3)*(x - 5)/(x**2 - 3 - 1e-18) = 0", math.sqrt(3)),
    ],
)
def test_a_root_beside_a_pole_is_not_excluded(relation: str, root: float) -> None:
    outcome = solve(LINE, "x", [relation]).outcomes["x"]
    assert any(part.lower <= root <= part.upper for part in (*outcome.listed, *outcome.open))


def test_a_root_that_is_a_pole_is_none() -> None:
    outcome = solve(LINE, "x", ["(x**2 - 3)*(x - 5)/(x**2 - 3) = 0"]).outcomes["x"]
    assert [part.lower for part in outcome.listed] == [5]
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(
    ("formula", "end"), [(sympy.log(C + X) - sympy.log(C), 10), (sympy.sqrt(C + X) - sympy.sqrt(C), 2e-6)]
)
def test_an_end_of_a_range_that_rounding_of_a_float_moves_far_is_searched(formula: sympy.Expr, end: float) -> None:
    chain = Chain("x", Interval(0, math.inf), {}, {"c": 1e14})  # a float: its digits are not given
    solution = chain.solve(Relation(formula, ">=", sympy.Rational(1, 10**13), ""))
    assert solution is not None
    assert float(solution.values[0].lower) == pytest.approx(end, rel=1e-9)
