"""Relations whose sets end at one place that no float is: what is in both is that place, or nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import Bounds, Cell

if TYPE_CHECKING:
    from flopsheet.units import Number

# each rises above zero; and its text at a number
FUNCTIONS = {
    "x**2": "({})**2",
    "sqrt(x)": "sqrt({})",
    "log(x)": "log({})",
    "exp(x/7)": "exp(({})/7)",
    "x**3 + x": "({})**3 + {}",
    "log2(x)": "log2({})",
    "x**1.5": "({})**1.5",
    "x*exp(x/50)": "({})*exp(({})/50)",
}


def a_number(*, integer: bool = False) -> Sheet:
    sheet = Sheet("number")
    sheet.rows.add_cell(Cell("x", "A number", bounds=Bounds(0, math.inf, lower_closed=False), integer=integer))
    return sheet


def found(*relations: str, integer: bool = False) -> tuple[list[Number], Proof]:
    outcome = solve(a_number(integer=integer), "x", [*relations]).outcomes["x"]
    assert all(part.is_point for part in outcome.listed)
    return [part.lower for part in outcome.listed], outcome.proof


@pytest.mark.slow
@given(st.sampled_from([*FUNCTIONS]), st.integers(200, 9999))
def test_at_least_and_at_most_a_level_meet_where_it_is_reached(function: str, hundredths: int) -> None:
    level = f"{hundredths / 100:.2f}"
    values, proof = found(f"{function} >= {level}", f"{function} <= {level}")
    alone, _ = found(f"{function} = {level}")
    assert len(values) == len(alone) == 1
    assert values[0] == pytest.approx(alone[0], rel=1e-14)
    assert proof is not Proof.OPEN


@pytest.mark.slow
@given(st.sampled_from([*FUNCTIONS]), st.integers(50, 9999), st.sampled_from(["<", ">"]), st.booleans(), st.booleans())
def test_a_bound_where_a_level_is_reached(
    function: str, hundredths: int, sign: str, strict: bool, is_equal: bool
) -> None:
    place = f"{hundredths / 100:.2f}"
    level = FUNCTIONS[function].format(place, place)
    other = "=" if is_equal else {"<": ">=", ">": "<="}[sign]
    values, proof = found(f"{function} {other} {level}", f"x {sign}{'' if strict else '='} {place}")
    expected = [] if strict else [pytest.approx(hundredths / 100, rel=1e-14)]
    assert [float(value) for value in values] == expected
    assert proof is not Proof.OPEN


@pytest.mark.parametrize(
    ("relations", "count"),
    [
        (["x**2 >= 2", "x**2 <= 2"], 1),
        (["x**2 > 2", "x <= sqrt(2)"], 0),
        (["x**2 > 2", "x**2 <= 2"], 0),
        (["exp(x) >= 2", "x <= log(2)"], 1),
        (["exp(x) > 2", "x <= log(2)"], 0),
        (["x**2 = 2", "x < sqrt(2)"], 0),
        (["x**2 = 2", "x >= sqrt(2)"], 1),
        (["x**2 >= 2", "x**2 <= 1.99999999999999999999999"], 0),
    ],
)
def test_places_that_no_float_is(relations: list[str], count: int) -> None:
    values, _ = found(*relations)
    assert len(values) == count


@pytest.mark.parametrize("exponent", range(40, 61))
def test_whole_numbers_of_logarithms_are_told_by_all_digits(exponent: int) -> None:
    assert found(f"log2(x) = {exponent}", integer=True) == ([2**exponent], Proof.EXACT)
    assert found(f"log2(x) = {exponent}") == ([2**exponent], Proof.EXACT)


@pytest.mark.slow
@given(st.integers(2, 10**16))
def test_a_whole_number_whose_logarithm_is_asked_for(number: int) -> None:
    assert found(f"log(x) = log({number})", integer=True)[0] == [number]


@pytest.mark.slow
@given(st.integers(2, 10**15))
def test_a_whole_number_whose_power_is_asked_for(number: int) -> None:
    assert found(f"x**1.5 = {number}**1.5", integer=True)[0] == [number]


@pytest.mark.parametrize("level", ["log(x) = 35.2312", "x**1.5 = 4810376546970113", "x**1.5 = 1000000000000000001"])
def test_a_root_that_is_not_whole_lies_between_its_neighbours(level: str) -> None:
    left, _, right = level.partition(" = ")
    low, high = solve(a_number(integer=True), "x", [level]).outcomes["x"].neighbours
    assert high == low + 1
    below, above = (solve(a_number(integer=True), "x", [f"{left} {sign} {right}"]) for sign in ("<=", ">="))
    assert (below.outcomes["x"].whole, above.outcomes["x"].whole) == (low, high)
