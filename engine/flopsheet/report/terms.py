"""What makes up a sum: the terms of the formula of a cell, each with its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError, QuestionError, find, joined
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.order import in_text, ordered_terms
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.slopes import binding_branch
from flopsheet.functions.language import taken
from flopsheet.report.pictures.dependencies import Dependencies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.evaluate import Values
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_NAMED = 6


@dataclass(frozen=True)
class Term:
    """One term of a sum.

    Args:
        text: the term in words of the sheet: `state_memory/n_fsdp`.
        si: its value in base units, negative where it is subtracted.
    """

    text: str
    si: Number


@dataclass(frozen=True)
class Sum:
    """A cell and what makes it up.

    Args:
        cell: the cell.
        terms: the terms of its formula, in the order of declaration.
        si: its value in base units: that of all terms together.
    """

    cell: Cell
    terms: tuple[Term, ...]
    si: Number


def sum_of(answer: Answer, name: str = "") -> Sum:
    """Return the terms of the formula of a cell; of max and min, those of the branch that decides.

    Args:
        answer: the answer.
        name: the cell; where it is empty the unknown, or the longest sum on the way to it.

    Raises:
        UnknownNameError: there is no such cell.
        QuestionError: its formula is no sum, or has no value.
    """
    cells = answer.question.sheet.cells
    where = f"waterfall of '{name}'" if name else "waterfall"
    if name:
        name = answer.question.sheet.rows.called(name)
        find(name, cells, "cell", where)
    found = _sum(answer, name) if name else _longest(answer)
    if found is None:
        others = [each.cell.name for each in _sums(answer)][:MOST_NAMED]
        problem = f"The formula of '{name}' is no sum that has a value." if name else "No sum is on the way."
        fix = f"Take {joined(others, 'or')}." if others else ""
        raise QuestionError(where, problem, fix)
    return found


def _longest(answer: Answer) -> Sum | None:
    """Return the sum of the first unknown that is one, else that of most terms, of several the nearest."""
    for name in answer.outcomes:
        if found := _sum(answer, name):
            return found
    return max(_sums(answer), key=lambda each: sum(bool(term.text[:1].isalpha()) for term in each.terms), default=None)


def _sums(answer: Answer) -> Iterator[Sum]:
    """Yield the sums on the way to what is asked, the nearest first."""
    for key in Dependencies(answer).nearest_first():
        if found := _sum(answer, key):
            yield found


def _sum(answer: Answer, name: str) -> Sum | None:
    question = answer.question
    if name not in answer.cells or answer.cells[name].cell.formula is None:
        return None
    values = answer.values
    cell = answer.cells[name].cell
    try:
        terms = _terms(taken(cell.formula, question.options), values)
        if len(terms) < 2:
            return None
        total = sympy.Add(*terms, evaluate=False)
        names = tuple(question.sheet.cells)
        found = tuple(Term(in_text(each, names), evaluate(each, values)) for each in ordered_terms(total, names))
        return Sum(cell, found, evaluate(total, values))
    except (ArithmeticTrapError, KeyError):  # a cell in it has no value
        return None


def _terms(formula: Any, values: Values) -> list[Any]:
    """Return the terms of a formula: sums in sums and in products laid open, where each term speaks of a cell."""
    while isinstance(formula, sympy.Max | sympy.Min):
        formula = binding_branch(formula, values)
    if isinstance(formula, sympy.Add):
        return [term for each in formula.args for term in _terms(each, values)]
    inner = [each for each in formula.args if isinstance(each, sympy.Add)] if isinstance(formula, sympy.Mul) else []
    if len(inner) != 1 or not all(cells_of(each) and not _is_negative(each) for each in inner[0].args):
        return [formula]
    rest = sympy.Mul(*(each for each in formula.args if each is not inner[0]))
    return [rest * term for each in inner[0].args for term in _terms(each, values)]


def _is_negative(term: Any) -> bool:
    return bool(term.could_extract_minus_sign())
