"""Which branch of each max and min decides at the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.answer.results import Binding
from flopsheet.answer.wording import unit_of
from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.printing import in_order
from flopsheet.formulas.slopes import binding_branch
from flopsheet.functions import Trait, nodes, taken
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.evaluate import Values


def bindings(answer: Answer) -> list[Binding]:
    """Return the deciding branch of every max and min in the formulas that the answer used, in their order."""
    question = answer.question
    values = answer.values
    branches: list[Binding] = []
    for name, value in answer.cells.items():
        formula = value.cell.formula
        if formula is not None and formula.has(*nodes(Trait.EXTREME)):
            branches += [
                _binding(answer, name, node, values) for node in _nodes(taken(formula, question.options), values)
            ]
    return branches


def _nodes(formula: Any, values: Values) -> Iterator[Any]:
    for node in sympy.preorder_traversal(formula):
        if isinstance(node, nodes(Trait.EXTREME)) and {term.name for term in node.free_symbols} <= values.keys():
            try:
                evaluate(node, values)
            except ArithmeticTrapError:
                continue
            yield node


def _binding(answer: Answer, name: str, node: Any, values: Values) -> Binding:
    branch = binding_branch(node, values)
    value = evaluate(branch, values)
    terms = in_order(node, tuple(answer.question.sheet.cells))
    losing = tuple((term, evaluate(term, values)) for term in terms if term != branch)
    tied = any(close(value, other) for _, other in losing)
    cell, question = answer.cells[name].cell, answer.question
    unit = cell.unit if node == cell.formula else unit_of(node, question.sheet.cells, question.quantities)
    return Binding(cell, node, branch, value, unit, tied, losing)
