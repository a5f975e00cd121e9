"""The class body: each silent trap of Python is refused with a message that names the fix, the file and the line."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from flopsheet import Chip, Sheet, choice, formula, given, limit, part, select
from flopsheet.errors import FlopsheetError, SheetError, ValueOutOfBoundsError
from flopsheet.sheets.body import snake_case
from flopsheet.sheets.catalogue import load
from flopsheet.sheets.cell import Cell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Declare: TypeAlias = "Callable[[str], Sheet]"
HEAD = """
from flopsheet import (
    Chip, Sheet, ceil, choice, equal, exp, floor, formula, given, limit, log, max_, min_, part, ratio, select, sqrt
)
class Model(Sheet):
    a = given("A", "GiB")
    b = given("B", "GiB")
    n = given("N", integer=True)
    chip = part(Chip)
    precision = choice("bf16", "fp8")
"""
LINE = HEAD.count("\n") + 1


@pytest.fixture
def declare(tmp_path: Path) -> Declare:
    """Declare a sheet whose body ends with a given row."""

    def declared(row: str) -> Sheet:
        file = tmp_path / "model.py"
        file.write_text(f"{HEAD}    {row}\n")
        return load(file)

    return declared


TRAPS = [
    ('a = given("again")', "'a': This name is declared twice"),
    ("c = a + b", r"A bare expression is not a row of a sheet\. Write c = formula\("),
    ("c = a <= b", r"A bare comparison is not a row of a sheet\. Wrap it in limit\(a <= b\)"),
    ("c = a == b", r"write limit\(equal\(a, b\)\), since == between cells is False"),
    ("c = limit(a == b)", r"not a comparison of cells\. .*limit\(equal\(a, b\)\)"),
    ("c = limit(a != b)", "not a comparison of cells"),
    ("c = limit(a)", "not a comparison of cells"),
    ("c = limit(not a)", "not a comparison of cells|Python's"),
    ("c = limit(a <= b <= a)", "chained comparison"),
    ("c = limit(a <= b and b <= a)", "Python's `if`, `and`"),
    ("c = formula(a if a > b else b, 'GiB')", "Python's `if`"),
    ("c = formula(max(a, b), 'GiB')", r"Python's max\(\) decides before .*Write max_\(a, b\)"),
    ("c = formula(min(a, b), 'GiB')", r"Python's min\(\) .*Write min_\(a, b\)"),
    ("c = formula(round(n))", r"Python's round\(\) .*Write floor\(a\) or ceil\(a\)"),
    ("c = formula(int(n))", r"Python's int\(\)"),
    ("c = formula(float(n))", "float"),
    ("c = formula(1/3 * n)", r"contains the float .*Python evaluates 1/3 before .*ratio\(1, 3\)"),
    ("c = formula(n ** 0.5)", "contains the float"),
    ("c = limit(n <= 0.5)", "contains the float"),
    ("c = formula(n / 0)", "divi|no value|infinite|number"),
    ("c = formula(sqrt(-1))", "real|no value|number"),
    ("c = 5", r"A sheet holds rows, not a Python int\. Write c = given\("),
    ("c = 'text'", "not a Python str"),
    ("c = [1]", "not a Python list"),
    ("def c(): pass", "not a Python function"),
    ("assumptions = 'one'", "'assumptions': This is not a tuple of texts"),
    ("sources = ['one']", "'sources': This is not a tuple of texts"),
    ("c = formula(chip.memry, 'GiB')", "'chip' has no 'memry'. Did you mean 'memory'"),
    ("c = formula(chip.flops.bf17, 'TFLOP/s')", "'chip.flops' has no 'bf17'. Did you mean 'bf16'"),
    ("c = formula(chip.flops, 'TFLOP/s')", "needs an expression"),
    ("c = formula(2 * chip, 'GiB')", "chip"),
    ("c = formula(a.memory, 'GiB')", "memory"),
    ("GB = given('g')", "also the name of a unit"),
    ("h = given('g')", "also the name of a unit"),
    ("token = formula(n)", "also the name of a unit"),
    ("max = given('x')", "cannot be the name of a cell"),
    ("log2 = given('x')", "cannot be the name of a cell"),
    ("_c = given('x')", "cannot be the name of a cell"),
    ("c = formula(select(precision, bf16=a), 'GiB')", "has bf16, but 'precision' is bf16, fp8. Give each option"),
    ("c = formula(select(precision, bf16=a, fp8=b, fp4=b), 'GiB')", "has bf16, fp8, fp4, but"),
    ("c = formula(select(n, bf16=a, fp8=b), 'GiB')", r"needs a choice as its first argument"),
    ("c = formula(select(a + b, bf16=a, fp8=b), 'GiB')", r"needs a choice as its first argument"),
    ("c = formula(n * precision)", "precision"),
    ("c = limit(n <= precision)", "precision"),
    ("c = choice()", "option"),
    ("c = choice('x', 'x')", "twice|option"),
    ("c = choice('bf16', default='bf_16')", "There is no option 'bf_16'. Did you mean 'bf16'"),
    ("c = formula(True)", "needs an expression over cells, not True"),
    ("c = formula(5.0)", "needs an expression over cells, not 5.0"),
    ("c = formula('a')", "needs an expression over cells, not 'a'"),
    ("c = formula(missing)", "'missing' is not declared. Declare it above"),
    ("c = formula(chp.memory, 'GiB')", "'chp' is not declared. Did you mean 'chip'"),
]


@pytest.mark.parametrize(("row", "message"), TRAPS)
def test_traps_are_refused_with_the_fix(row: str, message: str, declare: Declare) -> None:
    with pytest.raises(SheetError, match=message):
        declare(row)


@pytest.mark.parametrize(
    "row", ["c = formula(a and b, 'GiB')", "c = formula(a or b, 'GiB')", "c = formula(n if a else 1)"]
)
def test_a_cell_has_no_truth_value(row: str, declare: Declare) -> None:
    with pytest.raises(SheetError, match="Python's `if`, `and`, `or`"):
        declare(row)


@pytest.mark.parametrize(
    "row",
    [
        "a = given('again')",
        "c = limit(a == b)",
        "c = formula(max(a, b), 'GiB')",
        "c = formula(1/3 * n)",
        "c = formula(missing)",
        "c = formula(a + n, 'GiB')",
        "c = formula(chip.memry, 'GiB')",
        "c = given('C', 'Gb')",
        "c = given('C', default=-1)",
        "c = given('C', 'GiB', default='5 s')",
    ],
)
def test_messages_name_file_and_line(row: str, declare: Declare) -> None:
    with pytest.raises(FlopsheetError, match=rf"model\.py:{LINE}\b"):
        declare(row)


@pytest.mark.parametrize("row", ["c = given('C', default=-1)", "c = given('C', integer=True, default=1.5)"])
def test_a_default_out_of_bounds_is_refused_by_the_name_of_its_cell(row: str, declare: Declare) -> None:
    with pytest.raises(ValueOutOfBoundsError, match="'c' cannot be"):
        declare(row)


@pytest.mark.parametrize("default", ["float('inf')", "float('nan')"])
def test_a_default_that_is_no_number_is_refused(default: str, declare: Declare) -> None:
    with pytest.raises(FlopsheetError):
        declare(f"c = given('C', default={default})")


def test_a_sheet_holds_its_rows_in_order() -> None:
    class TwoPrecisions(Sheet):
        """Memory at two precisions.

        More text.
        """

        params = given("Parameters", "param", example="7e9 param", minimum=1)
        share = given("Share", default=0.1, maximum=1)
        chip = part(Chip, example="h100")
        precision = choice("bf16", "fp8", doc="Of the weights", default="bf16")
        two_bytes = given("Two bytes", "byte/param", default="2 byte/param")
        one_byte = given("One byte", "byte/param", default=1)
        memory = formula(params * select(precision, bf16=two_bytes, fp8=one_byte), "GiB", "Memory")
        fits = limit(memory <= chip.memory, "It fits")
        assumptions = ("None.",)

    model = TwoPrecisions()
    assert (model.name, model.title) == ("two_precisions", "Memory at two precisions.")
    assert [name for name, cell in model.cells.items() if not cell.part] == [
        "params",
        "share",
        "two_bytes",
        "one_byte",
        "memory",
    ]
    assert (model.cells["params"].example, model.cells["share"].default) == (7_000_000_000, Fraction(1, 10))
    assert model.choices["precision"].options == ("bf16", "fp8")
    assert model.parts["chip"].kind == "chip"
    assert model.limits["fits"].text == "memory <= chip.memory"
    assert model.assumptions == ("None.",)


def test_a_sheet_that_extends_another_has_its_rows_and_leaves_it_alone() -> None:
    class Base(Sheet):
        width = given("Width", integer=True)
        area = formula(width**2)

    class Taller(Base):
        height = given("Height", integer=True)
        volume = formula(Base.rows.cells["area"].symbol * height)

    assert list(Taller().cells) == ["width", "area", "height", "volume"]
    assert list(Base().cells) == ["width", "area"]
    assert Taller().name == "taller"


def test_an_extended_row_is_in_reach_and_cannot_be_declared_again() -> None:
    class Base(Sheet):
        width = given("Width", integer=True)

    def extend(rows: Callable[[Any], Any]) -> None:
        namespace = type(Base).__prepare__("Wider", (Base,))
        namespace["result"] = rows(namespace["width"])

    extend(lambda width: formula(2 * width))
    with pytest.raises(SheetError, match="This name is declared twice"):
        type(Base).__prepare__("Wider", (Base,))["width"] = given("Width")


def test_sheets_share_no_rows() -> None:
    first, second = Sheet("one"), Sheet("two")
    first.rows.add_cell(Cell("width", "Width"))
    assert (list(first.cells), list(second.cells), list(Sheet.rows.cells)) == (["width"], [], [])


@pytest.mark.parametrize(
    ("name", "snake"), [("FfnMemory", "ffn_memory"), ("Model", "model"), ("Zero3Memory", "zero3_memory")]
)
def test_the_name_of_a_sheet_is_that_of_its_class(name: str, snake: str) -> None:
    assert snake_case(name) == snake


def test_a_class_outside_a_sheet_file_is_checked_as_well() -> None:
    with pytest.raises(SheetError, match=r"test_body\.py:\d+: Python's `if`, `and`, `or`"):

        class Decides(Sheet):
            a = given("A", "GiB")
            b = given("B", "GiB")
            c = formula(a and b, "GiB")

    with pytest.raises(SheetError, match="has no name, so Python drops its value"):

        class Loses(Sheet):
            a = given("A", "GiB")
            limit(a <= 3 * a)


def test_a_class_without_source_is_taken_as_it_is() -> None:
    code = "class Plain(Sheet):\n    a = given('A')\n    b = formula(2 * a)\n"
    names: dict[str, Any] = {"Sheet": Sheet, "given": given, "formula": formula}
    exec(code, names)  # noqa: S102  # our own text
    assert list(names["Plain"]().cells) == ["a", "b"]
