"""The plan: the blocks of a structure in the order in which they are computed.

The blocks are the strongly connected components of the graph "a cell rests on a cell" under the matching: the fine part
of the Dulmage-Mendelsohn decomposition. Each rests on earlier ones only, whichever maximum matching was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from sympy.utilities.iterables import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.graph.structure import Structure


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


class Plan(list[Block]):
    """Blocks in the order in which they are computed; `compiled` keeps what was made of them for later questions."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        super().__init__(blocks)
        self.compiled: dict[frozenset[str], Any] = {}


def plan(structure: Structure, cells: Iterable[str], order: Iterable[str], *, join: bool = True) -> Plan:
    """Return the blocks that give these cells, each after those it rests on.

    Args:
        structure: the matched system.
        cells: the cells that are wanted; all must be determined.
        order: all cell names in the order of declaration, which decides among equals.
        join: whether neighbouring cells that need rearranging form one block, to be solved for its inputs.
    """
    wanted = frozenset(cells)

    def blocks() -> Plan:
        needed = structure.needed(wanted)
        groups = _groups(structure, [name for name in order if name in needed], join=join)
        return Plan(_block(structure, group) for group in groups)

    return structure.derived(("plan", wanted, join), blocks)


def split(structure: Structure, cells: Iterable[str], order: Iterable[str], unknown: str) -> tuple[Plan, Plan]:
    """Return the blocks that give these cells without rearranging more than one at a time, in two parts.

    Args:
        structure: the matched system.
        cells: the cells that are wanted; all must be determined.
        order: all cell names in the order of declaration, which decides among equals.
        unknown: a cell that is taken as known; the blocks that rest on it are the second part, its own is left out.
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
    direct = len(cells) == 1 and structure.equations[keys[0]].target == cells[0]
    inputs = frozenset(other for cell in cells for other in structure.inputs(cell)) - {*cells}
    return Block(tuple(cells), keys, direct, inputs)


def _grouped(structure: Structure, cells: list[str]) -> dict[str, str]:
    """Return the head of the group of each cell: cells that need rearranging join their neighbours that do."""
    used = {structure.of_cell[cell] for cell in cells}
    inverted = {cell for cell in cells if _is_inverted(structure, cell, used)}
    head = {cell: cell for cell in cells}

    def top(cell: str) -> str:
        while head[cell] != cell:
            head[cell] = head[head[cell]]
            cell = head[cell]
        return cell

    for cell in cells:
        for other in structure.inputs(cell) if cell in inverted else ():
            if other in inverted:
                head[top(other)] = top(cell)
    return {cell: top(cell) for cell in cells}


def _condensed(structure: Structure, cells: list[str], group: dict[str, str]) -> dict[str, str]:
    """Return groups joined where they rest on each other."""
    edges = [(group[cell], group[other]) for cell in cells for other in structure.inputs(cell)]
    heads = list(dict.fromkeys(group.values()))
    joined = {head: parts[0] for parts in strongly_connected_components((heads, edges)) for head in parts}
    return {cell: joined[head] for cell, head in group.items()}


def _is_inverted(structure: Structure, cell: str, used: set[str]) -> bool:
    """Whether a cell is computed against the direction of its formula."""
    equation = structure.equations[structure.of_cell[cell]]
    return equation.target != cell or (equation.kind == "demand" and f"formula {cell}" in used)


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
