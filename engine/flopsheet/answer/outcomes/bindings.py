"""Which branch of each max and min decides in an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import unit_of
from flopsheet.formulas.evaluate import binding_branch, evaluate, extremes, value_or_none
from flopsheet.formulas.printing import in_order
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions import Expr, taken
from flopsheet.units import Number, Unit, close

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.sheets.cell import Cell


@dataclass(frozen=True)
class Binding:
    """The branch that decides in a max or min."""

    cell: Cell  # whose formula holds it
    expression: Expr  # the max or min
    branch: Expr  # the term that decides
    si: Number  # its value in base units
    unit: Unit  # in which it is shown
    tied: bool  # whether another term is equal
    losing: tuple[tuple[Expr, Number], ...]  # the other terms in their order, each with its value in base units


def bindings(answer: Answer, cells: Container[str] | None = None) -> list[Binding]:
    """Return the deciding branch of every max and min that the answer used, in order; of some cells if named."""
    values = answer.values
    branches: list[Binding] = []
    for name, value in answer.cells.items():
        if (cells is not None and name not in cells) or (formula := value.cell.formula) is None:
            continue
        for node in extremes(taken(formula, answer.question.options)):
            known = symbol_names(node) <= values.keys()
            if known and all(value_or_none(term, values) is not None for term in node.args):
                branches.append(_binding(answer, value.cell, node, values))
    return branches


def _binding(answer: Answer, cell: Cell, node: Expr, values: Mapping[str, Number | str]) -> Binding:
    question, branch = answer.question, binding_branch(node, values)
    value = evaluate(branch, values)
    terms = in_order(node, tuple(question.sheet.cells))
    losing = tuple((term, evaluate(term, values)) for term in terms if term != branch)
    tied = any(close(value, other) for _, other in losing)
    unit = cell.unit if node == cell.formula else unit_of(node, question.sheet.cells, question.quantities)
    return Binding(cell, node, branch, value, unit, tied, losing)
