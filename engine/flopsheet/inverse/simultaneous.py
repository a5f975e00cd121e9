"""Cells that depend on each other: exactly where the equations are linear, else by Newton's method from many starts.

mpmath's Newton does the steps: it comes with sympy, and damps them. The starts are fixed, so the same question gives
the same answer; roots that none of them leads to are not found.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import mpmath
import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.code import Compiled
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.session import cached
from flopsheet.tolerances import NEXT_INTEGERS, SAME_SOLUTION
from flopsheet.units import close, is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

Point: TypeAlias = tuple["Number", ...]
Pairs: TypeAlias = tuple[tuple[Any, Any], ...]

SIZES = (1e-3, 1.0, 30.0, 1e3, 1e6, 1e9, 1e12)
MOST_STARTS = 80
MOST_STEPS = 60
KEPT = 64


class _System:
    """Equations as pairs of sides, functions of the cells that are sought."""

    def __init__(self, cells: Sequence[Cell], formulas: Mapping[str, Any], pairs: Pairs, values: Values) -> None:
        self.cells, self.formulas, self.pairs, self.values = cells, formulas, pairs, values

    def sides(self, point: Point) -> list[tuple[Number, Number]]:
        """Return both sides of each equation at a point.

        Raises:
            ArithmeticTrapError: one has no value there.
        """
        values = {**self.values, **{cell.name: value for cell, value in zip(self.cells, point, strict=True)}}
        for name, formula in self.formulas.items():
            values[name] = evaluate(formula, values)
        return [(evaluate(left, values), evaluate(right, values)) for left, right in self.pairs]

    def holds(self, point: Point) -> bool:
        """Whether all equations hold at a point within the bounds of the cells."""
        if any(value not in cell.bounds for cell, value in zip(self.cells, point, strict=True)):
            return False
        try:
            return all(close(left, right) for left, right in self.sides(point))
        except ArithmeticTrapError:
            return False

    def gaps(self, point: Point) -> list[Number]:
        """Return the differences of the sides."""
        return [left - right for left, right in self.sides(point)]

    @cached_property
    def _on_floats(self) -> Callable[[Point], list[tuple[float, float]]]:
        """Both sides of each equation as one function on floats, for the many steps of Newton's method."""
        made = Compiled([*self.formulas.items()], sympy.Tuple(*(side for pair in self.pairs for side in pair)))
        places = {cell.name: place for place, cell in enumerate(self.cells)}
        others: dict[str, Any] = {name: self.values[name] for name in made.inputs if name not in places}
        known = {name: float(value) for name, value in others.items()}

        def sides(point: Point) -> list[tuple[float, float]]:
            inputs = [point[places[name]] if name in places else known[name] for name in made.inputs]
            found = [float(side) for side in made.floats(*inputs)]
            if not all(map(math.isfinite, found)):
                raise ValueError("a side is larger than numbers can be")
            return list(zip(found[::2], found[1::2], strict=True))

        return sides

    def float_gaps(self, point: Point) -> list[Number]:
        """Return the differences of the sides, in floats.

        Raises:
            ArithmeticError, ValueError: a side has no value there.
        """
        return [left - right for left, right in self._on_floats(point)]

    def log_gaps(self, logs: Point) -> list[Number]:
        """Return the differences of the sides' logarithms where the cells have these logarithms.

        Raises:
            ArithmeticError, ValueError: a side has no value there, or is not positive.
        """
        sides = self._on_floats(tuple(math.exp(each) for each in logs))
        return [math.log(left) - math.log(right) for left, right in sides]


def simultaneous(
    cells: Sequence[Cell], formulas: Mapping[str, Any], relations: Sequence[Relation], values: Values
) -> list[Point]:
    """Return the points at which all equations hold, in ascending order.

    Args:
        cells: the cells that are sought.
        formulas: cells that follow from them, in order.
        relations: as many equations.
        values: all other cells, in base units.
    """
    pairs = tuple((each.left, each.right) for each in relations)
    used = {
        each.name
        for part in (*formulas.values(), *(side for pair in pairs for side in pair))
        for each in part.free_symbols
    }
    known = tuple((name, value, isinstance(value, float)) for name, value in values.items() if name in used)
    return [*_solved(tuple(cells), tuple(formulas.items()), pairs, known)]


@cached(maxsize=KEPT)
def _solved(
    cells: tuple[Cell, ...],
    formulas: tuple[tuple[str, Any], ...],
    pairs: Pairs,
    known: tuple[tuple[str, Number | str, bool], ...],
) -> tuple[Point, ...]:
    """Return the points; each value of a cell that has several is followed on its own, and asks the same again."""
    system = _System(cells, dict(formulas), pairs, {name: value for name, value, _ in known})
    exact = _linear(system)
    if exact is not None:
        return (exact,) if system.holds(exact) else ()
    return tuple(sorted(_from_starts(system, _newton) or _from_starts(system, _newton_on_logs)))


