"""Two unknowns, one equation and inequalities: each listed number holds, others fail, by exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.properties.asked import HOLDS, POSITIVE, add, ratio, says, sheet_of

from flopsheet import solve
from flopsheet.errors import NotInvertibleError, UnderdeterminedError
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import ANY

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.answer import Answer

    Form = tuple[str, Callable[..., Any]]

# Equations of x and y with two numbers, and y by x.
EQUATIONS: list[Form] = [
    ("y = {a}*x + {b}", lambda x, a, b: a * x + b),
    ("x + y = {a}", lambda x, a, _: a - x),
    ("x*y = {a}", lambda x, a, _: a / x),
    ("y = x**2 + {a}", lambda x, a, _: x * x + a),
    ("y - {a}*abs(x - {b}) = 0", lambda x, a, b: a * abs(x - b)),
    ("y = max(x, {a})", lambda x, a, _: max(x, a)),
    ("y + min(x, {a}) = {b}", lambda x, a, b: b - min(x, a)),
    ("(x - {a})*y = {b}", lambda x, a, b: b / (x - a)),
    ("y = x**3 - {a}*x", lambda x, a, _: x**3 - a * x),
    ("y = floor(x) + {a}*x", lambda x, a, _: math.floor(x) + a * x),
]
SIDES: list[Form] = [
    ("x", lambda x, _: x),
    ("y", lambda _, y: y),
    ("x + y", lambda x, y: x + y),
    ("x*y", lambda x, y: x * y),
    ("y**2", lambda _, y: y * y),
    ("x/y", lambda x, y: x / y),
    ("max(x, y)", max),
    ("abs(y)", lambda _, y: abs(y)),
    ("1/y + x", lambda x, y: 1 / y + x),
    ("ceil(y)", lambda _, y: Fraction(math.ceil(y))),
]


def number(chance: Random) -> Fraction:
    return Fraction(chance.randint(-8, 8), chance.choice([1, 1, 2, 3])) or Fraction(2)


class Case:
    """A question, the values of y by x, and whether all holds at x."""

    def __init__(self, chance: Random) -> None:
        (text, self.function), self.numbers = chance.choice(EQUATIONS), (number(chance), number(chance))
        self.positive, planted = chance.random() < 1 / 4, number(chance)
        drawn = [(*chance.choice(SIDES), chance.choice(["<", "<=", ">", ">="])) for _ in range(chance.randint(1, 3))]
        self.inequalities = [(*own, self._level(chance, own[1], planted)) for own in drawn]
        self.relations = [text.format(a=ratio(self.numbers[0]), b=ratio(self.numbers[1]))]
        self.relations += [f"{side} {sign} {ratio(level)}" for side, _, sign, level in self.inequalities]
        self.names = ["x", "y"]
        chance.shuffle(self.relations)
        chance.shuffle(self.names)
        self.tried = [
            planted,
            *(Fraction(step, 6) for step in range(-60, 61)),
            *(Fraction(10**size) for size in (3, 6)),
        ]
        self.tried += [Fraction(chance.randint(-2000, 2000), 97) for _ in range(40)]

    def __repr__(self) -> str:
        return f"{self.names}{' above zero' * self.positive}: {self.relations}"

    def _level(self, chance: Random, side: Any, planted: Fraction) -> Fraction:
        try:
            return chance.choice([number(chance), Fraction(side(planted, self.y(planted)))])
        except ZeroDivisionError:
            return number(chance)

    def y(self, x: Fraction) -> Fraction:
        return Fraction(self.function(x, *self.numbers))

    def holds(self, x: Fraction) -> bool:
        try:
            y = self.y(x)
            if self.positive and (x <= 0 or y <= 0):
                return False
            return all(HOLDS[sign](side(x, y) - level) for _, side, sign, level in self.inequalities)
        except ZeroDivisionError:
            return False

    def answer(self) -> Answer:
        return solve(sheet_of("xy", POSITIVE if self.positive else ANY), self.names, self.relations)


def checked(case: Case) -> None:
    try:
        answer = case.answer()
    except (NotInvertibleError, UnderdeterminedError):
        return
    x, y = (answer.outcomes[name] for name in "xy")
    if not x.at:
        for at in case.tried:
            assert says(x, at) in (case.holds(at), None), (case, at)
    for at in filter(case.holds, case.tried):  # y is told at a value of x, or all of it
        if not y.at:
            assert says(y, case.y(at)) in (True, None), (case, at)
        if x.at and x.at[0][1] == case.y(at):
            assert says(x, at) in (True, None), (case, at)


@pytest.mark.parametrize("seed", range(11, 45))
def test_two_unknowns_with_one_equation(seed: int) -> None:
    checked(Case(Random(seed)))  # noqa: S311  # no secret


@pytest.mark.slow
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("seed", range(1000, 1014))
def test_more_unknowns_with_one_equation(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # no secret
    for _ in range(15):
        checked(Case(chance))


@pytest.mark.parametrize("inequality", ["abs(y) <= 41/3", "y <= 41/3"])
def test_two_roots_at_the_end_of_a_range_are_no_tuples(inequality: str) -> None:
    """At the end of the range of y, x has two values; y has others, from -7/3 on."""
    answer = solve(sheet_of("yx"), ["y", "x"], [inequality, "y = x**2 - 7/3"])
    y, x = answer.outcomes["y"], answer.outcomes["x"]
    assert [(part.lower, part.upper) for part in y.listed] == [(Fraction(-7, 3), Fraction(41, 3))]
    assert [part.lower for part in x.listed] == [-4, 4]
    assert [(cell.name, value) for cell, value in x.at] == [("y", Fraction(41, 3))]
    assert not answer.tuples


def test_a_range_of_one_unknown_without_the_other_is_open() -> None:
    """Beyond 7/3 there is no x, so the range of y is not told as one that works."""
    outcome = solve(sheet_of("yx"), ["y", "x"], ["y <= 41/3", "y + x**2 = 7/3"]).outcomes["y"]
    assert outcome.proof is Proof.OPEN
    assert says(outcome, 2) in (True, None)
    assert not says(outcome, 3)


@pytest.mark.slow
def test_the_ends_of_ranges_take_no_more_work_than_their_search() -> None:
    """There are hundreds of gaps between ranges, each of which took a tenth of a second."""
    sheet = sheet_of("x")
    add(sheet, "y", "mod(x, 6)")
    outcome = solve(sheet, "x", ["1/y + x < -6"]).outcomes["x"]
    assert outcome.proof is Proof.OPEN
    assert says(outcome, -7) in (True, None)
