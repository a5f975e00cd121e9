"""The plan: the blocks of a structure in the order in which they are computed."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from sympy.utilities.iterables import strongly_connected_components

from flopsheet.functions.symbols import symbol
from flopsheet.inverse.closed_form import rearranged

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from flopsheet.graph.structure import Equation, Structure

MOST_TEARS_TRIED = 60


@dataclass(frozen=True)
class Block:
    """Cells that are computed together.

    Args:
        cells: the cells, in the order of declaration.
        keys: the keys of as many equations.
        direct: whether it is one cell that its equation gives without rearranging.
        inputs: the other cells in these equations.
    """

    cells: tuple[str, ...]
    keys: tuple[str, ...]
    direct: bool
    inputs: frozenset[str] = frozenset()


def plan(structure: Structure, cells: Iterable[str], order: Iterable[str], *, join: bool = True) -> list[Block]:
    """Return the blocks that give these cells, each after those it rests on.

    Args:
        structure: the matched system.
        cells: the cells that are wanted; all must be determined.
        order: all cell names in the order of declaration, which decides among equals.
        join: whether neighbouring cells that need rearranging form one block, to be solved for its inputs.
    """
    key = (frozenset(cells), join)
    plans = structure.matching.plans
    if key not in plans:
        needed = structure.needed(key[0])
        groups = _groups(structure, [name for name in order if name in needed], join=join)
        plans[key] = [_block(structure, group) for group in groups]
    found: list[Block] = plans[key]
    return found


def split(
    structure: Structure, cells: Iterable[str], order: Iterable[str], unknown: str
) -> tuple[list[Block], list[Block]]:
    """Return the blocks that give these cells without rearranging more than one at a time, in two parts.

    Args:
        structure: the matched system.
        cells: the cells that are wanted; all must be determined.
        order: all cell names in the order of declaration, which decides among equals.
        unknown: a cell that is taken as known; the blocks that rest on it are the second part, its own is left out.
    """
    key = (frozenset(cells), unknown)
    plans = structure.matching.plans
    if key not in plans:
        before, behind, depending = list[Block](), list[Block](), {unknown}
        for block in plan(structure, key[0], order, join=False):
            if block.inputs & depending:
                behind.append(block)
                depending.update(block.cells)
            elif block.cells != (unknown,):
                before.append(block)
        plans[key] = before, behind
    found: tuple[list[Block], list[Block]] = plans[key]
    return found


def _groups(structure: Structure, ranked: list[str], *, join: bool) -> list[list[str]]:
    """Return the cells in groups that are solved together, in an order in which each rests on those before."""
    group = _grouped(structure, ranked) if join else {cell: cell for cell in ranked}
    try:
        sequence = _in_order(_sorter(structure, ranked, group), ranked)
    except CycleError:
        group = _condensed(structure, ranked, group)
        sequence = _in_order(_sorter(structure, ranked, group), ranked)
    members: dict[str, list[str]] = {}
    for cell in ranked:
        members.setdefault(group[cell], []).append(cell)
    return [members[head] for head in sequence]


def _block(structure: Structure, cells: list[str]) -> Block:
    keys = tuple(structure.of_cell[cell] for cell in cells)
    direct = len(cells) == 1 and structure.matching.target_of[keys[0]] == cells[0]
    inputs = frozenset(other for cell in cells for other in structure.inputs(cell)) - {*cells}
    return Block(tuple(cells), keys, direct, inputs)


def _grouped(structure: Structure, cells: list[str]) -> dict[str, str]:
    """Return the head of the group of each cell: cells that need rearranging join their neighbours that do."""
    used = {structure.of_cell[cell] for cell in cells}
    turned = {cell for cell in cells if _is_turned(structure, cell, used)}
    head = {cell: cell for cell in cells}

    def top(cell: str) -> str:
        while head[cell] != cell:
            head[cell] = head[head[cell]]
            cell = head[cell]
        return cell

    for cell in cells:
        for other in structure.inputs(cell) if cell in turned else ():
            if other in turned:
                head[top(other)] = top(cell)
    return {cell: top(cell) for cell in cells}


def _condensed(structure: Structure, cells: list[str], group: dict[str, str]) -> dict[str, str]:
    """Return groups joined where they rest on each other."""
    edges = [(group[cell], group[other]) for cell in cells for other in structure.inputs(cell)]
    heads = list(dict.fromkeys(group.values()))
    joined = {head: parts[0] for parts in strongly_connected_components((heads, edges)) for head in parts}
    return {cell: joined[head] for cell, head in group.items()}


def _is_turned(structure: Structure, cell: str, used: set[str]) -> bool:
    """Whether a cell is computed against the direction of its formula."""
    key = structure.of_cell[cell]
    kind, target = structure.matching.kind_of[key], structure.matching.target_of[key]
    return target != cell or (kind == "demand" and f"formula {cell}" in used)


def _sorter(structure: Structure, cells: list[str], group: dict[str, str]) -> TopologicalSorter[str]:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for cell in cells:
        heads = (group[other] for other in structure.inputs(cell))
        sorter.add(group[cell], *(head for head in heads if head != group[cell]))
    return sorter


def _in_order(sorter: TopologicalSorter[str], ranked: list[str]) -> list[str]:
    """Return heads of groups so that each follows what it rests on, and else in the order of declaration."""
    rank = {cell: place for place, cell in enumerate(ranked)}
    sorter.prepare()
    ready: list[tuple[int, str]] = []
    sequence = []
    while sorter.is_active():
        for head in sorter.get_ready():
            heappush(ready, (rank[head], head))
        _, first = heappop(ready)
        sequence.append(first)
        sorter.done(first)
    return sequence


@dataclass(frozen=True)
class Tearing:
    """A block seen as a function of some of its cells, as few as possible.

    Args:
        tears: the cells that are taken as known.
        formulas: the other cells with what gives them, in the order in which they follow.
        residuals: the equations that then remain, as many as tears.
    """

    tears: tuple[str, ...]
    formulas: Mapping[str, Any]
    residuals: tuple[Equation, ...]


def torn(
    cells: Sequence[str], equations: Sequence[Equation], preferred: Iterable[str], positive: Container[str] = ()
) -> Tearing:
    """Return a block as a function of one cell, a preferred one or one that no formula gives; else of several.

    Formulas are followed as they stand; only where that reaches too little is an equation turned round for a cell.

    Args:
        cells: the cells of the block.
        equations: as many equations.
        preferred: cells that should be taken as known, if possible.
        positive: cells that are never negative, so that of two roots the positive one is meant.
    """
    first = [cell for cell in preferred if cell in cells]
    targets = {equation.target for equation in equations if equation.kind == "formula"}
    others = sorted((cell for cell in cells if cell not in first), key=lambda cell: cell in targets)
    candidates = [*first, *others][:MOST_TEARS_TRIED]
    for turned in (None, (), positive):
        tries = (_Unrolling(cells, equations, (cell,), turned).tearing for cell in candidates)
        single = next((found for found in tries if found is not None), None)
        if single is not None:
            return single
    growing = (tuple(candidates[: count + 1]) for count in range(1, len(candidates)))
    several = (_Unrolling(cells, equations, tears, positive).tearing for tears in growing)
    return next((found for found in several if found is not None), Tearing(tuple(cells), {}, tuple(equations)))


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
        self.formulas: dict[str, Any] = {}
        self.used: set[str] = set()
        self._open = {each.key: {*each.cells} & {*cells} for each in equations}
        self._equations = {each.key: each for each in equations}
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
        residuals = tuple(each for each in self._equations.values() if each.key not in self.used)
        return Tearing(self.tears, self.formulas, residuals)

    def _follow(self) -> None:
        ready = deque(key for tear in self.tears for key in self._known(tear))
        while ready:
            key = ready.popleft()
            found = self._given_by(self._equations[key]) if key not in self.used else None
            if found is not None:
                self.formulas[found[0]] = found[1]
                self.used.add(key)
                ready.extend(self._known(found[0]))

    def _known(self, cell: str) -> list[str]:
        for key in self._touching[cell]:
            self._open[key].discard(cell)
        return self._touching[cell]

    def _given_by(self, equation: Equation) -> tuple[str, Any] | None:
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
