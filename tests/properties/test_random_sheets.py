"""Questions to random sheets: what an output is worth gives back the input that it comes from, and nothing wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.properties.random_sheets import MP, Case, NoValueError, random_sheet

from flopsheet import solve
from flopsheet.errors import NotInvertibleError

if TYPE_CHECKING:
    from flopsheet import Answer
    from flopsheet.numbers.sets import RealSet

SHIFT = Fraction(1, 10**20)
WORST, FLAT, APART = 10**6, 1e-25, 1e-3
PERIODS = 10
ACCURACY, CLEAR = Fraction(1, 10**9), 1e-6
SAME = 1e-40


@dataclass(frozen=True, repr=False)
class Asked:
    """A question whose answer is known.

    Args:
        case: the sheet.
        unknowns: the inputs that are asked for.
        outputs: the cells that have their values.
        sign: how they have them.
    """

    case: Case
    unknowns: tuple[str, ...]
    outputs: tuple[str, ...]
    sign: str = "="

    def __repr__(self) -> str:
        return f"{self.case!r}\nasked for {', '.join(self.unknowns)} where {self.relations(*self.unknowns)}"

    def relations(self, *unknowns: str) -> list[str]:
        """Return the question's relations; what repeats itself without end is asked for near its value."""
        case = self.case
        given_cells = [case.text(name, "=") for name in case.inputs if name not in unknowns]
        goals = [case.text(name, self.sign) for name in self.outputs]
        return ["mode = low", *given_cells, *goals, *(text for name in unknowns for text in self._near(name))]

    def _near(self, unknown: str) -> list[str]:
        if not self.case.repeating & {*self.outputs}:
            return []
        return [self.case.text(unknown, sign, end) for sign, end in zip((">=", "<="), self.ends(unknown), strict=True)]

    def ends(self, unknown: str) -> list[Fraction]:
        """Return between which values an unknown is asked for: half of its own off, or what makes a few repetitions."""
        rates = [self._rate(output, unknown) for output in self.outputs]
        off = min(Fraction(1, 2), Fraction(PERIODS, int(max(rates)) + 1))
        return sorted(self.case.point[unknown] * (1 + share) for share in (off, -off))

    def _rate(self, output: str, unknown: str) -> Any:
        """Return the most by which a cell before an output, that repeats itself, moves per share of the unknown."""
        case = self.case
        moved = case.at(output, {unknown: case.point[unknown] * (1 + SHIFT)})
        repeating = (name for name in moved if name in case.repeating)
        rates = (_minus(moved[name], case.point[name]) / SHIFT / max(abs(case.point[name]), 1) for name in repeating)
        return min(max(map(abs, rates), default=0), WORST)

    def answer(self, *unknowns: str) -> Answer:
        """Return the engine's answer for some unknowns, the others given."""
        return solve(self.case.sheet, unknowns, self.relations(*unknowns))

    def slopes(self, output: str, unknown: str) -> list[Any]:
        """Return by how much an output moves per share of the unknown, above its value and below."""
        case = self.case
        moved = (
            (case.at(output, {unknown: case.point[unknown] * (1 + step)})[output], step) for step in (SHIFT, -SHIFT)
        )
        return [_minus(value, case.point[output]) / step for value, step in moved]

    def noise(self, output: str) -> Any:
        """Return by how much an output moves where the cells before it are rounded, per share that rounding takes."""
        chance, case = Random(0), self.case  # noqa: S311  # the same every time
        rounded = [name for name in case.trees if not _is_float(case.point[name])]
        off = [{name: SHIFT * chance.choice((1, -1)) for name in rounded} for _ in range(4)]
        return max(abs(_minus(case.at(output, {}, shift)[output], case.point[output])) for shift in off) / SHIFT

    def is_posed(self) -> bool:
        """Whether rounding neither decides an output nor is enlarged more than a million times on the way back."""
        try:
            posed = all(self._is_posed(output, unknown) for output in self.outputs for unknown in self.unknowns)
            return posed and (len(self.unknowns) == 1 or self._are_told_apart())
        except NoValueError:
            return False

    def _is_posed(self, output: str, unknown: str) -> bool:
        size, noise = abs(MP.convert(self.case.point[output])), self.noise(output)
        slope = max(map(abs, self.slopes(output, unknown)))
        return bool(noise <= WORST * size and (slope <= FLAT * size or noise + size <= WORST * slope))

    def _are_told_apart(self) -> bool:
        """Whether two outputs, smooth where they are, move in different ways with two unknowns."""
        slopes = [[self.slopes(output, unknown) for unknown in self.unknowns] for output in self.outputs]
        if any(abs(high - low) > CLEAR * abs(high) for row in slopes for high, low in row):
            return False
        (a, b), (c, d) = ([high for high, _ in row] for row in slopes)
        return bool(abs(a * d - b * c) > APART * max(abs(a * d), abs(b * c)))

    def works(self, at: Fraction) -> bool | None:
        """Return whether a value of the unknown meets the goal; None where rounding decides, or it has no value."""
        (unknown,), (output,) = self.unknowns, self.outputs
        wanted = MP.convert(self.case.point[output])
        try:
            values = [self.case.at(output, {unknown: at * (1 + off)})[output] for off in (0, ACCURACY, -ACCURACY)]
        except NoValueError:
            return None
        sizes = [max(abs(wanted), abs(MP.convert(value)), SAME if wanted else 1) for value in values]
        gaps = [_minus(value, wanted) / size for value, size in zip(values, sizes, strict=True)]
        above, below, same = min(gaps) > CLEAR, max(gaps) < -CLEAR, max(map(abs, gaps)) < SAME
        if above or below:
            return above if self.sign == ">=" else below and self.sign == "<="
        return True if same else None


