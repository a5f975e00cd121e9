"""Formulas as plain text: what is printed on one line is read as it is meant."""

from __future__ import annotations

import pytest

from flopsheet.layout.nodes import Chain, Fraction, Node, Number, Quantity, Unit
from flopsheet.layout.text import plain

ONE, DAYS = Number("1"), Number("179.91")
IN_A_YEAR = Quantity(Fraction(Number("1461"), Number("4")), Unit(("day/year",)))


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Fraction(ONE, IN_A_YEAR), "1/(1461/4 day/year)"),
        (Chain((("", DAYS), ("·", IN_A_YEAR))), "179.91*(1461/4 day/year)"),
        (Fraction(ONE, Quantity(Number("24"), Unit(("hour/day",)))), "1/24 hour/day"),
    ],
)
def test_a_ratio_before_a_unit_is_one_factor(node: Node, text: str) -> None:
    assert plain(node) == text
