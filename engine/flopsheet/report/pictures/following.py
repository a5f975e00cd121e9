"""Formulas followed from an input to a cell, along the steps that an answer has already used."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.formulas.relation import cells_of
from flopsheet.inverse.chain import Chain
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

    It has the values of what is drawn `beside` that cell.
    """
    dependent, formulas = {by}, {}
    for step in answer.steps:
        form = step.form
        if step.cell.name == by:  # an unknown, which is followed here
            continue
        if form is None and not step.condition.cells.isdisjoint(dependent):
            return None
        if form is not None and not cells_of(form).isdisjoint(dependent):
            formulas[step.cell.name] = form
            dependent.add(step.cell.name)
        if step.cell.name == target:
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
