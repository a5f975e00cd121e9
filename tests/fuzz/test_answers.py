"""Answers over the built-in sheets against each other, and against plain evaluation without the engine.

Each question is asked again with its relations shuffled: the answer is the same. Members of every range that is claimed
satisfy the relation, neighbours outside of it fail, and where there is none, none of many numbers of all sizes does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import check_each
from tests.models.independent import as_digits
from tests.models.points import SHEETS, drawn, example

from flopsheet import solve
from flopsheet.answer.several.partners import binding
from flopsheet.errors import FlopsheetError
from flopsheet.functions import Trait, nodes
from flopsheet.numbers.sets import is_in, whole_ends
from flopsheet.units import in_unit, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cases import Record
    from tests.models.points import Point

    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number

QUESTIONS, DRAWS, MEMBERS, PARTS = 200, 2, 3, 4
SIGNS = {"=": (0,), "<=": (-1, 0), ">=": (1, 0), "<": (-1,), ">": (1,)}
NEAR = 1e-9  # relative: an equation holds within what rounding on the way to the output adds up to
BESIDE = 10**6  # a number outside of a range is one part in so many from its end
ROUNDED = 10**12  # what floats may be off on the way to a jump is one part in so many
STEP = Fraction(1, 1000)  # by which an input is moved to see how much of a cell it is
DIGITS = Fraction(4, 10**15)  # of what a float keeps, a few last digits that rounding may change
SIZES = [Fraction(10) ** (size // 4) * (1, 2, 3, 6)[size % 4] for size in range(-48, 49)]  # 1e-12 to 1e12


@dataclass(frozen=True)
class Asked:
    """An input, and a relation of an output that depends on it."""

    point: Point
    free: str
    output: str
    sign: str
    level: Fraction  # in the unit of the output
    seed: str

    @property
    def text(self) -> str:
        """The relation."""
        above, below = self.level.as_integer_ratio()
        return f"{self.output} {self.sign} {above} {self.point.sheet.cells[self.output].unit.text} / {below}"

    def outcome(self, *, shuffled: bool) -> Outcome | type[FlopsheetError]:
        """Return what is answered, without limits, or the kind of the error: the output may not have this value."""
        relations = self.point.relations_back([self.free], [self.text])
        if shuffled:
            Random(self.seed).shuffle(relations)  # noqa: S311
        limits = [check.relation.name for check in self.point.answer.limits]
        try:
            return solve(self.point.sheet, [self.free], relations, without=limits).outcomes[self.free]
        except FlopsheetError as error:
            return type(error)

    def side(self, at: Number) -> int | None:
        """Return the sign of the output less the level at a value of the input, 0 within rounding, or None."""
        level = as_digits(self.level * self.point.sheet.cells[self.output].unit.factor)
        try:
            gap = as_digits(self.point.output_at(self.free, at, self.output)) - level
        except (ArithmeticError, ValueError):
            return None
        return 0 if abs(gap) <= NEAR * abs(level) else 1 if gap > 0 else -1

    def holds(self, at: Number) -> bool:
        """Whether the relation holds at a value of the input, or beside it where rounding takes part.

        Beside a pole an output passes a level between two floats.
        """
        is_exact = self.is_exact and not isinstance(at, float)
        for share in [Fraction(0)] if is_exact else [Fraction(1, ROUNDED), self.hidden(at)]:
            sides = {self.side(number) for number in {at, at * (1 - share), at * (1 + share)}}
            if not sides.isdisjoint({*SIGNS[self.sign], 0}) or {-1, 1} <= sides:
                return True
        return False

    def hidden(self, at: Number) -> Fraction:
        """Return by what share of itself the input may move without a float on the way to the output that shows it.

        What is a small part of a sum moves that by few of its last digits.
        """
        try:
            here, beside = (
                self.point.values_at(self.free, at * (1 + step), self.output) for step in (Fraction(0), STEP)
            )
        except (ArithmeticError, ValueError):
            return Fraction(0)
        moved = [abs(as_digits(beside[name]) / as_digits(value) - 1) for name, value in here.items() if value]
        least = min((float(share) for share in moved if share), default=1.0)
        return min(STEP * DIGITS / Fraction(least), STEP)

    @property
    def is_exact(self) -> bool:
        """Whether nothing on the way to the output is a float: else rounding decides on which side of a jump it is."""
        given = (cell.si for name, cell in self.point.answer.cells.items() if name not in self.point.formulas)
        is_float = any(isinstance(si, float) for si in given)
        return isinstance(self.point.independent[self.output], Fraction) and not is_float

    @property
    def is_continuous(self) -> bool:
        """Whether no formula on the way to the output jumps."""
        between = [name for name in self.point.formulas if name in self.point.users[self.free]]
        kinds = nodes(Trait.STEPPED | Trait.PERIODIC | Trait.PIECEWISE)
        return not any(self.point.formulas[name].has(*kinds) for name in between)


def questions(name: str) -> Iterator[Asked]:
    """Yield random questions of a sheet, always the same: more for more pairs, but not as many more."""
    chance = Random(f"answers {name}")  # noqa: S311  # the same each time
    share = math.sqrt(len(example(name).pairs)) / sum(math.sqrt(len(example(other).pairs)) for other in SHEETS)
    for number in range(math.ceil(QUESTIONS * share)):
        point = drawn(name, number % DRAWS)
        free, output = chance.choice(point.pairs)
        shown = Fraction(in_unit(point.value(output), point.sheet.cells[output].unit))
        factor = chance.choice([1, 1 + 10 ** chance.uniform(-6, 0), 1 - 10 ** chance.uniform(-6, -0.1), 1e-9, 1e9])
        level = shown if factor == 1 else Fraction(f"{float(shown * Fraction(factor)):.6g}")
        yield Asked(point, free, output, chance.choice([*SIGNS]), level, f"{name} {number}")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHEETS)
def test_answers_agree_with_each_other_and_with_evaluation(name: str, record_property: Record) -> None:
    check_each(questions(name), check, record_property, "differential answers")


def check(asked: Asked) -> None:
    outcome, other = (asked.outcome(shuffled=shuffled) for shuffled in (False, True))
    if isinstance(outcome, type) or isinstance(other, type):
        assert outcome == other, asked.text
        return
    for one, same in ((outcome.kind, other.kind), (outcome.proof, other.proof), (outcome.listed, other.listed)):
        assert one == same, f"{asked.text}: {one} and {same} with the relations shuffled"
    assert outcome.open == other.open, asked.text
    chance = Random(asked.seed)  # noqa: S311
    for part in outcome.listed[:PARTS]:
        for at in members(part, chance, whole=outcome.cell.integer):
            assert asked.holds(at), f"{asked.free} = {at} of {part} fails {asked.text}"
    for at in (beyond for part in outcome.listed[:PARTS] for beyond in neighbours(part, whole=outcome.cell.integer)):
        is_known = any(is_in(at, values) for values in (outcome.listed, outcome.open))
        is_met = asked.side(at) != 0 and asked.side(at) in SIGNS[asked.sign] and at in outcome.cell.bounds
        assert is_known or not is_met or not _is_allowed(asked, at), (
            f"{asked.free} = {at} is outside of {outcome.listed[:PARTS]} and satisfies {asked.text}"
        )
    if not outcome.listed and not outcome.open:
        check_none(asked, [at for at in grid(asked) if at in outcome.cell.bounds])


def members(part: Interval, chance: Random, *, whole: bool) -> Iterator[Number]:
    """Yield the ends of a range that belong to it, and numbers inside."""
    yield from (end for end, closed in part.ends if closed and is_finite(end))
    low, high = (Fraction(end) if is_finite(end) else None for end in (part.lower, part.upper))
    for _ in range(0 if part.is_point else MEMBERS):
        share = Fraction(chance.random())
        if low is not None and high is not None:
            at = low + (high - low) * share
        elif low is not None:
            at = low + (abs(low) or 1) * 10 ** chance.randint(-6, 6) * share
        else:
            at = (high or 0) - (abs(high or 0) or 1) * 10 ** chance.randint(-6, 6) * share
        number: Number = round(at) if whole else at
        if number in part:
            yield number


def neighbours(part: Interval, *, whole: bool) -> Iterator[Number]:
    """Yield numbers a little outside of a range."""
    ends = zip(whole_ends(part) if whole else (part.lower, part.upper), (-1, 1), strict=True)
    for end, way in ends:
        if is_finite(end):
            yield int(end) + way if whole else Fraction(end) + way * abs(Fraction(end)) / BESIDE


def grid(asked: Asked) -> list[Number]:
    """Return numbers of all sizes around the value that an input has at the point, in order."""
    known = Fraction(asked.point.value(asked.free)) or Fraction(1)
    numbers: list[Number] = [known * size for size in SIZES]
    if asked.point.sheet.cells[asked.free].integer:
        numbers = [*dict.fromkeys(round(number) for number in numbers)]
    return sorted(numbers)


def check_none(asked: Asked, numbers: list[Number]) -> None:
    """Check that no number satisfies a relation, and that an equation is not passed between two of them."""
    sides = {at: asked.side(at) for at in numbers}
    for at, side in sides.items():
        met = side != 0 and side in SIGNS[asked.sign] and _is_allowed(asked, at)
        assert not met, f"{asked.free} = {at} satisfies {asked.text}"
    if asked.sign == "=" and asked.is_continuous and not asked.point.sheet.cells[asked.free].integer:
        for (left, one), (right, other) in pairwise(sides.items()):
            passed = {one, other} == {1, -1} and _is_allowed(asked, left) and _is_allowed(asked, right)
            assert not passed, f"{asked.text} is passed between {asked.free} = {left} and {right}"


def _is_allowed(asked: Asked, at: Number) -> bool:
    """Whether cells that depend on an input stay within their bounds at a value of it, and whole where they count."""
    cells: dict[str, Any] = dict(asked.point.sheet.cells)
    counts = {own.name for own in binding(asked.point.sheet.rows) if own.integer}
    for name in asked.point.users[asked.free]:
        try:
            value = asked.point.output_at(asked.free, at, name)
        except (ArithmeticError, ValueError):
            return False
        if not is_in(value if isinstance(value, Fraction) else float(value), (cells[name].bounds.interval,)):
            return False
        if name in counts and not math.isclose(value, round(value), rel_tol=1e-12):
            return False
    return True
