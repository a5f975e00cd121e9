"""The terms of a sum: those of the formula of a cell, each with its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from flopsheet.errors import ArithmeticTrapError, QuestionError, find, joined
from flopsheet.formulas.evaluate import binding_branch, evaluate
from flopsheet.formulas.printing import in_order, in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Trait, nodes, taken
from flopsheet.report.pictures.dependencies import Dependencies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions.symbols import Expr
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_SUGGESTED = 6


@dataclass(frozen=True)
class Term:
    """One term of a sum.

    Args:
        text: the term as text: `state_memory/n_fsdp`.
        si: its value in base units, negative where it is subtracted.
    """

    text: str
    si: Number


@dataclass(frozen=True)
class Sum:
    """A cell and the terms of its formula.

    Args:
        cell: the cell.
        terms: the terms of its formula, in the order of declaration.
        si: its value in base units: that of all terms together.
    """

    cell: Cell
    terms: tuple[Term, ...]
    si: Number


def sum_of(answer: Answer, name: str = "") -> Sum:
    """Return the terms of the formula of a cell; for a max or min, those of the branch that determines it.

    Args:
        answer: the answer.
        name: the cell; empty for the unknown, or the longest sum on the way to it.

    Raises:
        UnknownNameError: there is no such cell.
        QuestionError: its formula is not a sum, or has no value.
    """
    where = f"waterfall of '{name}'" if name else "waterfall"
    if name:
        name = answer.question.sheet.rows.resolve(name)
        find(name, answer.question.sheet.cells, "cell", where)
    result = _sum(answer, name) if name else _longest(answer)
    if result is None:
        sums = [candidate.cell.name for candidate in _sums(answer)][:MOST_SUGGESTED]
        problem = f"The formula of '{name}' is not a sum that has a value." if name else "No cell on the way is a sum."
        raise QuestionError(where, problem, f"Choose {joined(sums, 'or')}." if sums else "")
    return result


def _longest(answer: Answer) -> Sum | None:
    """Return the sum of the first unknown that has one, else the one with most terms; among equals, the nearest."""
    for name in answer.outcomes:
        if result := _sum(answer, name):
            return result
    return max(_sums(answer), key=_number_of_named_terms, default=None)


def _number_of_named_terms(candidate: Sum) -> int:
    return sum(term.text[:1].isalpha() for term in candidate.terms)


def _sums(answer: Answer) -> Iterator[Sum]:
    """Yield the sums on the way to the unknowns, nearest first."""
    for key in Dependencies(answer).nearest_first():
        if result := _sum(answer, key):
            yield result


def _sum(answer: Answer, name: str) -> Sum | None:
    question = answer.question
    if name not in answer.cells or answer.cells[name].cell.formula is None:
        return None
    cell, values, names = answer.cells[name].cell, answer.values, tuple(question.sheet.cells)
    try:
        terms = _terms(taken(cell.formula, question.options), values)
        if len(terms) < 2:
            return None
        total = sympy.Add(*terms, evaluate=False)
        shown = tuple(Term(in_text(term, names), evaluate(term, values)) for term in in_order(total, names))
        return Sum(cell, shown, evaluate(total, values))
    except (ArithmeticTrapError, KeyError):  # a cell in it has no value
        return None


def _terms(formula: Expr, values: Values) -> list[Expr]:
    """Return the terms of a formula, nested sums flattened.

    A product with one sum as factor is multiplied out, unless a term of it is a plain number or subtracted: `a (b + c)`
    is two terms, `a (1 - b)` is one.
    """
    while isinstance(formula, nodes(Trait.EXTREME)):
        formula = binding_branch(formula, values)
    if isinstance(formula, sympy.Add):
        return [term for summand in formula.args for term in _terms(summand, values)]
    factors = formula.args if isinstance(formula, sympy.Mul) else ()
    sums = [factor for factor in factors if isinstance(factor, sympy.Add)]
    if len(sums) != 1 or not all(cells_of(term) and not _is_negative(term) for term in sums[0].args):
        return [formula]
    rest = sympy.Mul(*(factor for factor in factors if factor is not sums[0]))
    return [rest * term for summand in sums[0].args for term in _terms(summand, values)]


def _is_negative(term: Expr) -> bool:
    return bool(term.could_extract_minus_sign())
