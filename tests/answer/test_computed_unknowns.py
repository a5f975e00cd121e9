"""Unknowns of which some are computed from others: their values are those that the inputs leave, in any order."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Sheet

# The largest values of the inputs, from 1, the formula of `a`, what is asked, and both in Python.
COMPUTED: dict[str, tuple[dict[str, int], str, list[str], Callable[..., float], Callable[..., bool]]] = {
    "sum": ({"x": 3, "y": 3}, "x + y", ["a <= 4"], lambda x, y: x + y, lambda _x, _y, a: a <= 4),
    "all": ({"x": 3, "y": 3}, "x + y", ["a <= 6"], lambda x, y: x + y, lambda *_: True),
    "ratio": ({"x": 3, "y": 3}, "y/x", ["a <= 3"], lambda x, y: y / x, lambda *_: True),
    "product": (
        {"x": 8, "y": 8},
        "x*y",
        ["a >= 7", "y <= 1", "x + y <= 9"],
        lambda x, y: x * y,
        lambda x, y, a: a >= 7 and y <= 1 and x + y <= 9,
    ),
    "degrees": (
        {"x": 6, "y": 6, "z": 6},
        "x*y*z",
        ["a <= 6", "x*y <= 4"],
        lambda x, y, z: x * y * z,
        lambda x, y, _z, a: a <= 6 and x * y <= 4,
    ),
}

COUNTS = [("x", 0), ("y", 1), ("z", 1)]  # and their least values


def _sheet(cells: str) -> Sheet:
    return parse_sheet(f"sheet: computed\ntitle: Computed.\ncells:\n{cells}", "computed")


@pytest.mark.parametrize("name", COMPUTED)
def test_every_order_of_unknowns_lists_all_tuples(name: str) -> None:
    """A computed one that came first was told over all its bound, and pinned at the end of it for the others."""
    largest, formula, asked, value, holds = COMPUTED[name]
    cells = "".join(
        f"  {own}: {{doc: Number, integer: true, minimum: 1, maximum: {most}}}\n" for own, most in largest.items()
    )
    model = _sheet(f"{cells}  a: {{doc: Computed, formula: {formula}}}\n")
    tried = product(*(range(1, most + 1) for most in largest.values()))
    expected = sorted((*own, value(*own)) for own in tried if holds(*own, value(*own)))
    for order in permutations((*largest, "a")):
        answer = solve(model, order, asked)
        found = sorted(tuple(float(own[name]) for name in (*largest, "a")) for own in answer.tuples)
        assert found == [pytest.approx(own) for own in expected], order
        assert all(own.proof is not Proof.OPEN for own in answer.outcomes.values()), order


def test_whole_numbers_behind_a_cycle_are_followed_once() -> None:
    """Each of their tuples, followed, asked for all of them again, without an end."""
    cells = "".join(f"  {name}: {{doc: Number, integer: true, minimum: 1, maximum: 12}}\n" for name in "xy")
    cycle = "  over: {doc: Share, formula: total/4}\n  total: {doc: All, formula: x*y + over}\n"
    model = parse_sheet(f"sheet: cycle\ntitle: Cycle.\nimplicit: true\ncells:\n{cells}{cycle}", "cycle")
    answer = solve(model, ["x", "y"], ["total = 16"])
    assert sorted((own["x"], own["y"]) for own in answer.tuples) == [(at, 12 // at) for at in (1, 2, 3, 4, 6, 12)]


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_a_computed_cell_stays_above_zero_beside_an_unknown_that_follows(order: tuple[str, ...]) -> None:
    """Where x follows from y, the bound of what both give was looked at for one x only."""
    cells = "".join(f"  {name}: {{doc: Number, minimum: 1, maximum: 500}}\n" for name in "xy")
    model = _sheet(f"{cells}  rest: {{doc: What is left, formula: y**2 - x}}\n")
    outcomes = solve(model, order, ["y <= 31", "x = 6/5*y"]).outcomes
    ranges = {name: own.listed for name, own in outcomes.items() if not own.at}
    assert ranges
    for name, (part,) in ranges.items():
        assert (float(part.lower), float(part.upper)) == pytest.approx((1.44, 37.2) if name == "x" else (1.2, 31))


def test_a_computed_unknown_leaves_out_tuples_at_which_it_has_no_value_of_more_than_are_followed() -> None:
    """Beyond 64 tuples x = 0 was listed, beside a ratio to it, and all were open."""
    cells = "".join(f"  {name}: {{doc: Number, integer: true, minimum: {low}, maximum: 8}}\n" for name, low in COUNTS)
    model = _sheet(f"{cells}  a: {{doc: Computed, formula: z/x}}\n")
    tuples = [own for own in product(*(range(low, 9) for _, low in COUNTS)) if own[0] and sum(own) <= 9]
    for order in permutations("xyza"):
        answer = solve(model, order, ["x + y + z <= 9"])
        assert sorted((own["x"], own["y"], own["z"]) for own in answer.tuples) == tuples, order
        assert all(own["a"] == Fraction(int(own["z"]), int(own["x"])) for own in answer.tuples)
        for name, own in answer.outcomes.items():
            listed = {part.lower for part in own.listed}
            assert (own.proof, listed) == (Proof.PROVEN, {each[name] for each in answer.tuples}), (order, name)
