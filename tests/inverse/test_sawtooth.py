"""Formulas that a rounding cuts into teeth: every tooth that meets the level is found, few or thousands of them."""

from __future__ import annotations

import json
import math
from random import Random
from typing import TYPE_CHECKING

import mpmath
import pytest

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.inverse.method import Proof
from flopsheet.numbers.progressions import FIRST_LISTED, MOST_LISTED
from flopsheet.numbers.sets import Interval
from flopsheet.sheets.cell import ANY, FROM_ONE, POSITIVE, Bounds, Cell
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer


def asked(formula: str, goal: float | str, steps: str, *, integer: bool = False) -> Answer:
    """Ask for x where y is at a goal, with the number of steps as a cell of its own."""
    sheet = Sheet("teeth")
    sheet.rows.add_cell(Cell("x", "An input", integer=integer, bounds=FROM_ONE if integer else POSITIVE))
    sheet.rows.add_cell(Cell("n", "Steps", bounds=ANY, formula=parse_formula(steps, ["x"], "n")))
    sheet.rows.add_cell(Cell("y", "A formula", bounds=ANY, formula=parse_formula(formula, ["x", "n"], "y")))
    return solve(sheet, "x", [f"y = {goal!r}" if isinstance(goal, float) else f"y = {goal}"])


def _ratio(number: float) -> str:
    return "{}/{}".format(*number.as_integer_ratio())


