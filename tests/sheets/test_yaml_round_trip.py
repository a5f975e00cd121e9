"""Every built-in sheet, exported as YAML and read again: the same rows, symbols, formulas and answers."""

from __future__ import annotations

import random
from dataclasses import fields
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from tests.cases import sampled
from tests.models.points import example_cells

from flopsheet import Sheet, choice, functions, given, max_, min_, mod, sheet, solve
from flopsheet.errors import FlopsheetError, Place, SheetError
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.printing import in_text
from flopsheet.functions.symbols import symbol
from flopsheet.layout.latex import latex
from flopsheet.report.formulas import symbol_of
from flopsheet.report.pages import sheet_page
from flopsheet.sheets.catalogue import sheet_files
from flopsheet.sheets.cell import Cell
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import read_sheet
from flopsheet.units import in_unit, unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.units import Number

every_sheet = pytest.mark.parametrize("name", sampled(sorted(sheet_files())))


@cache
def again(name: str) -> Sheet:
    """Return a sheet as its export reads back."""
    with TemporaryDirectory() as folder:
        file = Path(folder, f"{name}.yaml")
        file.write_text(as_yaml(sheet(name)), encoding="utf-8")
        return read_sheet(file)


def fields_of(cell: Cell) -> dict[str, Any]:
    """Return all that a cell says but where."""
    return {field.name: getattr(cell, field.name) for field in fields(cell) if field.name != "place"}


@every_sheet
def test_the_rows_are_the_same_in_the_same_order(name: str) -> None:
    here, there = sheet(name), again(name)
    assert list(there.cells) == list(here.cells)
    for mine, other in zip(here.cells.values(), there.cells.values(), strict=True):
        assert fields_of(other) == fields_of(mine)
        assert latex(symbol_of(other)) == latex(symbol_of(mine))
    assert (there.parts, there.choices, there.sheets) == (here.parts, here.choices, here.sheets)
    assert there.rows.aliases == here.rows.aliases
    sides = [
        {key: (limit.left, limit.operator, limit.right, limit.doc, limit.text) for key, limit in model.limits.items()}
        for model in (here, there)
    ]
    assert sides[0] == sides[1]


@pytest.mark.slow
@every_sheet
def test_the_texts_and_pages_are_the_same(name: str) -> None:
    here, there = sheet(name), again(name)
    assert (there.name, there.title) == (here.name, here.title)
    assert (there.assumptions, there.notes, there.sources) == (here.assumptions, here.notes, here.sources)
    assert sheet_page(there) == sheet_page(here)
    assert as_yaml(there) == as_yaml(here)


def at_example(model: Sheet) -> Mapping[str, Number]:
    """Return the value of every cell at the sheet's example."""
    parts = [f"{part.name} = {part.example}" for part in model.parts.values() if part.example]
    options = [f"{choice.name} = {choice.example}" for choice in model.choices.values()]
    givens = example_cells(cell for cell in model.cells.values() if cell.formula is None and not cell.part)
    pins = []
    for name, si in givens.items():
        above, below = Fraction(in_unit(si, model.cells[name].unit)).as_integer_ratio()
        pins.append(f"{name} = {above} {model.cells[name].unit.text} / {below}")
    return {name: value.si for name, value in solve(model, (), [*parts, *options, *pins]).cells.items()}


@every_sheet
def test_the_answer_at_the_example_is_the_same_to_the_last_digit(name: str) -> None:
    assert at_example(again(name)) == at_example(sheet(name))


NAMES = ("a", "b", "c", "layer.d", "n")
KIND = symbol("layer.kind")
POWERS = (2, 3, -1, -2, sympy.Rational(1, 2), sympy.Rational(-3, 2), sympy.Rational(1, 6))
RELATIONS = (sympy.Eq, sympy.Le, sympy.Ge, sympy.Lt, sympy.Gt)
ONE_TERM = ("abs", "ceil", "floor", "sqrt", "exp", "log", "log2", "sin", "cos", "tan", "atan")