def _from_starts(system: _System, way: Callable[[_System, Point], Point | None]) -> list[Point]:
    """Return the points that Newton's method leads to from all starts."""
    found: list[Point] = []
    for start in _starts(system.cells):
        point = way(system, start)
        if point is not None and system.holds(point):
            point = _at_wholes(system, point)
            if not any(_same(point, other) for other in found):
                found.append(point)
    return found


def _at_wholes(system: _System, point: Point) -> Point:
    """Return a point with its counts at the whole numbers beside them, where floats cannot tell the two apart."""
    wholes: dict[int, Number] = {
        place: round(point[place])
        for place, cell in enumerate(system.cells)
        if cell.integer and size(point[place] - round(point[place])) <= NEXT_INTEGERS * size(point[place])
    }
    if not wholes:
        return point
    free = [place for place in range(len(point)) if place not in wholes]

    def put_in(*values: Number) -> Point:
        others = dict(zip(free, values, strict=True))
        return tuple(wholes.get(place, others.get(place, 0)) for place in range(len(point)))

    start = tuple(point[place] for place in free)
    moved = _root(lambda values: system.gaps(put_in(*values))[: len(free)], start) if free else ()
    whole = point if moved is None else put_in(*moved)
    return whole if system.holds(whole) else point


def _linear(system: _System) -> Point | None:
    """Return the exact solution where all equations are linear in the cells, else None."""
    count = len(system.cells)
    units = [tuple(int(place == other) for other in range(count)) for place in range(count)]
    try:
        zero, *columns = [system.gaps(point) for point in [(0,) * count, *units]]
        test = system.gaps(tuple(range(2, count + 2)))
    except ArithmeticTrapError:
        return None
    slopes = [[column[row] - zero[row] for column in columns] for row in range(count)]
    expected = [sum(slope * (place + 2) for place, slope in enumerate(slopes[row])) + zero[row] for row in range(count)]
    if not all(close(mine, other) for mine, other in zip(test, expected, strict=True)):
        return None
    matrix = sympy.Matrix([[sympy.Rational(each) for each in row] for row in slopes])
    if matrix.det() == 0:
        return None
    solved = matrix.LUsolve(sympy.Matrix([-sympy.Rational(each) for each in zero]))
    return tuple(tidy(Fraction(int(each.p), int(each.q))) for each in solved)


def _starts(cells: Sequence[Cell]) -> list[Point]:
    """Return where Newton's method starts: all sizes together, then every combination, as far as these are few."""
    together: list[Point] = [(each,) * len(cells) for each in SIZES]
    combined: list[Point] = list(product(SIZES, repeat=len(cells))) if len(cells) <= 3 else []
    chance = Random(0)  # noqa: S311  # the same starts every time
    mixed: list[Point] = [
        tuple(chance.choice(SIZES) * chance.uniform(0.5, 2) for _ in cells) for _ in range(MOST_STARTS)
    ]
    bounded = [(cell.bounds.lower, cell.bounds.upper) for cell in cells]
    within: list[Point] = [tuple((float(low) + float(high)) / 2 for low, high in bounded if is_finite(high - low))]
    inside = within if len(within[0]) == len(cells) else []
    return list(dict.fromkeys([*inside, *together, *combined[:MOST_STARTS], *mixed]))[:MOST_STARTS]


def _newton(system: _System, start: Point) -> Point | None:
    return _root(system.float_gaps, start)


def _newton_on_logs(system: _System, start: Point) -> Point | None:
    """Seek positive numbers by their logarithms: products and powers of any size become linear."""
    root = _root(system.log_gaps, tuple(math.log(each) for each in start))
    return None if root is None else tuple(math.exp(each) for each in root)


def _root(gaps: Callable[[Point], list[Number]], start: Point) -> Point | None:
    def on_floats(*point: Any) -> list[Any]:
        return [float(each) for each in gaps(tuple(float(each.real) for each in point))]

    try:
        root = mpmath.fp.findroot(on_floats, start, solver="mdnewton", maxsteps=MOST_STEPS, verify=False)
        return tuple(float(each) for each in root)
    except (ArithmeticError, ValueError, TypeError, AttributeError, ArithmeticTrapError):
        return None


def _same(left: Point, right: Point) -> bool:
    return all(size(a - b) <= SAME_SOLUTION * max(size(a), size(b)) for a, b in zip(left, right, strict=True))
