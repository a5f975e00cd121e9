"""What a row states as an expression, and how an override changes a row of an extended sheet by it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import Place, SheetError, shortened, suggest
from flopsheet.formulas.printing import relation_text
from flopsheet.formulas.relation import Relation
from flopsheet.functions import COMPARISONS
from flopsheet.functions.symbols import as_expression
from flopsheet.sheets.statements import Row, override_cell, override_choice
from flopsheet.units import as_number

if TYPE_CHECKING:
    from flopsheet.functions.symbols import Expr
    from flopsheet.sheets.kernel import Rows


def override_row(expression: Any, inferred: tuple[Expr, ...], rows: Rows, row: Row) -> None:
    """Change a row of an extended sheet as another row states, or raise a SheetError where it cannot."""
    name, where = row.name, f"{row.place}, '{row.name}'"
    if name in rows.cells:
        formula = None if expression is None else as_formula(expression, row.place)
        rows.replace_cell(override_cell(row, rows.cells[name], formula, inferred))
    elif name in rows.choices:
        _check_keys(row, expression, ("doc", "default", "example"), where, "choice")
        rows.replace_choice(override_choice(row, rows.choices[name]))
    elif name in rows.parts:
        _check_keys(row, expression, ("doc", "example"), where, "record")
        texts: dict[str, Any] = {key: row.text(key) for key in ("doc", "example") if row.has(key)}
        rows.parts[name] = replace(rows.parts[name], **texts)
        rows.changed.add(name)
    elif name in rows.limits:
        _check_keys(replace(row, values={**row.values, "inferred": inferred or None}), None, ("doc",), where, "limit")
        own = make_limit(row, expression, rows)
        rows.add_limit(replace(own, doc=own.doc or rows.limits[name].doc), instead=True)
    elif name in rows:
        raise SheetError(where, "Embedded sheets cannot be overridden.", "Use another name.")
    else:
        fix = suggest(name, [*rows.cells, *rows.choices, *rows.parts])
        raise SheetError(where, "No extended sheet has this row.", fix or "Declare it: given(), formula(), choice().")


def _check_keys(row: Row, expression: Any, allowed: tuple[str, ...], where: str, kind: str) -> None:
    keys = [*(["formula"] if expression is not None else []), *filter(row.has, row.values)]
    if wrong := next((key for key in keys if key not in allowed), ""):
        raise SheetError(where, f"A {kind} has no {wrong}.", f"It has {', '.join(allowed)}.")


def make_limit(row: Row, comparison: Expr, rows: Rows) -> Relation:
    """Return the limit that a comparison of cells states, or raise a SheetError where it is none."""
    operator = COMPARISONS.get(getattr(comparison, "func", None))
    if operator is None:
        fix = "Write limit(a <= b); for equality limit(equal(a, b)), since == between cells is False at once."
        raise SheetError(f"{row.place}, '{row.name}'", "This is not a comparison of cells.", fix)
    left, right = comparison.args
    text = relation_text(left, operator, right, tuple(rows.cells))
    return Relation(left, operator, right, text, row.name, row.text("doc"), place=row.place)


def as_formula(expression: Any, place: Place) -> Expr:
    """Return the sympy expression of a formula, or raise a SheetError where it is none."""
    number = as_number(expression)
    if not isinstance(expression, sympy.Expr) and (number is None or isinstance(number, float)):
        fix = "Write formula(2 * a * b, unit, meaning), or limit(a <= b) for a comparison."
        raise SheetError(str(place), f"formula() needs an expression over cells, not {_shown(expression)}.", fix)
    return expression if number is None else as_expression(expression, str(place))


def as_formulas(expressions: Any, place: Place) -> tuple[Expr, ...]:
    """Return one sympy expression or several, as `as_formula` does."""
    several = expressions if isinstance(expressions, tuple | list) else (expressions,)
    return tuple(as_formula(expression, place) for expression in several)


def _shown(value: Any) -> str:
    return shortened(repr(value)) if isinstance(value, str | bool | float | sympy.Basic) else type(value).__name__
