"""Tearing: a block of cells that rest on each other, seen as a function of as few of them as possible.

Once the value of one cell is assumed, the others often follow one after the other, and one equation remains that is
zero at the right value (G. Kron, Diakoptics, 1963; for equation-based models H. Elmqvist, M. Otter, 1994). Finding the
fewest cells to assume is NP-hard; trying single cells first, then a growing few, is enough for sheets.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.functions.symbols import Expr, symbol
from flopsheet.inverse.closed_form import rearranged

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from flopsheet.graph.structure import Equation

MOST_TEARS = 60


@dataclass(frozen=True)
class Tearing:
    """A block seen as a function of some of its cells, as few as possible.

    Args:
        tears: the cells that are taken as known.
        formulas: the other cells with what gives them, in the order in which they follow.
        residuals: the equations that then remain, as many as tears.
    """

    tears: tuple[str, ...]
    formulas: Mapping[str, Expr]
    residuals: tuple[Equation, ...]


def torn(
    cells: Sequence[str], equations: Sequence[Equation], preferred: Iterable[str], positive: Container[str] = ()
) -> Tearing:
    """Return a block as a function of one cell, a preferred one or one that no formula gives; else of several.

    Formulas are followed in their own direction; only where that reaches too few cells is an equation rearranged.

    Args:
        cells: the cells of the block.
        equations: as many equations.
        preferred: cells that should be taken as known, if possible.
        positive: cells that are never negative, so that of two roots the positive one is meant.
    """
    first = [cell for cell in preferred if cell in cells]
    targets = {equation.target for equation in equations if equation.kind == "formula"}
    others = sorted((cell for cell in cells if cell not in first), key=lambda cell: cell in targets)
    candidates = [*first, *others][:MOST_TEARS]
    for rearranging in (None, (), positive):
        tearings = (_Unrolling(cells, equations, (cell,), rearranging).tearing for cell in candidates)
        single = next(filter(None, tearings), None)
        if single is not None:
            return single
    growing = (tuple(candidates[: count + 1]) for count in range(1, len(candidates)))
    tearings = (_Unrolling(cells, equations, tears, positive).tearing for tears in growing)
    return next(filter(None, tearings), None) or Tearing(tuple(cells), {}, tuple(equations))


class _Unrolling:
    """Follows formulas of a block from known cells on, and equations that one cell solves unless `positive` is None."""

    def __init__(
        self,
        cells: Sequence[str],
        equations: Sequence[Equation],
        tears: tuple[str, ...],
        positive: Container[str] | None,
    ) -> None:
        self.tears, self.positive = tears, positive
        self.formulas: dict[str, Expr] = {}
        self.used: set[str] = set()
        self._open = {equation.key: {*equation.cells} & {*cells} for equation in equations}
        self._equations = {equation.key: equation for equation in equations}
        self._touching: dict[str, list[str]] = {}
        for key, inside in self._open.items():
            for cell in inside:
                self._touching.setdefault(cell, []).append(key)
        self._follow()

    @property
    def tearing(self) -> Tearing | None:
        """The tearing, or None where some cells were not reached."""
        if any(cell not in self.formulas and cell not in self.tears for cell in self._touching):
            return None
        residuals = tuple(equation for key, equation in self._equations.items() if key not in self.used)
        return Tearing(self.tears, self.formulas, residuals)

    def _follow(self) -> None:
        ready = deque(key for tear in self.tears for key in self._known(tear))
        while ready:
            key = ready.popleft()
            definition = self._given_by(self._equations[key]) if key not in self.used else None
            if definition is not None:
                cell, formula = definition
                self.formulas[cell] = formula
                self.used.add(key)
                ready.extend(self._known(cell))

    def _known(self, cell: str) -> list[str]:
        for key in self._touching[cell]:
            self._open[key].discard(cell)
        return self._touching[cell]

    def _given_by(self, equation: Equation) -> tuple[str, Expr] | None:
        """Return the single cell that an equation gives from known ones, with its formula, or None."""
        if len(self._open[equation.key]) != 1:
            return None
        (name,) = self._open[equation.key]
        relation = equation.relation
        if equation.target == name and equation.kind == "formula":
            return name, relation.right
        if self.positive is None:
            return None
        formula = rearranged(relation.left, relation.right, symbol(name), positive=name in self.positive)
        return None if formula is None else (name, formula)
