"""The unit check: each rule over the sympy tree, its refusal showing both dimensions and the sub-expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sympy

from flopsheet import acos, ceil, exp, floor, indicator, log, log2, max_, min_, mod, ratio, select, sin, sqrt
from flopsheet.errors import DimensionError
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.functions.symbols import symbol
from flopsheet.units import Dimension, unit

if TYPE_CHECKING:
    from collections.abc import Mapping

UNITS = {
    "memory": "GiB",
    "free": "MB",
    "rate": "GB/s",
    "time": "s",
    "tokens": "token",
    "params": "param",
    "size": "byte/param",
    "work": "FLOP/param/token",
    "n": "",
    "k": "",
    "95 GiB": "GiB",
    "10 %": "%",
}
DIMENSIONS: Mapping[str, Dimension] = {name: unit(text).dimension for name, text in UNITS.items()}
MEMORY, FREE, RATE, TIME, TOKENS, PARAMS, SIZE, WORK, N, K, LITERAL, PERCENT = map(symbol, UNITS)
PRECISION = symbol("precision")
CHECK = UnitCheck(DIMENSIONS, "here")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sympy.Integer(5), ""),
        (sympy.pi, ""),
        (MEMORY, "byte"),
        (LITERAL, "byte"),
        (MEMORY + FREE, "byte"),
        (MEMORY - LITERAL, "byte"),
        (3 * MEMORY, "byte"),
        (PERCENT * TIME, "s"),
        (MEMORY / RATE, "s"),
        (PARAMS * SIZE, "byte"),
        (6 * WORK * PARAMS * TOKENS, "FLOP"),
        (MEMORY / FREE, ""),
        (MEMORY**2, "byte^2"),
        (sqrt(TIME**2 + TIME**2), "s"),
        (sqrt(MEMORY * MEMORY), "byte"),
        (1 / TIME, "1/s"),
        (N**K, ""),
        (2**N, ""),
        (N ** ratio(1, 3), ""),
        (max_(MEMORY, FREE), "byte"),
        (min_(MEMORY, FREE, LITERAL), "byte"),
        (ceil(MEMORY / FREE), ""),
        (floor(N / 2), ""),
        (ceil(TOKENS), "token"),
        (log(MEMORY / FREE), ""),
        (log2(N), ""),
        (exp(-TIME / TIME / 2), ""),
        (select(PRECISION, bf16=MEMORY, fp8=FREE), "byte"),
        (select(PRECISION, bf16=MEMORY, fp8=FREE) / TIME, "byte/s"),
    ],
)
def test_dimension_of_an_expression(expression: sympy.Expr, expected: str) -> None:
    assert CHECK.dimension(expression) == unit(expected).dimension


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        (MEMORY + TIME, ["adds", "'memory' (information)", "'time' (time)"]),
        (MEMORY + 1, ["adds", "'memory' (information)", "'1' (a pure number)"]),
        (TOKENS + PARAMS, ["adds", "'tokens' (token)", "'params' (parameter)"]),
        (TOKENS + 1, ["adds", "'tokens' (token)", "'1' (a pure number)"]),
        (SIZE * TOKENS + MEMORY, ["adds", "information token / parameter", "'memory' (information)"]),
        (N * (MEMORY / TIME + MEMORY), ["adds", "'memory/time' (information / time)", "'memory' (information)"]),
        (max_(MEMORY, TIME), ["compares", "'memory' (information)", "'time' (time)"]),
        (min_(MEMORY, 5), ["compares", "'memory' (information)", "'5' (a pure number)"]),
        (N**TIME, ["exponent", "'time', is time", "must be a pure number"]),
        (2 ** (N + TIME), ["adds", "'n' (a pure number)", "'time' (time)"]),
        (MEMORY**N, ["'memory' (information) is raised to 'n'"]),
        (log(MEMORY), ["term of log, 'memory', is information", "must be a pure number"]),
        (log2(MEMORY * TIME), ["term of log", "information time"]),
        (exp(TIME), ["term of exp, 'time', is time"]),
        (ceil(MEMORY), ["'memory' is information", "rounding it depends on the unit"]),
        (floor(MEMORY / TIME), ["'memory/time' is information / time", "rounding"]),
        (mod(MEMORY, TIME), ["divides", "'memory' (information)", "'time' (time)"]),
        (indicator(MEMORY > TIME), ["compares", "'memory' (information)", "'time' (time)"]),
        (sin(TIME), ["term of sin, 'time', is time, no angle"]),
        (acos(MEMORY), ["term of acos, 'memory', is information"]),
        (select(PRECISION, bf16=MEMORY, fp8=TIME), ["chooses between", "'memory' (information)", "'time' (time)"]),
    ],
)
def test_refusals_show_both_dimensions_and_the_place(expression: sympy.Expr, parts: list[str]) -> None:
    with pytest.raises(DimensionError, match=r"^here: ") as caught:
        CHECK.dimension(expression)
    assert [part for part in parts if part not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("declared", "expression"),
    [
        ("GiB", MEMORY),
        ("GB", MEMORY),
        ("param", 2 * N * K),
        ("token", sympy.Integer(5)),
        ("token", TOKENS),
        ("FLOP", 6 * WORK * PARAMS * TOKENS),
        ("%", N / K),
    ],
)
def test_a_formula_may_give_the_declared_unit_in_any_multiple(declared: str, expression: sympy.Expr) -> None:
    CHECK.cell("result", unit(declared).dimension, declared, expression)


@pytest.mark.parametrize(
    ("declared", "expression", "message"),
    [
        ("GiB", TIME, "'result' is declared in GiB (information), but its formula gives time."),
        ("", TOKENS, "'result' is declared in no unit (a pure number), but its formula gives token."),
        ("param", TOKENS, "'result' is declared in param (parameter), but its formula gives token."),
        ("GiB", N, "'result' is declared in GiB (information), but its formula gives a pure number."),
        ("byte", sqrt(SIZE), "gives information^1/2 / parameter^1/2"),
        ("GB/s", N * MEMORY, "or the formula 'memory*n'."),
    ],
)
def test_a_formula_of_another_dimension_is_refused(declared: str, expression: sympy.Expr, message: str) -> None:
    with pytest.raises(DimensionError) as caught:
        CHECK.cell("result", unit(declared).dimension, declared, expression)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (MEMORY, LITERAL, "byte"),
        (TOKENS, sympy.Integer(5), "token"),
        (2 * N, PARAMS, "param"),
        (N, sympy.Integer(2), ""),
        (MEMORY, sympy.Integer(0), "byte"),
        (sympy.Integer(0), FREE - MEMORY, "byte"),
    ],
)
def test_sides_of_a_relation(left: sympy.Expr, right: sympy.Expr, expected: str) -> None:
    assert CHECK.sides(left, right) == unit(expected).dimension


@pytest.mark.parametrize(
    ("left", "right"), [(MEMORY, TIME), (MEMORY, N), (2 * TOKENS, N), (TOKENS, PARAMS), (N, MEMORY), (TOKENS + 1, N)]
)
def test_sides_that_differ_are_refused(left: sympy.Expr, right: sympy.Expr) -> None:
    with pytest.raises(DimensionError, match=r"(compares|adds) '.*\(.*\) and '.*\(.*\)"):
        CHECK.sides(left, right)
