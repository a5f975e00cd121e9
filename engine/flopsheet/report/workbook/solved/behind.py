"""Cells that an unknown gives by its own formula: a distance, set by a relation, gives the angle it is computed of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import Trait, nodes, taken
from flopsheet.functions.symbols import symbol
from flopsheet.report.workbook.solved.way import UNIQUE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live


def behind_of(live: Live, solved: Sequence[str]) -> dict[str, Relation]:
    """Return the cells that no step gives in closed form, each with the formula of the unknown that rests on it."""
    missing, known, found = {*solved}, {*live.answer.cells, *live.question.options}, dict[str, Relation]()
    for name in missing & live.answer.outcomes.keys():
        formula = live.question.formula(name) if live.is_inverted(name) else None
        if formula is None or not cells_of(taken(formula, live.question.options)) <= known:
            continue
        text = f"{name} = {in_text(formula, (*live.question.sheet.cells,))}"
        seen = resting_on(live, formula, missing)
        before, folds = (seen & missing) - live.answer.outcomes.keys(), _may_fold(live, formula, seen - missing)
        for cell in before if len(before) == 1 else ():
            step = live.steps.get(cell)
            is_given = step is not None and step.how in UNIQUE and step.form is not None and not folds
            if not is_given and not live.is_simultaneous(cell):
                found[cell] = Relation(symbol(name), "=", formula, text)
    return found


def resting_on(
    live: Live, formula: Expr, missing: Collection[str], options: Mapping[str, str] | None = None
) -> set[str]:
    """Return the cells on which an expression rests by the formulas, with all options or some, up to some cells."""
    seen, waiting = set[str](), [*cells_of(taken(formula, options or {}))]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            own = live.formulas.get(name) if name not in missing else None
            waiting += cells_of(taken(own, options or {})) if own is not None else ()
    return seen


def _may_fold(live: Live, formula: Expr, between: Iterable[str]) -> bool:
    """Whether a closed form that undoes formulas has a value too where these cannot be: behind a root or an angle."""
    return any(folds_in([formula, *(live.formulas[name] for name in between if name in live.formulas)]))


def folds_in(sides: Iterable[Expr]) -> Iterator[Expr]:
    """Yield the operations whose inverses have values that these have not: roots and angles."""
    parts = (node for side in sides for node in side.atoms(sympy.Pow, *nodes(Trait.INEXACT)))
    return (node for node in parts if not (node.is_Pow and node.exp.is_Integer))
