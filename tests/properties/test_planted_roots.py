"""Random formulas with a planted root: what is said to be excluded does not hold it, and no range holds what fails."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.properties.planted import MP, NoValueError, Tree, text, tree, value

from flopsheet import Sheet, solve
from flopsheet.errors import FormulaError, QuestionError
from flopsheet.sheets.cell import ANY, POSITIVE, Bounds, Cell

if TYPE_CHECKING:
    import mpmath

    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number

SMALLEST, LARGEST = MP.mpf("1e-290"), MP.mpf("1e290")
FIRST, LAST = MP.mpf("1e-14"), MP.mpf("0.1")  # how far beside a number a root is looked for, as a share of it
KNOWN = MP.mpf("1e-9")  # values in floats are known to this share
STEEP = MP.mpf("1e-7")  # where a formula changes by less beside a number, digits of its parts have cancelled
TRIES = 8


class Question(NamedTuple):
    """A formula, what it is compared with, and a number that meets that."""

    formula: Tree
    sign: str
    level: mpmath.mpf
    root: mpmath.mpf
    bounds: Bounds

    @property
    def relation(self) -> str:
        return f"{text(self.formula)} {self.sign} {MP.nstr(self.level, 15)}"


def question(chance: Random) -> Question | None:
    """Return a random question; None where no root is planted."""
    formula, bounds = tree(chance, chance.choice((2, 3, 3, 4))), chance.choice((ANY, POSITIVE))
    sizes = chance.choice((3, 12, 290, 290))
    near = MP.mpf(10) ** chance.uniform(-sizes, sizes) * (1 if bounds is POSITIVE else chance.choice((1, -1)))
    sign = chance.choice(("=", "=", "<=", ">="))
    try:
        here = value(formula, near)
        level = MP.mpf(MP.nstr(here, 15))
        if not SMALLEST < abs(level) < LARGEST or "x" not in text(formula).replace("exp", "").replace("max", ""):
            return None
        if abs(value(formula, near * (1 + KNOWN)) - here) <= STEEP * KNOWN * abs(here):
            return None
        if sign != "=":
            off = (1 if sign == "<=" else -1) * abs(level) / 1000
            return Question(formula, sign, MP.mpf(MP.nstr(level + off, 15)), near, bounds)
        root = crossing(formula, level, near)
    except NoValueError:
        return None
    return None if root is None else Question(formula, sign, level, root, bounds)


def crossing(formula: Tree, level: mpmath.mpf, near: mpmath.mpf) -> mpmath.mpf | None:
    """Return where a formula passes a level beside a number, by bisection; None where it does not, or jumps."""
    off = FIRST
    while off < LAST:
        low, high = near * (1 - off), near * (1 + off)
        below = value(formula, low) - level
        if below * (value(formula, high) - level) < 0:
            break
        off *= 10
    else:
        return None
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (low, middle) if (value(formula, middle) - level) * below <= 0 else (middle, high)
    return low if abs(value(formula, low) - level) <= abs(level) * MP.mpf("1e-40") else None


def asked(planted: Question) -> Outcome | None:
    """Return the outcome; None for a relation that no question may ask."""
    sheet = Sheet("planted")
    sheet.rows.add_cell(Cell("x", "An input", bounds=planted.bounds))
    try:
        return solve(sheet, "x", [planted.relation], budget="1 s").outcomes["x"]
    except (FormulaError, QuestionError):
        return None


def number(end: Number) -> mpmath.mpf:
    if isinstance(end, float):
        return MP.mpf(end)
    return MP.mpf(end.numerator) / end.denominator


def holds(part: Interval, at: mpmath.mpf) -> bool:
    """Whether a part of a set holds a number, within what floats know."""
    low, high = number(part.lower), number(part.upper)
    below, above = (KNOWN * abs(end) if abs(end) < MP.inf else 0 for end in (low, high))
    return bool(low - below <= at <= high + above)


def inside(part: Interval, chance: Random) -> mpmath.mpf:
    """Return some number inside a range, of any of its sizes."""
    low, high = (max(min(number(end), LARGEST), -LARGEST) for end in (part.lower, part.upper))
    share = MP.mpf(chance.random())
    if low * high > 0:
        return MP.sign(low) * MP.exp(MP.log(abs(low)) * share + MP.log(abs(high)) * (1 - share))
    return low * share + high * (1 - share)


def refuted(planted: Question, outcome: Outcome, chance: Random) -> mpmath.mpf | None:
    """Return a number that the outcome excludes and that works, or that it includes and that fails; None for none."""
    if not any(holds(part, planted.root) for part in (*outcome.listed, *outcome.open)) and not outcome.progressions:
        return planted.root
    for part in outcome.listed[:TRIES] if planted.sign != "=" else ():
        for _ in range(0 if part.is_point else TRIES):
            at = inside(part, chance)
            try:
                gap = value(planted.formula, at) - planted.level
            except NoValueError:
                continue
            if (gap if planted.sign == "<=" else -gap) > KNOWN * abs(planted.level) and number(part.lower) < at:
                return at
    return None


def check(seed: int, count: int) -> None:
    """Check some random questions."""
    chance = Random(seed)  # noqa: S311  # the same questions every time
    while count:
        planted = question(chance)
        outcome = None if planted is None else asked(planted)
        if planted is None or outcome is None:
            continue
        at = refuted(planted, outcome, chance)
        assert at is None, (planted.relation, MP.nstr(at, 20), outcome.kind, outcome.listed[:6], outcome.open[:6])
        count -= 1


@pytest.mark.parametrize("seed", range(3))
def test_no_planted_root_is_excluded(seed: int) -> None:
    check(seed, 5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 104))
def test_no_planted_root_is_excluded_in_many(seed: int) -> None:
    check(seed, 100)


def test_a_planted_root_solves_its_question() -> None:
    """The numbers of this file are right: an excluded root would otherwise prove nothing."""
    planted = next(filter(None, map(question, map(Random, range(1000)))))
    gap = value(planted.formula, planted.root) - planted.level
    assert gap <= 0 if planted.sign == "<=" else gap >= 0 if planted.sign == ">=" else abs(gap) < abs(planted.level)
    assert math.isfinite(Fraction(MP.nstr(planted.level, 15)))
