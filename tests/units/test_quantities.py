"""Quantities: parsed exactly and without evaluating; what is no number is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pace import at_most

from flopsheet.errors import DimensionError, FlopsheetError, FormulaError, UnknownUnitError
from flopsheet.units import Number, Quantity, close, in_unit, quantity, quantity_in, scan_quantity, size, tidy, unit


@pytest.mark.parametrize(
    ("text", "si"),
    [
        ("12", 12),
        ("0.1 GB", 10**8),
        ("3.35 TB/s", 3_350_000_000_000),
        ("989.4 TFLOP/s", 989_400_000_000_000),
        ("95 GiB", 95 * 2**30),
        ("95GiB", 95 * 2**30),
        ("  95  GiB  ", 95 * 2**30),
        ("1e6 token", 10**6),
        ("1.4e12", 1_400_000_000_000),
        ("1E3 byte", 1000),
        ("1_000 byte", 1000),
        (".5 GB", 500_000_000),
        ("5. B", 5),
        ("-3 byte", -3),
        ("+3 byte", 3),
        ("8 bit", 1),
        ("1 bit", Fraction(1, 8)),
        ("40 %", Fraction(2, 5)),
        ("40%", Fraction(2, 5)),
        ("2 USD/hour/chip", Fraction(1, 1800)),
        ("0.1", Fraction(1, 10)),
        ("1 kWh", 3_600_000),
        ("5/s", 5),
        ("31,264 token", 31_264),
        ("-1,234,567 byte", -1_234_567),
        ("1,024.5", Fraction(2049, 2)),
        ("1,000/3 byte", Fraction(1000, 3)),
        ("8.4×10²⁴ FLOP", 84 * 10**23),
        ("1.5×10⁻¹² J", Fraction(3, 2 * 10**12)),
        ("768 1/s", 768),
        ("6 / min", Fraction(1, 10)),
        ("1/2 /hour/chip", Fraction(1, 7200)),
        ("-3 /ms", -3000),
        ("6 FLOP/param/token", 6),
        ("9" * 40, int("9" * 40)),
        ("1e-100", Fraction(1, 10**100)),
    ],
)
def test_numbers_are_exact_in_base_units(text: str, si: Number) -> None:
    value = quantity(text).si
    assert value == si
    assert type(value) is type(si)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not start with a number"),
        ("GB", "does not start with a number"),
        (".", "does not start with a number"),
        ("e5", "does not start with a number"),
        ("inf", "does not start with a number"),
        ("nan", "does not start with a number"),
        ("- 5", "does not start with a number"),
        ("--5", "does not start with a number"),
        ("+-5", "does not start with a number"),
        ("__import__('os')", "does not start with a number"),
        ("0,384", "comma stands inside a number"),
        ("1,000,00 byte", "comma stands inside a number"),
        ("1000,000 byte", "comma stands inside a number"),
        ("1,2345", "comma stands inside the number"),
        ("1" * 301, "longer or larger"),
        ("0." + "1" * 301, "longer or larger"),
        ("1e401", "longer or larger"),
        ("1e-401", "longer or larger"),
        ("1e999999999999", "longer or larger"),
    ],
)
def test_what_is_no_number_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FormulaError, match=problem):
        quantity(text)


@pytest.mark.parametrize(
    "text",
    ["9**9**9 byte", "5 5 GB", "1 000 GB", "1/3/4", "0x1", "1e5.5", "2*3", "(5)", "1;2", "5 GB/", "5 gb", "5 \0"],
)
def test_the_text_behind_a_number_must_be_a_unit(text: str) -> None:
    with pytest.raises(FlopsheetError):
        quantity(text)


@pytest.mark.parametrize("text", ["9" * 100_000, "1" + " " * 100_000 + "x", "1 " + "x" * 100_000, "+" * 100_000])
def test_long_texts_are_refused_at_once_and_not_repeated(text: str) -> None:
    with at_most(0.5), pytest.raises(FlopsheetError) as caught:
        quantity(text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["95 GiB", "3.35 TB/s", "40 %", "12", "-3 byte", "2 USD/hour/chip"])
def test_a_quantity_with_a_decimal_value_prints_and_parses_back(text: str) -> None:
    parsed = quantity(text)
    assert quantity(f"{float(parsed.value)} {parsed.unit}").si == parsed.si
    assert parsed.pint().to_root_units().magnitude == parsed.si


@pytest.mark.parametrize("text", ["95 GiB", "12", "40 %", "8.5 GB", "-0.05 s", "0.125", "-12.5 %", "1e-40 s"])
def test_str_is_the_decimal_as_written(text: str) -> None:
    assert str(quantity(text)) == (text if "e" not in text else f"0.{'0' * 39}1 s")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 3), "1/3 GB"),
        (Fraction(-2, 7), "-2/7 GB"),
        (Fraction(-4347, 95_000), "-4347/95000 GB"),
        (2.5, "2.5 GB"),
    ],
)
def test_str_is_a_ratio_where_no_decimal_ends(value: Number, shown: str) -> None:
    assert str(Quantity(value, unit("GB"))) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(8612513, 19200), "448.5683854 GB"),
        (Fraction(1, 10**41), "1e-41 GB"),
        (Fraction(-(10**30), 7), "-1.428571429e29 GB"),
        (Fraction(10**400 + 1, 3 * 10**400), "0.3333333333 GB"),
    ],
)
def test_str_of_a_long_ratio_is_short_and_close_enough_to_be_typed_and_repr_is_exact(
    value: Fraction, shown: str
) -> None:
    own = Quantity(value, unit("GB"))
    assert str(own) == shown
    assert close(quantity(shown).si, own.si)
    assert repr(own) == f"quantity('{value} GB')"


@pytest.mark.parametrize(
    ("text", "shown"), [("x" * 24, "x" * 24), ("-" + "x" * 24, "x" * 24), ("x" * 25, "x" * 24 + "…")]
)
def test_a_message_cuts_long_texts_only(text: str, shown: str) -> None:
    with pytest.raises(FormulaError, match=f"'{shown}' does not start with a number"):
        quantity(text)


def test_quantity_in_takes_any_multiple_of_the_expected_unit() -> None:
    assert quantity_in("80 GB", unit("GiB"), "here").si == 80 * 10**9


@pytest.mark.parametrize(
    ("text", "expected", "si"),
    [
        ("70B", "param", 70 * 10**9),
        ("-0.5B", "param", -(10**9) // 2),
        ("70.553706496B", "param", 70_553_706_496),
        ("15T", "token", 15 * 10**12),
        ("4M token", "token", 4 * 10**6),
        ("1.2M token/s", "token/s", 1_200_000),
        ("5M USD", "USD", 5 * 10**6),
        ("1.5T", "", 15 * 10**11),
        ("3 B", "byte", 3),
        ("3B/s", "GB/s", 3),
        ("2B/param", "byte/param", 2),
    ],
)
def test_letters_count_where_they_cannot_be_units(text: str, expected: str, si: Number) -> None:
    parsed = quantity_in(text, unit(expected), "here")
    assert (parsed.si, parsed.dimension) == (si, unit(expected).dimension)


@pytest.mark.parametrize("text", ["70B", " -70.5B "])
def test_a_b_that_may_be_bytes_is_rejected(text: str) -> None:
    number = text.strip().strip("-B")
    message = f"'{number}B' can be read as billions and as bytes. Write {number}e9, {number} byte or {number} GB."
    for parse in (quantity, lambda text, where: quantity_in(text, unit("GiB"), where)):
        with pytest.raises(FormulaError) as caught:
            parse(text, "here")
        assert str(caught.value) == f"here: {message}"


@pytest.mark.parametrize("text", ["128K", "70B byte", "70M GB", "7T/s", "1e300T", "7Tx", "7 T"])
def test_letters_that_are_neither_are_rejected(text: str) -> None:
    with pytest.raises(UnknownUnitError):
        quantity_in(text, unit("token"), "here")


@pytest.mark.parametrize(
    ("text", "expected", "message"),
    [
        ("80", "GiB", "here: '80' has no unit, but information is needed. Write it in GiB or a multiple of it."),
        ("8 GB/s", "GB", "'8 GB/s' is information / time, but information is needed"),
        ("3 param", "token", "'3 param' is parameter, but token is needed"),
        ("3 byte", "", "'3 byte' is information, but a pure number is needed. Write it in no unit"),
    ],
)
def test_quantity_in_refuses_another_dimension(text: str, expected: str, message: str) -> None:
    with pytest.raises(DimensionError) as caught:
        quantity_in(text, unit(expected), "here")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "read", "rest"),
    [
        ("3 TB/step_time", "3 TB", "/step_time"),
        ("3 TB/s >= y", "3 TB/s", " >= y"),
        ("768 1/s + y", "768 1/s", " + y"),
        ("6 FLOP/param/token * tokens", "6 FLOP/param/token", " * tokens"),
        ("3 TB/chip.memory", "3 TB", "/chip.memory"),
        ("2 h * min(a, b)", "2 h", " * min(a, b)"),
        ("2 h * min (a, b)", "2 h", " * min (a, b)"),
        ("10 % * x", "10 %", " * x"),
        ("1 GB^2 * x", "1 GB^2", " * x"),
        ("12 * x", "12", " * x"),
        ("7B * x", "7000000000", " * x"),
        ("7B/x", "7000000000", "/x"),
        ("7B/token * x", "7 B/token", " * x"),
        ("15T token / x", "15000000000000 token", " / x"),
        ("7B tokens", "7000000000 tokens", ""),
        ("7B x", "7000000000", " x"),
        ("5/s", "5 1/s", ""),
        ("5 / hour / x", "5 1/hour", " / x"),
        ("5/x", "5", "/x"),
        ("5/chip.memory", "5", "/chip.memory"),
        ("5/min(a, b)", "5", "/min(a, b)"),
        ("5/tokens", "5", "/tokens"),
        ("5/token", "5 1/token", ""),
    ],
)
def test_a_unit_in_a_formula_ends_before_the_first_cell(text: str, read: str, rest: str) -> None:
    parsed, end = scan_quantity(text, 0, "here", {"step_time", "tokens", "chip.memory", "x"})
    assert (str(parsed), text[end:]) == (read, rest)


@pytest.mark.parametrize("text", ["10 % x", "5 % 3", "5 % (a + b)"])
def test_percent_before_a_value_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="is followed by a value"):
        scan_quantity(text, 0, "here")


def test_an_unknown_unit_in_a_formula_is_rejected() -> None:
    with pytest.raises(UnknownUnitError, match="'furlong'"):
        scan_quantity("5 furlong", 0, "here")


@pytest.mark.parametrize(
    ("value", "expected"), [(Fraction(4, 2), 2), (Fraction(1, 2), Fraction(1, 2)), (2.0, 2.0), (7, 7)]
)
def test_tidy_makes_whole_ratios_ints(value: Number, expected: Number) -> None:
    assert tidy(value) == expected
    assert type(tidy(value)) is type(expected)


@pytest.mark.parametrize("value", [-3, Fraction(-1, 2), -2.5])
def test_size_keeps_the_type(value: Number) -> None:
    assert size(value) == size(-value) == -value
    assert type(size(value)) is type(value)


@given(st.integers(0, 10**12), st.integers(-6, 6))
@settings(max_examples=60, deadline=None)
def test_scaling_the_unit_changes_nothing(digits: int, power: int) -> None:
    assert quantity(f"{digits}e{power} GB").si == quantity(f"{digits}e{power + 3} MB").si


@given(st.fractions(min_value=-(10**9), max_value=10**9), st.sampled_from(["GB", "GiB", "%", "USD/hour/chip", "bit"]))
@settings(max_examples=60, deadline=None)
def test_in_unit_undoes_the_unit_exactly(value: Fraction, text: str) -> None:
    assert in_unit(tidy(value * unit(text).factor), unit(text)) == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("0.123456789012345", Fraction),  # 15 digits: somebody wrote it
        ("0.1234567890123456", float),  # 16 digits: a computer printed it
        ("0.000123456789012345", Fraction),  # zeros in front are no digits
        ("12345678901234.5", Fraction),
        ("123456789012345.6", float),
        ("1.50000000000000000", Fraction),  # zeros at the end are none either
        ("1234567890123456789", int),  # a whole number is exact however long
    ],
)
def test_a_decimal_of_more_than_15_digits_is_a_float(text: str, kind: type) -> None:
    value = quantity(text).exact
    assert type(value) is kind
    assert value == (float(text) if kind is float else Fraction(text))
