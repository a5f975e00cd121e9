"""The sides of the relations of a question at values of its unknowns, by formulas alone."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number


def tried(answer: Answer) -> list[str]:
    """Return the unknowns to be tried: those that formulas do not compute from the others, whatever is asked of them.

    At a number of its own, such a one would contradict its formula, and what the question gives would have to yield.
    """
    question, names = answer.question, [*answer.outcomes]
    inputs = {name: pin for name, pin in question.pins.items() if question.sheet.cells[name].formula is None}
    structure = system_of(replace(question, unknowns=(), pins=inputs, relations=[], shown=(), best=None)).structure
    for name in answer.outcomes:
        others = [other for other in names if other != name]
        is_computed = question.sheet.cells[name].formula is not None and others
        if is_computed and name in structure.with_known(*others).determined:
            names = others
    return names


class Sides:
    """The relations and limits of a question that has no answer, and what is known in it without its unknowns.

    `first` are its equations and the relations of unknowns with what does not rest on them, `others` the rest. What
    rests on an unknown is computed again at each of its values, all else once.
    """

    def __init__(self, answer: Answer, unknowns: Iterable[str]) -> None:
        self._question, self._asked = answer.question, frozenset(unknowns)
        equations = answer.system.structure.equations.values()
        self._inferred = {own.target: own.relation.right for own in equations if own.key.startswith("inferred ")}
        self.known: dict[str, Any] = {**answer.values, **self._question.literals, **self._question.options}
        for name in (
            *self._asked,
            *(pin.cell for pin in self._question.demands),
        ):  # what demands say is what is checked
            self.known.pop(name, None)
        self._rests: dict[str, bool] = {}  # whether a cell rests on an unknown
        self._orders: dict[tuple[str, ...], list[tuple[str, Expr]]] = {}
        self.evaluated = 0  # formulas, at all values that were tried
        self.relations = relations = [*self._question.stated, *self._question.limits]
        self._order(relations)
        self.first = [own for own in relations if own.is_equation or self._is_direct(own)]
        self.others = [own for own in relations if own not in self.first]

    def levels(self, name: str) -> Iterator[Number]:
        """Yield what relations compare an unknown itself with."""
        for relation in self.relations:
            for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
                if side.is_Symbol and side.name == name and cells_of(other) <= self.known.keys():
                    value = value_or_none(other, self.known)
                    if value is not None:
                        yield value

    def at(
        self, values: Mapping[str, Number], relations: Sequence[Relation] | None = None
    ) -> list[tuple[Relation, Number, Number]] | None:
        """Return each relation with its sides at values of the unknowns; None where one has no value there.

        A limit without one is not checked.
        """
        relations, sides = self.relations if relations is None else relations, []
        order = self._order(relations)
        self.evaluated += len(order) + 2 * len(relations)
        values = {**self.known, **values}
        for name, formula in order:
            if (value := _value(formula, values)) is not None:
                values[name] = value
        for relation in relations:
            left, right = (_value(side, values) for side in (relation.left, relation.right))
            if left is not None and right is not None and is_finite(left) and is_finite(right):
                sides.append((relation, left, right))
            elif not relation.name:
                return None
        return sides

    def worst(self, values: Mapping[str, Number]) -> tuple[Relation, Number, Number] | None:
        """Return the relation that fails by most at values of the unknowns, with its sides."""
        most = max(self.at(values) or (), key=lambda own: missing(*own), default=None)
        return None if most is None or not missing(*most) else most

    def _is_direct(self, relation: Relation) -> bool:
        """Whether a relation holds unknowns and values alone."""
        return not any(self._rests.get(name, False) for name in relation.cells - self._asked)

    def _formula(self, name: str) -> Expr | None:
        """Return the formula of a cell, or that of its default; None of an unknown."""
        if name in self._asked:
            return None
        formula = self._question.formula(name)
        return self._inferred.get(name) if formula is None else formula

    def _order(self, relations: Sequence[Relation]) -> list[tuple[str, Expr]]:
        """Return the formulas of cells that rest on unknowns and that relations need, each after what it rests on."""
        key = tuple([relation.text for relation in relations])
        if key not in self._orders:
            order: dict[str, Expr] = {}
            for relation in relations:
                for name in sorted(relation.cells):
                    self._follow(name, order)
            self._orders[key] = [*order.items()]
        return self._orders[key]

    def _follow(self, name: str, order: dict[str, Expr]) -> None:
        """Add a cell and what its formula needs to the order if it rests on an unknown, else compute it."""
        waiting, opened, done = [name], set[str](), set[str]()
        while waiting:
            cell = waiting[-1]
            formula = None if cell in done or cell in order else self._formula(cell)
            needed = () if formula is None else sorted(cells_of(formula))
            lacking = [own for own in needed if own not in done and own not in order and own not in opened]
            if lacking and cell not in opened:
                opened.add(cell)
                waiting += lacking
                continue
            done.add(waiting.pop())
            if formula is None:
                self._rests.setdefault(cell, cell in self._asked)
            elif self._rests.setdefault(cell, any(self._rests.get(own, True) for own in needed)):  # or on itself
                self.known.pop(cell, None)
                order[cell] = formula
            elif cell not in self.known and (value := _value(formula, self.known)) is not None:
                self.known[cell] = value


def _value(expression: Expr, values: Mapping[str, Any]) -> Number | None:
    """Return the value of an expression; None where a cell in it has none, or it has none itself."""
    if not all(name in values for name in cells_of(expression)):
        return None
    return value_or_none(expression, values)


def missing(relation: Relation, left: Number, right: Number) -> float:
    """Return by which share of its larger side a relation fails; 0 where it holds."""
    if close(left, right) and relation.operator in ("=", "<=", ">="):
        return 0.0
    if (relation.operator in ("<", "<=") and left < right) or (relation.operator in (">", ">=") and left > right):
        return 0.0
    largest = max(size(left), size(right))
    return max(float(size(left - right) / largest), math.ulp(1.0)) if largest else math.ulp(1.0)