def _minus(left: Any, right: Any) -> Any:
    return MP.convert(left) - MP.convert(right)


def _is_float(value: Any) -> bool:
    return isinstance(value, Fraction) and abs(value.numerator) < 2**53 and Fraction(float(value)) == value


def question(chance: Random, signs: str, count: int = 1) -> Asked:
    """Return a question for as many inputs as outputs, the first that chance brings and rounding does not spoil."""
    while True:
        case = random_sheet(chance)
        cells = [name for name in case.trees if len(case.above[name]) >= count]
        if len(cells) < count:
            continue
        outputs = chance.sample(cells, count)
        inputs = sorted(frozenset.intersection(*(case.above[name] for name in outputs)))
        if len(inputs) < count:
            continue
        asked = Asked(case, tuple(chance.sample(inputs, count)), tuple(outputs), chance.choice(signs.split()))
        if asked.is_posed():
            return asked


def ends_at(solutions: RealSet, value: Fraction) -> bool:
    return any(
        math.isclose(end, value, rel_tol=ACCURACY) for interval in solutions for end in (interval.lower, interval.upper)
    )


def check_answer(asked: Asked, chance: Random) -> None:
    (unknown,) = asked.unknowns
    answer = asked.answer(unknown)
    outcome, value = answer.outcomes[unknown], asked.case.point[unknown]
    assert outcome.kind != "none", outcome.why
    assert all(check.holds for check in answer.checks)
    assert any(value in interval for interval in outcome.listed) or ends_at(outcome.listed, value), asked
    inside = [
        Fraction(interval.inside()) for interval in outcome.listed[:20] if interval.is_point or not outcome.cell.integer
    ]
    assert [float(at) for at in inside if asked.works(at) is False] == []
    low, high = asked.ends(unknown)
    shares = (Fraction(chance.randint(1, 98), 99) for _ in range(2))
    others = [at for share in shares if (at := low + (high - low) * share) in outcome.cell.bounds]
    for at in [] if outcome.cell.integer else others:
        assert ends_at(outcome.listed, at) or asked.works(at) in (
            None,
            any(at in interval for interval in outcome.listed),
        )


def check_two(asked: Asked) -> None:
    """Check that two outputs lead to values that give them, and with one input given to the other, or a refusal."""
    try:
        answer = asked.answer(*asked.unknowns)
    except NotInvertibleError as error:
        assert error.fix  # noqa: PT017  # too many values on the way, or Newton's method found none: said, with what to give
        return
    assert answer.solved
    second = asked.unknowns[1]
    back = replace(asked, unknowns=(second,)).answer(second)
    assert back.solved  # with the first given, a second that meets both outputs: there may be others


# Seeds, not hypothesis, which draws constants of whatever modules are loaded: each run would ask other questions.
@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 48))])
@pytest.mark.parametrize("signs", ["=", "<= >="])
def test_an_input_is_among_the_answers_for_its_output(seed: int, signs: str) -> None:
    chance = Random(seed)  # noqa: S311  # the same every time
    check_answer(question(chance, signs), chance)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from(["=", "<= >="]))
@settings(deadline=None, max_examples=5, derandomize=True, phases=[Phase.generate])
def test_an_input_is_among_the_answers_on_other_sheets_too(seed: int, signs: str) -> None:
    chance = Random(seed)  # noqa: S311  # the same every time
    check_answer(question(chance, signs), chance)


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 18))])
def test_two_inputs_are_solved_from_two_outputs(seed: int) -> None:
    check_two(question(Random(seed), "=", 2))  # noqa: S311  # the same every time
