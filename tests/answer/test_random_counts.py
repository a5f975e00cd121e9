"""Random systems of a few whole numbers within small bounds: the tuples are those that trying all of them finds."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.answer.by_trial import tuples_of, value_of
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.errors import OverdeterminedError, UnderdeterminedError, ValueOutOfBoundsError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flopsheet import Answer

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


@dataclass(frozen=True)
class System:
    """Relations on whole numbers within bounds."""

    domains: Mapping[str, tuple[int, int]]
    relations: Sequence[str]

    @property
    def tuples(self) -> set[tuple[int, ...]]:
        """The tuples at which all relations hold, by trying all."""
        return {*tuples_of(self.relations, {name: range(low, high + 1) for name, (low, high) in self.domains.items()})}

    def answer(self, folder: Path) -> Answer:
        """Return the answer for all of them."""
        cells = {name: {"integer": True, "minimum": low, "maximum": high} for name, (low, high) in self.domains.items()}
        return solve(variables(folder, cells), [*self.domains], self.relations)


def listed(answer: Answer) -> set[tuple[int, ...]]:
    return {tuple(map(int, own.values())) for own in answer.tuples}


def drawn(draw: Random) -> System:
    """Return a system whose relations hold at a point, or hardly miss it."""
    names = NAMES[: draw.choice((2, 3))]
    lows = [draw.randint(0, AROUND[0]) for _ in names]
    domains = {name: (low, low + draw.randint(0, AROUND[1])) for name, low in zip(names, lows, strict=True)}
    point, relations = {name: draw.randint(*domain) for name, domain in domains.items()}, list[str]()
    while len(relations) < len(names):
        text = draw.choice(PARTS).format(*draw.sample(names, k=2))
        for _ in range(draw.randint(0, 1)):
            text = draw.choice(PARTS).format(f"({text})", draw.choice(names))
        value = value_of(text, point)
        if value is not None:
            sign = draw.choice(("=", "=", "=", "<=", ">="))
            relations.append(f"{text} {sign} {value + draw.choice((0, 0, 0, 0, 1))}")
    return System(domains, relations)


def check(system: System, folder: Path) -> None:
    expected = system.tuples
    try:
        answer = system.answer(folder)
    except (OverdeterminedError, ValueOutOfBoundsError):
        assert expected == set(), system
        return
    except UnderdeterminedError:  # nothing is claimed
        return
    assert listed(answer) <= expected, system
    if all(own.proof is not Proof.OPEN for own in answer.outcomes.values()) and (answer.tuples or not answer.solved):
        assert listed(answer) == expected, system


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 60))])
def test_tuples_are_those_that_trying_finds(seed: int, tmp_path: Path) -> None:
    draw = Random(seed)  # noqa: S311  # the same each time
    for _ in range(PER_SEED):
        check(drawn(draw), tmp_path)


IN_TURN = [
    ({"x": (1, 4), "y": (1, 4), "z": (1, 4)}, ["ceil(7/z)*z*y*x = 54", "floor(z/2) = 1", "3*y = 6"]),
    ({"x": (0, 4), "y": (1, 6), "z": (0, 6)}, ["y*x**2/(z + 7) = 0", "mod(10, y) = 0", "ceil(z/25) = 1"]),
    ({"x": (4, 4), "y": (0, 4), "z": (6, 6)}, ["select(y <= 5, z, x) = 6", "mod(8, x) = 0", "mod(y, 4) = 0"]),
    ({"x": (1, 4), "y": (0, 4), "z": (0, 6)}, ["max(x, y - z) = 4", "mod(70, y) = 0", "mod(x, 3) = 1"]),
    ({"x": (2, 2), "y": (0, 2), "z": (5, 6)}, ["mod(max(y, x), 2)/z = 0", "x - 2 = 0", "16*ceil(y**3/16) = 16"]),
    ({"x": (1, 6), "y": (0, 15)}, ["x <= y", "mod(ceil(35/y)*y, 8)*min(3*y, 2) = 9"]),
    ({"x": (1, 6), "y": (-5, 12)}, ["min(floor(16*y/17), x + 12*y) = 6", "ceil(mod(5, y)/5) = 1"]),
    ({"x": (1, 100), "y": (1, 4), "z": (1, 30)}, ["ceil(7/z)*z*y*x = 54", "floor(z/2) = 1", "3*y = 6"]),
]


@pytest.mark.parametrize(("domains", "relations"), IN_TURN, ids=[own[1][0] + str(len(own[0])) for own in IN_TURN])
def test_a_run_of_one_unknown_does_not_hold_beside_all_of_another(
    domains: dict[str, tuple[int, int]], relations: list[str], tmp_path: Path
) -> None:
    system = System(domains, relations)
    answer = system.answer(tmp_path)
    assert listed(answer) == system.tuples
    assert all(own.proof is not Proof.OPEN for own in answer.outcomes.values())
