"""The values near which answers are wanted, as a user writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import FormulaError, QuestionError, UnknownNameError, find
from flopsheet.formulas.parser import parse_relation, shortened
from flopsheet.question.pins import as_pin
from flopsheet.question.question import Question, as_text, check_units
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.units import Number


def near_values(question: Question, near: Mapping[str, object] | object) -> dict[str, Number]:
    """Return the values near which answers are wanted, in base units."""
    if not hasattr(near, "items"):
        numbers = [name for name in question.unknowns if name not in question.names]
        if len(numbers) != 1:
            raise QuestionError("near", f"There are {len(numbers)} unknown numbers.", "Write near={'d_model': 4096}.")
        near = {numbers[0]: near}
    found = {}
    for name, value in near.items():
        where = f"near '{name}'"
        find(name, question.unknowns, "unknown", where)
        if name in question.names:
            raise QuestionError(where, f"'{name}' is a name: no value is near it.", "Leave it out.")
        found[name] = _near_value(name, value, question, where)
    return found


def _near_value(name: str, value: object, question: Question, where: str) -> Number:
    cell = question.sheet.cells[name]
    text = as_text(name, value).partition("=")[2].strip()
    try:
        relation = parse_relation(f"{name} = {text}", [name], where)
        pin = as_pin(relation)
    except (FormulaError, UnknownNameError):
        pin = None
    if pin is None:
        example = cell.default if cell.example is None else cell.example
        shown = format_quantity(example, cell.unit) if example is not None else f"12 {cell.unit}".strip()
        raise QuestionError(where, f"'{shortened(text)}' is no value of {name}.", f"Write {name} = {shown}.")
    check_units(relation, question, where)
    return pin.value
