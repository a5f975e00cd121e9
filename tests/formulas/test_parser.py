"""The formula parser: what it takes, and that everything else is refused at once by an error of ours."""

from __future__ import annotations

import operator
from contextlib import suppress
from functools import reduce

import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.fuzz.watch import limited

from flopsheet import equal, indicator, max_, min_, select
from flopsheet.errors import FlopsheetError, FormulaError, UnknownNameError, UnknownUnitError
from flopsheet.formulas.parser import parse_formula, parse_relation
from flopsheet.functions.branches import Branched
from flopsheet.functions.symbols import symbol

NAMES = ["x", "y", "x_0", "tokens", "chip.memory", "step_time", "precision"]
X, Y = symbol("x"), symbol("y")
MEMORY, STEP, PRECISION = symbol("chip.memory"), symbol("step_time"), symbol("precision")

HOSTILE = [
    *("9**9**9", "9^9^9", "x^10001", "x^-10001", "((2^16)^16)^16", "(1e400)^16"),
    *("1e999", "1e-999", "1" * 301, "1" * 300 + "e9", "(x/360)^360", "1e300 * 1e300", "2^1100 * x"),
    *("select(x, 1, 2)", "select(x > 1, 2)", "select(x > 1, 2, y=3)", "select(x > 1 > 0, 2, 3)"),
    *("max(floor(asin(1e30)), 2)", "mod(floor(asin(1e30)), 3)"),  # of these sympy finds no digit
    *("__import__('os')", "x.__class__", "().__class__", "chip.__dict__", "chip.memory.real", "open", "eval(x)"),
    *(
        "lambda: 1",
        "(lambda: x)()",
        "'x'",
        "f'{x}'",
        "b'x'",
        "[x]",
        "[x for x in y]",
        "{x}",
        "{x: y}",
        "(x, y)",
        "x[0]",
    ),
    *("x if y else 1", "x and y", "not x", "~x", "x < y", "x := 1", "(x := 1)", "x @ y", "x // y", "x % y", "x | y"),
    *("x; y", "x\ny", "yield x", "await x", "...", "True", "None", "del x", "import os", "*x", "max(*x)", "max(**x)"),
    *(
        "x" * 100_000,
        "(" * 300 + "x" + ")" * 300,
        "-" * 900 + "x",
        "(x+" * 240 + "x" + ")" * 240,
        "max(" * 200 + "x" + ")" * 200,
    ),
    *("2 * _0", "_0", "_", "__x", "x\0", "\0", "é", "x + é", "ｘ", "x²", "½", "＿0", "\ud800", "\u202ex", "x\u0301"),
    *("", "  ", "x +", "* x", "(x", "x)", "x y", "x 2", "3 4", "3.4.5", "1,2345", "max(1,234)", "1e5.5", "2x", "0x10"),
    *("2(x + 1)", "2 (x)", "2 min(x, y)", "x.5", "x(1)", "chip.memory(1)", "sine(x)", "print(x)", "x # y"),
    *("max()", "max(,)", "max(x, key=y)", "sqrt(x, y)", "log(x, 2)", "ceil()", "1/0", "x/(1-1)", "log(0)", "log2(0)"),
    *("sqrt(-1)", "log(-1)", "(-8)^(1/3)", "max(x*sqrt(-1), 1)", "ceil(sqrt(-1))", "x*sqrt(0-y/y)"),
    *("select()", "select(precision)", "select(1, bf16=x)", "select(x+y, bf16=x)", "select(precision, **x)"),
    *(
        "select(precision, bf16=x, bf16=y)",
        "10 % x",
        "5 % 3",
        "5 furlong * x",
        "((((((((x^16)^16)^16)^16)^16)^16)^16)^16)",
    ),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:30]))
def test_what_is_no_formula_is_refused_at_once(text: str) -> None:
    with limited(5), pytest.raises(FlopsheetError) as caught:
        parse_formula(text, NAMES)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["floor(exp(exp(20)))", "ceil(exp(exp(exp(5))))", "ceil(log(1e300)*1e300)"])
def test_towers_of_numbers_are_left_or_refused_at_once(text: str) -> None:
    with limited(5), suppress(FlopsheetError):
        assert parse_formula(text, NAMES).has(sympy.exp, sympy.log)


