"""Demands on cells from which others follow backwards: where nothing else needs these, they are inputs themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import too_large
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.solution import LARGEST_FORM, boundary_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.question.question import Pin
    from flopsheet.report.workbook.live import Live


def given_alone(live: Live) -> dict[str, Expr]:
    """Return the demands on cells from which others follow backwards by a choice, where nothing else needs these.

    Such a cell is an input itself: a given rate stays so for another precision, whose peak rate is not known.
    """
    given: dict[str, Expr] = {}
    for pin, relation, own in _demands(live):
        name = pin.cell
        before = live.on(own)
        if not before or before & live.answer.outcomes.keys():
            continue
        chosen = _is_chosen(live, own, before)
        live.formulas[name] = relation.right
        live.forget()
        others = [*live.question.limits, *(other for other in live.relations.values() if other is not relation)]
        needed = live.on(*(side for other in others for side in (other.left, other.right)))
        if needed.isdisjoint(before) and chosen and all(live.is_by_step(other) for other in before):
            given[name] = relation.right
        live.formulas[name] = own
        live.forget()
    return given


def over_defaults(live: Live) -> dict[str, Expr]:
    """Return the demands that agree with a default as they are, and the closed forms of these defaults.

    A demand overrides a default: with other inputs, the default would be what the demand makes it.
    """
    found: dict[str, Expr] = {}
    for pin, relation, own in _demands(live):
        if live.on(own):
            continue
        before = live.in_order([own], live.formulas.__contains__)
        sides = [own, *(live.formulas[name] for name in before)]
        defaults = sorted({name for side in sides for name in cells_of(side) if _is_default(live, name)})
        if len(defaults) != 1 or not own.has(symbol(defaults[0])) or defaults[0] in found:
            continue
        forms = boundary_forms(own, symbol(defaults[0]), relation.right)
        if len(forms) == 1 and not too_large(forms[0], LARGEST_FORM):
            found |= {pin.cell: relation.right, defaults[0]: forms[0]}
    return found


def _demands(live: Live) -> Iterator[tuple[Pin, Relation, Expr]]:
    """Yield the demands on cells that have a formula, each with its relation in the workbook and that formula."""
    for pin in live.question.demands:
        relation, own = live.relations.get(pin.relation.text), live.formulas.get(pin.cell)
        if relation is not None and own is not None and relation.left == symbol(pin.cell):
            yield pin, relation, own


def _is_default(live: Live, name: str) -> bool:
    return name not in live.formulas and live.answer.execution.origins.get(name) == "default"


def demanded(live: Live) -> dict[str, Expr]:
    """Let cells with a demand have its value, by the formulas of each of which the demand is to be met then.

    In a question that nothing meets, unknowns and what rests on them have no value; what is given has one.
    """
    found: dict[str, Expr] = {}
    for pin, relation, own in _demands(live):
        if live.on(own):
            found[pin.cell] = own
            live.relations[pin.relation.text] = replace(relation, left=own)
            live.formulas[pin.cell] = relation.right
            live.forget()
    return found


def _is_chosen(live: Live, formula: Expr, names: frozenset[str]) -> bool:
    """Whether a choice decides if a formula rests on cells to solve for, or on others that have no value."""
    between = live.in_order([formula], lambda cell: cell in live.formulas and bool(live.rests_on(cell)))
    sides = (formula, *(live.formulas[cell] for cell in between))
    choices = (node for side in sides for node in side.atoms(*nodes(Trait.CHOOSES)))
    branches = (node.branches.values() for node in choices)
    known = {*live.answer.cells, *live.question.options}
    return any(
        any(live.on(own) & names for own in each) and not all(cells_of(own) <= known for own in each)
        for each in branches
    )
