"""Roundings, remainders and comparisons of what is no ratio: digits decide, however many it takes."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import pytest
from hypothesis import given, settings, strategies
from tests.formulas.sheet_of_x import of_formulas

from flopsheet import solve

if TYPE_CHECKING:
    from flopsheet.units import Number

DIGITS, LONG = 80, 160


def computed(formulas: dict[str, str], x: Number, cell: str) -> Number:
    """Return a cell of a sheet of an `x` and some formulas."""
    return solve(of_formulas(formulas), [cell], [f"x = {Fraction(x)}"]).cells[cell].si


VALUES: list[tuple[str, Number, Number]] = [
    # formula, x, value
    ("floor(log(x)/log(2))", 8, 3),
    ("floor(log(x)/log(2))", 8 - Fraction(1, 10**11), 2),
    ("floor(log(x)/log(2))", 8 - Fraction(1, 10**40), 2),
    ("ceil(log(x)/log(2))", 8 + Fraction(1, 10**40), 4),
    ("ceil(log(x)/log(2))", 2**53 + 1, 54),
    ("floor(sqrt(x))", 10**30 - 1, 10**15 - 1),
    ("floor(sqrt(x))", 10**30, 10**15),
    ("floor(x**(1/3))", 10**18 - 1, 10**6 - 1),
    ("floor(x**(1/3))", 10**18, 10**6),
    ("floor(log(x)/log(10))", 10**21 - 1, 20),
    ("mod(log(x)/log(2), 1)", 8, 0),
    ("[exp(x) > 1]", Fraction(1, 10**20), 1),
    ("[exp(x) >= 1]", -Fraction(1, 10**20), 0),
    ("[log(x)/log(2) = 3]", 8 + Fraction(1, 10**12), 0),
    ("[log(x)/log(2) = 3]", 8, 1),
    ("[x = 1]", 1 + Fraction(1, 10**12), 0),
]


@pytest.mark.parametrize(("formula", "x", "value"), VALUES)
def test_the_last_digit_decides(formula: str, x: Number, value: Number) -> None:
    assert computed({"y": formula}, x, "y") == value


@pytest.mark.parametrize("runs", [1, 20])  # later ones run all formulas as one function
def test_digits_pass_from_cell_to_cell(runs: int) -> None:
    formulas = {"root": "sqrt(x)", "more": "root*log(x)", "ratio": "more/root/log(2)", "whole": "floor(ratio)"}
    sheet = of_formulas(formulas)
    for _ in range(runs):
        value = solve(sheet, ["whole"], [f"x = {8 - Fraction(1, 10**30)}"]).cells["whole"].si
        assert value == 2


def test_a_remainder_of_a_large_number_has_its_digits() -> None:
    with mpmath.workdps(DIGITS):
        right = float(mpmath.exp(40) % 1)
    assert computed({"y": "mod(exp(x), 1)"}, 40, "y") == right


def test_a_long_chain_needs_no_stack() -> None:
    formulas = {"c0": "sqrt(x)", **{f"c{k}": f"sqrt(c{k - 1}*c{k - 1} + 1/{k})" for k in range(1, LONG)}}
    with mpmath.workdps(DIGITS):
        square = 3 + mpmath.fsum(mpmath.mpf(1) / k for k in range(1, LONG))
    assert computed({**formulas, "y": f"floor(1000*c{LONG - 1})"}, 3, "y") == math.floor(1000 * mpmath.sqrt(square))


@settings(max_examples=40)
@given(strategies.integers(2, 40), strategies.integers(1, 60), strategies.integers(-1, 1), strategies.integers(13, 50))
def test_logarithms_beside_integers(base: int, power: int, way: int, digits: int) -> None:
    x = base**power * (1 + Fraction(way, 10**digits))
    assert computed({"y": f"floor(log(x)/log({base}))"}, x, "y") == power - (way < 0)


def test_an_irrational_number_is_copied_as_its_float() -> None:
    number = computed({"y": "sqrt(x)"}, 2, "y")
    assert type(copy.deepcopy(number)) is type(pickle.loads(pickle.dumps(number))) is float  # noqa: S301  # its own
    assert copy.deepcopy(number) == number == math.sqrt(2)


CANCELLED: list[tuple[dict[str, str], Number, str]] = [
    ({"y": "log(x) - 1"}, Fraction("2.7182818284590452"), "log(x) - 1"),
    ({"y": "1000*(sqrt(x) - 2)"}, 4 + Fraction(1, 10**18), "1000*(sqrt(x) - 2)"),
    ({"c": "sqrt(x) - 2", "y": "c*x"}, 4 + Fraction(1, 10**18), "(sqrt(x) - 2)*x"),
    ({"c": "log(x)", "e": "-c", "y": "c + e*(1 + x/10**20)"}, 7, "-log(x)*x/10**20"),
]


@pytest.mark.parametrize(("formulas", "x", "whole"), CANCELLED)
def test_digits_that_cancel_in_floats_are_computed(formulas: dict[str, str], x: Number, whole: str) -> None:
    functions = {"log": mpmath.log, "sqrt": mpmath.sqrt, "x": mpmath.mpf(0)}
    with mpmath.workdps(DIGITS):
        functions["x"] = mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator
        right = float(eval(whole, functions))  # noqa: S307  # the texts above
    sheet = of_formulas(formulas)
    for _ in range(20):  # later ones run all formulas as one function
        assert solve(sheet, ["y"], [f"x = {Fraction(x)}"]).cells["y"].si == pytest.approx(right, rel=1e-15)


def test_what_most_digits_do_not_tell_from_zero_is_zero() -> None:
    assert computed({"y": "log(x) - 3*log(2)"}, 8, "y") == 0
