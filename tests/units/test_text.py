"""Printing: the digits, separators and prefixes that people want, plain and for LaTeX."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.layout.latex import latex
from flopsheet.units import (
    Number,
    format_all_distinct,
    format_apart,
    format_between,
    format_distinct,
    format_number,
    format_quantity,
    quantity,
    unit,
)
from flopsheet.units.text import (
    MOST_APART,
    exact_digits,
    format_input,
    magnitude,
    number_layout,
    quantity_layout,
    shown_in,
    unit_layout,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (-0.0, "0"),
        (1071, "1071"),
        (-1071, "-1071"),
        (10_710, "10,710"),
        (219_848_638_464, "219,848,638,464"),
        (10**15 - 1, "999,999,999,999,999"),
        (10**15, "1e15"),
        (Fraction(4347, 95), "45.76"),
        (Fraction(6, 2), "3"),
        (45.757894736842104, "45.76"),
        (0.0163421630859375, "0.01634"),
        (94.5, "94.5"),
        (1071.4, "1071.4"),
        (10_710.25, "10,710.2"),
        (9.9996, "10.00"),
        (999.96, "1000.0"),
        (9999.96, "10,000.0"),
        (8.4e24, "8.4e24"),
        (-8.4e24, "-8.4e24"),
        (1e9, "1e9"),
        (9.9999e24, "1.000e25"),
        (Fraction(99_999, 10**10), "1.000×10⁻⁵"),
        (1e-5, "1×10⁻⁵"),
        (3.14159e-7, "3.142×10⁻⁷"),
        (10**400, "1e400"),
        (Fraction(1, 10**400), "1×10⁻⁴⁰⁰"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "not a number"),
    ],
)
def test_numbers(value: Number, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(5, 2), "2.5"),
        (Fraction(24_999_999, 10_000_000), "2.500"),
        (Fraction(16_384, 126), "130.0"),
        (0.99998, "1.000"),
        (0.1 + 0.2, "0.3"),
        (1.0 + 1e-8, "1.000"),
        (Fraction(82_496, 10) - Fraction(1, 100), "8249.6"),
        (412_874.96, "412,875.0"),
        (Fraction(84 * 10**24 + 10, 10), "8.400e24"),
    ],
)
def test_zeros_at_the_end_are_left_out_only_where_the_rest_is_exact(value: Number, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(("digits", "text"), [(2, "45.8"), (3, "45.8"), (6, "45.7579"), (9, "45.7578947")])
def test_more_digits_on_demand(digits: int, text: str) -> None:
    assert format_number(Fraction(4347, 95), digits) == text


@pytest.mark.parametrize(
    ("si", "declared", "text"),
    [
        (95 * 2**30, "GiB", "95 GiB"),
        (Fraction(189, 2) * 2**30, "GiB", "94.5 GiB"),
        (1071 * 2**30, "GiB", "1071 GiB"),
        (2**60, "GiB", "1 EiB"),
        (3 * 2**20, "GiB", "0.002930 GiB"),
        (3 * 2**10, "GiB", "3 KiB"),
        (3.04e12, "B/s", "3.04 TB/s"),
        (3.04e12, "GB/s", "3040 GB/s"),
        (4.5e15, "GB/s", "4.5 PB/s"),
        (989.4e12, "TFLOP/s", "989.4 TFLOP/s"),
        (1e25, "FLOP", "1e25 FLOP"),
        (84 * 10**23, "EFLOP", "8.4e24 FLOP"),
        (10**18, "TFLOP", "1e18 FLOP"),
        (3 * 10**17, "EFLOP", "0.3 EFLOP"),
        (10**25, "EFLOP/s", "10 YFLOP/s"),
        (70 * 10**9, "param", "70B param"),
        (70_553_706_496, "param", "70.55B param"),
        (1.4e12, "token", "1.4T token"),
        (20 * 10**12, "token", "20T token"),
        (4_194_304, "token", "4.194M token"),
        (999_999, "token", "999,999 token"),
        (999_960_000, "param", "1.000B param"),
        (-7e9, "param", "-7B param"),
        (10**15, "param", "1e15 param"),
        (1.5e6, "token/s", "1.5M token/s"),
        (10**9, "chip", "1,000,000,000 chip"),
        (3.6e12, "kWh", "1 GWh"),
        (7e9, "kW", "7 GW"),
        (4e6, "bit", "32 Mbit"),
        (1_000_000_000_000, "byte", "1,000,000,000,000 byte"),
        (0, "GB", "0 GB"),
        (0, "s", "0 s"),
        (Fraction(1, 10), "second", "0.1 second"),
        (Fraction(117, 100_000), "second", "1.17 ms"),
        (Fraction(45, 10**9), "second", "45 ns"),
        (Fraction(1, 10**13), "second", "0.1 ps"),
        (Fraction(2_888_889, 10_000), "ms", "288.9 second"),
        (Fraction(999_999, 10_000), "ms", "99,999.9 ms"),
        (Fraction(1, 4), "us", "250 ms"),
        (46, "", "46"),
        (46, "chip", "46 chip"),
        (Fraction(2, 5), "%", "40 %"),
        (5_000_000, "USD", "5M USD"),
        (999_999.9999999, "USD", "1M USD"),
        (999_999, "USD", "999,999 USD"),
        (-95 * 2**30, "GiB", "-95 GiB"),
        (math.inf, "GiB", "∞ GiB"),
    ],
)
def test_quantities_take_the_prefix_that_reads_best(si: Number, declared: str, text: str) -> None:
    assert format_quantity(si, unit(declared)) == text


@pytest.mark.parametrize(
    ("si", "declared", "shown"),
    [
        (10**9, "GB", "GB"),
        (10**6, "GB", "GB"),
        (10**5, "GB", "kB"),
        (10**14, "GB", "GB"),
        (10**15, "GB", "PB"),
        (2**50, "GiB", "PiB"),
        (10**40, "GB", "YB"),
        (Fraction(1, 10**6), "GB", "B"),
        (10**12, "token", "token"),
    ],
)
def test_shown_in(si: Number, declared: str, shown: str) -> None:
    assert shown_in(si, unit(declared)).text == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (219_848_638_464, "219{,}848{,}638{,}464"),
        (8.4e24, r"8.4 \times 10^{24}"),
        (1e-5, r"1 \times 10^{-5}"),
        (math.inf, r"\infty"),
        (1071, "1071"),
    ],
)
def test_latex_numbers(value: Number, text: str) -> None:
    assert latex(number_layout(value)) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("GB/s", r"\mathrm{GB/s}"),
        ("%", r"\mathrm{\%}"),
        ("GB*s", r"\mathrm{GB\,s}"),
        ("m^2", r"\mathrm{m^2}"),
        ("m**2", r"\mathrm{m^2}"),
        ("m^-2", r"\mathrm{m^{-2}}"),
        ("°", r"\mathrm{^{\circ}}"),
        ("watt_hour", r"\mathrm{watt\_hour}"),
    ],
)
def test_latex_units(text: str, shown: str) -> None:
    assert latex(unit_layout(unit(text))) in (shown, shown.replace("^2", "^{2}"))


def test_latex_quantities() -> None:
    assert latex(quantity_layout(70_553_706_496, unit("param"))) == r"70.55\mathrm{B}\,\mathrm{param}"
    assert latex(quantity_layout(Fraction(189, 2) * 2**30, unit("GiB"))) == r"94.5\,\mathrm{GiB}"
    assert latex(quantity_layout(46, unit(""))) == "46"


def test_ends_of_ranges_have_the_digits_in_which_they_differ() -> None:
    assert format_distinct([67, 67.00000000000001], unit(""), MOST_APART) == ["67", "67.00000000000001"]
    assert format_distinct([100, Fraction("99.99999999999999999999")], unit(""), MOST_APART) == [
        "100",
        "99.99999999999999999999",
    ]
    assert format_distinct([Fraction("1e-9"), Fraction("1.0000000000000000001e-9")], unit(""), MOST_APART) == [
        "1×10⁻⁹",
        "1.0000000000000000001×10⁻⁹",
    ]
    assert format_distinct([1, 1 + Fraction(1, 10**40)], unit(""), MOST_APART)[0] == "1"  # there is an end to it


@pytest.mark.parametrize(
    ("values", "name", "texts"),
    [
        (["3.3", "3.4"], "", ["3.3", "3.4"]),
        (["3.299999999999999999999", "3.300000000000000000001"], "", None),
        (["3.3 - 1e-24", "3.3 + 1e-24"], "", ["3.3 - 1×10⁻²⁴", "3.3 + 1×10⁻²⁴"]),
        (["3.3", "3.3 + 1e-45", "3.3 + 1.00001e-45"], "", ["3.3", "3.3 + 1×10⁻⁴⁵", "3.3 + 1.00001×10⁻⁴⁵"]),
        (["1/3 - 1e-30", "1/3 + 1e-30"], "", ["1/3 - 1×10⁻³⁰", "1/3 + 1×10⁻³⁰"]),
        (["-3.3 - 1e-30", "-3.3"], "GiB", ["-3.3 - 1×10⁻³⁰ GiB", "-3.3 GiB"]),
    ],
)
def test_values_that_24_digits_do_not_tell_apart_are_sums(
    values: list[str], name: str, texts: list[str] | None
) -> None:
    numbers: list[Number] = []
    for text in values:
        first, sign, second = text.partition(" + ") if " + " in text else text.partition(" - ")
        added = Fraction(second or 0) * (-1 if sign == " - " else 1)
        numbers.append((Fraction(first) + added) * unit(name).factor)
    told = format_all_distinct(numbers, unit(name))
    assert told == (values if texts is None else texts)
    assert len({*told}) == len({*numbers})


def test_format_apart_adds_digits_until_values_differ() -> None:
    assert format_apart([45.99999, 46], unit("")) == ["45.99999", "46"]
    assert format_apart([45.5, 46], unit("chip")) == ["45.5 chip", "46 chip"]
    assert format_apart([70.5e9, 70.51e9], unit("param")) == ["70.5B param", "70.51B param"]
    assert format_apart([70_553_706_496, 70_553_706_497], unit("param")) == [
        "70,553,706,496 param",
        "70,553,706,497 param",
    ]


def test_inputs_are_exact() -> None:
    texts = [format_input(value, unit("param")) for value in (70 * 10**9, 70_553_706_496, 6.74e9, 4_194_304)]
    assert texts == ["70B param", "70,553,706,496 param", "6.74B param", "4,194,304 param"]


@pytest.mark.parametrize(("si", "text"), [(45.9999999, "45.9999999"), (5.5, "5.5"), (46, "46"), (math.inf, "∞")])
def test_a_fractional_count_differs_from_its_neighbours_in_print(si: Number, text: str) -> None:
    assert format_between(si, unit("")) == text


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**30).filter(bool))
@settings(max_examples=100, deadline=None)
def test_magnitude_is_the_power_of_ten_below(value: Fraction) -> None:
    assert Fraction(10) ** magnitude(value) <= value < Fraction(10) ** (magnitude(value) + 1)


@given(
    st.one_of(st.floats(1e-9, 1e30), st.integers(1, 10**30)),
    st.sampled_from(["GiB", "GB/s", "TFLOP/s", "byte", "kWh", "USD", "s", "token", ""]),
)
@settings(max_examples=150, deadline=None)
def test_printed_quantities_parse_back_within_the_shown_digits(si: float, declared: str) -> None:
    parsed = quantity(format_quantity(si, unit(declared)))
    assert abs(Fraction(parsed.si) / Fraction(si) - 1) <= Fraction(6, 10_000)


@given(st.floats(1e-30, 1e40, allow_subnormal=False))
@settings(max_examples=150, deadline=None)
def test_the_digits_before_the_power_are_below_ten_and_the_power_has_no_plus(value: float) -> None:
    text = format_number(value)
    assert "+" not in text
    assert "e" not in text or 1 <= float(text.partition("e")[0]) < 10


@pytest.mark.parametrize(
    ("si", "declared", "digits"),
    [
        (Fraction("48.7071906"), "degree", 9),
        (48.7071906, "degree", 9),
        (Fraction("10.73741824"), "", 0),
        (Fraction(1, 3), "", 0),
        (95 * 2**30, "GiB", 4),
        (0, "GiB", 4),
        (3_352_000_000_000, "TB/s", 4),
        (3_352_700_000_000, "TB/s", 5),
        (70_553_706_496, "param", 11),
        (70 * 10**9, "param", 4),
    ],
)
def test_how_many_digits_tell_a_value_exactly(si: Number, declared: str, digits: int) -> None:
    assert exact_digits(si, unit(declared)) == digits
    if digits:
        assert quantity(format_quantity(si, unit(declared), digits)).si == pytest.approx(si, rel=1e-12)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(16385, 16384), "1.0001"),
        (0.999963, "0.999963"),
        (Fraction(10**7 * 3 + 1, 10**6 * 3), "10.0000003"),
        (1.00000000001, "1"),
        (Fraction(10**12 + 1, 10**12), "1.000"),
        (Fraction(1), "1"),
        (0.30004, "0.30004"),
    ],
)
def test_what_is_near_a_round_number_is_told_from_it(value: Fraction | float, shown: str) -> None:
    """1.000 reads as one."""
    assert format_input(value, unit("")) == shown
