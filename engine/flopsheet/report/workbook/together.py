"""Cells of a workbook that were solved for together: each follows from those before it, the last one from the inputs.

Where substitution leaves one without a closed form, that one is searched, and the others are computed in each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.several.substitution import composed, isolate
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import Trait, nodes, taken
from flopsheet.functions.symbols import symbol
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr


class Together(NamedTuple):
    """How cells that were solved for together follow the inputs."""

    forms: dict[str, Expr]  # closed forms, over the inputs and each other
    searched: str  # the cell that has none; empty where all have one
    left: list[Relation]  # the equations on that cell; none where inequalities leave several numbers
    options: tuple[tuple[str, str], ...] = ()  # the choices with the options for which this holds
    free: tuple[str, ...] = ()  # several cells that have none, and are listed together


NOTHING = Together({}, "", [])


def together(  # noqa: PLR0913  # what a workbook knows of them
    names: Sequence[str],
    stated: Mapping[str, Expr],
    relations: Iterable[Relation],
    *,
    formulas: Mapping[str, Expr],
    values: Values,
    options: Mapping[str, str],
) -> Together:
    """Return how cells follow the inputs that were solved for together.

    Args:
        names: the cells.
        stated: the formulas of those that have one of their own.
        relations: what the question asks of them.
        formulas: those of all other cells.
        values: the cells at the solution [base units].
        options: those of choices.
    """
    asked = [*relations]
    needed = {cell for relation in asked for cell in relation.cells}
    needed |= {cell for formula in stated.values() for cell in cells_of(formula)}
    between = _between(names, needed, formulas)
    own = [Relation(symbol(name), "=", formula, f"formula of {name}") for name, formula in stated.items()]
    asked = [relation for relation in (*own, *asked) if not relation.cells.isdisjoint({*names, *between})]
    inside = {name: taken(formula, options) for name, formula in between.items()}
    found = isolate(names, [composed(relation.taken(options), inside) for relation in asked], values)
    forms, used = {one.name: one.form for one in found.found}, {one.relation.text for one in found.found}
    chosen = _choices([relation for relation in asked if relation.text in used], names, between)
    if not found.waiting:
        return Together(_over_inputs(forms), "", [], tuple((name, options[name]) for name in chosen))
    left = [relation for relation in asked if relation.text not in used]
    if chosen:  # in the rows of a search, formulas hold for all options
        return NOTHING
    first, *more = found.waiting
    return Together(forms, "", left, free=tuple(found.waiting)) if more else Together(forms, first, left)


def _over_inputs(forms: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return closed forms over the inputs alone: a proof of one rests on the others, so none may rest on it."""
    known = dict(forms)
    for name in forms:
        own = {symbol(name): known[name]}
        known |= {other: form.xreplace(own) for other, form in known.items() if other != name}
    return known


def in_rows(answer: Answer, found: Together) -> Together:
    """Return how cells that were solved for together follow the inputs, if in rows that counts are listed in.

    Two of them are tried one number after the other, unless the question ranks them.
    """
    is_ranked = answer.question.best is not None and found.searched and not found.left
    waiting = (found.searched,) if is_ranked else found.free
    free, names = tuple(name for name in answer.outcomes if name in waiting), {*waiting, *found.forms}
    counts = [own.cell for name, own in answer.outcomes.items() if name in names]
    bounded = len(counts) == len(names) and all(own.integer and is_finite(own.bounds.lower) for own in counts)
    if free and len(answer.tuples) > 1 and bounded:
        return found._replace(searched="", free=free)
    return found if found.searched else NOTHING if found.free else found


def _choices(relations: Iterable[Relation], names: Sequence[str], between: Mapping[str, Expr]) -> list[str]:
    """Return the choices in relations and in the cells between these and some cells, in order."""
    inside = [side for relation in relations for side in (relation.left, relation.right)]
    needed = {cell for side in inside for cell in cells_of(side)}
    inside += _between(names, needed, between).values()
    return sorted({node.args[0].name for side in inside for node in side.atoms(*nodes(Trait.CHOOSES))})


def _between(names: Sequence[str], needed: Iterable[str], formulas: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the formulas of cells and those before them that rest on some cells, in the order of computation."""
    order: dict[str, Expr] = {}
    rests: dict[str, bool] = dict.fromkeys(names, True)

    def visit(name: str) -> bool:
        if name not in rests:
            rests[name] = False  # ends cycles
            formula = formulas.get(name)
            rests[name] = formula is not None and sum(map(visit, sorted(cells_of(formula)))) > 0
            if formula is not None and rests[name]:
                order[name] = formula
        return rests[name]

    for name in sorted(needed):
        visit(name)
    return order
