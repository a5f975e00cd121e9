"""What public functions take: numbers and quantities of other libraries; anything else is an error of ours."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pint
import pytest
import sympy

import flopsheet
from flopsheet import Chip, Quantity, Sheet, formula, given, quantity, record, records, solve, table
from flopsheet.errors import ArgumentError, FlopsheetError, FormulaError, UnknownNameError, UnknownUnitError
from flopsheet.units import as_number
from flopsheet.units.system import pint_registry

if TYPE_CHECKING:
    from collections.abc import Callable

GIVEN = {"d_model": 16384, "d_ff": 53248}


class Doubled(Sheet):
    """A pure number, and a length."""

    a = given("A number", example=1)
    twice = formula(2 * a, "", "Twice the number")
    length = given("A length", "m", example=3)
    half = formula(length / 2, "m", "Half of the length")


class Scalar:
    """What numpy hands out: an object with a shape, a type of element, and an item."""

    def __init__(self, number: object, shape: tuple[int, ...] = ()) -> None:
        self.number, self._shape = number, shape

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def item(self) -> object:
        return self.number


NUMBERS: list[tuple[object, object]] = [
    (3, 6),
    (2.5, 5),
    (Decimal("1.25"), 2.5),
    (Decimal("1e2"), 200),
    (Fraction(1, 3), 2 / 3),
    (sympy.Integer(4), 8),
    (sympy.Rational(1, 3), 2 / 3),
    (sympy.Float(0.5), 1),
    (Scalar(7), 14),
    (Scalar(0.5), 1),
    ("1/3", 2 / 3),
    (quantity("150 %"), 3),
]


@pytest.mark.parametrize(
    ("value", "twice"), NUMBERS, ids=[type(value).__name__ + str(n) for n, (value, _) in enumerate(NUMBERS)]
)
def test_a_number_may_be_of_any_library(value: Any, twice: float) -> None:
    assert solve(Doubled, "twice", {"a": value}).value == pytest.approx(twice, rel=1e-15)
    (row,) = table(Doubled, "twice", vary={"a": [value]}).rows
    assert row.answer is not None
    assert row.answer.value == pytest.approx(twice, rel=1e-15)
    assert quantity(value).si * 2 == pytest.approx(twice, rel=1e-15)


def test_numpy_numbers_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    for kind in (numpy.int8, numpy.int64, numpy.uint32, numpy.float16, numpy.float32, numpy.float64, numpy.longdouble):
        assert solve(Doubled, "twice", {"a": kind(2)}).value == 4
    assert solve(Doubled, "twice", {"a": numpy.array(2)}).value == 4
    assert len(table(Doubled, "twice", vary={"a": numpy.arange(1, 4)}).rows) == 3
    assert quantity(numpy.float64(0.5)).exact == 0.5
    for wrong in (numpy.array([1, 2]), numpy.bool_(1), numpy.nan, numpy.complex128(1)):
        with pytest.raises(ArgumentError):
            solve(Doubled, "twice", {"a": wrong})


@pytest.mark.parametrize("registry", [pint.UnitRegistry(), pint_registry()], ids=["pint", "ours"])
def test_quantities_of_pint_carry_their_unit(registry: Any) -> None:
    assert solve(Doubled, "half", {"length": registry.Quantity(5, "metre")}).value == 2.5
    assert solve(Doubled, "half", {"length": registry.Quantity(5, "kilometer")}).value == 2500
    assert quantity(registry.Quantity(95, "gibibyte")).si == 95 * 2**30
    assert quantity(registry.Quantity(2, "byte/second**2")).si == 2
    assert quantity(registry.Quantity(3, "")).si == 3


def test_other_quantities_of_pint_are_refused() -> None:
    with pytest.raises(UnknownUnitError, match="'furlong' is not a unit"):
        quantity(pint.UnitRegistry().Quantity(3, "furlong"))
    with pytest.raises(ArgumentError, match="Expected a finite number"):
        quantity(pint.UnitRegistry().Quantity("x", "metre"))


@pytest.mark.parametrize(
    "value",
    [
        True,
        float("nan"),
        float("inf"),
        10**400,
        Decimal("nan"),
        Decimal("1e999999999"),
        1j,
        None,
        [],
        {},
        object(),
        b"3",
    ],
)
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    assert as_number(value) is None
    for call in (
        lambda: quantity(value),
        lambda: solve(Doubled, "twice", {"a": value}),
        lambda: solve(
            Doubled, "twice", {"a": 1}, near=value if value is not None and value != {} else {"twice": value}
        ),
        lambda: flopsheet.sqrt(value),
    ):
        with pytest.raises(FlopsheetError):
            call()


def test_numbers_need_no_numpy() -> None:
    """Neither numpy nor pint is imported for it."""
    source = (Path(flopsheet.__file__).parent / "units" / "foreign.py").read_text()
    assert "import numpy" not in source
    assert "import pint" not in source
    assert "numpy" in sys.modules or as_number(3) == 3


API: Any = flopsheet  # without types, as a caller may use it
WRONG: dict[str, tuple[Callable[..., object], type[FlopsheetError], str]] = {
    "records": (lambda: API.records("chips"), UnknownNameError, "There is no kind of records 'chips'. Did you"),
    "records-number": (lambda: API.records(5), ArgumentError, "records: Expected a text, not 5 of type int."),
    "record": (lambda: API.record("chip", 5), ArgumentError, "record: Expected a text"),
    "where": (lambda: API.solve("ffn_memory", "params", where=5), ArgumentError, "where: Expected relations as texts"),
    "where-item": (lambda: API.solve("ffn_memory", "params", [5]), ArgumentError, "where: Expected a text, not 5"),
    "where-key": (lambda: API.solve("ffn_memory", "params", {5: 5}), ArgumentError, "where: Expected a text, not 5"),
    "where-value": (lambda: API.solve("ffn_memory", "params", {"d_ff": []}), ArgumentError, "value of 'd_ff'"),
    "unknown": (lambda: API.solve("ffn_memory", 5), ArgumentError, "unknown: Expected a name, or several, not 5"),
    "unknown-mapping": (lambda: API.solve("ffn_memory", {"d_ff": 4}), ArgumentError, "unknown: Expected a name"),
    "without": (lambda: API.solve("ffn_memory", (), without=5), ArgumentError, "without: Expected a name"),
    "best": (lambda: API.solve("ffn_memory", "chip", best=5), ArgumentError, "best: Expected a text"),
    "budget": (lambda: API.solve("ffn_memory", (), budget=[]), ArgumentError, "budget: Expected a finite number"),
    "sheet": (lambda: API.solve(5), ArgumentError, "sheet: Expected a sheet, its class or its name, not 5"),
    "sheet-name": (lambda: API.sheet([]), ArgumentError, "sheet: Expected a text, not a value of type list."),
    "missing": (API.solve, ArgumentError, "solve(): Missing a required argument: 'sheet'. Its"),
    "keyword": (lambda: API.solve("ffn_memory", wher=()), ArgumentError, "solve(): Got an unexpected keyword"),
    "many": (lambda: API.table("ffn_memory", {"d_ff": [1]}, ["params"], []), ArgumentError, "table(): "),
    "vary": (lambda: API.table("ffn_memory", vary=["d_ff"]), ArgumentError, "vary: Expected a mapping of cell"),
    "quantity": (lambda: API.quantity(None), ArgumentError, "quantity: Expected a finite number, a quantity"),
    "unit": (lambda: API.unit(5), ArgumentError, "unit: Expected a text, not 5 of type int."),
    "pack": (lambda: API.use_pack(5), ArgumentError, "pack: Expected a path"),
    "long-pack": (lambda: API.use_pack("x" * 5000), FlopsheetError, ": Not a directory."),
    "file": (lambda: API.read_question(5), ArgumentError, "question file: Expected a path, not 5 of type int."),
    "elasticities": (lambda: API.solve(Doubled, "a", ["twice = 4"]).elasticities("twic"), UnknownNameError, "'twice'"),
    "text-as-term": (lambda: API.max_("__import__('os')"), ArgumentError, "max_(): Expected an expression"),
    "no-term": (API.min_, ArgumentError, "min_(): Missing a required argument: 'first'"),
    "no-value": (lambda: API.asin(sympy.I), ArgumentError, "asin(): Expected an expression over cells"),
    "ratio": (lambda: API.ratio(1, 0), FormulaError, "ratio(): '1/0' divides by zero."),
    "ratio-float": (lambda: API.ratio(0.5, 1), FormulaError, "ratio(): It takes two integers."),
    "select": (lambda: API.select("x"), FormulaError, "select(): It takes a choice, and a branch for each"),
    "doc": (lambda: API.given(5), ArgumentError, "doc: Expected a text, not 5 of type int."),
    "flag": (lambda: API.given("A", integer="yes"), ArgumentError, "integer: Expected True or False, not 'yes'"),
    "kind": (lambda: API.part(5), ArgumentError, "Expected a kind of records or a sheet, not 5 of type int."),
    "name": (lambda: API.Sheet(5), ArgumentError, "sheet: Expected a text, not 5 of type int."),
    "template": (lambda: API.solve(Doubled, "a", ["twice = 4"]).derivation(5), ArgumentError, "template: Expected"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_argument_is_an_error_of_ours(case: str) -> None:
    call, kind, message = WRONG[case]
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)


def test_a_class_a_sheet_and_its_name_are_the_same() -> None:
    assert solve(Doubled, "twice", {"a": 2}).value == solve(Doubled(), "twice", {"a": 2}).value == 4
    ffn = type(flopsheet.sheet("ffn_memory"))
    assert (
        solve(ffn, "params", {**GIVEN, "n_blocks": 1}).value
        == solve("ffn_memory", "params", {**GIVEN, "n_blocks": 1}).value
    )


def test_kinds_and_records_are_taken_as_they_are() -> None:
    assert records(Chip).keys() == records("chip").keys()
    h100 = record(Chip, "h100")
    assert solve("ffn_memory", (), {"chip": h100}).cells["chip.memory"].value == 80


def test_a_table_takes_its_arguments_as_solve_does() -> None:
    (row,) = table("ffn_memory", "params", {**GIVEN}, vary={"n_blocks": [2]}, show=()).rows
    assert row.answer is not None
    assert row.answer.value == solve("ffn_memory", "params", {**GIVEN, "n_blocks": 2}).value


def test_values_print_as_people_expect_and_the_ratio_has_a_name() -> None:
    answer = solve(Doubled, "a", ["twice = 1/3"])
    assert answer.value == pytest.approx(1 / 6)
    assert isinstance(answer.value, float)
    assert answer.quantity is not None
    assert answer.quantity.exact == answer.cells["a"].exact == Fraction(1, 6)
    assert isinstance(answer.cells["a"].value, float)
    whole = solve(Doubled, "a", ["twice = 4"]).value
    assert (whole, type(whole)) == (2, int)
    assert repr(quantity("8.5 GB").value) == "8.5"
    assert quantity("8.5 GB").exact == Fraction(17, 2)
    assert Quantity(95, "GiB") == quantity("95 GiB")


def test_a_function_of_formulas_takes_numbers_and_expressions() -> None:
    x = sympy.Symbol("x", real=True)
    assert flopsheet.max_(x, Fraction(1, 2)).args == sympy.Max(x, sympy.Rational(1, 2)).args
    assert flopsheet.mod(x, Decimal("0.5")).args == (x, sympy.Rational(1, 2))
    assert flopsheet.equal(x, 2) == sympy.Eq(x, 2)
