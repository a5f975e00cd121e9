"""Values of a workbook that no question can have: outside the bounds of their cells, or with nothing to find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import bound_by_default, is_outside
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.functions import choices_in
from flopsheet.functions.symbols import symbol
from flopsheet.report.workbook.blocks.proof import bound_tests
from flopsheet.report.workbook.writer import NO_NUMBER, number_in, quoted
from flopsheet.tolerances import STRICT, in_spreadsheets
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from flopsheet.formulas.relation import Relation
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.writer import SheetWriter
    from flopsheet.sheets.cell import Cell

HEADING, CHANGED = "outside its bounds", "changed"
COLUMN, CHANGED_COLUMN = 7, 8  # of the sheet Model
MOST_TESTS = 200  # in one formula; programs take 255
OUTSIDE = f"A value is outside its bounds: see the column '{HEADING}' of the sheet Model."


def input_tests(model: Model, keys: Iterable[str]) -> list[str]:
    """Return tests that inputs are outside the bounds of their cells, or fractional where they must be whole."""
    pairs = ((key, _cell_of(model, key)) for key in keys)
    return [test for key, cell in pairs if cell for test in bound_tests(cell, model.names[key], whole=False)]


def write_bounds(model: Model, writer: SheetWriter, key: str, computed: Container[str]) -> None:
    """Write into the current row of the sheet Model what an input, or one of some computed cells, must be."""
    cell, tests, result = _cell_of(model, key), input_tests(model, [key]), ""
    if cell is None and key in computed:
        cell, is_out = model.answer.cells[key].cell, _is_outside(model, key)
        tests = bound_tests(cell, model.names[key], whole=True, margin=STRICT)
        result = _must_be(cell) if is_out else ""
    if cell is not None and tests:
        text = f'=IF(IFERROR(OR({",".join(tests)}),FALSE),{quoted(_must_be(cell))},"")'
        writer.formula(COLUMN, text, result, "live warning")


def within_tests(model: Model, room: int) -> list[list[str]]:
    """Return tests that computed cells are within their bounds, in groups that take so many characters together."""
    groups: list[list[str]] = [[]]
    computed = computed_within(model)
    for key in (key for key in model.keys if key in computed):
        cell = model.answer.cells[key].cell
        tests = bound_tests(cell, model.names[key], whole=True, margin=STRICT)
        text = f"NOT(IFERROR(OR({','.join(tests)}),FALSE))"
        if len(groups[-1]) == MOST_TESTS or sum(map(len, groups[-1])) + len(groups[-1]) + len(text) > room:
            groups.append([])
        groups[-1] += [text] if tests else []
    return [group for group in groups if group]


def _must_be(cell: Cell) -> str:
    return f"It must be {cell.bounds.text(cell.unit)}{', a whole number' if cell.integer else ''}."


def computed_within(model: Model) -> set[str]:
    """Return the cells with a formula that may leave their bounds, but for those that an answer has outside of them."""
    rows, values = model.answer.question.sheet.rows, model.answer.cells
    bounded = {own.name for own in (*bound_by_default(rows), *rows.bounded)} & values.keys() & model.texts.keys()
    bounded -= model.ways.keys() | model.answer.outcomes.keys()
    return {key for key in bounded if model.tried or not _is_outside(model, key)}


def is_any_outside(model: Model) -> bool:
    """Whether a computed cell of a question that nothing meets is outside its bounds at the inputs of the question."""
    return any(_is_outside(model, key) for key in computed_within(model))


def _is_outside(model: Model, key: str) -> bool:
    value = model.answer.cells[key]
    return is_outside(value.cell, value.si) and model.result(key) != NO_NUMBER


def is_independent(model: Model, relation: Relation) -> bool:
    """Whether a relation rests on inputs alone, not on an unknown or a cell that was solved for."""
    live, outcomes = model.live, model.answer.outcomes
    before = live.in_order((relation.left, relation.right), live.formulas.__contains__)
    return not live.concerned(relation) and outcomes.keys().isdisjoint({*before, *relation.cells})


def changed_test(model: Model, key: str) -> str:
    """Return the test that an input is not what it is in the question."""
    value, place = model.value(key), model.names[key]
    if isinstance(value, str):
        return f"{place}<>{quoted(value)}"
    return f"ABS({place}-{number_in(value)})>{in_spreadsheets(STRICT)}*ABS({number_in(value)})"


def write_changed(model: Model, writer: SheetWriter, key: str) -> None:
    """Write into the current row of the sheet Model whether an input is not what it is in the question."""
    if model.is_input(key):
        writer.formula(CHANGED_COLUMN, f'=IF({changed_test(model, key)},{quoted(CHANGED)},"")', "", "live warning")


def any_changed(sheet: str, last: int) -> str:
    """Return the test that an input of the sheet Model, whose last line that is, is not what it is in the question."""
    return f"SUMPRODUCT(LEN({sheet}!$I$2:$I${last}))>0"


def any_outside(sheet: str, last: int) -> str:
    """Return the test that an input of the sheet Model, whose last line that is, is outside its bounds."""
    return f"SUMPRODUCT(LEN({sheet}!$H$2:$H${last}))>0"


def own_formula_tests(model: Model, name: str) -> list[str]:
    """Return the test that an unknown is not what its own formula gives, which distinguishes choices.

    The option of the question leaves a cell free that the unknown sets; with another one, nothing may be free.
    """
    formula, values = model.answer.question.sheet.cells[name].formula, model.live.values
    if formula is None or not choices_in(formula) or name not in values:
        return []
    own, value = value_or_none(formula, values), values[name]
    if own is None or isinstance(value, str) or not close(own, value):
        return []
    holds = model.formulas.holds(symbol(name), "=", formula)
    return [] if holds is None else [f"NOT({holds[1:]})"]


def _cell_of(model: Model, key: str) -> Cell | None:
    """Return the cell whose value an input is: of a demand, that which an equation sets to it."""
    name = key if key not in model.goals and model.is_input(key) else ""
    if key in model.goals:
        relation = model.live.relations[model.goals[key].text]
        side = relation.right if relation.left == symbol(key) else relation.left
        name = side.name if relation.is_equation and side.is_Symbol else ""
    return model.answer.cells[name].cell if name in model.answer.cells else None
