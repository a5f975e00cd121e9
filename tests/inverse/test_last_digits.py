"""Exact and proven answers from exact numbers are off by at most one last digit of a float."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import pytest
import sympy
from tests.formulas.sheet_of_x import of_formulas

from flopsheet import solve
from flopsheet.formulas.program import program_of
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import Interval
from flopsheet.search.field import Field
from flopsheet.search.points import Points
from flopsheet.search.sharpened import nearest_roots

if TYPE_CHECKING:
    from collections.abc import Callable

DIGITS = 80
MOST_OFF = 1.5  # last digits of a float: the one nearest to a number, or one beside that
SEEDS = range(12)
FORWARD = [
    "exp({large})", "exp(-{large})*{small}", "exp({small})*{large} + exp({other})", "log({large})", "log2({large})",
    "log({large})/log(10)", "{large}**{small}", "{large}**-{small}", "{large}**(1/7) + sqrt({small})",
    "{large}**{small} + log({other})*{small} - exp(-{small}) + sqrt({other})", "exp(log({large})*{small} + {other})",
    "exp(pi*{small}) - pi", "{large}*pi",
]  # fmt: skip
EQUATIONS = [
    "2**x = {large}", "10**x = {large}", "1.07**x = {large}", "x**0.{digit} = {large}", "x**{small} = {large}",
    "exp(x/{small}) = {large}", "{other}*exp(-{small}*x) = {large}", "log(x) = {small}", "log2(x)*{large} = {small}",
    "log(x)/pi = {small}", "x*log({large}) = {small}", "x**2 + x*{small} = {large}", "x + sqrt(x)*{small} = {large}",
    "x**0.5 + {small}/x**0.5 = {large}**0.5 + {small}/{large}**0.5", "x*exp(x) = {large}", "x + log(x) = {other}",
    "x**{small} + x**2.7 = {large}", "x**3 + x*{small} = {large}", "log(1 + x**{small}) = {other}",
    "{other}*(x/{large})**{small} = {large}", "exp(x*{small}) + 3*exp(2*x*{small}) = {large}",
]  # fmt: skip


def with_numbers(text: str, seed: int) -> str:
    """Return a text with decimals in the place of their names."""
    numbers = random.Random(f"{text} {seed}")  # noqa: S311  # no secret
    sizes = {"large": (3, 99), "small": (0.2, 3), "other": (0.5, 9)}
    decimals = {name: f"{numbers.uniform(*ends):.2f}" for name, ends in sizes.items()}
    return text.format(**decimals, digit=numbers.randint(1, 9))


def in_digits(text: str) -> Callable[[Any], Any]:
    """Return a formula as a function of x that computes with many digits."""
    names = {
        "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "log2": lambda of: mpmath.log(of) / mpmath.log(2),
        "pi": +mpmath.pi, "number": mpmath.mpf,
    }  # fmt: skip
    code = re.sub(r"(?<![\w.])(\d+(\.\d+)?)", r"number('\1')", text)
    return lambda x: eval(code, {**names, "x": x})  # noqa: S307  # a formula of this file


def off(told: float, true: Any) -> float:
    """Return by how many last digits a float is off a number."""
    return float(abs(mpmath.mpf(float(told)) - true) / math.ulp(float(true)))


def root_beside(told: float, equation: str) -> Any:
    """Return the root of an equation with many digits, from a float beside it."""
    left, right = map(in_digits, equation.split(" = "))
    start = mpmath.mpf(float(told))
    ends = start * (1 - mpmath.mpf(2) ** -45), start * (1 + mpmath.mpf(2) ** -45)
    return mpmath.findroot(lambda x: left(x) - right(x), ends, tol=mpmath.mpf(10) ** -60, verify=False)


@pytest.mark.parametrize("formula", FORWARD)
def test_computed_cells(formula: str) -> None:
    with mpmath.workdps(DIGITS):
        for text in (with_numbers(formula, seed) for seed in SEEDS):
            answer = solve(of_formulas({}), "x", f"x = {text}")
            assert answer.outcomes["x"].proof == "exact"
            assert off(float(answer.cells["x"].si), in_digits(text)(None)) <= MOST_OFF, text


@pytest.mark.parametrize("formula", FORWARD)
def test_cells_of_cells(formula: str) -> None:
    with mpmath.workdps(DIGITS):
        for text in (with_numbers(formula, seed) for seed in SEEDS[:4]):
            cells = solve(of_formulas({"y": "log(3 + x**2)", "z": "exp(y/7)*y**0.3"}), "z", f"x = {text}").cells
            x = in_digits(text)(None)
            y = mpmath.log(3 + x**2)
            true = {"x": x, "y": y, "z": mpmath.exp(y / 7) * y ** (mpmath.mpf(3) / 10)}
            for name, value in true.items():
                assert off(float(cells[name].si), value) <= MOST_OFF, (name, text)


def test_a_cell_of_which_few_digits_are_left() -> None:
    cells = solve(of_formulas({"y": "exp(x)", "z": "y**0.3*log(y)"}), "z", "x = exp(-80.52)").cells
    with mpmath.workdps(DIGITS):
        x = mpmath.exp(-mpmath.mpf("80.52"))
        assert off(float(cells["z"].si), mpmath.exp(x * mpmath.mpf("0.3")) * x) <= MOST_OFF


@pytest.mark.parametrize("equation", EQUATIONS)
def test_roots(equation: str) -> None:
    told = 0
    with mpmath.workdps(DIGITS):
        for text in (with_numbers(equation, seed) for seed in SEEDS):
            outcome = solve(of_formulas({}), "x", [text, "x > -1e300"]).outcomes["x"]
            assert outcome.proof in ("exact", "proven"), text
            for part in outcome.solutions:
                told += 1
                assert part.is_point
                if isinstance(part.lower, float):
                    assert off(part.lower, root_beside(part.lower, text)) <= MOST_OFF, text
    assert told >= len(SEEDS)


@pytest.mark.parametrize(
    ("relation", "root"),
    [
        ("x = exp(67.07)", "1.343169746629746296e29"),
        ("2**x = 2.81", "1.490570130446201403"),
        ("x**0.5 + 3.9/x**0.5 = 8.5**0.5 + 3.9/8.5**0.5", "1.78941176470588235"),
    ],
)
def test_roots_and_cells_that_were_several_digits_off(relation: str, root: str) -> None:
    least = min(part.lower for part in solve(of_formulas({}), "x", [relation, "x > 0"]).outcomes["x"].solutions)
    assert abs(Fraction(least) - Fraction(root)) <= MOST_OFF * Fraction(math.ulp(float(root)))


X = symbol("x")
FUNCTIONS = [X**3 / 7, 1 / X, X**3 - X, sympy.exp(X / 3), X * sympy.log(X + 2), X**0.5]


@pytest.mark.parametrize("formula", FUNCTIONS, ids=str)
@pytest.mark.parametrize("steps", [-300, -40, -3, -1, 0, 1, 3, 40, 300, 5000])
def test_a_float_beside_a_root_becomes_the_nearest(formula: Any, steps: int) -> None:
    formula = sympy.nsimplify(formula)
    root = Fraction(7, 3) + Fraction(1, 10**7)
    level = formula.subs(X, sympy.Rational(root.numerator, root.denominator))
    gap = Field(program_of(formula - level), "x", {})
    start = float(root) + steps * math.ulp(float(root))
    points = Points(gap, (Interval(0, 0),), None)
    (part,) = nearest_roots((Interval(start, start),), Interval(1, 4), points)
    assert abs(Fraction(part.lower) - root) <= Fraction(math.ulp(float(root)))


def test_a_root_is_not_moved_out_of_the_domain() -> None:
    gap = Field(program_of(X**2 - 2), "x", {})
    root = math.sqrt(2)
    beside = math.nextafter(math.nextafter(root, 2), 2)
    points = Points(gap, (Interval(0, 0),), None)
    assert nearest_roots((Interval(beside, beside),), Interval(1, 2), points) == (Interval(root, root),)
    (part,) = nearest_roots((Interval(beside, beside),), Interval(beside, 2), points)
    assert part.lower >= beside
