"""Drivers are inputs by whose printed share the cell moves, whatever roundings are on the way."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, ceil, formula, given, solve
from flopsheet.report.drivers import drivers


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
