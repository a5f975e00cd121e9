"""Ends of sets moved by rounding, also those that no float holds."""

from __future__ import annotations

import math
from fractions import Fraction

from flopsheet.numbers.ends import eased
from flopsheet.numbers.sets import Interval
from flopsheet.tolerances import EASE


def test_closed_ends_move_outwards_by_rounding_and_open_ones_stay() -> None:
    (part,) = eased((Interval(3, Fraction(7, 2), upper_closed=False),))
    assert math.isclose(part.lower, 3 * (1 - EASE), rel_tol=1e-15)
    assert 3 - part.lower > 0
    assert part.upper == Fraction(7, 2)


def test_ends_beyond_floats_stay() -> None:
    large, small = 10**400, Fraction(1, 10**400)
    assert eased((Interval(-large, small), Interval(large, large))) == (Interval(-large, small), Interval(large, large))


def test_zero_and_endless_ends_stay() -> None:
    part = Interval(0, math.inf, upper_closed=False)
    assert eased((part,)) == (part,)
