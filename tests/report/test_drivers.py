"""Drivers are inputs by whose printed share the cell moves, whatever roundings are on the way."""

from __future__ import annotations

import math

import pytest

from flopsheet import Sheet, ceil, formula, given, solve
from flopsheet.report.drivers import drivers
from flopsheet.report.moves import drivers_of, strongest_of
from flopsheet.report.texts.drivers import drivers_text


class Pages(Sheet):
    """A cache in pages: a larger page has more bytes, and there are fewer of them."""

    length = given("Tokens", "token", default=1000, integer=True)
    per_page = given("Tokens of a page", "token", default=48.0)
    bytes_per_token = given("Bytes of a token", "byte/token", default=3)
    overhead = given("Bytes beside", "byte", default=10)
    page_size = formula(per_page * bytes_per_token, "byte", "Bytes of a page")
    header = formula(1 + overhead / page_size, "", "Share of headers")
    n_pages = formula(ceil(length / per_page), "", "Pages", integer=True)
    cache = formula(n_pages * page_size, "byte", "Bytes of all pages")
    whole = formula(ceil(length / per_page) * page_size + overhead, "byte", "Bytes of all pages, and beside")
    far = formula(whole * header, "byte", "With headers")


@pytest.mark.parametrize("cell", ["whole", "far"])
def test_what_reaches_the_outside_of_a_rounding_through_another_cell_is_no_driver(cell: str) -> None:
    """A page that is 1 % larger has 1 % more bytes, and there are as many fewer of them over a few steps."""
    named = dict(drivers(solve(Pages(), cell), cell))
    assert "per_page" not in named
    assert named["bytes_per_token"] == pytest.approx(1, abs=0.1)


def test_it_is_none_of_an_unknown_that_such_a_cell_bounds() -> None:
    answer = solve(Pages(), "bytes_per_token", ["whole <= 4000 byte"])
    named = dict(drivers(answer, "bytes_per_token"))
    assert "per_page" not in named
    assert "4000 byte" in named


def test_what_moves_it_as_printed_stays_a_driver() -> None:
    """It is inside of the rounding too, where it changes next to nothing."""
    answer = solve(Pages(), "header")
    assert "per_page" in dict(drivers(answer, "header"))


class Ranks(Sheet):
    """Work that ranks share, but for a part of it."""

    n_ranks = given("Ranks", default=8, integer=True)
    work = given("Work", "FLOP", default=800)
    rest = given("Work of each rank", "FLOP", default=20)
    light = given("A constant of nature", "m/s", default=299792458, fixed=True)
    load = formula(work / n_ranks + rest, "FLOP", "Work of one rank")
    wait = formula(load / light, "FLOP*s/m", "Work over a constant")


def test_a_count_of_a_few_is_doubled_for_it_cannot_grow_by_one_percent() -> None:
    """With 16 ranks in place of 8, 800/16 + 20 = 70 FLOP are left of 800/8 + 20 = 120."""
    answer = solve(Ranks(), "load")
    by = {driver.by: driver for driver in drivers_of(answer, strongest_of(answer))}
    assert (by["n_ranks"].grown, by["n_ranks"].text) == ("twice the", "41.7 % less")
    assert (by["work"].grown, by["work"].text) == ("1 % more", "0.833 % more")
    assert drivers_text(answer, "load").endswith("; for twice n_ranks: -41.7")
    assert by["n_ranks"].length == round(100 * math.log2(120 / 70))  # per percent, from 8 to 16
    assert by["work"].length == round(100 * 100 / 120)
    many = solve(Ranks(), "load", {"n_ranks": 800})
    assert {driver.by: driver.grown for driver in drivers_of(many, strongest_of(many))}["n_ranks"] == "1 % more"


def test_of_what_is_searched_a_count_of_a_few_has_a_direction() -> None:
    answer = solve(Ranks(), "work", ["load <= 120 FLOP"])
    by = {driver.by: driver for driver in drivers_of(answer, strongest_of(answer))}
    assert (by["n_ranks"].grown, by["n_ranks"].text) == ("a larger", "more")
    assert drivers_text(answer, "work").endswith("; for a larger n_ranks: positive")


def test_a_constant_of_nature_is_no_driver() -> None:
    assert {by for by, _ in drivers(solve(Ranks(), "wait"), "wait")} == {"n_ranks", "work", "rest"}


def test_the_bound_that_a_question_states_of_the_unknown_is_no_driver() -> None:
    answer = solve(Ranks(), "work", ["load <= 120 FLOP", "work <= 100 FLOP"])
    assert answer.value == 100
    assert not drivers(answer, "work")
