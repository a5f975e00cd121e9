"""A new function costs one entry: a module that adds the cube root and a sheet that uses it, and nothing else."""

from __future__ import annotations

import importlib.util
import math
from contextlib import contextmanager
from fractions import Fraction
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import Sheet, functions, solve, unit
from flopsheet.errors import DimensionError, SheetError, UnknownNameError
from flopsheet.formulas.code import compiled
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.program import program_of
from flopsheet.formulas.slopes import slopes
from flopsheet.functions import BY_NAME, BY_NODE, symbol
from flopsheet.functions.spec import nodes, register
from flopsheet.graph.rearranged import rearranged
from flopsheet.layout.latex import latex
from flopsheet.layout.mathml import inline
from flopsheet.numbers.sets import Interval
from flopsheet.numbers.spans import between
from flopsheet.report.formulas import Formulas
from flopsheet.report.pages import write_up
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.formulas import ExcelFormulas
from flopsheet.search.field import Field
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

MODULE = '''
"""The cube root."""

from fractions import Fraction

import sympy

from flopsheet.functions.spec import Function, Trait, node_class
from flopsheet.layout.nodes import Root
from flopsheet.numbers.arithmetic import power


class CubeRoot(Function):
    """The real cube root, of negative numbers too."""

    name, traits = "cbrt", Trait.INEXACT

    def __init__(self):
        self.node = node_class(self, "Cbrt")

    def dimension(self, node, units):
        return units.dimension(node.args[0]) ** Fraction(1, 3)

    def exact(self, value):
        return power(value, Fraction(1, 3)) if value >= 0 else -power(-value, Fraction(1, 3))

    def inverse(self, value):
        return value**3

    def forms(self, node, place, right):
        return (right**3,)

    def slope(self, term):
        return 1 / (3 * self.node(term) ** 2)

    def in_sympy(self, *terms):
        return sympy.real_root(*terms, 3)

    def layout(self, *terms):
        return Root(*terms, "3")

    def excel(self, *terms):
        return f"(SIGN({terms[0]})*ABS({terms[0]})^(1/3))"


ENTRY = CubeRoot()
'''

SHEET = '''
"""The edge of a cube."""

from flopsheet import Sheet, formula, given
from flopsheet.functions import BY_NAME

cbrt = BY_NAME["cbrt"].build


class Cube(Sheet):
    """The edge of a cube, and how many cubes stand in a row."""

    volume = given("Volume of the cube", "m^3", example="8 m^3")
    row = given("Length of a row", "m", example="10 m")
    edge = formula(cbrt(volume), "m", "Edge of the cube")
    cubes = formula(row / edge, "", "Cubes in a row")
'''
X = symbol("x")


def imported(folder: Path, name: str, text: str) -> ModuleType:
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def registered(entry: Any) -> Iterator[None]:
    """Add an entry for the time of a `with` block."""
    register(entry)
    try:
        yield
    finally:
        del BY_NODE[entry.node], BY_NAME[entry.name]
        nodes.cache_clear()


@pytest.fixture(name="entry")
def _entry(tmp_path: Path) -> Iterator[Any]:
    entry = imported(tmp_path, "cube_root", MODULE).ENTRY
    with registered(entry):
        yield entry


@pytest.fixture(name="cube")
def _cube(entry: Any, tmp_path: Path) -> Sheet:
    assert entry.name in BY_NAME
    cube: Sheet = imported(tmp_path, "cube", SHEET).Cube()
    return cube


def test_a_sheet_declares_it(cube: Sheet) -> None:
    answer = solve(cube, (), ["volume = 27 m^3", "row = 12 m"])
    assert (answer.cells["edge"].si, answer.cells["cubes"].si) == (3, 4)


def test_its_unit_is_checked(entry: Any, tmp_path: Path) -> None:
    assert entry.name == "cbrt"
    with pytest.raises(DimensionError, match=r"'edge' is declared in m \(length\), but its formula gives length\^5/3"):
        imported(tmp_path, "wrong", SHEET.replace('"m^3", example="8 m^3"', '"m^5", example="8 m^5"'))


def test_a_text_may_use_it(cube: Sheet) -> None:
    assert solve(cube, "row", ["cbrt(volume) = 2 m", "cubes = 5"]).value == 10
    assert parse_formula("cbrt(x)", ["x"]) == BY_NAME["cbrt"].build(X)


@pytest.mark.parametrize(("edge", "volume"), [("3 m", 27), ("0.5 m", Fraction(1, 8)), ("2.5 m", Fraction(125, 8))])
def test_it_is_inverted_exactly(cube: Sheet, edge: str, volume: Fraction) -> None:
    answer = solve(cube, "volume", [f"edge = {edge}"])
    assert answer.quantity is not None
    assert answer.quantity.exact == volume
    assert not isinstance(answer.quantity.exact, float)
    assert str(answer.closed_form) == "edge**3"


def test_a_limit_on_it_gives_a_range(cube: Sheet) -> None:
    answer = solve(cube, "volume", ["cubes >= 4", "row = 12 m"])
    assert answer.outcomes["volume"].solutions == (Interval(0, 27, lower_closed=False),)


