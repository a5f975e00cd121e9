"""Formulas followed from an input to a cell, along the steps that an answer has already used."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import symbol_names
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Method
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number

MOST_KEPT = 64  # chains, each with its samples
Height: TypeAlias = "Callable[[Number], Number | None]"
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
    used = frozenset[str]().union(*map(symbol_names, (*formulas.values(), *sides, *beside)))
    values = answer.values
    known = tuple(
        [(name, value, type(value)) for name in sorted(used - dependent) if (value := values.get(name)) is not None]
    )
    cell = answer.cells[by].cell
    return _followed(by, cell.bounds.interval, tuple(formulas.items()), known, cell.integer)


@cached(maxsize=MOST_KEPT)
def _followed(by: str, domain: Interval, formulas: tuple[tuple[str, Expr], ...], known: Known, integer: bool) -> Chain:
    """Return formulas from an input on, with the values that do not depend on it; a chain keeps what it computes."""
    return Chain(by, domain, dict(formulas), {name: value for name, value, _ in known}, integer)


def limits_beside(answer: Answer, chain: Chain, drawn: Expr) -> list[Relation]:
    """Return the limits of the sheet that a curve has to keep.

    It may pass limits of what it draws, which is what it is for, and equations, which hold at single points.
    """
    moving, shown = {chain.unknown, *chain.formulas}, cells_of(drawn)
    beside = [limit for limit in answer.question.limits if not limit.is_equation and shown.isdisjoint(limit.cells)]
    return [
        limit for limit in beside if limit.cells <= moving | chain.values.keys() and not moving.isdisjoint(limit.cells)
    ]


def unbroken(height: Height, limits: Sequence[Relation], chain: Chain, answer: Number | None) -> Height:
    """Return a function without the values at which a limit is broken, where a formula may give anything."""

    def breaks(at: Number, limit: Relation) -> bool:
        left, right = (chain.at_or_none(at, side) for side in (limit.left, limit.right))
        return left is not None and right is not None and not limit.holds(left, right)

    return lambda at: None if at != answer and any(breaks(at, limit) for limit in limits) else height(at)
