"""Closed forms of unknowns that were solved together: one relation after another is put into those that remain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.trees import length, put_in, symbol_names, too_large
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.solution import LARGEST_FORM, boundary_forms
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr

MOST_UNKNOWNS = 6


@dataclass(frozen=True)
class Isolated:
    """An unknown that a relation gives, from those that come before it."""

    name: str
    relation: Relation  # with what gives the others put in
    form: Expr


class Isolation(NamedTuple):
    """What substitution leaves of several unknowns."""

    found: list[Isolated]  # in the order in which they are computed, from those that wait
    waiting: list[str]  # the unknowns that no relation gives in closed form
    left: list[Relation]  # the relations on these, with what gives the others put in


def isolate(names: Iterable[str], relations: Iterable[Relation | None], values: Values) -> Isolation:
    """Return the closed forms of unknowns that meet equations together.

    Args:
        names: the unknowns.
        relations: what they meet, composed; inequalities are left out.
        values: the cells at the solution [base units], by which one of several forms is chosen.
    """
    waiting, found = [*names], list[Isolated]()
    left = [relation for relation in relations if relation is not None and relation.is_equation]
    while waiting and len(waiting) + len(found) <= MOST_UNKNOWNS:
        step = next(_candidates(waiting, left, values), None)
        if step is None:
            break
        place, chosen = step
        by = {symbol(chosen.name): chosen.form}
        left = [put for at, own in enumerate(left) if at != place and (put := _put(own, by)) is not None]
        waiting.remove(chosen.name)
        found.insert(0, chosen)
    return Isolation(found, waiting, [own for own in left if not _names(own).isdisjoint(waiting)])


def composed(relation: Relation, formulas: Mapping[str, Expr]) -> Relation | None:
    """Return a relation without the cells between, whose formulas are in order; None where it is too large."""
    result: Relation | None = relation
    for name in reversed([*formulas]):
        result = None if result is None else _put(result, {symbol(name): formulas[name]})
    return result


def _put(relation: Relation, by: Mapping[Expr, Expr]) -> Relation | None:
    left, right = put_in(relation.left, by), put_in(relation.right, by)
    large = too_large(left, LARGEST_FORM) or too_large(right, LARGEST_FORM)
    return None if large else replace(relation, left=left, right=right)


def _candidates(
    waiting: Sequence[str], relations: Sequence[Relation], values: Values
) -> Iterator[tuple[int, Isolated]]:
    """Yield the forms of an unknown with the places of their relations: those with the fewest unknowns first.

    Then those that say what an unknown is, then short ones.
    """
    rows = []
    for place, relation in enumerate(relations):
        held = [name for name in waiting if name in _names(relation)]
        size = length(relation.left) + length(relation.right)
        rows += [((len(held), not _is_stated(relation, name), size, place), name) for name in held]
    for (*_, place), name in sorted(rows, key=itemgetter(0)):
        relation = relations[place]
        form = _form(relation, name, values)
        if form is not None:
            yield place, Isolated(name, relation, form)


def _names(relation: Relation) -> frozenset[str]:
    return symbol_names(relation.left) | symbol_names(relation.right)


def _is_stated(relation: Relation, name: str) -> bool:
    return relation.left == symbol(name) and name not in symbol_names(relation.right)


def _form(relation: Relation, name: str, values: Values) -> Expr | None:
    """Return what a relation gives for an unknown, the one of several forms that has its value."""
    if _is_stated(relation, name):
        return relation.right
    unknown = symbol(name)
    left, _, right = relation.one_sided({unknown})
    for form in (own for own in boundary_forms(left, unknown, right) if symbol_names(own) <= values.keys()):
        value, known = None if too_large(form, LARGEST_FORM) else value_or_none(form, values), values[name]
        if value is not None and not isinstance(known, str) and close(value, known):
            return form
    return None
