"""Numbers beyond all sizes that are searched: growth decides them, or they are open; nothing goes without saying."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, exp, log, max_, min_, solve, sqrt
from flopsheet.formulas.program import program_of
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import Interval, side
from flopsheet.numbers.spans import ANYTHING, Span
from flopsheet.search.beyond import is_one_number
from flopsheet.search.field import Field
from flopsheet.search.one_unknown import Cover, Search
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from flopsheet.units import Number

X, LARGE = symbol("x"), 1e300
ABOVE_ZERO = Interval(0, math.inf, lower_closed=False, upper_closed=False)
ALL = Interval(-math.inf, math.inf, lower_closed=False, upper_closed=False)


def searched(formula: object, sign: str, level: Number, domain: Interval = ALL) -> Cover:
    return Search(Field(program_of(formula), "x", {}), side(sign, level)).over(domain)


@pytest.mark.parametrize(
    ("formula", "sign", "level", "count"),
    [
        (exp(X) - X, "=", 0.9, 0),
        (X * exp(-X), "=", 1, 0),
        (X * exp(-X), ">=", 0.5, 0),
        (X**2 - exp(X), "<=", 3, 1),
        (X**2 * exp(-X), "<=", 1e-3, 2),
        (X**1000 * exp(-X), "=", 1, 3),
        (X**40 - exp(X), ">=", 1e-3, 2),
        (X * log(X), "<=", 2, 1),
        (X * log(X) ** 3, "<=", 0.1, 1),
        (sqrt(X) * log(X) - X**2, "=", 3, 0),
        (log(X) - X, "=", -691.7, 2),
        (max_(2 / X, log(X) - X), ">", 0, 1),
        (min_(X, 10) * exp(X / 3), ">=", 4, 1),
        ((X + log(X) * exp(X / 10)) * X / (1 + log(X)), "=", 3, 2),
        (X**3 - 4 * X**2.5 + X * log(X), ">=", 9, 1),
        (1 / X - 5 / X**2 + log(X), "=", 3, 1),
        (X / (3 - X) * log(min_(1, X) + 5), "=", -3, 1),
        (X / (3 - X) * log(max_(2, 1 / X) * 5), "=", -3, 1),
    ],
    ids=str,
)
def test_how_a_formula_grows_decides_what_lies_beyond(formula: object, sign: str, level: float, count: int) -> None:
    cover = searched(formula, sign, level)
    assert (cover.open, len(cover.values)) == ((), count)


@pytest.mark.parametrize(
    ("formula", "level", "inside"),
    [
        (log(X) + X**-2, 900, (LARGE, math.inf)),  # a root at exp(900)
        ((log(X) - 900) * (X**2 - 3) + X, 0, (LARGE, math.inf)),  # one beside others
        (log(X) + sqrt(X), -900, (0, 1e-300)),
        (X - log(X), Fraction("885.921475645846"), (0, 1e-300)),
    ],
    ids=str,
)
def test_a_root_beyond_all_sizes_is_open(formula: object, level: Number, inside: tuple[float, float]) -> None:
    assert inside in [(part.lower, part.upper) for part in searched(formula, "=", level, ABOVE_ZERO).open]


def test_a_root_nearer_to_zero_than_floats_is_open_where_zero_is_in_the_domain() -> None:
    cover = searched(log(X) - X, "=", Fraction("-885.92"))
    assert [float(part.lower) for part in cover.values] == pytest.approx([892.7142665594168])
    assert cover.open[0].lower == 0
    assert cover.open[0].upper >= math.ulp(0)


def test_a_range_that_is_not_proven_beyond_all_sizes_ends_there() -> None:
    cover = searched(log(X) - 1 / X**2, "<=", 900, ABOVE_ZERO)
    assert [(part.lower, part.upper) for part in cover.values] == [(0, 1e300)]
    assert [(part.lower, part.upper) for part in cover.open] == [(1e300, math.inf)]


@pytest.mark.parametrize(
    ("relation", "values"),
    [
        ("(x + 1)**16/(x + 2)**16 = 0.5", [-1.4891712688368868, 21.58673068287048]),
        ("(x + 1)**300/(x + 2)**300 = 0.5", [-1.4994223776064968, 431.3087048075562]),
        ("(x + 1)**301/(x + 2)**301 = -8", [-1.5017271040459559]),
        ("(x + 1)**40/(x + 2)**20 = 3", [-1.6274038762935379, 0.6838711848430756]),
    ],
)
def test_powers_with_a_common_exponent_are_one_power(relation: str, values: list[float]) -> None:
    sheet = Sheet("powers")
    sheet.rows.add_cell(Cell("x", "An input", bounds=ANY))
    outcome = solve(sheet, "x", [relation]).outcomes["x"]
    assert [float(part.lower) for part in outcome.solutions] == pytest.approx(values, rel=1e-12)
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize("power", [2, 3, -2, -3])
@pytest.mark.parametrize("size", [1e-250, 1e250])
@pytest.mark.parametrize("sign", [1, -1])
def test_powers_beyond_floats_keep_their_sign(power: int, size: float, sign: int) -> None:
    box = Span(min(sign * size, sign * 2 * size), max(sign * size, sign * 2 * size))
    bounds = Field(program_of(X**power), "x", {}).bounds(box)
    value = Fraction(sign * size) ** power
    assert bounds.low <= value <= bounds.high


def test_two_factors_without_bounds_have_a_product_without_bounds() -> None:
    """Bounds are those of one number each: two factors with the same are no square."""
    product = ANYTHING * ANYTHING
    assert (product.low, product.high) == (-math.inf, math.inf)
    cover = searched(X / (X - 25 * 10**27) / log(X), "=", Fraction("-1.5007213195871e-27"), ABOVE_ZERO)
    assert [float(part.lower) for part in cover.values] == pytest.approx([1.0277727687, 198.5])


@pytest.mark.parametrize(("level", "whole"), [(0, True), (Fraction(1, 2), False)])
def test_one_to_any_power_is_one(level: Number, whole: bool) -> None:
    """What nobody reads by chance takes no time, however often it might be: the share is 0 next to x = 0 too."""
    share = 1 - (1 - symbol("c") / max_(1, symbol("c"))) ** (7 / X)
    cover = Search(Field(program_of(share), "x", {"c": 0}), side("=", level)).over(ABOVE_ZERO)
    assert cover == Cover((ABOVE_ZERO,) if whole else ())


@pytest.mark.parametrize(
    ("low", "high", "is_one"),
    [
        (Fraction(10**400), math.inf, False),
        (-math.inf, Fraction(-(10**400)), False),
        (Fraction(10**400), Fraction(10**400), True),
        (Fraction(10**400), Fraction(2 * 10**400), False),
        (1.0, 1.0 + 1e-15, True),
    ],
)
def test_ends_that_no_float_holds_are_compared(low: Number, high: Number, is_one: bool) -> None:
    assert is_one_number(Span(low, high, exact=isinstance(low, Fraction))) is is_one
