"""Boxes in which a formula rises or falls: proven against samples, and inverted."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from flopsheet import exp, floor, log, max_, sqrt
from flopsheet.formulas.program import program_of
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.sawtooth import rises
from flopsheet.numbers.sets import Interval
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from flopsheet.functions import Expr

X = symbol("x")
WITHIN = Interval(0.5, 900.0)


@pytest.mark.parametrize(
    ("formula", "count"),
    [
        (7 / X, 1),
        (X**1.5 - 3 * sqrt(X), 1),
        ((X - 3) * (X - 40) * (X - 800), 3),
        (max_(40 / X, sqrt(X)), 2),
        (X * exp(-X / 100), 2),
        (log(X) + X / (1 + X), 1),
        (1000 / (X**2 + X) + X / 10, 2),
    ],
    ids=str,
)
def test_parts_cover_all_but_turns_without_the_level_and_each_value_is_found_where_it_is(
    formula: Expr, count: int
) -> None:
    field = Field(program_of(formula), "x", {})
    parts, opened = rises(field, WITHIN, lambda span: span.low <= 5.5 <= span.high)
    chance = Random(str(formula))  # noqa: S311  # the same each time
    assert (len(parts), opened) == (count, ())
    for part in parts:
        low, high = part.interval.lower, part.interval.upper
        samples = sorted(low * (high / low) ** chance.random() for _ in range(200))
        values = [float(field.value(at) or 0) for at in samples]
        assert all((left < right) == part.rises for left, right in pairwise(values))
        for at, value in zip(samples, values, strict=True):
            assert part.at(value) == pytest.approx(at, rel=1e-7)
            assert part.of(at) == value
        assert part.of(high * 2) is None
        assert {part.at(-math.inf), part.at(math.inf)} == {low, high}


@pytest.mark.parametrize("formula", [floor(X), X / (X - 10), 0 * X + 3, max_(X, 20)], ids=str)
def test_no_part_has_a_jump_a_pole_or_a_plateau(formula: Expr) -> None:
    parts, opened = rises(Field(program_of(formula), "x", {}), WITHIN, lambda _: True)
    for at in (10.0, 1.0, 2.0, 15.0):
        jumps = formula == X / (X - 10) and at == 10
        jumps |= formula == floor(X) or (formula == max_(X, 20) and at < 20) or formula == 3
        inside = any(part.interval.lower <= at <= part.interval.upper for part in parts)
        assert not (jumps and inside)
        assert inside or any(part.lower <= at <= part.upper for part in opened)
