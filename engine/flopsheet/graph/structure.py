"""The structure of a question: which equation gives which cell, before any number is touched.

Equations and cells form a bipartite graph. A maximum matching says which cell each equation determines; what stays
unmatched says what is missing or said too often; the rest falls into blocks that are solved one after the other. It
depends on which cells are known and not on their numbers, so the same question with other numbers finds it ready.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions.symbols import as_sympy, symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.question.question import Question
    from flopsheet.units import Number


EquationSignature: TypeAlias = "tuple[str, str, str, tuple[str, ...]]"  # key, kind, target, cells
Signature: TypeAlias = "tuple[EquationSignature, ...]"


@dataclass(unsafe_hash=True)
class Equation:
    """One equation of the system.

    Args:
        key: unique name.
        kind: `unknown`, `given`, `record`, `default`, `formula` or `demand`.
        cells: the cells in it, the target first.
        target: the cell that it gives without rearranging, or empty.
        stated: left and right side, as far as somebody stated them.
        value: the value in base units, where it is a number.
    """

    key: str
    kind: str
    cells: tuple[str, ...]
    target: str
    stated: Relation | None = None
    value: Number | None = None

    @cached_property
    def relation(self) -> Relation:
        """Left and right side; those of a value are only made when they are needed."""
        if self.stated is not None:
            return self.stated
        number = symbol(self.target) if self.value is None else as_sympy(self.value)
        return Relation(symbol(self.target), "=", number, f"{self.target} = {number}")

    @cached_property
    def signature(self) -> EquationSignature:
        """All that its place in the structure depends on."""
        return self.key, self.kind, self.target, self.cells

    def without(self, hidden: frozenset[str]) -> EquationSignature:
        """Return its signature as if some cells were not in it."""
        return self.key, self.kind, self.target, tuple(cell for cell in self.cells if cell not in hidden)


def equations(question: Question, dropped: Iterable[str] = ()) -> list[Equation]:
    """Return all equations of a question in the order in which they claim cells: given, formulas, defaults, demands.

    Args:
        question: the question.
        dropped: cells whose default gives way.
    """
    cells = question.sheet.cells
    stated = stated_equations(question)
    without = {*question.unknowns, *question.pins, *dropped, *(each.target for each in stated)}
    given = [_value(name, "given", pin.value) for name, pin in question.pins.items() if cells[name].formula is None]
    for part, record in question.records.items():
        named = ((f"{part}.{name}", value.quantity.si) for name, value in record.values.items())
        given += [_value(name, "record", value) for name, value in named if name not in without]
    formulas = [_formula(name, question.formula(name)) for name, cell in cells.items() if cell.formula is not None]
    defaults = [
        _value(name, "default", cell.default)
        for name, cell in cells.items()
        if cell.default is not None and name not in without
    ]
    # In the order of declaration: what stands upstream claims first, so that formulas keep their direction.
    pinned = [
        replace(_value(name, "demand", question.pins[name].value), stated=question.pins[name].relation)
        for name, cell in cells.items()
        if name in question.pins and cell.formula is not None
    ]
    formulas += [each for each in stated if each.kind == "formula"]
    return [*given, *formulas, *defaults, *pinned, *(each for each in stated if each.kind == "demand")]


def stated_equations(question: Question) -> list[Equation]:
    """Return the equations that the question states, other than values of cells."""
    equal = [relation for relation in question.relations if relation.is_equation]
    return [_stated(place, relation, question) for place, relation in enumerate(equal)]


def _stated(place: int, relation: Relation, question: Question) -> Equation:
    """Return a user's equation: a formula where it gives a cell that has none (`d_ff = 4 * d_model`), else a demand."""
    cells = question.sheet.cells
    names = tuple(name for name in cells if name in relation.cells)
    left = relation.left.name if relation.left.is_Symbol else ""
    if left in cells and cells[left].formula is None and left not in cells_of(relation.right):
        return Equation(f"stated {place}", "formula", (left, *(name for name in names if name != left)), left, relation)
    return Equation(f"demand {place}", "demand", names, "", relation)


def _value(name: str, kind: str, value: Number) -> Equation:
    return Equation(f"{kind} {name}", kind, (name,), name, value=value)


@lru_cache(maxsize=65536)
def _formula(name: str, formula: Any) -> Equation:
    relation = Relation(symbol(name), "=", formula, "")
    inputs = sorted(cells_of(formula) - {name})
    return Equation(f"formula {name}", "formula", (name, *inputs), name, relation)


