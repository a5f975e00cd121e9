"""Values as exact texts: the shortest text that reads back to the last digit, and texts that are refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.errors import DimensionError, FlopsheetError
from flopsheet.units import Number, machine_number, quantity_in, unit
from flopsheet.units.text import exact_text


@pytest.mark.parametrize(
    ("si", "shown", "text"),
    [
        (12288, "", "12288"),
        (Fraction(4, 5), "", "0.8"),
        (Fraction(10**9, 3), "GB", "1/3 GB"),
        (4, "byte/param", "4 byte/param"),
        (4 * 10**26, "EFLOP", "4e8 EFLOP"),
        (-3, "", "-3"),
        (-(10**9), "byte", "-1e9 byte"),
        (15 * 10**11, "token", "1.5e12 token"),
        (-15 * 10**11, "token", "-1.5e12 token"),
        (10**80, "", "1e80"),
        (0, "s", "0 s"),
        (-Fraction(1, 8), "", "-0.125"),
        (Fraction(1234567890123456789, 10**10), "", "1234567890123456789/1e10"),
        (Fraction(1468, 1000), "", "1.468"),
        (math.pi, "", "3.141592653589793"),
        (2**60, "GiB", "1073741824 GiB"),
        # A decimal of 15 digits is exact, one of 16 reads back as a float.
        (Fraction(123456789012345, 10**15), "", "0.123456789012345"),
        (Fraction(1234567890123457, 10**15), "", "1234567890123457/1e15"),
        # Six zeros at the end become a power of ten, five do not.
        (1_200_000, "", "1200000"),
        (12_000_000, "", "1.2e7"),
        (123456789012345 * 10**6, "", "1.23456789012345e20"),
        (1234567890123457 * 10**6, "", "1234567890123457e6"),
        (int("7" * 40) * 10**6, "", "7" * 40 + "e6"),
    ],
)
def test_values_are_written_exactly(si: Number, shown: str, text: str) -> None:
    assert exact_text(si, unit(shown)) == text
    assert quantity_in(text, unit(shown), "here").si == si


@pytest.mark.parametrize(
    ("text", "shown", "si"),
    [
        ("4/5 GB", "byte", 800_000_000),
        (" -4 / 5 GB", "byte", -800_000_000),
        ("+1e3/4", "", 250),
        ("1.5/.5 s", "s", 3),
        ("8 GB/s", "byte/s", 8 * 10**9),
    ],
)
def test_a_ratio_carries_its_unit_below_the_bar(text: str, shown: str, si: Number) -> None:
    value = quantity_in(text, unit(shown), "here").si
    assert value == si
    assert type(value) is type(si)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4/0 GB", "'4/0' divides by zero"),
        ("0/0 GB", "'0/0' divides by zero"),
        ("4GB/5 GB", "'GB/5 GB' is not a unit"),
    ],
)
def test_a_ratio_that_is_no_value_is_refused(text: str, message: str) -> None:
    with pytest.raises(FlopsheetError, match=message):
        quantity_in(text, unit("GB"), "here")


@pytest.mark.parametrize("text", ["4/5", "4/5 s", "4 s", "4"])
def test_the_unit_of_a_ratio_is_checked_as_that_of_a_number(text: str) -> None:
    with pytest.raises(DimensionError):
        quantity_in(text, unit("GB"), "here")


@given(
    st.fractions(-(10**12), 10**12, max_denominator=10**9),
    st.integers(-12, 12),
    st.sampled_from(["", "GiB", "%", "USD/hour/chip"]),
)
@settings(max_examples=100, deadline=None)
def test_every_ratio_of_few_digits_reads_back(value: Fraction, power: int, shown: str) -> None:
    si = value * Fraction(10) ** power
    assert quantity_in(exact_text(si, unit(shown)), unit(shown), "here").si == si


@given(st.fractions())
@settings(deadline=None, max_examples=300)
def test_a_number_for_programs_reads_back_as_the_value_within_its_last_digit(value: Fraction) -> None:
    _check_read_back(value)


@pytest.mark.parametrize(
    "value",
    [
        Fraction(115467928997882501, 2500000000000000),  # the nearest float is 46.187171599153, exact if it is read
        Fraction(1, 10) + Fraction(1, 10**30),
        -Fraction(1, 10) - Fraction(1, 10**30),
        Fraction(0.1),
        10**22 + Fraction(1, 3),
        Fraction(10**25 + 1, 10**47),
        Fraction(1, 3),
    ],
)
def test_a_number_for_programs_is_marked_by_its_digits_where_it_is_rounded(value: Fraction) -> None:
    _check_read_back(value)
    assert isinstance(quantity_in(repr(machine_number(value)), unit(""), "here").si, float)


@pytest.mark.parametrize(("value", "printed"), [(Fraction(6, 2), 3), (Fraction(1, 8), 0.125), (Fraction(1, 10), 0.1)])
def test_a_number_for_programs_that_is_short_is_exact(value: Fraction, printed: float) -> None:
    assert machine_number(value) == printed
    assert quantity_in(repr(printed), unit(""), "here").si == value


@pytest.mark.parametrize("value", [2**70, -7, 0, math.pi, 0.1, 1e22, Fraction(10**400 + 1, 3)])
def test_integers_and_floats_print_as_they_are(value: Number) -> None:
    assert machine_number(value) == (value if not isinstance(value, Fraction) else round(value))


def _check_read_back(value: Fraction) -> None:
    printed = machine_number(value)
    read = quantity_in(repr(printed), unit(""), "here").si
    assert read == value or (isinstance(read, float) and abs(Fraction(read) - value) <= Fraction(math.ulp(printed)))
