"""The structure of a question: which equation gives which cell, before any number is touched.

Equations and cells form a bipartite graph. A maximum matching says which cell each equation determines; unmatched cells
are free, unmatched equations over-determine others, and the rest falls into blocks that are solved one after the other.
This is the Dulmage-Mendelsohn decomposition (A. L. Dulmage, N. S. Mendelsohn, 1958). It depends on which cells are
known and not on their numbers, so questions that give the same cells share one structure.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

MOST_DERIVED = 128
# Equations that give a cell a number; the number itself belongs to a question.
VALUES = frozenset(("unknown", "given", "record", "default", "fixed"))

_Derived = TypeVar("_Derived")


@dataclass(frozen=True)
class Equation:
    """One equation of a system."""

    key: str  # unique name
    kind: str  # `unknown`, `given`, `record`, `default`, `fixed`, `inferred`, `formula` or `demand`
    cells: tuple[str, ...]  # the cells in it, the target first
    target: str  # the cell that it gives without rearranging, or empty
    stated: Relation | None = None  # both sides; None where a question has to put its number in

    @property
    def relation(self) -> Relation:
        """Left and right side."""
        return self.stated or Relation(symbol(self.target), "=", symbol(self.target), "")

    @property
    def is_formula(self) -> bool:
        """Whether it computes its target from other cells, be it only a default."""
        return self.kind in ("formula", "inferred")

    @property
    def is_default(self) -> bool:
        """Whether other equations of a question may override it; a fixed default stands against all of them."""
        return self.kind in ("default", "inferred")

    @property
    def is_usual_number(self) -> bool:
        """Whether it is a number that is inferred from nothing, as one replica is."""
        return self.kind == "inferred" and len(self.cells) == 1

    def gives(self, cell: str) -> bool:
        """Whether it gives a cell without rearranging; a formula that uses its own cell has to be solved for it."""
        return self.target == cell and (self.stated is None or cell not in cells_of(self.stated.right))


def as_known(name: str) -> Equation:
    """Return the equation that takes a cell as known."""
    return Equation(f"unknown {name}", "unknown", (name,), name)


class Structure:
    """Equations matched to cells, in the order in which they claim them; choices are no unknowns of the system."""

    def __init__(
        self, equations: Iterable[Equation], choices: Iterable[str] = (), alike: Structure | None = None
    ) -> None:
        self._choices = frozenset(choices)
        # what a cell and its equation tell, in all structures in which more cells are known
        self.shared: dict[tuple[str, str], Any] = {} if alike is None else alike.shared
        self.equations = {equation.key: equation for equation in equations}
        self.cells_of = {key: self._without_choices(equation) for key, equation in self.equations.items()}
        self.of_cell: dict[str, str] = {}
        self.cell_of: dict[str, str] = {}
        self.unmatched = [key for key in self.cells_of if not self._claim(key)]
        self._inputs: dict[str, tuple[str, ...]] = {}
        self._derived: dict[Hashable, Any] = {}

    @cached_property
    def touching(self) -> Mapping[str, list[str]]:
        """The equations in which each cell is."""
        touching: dict[str, list[str]] = {}
        for key, cells in self.cells_of.items():
            for cell in cells:
                touching.setdefault(cell, []).append(key)
        return touching

    def _without_choices(self, equation: Equation) -> tuple[str, ...]:
        if self._choices.isdisjoint(equation.cells):
            return equation.cells
        return tuple(cell for cell in equation.cells if cell not in self._choices)

    def _claim(self, key: str) -> bool:
        """Match an equation to a free cell, moving others along an alternating path; its own target first.

        A matching is maximum once no augmenting path is left (C. Berge, 1957). An equation for which none is found has
        none later either: a search that fails leaves every cell that it saw matched to an equation that it saw, and
        augmenting elsewhere cannot free one of them. So one search for each equation is enough. Hopcroft-Karp would
        save time by augmenting along many paths at once, but then a claim would not depend on the order of equations:
        searching one by one, breadth first, those that come first keep their cell if they can, which makes the
        matching canonical and keeps formulas in the direction in which they are written.
        """
        first = self.cells_of[key][:1]
        if first and first[0] not in self.of_cell:
            self.of_cell[first[0]], self.cell_of[key] = key, first[0]
            return True
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
        """Match each equation on an augmenting path to the cell behind it instead of the one before it."""
        key = ""
        while key != start:
            key = came_from[cell]
            before = self.cell_of.get(key, "")
            self.of_cell[cell], self.cell_of[key] = key, cell
            cell = before

    def derived(self, key: Hashable, derive: Callable[[], _Derived]) -> _Derived:
        """Return what follows from the structure alone, worked out once for all questions that share it."""
        known: _Derived | None = self._derived.get(key)
        if known is not None:
            return known
        if len(self._derived) >= MOST_DERIVED:
            self._derived.clear()
        result = self._derived[key] = derive()
        return result

    def with_known(self, *names: str, used: frozenset[str] = frozenset()) -> Structure:
        """Return the structure in which cells are known, ahead of all equations but those used to find them."""
        if not names:
            return self

        def structure() -> Structure:
            left = [equation for key, equation in self.equations.items() if key not in used]
            own = [one for one in left if one.kind == "formula" and one.target in names]  # claims no cell of another's
            others = [one for one in left if one.kind != "formula" or one.target not in names]
            after = next((at for at, one in enumerate(others) if one.is_default), len(others))
            ordered = [*others[:after], *own, *others[after:]]
            return Structure([*map(as_known, names), *ordered], self._choices, self)

        return self.derived(("known", names, used), structure)

    def with_last(self, *last: Equation) -> Structure:
        """Return the structure in which some equations claim a cell only after all others."""
        keys = {equation.key: equation.cells for equation in last}
        others = [equation for equation in self.equations.values() if equation.key not in keys]
        return self.derived(("last", *keys.items()), lambda: Structure([*others, *last], self._choices))

    @cached_property
    def determined(self) -> frozenset[str]:
        """The cells that the equations determine: those that no alternating path joins to a free cell.

        Along such a path the matching could be moved so that the cell becomes the free one. Every maximum matching
        covers the others, whichever was found: this part of the decomposition is unique.
        """
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

    def conflict(self, key: str) -> list[Equation]:
        """Return the over-determined equations around an unmatched one, itself included."""
        seen, queue = {key}, deque([key])
        while queue:
            for cell in self.cells_of[queue.popleft()]:
                other = self.of_cell[cell]
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        return [equation for equation in self.equations.values() if equation.key in seen]

    def has_value(self, cell: str) -> bool:
        """Whether a cell is known, or its equation gives it a number."""
        return self.equations[self.of_cell[cell]].kind in VALUES

    def inputs(self, cell: str) -> tuple[str, ...]:
        """Return the cells that the equation of a cell needs."""
        if cell not in self._inputs:
            cells = self.cells_of[self.of_cell[cell]]
            self._inputs[cell] = cells[1:] if cells[0] == cell else tuple(other for other in cells if other != cell)
        return self._inputs[cell]

    def needed(self, cells: Iterable[str]) -> frozenset[str]:
        """Return the determined cells among these, together with all on which they rest."""
        wanted = frozenset(cells)
        return self.derived(("needed", wanted), lambda: frozenset(self._rested_on(wanted) & self.of_cell.keys()))

    def resting_on(self, cells: Iterable[str]) -> frozenset[str]:
        """Return the determined cells among these, together with all that rest on them."""
        start = frozenset(cell for cell in cells if cell in self.of_cell)
        users = self._users
        return self.derived(("resting on", start), lambda: frozenset(_reached(start, lambda cell: users.get(cell, ()))))

    def missing(self, cells: Iterable[str]) -> frozenset[str]:
        """Return the cells without an equation on which these cells rest."""
        wanted = frozenset(cells)
        return self.derived(("missing", wanted), lambda: frozenset(self._rested_on(wanted) - self.of_cell.keys()))

    @cached_property
    def _users(self) -> Mapping[str, list[str]]:
        """The cells whose equations need each cell."""
        users: dict[str, list[str]] = {}
        for cell in self.of_cell:
            for other in self.inputs(cell):
                users.setdefault(other, []).append(cell)
        return users

    def _rested_on(self, cells: Iterable[str]) -> set[str]:
        """Return these cells and all on which they rest."""
        return _reached(cells, lambda cell: self.inputs(cell) if cell in self.of_cell else ())


def _reached(cells: Iterable[str], beside: Callable[[str], Iterable[str]]) -> set[str]:
    """Return these cells and all to which steps from a cell to those beside it lead."""
    seen: set[str] = set()
    waiting = [*cells]
    while waiting:
        cell = waiting.pop()
        if cell not in seen:
            seen.add(cell)
            waiting += beside(cell)
    return seen