MOST_KEPT = 32


class Matching:
    """A maximum matching of equations to cells.

    Args:
        signature: key, kind, target and cells of each equation, in the order in which they claim cells.
    """

    def __init__(self, signature: Signature) -> None:
        self.cells_of = {key: cells for key, _, _, cells in signature}
        self.kind_of = {key: kind for key, kind, _, _ in signature}
        self.target_of = {key: target for key, _, target, _ in signature}
        self.of_cell: dict[str, str] = {}
        self.cell_of: dict[str, str] = {}
        self.touching: dict[str, list[str]] = {}
        for key, cells in self.cells_of.items():
            for cell in cells:
                self.touching.setdefault(cell, []).append(key)
        self.unmatched = [key for key in self.cells_of if not self._claim(key)]
        self.plans: dict[Any, Any] = {}
        self.rests_on: dict[frozenset[str], frozenset[str]] = {}

    def _claim(self, key: str) -> bool:
        """Match an equation to a free cell, moving others along an alternating path; its own target first."""
        came_from: dict[str, str] = {}
        queue = deque([key])
        while queue:
            current = queue.popleft()
            for cell in self.cells_of[current]:
                if cell in came_from:
                    continue
                came_from[cell] = current
                if cell not in self.of_cell:
                    self._flip(cell, came_from, key)
                    return True
                queue.append(self.of_cell[cell])
        return False

    def _flip(self, cell: str, came_from: Mapping[str, str], start: str) -> None:
        key = ""
        while key != start:
            key = came_from[cell]
            before = self.cell_of.get(key, "")
            self.of_cell[cell], self.cell_of[key] = key, cell
            cell = before

    @cached_property
    def determined(self) -> frozenset[str]:
        """The cells that the equations determine: no free cell can change them."""
        loose, queue = set(), deque(cell for cell in self.touching if cell not in self.of_cell)
        while queue:
            cell = queue.popleft()
            loose.add(cell)
            for key in self.touching[cell]:
                follower = self.cell_of.get(key)
                if follower is not None and follower not in loose:
                    loose.add(follower)
                    queue.append(follower)
        return frozenset(cell for cell in self.of_cell if cell not in loose)


@lru_cache(maxsize=128)
def _matching(signature: Signature) -> Matching:
    return Matching(signature)


class Structure:
    """The equations of a question, matched to cells, and what follows from it.

    Args:
        system: the equations, in the order in which they claim cells.
        choices: names of choice cells, which are no unknowns of the system.
    """

    def __init__(self, system: Sequence[Equation], choices: Iterable[str] = ()) -> None:
        hidden = frozenset(choices)
        self.equations = {each.key: each for each in system}
        shown = (each.without(hidden) if hidden.intersection(each.cells) else each.signature for each in system)
        self.matching = _matching(tuple(shown))
        self.cells_of, self.of_cell = self.matching.cells_of, self.matching.of_cell
        self.cell_of, self.unmatched = self.matching.cell_of, self.matching.unmatched

    def equation(self, cell: str) -> Equation:
        """Return the equation that gives a cell."""
        return self.equations[self.of_cell[cell]]

    def conflict(self, key: str) -> list[Equation]:
        """Return the over-determined equations around an unmatched one, itself included."""
        seen, queue = {key}, deque([key])
        while queue:
            for cell in self.cells_of[queue.popleft()]:
                other = self.of_cell[cell]
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        return [each for each in self.equations.values() if each.key in seen]

    @property
    def determined(self) -> frozenset[str]:
        """The cells that the equations determine: no free cell can change them."""
        return self.matching.determined

    def inputs(self, cell: str) -> list[str]:
        """Return the cells that the equation of a cell needs."""
        return [other for other in self.cells_of[self.of_cell[cell]] if other != cell]

    def needed(self, cells: Iterable[str]) -> frozenset[str]:
        """Return the determined cells together with all that they rest on."""
        wanted, found = frozenset(cells), self.matching.rests_on
        if wanted not in found:
            if len(found) >= MOST_KEPT:
                found.clear()
            found[wanted] = self._needed(wanted)
        return found[wanted]

    def _needed(self, cells: frozenset[str]) -> frozenset[str]:
        seen: set[str] = set()
        queue = deque(cells)
        while queue:
            cell = queue.popleft()
            if cell not in seen and cell in self.of_cell:
                seen.add(cell)
                queue.extend(self.inputs(cell))
        return frozenset(seen)
