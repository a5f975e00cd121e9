"""Numbers that a program printed, in systems and cycles: each stands for all that its float does."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import parse_sheet

TWO = "sheet: test\ntitle: Two numbers.\ncells:\n  x: {doc: X%s}\n  y: {doc: Y%s}\n"
CYCLE = """sheet: test
title: Two cells that rest on each other.
implicit: true
cells:
  x: {doc: X, maximum: 500, integer: true}
  u: {formula: "%s", doc: U}
  v: {formula: "%s", doc: V}
"""
CYCLES = [
    ("ceil(x) + 2*v", "19/(1 + u)"),
    ("abs(x - v)", "u**2/2"),
    ("x + v/10", "5 + u/20"),
    ("x + log(1 + v)/4", "u/2"),
]


def tuples(sheet: str, *asked: str) -> list[tuple[float, ...]]:
    """Return the tuples of x and y that are found."""
    answer = solve(parse_sheet(sheet, "test"), ["x", "y"], [*asked])
    found = [[float(point[name]) for name in ("x", "y")] for point in answer.tuples]
    one = [answer.outcomes[name].si for name in ("x", "y")]
    return [*map(tuple, found)] or ([] if None in one else [tuple(float(value or 0) for value in one)])


@pytest.mark.slow
def test_a_quotient_of_counts_and_their_sum_give_both() -> None:
    """The least count is at the bound from which only the last digit of the quotient keeps it."""
    sheet, draw = TWO % (", integer: true", ", integer: true"), Random(3)  # noqa: S311  # no secret
    pairs = {(draw.randint(2, 60), 1) for _ in range(12)} | {
        (draw.randint(2, 60), draw.randint(1, 60)) for _ in range(12)
    }
    for x, y in pairs:
        for second in (f"x + y = {x + y}", f"x*y = {x * y}"):
            assert tuples(sheet, f"y/x = {y / x:.17g}", second) == [(x, y)], (x, y, second)


@pytest.mark.parametrize("bounds", [("", ", minimum: 1"), (", maximum: 3", ""), (", maximum: 3", ", minimum: 1")])
def test_a_root_is_at_the_bound_that_it_misses_by_a_last_digit(bounds: tuple[str, str]) -> None:
    assert tuples(TWO % bounds, "y/x = 0.3333333333333333", "x + y = 4") == [(3, 1)]
    assert tuples(TWO % ("", ""), "y/x = 0.3333333333333333", "x + y = 4", "y >= 1") == [(3, 1)]
    assert tuples(TWO % bounds, "y/x = 0.3333333", "x + y = 4") == []


@pytest.mark.parametrize(
    ("asked", "x", "y"),
    [
        (("log(y/x) = -0.09531017980432486", "floor(x) + y = 21"), 11, 10),
        (("exp(x/5) + exp(y/5) = 13.080213466278796", "floor(y) + x = 18"), 7, 11),
        (("1/x + 1/y = 0.4166666666666667", "mod(x, 1) + y = 12"), 3, 12),
    ],
)
def test_a_root_at_a_jump_is_met(asked: tuple[str, str], x: int, y: int) -> None:
    """On the one side of it the last digit is met, on the other not."""
    whole = ", integer: true"
    assert (x, y) in tuples(TWO % (whole, whole), *asked)


@pytest.mark.parametrize("formulas", CYCLES)
def test_cells_of_a_cycle_are_given_back(formulas: tuple[str, str]) -> None:
    sheet, draw = CYCLE % formulas, Random(formulas[0])  # noqa: S311  # no secret
    for x in (draw.randint(1, 45) for _ in range(6)):
        cells = solve(parse_sheet(sheet, "test"), ["u", "v"], [f"x = {x}"]).as_dict()["cells"]
        for name in ("u", "v"):
            outcome = solve(parse_sheet(sheet, "test"), "x", [f"{name} = {cells[name]['value']!r}"]).outcomes["x"]
            assert any(Fraction(x) in part for part in (*outcome.listed, *outcome.open)), (x, name, outcome.why)


@pytest.mark.parametrize("unknowns", ["xy", "yx"])
@pytest.mark.parametrize(("level", "roots"), [(36, [(-6, 2), (6, 2)]), (1, [(-1, 2), (1, 2)])])
def test_a_power_with_an_unknown_exponent_has_negative_bases(
    unknowns: str, level: int, roots: list[tuple[int, int]]
) -> None:
    """Its base was taken for positive: 6 was the only one of 36."""
    sheet = TWO % (", signed: true", ", integer: true")
    answer = solve(parse_sheet(sheet, "test"), [*unknowns], [f"x**y = {level}", "2*y = 4"])
    assert sorted((int(own["x"]), int(own["y"])) for own in answer.tuples) == roots


@pytest.mark.slow
@pytest.mark.parametrize("share", ["0.56", "0.5600000000000001"])
def test_relations_that_only_digits_set_against_each_other_exclude_nothing(share: str) -> None:
    """Both say that y is 11/14 of x, as a program prints it: elimination of the decimals found a contradiction."""
    sheet = parse_sheet(TWO % (", maximum: 100", ", maximum: 100"), "test")
    answer = solve(sheet, ["x", "y"], [f"x/(x + y) = {share}", "y/x = 0.78571428571428571"])
    for name, value in (("x", 14), ("y", 11)):
        assert any(value in part for part in (*answer.outcomes[name].listed, *answer.outcomes[name].open))
