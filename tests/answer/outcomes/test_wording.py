"""Whole numbers in words: singly, or as a range where they follow each other."""

from __future__ import annotations

import math

import pytest

from flopsheet import Sheet, equal, given, limit, mod, solve
from flopsheet.answer.outcomes.wording import in_one_sentence, some_wholes, undecided_text, wholes_text
from flopsheet.numbers.sets import Interval
from flopsheet.report.sentences import outcome_text

CASES = {
    "": [],
    "4": [(4, 4)],
    "1, 2, 4": [(1, 2), (4, 4)],
    "1, 2, 3, 4, 5": [(1, 5)],
    "1 to 6": [(1, 6)],
    "7 to 80": [(number, number) for number in range(7, 81)],
    "2, 4 to 9, 2000": [(2, 2), (4, 6), (7, 9), (2000, 2000)],
    "3, from 30 on": [(3, 3), (30, math.inf)],
    "up to 5": [(-math.inf, 5)],
}


@pytest.mark.parametrize(("text", "runs"), CASES.items(), ids=CASES)
def test_long_runs_are_ranges(text: str, runs: list[tuple[float, float]]) -> None:
    assert wholes_text([Interval(*run) for run in runs], 20) == (text, False)


def test_what_is_left_out_is_told() -> None:
    odd = [Interval(number, number) for number in range(1, 99, 2)]
    assert wholes_text(odd, 3) == ("1, 3, 5", True)
    assert wholes_text([Interval(1, 5)], 3) == ("1, 2, 3", True)


class Tiles(Sheet):
    """Tiles that divide a width."""

    width = given("Width", example=720_720, integer=True)
    n_tiles = given("Tiles", example=4, integer=True)
    tiles_fill = limit(equal(mod(width, n_tiles), 0), "Tiles fill the width")


def test_an_answer_names_the_range() -> None:
    answer = solve(Tiles(), "n_tiles", ["width = 720720", "n_tiles <= 20"])
    assert [n for n in range(1, 21) if 720_720 % n == 0] == [*range(1, 17), 18, 20]
    assert outcome_text(answer.outcomes["n_tiles"]) == "n_tiles is one of 1 to 16, 18, 20 (limit tiles_fill)"


def test_reasons_name_the_whole_numbers_and_end_their_list() -> None:
    """They said "hold for 16, 32.": of what, and whether that is all, was left to the reader."""
    asked = ["width = 720720", "n_tiles >= 17", "n_tiles <= 20"]
    why = solve(Tiles(), "n_tiles", asked).outcomes["n_tiles"].why
    assert why.endswith("hold for n_tiles = 18 or 20.")


def test_sentences_are_joined_and_keep_their_dots() -> None:
    assert in_one_sentence([]) == in_one_sentence([""]) == ""
    assert in_one_sentence(["a is 2."]) == "a is 2."
    assert in_one_sentence(["a is 1, 2, ...", "", "b is 3."]) == "a is 1, 2, ...; b is 3."
    assert in_one_sentence(["b is 3.", "a is 1, 2, ..."]) == "b is 3; a is 1, 2, ..."


def test_undecided_names_have_the_reason_of_most_of_them() -> None:
    lacks, other = "'cost' cannot be found: it has no price. Give 'price'.", "'time' cannot be found: it has no rate."
    assert undecided_text([lacks]) == "1 was not decided: 'cost' cannot be found: it has no price."
    assert undecided_text([lacks, lacks]) == "2 were not decided: 'cost' cannot be found: it has no price."
    assert undecided_text([other, lacks, lacks]) == (
        "3 were not decided: 2 since 'cost' cannot be found: it has no price, "
        "and 1 since 'time' cannot be found: it has no rate."
    )
    assert undecided_text([other, lacks, "It is late.", lacks]) == (
        "4 were not decided: 2 since 'cost' cannot be found: it has no price, and 2 for other reasons."
    )


def test_values_of_a_cell_are_told_by_its_name() -> None:
    cell = Tiles().cells["n_tiles"]
    assert some_wholes([Interval(8, 8)], cell, 20) == "n_tiles = 8"
    assert some_wholes([Interval(4, 4), Interval(8, 80)], cell, 20) == "n_tiles = 4 or 8 to 80"
    assert some_wholes([Interval(3, math.inf)], cell, 20) == "n_tiles from 3 on"
    assert some_wholes([Interval(1, 5)], cell, 3) == "n_tiles = 1, 2, 3, ..."
    assert some_wholes([Interval(1, 3)], cell, 3, rest=" and others") == "n_tiles = 1, 2, 3 and others"
