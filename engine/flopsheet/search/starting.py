"""Newton's method in floats: steps from a start to a small box in which a root may lie. It proves nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.numbers.linear import centres, preconditioner
from flopsheet.numbers.spans import Span
from flopsheet.tolerances import NARROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.numbers.sets import Interval
    from flopsheet.search.joint import Box, Joint

MOST_STEPS, DAMPED = 60, 8  # of a start; no number grows beyond this factor in a step
WIDE = 1.5  # sides of an equation that differ by more than this factor are compared by their logarithms


def reached(joint: Joint, domains: Sequence[Interval], start: Sequence[float]) -> Box | None:
    """Return a small box around the point that damped steps lead to from a start; None where they lead nowhere."""
    at, signed = [*start], [domain.lower < 0 < domain.upper for domain in domains]
    try:
        for _ in range(MOST_STEPS):
            step = _step(joint, at)
            if step is None or not all(map(math.isfinite, step)):
                return None
            most = DAMPED * (max(map(abs, at)) or max(map(abs, step)))
            at = [
                min(max(value + move, -most), most) if both else _moved(value, move)
                for value, move, both in zip(at, step, signed, strict=True)
            ]
            if all(abs(move) <= NARROW * abs(value) for value, move in zip(at, step, strict=True)):
                return tuple((value - NARROW * abs(value), value + NARROW * abs(value)) for value in at)
    except (ArithmeticError, ValueError):
        pass
    return None


def _step(joint: Joint, at: list[float]) -> list[float] | None:
    """Return a step towards a root: of positive sides, towards where their logarithms are equal."""
    here = joint.over([Span(value, value) for value in at])
    slopes = joint.slopes(here, [*range(len(at))])
    if slopes is None:
        return None
    rows, gaps = centres(slopes), []
    for (left, right), row in zip(joint.equations, rows, strict=True):
        mine, other = float(here[left].low), float(here[right].low)
        gap = mine - other
        if mine > 0 and other > 0 and max(mine, other) > WIDE * min(mine, other):
            gap = math.log(mine / other) * min(mine, other)  # a secant of the logarithm, which overshoots less
        gaps.append(gap)
        row[:] = [slope if math.isfinite(slope) else 0.0 for slope in row]
    made = preconditioner(rows)
    if made is None:
        return None
    chosen, inverse = made
    return [-sum(weight * gaps[row] for weight, row in zip(weights, chosen, strict=True)) for weights in inverse]


def _moved(value: float, step: float) -> float:
    """Return a number moved by a step that neither changes its sign nor makes it much larger at once."""
    if not value:
        return step
    return value * min(max(1 + step / value, 1 / DAMPED), DAMPED)
