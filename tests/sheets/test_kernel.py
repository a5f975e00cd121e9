"""The kernel: names, formulas and limits are checked as they are added, and copies are apart."""

from __future__ import annotations

import pytest
import sympy

from flopsheet import select
from flopsheet.errors import DimensionError, Place, SheetError, UnknownNameError, find
from flopsheet.formulas.relation import Relation, cells_of, is_literal
from flopsheet.functions import BY_NAME
from flopsheet.functions.symbols import symbol
from flopsheet.registry.kinds import Chip
from flopsheet.sheets.cell import ANY, Cell, Choice, Part
from flopsheet.sheets.kernel import COUNTED_CELLS, RESERVED, Rows
from flopsheet.units import unit

PLACE = Place("models/model.py", 3)
WIDTH, MEMORY = symbol("width"), symbol("memory")


@pytest.fixture
def rows() -> Rows:
    """Rows with two cells, a limit, a part and a choice."""
    rows = Rows("model")
    rows.add_cell(Cell("width", "Width", integer=True))
    rows.add_cell(Cell("memory", "Memory", unit("GiB"), place=PLACE))
    rows.add_part(Part("chip", "chip", "Chip", "h100"), Chip.all_fields.values(), PLACE)
    rows.add_choice(Choice("precision", ("bf16", "fp8"), "Precision"), PLACE)
    rows.add_limit(Relation(MEMORY, "<=", symbol("chip.memory"), "memory <= chip.memory", name="fits"))
    return rows


@pytest.mark.parametrize("name", ["width", "memory", "chip", "precision", "fits", "chip.memory"])
def test_a_name_is_declared_once(name: str, rows: Rows) -> None:
    with pytest.raises(SheetError, match=f"'{name}': This name is declared twice"):
        rows.add_cell(Cell(name, "Again"))


@pytest.mark.parametrize(
    "name",
    ["", "1st", "a b", "a-b", "_a", "é", "lambda", "if", "a.b.c.d.e.f", "a..b", "x\n", *sorted({*RESERVED, *BY_NAME})],
)
def test_a_name_must_be_usable_in_formulas(name: str, rows: Rows) -> None:
    with pytest.raises(SheetError, match="cannot be the name of a cell"):
        rows.add_cell(Cell(name, "Bad"))


@pytest.mark.parametrize("name", ["GB", "h", "token", "watt", "step", "s", "kB"])
def test_a_name_is_not_that_of_a_unit(name: str, rows: Rows) -> None:
    with pytest.raises(SheetError, match="also the name of a unit"):
        rows.add_cell(Cell(name, "Bad"))


@pytest.mark.parametrize("name", sorted(COUNTED_CELLS))
def test_cells_may_count_what_a_unit_names(name: str, rows: Rows) -> None:
    rows.add_cell(Cell(name, "Count"))
    assert name in rows.cells


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (WIDTH * symbol("widht"), "uses 'widht', which is not declared. Did you mean 'width'"),
        (WIDTH * symbol("chip.memry"), "uses 'chip.memry', which is not declared. Did you mean 'chip.memory'"),
        (WIDTH * symbol("zzz"), "'zzz', which is not declared. Declare it above this line"),
        (WIDTH * sympy.Float(0.3), "contains the float"),
        (WIDTH ** sympy.Float(0.5), "contains the float"),
        (select(symbol("precision"), bf16=WIDTH), "Give each option one branch"),
        (select(WIDTH, bf16=WIDTH, fp8=WIDTH), "needs a choice as its first argument"),
    ],
)
def test_formulas_are_checked(formula: sympy.Expr, message: str, rows: Rows) -> None:
    with pytest.raises(SheetError, match=message):
        rows.add_cell(Cell("result", "Result", formula=formula))
    assert "result" not in rows.cells


def test_the_unit_of_a_formula_is_checked(rows: Rows) -> None:
    with pytest.raises(DimensionError, match=r"^models/model\.py:3, 'result': 'result' is declared in GiB"):
        rows.add_cell(Cell("result", "Result", unit("GiB"), formula=WIDTH, place=PLACE))


@pytest.mark.parametrize(
    ("left", "right", "error"), [(MEMORY, WIDTH, DimensionError), (MEMORY, symbol("zzz"), SheetError)]
)
def test_limits_are_checked(left: sympy.Expr, right: sympy.Expr, error: type[Exception], rows: Rows) -> None:
    with pytest.raises(error):
        rows.add_limit(Relation(left, "<=", right, "text", name="again"))
    assert list(rows.limits) == ["fits"]


def test_a_part_gives_one_cell_for_each_field(rows: Rows) -> None:
    cells = {name.removeprefix("chip."): cell for name, cell in rows.cells.items() if cell.part == "chip"}
    assert list(cells) == [field.name for field in Chip.all_fields.values()]
    assert cells["link.domain"].integer
    assert cells["memory"].place == PLACE
    assert all(cell.bounds != ANY for cell in cells.values())


def test_a_copy_is_apart(rows: Rows) -> None:
    other = rows.copy()
    other.add_cell(Cell("height", "Height"))
    other.add_limit(Relation(WIDTH, ">=", sympy.Integer(2), "width >= 2", name="wide"))
    assert "height" not in rows.cells
    assert "wide" not in rows.limits


def test_dimensions_follow_the_declaration(rows: Rows) -> None:
    assert list(rows.dimensions)[:2] == ["width", "memory"]
    assert rows.dimensions["memory"] == unit("byte").dimension


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("d_modl", "There is no cell 'd_modl'. Did you mean 'd_model'"),
        ("zzz", "There is no cell 'zzz'. Known: d_model, d_ff"),
        ("y" * 100_000, "There is no cell 'y{60}…'"),
    ],
)
def test_find_suggests(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        find(name, ["d_model", "d_ff"], "cell", "here")


def test_cells_of_leaves_literals_out() -> None:
    assert cells_of(symbol("95 GiB") / MEMORY + WIDTH) == {"memory", "width"}
    assert (is_literal("95 GiB"), is_literal("memory")) == (True, False)


@pytest.mark.parametrize(
    ("sign", "left", "right", "holds"),
    [
        ("=", 3, 3, True),
        ("=", 3, 4, False),
        ("=", 1.0, 1.0 + 1e-12, True),
        ("=", 1.0, 1.001, False),
        ("<=", 1.0 + 1e-12, 1.0, True),
        ("<", 1.0 - 1e-12, 1.0, False),
        ("<=", 10**20 + 1, 10**20, False),
        ("<", 10**20, 10**20 + 1, True),
        (">=", 5, 4, True),
        (">", 4, 4, False),
    ],
)
def test_a_relation_holds_within_rounding_of_floats(sign: str, left: float, right: float, holds: bool) -> None:
    assert Relation(WIDTH, sign, MEMORY, "text").holds(left, right) is holds
