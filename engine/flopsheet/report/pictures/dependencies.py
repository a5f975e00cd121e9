"""What feeds what on the way to an answer: cells, choices and relations as nodes, formulas as edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.functions.language import choices_in
from flopsheet.graph.structure import stated_equations
from flopsheet.report.origins import value_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation

MOST_NODES = 60


@dataclass(slots=True)
class Node:
    """A cell, choice or relation.

    Args:
        key: name of the cell or choice; of a relation its place behind a blank, so that none is taken for a cell.
        kind: `given`, `default`, `record`, `computed`, `unknown`, `choice` or `relation`.
        name: what it is called: the name, or the relation as text.
        value: its value with unit; empty where it has none.
        doc: what it means.
        decides: whether it is what decides in a max or min.
    """

    key: str
    kind: str
    name: str
    value: str
    doc: str
    decides: bool = False


@dataclass(frozen=True)
class Graph:
    """The nodes that an answer rests on, and the edges between them.

    Args:
        nodes: the nodes by key, those nearest to what is asked first.
        edges: pairs of keys: what feeds, what is fed.
        deciding: those of the edges that decide in a max or min.
        left_out: number of nodes that are too many to be shown.
    """

    nodes: dict[str, Node]
    edges: tuple[tuple[str, str], ...]
    deciding: frozenset[tuple[str, str]] = frozenset()
    left_out: int = 0


def graph(answer: Answer, most: int = MOST_NODES) -> Graph:
    """Return the graph of what an answer rests on.

    Args:
        answer: the answer.
        most: number of nodes at most; those farthest from what is asked are left out.
    """
    found = Dependencies(answer)
    keys = found.nearest_first()
    kept = dict.fromkeys(keys[:most])
    deciding = {(name, each.cell.name) for each in answer.bindings for name in cells_of(each.branch)}
    edges = tuple((feeder, key) for key in kept for feeder in found.feeders(key) if feeder in kept)
    shown = frozenset(edge for edge in edges if edge in deciding)
    decisive = {feeder for feeder, _ in shown}
    nodes = {key: found.node(key, decides=key in decisive) for key in kept}
    return Graph(nodes, edges, shown, len(keys) - len(kept))


@lru_cache(maxsize=4096)
def _in_order(names: frozenset[str], declared: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in declared if name in names)


class Dependencies:
    """What each cell of an answer is fed by, and which cells are on the way to what is asked.

    Args:
        answer: the answer.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer, self._question = answer, answer.question
        self._names = tuple(self._question.sheet.cells)
        self._known: dict[str, tuple[str, ...]] = {}
        self._stated: dict[str, Relation] = {}
        relations = [pin.relation for name, pin in self._question.pins.items() if self._formula_cell(name)]
        for each in stated_equations(self._question):
            if each.kind == "formula" and each.stated is not None:
                self._stated.setdefault(each.target, each.stated)
        given = [id(each) for each in self._stated.values()]
        relations += [each for each in self._question.relations if id(each) not in given]
        if answer.ranking is not None:  # limits decide which names work
            relations += [check.relation for check in answer.limits]
        self._relations = {f" {place}": each for place, each in enumerate(relations)}

    def _formula_cell(self, name: str) -> bool:
        return self._question.sheet.cells[name].formula is not None

    def feeders(self, key: str) -> tuple[str, ...]:
        """Return what feeds a node: the cells and choices of a formula, the cells of a relation."""
        if key not in self._known:
            self._known[key] = self._feeders(key)
        return self._known[key]

    def _feeders(self, key: str) -> tuple[str, ...]:
        if key in self._relations:
            return self._in_order(self._relations[key].cells)
        if key in self._stated:
            return self._in_order(cells_of(self._stated[key].right))
        if key not in self._question.sheet.cells or not self._formula_cell(key):
            return ()
        choices = choices_in(self._question.sheet.cells[key].formula)
        return (*self._in_order(cells_of(self._question.formula(key)).difference(choices)), *choices)

    def _in_order(self, names: frozenset[str]) -> tuple[str, ...]:
        """Return names in the order of declaration."""
        return _in_order(names, self._names)

    def nearest_first(self) -> list[str]:
        """Return all nodes on the way to what is asked, the nearest first.

        A relation is on the way where a cell without a value of its own is: it takes part in setting it.
        """
        found = self._rest_on(self._roots())
        while more := [key for key in self._relations if key not in found and self._sets(key, found)]:
            first = [*self._asked(), *(key for key in found if key in self._relations), *more]
            found = self._rest_on([*self._roots(), *first])
        return list(found)

    def _rest_on(self, roots: Iterable[str]) -> dict[str, None]:
        found = dict.fromkeys(roots)
        queue = list(found)
        for key in queue:
            for each in self.feeders(key):
                if each not in found:
                    found[each] = None
                    queue.append(each)
        return found

    def _asked(self) -> list[str]:
        return list(self._answer.outcomes)

    def _roots(self) -> list[str]:
        """Return what is asked; where that is nothing or names only, all that has a value or what decides them."""
        if self._answer.ranking is not None:
            return [*self._asked(), *self._relations]
        return self._asked() or [name for name in reversed(self._answer.cells) if not self._is_input(name)]

    def _sets(self, key: str, found: Collection[str]) -> bool:
        seen, queue = {key}, [key]
        for each in queue:
            if each in found and self._is_free(each):
                return True
            fresh = [feeder for feeder in self.feeders(each) if feeder not in seen]
            seen.update(fresh)
            queue += fresh
        return False

    def _is_free(self, key: str) -> bool:
        """Whether a cell has its value from the relations of the question alone."""
        cells = self._question.sheet.cells
        formula = key in cells and (self._formula_cell(key) or key in self._stated)
        return key in cells and not formula and not self._is_input(key)

    def _is_input(self, name: str) -> bool:
        return name in self._answer.cells and self._answer.cells[name].is_input

    def node(self, key: str, *, decides: bool) -> Node:
        """Return a node by its key."""
        if key in self._relations:
            relation = self._relations[key]
            return Node(key, "relation", relation.text, "", relation.doc)
        if key in self._question.sheet.choices:
            choice = self._question.sheet.choices[key]
            return Node(key, "choice", key, self._question.options.get(key, ""), choice.doc)
        cell, value = self._question.sheet.cells[key], self._answer.cells.get(key)
        shown = "" if value is None else value_text(value)
        kind = value.origin if value is not None and value.is_input else "computed"
        kind = "unknown" if key in self._answer.outcomes else kind
        return Node(key, kind, key, shown, cell.doc, decides)
