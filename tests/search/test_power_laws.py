"""Formulas beyond a size as powers: bounds hold at numbers far out and near zero, and what grows alike cancels."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import mpmath
import pytest
import sympy
from sympy import Rational

from flopsheet import exp, log, max_, min_, sqrt
from flopsheet.formulas.program import Program, program_of
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.sets import Interval, side
from flopsheet.search.beyond import power_law
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Search

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.functions.power_laws import PowerLaw
    from flopsheet.units import Number

X = symbol("x")
CBRT = X ** Rational(1, 3)
ABOVE_ZERO = Interval(0, math.inf, lower_closed=False, upper_closed=False)
FAR, NEAR = Interval(1e30, math.inf, upper_closed=False), Interval(0, 1e-30, lower_closed=False)


def _random(chance: Random, depth: int) -> Expr:
    """Return a formula of sums, products, powers, roots, extremes and logarithms."""
    if not depth:
        return chance.choice([X, X, Rational(chance.randint(1, 9), chance.randint(1, 9))])
    left, right = (_random(chance, depth - 1) for _ in range(2))
    exponent = Rational(chance.randint(1, 3), chance.randint(1, 3))
    kinds = [
        left + right,
        left * right,
        left / right,
        max_(left, right),
        min_(left, right),
        log(1 + left),
        left - right,
    ]
    return chance.choice([*kinds, sqrt(left**2) ** exponent])


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("part", [FAR, NEAR], ids=["far", "near"])
def test_bounds_hold_at_every_number_beyond(part: Interval, seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # the same each time
    try:
        formula = sympy.sympify(_random(chance, 3))
    except ValueError:  # the largest of numbers that are not real
        return
    if not formula.has(X) or formula.has(sympy.nan, sympy.zoo, sympy.I):
        return
    check_beyond(formula, part)


@pytest.mark.parametrize(
    ("formula", "part"),
    [
        (X**X, NEAR),
        (X ** (1 / X), FAR),
        ((X**2 + 3) ** (2 / sqrt(X)), FAR),
        ((1 + 1 / X) ** X, FAR),
        ((1 + 3 / X) ** (X / 2), FAR),
        ((1 - 2 / X) ** X, FAR),
        ((1 + 1 / X) ** X, NEAR),
        ((1 + X) ** (1 / X), NEAR),
        (5 * log(3 * X) / X, FAR),
        ((7 - log(X)) * X ** Rational(1, 3), NEAR),
        ((2 + log(X)) / (X + sqrt(X)), FAR),
    ],
    ids=str,
)
def test_powers_whose_exponent_varies_and_products_with_logarithms(formula: Expr, part: Interval) -> None:
    law = check_beyond(formula, part)
    assert law.factor.high - law.factor.low < math.inf


def check_beyond(formula: Expr, part: Interval) -> PowerLaw:
    """Return the power law of a formula after checking that it holds at numbers up to far beyond a size."""
    law, end = power_law(Field(program_of(formula), "x", {}), part), 1e30 if part is FAR else 1e-30
    value_at = sympy.lambdify(X, formula, "mpmath")
    with mpmath.workdps(1000):
        for size in (0, 1, 7, 40, 130):
            y = mpmath.mpf(10) ** size
            at = mpmath.mpf(end) * (y if part is FAR else 1 / y)
            try:
                value = value_at(at)
            except ZeroDivisionError:
                assert not law.factor.total
                continue
            rest = (value - _exactly(law.logs) * mpmath.log(y)) / y ** _exactly(law.exponent)
            for bounds, number in ((law.factor, rest), (law.span, value)):
                slack = abs(number) * mpmath.mpf(10) ** -950  # its own rounding
                assert _exactly(bounds.low) - slack <= number <= _exactly(bounds.high) + slack
            assert law.sign in (0, mpmath.sign(value))
    return law


def _exactly(number: Number) -> mpmath.mpf:
    return mpmath.mpf(number) if isinstance(number, float) else mpmath.mpf(number.numerator) / number.denominator


@pytest.mark.parametrize(
    ("formula", "exponent"),
    [
        ((X + 1) ** 2 / X, 1),
        (sqrt(X**3 + 5) / X, Fraction(1, 2)),
        (max_(X, 3 * sqrt(X)) / (X + 7), 0),
        ((X / 7) ** Rational(1, 3) * X ** Rational(2, 3) - X / 2, 1),
        (log(3 * X + 1) - log(2 * X + 5), 0),
        (2 * log(X) - log(X**2 + 1) + 1 / X, 0),
    ],
    ids=str,
)
def test_the_power_is_the_one_of_the_largest_term(formula: Expr, exponent: Fraction) -> None:
    law = power_law(Field(program_of(formula), "x", {}), FAR)
    assert (law.exponent, law.logs) == (Fraction(exponent), Fraction(0))
    assert law.factor.high - law.factor.low < 1e-12 * max(abs(float(law.factor.low)), 1)


@pytest.mark.parametrize(
    ("formula", "sign", "level", "ends"),
    [
        (log(9 / X + 4) - log(2 / X + 3), "=", 1.7, []),  # tends to log(4.5) near zero
        ((X + 3 * X ** Rational(5, 6)) / X, "=", 0.999, []),  # tends to 1 from above
        ((X + 3 * X ** Rational(5, 6)) / X, "<=", 1.5, [(46656, math.inf)]),
        (X**X, "<=", 0.69, []),  # tends to 1 near zero
        (X ** (1 / X), ">=", 1.5, []),  # tends to 1
        ((1 + 1 / X) ** X, ">=", 2.72, []),  # tends to e
        (Rational(2, 3) * log(11 * X / 2) - Rational(1, 5) * log(4 * X) - 3 * X, ">=", 0, []),
        (CBRT * ((X ** Rational(1, 6) - 2) * sqrt(X) / CBRT**2 - Rational(9, 10)), ">=", 0, [(64000000, math.inf)]),
    ],
    ids=str,
)
def test_a_search_is_closed_beyond_where_powers_tell(
    formula: Expr, sign: str, level: float, ends: list[tuple[float, float]]
) -> None:
    cover = Search(Field(program_of(formula), "x", {}), side(sign, level)).over(ABOVE_ZERO)
    assert ([(part.lower, part.upper) for part in cover.values], cover.open) == (ends, ())


def test_a_formula_that_tends_to_the_level_is_left_open_beyond() -> None:
    cover = Search(Field(program_of((X + 3 * X ** Rational(5, 6)) / X), "x", {}), side("=", 1)).over(ABOVE_ZERO)
    assert cover.values == ()
    assert cover.open[-1].upper == math.inf


def test_what_is_no_power_has_bounds_only() -> None:
    law = power_law(Field(program_of(exp(-X) + 2), "x", {}), FAR)
    assert law.exponent == 0
    assert law.span.low <= 2 <= law.span.high


def test_digits_do_not_double_in_a_chain_of_ratios() -> None:
    steps: list[tuple[str, Expr]] = []
    before: Expr = X
    for number in range(60):
        steps.append((f"c{number}", before * (before + Rational(1, 3))))
        before = symbol(f"c{number}")
    law = power_law(Field(Program(steps, before), "x", {}), NEAR)
    assert all(isinstance(end, float) or end.denominator < 10**400 for end in (law.factor.low, law.factor.high))
