"""Cells that a question sets to a value: `d_model = 16384`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import FlopsheetError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import exact, symbol
from flopsheet.units import Quantity, scan_quantity, unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number


@dataclass(frozen=True, slots=True)
class Pin:
    """A cell set to a value by the question.

    Args:
        cell: its name.
        value: in base units.
        relation: as the user wrote it.
        written: the number and unit that were written; None for what was worked out.
    """

    cell: str
    value: Number
    relation: Relation
    written: Quantity | None = None


def as_pin(relation: Relation) -> Pin | None:
    """Return the pin that a relation `cell = number or quantity` is, or None."""
    literals = {name: quantity.si for name, quantity in relation.literals.items()}
    for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
        single = side.is_Symbol and side.name in relation.cells
        if relation.is_equation and single and {each.name for each in other.free_symbols} <= literals.keys():
            return Pin(side.name, evaluate(other, literals), relation, _written(other, relation.literals))
    return None


def _written(side: Any, literals: Mapping[str, Quantity]) -> Quantity | None:
    """Return a side that is a number or a quantity, with a minus sign or without; None for anything else."""
    sign = -1 if side.could_extract_minus_sign() else 1
    plain = sign * side
    if plain.is_Number:
        return Quantity(sign * exact(plain), unit(""))
    found = literals.get(str(plain))
    return None if found is None else Quantity(sign * found.value, found.unit)


def plain_pin(left: str, sign: str, right: str, sheet: Sheet, where: str) -> Pin | None:
    """Return the pin that `cell = number unit` is, without a parser; None for anything else, mistakes included."""
    cell = sheet.cells.get(left)
    if cell is None or sign != "=" or not right[0].isdigit():
        return None
    try:
        quantity, end = scan_quantity(right, 0, where, sheet.cells)
    except FlopsheetError:
        return None
    plain = not quantity.unit.text
    if end != len(right) or quantity.dimension != cell.unit.dimension or (plain and cell.unit.dimension):
        return None
    exact = plain and not isinstance(quantity.value, float)
    number = sympy.Rational(quantity.value) if exact else symbol(str(quantity))
    literals = {} if exact else {str(quantity): quantity}
    relation = Relation(cell.symbol, "=", number, f"{left} = {right}", literals=literals)
    return Pin(left, quantity.si, relation, quantity)
