"""The dependency graph of an answer: cells, choices and relations as nodes, formulas as edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import choices_in
from flopsheet.graph.system import stated_equations
from flopsheet.report.sentences import value_text
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from flopsheet.answer.answer import Answer

MOST_NODES = 60


@dataclass(slots=True)
class Node:
    """A cell, choice or relation."""

    key: str  # name of the cell or choice; a relation has a blank and its number, which no cell is called
    kind: str  # `given`, `default`, `record`, `computed`, `unknown`, `choice` or `relation`
    name: str  # the name, or the relation as text
    value: str  # with unit; empty where it has none
    doc: str  # its meaning
    decides: bool = False  # whether it determines a max or min


@dataclass(frozen=True)
class Graph:
    """The nodes that an answer depends on, and the edges between them."""

    nodes: dict[str, Node]  # by key, nearest to the unknowns first
    edges: tuple[tuple[str, str], ...]  # pairs of keys: from a node to one that depends on it
    deciding: frozenset[tuple[str, str]] = frozenset()  # the edges from a term that determines a max or min
    left_out: int = 0  # number of nodes that are not shown, because there are too many


def graph(answer: Answer, most: int = MOST_NODES) -> Graph:
    """Return the dependency graph of an answer; of more than `most` nodes, without the farthest from the unknowns."""
    dependencies = Dependencies(answer)
    keys = dependencies.nearest_first()
    shown = dict.fromkeys(keys[:most])
    edges = tuple((feeder, key) for key in shown for feeder in dependencies.feeders(key) if feeder in shown)
    branches = {(name, binding.cell.name) for binding in answer.bindings for name in cells_of(binding.branch)}
    deciding = branches.intersection(edges)
    decisive = {feeder for feeder, _ in deciding}
    nodes = {key: dependencies.node(key, decides=key in decisive) for key in shown}
    return Graph(nodes, edges, frozenset(deciding), len(keys) - len(shown))


@cached(maxsize=4096)
def _in_order(names: Collection[str], declared: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in declared if name in names)


class Dependencies:
    """The nodes that each node of an answer depends on, and which nodes are on the way to the unknowns."""

    def __init__(self, answer: Answer) -> None:
        self._answer, self._question = answer, answer.question
        self._cells = self._question.sheet.cells
        self._names = tuple(self._cells)
        self.feeders = cache(self._feeders)
        self._stated: dict[str, Relation] = {}
        for equation in stated_equations(self._question):
            if equation.is_formula and equation.stated is not None:
                self._stated.setdefault(equation.target, equation.stated)
        relations = [pin.relation for name, pin in self._question.pins.items() if self._has_formula(name)]
        stated = [*self._stated.values()]
        relations += [relation for relation in self._question.asked if relation not in stated]
        if answer.ranking is not None:  # limits decide which names work
            relations += [check.relation for check in answer.limits]
        self._relations = {f" {number}": relation for number, relation in enumerate(relations)}

    def _has_formula(self, name: str) -> bool:
        return self._cells[name].formula is not None

    def _feeders(self, key: str) -> tuple[str, ...]:
        """Return what a node depends on: the cells and choices of a formula, the cells of a relation."""
        if key in self._relations:
            return _in_order(self._relations[key].cells, self._names)
        if key in self._stated:
            return _in_order(cells_of(self._stated[key].right), self._names)
        if key not in self._cells or not self._has_formula(key):
            return ()
        choices = choices_in(self._cells[key].formula)
        cells = cells_of(self._question.formula(key)).difference(choices)
        return *_in_order(cells, self._names), *_in_order(choices, tuple(self._question.sheet.choices))

    def nearest_first(self) -> list[str]:
        """Return all nodes on the way to the unknowns, nearest first.

        A relation is on the way if a cell that it constrains is: one on the way without a value of its own. Each
        round may add relations, and through them cells that further relations constrain, so it is repeated until
        nothing is added.
        """
        reached = self._reachable(self._roots())
        while more := [key for key in self._relations if key not in reached and self._constrains(key, reached)]:
            first = [*self._answer.outcomes, *(key for key in reached if key in self._relations), *more]
            reached = self._reachable([*self._roots(), *first])
        return list(reached)

    def _reachable(self, roots: Iterable[str]) -> dict[str, None]:
        """Return the nodes that these depend on, in the order of a breadth-first search."""
        reached = dict.fromkeys(roots)
        queue = list(reached)
        for key in queue:
            for feeder in self.feeders(key):
                if feeder not in reached:
                    reached[feeder] = None
                    queue.append(feeder)
        return reached

    def _roots(self) -> list[str]:
        """Return the unknown cells; with none, all computed cells, or for unknown names what decides them."""
        unknowns = list(self._answer.outcomes)
        if self._answer.ranking is not None:
            return [*unknowns, *self._relations]
        return unknowns or [name for name in reversed(self._answer.cells) if not self._is_input(name)]

    def _constrains(self, key: str, nodes: Collection[str]) -> bool:
        """Whether a relation depends on one of these nodes that is a cell with its value from relations alone."""
        cells = [name for name in self._reachable([key]) if name in nodes and name in self._cells]
        return not all(self._has_formula(name) or name in self._stated or self._is_input(name) for name in cells)

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
        cell, value = self._cells[key], self._answer.cells.get(key)
        kind = value.origin if value is not None and value.is_input else "computed"
        kind = "unknown" if key in self._answer.outcomes else kind
        return Node(key, kind, key, "" if value is None else value_text(value), cell.doc, decides)
