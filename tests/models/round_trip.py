"""Whether an answer gives an input back: it contains the true value, and every other value gives the output too."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tests.models.independent import as_digits

from flopsheet.numbers.sets import Interval, whole_ends
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.models.points import Point

    from flopsheet import Answer
    from flopsheet.numbers.progressions import Progression
    from flopsheet.units import Number

NEAR = 1e-9  # a float that is this near to the true value is it: outputs may tell it to fewer digits
ROUNDED = Fraction(1, 10**12)  # outputs at a float, and of floats, are rounded
BESIDE = Fraction(1, 10**14)  # a listed float is this near to a value that gives the output
HALF_OF_DIGITS, LAST_DIGIT = 1e-7, Fraction(1, 10**15)
MOST_PARTS = 8


def check_input(answer: Answer, point: Point, free: str, output: str = "") -> None:
    """Check that an answer holds, and that the value at the point is in it, at an end of it, or where it is open.

    Next to an extremum a float for the output tells the input to half of the digits only.
    """
    outcome, known = answer.outcomes[free], point.value(free)
    assert outcome.kind != "none" or outcome.open, outcome.why
    assert outcome.kind == "none" or all(check.holds for check in answer.checks)
    ends = [end for interval in outcome.solutions for end in (interval.lower, interval.upper)]
    assert (
        any(known in interval for interval in (*outcome.solutions, *outcome.open))
        or any(math.isclose(end, known, rel_tol=NEAR) for end in ends)
        or (output and any(_is_told_by(point, free, end, output) for end in ends if is_finite(end)))
    ), f"{free} = {known} is missed by {outcome.solutions}"


def _is_told_by(point: Point, free: str, at: Number, output: str) -> bool:
    """Whether a float stands for the output at a number near the true input as well as for its own.

    Where the output differs by less than the last digit of a float, or by less than the float that was asked for is
    off, nothing that is pasted tells them apart: an answer says that it is ill-conditioned there.
    """
    value, goal = as_digits(point.output_at(free, at, output)), as_digits(point.independent[output])
    rounded = max(as_digits(LAST_DIGIT) * abs(goal), abs(as_digits(point.value(output)) - goal))
    is_near = math.isclose(at, point.value(free), rel_tol=HALF_OF_DIGITS)
    return bool((value != goal or is_near) and abs(value - goal) <= rounded)


def check_values(answer: Answer, point: Point, free: str, output: str) -> None:
    """Check by evaluation without the engine that the values of an answer give the output its value at the point."""
    goal, integer = point.independent[output], answer.outcomes[free].cell.integer
    for at in members(answer.outcomes[free].solutions, integer=integer):
        if at != point.value(free):
            value = point.output_at(free, at, output)
            assert _is_same(value, goal) or _is_passed(point, free, at, output) or _is_jump(point, free, at, output), (
                f"{free} = {at} gives {value}, not {goal}"
            )


def members(solutions: Sequence[Interval | Progression], *, integer: bool = False) -> Iterator[Number]:
    """Yield the ends that belong to a set, and a number inside each of its parts; of many parts the outer ones.

    Of ranges of a count, these are whole numbers.
    """
    parts = solutions if len(solutions) <= MOST_PARTS else (*solutions[:4], *solutions[-4:])
    for part in parts:
        if integer and isinstance(part, Interval) and not part.is_point:
            yield from {end for end in whole_ends(part) if is_finite(end) and end in part}
            continue
        yield from dict.fromkeys(end for end, closed in part.ends if closed and is_finite(end))
        if not part.is_point:
            yield part.inside()


def _is_same(value: Any, goal: Any) -> bool:
    return bool(abs(as_digits(value) - as_digits(goal)) <= as_digits(ROUNDED) * abs(as_digits(goal)))


def _is_passed(point: Point, free: str, at: Number, output: str) -> bool:
    """Whether an output passes its value next to a number."""
    below, above = (point.output_at(free, Fraction(at) * (1 + way * BESIDE), output) for way in (-1, 1))
    goal = as_digits(point.independent[output])
    low, high = sorted(map(as_digits, (below, above)))
    rounded = as_digits(ROUNDED) * abs(goal)
    return bool(low - rounded <= goal <= high + rounded)


def _is_jump(point: Point, free: str, at: Number, output: str) -> bool:
    """Whether an output has its value at a number where rounding of a cell between decides on which side of a jump."""
    goal = point.independent[output]
    return any(_is_same(value, goal) for value in point.outputs_beside(free, at, output))