@pytest.mark.parametrize("text", ["2(x + 1)", "2 (x)", "2 min(x, y)", "2 h * min (x, y) / x", "3 TB/chip . memory * x"])
def test_names_of_our_own_never_show(text: str) -> None:
    try:
        message = parse_relation(f"x = {text}", NAMES).text
    except FlopsheetError as error:
        message = str(error)
    assert "_0" not in message.replace("x_0", "")


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_a_long_chain_is_not_deep(sign: str) -> None:
    names = [f"a{place}" for place in range(160)]
    first, *others = [sympy.Rational(place + 2, place + 1) for place in range(160)]
    apply = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[sign]
    values = dict(zip(map(symbol, names), [first, *others], strict=True))
    assert parse_formula(sign.join(names), names).subs(values) == reduce(apply, others, first)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x * d_model", UnknownNameError, "There is no cell 'd_model'"),
        ("chip.memry", UnknownNameError, "Did you mean 'chip.memory'"),
        ("sine(x)", UnknownNameError, "There is no function 'sine'"),
        ("__import__('os')", UnknownNameError, "There is no cell '__import__'"),
        ("9**9**9", FormulaError, "exponent 387420489 is larger than 10000"),
        ("x" * 2000, FormulaError, "It has 2,000 characters; a formula has at most 1,000"),
        ("-" * 90 + "x", FormulaError, "nested too deeply"),
        ("(1 + " * 70 + "x" + ")" * 70, FormulaError, "nested too deeply"),
        ("x < y", FormulaError, "not part of a formula"),
        ("x/(1-1)", FormulaError, "divides by zero"),
        ("asin(2)", FormulaError, "has no real value"),
        ("log(asin(0/0) / 1e30)", FormulaError, "divides by zero, or has no real value"),
        ("floor(floor(asin(1e30))+0.5)", FormulaError, "has no real value"),
        ("x * acos(1.5)", FormulaError, "has no real value"),
        ("sqrt(x, y)", FormulaError, r"sqrt\(\) takes one term"),
        ("max()", FormulaError, r"max\(\) takes one or more terms"),
        ("max(1,234)", FormulaError, "comma"),
        ("5 gb", UnknownUnitError, "Did you mean 'GB' or 'Gbit'"),
        ("10 % * x", FormulaError, "The quantity '10 %' cannot be used inside a formula. Make it a"),
    ],
)
def test_the_message_states_the_problem(text: str, error: type[FlopsheetError], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_formula(text, NAMES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 * x", 2 * X),
        ("x^2 + y**2", X**2 + Y**2),
        ("x^(1/2)", sympy.sqrt(X)),
        ("-x - +y", -X - Y),
        ("x × 2 · y ÷ 4 − 1", X * Y / 2 - 1),
        ("chip.memory / 2", MEMORY / 2),
        ("max(x, y)", max_(X, Y)),
        ("min(x, 2, y)", min_(X, 2, Y)),
        ("ceil(x / 2)", sympy.ceiling(X / 2)),
        ("log2(8)", sympy.log(8) / sympy.log(2)),
        ("select(precision, bf16=x, fp8=2*y)", select(PRECISION, bf16=X, fp8=2 * Y)),
        ("select(x = y, 2*x, 3)", Branched(indicator(equal(X, Y)), 2 * X, sympy.Integer(3))),
        ("select(x <= y, 2*x, 3)", Branched(indicator(X <= Y), 2 * X, sympy.Integer(3))),
        ("(1 + x)^-360", (1 + X) ** -360),
        ("x * 1e300", X * 10**300),
        ("0.1 * x", X / 10),
        ("1_000", sympy.Integer(1000)),
        ("1e3*x", 1000 * X),
        ("2 ** x", 2**X),
        ("((((x))))", X),
    ],
)
def test_formulas(text: str, expected: sympy.Expr) -> None:
    assert parse_formula(text, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "left", "sign", "right", "literals"),
    [
        ("x = 16384", X, "=", sympy.Integer(16384), []),
        ("x <= 95 GiB", X, "<=", symbol("95 GiB"), ["95 GiB"]),
        ("x ≤ y", X, "<=", Y, []),
        ("x ≥ y", X, ">=", Y, []),
        ("x<y", X, "<", Y, []),
        ("x > 10 % * y", X, ">", symbol("10 %") * Y, ["10 %"]),
        ("x = 3 TB/step_time", X, "=", symbol("3 TB") / STEP, ["3 TB"]),
        ("x = 3 TB/s", X, "=", symbol("3 TB/s"), ["3 TB/s"]),
        ("x = 3 TB/chip.memory", X, "=", symbol("3 TB") / MEMORY, ["3 TB"]),
        ("x = 2 h * min(x, y)", X, "=", symbol("2 h") * min_(X, Y), ["2 h"]),
        (
            "x = 6 FLOP/param/token * tokens",
            X,
            "=",
            symbol("6 FLOP/param/token") * symbol("tokens"),
            ["6 FLOP/param/token"],
        ),
        ("x = 2 GB + 3 GB", X, "=", symbol("2 GB") + symbol("3 GB"), ["2 GB", "3 GB"]),
        ("x = 2 USD/hour/chip", X, "=", symbol("2 USD/hour/chip"), ["2 USD/hour/chip"]),
        ("x = select(precision, bf16=x, fp8=y)", X, "=", select(PRECISION, bf16=X, fp8=Y), []),
    ],
)
def test_relations(text: str, left: sympy.Expr, sign: str, right: sympy.Expr, literals: list[str]) -> None:
    result = parse_relation(text, NAMES)
    assert (result.left, result.operator, result.right) == (left, sign, right)
    assert sorted(result.literals) == sorted(literals)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("x", "it has no operator"),
        ("(x = y)", "it has no operator"),
        ("x = y = 2", "it has 2 operators"),
        ("x => y", "it has 2 operators"),
        ("x == y", "'==' is not an operator of relations"),
        ("x != y", "'!=' is not an operator of relations"),
        ("= 3", "The left side is empty"),
        ("x =", "The right side is empty"),
        ("x = 5 # GB", "not (part of )?a formula"),
        ("x = 5 GB/", "is not a formula"),
    ],
)
def test_what_is_no_relation_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        parse_relation(text, NAMES)


