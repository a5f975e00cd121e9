"""A sheet that extends several: their rows merged, and put in an order in which formulas follow what they use."""

from __future__ import annotations

from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from sympy.utilities.iterables import strongly_connected_components

from flopsheet.errors import MOST_LISTED, SheetError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.sheets.cell import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.sheets.kernel import Rows

PERMIT = "Leave one of them given, or let the sheet solve them together:"


def join(rows: Rows, other: Rows) -> list[str]:
    """Add the rows of another extended sheet, and return the names on which the two conflict.

    Rows of one name are merged as in a three-way merge whose base is the first declaration: a row that only one of the
    two changed has that change. Beyond that, a formula fills a cell that the other sheet leaves given: this is how
    sheets are wired together. Neither rule asks which sheet came first, so the rows do not depend on the order of the
    bases. Their order does: existing rows keep their place, and new ones follow in the order of their own sheet.
    """
    conflicts = []
    for mine, theirs in zip(rows.groups, other.groups, strict=True):
        for name, row in theirs.items():
            if name not in rows:
                mine[name] = row
            elif name not in mine:  # a cell here, a choice there
                conflicts.append(name)
            elif mine[name] != row:
                if _is_superseded(rows, other, name):
                    mine[name] = _wired(mine[name], row)
                    rows.changed.add(name)
                elif _is_superseded(other, rows, name):
                    mine[name] = _wired(row, mine[name])
                else:
                    conflicts.append(name)
    rows.dimensions = {**other.dimensions, **rows.dimensions}
    rows.aliases = {**other.aliases, **rows.aliases}
    rows.origin = {**other.origin, **rows.origin}
    rows.changed |= other.changed
    rows.implicit |= other.implicit
    add_texts(rows, other.texts)
    lift_texts(rows, (*rows.lifted, *other.lifted))
    return conflicts


def add_texts(rows: Rows, texts: Mapping[str, tuple[str, ...]]) -> None:
    """Add assumptions, notes and sources; each is said once, in the order in which sheets are extended and embedded."""
    for kind, new in texts.items():
        rows.texts[kind] = tuple(dict.fromkeys((*rows.texts.get(kind, ()), *new)))


def lift_texts(rows: Rows, lifted: Iterable[str]) -> None:
    """Take out texts that do not hold here, and note them: another extended sheet may bring them again."""
    rows.lifted |= (gone := dict.fromkeys(lifted))
    for kind, texts in rows.texts.items():
        rows.texts[kind] = tuple(text for text in texts if text not in gone)


def _is_superseded(rows: Rows, other: Rows, name: str) -> bool:
    """Whether a row is as it was first declared and changed in the other sheet, or given and computed there."""
    if rows.origin[name] == other.origin[name] and name not in rows.changed & other.changed:
        return name not in rows.changed
    mine, theirs = rows.cells.get(name), other.cells.get(name)
    if mine is None or theirs is None or mine.unit.dimension != theirs.unit.dimension:
        return False
    return mine.formula is None and theirs.formula is not None


def _wired(given: Any, formula: Any) -> Any:
    """Return the row that supersedes another; a formula that fills a given cell keeps the bounds of both."""
    if not isinstance(given, Cell) or given.formula is not None or formula.formula is None:
        return formula
    return replace(formula, integer=given.integer or formula.integer, bounds=formula.bounds.within(given.bounds))


def reject_conflicts(name: str, conflicts: Mapping[str, str]) -> None:
    """Raise a SheetError for rows of sheet `name` that several extended sheets, by row, declare differently."""
    for row, sheets in conflicts.items():
        fix = f"Decide with {row} = override(...) if it is no embedded sheet, or extend one of the two."
        raise SheetError(f"sheet {name}, '{row}'", f"{sheets} declare it differently.", fix)


def sort_cells(rows: Rows) -> None:
    """Move cells declared above what their formulas use behind it; raise a SheetError for a cycle that may not be."""
    rows.cells, cycles = in_order(rows.cells)
    for cycle in [] if rows.implicit else cycles:
        changed = next((cell for name, cell in cycle.items() if name in rows.changed), next(iter(cycle.values())))
        raise SheetError(f"{changed.place}, '{changed.name}'", cycle_problem(cycle), f"{PERMIT} 'implicit = True'.")


def in_order(cells: Mapping[str, Cell]) -> tuple[dict[str, Cell], list[dict[str, Cell]]]:
    """Return cells in an order in which each follows what it uses, and the cycles of those that use each other.

    Kahn's algorithm (1962) with a heap of places for its queue: of all cells whose inputs are there, the one declared
    first comes next. The order is the smallest topological one, so a cell that waits for an input comes right behind
    the last of its inputs, and nothing else moves. A cycle counts as one cell, at the place of its first.
    """
    inputs = {name: needed(cell) & cells.keys() for name, cell in cells.items()}
    places = {name: place for place, name in enumerate(cells)}
    edges = [(name, other) for name, others in inputs.items() for other in others]
    components = [sorted(group, key=places.__getitem__) for group in strongly_connected_components(([*cells], edges))]
    members = {group[0]: group for group in components}
    head = {name: first for first, group in members.items() for name in group}
    missing = {first: {head[other] for name in group for other in inputs[name]} for first, group in members.items()}
    users: dict[str, list[str]] = {first: [] for first in members}
    for first, others in missing.items():
        others.discard(first)
        for other in others:
            users[other].append(first)
    ready = [(places[first], first) for first in members if not missing[first]]
    heapify(ready)
    ordered: list[str] = []
    while ready:
        first = heappop(ready)[1]
        ordered += members[first]
        for user in users[first]:
            missing[user].discard(first)
            if not missing[user]:
                heappush(ready, (places[user], user))
    cycles = [members[first] for first in members if len(members[first]) > 1 or first in inputs[first]]
    cycles.sort(key=lambda names: places[names[0]])
    return {name: cells[name] for name in ordered}, [{name: cells[name] for name in names} for names in cycles]


def find_cycle(cyclic: Mapping[str, Cell]) -> list[str]:
    """Return the names on one cycle among cells that use each other.

    Each of them uses another of them, so following these inputs must come back to a cell that was passed.
    """
    path: dict[str, None] = {}
    name = next(iter(cyclic))
    while name not in path:
        path[name] = None
        name = min(needed(cyclic[name]) & cyclic.keys())
    names = list(path)
    return names[names.index(name) :]


def cycle_problem(cyclic: Mapping[str, Cell]) -> str:
    """Return the sentence that names the cells on a cycle."""
    cycle = find_cycle(cyclic)
    if len(cycle) == 1:
        return f"The formula of '{cycle[0]}' uses '{cycle[0]}' itself."
    names = [repr(name) for name in cycle[:MOST_LISTED]] + (["others"] if cycle[MOST_LISTED:] else [])
    return f"The formulas of {joined(names)} form a cycle."


def needed(cell: Cell) -> frozenset[str]:
    """Return the names of the cells that a cell's formula, or those of its default, use."""
    return frozenset[str]().union(*map(cells_of, cell.formulas))
