"""Cells that follow from an unknown by what was asked: in the rows of its search too, so that all rests on that one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.formulas.relation import Relation
from flopsheet.formulas.signs import may_be_negative
from flopsheet.functions.rounding import mod
from flopsheet.functions.symbols import as_sympy, symbol
from flopsheet.report.workbook.solved.way import UNIQUE
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.sheets.cell import Cell


class Follower(NamedTuple):
    """A cell that follows from an unknown."""

    form: Expr  # the closed form that gives it
    equation: str  # the text of the equation that this turns round, where the cell is an unknown itself; else empty


def followers(live: Live) -> dict[str, Follower]:
    """Return the cells that an equation gives from an unknown in closed form.

    Cells between follow a later unknown: `n_chips/replica_chips`. An unknown with one value follows another one that
    has a range, where what bounds that range is a relation on the first: by a demand on memory the layers have a range,
    and their number gives the bytes of each activation.
    """
    found: dict[str, Follower] = {}
    for name in live.solved:
        step = live.steps.get(name)
        if step is None or step.form is None or step.how not in UNIQUE:
            continue
        relation = live.relations.get(step.condition.text, step.condition)
        if name in live.behind or not relation.is_equation or not relation.left.is_Symbol:
            continue
        is_asked = step.condition.text in live.relations
        form = step.form.xreplace({relation.left: relation.right}) if is_asked else step.form
        on = live.on(form)
        if not on or name in on:
            continue
        if name in live.answer.outcomes:
            if is_asked and on.isdisjoint(found) and any(_is_bounded_by(live, other, name) for other in on):
                found[name] = Follower(form, relation.text)
        elif max(map(live.solved.index, on)) > live.solved.index(name):
            found[name] = Follower(form, "")
    return found


def _is_bounded_by(live: Live, name: str, other: str) -> bool:
    """Whether a relation that rests on another unknown bounds the range of one."""
    outcome = live.answer.outcomes.get(name)
    deciding = None if outcome is None or outcome.kind not in ("range", "whole") else outcome.deciding
    return deciding is not None and other in live.on(deciding.left, deciding.right)


def bounds_of(cell: Cell, form: Expr) -> Iterator[Relation]:
    """Yield that a cell which follows from another is within its bounds, and whole if it is a count.

    Not that it is above zero, where the form of what gives it tells that.
    """
    own, bounds = symbol(cell.name), cell.bounds
    if cell.integer:
        yield Relation(mod(own, 1), "=", as_sympy(0), f"mod({cell.name}, 1) = 0", name=f"{cell.name} is whole")
    for end, sign in ((bounds.lower, ">=" if bounds.lower_closed else ">"), (bounds.upper, "<=")):
        if is_finite(end) and (end or sign == "<=" or may_be_negative(form)):
            yield Relation(own, sign, as_sympy(end), f"{cell.name} {sign} {end}", name="bound")