class Maker:
    """Makes random expressions of all that formulas are made of."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  # no secrets here

    def leaf(self) -> Any:
        """Return a cell, mostly, or a number."""
        number = sympy.Rational(self.random.randint(-9, 9), self.random.randint(1, 9))
        return self.random.choice([*map(symbol, NAMES), number])

    def make(self, depth: int) -> Any:
        """Return an expression."""
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf()
        left, right = self.make(depth - 1), self.make(depth - 1)
        comparison = self.random.choice(RELATIONS)(left, right, evaluate=False)
        function = functions.BY_NAME[self.random.choice(ONE_TERM)].build
        ways = [
            lambda: left + right,
            lambda: left - right,
            lambda: left * right,
            lambda: 2 * left * right,
            lambda: left / right,
            lambda: left ** self.random.choice(POWERS),
            lambda: self.random.choice([max_, min_])(left, right),
            lambda: functions.select(KIND, x=left, none=right),
            lambda: functions.indicator(comparison),
            lambda: functions.select(comparison, left, right),
            lambda: mod(left, right),
            lambda: function(left),
        ]
        return self.random.choice(ways)()


@pytest.mark.parametrize("seed", range(200))
def test_the_text_of_a_formula_reads_back_to_the_same_formula(seed: int) -> None:
    try:
        formula = Maker(seed).make(4)
    except (ValueError, ZeroDivisionError, FlopsheetError):  # a division by zero, or numbers that are not real
        return
    if functions.has_no_value(formula) or not formula.free_symbols:
        return
    text = in_text(formula, NAMES)
    result = parse_formula(text, (*NAMES, "layer.kind"))
    assert result == formula or in_text(result, NAMES) == text


def test_a_product_is_not_multiplied_out() -> None:
    a, b, c = symbol("a"), symbol("b"), symbol("c")
    assert parse_formula("2*(a + b)*c", NAMES) == 2 * c * (a + b)
    assert parse_formula("-3*a/(5*(b + c))", NAMES) == sympy.Rational(-3, 5) * a / (b + c)
    assert parse_formula("-(a + b)*c", NAMES) == -c * (a + b)


def test_a_case_distinction_may_be_inside_an_indicator() -> None:
    a, b = symbol("a"), symbol("b")
    wanted = functions.indicator(sympy.Le(a, functions.select(KIND, x=a, none=b), evaluate=False))
    assert parse_formula("[a <= select(layer.kind, x=a, none=b)]", ("a", "b", "layer.kind")) == wanted
    assert parse_formula("select(layer.kind, x=[a = b], none=0)", ("a", "b", "layer.kind")) == functions.select(
        KIND, x=functions.indicator(sympy.Eq(a, b, evaluate=False)), none=0
    )


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Cell("c", "C", formula=sum(symbol("a") ** k * 12345678 for k in range(1, 90))), "'c': It cannot be written"),
        (Cell("c", "C", formula=sympy.Add(symbol("a"), symbol("a"), evaluate=False)), "would not be read back"),
        (Cell("c", "C", formula=symbol("a"), default=3), "The cell has a formula and a value"),
        (Cell("c", "C", default=10**350 + 1), "'c': It cannot be written as YAML: The number 1"),
        (Cell("c", "C", unit("s"), prefix="layer"), "The cell belongs to the sheet 'layer'"),
    ],
)
def test_what_cannot_be_written_is_refused(cell: Cell, message: str) -> None:
    model = Sheet("model")
    model.rows.add_cell(Cell("a", "A"))
    model.rows.add_cell(cell)
    with pytest.raises(SheetError, match=message):
        as_yaml(model)


def test_a_record_with_other_figures_is_refused() -> None:
    model = Sheet("model")
    from flopsheet.registry.kinds import Chip
    from flopsheet.sheets.cell import Part

    model.rows.add_part(Part("chip", "chip", "C"), list(Chip.all_fields.values())[:3], Place("", 0))
    with pytest.raises(SheetError, match="The figures of 'chip' are not those of a chip"):
        as_yaml(model)


@pytest.mark.parametrize(("name", "options"), [("My Sheet", ("a", "b")), ("mine", ("fp-8", "b"))])
def test_what_would_not_read_back_is_not_written(name: str, options: tuple[str, ...]) -> None:
    class Mine(Sheet):
        """Mine."""

        way = choice(*options)
        width = given("Width", example=2)

    with pytest.raises(SheetError, match="would not read back"):
        as_yaml(Mine(name))