def test_its_values_are_exact_where_they_can_be(entry: Any) -> None:
    root = entry.build(X)
    values = [evaluate(root, {"x": value}) for value in (27, Fraction(-8, 125), 0)]
    assert values == [3, Fraction(-2, 5), 0]
    assert compiled(root).floats(-8.0) == pytest.approx(-2)
    assert float(root.subs(X, 2).evalf(30)) == pytest.approx(2 ** (1 / 3), rel=1e-15)


def test_its_slope_and_elasticity(entry: Any, cube: Sheet) -> None:
    assert slopes(entry.build(X), {"x": 8}) == {"x": Fraction(1, 12)}
    answer = solve(cube, "edge", ["volume = 27 m^3"])
    assert answer.elasticities() == {"volume": pytest.approx(1 / 3)}


@pytest.mark.parametrize(("low", "high"), [(-8, 27), (0, math.inf), (-math.inf, Fraction(-1, 8))])
def test_its_bounds_stay_exact(entry: Any, low: Any, high: Any) -> None:
    span = Field(program_of(entry.build(X)), "x", {}).bounds(between(low, high))
    roots = [end if math.isinf(end) else entry.exact(end) for end in (low, high)]
    assert [span.low, span.high] == roots
    assert span.exact
    assert span.total


def test_its_closed_form(entry: Any) -> None:
    assert rearranged(2 * entry.build(X), symbol("y"), X) == symbol("y") ** 3 / 8


def test_it_is_written_to_yaml_and_read_again(cube: Sheet, tmp_path: Path) -> None:
    formula = cube.cells["edge"].formula
    assert in_text(formula, ("volume",)) == "cbrt(volume)"
    file = tmp_path / "cube.yaml"
    file.write_text(as_yaml(cube), encoding="utf-8")
    assert "cbrt(volume)" in file.read_text(encoding="utf-8")
    assert read_sheet(file).cells["edge"].formula == formula


def test_it_is_printed_in_every_form(cube: Sheet) -> None:
    answer = solve(cube, (), ["volume = 27 m^3", "row = 12 m"])
    markdown, document = write_up(answer), write_up(answer, form="latex")
    for line in (r"&= \sqrt[3]{\text{volume}}", r"&= \sqrt[3]{27\,\mathrm{m^{3}}}", r"&= 3\,\mathrm{m}"):
        assert line in markdown
        assert line in document
    page = write_up(answer, form="html")
    assert "<mroot><mtext>volume</mtext><mn>3</mn></mroot>" in page
    assert "<mroot><mrow><mn>27</mn>" in page


def test_a_workbook_converts_its_unit(cube: Sheet, entry: Any) -> None:
    units = {name: cell.unit for name, cell in cube.cells.items()}
    formulas = ExcelFormulas({name: name for name in units}, units, {}, tuple(units))
    assert formulas.formula(cube.cells["edge"].formula, unit("m")) == "=(SIGN(volume)*ABS(volume)^(1/3))"
    assert formulas.formula(cube.cells["edge"].formula, unit("km")) == "=(SIGN(volume)*ABS(volume)^(1/3))/1000"
    assert formulas.holds(entry.build(cube.cells["volume"].symbol), "<", cube.cells["row"].symbol) is not None


def test_an_entry_without_printed_forms_is_printed_by_its_name(tmp_path: Path) -> None:
    text = MODULE.partition("    def layout")[0] + "\n\nENTRY = CubeRoot()\n"
    with registered(imported(tmp_path, "cube_root", text).ENTRY):
        cube = imported(tmp_path, "cube", SHEET).Cube()
        layout = Formulas(cube.cells, {"volume": 27}, {}).numbers(cube.cells["edge"].formula)
        assert latex(layout) == r"\operatorname{cbrt}\left(27\,\mathrm{m^{3}}\right)"
        assert "<mi>cbrt</mi>" in inline(layout)
        excel = ExcelFormulas({"volume": "volume"}, {"volume": cube.cells["volume"].unit}, {}, ("volume",))
        assert excel.formula(cube.cells["edge"].formula, unit("m")) == "=CBRT(volume)"


def test_a_workbook_computes_it(cube: Sheet) -> None:
    pytest.importorskip("xlsxwriter")
    openpyxl = pytest.importorskip("openpyxl")

    answer = solve(cube, "edge", ["volume = 27 m^3"])
    rows = openpyxl.load_workbook(BytesIO(workbook(answer))).worksheets
    formulas = [cell.value for sheet in rows for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    assert "=(SIGN(volume)*ABS(volume)^(1/3))" in formulas


def test_it_leaves_without_a_trace(tmp_path: Path) -> None:
    names, node_classes = list(BY_NAME), list(BY_NODE)
    entry = imported(tmp_path, "cube_root", MODULE).ENTRY
    with registered(entry):
        root = parse_formula("cbrt(x)", ["x"])
    assert (list(BY_NAME), list(BY_NODE)) == (names, node_classes)
    with pytest.raises(UnknownNameError, match="cbrt"):
        parse_formula("cbrt(x)", ["x"])
    with pytest.raises(SheetError, match="unknown function Cbrt"):
        imported(
            tmp_path,
            "cube",
            SHEET.replace('BY_NAME["cbrt"].build', "None")
            .replace("cbrt(volume)", "ROOT(volume)")
            .replace("cbrt = None", "import sympy\nROOT = type('Cbrt', (sympy.Function,), {'is_real': True})"),
        )
    assert functions.unknown_function(root) == "Cbrt"
