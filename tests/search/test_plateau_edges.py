"""Where a plateau begins at a number, a search finds it up to that number, and leaves nothing open beside it."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.search.questions import X

from flopsheet import max_, min_
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import program_of
from flopsheet.numbers.sets import Interval, point
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Cover, Search

SEEDS = range(24)


def kinked(seed: int) -> tuple[Any, int]:
    """Return a formula that is constant from a whole number on and differs below, though hardly, and that number."""
    chance = Random(seed)  # noqa: S311  # the same each time
    end = chance.choice((3, 96, 1000, 1024, 4096, 131_072))
    passes = max_(1, Fraction(end) / X)
    scale, steep, flat = (Fraction(chance.randint(1, 10**9), chance.randint(1, 10**12)) for _ in range(3))
    time = (passes * (scale + flat * min_(end, X)) + steep * (1536 * passes + 512) / passes) * 3 / 2
    settled = evaluate(time, {"x": Fraction(2 * end)})
    rest = max_(0, 3 * settled - time)
    return (rest - settled / 3) / (rest + settled / 5) if seed % 2 else time, end


def at_plateau(formula: Any, end: int, domain: Interval) -> Cover:
    """Return where in a domain a formula has the value of its plateau, which begins at an end."""
    level = evaluate(formula, {"x": Fraction(2 * end)})
    return Search(Field(program_of(formula), "x", {}), point(level)).over(domain)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_plateau_is_found_up_to_the_number_where_it_begins(seed: int) -> None:
    formula, end = kinked(seed)
    cover = at_plateau(formula, end, Interval(1, 10**6))
    assert cover.open == ()
    assert [part for part in cover.values if part.upper > end] == [Interval(end, 10**6)]


@pytest.mark.parametrize("seed", SEEDS)
def test_floats_beside_a_plateau_count_as_themselves(seed: int) -> None:
    """Those above it are not rounded to the number where it begins, those below it are no values."""
    formula, end = kinked(seed)
    beside = math.nextafter(end, math.inf), math.nextafter(end, 0)
    above, below = (at_plateau(formula, end, Interval(at, at)).values for at in beside)
    assert above == (Interval(beside[0], beside[0]),)
    assert below == ()
