"""Quotients of sums of exponentials, which floats do not hold where the unknown is large, against long numbers."""

from __future__ import annotations

import math
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from mpmath.ctx_mp import MPContext
from tests.properties.asked import POSITIVE, sheet_of

from flopsheet import solve
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.program import program_of
from flopsheet.inverse.method import Proof
from flopsheet.numbers.spans import Span
from flopsheet.search.field import Field
from flopsheet.sheets.cell import ANY

if TYPE_CHECKING:
    from flopsheet.sheets.cell import Bounds

MP = MPContext()
MP.dps = 60
BESIDE = MP.mpf("1e-12")


def value(text: str, x: Any) -> Any:
    """Return a formula of x with 60 digits; its numbers are integers or decimals."""
    long = re.sub(r"\b(\d+)\b", r"n(\1)", text)
    return eval(long, {"n": MP.mpf, "exp": MP.exp, "x": MP.mpf(x)})  # noqa: S307  # a text of this file


def passed(text: str, level: float, places: list[float]) -> list[float]:
    """Return places beside which a formula passes a level."""
    sides = [value(text, place) > level for place in places]
    return [place for place, one, other in zip(places, sides, sides[1:], strict=False) if one != other]


@pytest.mark.parametrize("bounds", [POSITIVE, ANY])
@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("(exp(x) + exp(2*x))/(exp(3*x) - 1)", 1e-9),
        ("(exp(x) + exp(2*x))/(exp(3*x) - 1)", 1e9),
        ("(2**x + 3**x)/(5**x - 1)", 1e-6),
        ("(x*exp(x) + exp(2*x))/(exp(2*x) + 1)", 1.01),
        ("(exp(x) + 2)*x/(exp(2*x) + 3)", 1e-12),
        ("exp(x)*x/(exp(3*x) + exp(x) + 1)", 1e-12),
    ],
)
def test_all_roots_are_proven(text: str, level: float, bounds: Bounds) -> None:
    outcome = solve(sheet_of("x", bounds), "x", [f"{text} = {level!r}"]).outcomes["x"]
    beyond = [part for part in outcome.open if part.lower >= 1e300]  # a product with x stays open there
    assert [*outcome.open] == (beyond if "*x/" in text else [])
    roots = [float(part.lower) for part in outcome.listed]
    for root in map(MP.mpf, roots):
        below, above = (value(text, root * (1 + way * BESIDE)) for way in (-1, 1))
        assert (below - level) * (above - level) < 0
    expected = passed(text, level, [10 ** (step / 40) for step in range(-480, 120)])
    assert len([root for root in roots if root > 0]) == len(expected)


@pytest.mark.parametrize("seed", range(24))
def test_random_quotients(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # no secret
    powers = chance.choice([["exp(x)", "exp(2*x)", "exp(3*x)", "exp(4*x)"], ["2**x", "3**x", "5**x", "7**x"]])
    above = " + ".join(f"{chance.randint(1, 9)}*{power}" for power in powers[: chance.randint(1, 3)])
    others = " + ".join(f"{chance.randint(1, 9)}*{power}" for power in chance.sample(powers[:3], chance.randint(0, 2)))
    below = f"{powers[3]} + {others + ' + ' if others else ''}{chance.randint(1, 5)}"
    text, level = f"({above} + {chance.randint(0, 3)})/({below})", 10 ** chance.uniform(-15, -1)
    outcome = solve(sheet_of("x", POSITIVE), "x", [f"{text} <= {level!r}"]).outcomes["x"]
    assert outcome.proof is not Proof.OPEN, (text, level)
    ends = [float(end) for part in outcome.listed for end, _ in part.ends if 0 < end < math.inf]
    assert len(ends) == len(passed(text, level, [10 ** (step / 40) for step in range(-480, 120)])), (text, level)
    for end in map(MP.mpf, ends):
        assert (value(text, end * (1 - BESIDE)) - level) * (value(text, end * (1 + BESIDE)) - level) < 0
    for at in (1e-6, 0.1, 1, 10, 100, 1e5):
        assert any(at in part for part in outcome.listed) is bool(value(text, at) <= level), (text, level, at)


@pytest.mark.parametrize(
    "text",
    [
        "(exp(x) + exp(2*x))/(exp(3*x) - 1)",
        "x*(2*3**x + 4)/(5**x + 2**x)",
        "(exp(x*y) + 1)/(exp(2*x*y) + y)",
        "(2**x + exp(x))/(exp(x) - 2)",  # powers of two numbers are no one power
        "(exp(x) + exp(y))/(exp(x) + 1)",
    ],
)
def test_bounds_hold_the_values(text: str) -> None:
    formula = parse_formula(text, ["x", "y"])
    field = Field(program_of(formula), "x", {"y": 2})
    for low, high in ((0.1, 0.2), (1.0, 1.5), (3.0, 9.0), (-4.0, -2.0), (20.0, 40.0)):
        bounds = field.bounds(Span(low, high))
        for at in (low, (low + high) / 2, high):
            own = float(evaluate(formula, {"x": at, "y": 2}))
            assert bounds.low <= own * (1 + 1e-13) or own < 0
            assert bounds.low - 1e-12 * abs(own) <= own <= bounds.high + 1e-12 * abs(own)
