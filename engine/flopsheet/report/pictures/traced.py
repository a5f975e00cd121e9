"""A cell against an input through cells that depend on each other: Newton's method, from each place to the next.

Each block of equations is solved in the logarithms of its cells, in which power laws are straight, starting from the
values at the place before; so a branch is followed as the derivatives do (E. Allgower, K. Georg, Introduction to
Numerical Continuation Methods, 2003).
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import float_or_none
from flopsheet.formulas.slopes import slopes
from flopsheet.graph.blocks import plan
from flopsheet.numbers.linear import solved
from flopsheet.tolerances import CLOSENESS
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.functions import Expr
    from flopsheet.graph.blocks import Block
    from flopsheet.units import Number

MOST_PLACES, MOST_ITERATIONS, MOST_CELLS = 13, 30, 12
LONGEST_STEP = 1.0  # of a logarithm


def traced(answer: Answer, by: str, target: str, places: Sequence[Number]) -> dict[Number, Number]:
    """Return the values of a cell [base units] at some places of an input; none where no block can be followed."""
    system, value = answer.system, answer.values[by]
    structure = system.structure.with_known(by)
    if isinstance(value, str) or target not in structure.determined:
        return {}
    moving: set[str] = {by}
    path: list[Block] = []
    for block in plan(structure, [target], tuple(answer.question.sheet.cells), join=False):
        if by not in block.cells and not moving.isdisjoint(block.inputs):
            path.append(block)
            moving.update(block.cells)
    if target not in moving or any(len(block.cells) > MOST_CELLS for block in path):
        return {}
    relations = [[system.relation(structure.equations[key]) for key in block.keys] for block in path]
    blocks = [
        (block, [equations[0].right] if block.direct else [own.left - own.right for own in equations])
        for block, equations in zip(path, relations, strict=True)
    ]
    chosen = _spread(places, value, whole=answer.cells[by].cell.integer)
    found: dict[Number, Number] = {}
    for way in ([at for at in chosen if at >= value], [at for at in reversed(chosen) if at < value]):
        found |= _along(_in_floats(answer.values), by, target, way, blocks)
    return dict(sorted(found.items()))


def _in_floats(values: Mapping[str, Number | str]) -> dict[str, Number | str]:
    """Return values as floats, which suffice for a curve; those beyond floats as they are."""
    return {
        name: float(value) if not isinstance(value, str) and size(value) < sys.float_info.max else value
        for name, value in values.items()
    }


def _spread(places: Sequence[Number], centre: Number, *, whole: bool) -> list[Number]:
    """Return few places between the first and the last, each as many times the one before, and the centre."""
    first, last = float(places[0]), float(places[-1])
    if first <= 0:
        return sorted({*places[:: max(len(places) // MOST_PLACES, 1)], centre})
    between = [first * (last / first) ** (place / (MOST_PLACES - 1)) for place in range(MOST_PLACES)]
    return sorted({*(map(round, between) if whole else between), centre})


def _along(
    values: dict[str, Number | str],
    by: str,
    target: str,
    places: Iterable[Number],
    blocks: Sequence[tuple[Block, list[Expr]]],
) -> dict[Number, Number]:
    """Return the values of a cell from one place to the next, as far as these can be followed."""
    found: dict[Number, Number] = {}
    for place in places:
        values[by] = place
        for block, sides in blocks:
            own = _direct(block, sides[0], values) if block.direct else _solved(block, sides, values)
            if own is None:
                return found
            values |= own
        result = values[target]
        if isinstance(result, str):
            return found
        found[place] = result
    return found


def _direct(block: Block, formula: Expr, values: dict[str, Number | str]) -> dict[str, Number] | None:
    value = float_or_none(formula, values)
    return {block.cells[0]: value} if value is not None and is_finite(value) else None


def _solved(block: Block, gaps: Sequence[Expr], values: dict[str, Number | str]) -> dict[str, Number] | None:
    """Return the values of a block at which its gaps are zero; None where Newton's method finds none."""
    own = {name: float(values[name]) for name in block.cells}
    known: dict[str, Number | str] = {name: values[name] for name in values.keys() - own.keys()}
    for _ in range(MOST_ITERATIONS):
        if not all(0 < value < math.inf for value in own.values()):
            return None
        step = _step(block, gaps, {**known, **own}, own)
        if step is None:
            return None
        longest = max(map(abs, step))
        part = min(1.0, LONGEST_STEP / longest) if longest else 1.0
        own = {name: own[name] * math.exp(part * moved) for name, moved in zip(block.cells, step, strict=True)}
        if longest * CLOSENESS < 1:  # the next step would be of the square
            return dict(own)
    return None


def _step(
    block: Block, gaps: Sequence[Expr], values: dict[str, Number | str], own: dict[str, float]
) -> list[float] | None:
    """Return by how much the logarithms of the cells move in a step of Newton's method."""
    place = {name: number for number, name in enumerate(block.cells)}
    rows: list[dict[int, Fraction]] = []
    right: list[Fraction] = []
    for gap in gaps:
        height = float_or_none(gap, values)
        if height is None or not is_finite(height):
            return None
        try:
            rates = slopes(gap, values)
        except (ArithmeticTrapError, ArithmeticError):
            return None
        if not all(map(is_finite, rates.values())):
            return None
        row = {place[name]: Fraction(rate) * Fraction(own[name]) for name, rate in rates.items() if name in place}
        rows.append({at: rate for at, rate in row.items() if rate})
        right.append(-Fraction(height))
    moved = solved(rows, right)
    return None if moved is None else [float(one) for one in moved]
