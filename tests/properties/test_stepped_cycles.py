"""Two cells with roundings that depend on each other, against trying all whole numbers."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from tests.properties.asked import says
from tests.properties.test_limits_of_counts import value

from flopsheet import solve
from flopsheet.errors import NotInvertibleError, OverdeterminedError
from flopsheet.sheets.yaml_sheet import parse_sheet

MOST = 40
FIRST: tuple[str, ...] = (
    "a + floor(y/K)",
    "a + ceil(y/K)",
    "max(a, y - K)",
    "min(a + K, y)",
    "a + mod(y, K)",
    "a - floor(y/K)",
)
FIRST = (*FIRST, "floor((a + y)/K)", "a*floor(y/K)", "abs(a - y) + K", "a + max(y, K) - y")
SECOND: tuple[str, ...] = (
    "b + floor(x/K)",
    "b + ceil(x/K)",
    "max(b, x - K)",
    "b + mod(x, K)",
    "b - floor(x/K)",
    "min(b, x) + K",
)
SECOND = (*SECOND, "floor((b + x)/K)", "abs(x - b)", "2*floor(x/K) + b", "ceil(x/K)")


def checked(chance: Random) -> None:
    x, y = (chance.choice(forms).replace("K", str(chance.randint(2, 6))) for forms in (FIRST, SECOND))
    a, b = chance.randint(1, 9), chance.randint(1, 9)
    rows = [f"  {name}: {{integer: true, minimum: 1, maximum: 9}}" for name in "ab"]
    rows += [f"  {name}: {{formula: '{own}', minimum: 0, maximum: {MOST}}}" for name, own in (("x", x), ("y", y))]
    sheet = parse_sheet("\n".join(["sheet: b", "title: T", "implicit: true", "cells:", *rows, ""]), "b")
    true = [at for at in range(MOST + 1) if is_met(x, y, {"a": Fraction(a), "b": Fraction(b)}, at)]
    try:
        outcome = solve(sheet, "x", [f"a = {a}", f"b = {b}"]).outcomes["x"]
    except NotInvertibleError:
        return
    except OverdeterminedError:
        assert not true, (x, y, a, b)
        return
    for at in range(MOST + 1):
        assert says(outcome, at) in (at in true, None), (x, y, a, b, at)


def is_met(x: str, y: str, given: dict[str, Fraction], at: int) -> bool:
    """Whether x has a value, with that of y by its formula."""
    cells = {**given, "x": Fraction(at)}
    cells["y"] = value(y, cells)
    return 0 <= cells["y"] <= MOST and value(x, cells) == at


@pytest.mark.parametrize("seed", range(40))
def test_cycles_with_steps(seed: int) -> None:
    checked(Random(seed))  # noqa: S311  # no secret


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1010))
def test_more_cycles_with_steps(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # no secret
    for _ in range(50):
        checked(chance)
