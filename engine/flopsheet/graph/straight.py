"""Blocks that equations give directly, in a row, as one compiled function: the usual sheet is one such row.

Names are looked up, choices resolved and code is made once for a structure; a question with new numbers is one call.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import sympy

from flopsheet.formulas.code import Compiled
from flopsheet.functions import choices_in
from flopsheet.functions.symbols import symbol
from flopsheet.graph.structure import VALUES
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.graph.blocks import Block, Plan
    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System
    from flopsheet.units import Number

_ORIGINS = {"formula": "computed", "demand": "given", "unknown": "solved"}


def origin_of(equation: Equation) -> str:
    """Return where a cell's value comes from when this equation gives it directly."""
    return _ORIGINS.get(equation.kind, equation.kind)


class StraightLine:
    """Direct blocks in a row.

    Args:
        blocks: the blocks, in order.
        equations: the equation of each.
    """

    def __init__(self, blocks: Sequence[Block], equations: Sequence[Equation]) -> None:
        self.blocks = blocks
        self.equations = {equation.target: equation for equation in equations}
        self.origins = {name: origin_of(equation) for name, equation in self.equations.items()}
        self.computed = [name for name, equation in self.equations.items() if equation.kind == "formula"]
        self._runs = 0

    @cached_property
    def _compiled(self) -> Compiled | None:
        steps = [(name, self.equations[name].relation.right) for name in self.computed]
        try:
            return Compiled(steps, sympy.Tuple(*map(symbol, self.equations)), tidied=True)
        except ValueError:
            return None

    def values(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Number] | None:
        """Return the values of all cells in order [base units]; None where the blocks have to be run one by one.

        That is on the first run, since most structures occur once and compiling costs more than evaluating, and where
        a formula has no finite value, since the error has to name the formula.

        Args:
            known: the values of cells before.
            numbers: the values that the question gives.
        """
        self._runs += 1
        if self._runs == 1 or self._compiled is None:
            return None
        own = self.equations
        try:
            inputs = [numbers[name] if name in own else known[name] for name in self._compiled.inputs]
            results = self._compiled.exact(*inputs)
        except (ArithmeticError, TypeError, ValueError):
            return None
        return dict(zip(own, results, strict=True)) if all(map(is_finite, results)) else None


Stage: TypeAlias = "StraightLine | Block"


def stages(system: System, plan: Plan, known: frozenset[str]) -> list[Stage]:
    """Return the blocks of a plan with the direct ones in rows, without those whose cells are known.

    Args:
        system: the equations; those that the question states itself stay blocks, since their formulas are its own.
        plan: the blocks.
        known: the cells that have a value.
    """
    if known not in plan.compiled:
        blocks = [block for block in plan if not known.issuperset(block.cells)]
        plan.compiled[known] = list(_stages(system, blocks))
    result: list[Stage] = plan.compiled[known]
    return result


def _stages(system: System, blocks: Sequence[Block]) -> Iterator[Stage]:
    row: list[Block] = []
    for block in [*blocks, None]:
        if block is not None and _is_straight(system, block):
            row.append(block)
            continue
        if row:
            yield StraightLine(row, [system.structure.equations[block.keys[0]] for block in row])
            row = []
        if block is not None:
            yield block


def _is_straight(system: System, block: Block) -> bool:
    """Whether a block is a value, or a formula of the sheet without an open choice."""
    equation = system.structure.equations[block.keys[0]]
    if not block.direct or equation.kind in VALUES or equation.kind == "demand":
        return block.direct
    return equation.key not in system.stated and not choices_in(equation.relation.right)
