"""What a text states of a sheet: the value of a cell, a relation between cells, or the name of a record or option."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flopsheet.errors import DimensionError, QuestionError, UnknownNameError, find, joined, shortened, with_article
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.evaluate import nearest_value
from flopsheet.formulas.parser import relation_between
from flopsheet.formulas.relation import Relation, parse_assignment, split_relation
from flopsheet.functions.symbols import Expr, exact, symbol
from flopsheet.question.question import Pin
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.store import records
from flopsheet.units import Quantity, ambiguity, unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.sheets.body import Sheet

Name: TypeAlias = "tuple[str, str]"  # a choice or part, and its option or record


def parsed_statement(text: str, sheet: Sheet) -> Pin | Relation | Name:
    """Return what a text states of a sheet: the value of a cell, a relation, or the name of a record or option."""
    derived = sheet.rows.derived
    names: dict[str, None] = derived.get("names") or derived.setdefault("names", dict.fromkeys(sheet.rows.names))
    given = parse_assignment(text, names)
    pin = None if given is None else _given(*given, sheet)
    if pin is not None and sheet.cells[pin.cell].allows(pin.value):
        return pin
    where = f"relation '{shortened(text)}'"
    parts = split_relation(text, where)
    name = sheet.rows.resolve(parts[0])
    if name in sheet.parts or name in sheet.choices:
        if parts[1] != "=":
            raise QuestionError(where, f"'{name}' is a name: it cannot be compared.", f"Write {name} = NAME.")
        return name, parts[2].strip("'\"")
    if parts[0] in sheet.limits and parts[0] not in names:
        fix = f"Leave it out, or state its relation: '{sheet.limits[parts[0]].text}'. --without {parts[0]} lifts it."
        raise QuestionError(where, f"'{parts[0]}' is a limit of the sheet, which binds without being asked for.", fix)
    if parts[0].isidentifier() and parts[2][:1].isalpha():  # `gpu = h100`
        _refuse_record(parts[2], sheet, where)
        find(name, names, "cell", where, aliases=sheet.parts)
    relation = checked(relation_between(parts, names, where), sheet, where)
    pin = pin or as_pin(relation)
    if pin is not None:
        sheet.cells[pin.cell].check(pin.value, where)
    elif not relation.cells:
        raise QuestionError(where, "No cell in it decides anything.", "Name a cell on one side: n_tp <= 8.")
    return pin or relation


def _refuse_record(value: str, sheet: Sheet, where: str) -> None:
    """Reject a record of a kind that a sheet does not take: a chip for the bytes of a token."""
    taken = {part.kind for part in sheet.parts.values()}
    kinds = [kind for kind in KINDS if kind not in taken and value in records(kind)]
    if kinds:
        parts = [name for name, part in sheet.parts.items() if not part.of]
        fix = f"It takes {joined(parts)}." if parts else "It takes numbers alone."
        problem = f"{value} is {with_article(kinds[0])}, and the sheet {sheet.name} takes none."
        raise UnknownNameError(where, problem, f"{fix} 'flopsheet sheets' lists others.")


def _given(written: str, quantity: Quantity, text: str, sheet: Sheet) -> Pin | None:
    """Return the pin of a cell that is given a quantity; None where the unit does not fit, or it is no cell."""
    name = sheet.rows.resolve(written)
    cell = sheet.cells.get(name)
    if cell is None:
        return None
    needed = cell.unit.dimension
    bare = not quantity.unit.text and (not needed or needed.is_count)
    same = quantity.unit is cell.unit or (quantity.unit.text and quantity.dimension == needed)
    if not bare and not same:
        return None
    return Pin(name, quantity.si, text if name == written else f"{name}{text.removeprefix(written)}", quantity)


def checked(relation: Relation, sheet: Sheet, where: str) -> Relation:
    """Return a relation with its aliases resolved, after checking its units and its case distinctions."""
    try:
        return _resolved(relation, sheet, where)
    except DimensionError:
        if problem := ambiguity(relation.text):
            raise DimensionError(where, *problem) from None
        raise


def _resolved(relation: Relation, sheet: Sheet, where: str) -> Relation:
    names = relation.cells
    aliases = {symbol(name): row for name, row in sheet.rows.aliases.items() if name in names}
    meant = relation.mapped(aliases)
    sides = meant.left, meant.right
    literals = {name: quantity.dimension for name, quantity in relation.literals.items()}
    for side in sides:
        sheet.rows.check_choices(side, where)
    for side, other in (sides, sides[::-1]):
        if side.is_Symbol and side.name in sheet.cells and not other.free_symbols and other != 0:
            needed = sheet.cells[side.name].unit
            if needed.dimension and not needed.dimension.is_count:
                left, _, right = relation.text.partition(relation.operator)
                number = (right if side is sides[0] else left).strip() or str(other)
                problem = f"'{side.name}' is {needed.dimension}, and {number} has no unit."
                raise DimensionError(where, problem, f"Write a unit behind the number, {needed.text} for example.")
    UnitCheck({**sheet.rows.dimensions, **literals}, where).sides(*sides)
    return meant


def as_pin(relation: Relation) -> Pin | None:
    """Return the pin that a relation `cell = number or quantity` is, or None."""
    if not relation.is_equation or relation.needs:
        return None
    literals = {name: quantity.si for name, quantity in relation.literals.items()}
    for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
        single = side.is_Symbol and side.name in relation.cells
        if single and {term.name for term in other.free_symbols} <= literals.keys():
            value, written = nearest_value(other, literals), _written(other, relation.literals)
            return Pin(side.name, value, relation.text, written, relation)
    return None


def _written(side: Expr, literals: Mapping[str, Quantity]) -> Quantity | None:
    """Return a side that is a number or a quantity, with or without a minus sign; None for anything else."""
    sign = -1 if side.could_extract_minus_sign() else 1
    unsigned = sign * side
    if unsigned.is_Number:
        return Quantity(sign * exact(unsigned), unit(""))
    quantity = literals.get(str(unsigned))
    return None if quantity is None else Quantity(sign * quantity.exact, quantity.unit)