@given(st.one_of(st.text(max_size=60), st.text("xy0123456789.,()[]+-*/^% =<>_'\"GBis\n#\\", max_size=40)))
@example("max(x, sqrt(-1)*y) = 1")
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_relation_or_an_error_of_ours(text: str) -> None:
    try:
        result = parse_relation(text, NAMES)
    except FlopsheetError:
        return
    assert result.operator in ("=", "<=", ">=", "<", ">")


@pytest.mark.parametrize(
    "written",
    [
        "95 GiB",
        "12",
        "1_000",
        "2.5e3 TB/s",
        "40 %",
        "3 TB·s",
        "1234567.12345678901",
        "7 FLOP/param/token",
        "0.5 USD/hour",
    ],
)
def test_the_shortcut_of_an_assignment_reads_as_the_full_grammar_does(written: str) -> None:
    short, full = parse_relation(f"x = {written}", NAMES), parse_relation(f"{written} = x", NAMES)
    turned = (full.left, full.right) if full.left == short.left else (full.right, full.left)  # a printed number: right
    assert (short.left, short.right, short.literals) == (*turned, full.literals)
    assert short.text == f"x = {written}"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("wait<=10ms", "wait <= 10 ms"),
        ("wait <= 1.5e3ms", "wait <= 1.5e3 ms"),
        ("wait<=3h + 20min", "wait <= 3 h + 20 min"),
        ("share<=90%", "share <= 90 %"),
        ("count <= 70B", "count <= 70B"),
        ("count <= 1.5e3", "count <= 1.5e3"),
        ("count=8M", "count = 8M"),
    ],
)
def test_a_relation_is_told_with_a_blank_before_each_unit(written: str, shown: str) -> None:
    read = parse_relation(written, ["wait", "share", "count"])
    assert read.text == shown
    again = parse_relation(shown, ["wait", "share", "count"])
    assert (again.left, again.operator, again.right) == (read.left, read.operator, read.right)
