"""Random systems of a few whole numbers within small bounds: the tuples are those that trying all of them finds."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.errors import OverdeterminedError, UnderdeterminedError, ValueOutOfBoundsError
from flopsheet.inverse.method import Proof
from flopsheet.numbers.arithmetic import HOLDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAMES = ("x", "y", "z")
PARTS = [
    "{}*{}",
    "{}+{}",
    "{}-{}",
    "{}**2*{}",
    "{}/({}+7)",
    "ceil({}/3)*{}",
    "floor({}/2)+{}",
    "ceil(7/{})*{}",
    "mod({},3)+{}",
    "mod(10,{})*{}",
    "max({},{})",
    "min({},{})",
    "select({} <= 2, {}, 4)",
]
AROUND = 1, 4  # where domains begin, and how wide they are
PER_SEED = 12


def mod(value: Any, by: Any) -> Any:
    return value - by * math.floor(value / by)


WORDS: dict[str, Any] = {"ceil": math.ceil, "floor": math.floor, "max": max, "min": min, "mod": mod}
WORDS["select"] = lambda condition, then, other: then if condition else other


def value_of(text: str, point: dict[str, Fraction]) -> Any:
    """Return the value of a formula in ratios, None where it has none."""
    try:
        return eval(text, {**WORDS, **point})  # noqa: S307  # formulas of this file
    except ZeroDivisionError:
        return None


class Drawn:
    """A system whose relations hold at a point, or hardly miss it."""

    def __init__(self, draw: Random) -> None:
        self.names: Sequence[str] = NAMES[: draw.choice((2, 3))]
        lows = [draw.randint(0, AROUND[0]) for _ in self.names]
        self.domains = {
            name: (low, low + draw.randint(0, AROUND[1])) for name, low in zip(self.names, lows, strict=True)
        }
        self.point = {name: Fraction(draw.randint(*domain)) for name, domain in self.domains.items()}
        self.relations: list[str] = []
        while len(self.relations) < len(self.names):
            self._add(draw)

    def _add(self, draw: Random) -> None:
        text = draw.choice(PARTS).format(*draw.sample(self.names, k=2))
        for _ in range(draw.randint(0, 1)):
            text = draw.choice(PARTS).format(f"({text})", draw.choice(self.names))
        value = value_of(text, self.point)
        if value is not None and any(name in text for name in self.names):
            sign = draw.choice(("=", "=", "=", "<=", ">="))
            self.relations.append(f"{text} {sign} {value + draw.choice((0, 0, 0, 0, 1))}")

    def tuples(self) -> set[tuple[int, ...]]:
        """Return the tuples at which all relations hold, by trying all."""
        ranges = (range(low, high + 1) for low, high in self.domains.values())
        return {point for point in product(*ranges) if self._holds(point)}

    def _holds(self, point: Sequence[int]) -> bool:
        at = dict(zip(self.names, map(Fraction, point), strict=True))
        for relation in self.relations:
            left, sign, right = relation.rsplit(" ", 2)
            value, level = value_of(left, at), at[right] if right in at else Fraction(right)
            if value is None or not HOLDS[sign](value, level):
                return False
        return True


def check(draw: Random, folder: Path) -> None:
    drawn = Drawn(draw)
    cells = {name: {"integer": True, "minimum": low, "maximum": high} for name, (low, high) in drawn.domains.items()}
    expected = drawn.tuples()
    try:
        answer = solve(variables(folder, cells), drawn.names, drawn.relations)
    except (OverdeterminedError, ValueOutOfBoundsError):
        assert expected == set(), drawn.relations
        return
    except UnderdeterminedError:  # nothing is claimed
        return
    found = {tuple(int(own[name]) for name in drawn.names) for own in answer.tuples}
    assert found <= expected, (cells, drawn.relations)
    if all(own.proof is not Proof.OPEN for own in answer.outcomes.values()) and (answer.tuples or not answer.solved):
        assert found == expected, (cells, drawn.relations)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 60))])
def test_tuples_are_those_that_trying_finds(seed: int, tmp_path: Path) -> None:
    draw = Random(seed)  # noqa: S311  # the same each time
    for _ in range(PER_SEED):
        check(draw, tmp_path)


IN_TURN = [
    ({"x": (1, 4), "y": (1, 4), "z": (1, 4)}, ["ceil(7/z)*z*y*x = 54", "floor(z/2) = 1", "3*y = 6"]),
    ({"x": (0, 4), "y": (1, 6), "z": (0, 6)}, ["y*x**2/(z + 7) = 0", "mod(10, y) = 0", "ceil(z/25) = 1"]),
    ({"x": (4, 4), "y": (0, 4), "z": (6, 6)}, ["select(y <= 5, z, x) = 6", "mod(8, x) = 0", "mod(y, 4) = 0"]),
    ({"x": (1, 4), "y": (0, 4), "z": (0, 6)}, ["max(x, y - z) = 4", "mod(70, y) = 0", "mod(x, 3) = 1"]),
    ({"x": (2, 2), "y": (0, 2), "z": (5, 6)}, ["mod(max(y, x), 2)/z = 0", "x - 2 = 0", "16*ceil(y**3/16) = 16"]),
    ({"x": (1, 6), "y": (0, 15)}, ["x <= y", "mod(ceil(35/y)*y, 8)*min(3*y, 2) = 9"]),
    ({"x": (1, 6), "y": (-5, 12)}, ["min(floor(16*y/17), x + 12*y) = 6", "ceil(mod(5, y)/5) = 1"]),
    ({"x": (1, 300), "y": (1, 40), "z": (1, 60)}, ["ceil(7/z)*z*y*x = 54", "floor(z/2) = 1", "3*y = 6"]),
]


@pytest.mark.parametrize(("domains", "relations"), IN_TURN, ids=[own[1][0] + str(len(own[0])) for own in IN_TURN])
def test_a_run_of_one_unknown_does_not_hold_beside_all_of_another(
    domains: dict[str, tuple[int, int]], relations: list[str], tmp_path: Path
) -> None:
    drawn = Drawn(Random(1))  # noqa: S311  # replaced
    drawn.names, drawn.domains, drawn.relations = (*domains,), domains, relations
    cells = {name: {"integer": True, "minimum": low, "maximum": high} for name, (low, high) in domains.items()}
    answer = solve(variables(tmp_path, cells), drawn.names, relations)
    assert {tuple(int(own[name]) for name in domains) for own in answer.tuples} == drawn.tuples()
    assert all(own.proof is not Proof.OPEN for own in answer.outcomes.values())
