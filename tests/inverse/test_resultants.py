"""Two polynomial equations that touch where both numbers are ratios: found, and nothing else left open."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse import resultants
from flopsheet.inverse.simultaneous import simultaneous
from flopsheet.search.joint import Joint
from flopsheet.search.several_unknowns import Tuples
from flopsheet.sheets.cell import ANY, Cell

X, Y = symbol("x"), symbol("y")
CELLS = [Cell(name, name, bounds=ANY) for name in "xy"]
RATIOS = st.builds(Fraction, st.integers(-9, 9), st.integers(1, 4))
TRIPLES = st.sampled_from([(3, 4, 5), (5, 12, 13), (8, 15, 17), (1, 0, 1)])


def found(*gaps: Any) -> Tuples:
    return simultaneous(CELLS, {}, [Relation(sympy.expand(gap), "=", sympy.Integer(0), "") for gap in gaps], {})


def circle(centre: tuple[Fraction, Fraction], radius: Fraction) -> Any:
    (x, y), r = ((sympy.Rational(at) for at in centre), sympy.Rational(radius))
    return (X - x) ** 2 + (Y - y) ** 2 - r**2


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(centre=st.tuples(RATIOS, RATIOS), triple=TRIPLES, first=st.integers(1, 5), second=st.integers(-5, 5))
def test_circles_that_touch(centre: Any, triple: Any, first: int, second: int) -> None:
    """One has its centre at a distance of both radii, the second negative where it lies inside, along a triple."""
    assume(second and first + second)
    (x, y), (a, b, c), distance = centre, triple, Fraction(first + second)
    other = (x + distance * a / c, y + distance * b / c)
    result = found(circle((x, y), Fraction(first)), circle(other, Fraction(second)))
    (point,) = result.points
    touching = (x + Fraction(first * a, c), y + Fraction(first * b, c))
    assert tuple(map(float, point)) == pytest.approx(tuple(map(float, touching)))
    assert result.open == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gaps", "points"),
    [
        ((X * Y - 1, X**2 + Y**2 - 2), [(-1, -1), (1, 1)]),
        ((X**2 + Y**2 - 1, X**2 + 2 * Y**2 - 1), [(-1, 0), (1, 0)]),
        ((X**2 + Y**2 - 4, X**2 / 4 + Y**2 - 1), [(-2, 0), (2, 0)]),
        ((Y**2 - X**3, X**2 + Y**2), [(0, 0)]),
        ((X**2 + Y**2 - 1, (X - 2) ** 2 + Y**2 - sympy.Rational(99, 100) ** 2), []),  # a gap of a hundredth
    ],
    ids=str,
)
def test_every_point_at_which_they_touch(gaps: Any, points: list[tuple[int, int]]) -> None:
    result = found(*gaps)
    assert (list(result.points), result.open) == (points, ())


def test_where_the_numbers_are_no_ratios_it_stays_open() -> None:
    result = found(X**2 + Y**2 - 1, (X - 1) ** 2 + (Y - 1) ** 2 - (sympy.sqrt(2) - 1) ** 2)
    assert result.open


def test_a_curve_that_both_have_is_no_list_of_points() -> None:
    assert found((X + Y) * X, (X + Y) * Y).open


def test_what_is_no_ratio_is_not_put_over_one_divisor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digits of (p/q)**(2/7), put together with others, were more than Python prints."""
    monkeypatch.setattr(sympy, "together", lambda *_: pytest.fail("it is no ratio"))
    open_box = Tuples((), (((1, 2), (1, 2)),))
    gaps = [X ** sympy.Rational(2, 7) - 3, X + Y - 3]
    joint = Joint(["x", "y"], [], [Relation(gap, "=", sympy.Integer(0), "") for gap in gaps], {}, {})
    assert resultants.decided(open_box, joint, gaps, ["x", "y"]) is open_box
