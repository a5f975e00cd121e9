"""Small sheets at random: an answer holds the numbers at which its relation and all bounds hold, and no others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from flopsheet import solve
from flopsheet.errors import ArithmeticTrapError, UnderdeterminedError, ValueOutOfBoundsError
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet.answer.outcomes.outcome import Outcome

FORMS: dict[str, Callable[[Fraction, Fraction, Fraction], Fraction | int]] = {
    "{a} + {b}": lambda a, b, _: a + b,
    "{a} - {b}": lambda a, b, _: a - b,
    "{a}*{b}": lambda a, b, _: a * b,
    "max({a}, {b}) - {c}": lambda a, b, c: max(a, b) - c,
    "min({a}, {c}*{b})": lambda a, b, c: min(a, c * b),
    "ceil({a}/({c}))": lambda a, _, c: math.ceil(a / c),
    "({a} - ({c}))**2": lambda a, _, c: (a - c) ** 2,
    "{a}/2 - {c}": lambda a, _, c: a / 2 - c,
    "{a}/({b}**2 + 1)": lambda a, b, _: a / (b**2 + 1),
}
MOST, NEAR = 50, Fraction(1, 10**9)
KINDS = "count", "positive", "signed"


@dataclass(frozen=True)
class Computed:
    """A cell, as text and as Python computes it."""

    name: str
    form: str
    a: str
    b: str
    c: Fraction
    signed: bool

    @property
    def text(self) -> str:
        return self.form.format(a=self.a, b=self.b, c=self.c)


def drawn(chance: Random) -> list[Computed]:
    """Return cells that follow from `x`, each from those before."""
    names, cells = ["x"], list[Computed]()
    for place in range(chance.randint(2, 7)):
        a, b, form = chance.choice(names), chance.choice(names), chance.choice([*FORMS])
        c = Fraction(chance.choice([1, 2, 3, 4, 7]), chance.choice([1, 2, 4]))
        cells.append(Computed(f"y{place}", form, a, b, c, chance.random() < 1 / 2))
        names.append(f"y{place}")
    return cells


def values_at(cells: list[Computed], x: Fraction) -> dict[str, Fraction]:
    values = {"x": x}
    for own in cells:
        values[own.name] = Fraction(FORMS[own.form](values[own.a], values[own.b], own.c))
    return values


def written(cells: list[Computed], kind: str, folder: Path) -> Any:
    bounds: dict[str, Any] = {"count": {"integer": True, "maximum": MOST}, "positive": {}, "signed": {"signed": True}}
    rows: dict[str, Any] = {"x": {"doc": "x", "symbol": "x", "example": 3, **bounds[kind]}}
    for place, own in enumerate(cells):
        rows[own.name] = {"doc": own.name, "symbol": f"y_{place}", "formula": own.text, "signed": own.signed}
    file = folder / "drawn.yaml"
    file.write_text(yaml.safe_dump({"sheet": "drawn", "title": "Drawn", "cells": rows}, sort_keys=False))
    return read_sheet(file)


def tried(outcome: Outcome, kind: str, chance: Random) -> set[Fraction]:
    """Return numbers at random, and those beside the ends of an answer."""
    if kind == "count":
        return {Fraction(number) for number in range(1, MOST + 1)}
    drawn = {Fraction(chance.randint(-256, 256), chance.choice([1, 2, 4, 8])) for _ in range(40)}
    ends = {Fraction(end) for part in outcome.listed for end in (part.lower, part.upper) if math.isfinite(end)}
    near = {end + way * Fraction(1, 1000) for end in ends for way in (-1, 1)}
    return {number for number in drawn | near if kind == "signed" or number > 0}


@pytest.mark.parametrize("seed", range(150))
def test_an_answer_is_where_all_holds(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311  # draws of a test
    cells, kind, sign = drawn(chance), chance.choice(KINDS), chance.choice(["=", "<=", ">="])
    true = Fraction(chance.randint(1, MOST), 1 if kind == "count" else chance.choice([1, 4]))
    goal = chance.choice(cells)
    level = values_at(cells, true)[goal.name]
    try:
        outcome = solve(written(cells, kind, tmp_path), "x", [f"{goal.name} {sign} {level}"]).outcomes["x"]
    except ValueOutOfBoundsError:
        assert level < 0
        assert not goal.signed
        return
    except (UnderdeterminedError, ArithmeticTrapError):  # sympy has it as a number: x - x
        return
    for x in tried(outcome, kind, chance):
        values = values_at(cells, x)
        gap = values[goal.name] - level
        holds = {"=": gap == 0, "<=": gap <= 0, ">=": gap >= 0}[sign]
        holds = holds and all(own.signed or values[own.name] >= 0 for own in cells)
        is_end = any(
            abs(x - Fraction(end)) <= NEAR for part in outcome.listed for end, _ in part.ends if math.isfinite(end)
        )
        is_told = any(x in part for part in outcome.solutions)
        assert is_told == holds or is_end or any(x in part for part in outcome.open), f"{x}: {outcome.why}"
