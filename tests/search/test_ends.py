"""The float ends of ranges lie on the right side of the exact end."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import pytest

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.numbers.ends import copied, short_ratios
from flopsheet.numbers.sets import Interval, point
from flopsheet.search.sharpened import MOST_STEPS, sharpened
from flopsheet.sheets.cell import ANY, POSITIVE, Bounds, Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.outcomes.outcome import Outcome

ROOT = math.sqrt(2)  # above the root of 2
DOMAIN = Interval(0, math.inf)


@pytest.mark.parametrize("ulps", range(-5, 6))
@pytest.mark.parametrize("closed", [True, False])
def test_an_end_is_the_last_float_that_holds_or_the_first_that_fails(ulps: int, closed: bool) -> None:
    part = Interval(0, ROOT + ulps * math.ulp(ROOT), upper_closed=closed)
    (moved,) = sharpened((part,), DOMAIN, lambda at: Fraction(at) ** 2 <= 2)
    assert moved.upper == (math.nextafter(ROOT, 0) if closed else ROOT)


def test_ends_of_the_domain_and_exact_ends_stay() -> None:
    parts = (Interval(0, Fraction(3, 2)), Interval(2.0, math.inf))
    assert sharpened(parts, Interval(0, math.inf), lambda _: False) == parts


@pytest.mark.parametrize("sign", ["<=", ">=", "<", ">"])
@pytest.mark.parametrize("level", ["4", "3", "5/7", "1e30"])
def test_the_floats_beside_the_end_of_an_answer_fall_on_the_right_sides(sign: str, level: str) -> None:
    sheet = Sheet("square")
    sheet.rows.add_cell(Cell("x", "An input"))
    sheet.rows.add_cell(Cell("y", "A formula", formula=parse_formula("x**2 + x", ["x"], "y")))
    (part,) = solve(sheet, "x", [f"y {sign} {level}"]).outcomes["x"].solutions
    end, closed = part.ends[1] if "<" in sign else part.ends[0]

    def holds(at: float) -> bool:
        value = Fraction(at) ** 2 + Fraction(at)
        return value <= Fraction(level) if "<" in sign else value >= Fraction(level)

    inwards = 0.0 if "<" in sign else math.inf
    assert closed == ("=" in sign)
    assert holds(float(end)) == closed
    assert holds(math.nextafter(float(end), inwards))
    assert not holds(math.nextafter(float(end), math.inf - inwards if inwards == 0.0 else 0.0))


@pytest.mark.parametrize(
    ("low", "high", "ratio"),
    [
        (43.699999999, 43.700000001, Fraction(437, 10)),
        (0.33333333, 0.33333334, Fraction(1, 3)),
        (1.9999999, 2.0000001, 2),
        (3.14159265, 3.14159266, None),
        (0.71, 0.73, None),  # 5/7 is one of many short ratios in a wide range
    ],
)
def test_a_ratio_that_is_too_short_to_be_chance_stands_for_a_narrow_range(
    low: float, high: float, ratio: Fraction | None
) -> None:
    assert short_ratios(Interval(low, high)) == ([] if ratio is None else [ratio])


def outcome_of(relation: str, bounds: Bounds = ANY) -> Outcome:
    sheet = Sheet("digits")
    sheet.rows.add_cell(Cell("x", "An input", bounds=bounds))
    return solve(sheet, "x", [relation]).outcomes["x"]


@pytest.mark.parametrize(
    ("relation", "at"),
    [
        ("exp(exp(x/6.3)) = 2.71828181295876", lambda: 63 * mpmath.log(mpmath.log("2.71828181295876")) / 10),
        ("exp(exp(x)) <= 2.718281828", lambda: mpmath.log(mpmath.log("2.718281828"))),
        ("log(x**-16 + 1) >= 1.4e-15", lambda: mpmath.expm1("1.4e-15") ** (-mpmath.mpf(1) / 16)),
        ("log(1 + x**-16) > 1.5e-35", lambda: mpmath.expm1("1.5e-35") ** (-mpmath.mpf(1) / 16)),
        ("exp(x - 12)**(3/2) <= 1.52299949746923e-8", lambda: 2 * mpmath.log("1.52299949746923e-8") / 3 + 12),
        ("(1 + x)**0.37 >= 1.00000000000001", lambda: mpmath.mpf("1.00000000000001") ** (100 / mpmath.mpf(37)) - 1),
        ("log(x**300) = 3600", lambda: mpmath.exp(12)),
        ("log(exp(12)**300 * x) >= 3601", lambda: mpmath.e),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_digits_that_cancel_in_floats_are_found(relation: str, at: Callable[[], mpmath.mpf]) -> None:
    with mpmath.workdps(60):
        exactly = at()
    listed = outcome_of(relation, POSITIVE if exactly > 0 else ANY).listed
    ends = [float(end) for part in listed for end, _ in part.ends]
    assert any(abs(end - exactly) <= 2 * MOST_STEPS * math.ulp(exactly) for end in ends), (ends, exactly)


@pytest.mark.parametrize("relation", ["max(x, exp(12)**300) = 3", "min(x, exp(12)**300) = 3"])
def test_a_term_that_is_larger_than_floats_is_compared(relation: str) -> None:
    assert [part.lower for part in outcome_of(relation).listed] == ([3] if "min" in relation else [])


def test_a_root_that_touches_and_one_beside_a_jump_stay() -> None:
    assert [part.lower for part in outcome_of("(exp(x) - 1)**2 = 0").listed] == [0]
    assert [part.lower for part in outcome_of("exp(x)*floor(x) = 0", POSITIVE).listed] == [0]


HOUR, GIB, YEAR = 3600, 2**30, 31557600
OF_FLOATS = [
    Fraction("40527714.7037656") * HOUR,
    Fraction("94.50123456789012") * GIB,
    Fraction("2.18912345678901") / HOUR,
    Fraction("365.43210123457") * YEAR,
]
SHORT = [Fraction("2.189") / HOUR, Fraction("365.4321") * YEAR, Fraction(12), Fraction(100000000000001)]
OF_NONE = [*SHORT, Fraction("6.664893571123457e24"), Fraction(1, 7), Fraction(10**25 + 1), Fraction(10**25 + 1, 1000)]


@pytest.mark.parametrize("level", [*OF_FLOATS, *OF_NONE], ids=str)
def test_a_number_that_may_be_a_float_in_some_unit_has_room_for_its_last_digits(level: Fraction) -> None:
    room = copied(point(level), point(level))
    assert bool(room) == (level in OF_FLOATS)
    assert all(part.lower < level < part.upper and part.upper - part.lower < level / 10**13 for part in room)
