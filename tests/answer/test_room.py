"""How much room an inequality leaves: none where its sides differ by rounding alone."""

from __future__ import annotations

import math

from flopsheet.answer.verification.checks import Check
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.units import unit

BELOW = Relation(symbol("a"), "<=", symbol("b"), "a <= b")


def test_rounding_leaves_no_room() -> None:
    assert Check(BELOW, 1.0, math.nextafter(1.0, 2), unit(""), holds=True).slack == 0
    assert Check(BELOW, 1, 2, unit(""), holds=True).slack == 1 / 2
    assert Check(BELOW, 2, 1, unit(""), holds=False).slack == -1
