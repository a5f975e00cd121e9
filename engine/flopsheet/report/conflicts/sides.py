"""The sides of the relations of a question at values of its unknowns, by formulas alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number


class Sides:
    """The relations and limits of a question that has no answer, and what is known in it without its unknowns."""

    def __init__(self, answer: Answer, unknowns: Iterable[str]) -> None:
        self._question = answer.question
        equations = answer.system.structure.equations.values()
        self._inferred = {own.target: own.relation.right for own in equations if own.kind == "inferred"}
        self.relations = [*self._question.stated, *self._question.limits]
        self.known: dict[str, Any] = {**answer.values, **self._question.literals, **self._question.options}
        for name in (*unknowns, *(pin.cell for pin in self._question.demands)):  # what demands say is what is checked
            self.known.pop(name, None)

    def levels(self, name: str) -> Iterator[Number]:
        """Yield what relations compare an unknown itself with."""
        for relation in self.relations:
            for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
                if side.is_Symbol and side.name == name and cells_of(other) <= self.known.keys():
                    value = value_or_none(other, self.known)
                    if value is not None:
                        yield value

    def at(self, values: Mapping[str, Number]) -> list[tuple[Relation, Number, Number]] | None:
        """Return each relation with its sides at values of the unknowns; None where one has no value there.

        A limit without one is not checked.
        """
        values, sides = {**self.known, **values}, []
        for relation in self.relations:
            left, right = (self._value(side, values) for side in (relation.left, relation.right))
            if left is not None and right is not None and is_finite(left) and is_finite(right):
                sides.append((relation, left, right))
            elif not relation.name:
                return None
        return sides

    def worst(self, values: Mapping[str, Number]) -> tuple[Relation, Number, Number] | None:
        """Return the relation that fails by most at values of the unknowns, with its sides."""
        most = max(self.at(values) or (), key=lambda own: missing(*own), default=None)
        return None if most is None or not missing(*most) else most

    def _value(self, side: Expr, values: dict[str, Any]) -> Number | None:
        for name in sorted(cells_of(side)):
            if not self._compute(name, values):
                return None
        return value_or_none(side, values)

    def _formula(self, name: str) -> Expr | None:
        """Return the formula of a cell, or that of its default."""
        formula = self._question.formula(name)
        return self._inferred.get(name) if formula is None else formula

    def _compute(self, name: str, values: dict[str, Any]) -> bool:
        """Compute a cell and what its formula needs; return whether it has a value."""
        waiting, opened = [name], set[str]()
        while waiting:
            formula = None if waiting[-1] in values else self._formula(waiting[-1])
            lacking = [] if formula is None else sorted(cells_of(formula) - values.keys())
            if waiting[-1] in values:
                waiting.pop()
            elif formula is None or (lacking and waiting[-1] in opened):  # cells that depend on each other
                return False
            elif lacking:
                opened.add(waiting[-1])
                waiting += lacking
            else:
                value = value_or_none(formula, values)
                if value is None:
                    return False
                values[waiting.pop()] = value
        return True


def missing(relation: Relation, left: Number, right: Number) -> float:
    """Return by which share of its larger side a relation fails; 0 where it holds."""
    if close(left, right) and relation.operator in ("=", "<=", ">="):
        return 0.0
    if (relation.operator in ("<", "<=") and left < right) or (relation.operator in (">", ">=") and left > right):
        return 0.0
    largest = max(size(left), size(right))
    return max(float(size(left - right) / largest), math.ulp(1.0)) if largest else math.ulp(1.0)
