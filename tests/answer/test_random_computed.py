"""Random counts with computed cells among the unknowns, in any order: their tuples are those that trying all finds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.answer.by_trial import holds, value_of

from flopsheet import solve
from flopsheet.errors import FlopsheetError
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Answer

PARTS = [
    "{}*{}",
    "{} + {}",
    "{} - {}",
    "{}/{}",
    "ceil({}/{})",
    "mod({}, {} + 1)",
    "max({}, {})",
    "min({}, 4)*{}",
    "{}**2 + {}",
    "{}*({} - 2)",
]
PER_SEED = 120


@dataclass(frozen=True)
class Drawn:
    """Counts within bounds, cells computed from them, of which some may be negative, unknowns and relations."""

    ranges: Mapping[str, tuple[int, int]]
    computed: Mapping[str, tuple[str, bool]]
    unknowns: Sequence[str]
    relations: Sequence[str]

    def cells_at(self, counts: Sequence[int]) -> dict[str, Fraction] | None:
        """Return the values of all cells; None where one has none."""
        cells = dict(zip(self.ranges, map(Fraction, counts), strict=True))
        for name, (formula, _) in self.computed.items():
            value = value_of(formula, cells)
            if value is None:
                return None
            cells[name] = value
        return cells

    @property
    def everywhere(self) -> list[dict[str, Fraction] | None]:
        """The values of all cells at all counts."""
        return [*map(self.cells_at, product(*(range(low, high + 1) for low, high in self.ranges.values())))]

    def holds_at(self, cells: Mapping[str, Fraction]) -> bool:
        """Whether relations hold, and no cell is negative that may not be."""
        is_allowed = all(signed or cells[name] >= 0 for name, (_, signed) in self.computed.items())
        return is_allowed and all(holds(own, cells) for own in self.relations)

    def answer(self) -> Answer:
        """Return the answer of the solver."""
        rows = [f"  {name}: {{integer: true, minimum: {a}, maximum: {b}}}" for name, (a, b) in self.ranges.items()]
        for name, (formula, signed) in self.computed.items():
            rows.append(f"  {name}: {{formula: '{formula}'{', signed: true' if signed else ''}}}")
        lines = ["sheet: drawn", "title: Drawn.", "cells:", *rows, ""]
        return solve(parse_sheet("\n".join(lines), "drawn"), self.unknowns, self.relations)


def drawn(draw: Random) -> Drawn:
    """Return a question whose relations hold at a point, or hardly miss it."""
    names = [*"xyz"[: draw.choice((2, 2, 3))]]
    ranges = {name: (low, low + draw.randint(2, 5)) for name in names for low in [draw.choice((0, 1, 2))]}
    computed, known = dict[str, tuple[str, bool]](), [*names]
    for name in "ab"[: draw.choice((0, 1, 2))]:
        computed[name] = draw.choice(PARTS).format(*draw.sample(known, 2)), draw.random() < 1 / 2
        known.append(name)
    unknowns = [*names, *(name for name in computed if draw.random() < 1 / 2)]
    draw.shuffle(unknowns)
    relations: list[str] = []
    point = Drawn(ranges, computed, (), ()).cells_at([draw.randint(*own) for own in ranges.values()])
    if point is None:
        return Drawn(ranges, computed, unknowns, relations)
    for _ in range(draw.choice((1, 2, 3))):
        text = draw.choice([*PARTS, "{}"]).format(*draw.sample(known, 2))
        value = value_of(text, point)
        relations += [] if value is None else [f"{text} {draw.choice(('=', '<=', '>='))} {value + draw.choice((0, 1))}"]
    return Drawn(ranges, computed, unknowns, relations)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 10))])
def test_all_tuples_are_listed_and_no_others(seed: int) -> None:
    draw, answered = Random(seed), 0  # noqa: S311  # the same each time
    for _ in range(PER_SEED):
        question = drawn(draw)
        everywhere = [cells for cells in question.everywhere if cells is not None]
        if not question.relations or len(everywhere) < len(question.everywhere):
            continue
        try:
            answer = question.answer()
        except FlopsheetError:  # nothing is claimed
            continue
        answered += 1
        at = [cells for cells in everywhere if question.holds_at(cells)]
        expected = {tuple(cells[name] for name in question.unknowns) for cells in at}
        found = {tuple(Fraction(own[name]) for name in question.unknowns) for own in answer.tuples}
        assert found <= expected or not answer.meets_question, question
        outcomes = answer.outcomes.values()
        if all(own.proof is not Proof.OPEN and not own.at for own in outcomes) and len(outcomes) > 1:
            assert found == expected or any(own.kind == "range" for own in outcomes), question
    assert answered > PER_SEED / 3
