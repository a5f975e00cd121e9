"""Every sheet, enrolled by being there: it declares, agrees with the nomenclature, evaluates, renders.

What each sheet gives back is in `test_round_trip.py`.
"""

from __future__ import annotations

import ast
import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flopsheet import Answer, Sheet, sheet, solve, unit
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import taken
from flopsheet.layout.latex import latex
from flopsheet.registry.store import sources
from flopsheet.report.formulas import symbol_of
from flopsheet.sheets.catalogue import nomenclature, sheet_files
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

SHEETS = sorted(sheet_files())
MODELS = Path(__file__).parents[2] / "models"

every_sheet = pytest.mark.parametrize("name", SHEETS)


def pin(cell: Cell, si: Number, sign: str = "=") -> str:
    """Return the relation of a cell and a value [base units], exactly."""
    shown = in_unit(si, cell.unit)
    above, below = (Fraction(repr(shown)) if isinstance(shown, float) else Fraction(shown)).as_integer_ratio()
    return f"{cell.name} {sign} {above} {cell.unit.text or ''} / {below}"


def named(model: Sheet) -> list[str]:
    """Return the relations that set parts and choices to their examples."""
    parts = [f"{part.name} = {part.example}" for part in model.parts.values()]
    return parts + [f"{choice.name} = {choice.example}" for choice in model.choices.values()]


def example_cells(cells: Iterable[Cell]) -> dict[str, Number]:
    """Return the example value of each given cell, its default where it has no example."""
    values = {cell.name: cell.default if cell.example is None else cell.example for cell in cells}
    return {name: value for name, value in values.items() if value is not None}


@cache
def at_example(name: str) -> Answer:
    """Return the sheet evaluated at its example point."""
    model = sheet(name)
    givens = example_cells(cell for cell in model.cells.values() if cell.formula is None and not cell.part)
    return solve(model, (), [*named(model), *(pin(model.cells[name], si) for name, si in givens.items())])


@cache
def users(sheet_name: str) -> Mapping[str, set[str]]:
    """Return the cells that depend on each cell of a sheet, with the options of its example."""
    model, above = sheet(sheet_name), dict[str, set[str]]()
    options = {name: choice.example for name, choice in model.choices.items()}
    for cell in model.cells.values():
        inputs = {*cells_of(taken(cell.formula, options))} & {*model.cells} if cell.formula is not None else set()
        above[cell.name] = inputs.union(*(above[name] for name in inputs))
    return {name: {other for other, inputs in above.items() if name in inputs} for name in model.cells}


@cache
def pairs() -> Sequence[tuple[str, str, str]]:
    """Return (sheet, input, output) for every given cell and record figure, and every cell that depends on it."""
    return [
        (name, cell.name, output)
        for name in SHEETS
        for cell in sheet(name).cells.values()
        if cell.formula is None
        for output in sorted(users(name)[cell.name])
    ]


def asked_back(name: str, free: Sequence[str], outputs: Sequence[str], sign: str = "=") -> Answer:
    """Return the answer when outputs have their computed values and inputs are the unknowns."""
    model, values = sheet(name), at_example(name).cells
    pins = [
        pin(cell, values[cell.name].si)
        for cell in model.cells.values()
        if cell.formula is None and not cell.part and cell.name in values and cell.name not in free
    ]
    goals = [pin(model.cells[output], values[output].si, sign) for output in outputs]
    return solve(model, free, [*named(model), *pins, *goals])


@every_sheet
def test_it_declares_under_the_name_of_its_file(name: str) -> None:
    model = sheet(name)
    assert model.name == name
    assert model.title
    assert any(cell.formula is not None for cell in model.cells.values())
    assert model.assumptions
    assert {*model.sources} <= {*sources()}


@every_sheet
def test_every_row_says_what_it_means_and_every_default_where_it_is_from(name: str) -> None:
    model = sheet(name)
    for cell in model.cells.values():
        assert cell.doc.strip(), cell.name
        assert not cell.doc.endswith("."), cell.name
        if cell.default is not None:
            assert cell.source in sources() or ": " in cell.doc or "because" in cell.doc, cell.name
    assert all(limit.doc for limit in model.limits.values())
    assert all(part.doc and part.example for part in model.parts.values())
    assert all(choice.doc and choice.example for choice in model.choices.values())


@every_sheet
def test_names_mean_what_the_nomenclature_says(name: str) -> None:
    table = nomenclature()
    for cell in sheet(name).cells.values():
        row = table.get(cell.name)
        if row is not None:
            assert cell.unit.dimension == unit(row["unit"]).dimension, cell.name
            assert cell.latex in ("", row["symbol"]), cell.name


@every_sheet
def test_no_symbol_stands_for_two_cells(name: str) -> None:
    table = nomenclature()
    of_table = {row["symbol"]: known for known, row in table.items()}
    shown: dict[str, str] = {}
    for cell in sheet(name).cells.values():
        inner = cell.name.removeprefix(f"{cell.prefix}.")
        assert cell.part or cell.latex or inner in table, f"{cell.name} has no symbol"
        symbol = latex(symbol_of(cell))
        assert shown.setdefault(symbol, cell.name) == cell.name, symbol
        assert of_table.get(symbol, cell.name) == cell.name, symbol


@every_sheet
def test_it_evaluates_at_its_example(name: str) -> None:
    model, answer = sheet(name), at_example(name)
    for cell in model.cells.values():
        if cell.formula is not None:
            assert answer.cells[cell.name].si in cell.bounds, cell.name
            assert math.isfinite(answer.cells[cell.name].si), cell.name
    assert [check.relation.name for check in answer.limits] == [*model.limits]
    assert all(check.holds for check in answer.limits)
    assert not [text for text in answer.warnings if "computed" in text.lower() or "bounds" in text]


@every_sheet
def test_write_ups_of_a_forward_and_an_inverse_question_render(name: str) -> None:
    _, free, output = next(pair for pair in pairs() if pair[0] == name)
    for answer in (at_example(name), asked_back(name, [free], [output])):
        text = answer.derivation()
        assert output in text or sheet(name).cells[output].doc in text
        assert text.count("$") % 2 == 0
        assert not re.findall(r"Fraction\(|\bNone\b|\bnan\b|\bUndefined\b", text)


@pytest.mark.parametrize("file", sorted(MODELS.glob("*.py")), ids=lambda file: file.stem)
def test_a_sheet_imports_only_flopsheet(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    allowed = {"flopsheet", *(f"flopsheet.builtin.models.{sheet.stem}" for sheet in MODELS.glob("*.py"))}
    assert modules <= allowed
