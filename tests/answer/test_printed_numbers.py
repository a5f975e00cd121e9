"""Numbers that a program printed, given back beside others, in a residual, or beside what was found from one."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path


def count(upper: int) -> dict[str, Any]:
    """Return the bounds of a whole number."""
    return {"integer": True, "maximum": upper}


@pytest.mark.parametrize(
    "relation",
    [
        "power = 3.737192818846552",
        "power - 3.737192818846552 = 0",
        "0 = 3.737192818846552 - power",
        "power + 1 = 4.737192818846552",
    ],
)
def test_a_residual_is_met_like_an_equation(tmp_path: Path, relation: str) -> None:
    cells: dict[str, Any] = {"b": count(6), "f": count(12), "power": {"formula": "b**0.3*f**0.6", "signed": True}}
    assert solve(variables(tmp_path, cells), ["b", "f"], [relation]).tuples == [{"b": 1, "f": 9}]


@pytest.mark.slow
@pytest.mark.parametrize("unknowns", ["kf", "fk"])
def test_what_is_found_from_a_printed_number_meets_a_typed_one(tmp_path: Path, unknowns: str) -> None:
    """The number that follows is 5.770000000000001, of which the remainder is asked to be 5.77."""
    cells: dict[str, Any] = {"f": {}, "k": count(12), "rest": {"formula": "mod(f, k)"}, "power": {"formula": "f**0.6"}}
    answer = solve(variables(tmp_path, cells), [*unknowns], ["rest = 5.77", "power = 2.862236317018589"])
    outcome = answer.outcomes["k"]
    runs = [(part.lower, part.upper) for part in outcome.listed]
    assert [n for first, last in runs for n in range(int(first), int(last) + 1)] == [*range(6, 13)]
    assert outcome.proof is not Proof.OPEN


def test_many_values_of_two_relations_are_the_same_within_rounding(tmp_path: Path) -> None:
    """One relation has exact ratios, the other one floats: all of them are in both."""
    cells: dict[str, Any] = {"x": {"maximum": 20}, "rest": {"formula": "mod(x, 0.3)"}}
    cells |= {"level": {"formula": "log(rest)", "signed": True}}
    answer = solve(variables(tmp_path, cells), "x", ["level = -1.8971199848858813", "rest = 0.15"])
    expected = [Fraction(15, 100) + Fraction(3, 10) * step for step in range(67)]
    assert [part.lower for part in answer.outcomes["x"].listed] == expected


def test_unknowns_without_a_relation_are_an_error(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"b": count(30), "e": count(30)}
    cells |= {"share": {"formula": "b/(b + e)", "maximum": 1}}
    with pytest.raises(UnderdeterminedError):
        solve(variables(tmp_path, cells), ["b", "e"], [])


def test_a_large_number_beside_an_exponential_is_not_factored(tmp_path: Path) -> None:
    cells: dict[str, Any] = {
        "a": {"maximum": 100},
        "e": {"minimum": 0, "maximum": 50},
        "gap": {"formula": "a - 2**(e/0.3)", "signed": True},
    }
    answer = solve(variables(tmp_path, cells), ["a", "e"], ["gap = e - 4e9", "a >= 14"])
    assert answer.solved


@pytest.mark.parametrize("hours", [Fraction(3, 10), 1, 30, 100, 3 * 10**6])
def test_a_whole_number_beside_a_large_summand_is_found_from_what_is_printed(hours: Fraction, tmp_path: Path) -> None:
    """The printed time has few digits of what the number adds to it: they put it up to 0.001 beside the number."""
    cells: dict[str, dict[str, Any]] = {
        "nx": {"integer": True, "maximum": 1000},
        "per": {"unit": "bit"},
        "bw": {"unit": "MiB/s"},
        "lat": {"unit": "hour"},
        "tt": {"unit": "us", "formula": "(nx + 1/3)*per/(bw*0.4) + lat"},
    }
    sheet, chance = variables(tmp_path, cells), Random(11)  # noqa: S311  # the same draws in each run
    for _ in range(20):
        number = chance.randint(1, 1000)
        given = [f"per = {chance.choice(('12.25', '3', '7.5'))} bit", f"bw = {chance.choice((64, 3.7, 900))} MiB/s"]
        given.append(f"lat = {float(hours)} hour")
        printed = solve(sheet, (), [*given, f"nx = {number}"]).cells["tt"].value
        found = solve(sheet, "nx", [*given, f"tt = {printed!r} us"]).outcomes["nx"]
        assert any(number in part for part in found.solutions)
        gap = (Fraction(number) + 1) * Fraction(1, 10**9)
        assert hours > 10**4 or all(
            part.is_point and abs(Fraction(part.lower) - number) <= gap for part in found.solutions
        )
