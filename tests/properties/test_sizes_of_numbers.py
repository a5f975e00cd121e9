"""One unknown with numbers from 1e-300 to 1e300 and integers to 1e30, against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.properties.asked import HOLDS, POSITIVE, ratio, says, sheet_of

from flopsheet import solve
from flopsheet.errors import FormulaError
from flopsheet.sheets.cell import FROM_ONE

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (-290, -150, -31, -30, -20, -9, -1, 0, 1, 6, 9, 15, 16, 18, 20, 29, 30, 31, 100, 290)
FORMULAS: list[tuple[str, Callable[..., Any]]] = [
    ("{a}*x", lambda x, a, _: a * x),
    ("{a}*x + {b}", lambda x, a, b: a * x + b),
    ("{a}/x", lambda x, a, _: a / x),
    ("x**2", lambda x, *_: x * x),
    ("x**3", lambda x, *_: x**3),
    ("1/x**2", lambda x, *_: 1 / (x * x)),
    ("{a} - x", lambda x, a, _: a - x),
    ("(x + {a})*{a}", lambda x, a, _: (x + a) * a),
    ("{a}/(x + {a})", lambda x, a, _: a / (x + a)),
    ("max(x, {a})", lambda x, a, _: max(x, a)),
    ("min(x, {a})", lambda x, a, _: min(x, a)),
    ("abs(x - {a})", lambda x, a, _: abs(x - a)),
    ("floor(x/{a})", lambda x, a, _: Fraction(math.floor(x / a))),
    ("ceil(x/{a})", lambda x, a, _: Fraction(math.ceil(x / a))),
    ("mod(x, {a})", lambda x, a, _: x - a * math.floor(x / a)),
]
ASIDE = (1, 2, Fraction(1, 2), 1 + Fraction(1, 10**6), 1 - Fraction(1, 10**11), 10**9, Fraction(1, 10**9))


def number(chance: Random, *, integer: bool = False) -> Fraction:
    size = chance.choice([own for own in SIZES if not integer or 0 <= own <= 30])
    numbers = [*map(Fraction, (1, 2, 7, 123456789, 10**16 + 1, chance.randint(1, 10**6))), Fraction(19, 2)]
    digits = chance.choice(numbers)
    drawn = digits * Fraction(10) ** size
    return Fraction(max(math.floor(drawn) + chance.choice([0, 0, 1, -1]), 1)) if integer else drawn


def checked(chance: Random) -> None:
    integer, (text, function) = chance.random() < 2 / 5, chance.choice(FORMULAS)
    root, a, b = number(chance, integer=integer), number(chance), number(chance) * chance.choice([1, -1])
    sign, level = chance.choice([*HOLDS]), function(root, a, b)
    relation = f"{text.format(a=ratio(a), b=ratio(b))} {sign} {ratio(level)}"
    try:
        answer = solve(sheet_of("x", FROM_ONE if integer else POSITIVE, integer=integer), "x", [relation])
    except FormulaError:  # numbers in it are longer than questions may write
        return
    tried = [root * step for step in ASIDE] + [a, a + root, abs(a - root)] + [root + 1, root - 1] * integer
    for at in {Fraction(math.floor(own)) if integer else own for own in tried}:
        if not (at >= 1 if integer else Fraction(1, 10**300) < at < 10**300):
            continue
        value = function(at, a, b)
        is_near = sign == "=" and abs(value - level) <= Fraction(1, 10**12) * max(abs(value), abs(level))
        assert says(answer.outcomes["x"], at) in (HOLDS[sign](value - level), None, is_near), (relation[:200], at)


@pytest.mark.parametrize("seed", range(60))
def test_numbers_of_all_sizes(seed: int) -> None:
    checked(Random(seed))  # noqa: S311  # no secret


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1010))
def test_more_numbers_of_all_sizes(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # no secret
    for _ in range(150):
        checked(chance)
