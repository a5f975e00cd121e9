"""How one cell that was solved for follows the inputs of a workbook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.functions.choose import max_, min_
from flopsheet.functions.rounding import ceil, floor
from flopsheet.functions.symbols import as_sympy
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

FORM, SEARCH, TRIALS, NONE = "form", "search", "trials", "none"


@dataclass(frozen=True)
class Way:
    """How one cell follows the inputs."""

    cell: Cell
    kind: str  # `form`, `search`, `trials` or `none`
    sign: str = "="  # the operator between cell and boundary: `<`, `>` or `=`
    relations: tuple[Relation, ...] = ()  # that set it, the deciding one first
    columns: tuple[str, ...] = ()  # the cells between it and these relations
    forms: tuple[Expr, ...] = ()  # closed forms, a boundary for each relation
    ends: tuple[Number, Number] = (0, 0)  # of a search [base units]; of trials the first and the last number
    others: tuple[Expr, ...] = ()  # expressions that bound it from the other side
    geometric: bool = False  # whether a search halves ratios instead of differences
    why: str = ""  # why there is none
    options: tuple[tuple[str, str], ...] = ()  # the choices with the options for which the closed forms hold
    whole: bool = False  # whether the next whole number that meets the relations is taken


def boundary_of(way: Way) -> Expr:
    """Return the boundary that closed forms set together, of a whole number the first that works."""
    if not way.whole:
        return way.forms[0] if way.sign == "=" else (max_ if way.sign == ">" else min_)(*way.forms)
    signs = [relation.operator for relation in way.relations]
    lower, forms = way.cell.bounds.lower, []
    for form, sign in zip(way.forms, signs, strict=True):
        if way.sign == ">":
            forms.append(ceil(form) if "=" in sign else floor(form) + 1)
        else:
            forms.append(floor(form) if "=" in sign else ceil(form) - 1)
    if way.sign == ">" and is_finite(lower):
        forms.append(as_sympy(-int(-lower // 1)))
    return (max_ if way.sign == ">" else min_)(*forms)
