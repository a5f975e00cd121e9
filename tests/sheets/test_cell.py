"""Cells: bounds as people say them, values that are refused, and exact numbers of sympy."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
import sympy

from flopsheet.errors import Place, ValueOutOfBoundsError
from flopsheet.functions.symbols import exact, symbol
from flopsheet.sheets.cell import ANY, FROM_ONE, NOT_NEGATIVE, POSITIVE, Bounds, Cell
from flopsheet.units import Number, unit

COUNT = Cell("n_fsdp", "Devices that share", unit("device"), integer=True, bounds=FROM_ONE)
MEMORY = Cell("memory", "Memory of a device", unit("GiB"))
SHARE = Cell("share", "Share that is kept", unit(""), bounds=Bounds(0, 1))


@pytest.mark.parametrize(
    ("bounds", "inside", "outside"),
    [
        (POSITIVE, [Fraction(1, 10**9), 1, math.inf], [0, -1, 0.0, math.nan]),
        (NOT_NEGATIVE, [0, 1e-9], [-1e-9]),
        (FROM_ONE, [1, 2.5], [Fraction(999, 1000), 0]),
        (Bounds(0, 1), [0, 1, Fraction(1, 2)], [-0.1, 1.1]),
        (ANY, [-(10**30), 0, 1e300], [math.nan]),
    ],
)
def test_bounds_contain_the_values_inside(bounds: Bounds, inside: list[Number], outside: list[Number]) -> None:
    assert [value for value in inside if value not in bounds] == []
    assert [value for value in outside if value in bounds] == []


@pytest.mark.parametrize(
    ("bounds", "shown", "text"),
    [
        (POSITIVE, "", "positive"),
        (NOT_NEGATIVE, "", "zero or more"),
        (FROM_ONE, "", "at least 1"),
        (Bounds(0, 1), "", "between 0 and 1"),
        (Bounds(upper=2**33), "GiB", "at most 8 GiB"),
        (Bounds(2**30, 2**33), "GiB", "between 1 GiB and 8 GiB"),
        (ANY, "", "any number"),
    ],
)
def test_bounds_as_people_say_them(bounds: Bounds, shown: str, text: str) -> None:
    assert bounds.text(unit(shown)) == text


@pytest.mark.parametrize(
    ("cell", "value", "problem"),
    [
        (COUNT, 0, "'n_fsdp' cannot be 0 device: it must be at least 1 device."),
        (COUNT, Fraction(5, 2), "'n_fsdp' cannot be 2.5 device: it must be a whole number."),
        (COUNT, 45.5, "'n_fsdp' cannot be 45.5 device: it must be a whole number."),
        (COUNT, 2.00000001, "'n_fsdp' cannot be 2.00000001 device: it must be a whole number."),
        (SHARE, 1.000001, "'share' cannot be 1.000001: it must be between 0 and 1."),
        (SHARE, 1 + 1e-11, "'share' cannot be 1.00000000001: it must be between 0 and 1."),
        (SHARE, 1e300, "'share' cannot be 1e300: it must be between 0 and 1."),
        (SHARE, Fraction(4, 3), "'share' cannot be 1.333: it must be between 0 and 1."),
        (MEMORY, 0, "'memory' cannot be 0 GiB: it must be positive."),
        (MEMORY, -(2**30), "'memory' cannot be -1 GiB: it must be positive."),
        (MEMORY, math.nan, "'memory' cannot be not a number GiB: it must be positive."),
        (SHARE, 1.5, "'share' cannot be 1.5: it must be between 0 and 1."),
    ],
)
def test_values_that_make_no_sense_are_refused(cell: Cell, value: Number, problem: str) -> None:
    with pytest.raises(ValueOutOfBoundsError) as caught:
        cell.check(value, "here")
    assert str(caught.value) == f"here: {problem} Meaning of '{cell.name}': {cell.doc}."


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_count_is_never_infinite(value: Number) -> None:
    with pytest.raises(ValueOutOfBoundsError, match="'n_fsdp' cannot be"):
        COUNT.check(value, "here")


@pytest.mark.parametrize(("cell", "value"), [(COUNT, 46), (COUNT, 46.0), (MEMORY, 0.5), (SHARE, 0), (SHARE, 1)])
def test_values_that_make_sense_pass(cell: Cell, value: Number) -> None:
    cell.check(value, "here")


@pytest.mark.parametrize(
    ("cell", "value", "text"),
    [
        (COUNT, 46, "46 device"),
        (COUNT, 45.9999999, "45.9999999 device"),
        (MEMORY, 95 * 2**30, "95 GiB"),
        (SHARE, Fraction(1, 3), "0.3333"),
    ],
)
def test_text(cell: Cell, value: Number, text: str) -> None:
    assert cell.text(value) == text


def test_symbols_are_real_and_equal_by_name() -> None:
    assert COUNT.symbol == symbol("n_fsdp")
    assert COUNT.symbol.is_real
    assert COUNT.symbol.is_integer is None


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (sympy.Integer(6), 6),
        (sympy.Rational(6, 4), Fraction(3, 2)),
        (sympy.Float(0.5), 0.5),
        (sympy.sqrt(4), 2),
        (sympy.Integer(10) ** 400, 10**400),
    ],
)
def test_exact(number: sympy.Expr, value: Number) -> None:
    assert exact(number) == value
    assert type(exact(number)) is type(value)


@pytest.mark.parametrize(
    ("file", "text"), [("/a/b/models/ffn.py", "models/ffn.py:7"), ("ffn.py", "ffn.py:7"), ("a/ffn.py", "a/ffn.py:7")]
)
def test_a_place_shows_the_last_folder_only(file: str, text: str) -> None:
    assert str(Place(file, 7)) == text


@pytest.mark.parametrize(
    ("value", "shown"), [(10**18 - 2, "9.99999999999999998e17"), (10**18 + 2, "1.000000000000000002e18")]
)
def test_a_value_out_of_bounds_reads_unlike_them(value: int, shown: str) -> None:
    cell = Cell("count", "A count", unit(""), bounds=Bounds(10**18 - 1, 10**18 + 1), integer=True)
    with pytest.raises(ValueOutOfBoundsError) as caught:
        cell.check(value, "count")
    ends = re.findall(r"[\d.]+e\d+", str(caught.value))
    assert ends[0] == shown
    assert len({Fraction(text) for text in ends}) == 3
