"""Formulas followed from an input to a cell, along the steps that an answer has already used."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.formulas.relation import cells_of
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Method
from flopsheet.session import cached

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number

MOST_KEPT = 64  # chains, each with its samples
Known: TypeAlias = "tuple[tuple[str, Number | str, type], ...]"  # 1 and 1.0 are equal, but the one stays exact


def chain_from(answer: Answer, by: str, target: str, *beside: Expr) -> Chain | None:
    """Return the formulas of the steps from an input to a cell; None where there is none, or one is no formula.

    Nor is there one through cells that depend on each other: the formula of each holds the others fixed.
    It has the values of what is drawn `beside` that cell.
    """
    dependent, formulas, resting = {by}, {}, answer.system.structure.resting_on([by])
    unfollowed = set[str]()  # cells that move with the input, and by no formula
    for step in answer.steps:
        form, name = step.form, step.cell.name
        if name == by or name in answer.question.pins:  # followed here, or given, and so as it is
            continue
        if form is None or step.how is Method.SIMULTANEOUS:
            moves = name in resting or not step.condition.cells.isdisjoint(dependent | resting)
            unfollowed |= {name} if moves else set()
        elif not cells_of(form).isdisjoint(unfollowed):
            unfollowed.add(name)
        elif not cells_of(form).isdisjoint(dependent):
            formulas[name] = form
            dependent.add(name)
        if name == target:
            break
    if target not in formulas:
        return None
    sides = (side for check in answer.broken for side in (check.relation.left, check.relation.right))
    used = frozenset().union(*(form.free_symbols for form in (*formulas.values(), *sides, *beside)))
    values = answer.values
    known = tuple(
        [
            (name, value, type(value))
            for name in sorted({own.name for own in used} - dependent)
            if (value := values.get(name)) is not None
        ]
    )
    cell = answer.cells[by].cell
    return _followed(by, cell.bounds.interval, tuple(formulas.items()), known, cell.integer)


@cached(maxsize=MOST_KEPT)
def _followed(by: str, domain: Interval, formulas: tuple[tuple[str, Expr], ...], known: Known, integer: bool) -> Chain:
    """Return formulas from an input on, with the values that do not depend on it; a chain keeps what it computes."""
    return Chain(by, domain, dict(formulas), {name: value for name, value, _ in known}, integer)
