"""The plan: the blocks of a structure in the order in which they are computed."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.solver.structure import Equation, Structure


@dataclass(frozen=True)
class Block:
    """Cells that are computed together.

    Args:
        cells: the cells, in the order of declaration.
        equations: as many equations.
        direct: whether it is one cell that its equation gives without rearranging.
    """

    cells: tuple[str, ...]
    equations: tuple[Equation, ...]
    direct: bool


def plan(structure: Structure, cells: Iterable[str], order: Iterable[str], *, join: bool = True) -> list[Block]:
    """Return the blocks that give these cells, each after those it rests on.

    Args:
        structure: the matched system.
        cells: the cells that are wanted; all must be determined.
        order: all cell names in the order of declaration, which decides among equals.
        join: whether neighbouring cells that need rearranging form one block, to be solved for its inputs.
    """
    needed = structure.needed(cells)
    ranked = [name for name in order if name in needed]
    group = _grouped(structure, ranked) if join else {cell: cell for cell in ranked}
    while True:
        try:
            sequence = _in_order(_sorter(structure, ranked, group), ranked)
        except CycleError as error:
            first, *others = error.args[1]
            group = {cell: first if head in others else head for cell, head in group.items()}
        else:
            break
    members: dict[str, list[str]] = {}
    for cell in ranked:
        members.setdefault(group[cell], []).append(cell)
    return [_block(structure, members[head]) for head in sequence]


def _block(structure: Structure, cells: list[str]) -> Block:
    found = tuple(structure.equations[structure.of_cell[cell]] for cell in cells)
    return Block(tuple(cells), found, direct=len(cells) == 1 and found[0].target == cells[0])


def _grouped(structure: Structure, cells: list[str]) -> dict[str, str]:
    """Return the head of the group of each cell: cells that need rearranging join their neighbours that do."""
    used = {structure.of_cell[cell] for cell in cells}
    turned = {cell for cell in cells if _is_turned(structure, cell, used)}
    head = {cell: cell for cell in cells}
    for cell in cells:
        for other in structure.inputs(cell) if cell in turned else ():
            if other in turned and head[other] != head[cell]:
                old, new = head[other], head[cell]
                head = {name: new if each == old else each for name, each in head.items()}
    return head


def _is_turned(structure: Structure, cell: str, used: set[str]) -> bool:
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


@dataclass(frozen=True)
class Tearing:
    """A block seen as a function of one of its cells.

    Args:
        tear: the cell that is taken as known.
        assignments: the other cells with their equations, in the order in which they follow from it.
        residual: the equation that then remains, and that decides the tear cell.
    """

    tear: str
    assignments: tuple[tuple[str, Equation], ...]
    residual: Equation


def torn(block: Block, preferred: Iterable[str]) -> Tearing | None:
    """Return the block as a function of one cell, a preferred one or one that no formula of the block gives.

    None if no single cell makes all others follow: a simultaneous block.
    """
    first = [cell for cell in preferred if cell in block.cells]
    targets = {equation.target for equation in block.equations if equation.kind == "formula"}
    others = sorted((cell for cell in block.cells if cell not in first), key=lambda cell: cell in targets)
    for cell in (*first, *others):
        found = _unrolled(block, cell)
        if found is not None:
            return found
    return None


def _unrolled(block: Block, tear: str) -> Tearing | None:
    waiting = list(block.equations)
    known, assignments = {tear}, []
    progress = True
    while progress:
        progress = False
        for equation in list(waiting):
            inputs = [cell for cell in equation.cells if cell in block.cells and cell != equation.target]
            gives = equation.kind == "formula" and equation.target in block.cells and equation.target not in known
            if gives and all(cell in known for cell in inputs):
                assignments.append((equation.target, equation))
                known.add(equation.target)
                waiting.remove(equation)
                progress = True
    return Tearing(tear, tuple(assignments), waiting[0]) if len(waiting) == 1 else None