@pytest.mark.slow
@pytest.mark.parametrize("way", ["floor", "ceil"])
@pytest.mark.parametrize("seed", range(20))
def test_every_tooth_that_meets_a_level_is_found(seed: int, way: str) -> None:
    # n * (a + b/x) has one root for each n, so all teeth can be looked at one by one
    chance = Random(seed)  # noqa: S311  # the same each time
    rounded = {"floor": math.floor, "ceil": math.ceil}[way]
    scale, a, b = chance.randint(5, 60), chance.randint(0, 30) / 8, 1.75
    power = chance.choice([1 / 4, 3 / 8, -1 / 4])
    true = 10 ** chance.uniform(-0.5, 2)
    level = rounded(scale * true**power) * (a + b / true)
    outcome = asked(f"n * ({_ratio(a)} + {_ratio(b)}/x)", level, f"{way}({scale} * x**({_ratio(power)}))").outcomes["x"]
    roots = {number: b / (level / number - a) for number in range(1, 200_000) if level / number > a}
    expected = sorted(at for number, at in roots.items() if rounded(scale * at**power) == number)
    found = [part.lower for part in outcome.listed]
    assert outcome.open == ()
    assert any(math.isclose(at, true, rel_tol=1e-12) for at in found)
    assert found[: len(expected)] == pytest.approx(expected[: len(found)], rel=1e-11)
    if not outcome.progressions:
        assert len(found) == len(expected)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_thousands_of_teeth_are_members_along_a_curve(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # the same each time
    scale, true = chance.randint(10**5, 10**6), chance.uniform(1, 40)
    b = chance.randint(1, 2**20) / 2**50  # how far n may lie from what it would be without it
    count = math.floor(scale * true ** (1 / 3))
    level = count * (2 / true ** (1 / 3) + b / true)
    outcome = asked(f"n * (2/x**(1/3) + {_ratio(b)}/x)", level, f"floor({scale} * x**(1/3))").outcomes["x"]
    assert (outcome.open, outcome.proof) == ((), Proof.PROVEN)
    assert any(true in part for part in outcome.solutions)
    for part in outcome.progressions:
        steps = [int(part.first), int(part.last), *(chance.randint(int(part.first), int(part.last)) for _ in range(30))]
        for step in steps:
            at = float(part.at(step))
            assert step * (2 / at ** (1 / 3) + b / at) == pytest.approx(level, rel=1e-12)
            assert math.floor(scale * at ** (1 / 3) + 1e-9) == step
            assert at in part
            assert at * (1 + 1e-3 / step) not in part
        for beyond in (part.last + 2, part.first - 2):  # the root for this number is in another tooth
            root = _root(lambda x, n=int(beyond): n * (2 / x ** (1 / 3) + b / x) - level, 1e-9, 1e9)  # type: ignore[misc]
            assert beyond < 1 or math.floor(scale * root ** (1 / 3)) != beyond


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(300):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


@pytest.mark.slow
def test_a_utilization_that_nears_its_limit_is_met_in_a_range_of_steps() -> None:
    true = 2.12065e8
    steps = math.floor(7.5e3 * true ** (1 / 3))
    level = true / (steps * (9e-5 * true ** (2 / 3) + 1e-3 * true ** (1 / 2)))
    formula = "x / (n * (9/100000*x**(2/3) + 1/1000*x**(1/2)))"
    outcome = asked(formula, level, "floor(7500 * x**(1/3))").outcomes["x"]
    assert (outcome.open, outcome.proof) == ((), Proof.PROVEN)
    assert any(math.isclose(part.lower, true, rel_tol=1e-12) for part in outcome.listed)
    for part in outcome.listed:
        at = float(part.inside())
        time = math.floor(7500 * at ** (1 / 3)) * (9e-5 * at ** (2 / 3) + 1e-3 * at**0.5)
        assert at / time == pytest.approx(level, rel=1e-12)


def test_many_members_are_told_by_their_number_and_where_they_lie() -> None:
    answer = asked("n * (2/x**(1/3) + 1/(1000000000*x))", "200000 - 1/7", "floor(100000 * x**(1/3))")
    outcome = answer.outcomes["x"]
    (part,) = outcome.progressions
    assert part.count > MOST_LISTED
    assert len(outcome.listed) == FIRST_LISTED
    assert f"one value for each integer from {part.first:,} to {part.last:,}" in outcome.why
    (content,) = json.loads(json.dumps(answer.as_dict()))["answers"]["x"]["progressions"]
    assert content == {"lower": part.lower, "upper": part.upper, "first": part.first, "last": part.last}


def test_of_a_count_the_whole_numbers_are_tried() -> None:
    true, steps = 2120, 10**9 // 2120
    level = steps * true * (3 * true + 17)
    outcome = asked("n * x * (3*x + 17)", str(level), "floor(10**9 / x)", integer=True).outcomes["x"]
    met = [x for x in range(1, 50_000) if 10**9 // x * x * (3 * x + 17) == level]
    assert true in met
    assert [part.lower for part in outcome.listed] == met
    assert outcome.open == ()


def test_a_number_of_steps_alone_is_met_in_a_range() -> None:
    outcome = asked("2*n", "114", "ceil(x**(1/3) + x/(1 + sqrt(x)))").outcomes["x"]
    (part,) = outcome.listed
    ends = [at ** (1 / 3) + at / (1 + math.sqrt(at)) for at in (float(part.lower), float(part.upper))]
    assert ends == pytest.approx([56, 57])
    assert (part.lower_closed, part.upper_closed) == (False, True)


def test_where_any_number_would_do_a_zero_is_not_lost() -> None:
    outcome = asked("(x - 2)*n + x**(1/3)*x", "2*2**(1/3)", "floor(3*x + x**(1/3))").outcomes["x"]
    assert any(part.lower == pytest.approx(2) for part in (*outcome.listed, *outcome.open))


@pytest.mark.slow
def test_a_step_at_which_the_formula_has_no_value_is_none_of_its_teeth() -> None:
    sheet = Sheet("poles")
    sheet.rows.add_cell(Cell("x", "An input", bounds=Bounds(upper=160_000)))
    outcome = solve(sheet, "x", ["mod(x*x, 42.42)/(ceil(x) - x/x) = 0.00247292673854501"]).outcomes["x"]
    assert outcome.open
    assert all(part.lower > 1 for part in outcome.listed)


def test_a_step_that_a_comparison_leaves_as_it_is_gives_a_range() -> None:
    sheet = Sheet("branches")
    sheet.rows.add_cell(Cell("x", "An input", bounds=Bounds(-10, 10)))
    formula = parse_formula("select(x > 3*x, log(3), ceil(x/3))", ["x"], "y")
    sheet.rows.add_cell(Cell("y", "A formula", bounds=ANY, formula=formula))
    outcome = solve(sheet, "x", "y = 3").outcomes["x"]
    assert outcome.listed == (Interval(6, 9, lower_closed=False),)
    assert outcome.proof is not Proof.OPEN


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("level", range(6, 27))
def test_a_tooth_between_two_floats_is_found(level: int, sign: int) -> None:
    """The number of the step changes by thousands from float to float: at 1e9, `log(1 + x)` moves by 1e-16 there."""
    sheet = parse_sheet("sheet: teeth\ntitle: Teeth\ncells:\n  x: {doc: Variable}\n", "teeth")
    outcome = solve(sheet, "x", [f"log(1 + x) + {sign}/ceil(2*x) = {level}"]).outcomes["x"]
    expected = []
    with mpmath.workdps(60):
        nearest = int(2 * (mpmath.exp(level) - 1))
        for step in range(nearest - 5, nearest + 6):
            at = mpmath.exp(level - sign / mpmath.mpf(step)) - 1
            if mpmath.ceil(2 * at) == step:
                expected.append(float(at))
    assert outcome.proof is not Proof.OPEN
    assert [float(part.lower) for part in outcome.listed] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("per_step", [186, 7, 1000])
def test_counts_at_a_level_are_all_told_where_a_tooth_has_many(per_step: int) -> None:
    """`(1 - 1/N)*N/n` is `(N - 1)/n`: of each N there is one n, and thousands of counts may be it."""
    cells = (
        f"  n: {{doc: Count, integer: true, maximum: 10000000}}\n  steps: {{doc: Steps, formula: ceil(n/{per_step})}}\n"
    )
    more = "  share: {doc: Share, formula: 1 - 1/steps}\n  size: {doc: Size, formula: n/steps}\n"
    sheet = parse_sheet(f"sheet: teeth\ntitle: Teeth\ncells:\n{cells}{more}", "teeth")
    outcome = solve(sheet, "n", ["share/size = 5/976"]).outcomes["n"]
    expected = [n for n in range(1, 50_000) if 976 * (math.ceil(n / per_step) - 1) == 5 * n]
    assert outcome.proof is not Proof.OPEN
    assert [part.lower for part in outcome.listed] == expected
