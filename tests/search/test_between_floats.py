"""Holes, roots and ranges between two floats, or around a single one, are not rounded away."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.outcomes.outcome import Outcome

PLACES = ["2", "0.1", "0.07", "3.3", "1e15", "1e10", "-0.3333", "12345.678"]


def asked(folder: Path, relation: str) -> Outcome:
    return solve(variables(folder, {"x": {"minimum": "-1e20", "maximum": "1e20"}}), "x", [relation]).outcomes["x"]


def off_of(place: str, seed: int) -> Fraction:
    """Return a distance that no float has beside a place: far below its last digit, as a short decimal."""
    chance = Random(f"{place} {seed}")  # noqa: S311  # the same each time
    size = abs(Fraction(place)) / 10 ** chance.randint(18, 24)
    return Fraction(f"{float(size):.2g}")


def text_of(number: Fraction) -> str:
    return f"({number.numerator}/{number.denominator})"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", ["(x - ({c}))**2 {sign} {d}**2", "exp(abs(x - ({c}))) {sign} exp({d})"])
def test_a_narrow_range_is_inside_or_left_out(tmp_path: Path, place: str, seed: int, form: str) -> None:
    centre, off = Fraction(place), off_of(place, seed)
    outcome = asked(tmp_path, form.format(c=place, d=text_of(off), sign="<="))
    assert not is_in(centre + 2 * off, outcome.listed)
    assert not is_in(centre - 2 * off, outcome.listed)
    assert is_in(centre, (*outcome.listed, *outcome.open))
    outcome = asked(tmp_path, form.format(c=place, d=text_of(off), sign=">="))
    assert not is_in(centre, outcome.listed)
    digit = Fraction(math.ulp(float(centre)))  # ends are as exact as a float
    assert all(is_in(centre + way * max(off, digit) * 2, outcome.listed) for way in (-1, 1))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("seed", range(3))
def test_two_roots_beside_one_float_are_two(tmp_path: Path, place: str, seed: int) -> None:
    centre, off = Fraction(place), off_of(place, seed)
    outcome = asked(tmp_path, f"(x - ({place}))**2 = {text_of(off)}**2")
    roots = sorted(part.lower for part in outcome.listed)
    assert len(roots) == 2
    for root, true in zip(roots, (-off, off), strict=True):
        assert float(Fraction(root) - centre) == pytest.approx(float(true), rel=1e-9)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "form", ["log(abs(x - ({c}))) <= 5", "log(abs(x - ({c}))) + x/1e30 < 2", "exp(1/abs(x - ({c}))) >= 3"]
)
def test_a_hole_is_left_out(tmp_path: Path, place: str, form: str) -> None:
    outcome = asked(tmp_path, form.format(c=place))
    centre = Fraction(place)
    assert not is_in(centre, outcome.listed)
    assert all(is_in(centre + way * Fraction(1, 10), (*outcome.listed, *outcome.open)) for way in (-1, 1))


@pytest.mark.parametrize(("place", "least"), [("2", -70), ("1", -36), ("0.5", -36), ("4096", -27)])
def test_the_few_floats_beside_a_pole_are_found(tmp_path: Path, place: str, least: int) -> None:
    outcome = asked(tmp_path, f"log(abs(x - {place})) <= {least if place != '2' else least / 2}")
    assert (outcome.kind, outcome.proof) == ("range", Proof.PROVEN)
    assert [part.lower < Fraction(place) for part in outcome.listed] == [True, False]
