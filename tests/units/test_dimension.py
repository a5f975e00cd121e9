"""Dimensions: products, powers, names, and which may define a count."""

from __future__ import annotations

from fractions import Fraction

import pytest

from flopsheet.units import PURE_NUMBER, Dimension, agree, unit

BASES = ("byte", "FLOP", "token", "param", "s", "m", "g", "W", "USD", "degree", "")


def dimension(text: str) -> Dimension:
    return unit(text).dimension


@pytest.mark.parametrize(
    ("left", "right", "product"),
    [
        ("byte", "", "byte"),
        ("", "byte", "byte"),
        ("byte/s", "s", "byte"),
        ("byte/param", "param", "byte"),
        ("FLOP/param/token", "param*token", "FLOP"),
        ("W", "hour", "kWh"),
        ("USD/hour/chip", "hour*chip", "USD"),
        ("1/s", "s", ""),
        ("token", "param", "param*token"),
    ],
)
def test_products(left: str, right: str, product: str) -> None:
    assert dimension(left) * dimension(right) == dimension(product)


@pytest.mark.parametrize(
    ("base", "exponent", "power"),
    [
        ("m", Fraction(2), "m^2"),
        ("m^2", Fraction(1, 2), "m"),
        ("byte/s", Fraction(-1), "s/byte"),
        ("s", Fraction(0), ""),
        ("", Fraction(5), ""),
    ],
)
def test_powers(base: str, exponent: Fraction, power: str) -> None:
    assert dimension(base) ** exponent == dimension(power)


@pytest.mark.parametrize("left", BASES)
def test_base_dimensions_are_all_different(left: str) -> None:
    assert [right for right in BASES if dimension(left) == dimension(right)] == [left]


@pytest.mark.parametrize(
    "count", ["chip", "device", "node", "rank", "step", "sequence", "layer", "block", "site", "request", "%"]
)
def test_counted_things_are_pure_numbers(count: str) -> None:
    assert dimension(count) == PURE_NUMBER
    assert not dimension(count)


@pytest.mark.parametrize(
    ("declared", "computed", "agrees"),
    [
        ("byte", "GiB", True),
        ("token", "", True),
        ("param", "", True),
        ("Mtoken", "", True),
        ("", "token", False),
        ("token", "param", False),
        ("byte", "", False),
        ("token^2", "", False),
        ("1/token", "", False),
        ("param*token", "", False),
        ("token/s", "1/s", False),
    ],
)
def test_only_a_pure_number_may_define_a_count(declared: str, computed: str, agrees: bool) -> None:
    assert agree(dimension(declared), dimension(computed)) is agrees


@pytest.mark.parametrize(
    ("powers", "text"),
    [
        ({}, "a pure number"),
        ({"time": Fraction(0)}, "a pure number"),
        ({"time": Fraction(-1)}, "1 / time"),
        ({"information": Fraction(1, 2)}, "information^1/2"),
        ({"time": Fraction(-2), "length": Fraction(1)}, "length / time^2"),
    ],
)
def test_text(powers: dict[str, Fraction], text: str) -> None:
    assert str(Dimension.of(powers)) == text


def test_a_product_forgets_the_order_of_its_factors() -> None:
    assert dimension("W*h/USD") == dimension("h/USD*W")
    assert hash(dimension("W*h")) == hash(dimension("h*W"))
