"""Formulas one after the other: each cell is what its formula gives at the values that the cells before it are told."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import pytest
import sympy

from flopsheet.formulas.code import compiled
from flopsheet.formulas.rows import FEW_RUNS, Recalculated, Row
from flopsheet.functions import symbol
from flopsheet.numbers.many_digits import Irrational

if TYPE_CHECKING:
    from flopsheet.units import Number

P, W, K, Z = (symbol(name) for name in ("p", "w", "k", "z"))
STEPS = (
    ("z", sympy.Rational(5063, 1000) * (P ** sympy.Rational(135, 1000) - (1 - P) ** sympy.Rational(135, 1000))),
    ("y", W * (1 - K**2 / 9 + Z * K / 3) ** 3),
)


@pytest.mark.parametrize("seed", range(8))
def test_a_cell_of_a_float_starts_from_the_nearest_floats_of_irrational_ones(seed: int) -> None:
    """By one formula at a time, by all together, and of a part alone: digits of the third power cancel."""
    draw = Random(seed)  # noqa: S311
    ratios = {"p": Fraction(draw.randint(600, 700), 1000), "k": Fraction(draw.randint(3400, 3550), 1000)}
    inputs: dict[str, Number] = {**ratios, "w": draw.random()}
    row, part = Row(STEPS), Recalculated(STEPS)
    results = [row.values({}, inputs) for _ in range(FEW_RUNS + 2)]
    part.values({}, {**inputs, "w": 0.5})
    for values in (*results, part.values({}, inputs)):
        assert values is not None
        assert isinstance(values["z"], Irrational)
        assert values["z"].nearest() == values["z"]
        code = compiled(STEPS[1][1])
        known: dict[str, Number] = {**inputs, "z": float(values["z"])}
        assert values["y"] == code.exact(*map(known.__getitem__, code.inputs))
