"""The plan: the blocks of a structure in the order in which they are computed.

The blocks are the strongly connected components of the graph "a cell rests on a cell" under the matching: the fine part
of the Dulmage-Mendelsohn decomposition. Each rests on earlier ones only, whichever maximum matching was found. Blocks
that equations give directly, in a row, are one compiled function: the usual sheet is one such row. Names are looked up,
choices resolved and code is generated once for a structure; a question with new numbers is one call.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from sympy.utilities.iterables import connected_components, strongly_connected_components

from flopsheet.formulas.rows import Recalculated
from flopsheet.functions import choices_in
from flopsheet.graph.structure import VALUES, Equation, Structure
from flopsheet.units import Number, is_finite

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.graph.system import System

_ORIGINS = {"formula": "computed", "inferred": "computed", "demand": "given", "unknown": "solved", "fixed": "default"}


@dataclass(frozen=True)
class Block:
    """Cells that are computed together."""

    cells: tuple[str, ...]  # in the order of declaration
    keys: tuple[str, ...]  # of as many equations
    direct: bool  # whether it is one cell that its equation gives without rearranging
    inputs: frozenset[str] = frozenset()  # the other cells in these equations


class Plan(list[Block]):
    """Blocks in the order in which they are computed; `compiled` keeps what was made of them for later questions."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        super().__init__(blocks)
        self.compiled: dict[frozenset[str], list[Stage]] = {}


def plan(structure: Structure, cells: Iterable[str], order: Iterable[str], *, join: bool = True) -> Plan:
    """Return the blocks that give these cells, each after those on which it rests.

    The cells must be determined. The order of declaration, given as all cell names, decides among equals. Unless `join`
    is false, neighbouring cells that need rearranging form one block, to be solved for its inputs.
    """
    wanted = frozenset(cells)

    def blocks() -> Plan:
        needed = structure.needed(wanted)
        groups = _groups(structure, [name for name in order if name in needed], join=join)
        return Plan(_block(structure, group) for group in groups)

    return structure.derived(("plan", wanted, join), blocks)


def split(structure: Structure, cells: Iterable[str], order: Iterable[str], unknown: str) -> tuple[Plan, Plan]:
    """Return the blocks that give these cells, as `plan` does without joining, in two parts.

    The second part rests on the unknown, which is taken as known; the block of the unknown itself is left out.
    """
    wanted = frozenset(cells)

    def parts() -> tuple[Plan, Plan]:
        before, behind, depending = list[Block](), list[Block](), {unknown}
        for block in plan(structure, wanted, order, join=False):
            if block.inputs & depending:
                behind.append(block)
                depending.update(block.cells)
            elif block.cells != (unknown,):
                before.append(block)
        return Plan(before), Plan(behind)

    return structure.derived(("split", wanted, unknown), parts)


def _groups(structure: Structure, ranked: list[str], *, join: bool) -> list[list[str]]:
    """Return the cells in groups that are solved together, in an order in which each rests on those before."""
    joined = _joined(structure, ranked) if join else {}
    single = None if joined else _in_order({cell: structure.inputs(cell) for cell in ranked})
    if single is not None:
        return [[cell] for cell in single]
    group = {cell: cell for cell in ranked} | joined
    edges = [(group[cell], group[other]) for cell in ranked for other in structure.inputs(cell)]
    components = strongly_connected_components((list(dict.fromkeys(group.values())), edges))
    head = {member: component[0] for component in components for member in component}
    members: dict[str, list[str]] = {}
    for cell in ranked:
        members.setdefault(head[group[cell]], []).append(cell)
    behind: dict[str, set[str]] = {first: set() for first in members}
    for cell, other in edges:
        behind[head[cell]] |= {head[other]} - {head[cell]}
    return [members[first] for first in _in_order(behind) or ()]


def _in_order(inputs: Mapping[str, Collection[str]]) -> list[str] | None:
    """Return cells so that each follows its inputs, and else in their order; None where some rest on each other."""
    ranked = [*inputs]
    users: dict[str, list[str]] = {cell: [] for cell in ranked}
    rank, waiting = {cell: place for place, cell in enumerate(ranked)}, dict[str, int]()
    for cell, others in inputs.items():
        waiting[cell] = len(others)
        for other in others:
            users[other].append(cell)
    ready, order = [rank[cell] for cell in ranked if not waiting[cell]], list[str]()
    while ready:
        cell = ranked[heappop(ready)]
        order.append(cell)
        for user in users[cell]:
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, rank[user])
    return order if len(order) == len(ranked) else None


def _joined(structure: Structure, cells: list[str]) -> dict[str, str]:
    """Return the first of each group of neighbouring cells that are computed against the direction of their formula."""
    used = {structure.of_cell[cell] for cell in cells}
    inverted = {cell: None for cell in cells if _is_inverted(structure, cell, used)}
    edges = [(cell, other) for cell in inverted for other in structure.inputs(cell) if other in inverted]
    components = connected_components(([*inverted], edges))
    return {cell: component[0] for component in components for cell in component}


def _is_inverted(structure: Structure, cell: str, used: set[str]) -> bool:
    equation = structure.equations[structure.of_cell[cell]]
    return equation.target != cell or (equation.kind == "demand" and f"formula {cell}" in used)


def _block(structure: Structure, cells: list[str]) -> Block:
    keys = tuple(structure.of_cell[cell] for cell in cells)
    if len(cells) == 1:
        alone, known = (cells[0], keys[0]), structure.shared
        if alone not in known:
            direct = structure.equations[keys[0]].gives(cells[0])
            known[alone] = Block((cells[0],), keys, direct, frozenset(structure.inputs(cells[0])))
        block: Block = known[alone]
        return block
    inputs = frozenset(other for cell in cells for other in structure.inputs(cell)) - {*cells}
    return Block(tuple(cells), keys, direct=False, inputs=inputs)


def origin_of(equation: Equation) -> str:
    """Return where a cell's value comes from when this equation gives it directly."""
    return _ORIGINS.get(equation.kind, equation.kind)


class StraightLine:
    """Direct blocks in a row, each with its equation."""

    def __init__(self, blocks: Sequence[Block], equations: Sequence[Equation]) -> None:
        self.blocks = blocks
        self.equations = {equation.target: equation for equation in equations}
        self.origins = {name: origin_of(equation) for name, equation in self.equations.items()}
        self.computed = [name for name, equation in self.equations.items() if equation.is_formula]
        self._given = [name for name, equation in self.equations.items() if not equation.is_formula]
        self._is_partial = False  # whether a formula had no value last time
        self._row = Recalculated(tuple((name, self.equations[name].relation.right) for name in self.computed))

    def values(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Number]:
        """Return the values of the cells in order [base units], but of those whose formula has no finite one.

        The blocks of these have to be run, since an error has to name the formula. `known` are the values of cells
        before, `numbers` those that the question gives.
        """
        given = {name: numbers[name] for name in self._given}
        if not all(map(is_finite, given.values())):
            return {}
        computed = None if self._is_partial else self._row.values(known, given)
        if computed is None:
            computed = self._row.some(known, given)
            self._is_partial = len(computed) < len(self.computed)  # so it is with most numbers that are tried next
        found = {**given, **computed}
        return {name: found[name] for name in self.equations if name in found}

    def only(self, names: Container[str]) -> StraightLine:
        """Return the same with those computed cells alone that have some names."""
        part = copy(self)
        part.computed = [name for name in self.computed if name in names]
        return part


Stage: TypeAlias = "StraightLine | Block"


def stages(system: System, plan: Plan, known: frozenset[str]) -> list[Stage]:
    """Return the blocks of a plan with the direct ones in rows, without those whose cells are known.

    The equations that the question states itself stay blocks, since their formulas are its own.
    """
    if known not in plan.compiled:
        equations, result = system.structure.equations, list[Stage]()
        blocks = [block for block in plan if not known.issuperset(block.cells)]
        for straight, group in groupby(blocks, key=lambda block: _is_straight(system, block)):
            row = list(group)
            result += [StraightLine(row, [equations[block.keys[0]] for block in row])] if straight else row
        plan.compiled[known] = result
    return plan.compiled[known]


def _is_straight(system: System, block: Block) -> bool:
    """Whether a block is a value, or a formula of the sheet without an open choice."""
    equation = system.structure.equations[block.keys[0]]
    if not block.direct or equation.kind in VALUES or equation.kind == "demand":
        return block.direct
    return equation.key not in system.stated and not choices_in(equation.relation.right)


def formulas_in_order(cells: Sequence[str], equations: Sequence[Equation]) -> dict[str, Equation]:
    """Return cells of a block with their formulas, each after those that it rests on, once the others are assumed."""
    left = {own.target: own for own in equations if own.is_formula and own.gives(own.target)}
    given = dict[str, Equation]()
    while left:
        ready = [cell for cell, own in left.items() if left.keys() & {*own.cells} == {cell}]
        given |= {cell: left.pop(cell) for cell in ready}
        if not ready:
            left.popitem()  # it is assumed too
    return {cell: own for cell, own in given.items() if cell in cells}
