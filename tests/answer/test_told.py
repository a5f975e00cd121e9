"""What reasons claim, at small sheets: which relations hold where, and what there would be without limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from flopsheet import solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from flopsheet import Sheet

COUNT = {"integer": True, "maximum": 9}


def sheet(cells: dict[str, Any], limits: dict[str, str] | None = None, **more: Any) -> Sheet:
    """Return a sheet of such rows, a text as a formula."""
    rows = {name: {"formula": row} if isinstance(row, str) else row for name, row in cells.items()}
    content: dict[str, Any] = {"sheet": "told", "title": "Told", **more}
    content["cells"] = {name: {"doc": name, "symbol": "c", **row} for name, row in rows.items()}
    content["limits"] = {name: {"relation": text, "doc": name} for name, text in (limits or {}).items()}
    return parse_sheet(yaml.safe_dump(content, sort_keys=False), "told")


def test_a_bound_that_is_left_out_is_told() -> None:
    answer = solve(sheet({"x": COUNT}), "x", ["x < 9"])
    assert str(answer).startswith("x < 9, so 8. 'x < 9' holds for x < 9.")
    assert str(solve(sheet({"x": COUNT}), "x", ["x <= 9"])).startswith("any x works")


def test_all_that_leave_one_value_are_named() -> None:
    assert "'x >= 4' and 'x <= 4' hold for x = 4." in str(solve(sheet({"x": COUNT}), "x", ["x >= 4", "x <= 4"]))
    jumps = sheet({"x": {}, "y": {"formula": "ceil(x/2) + x", "minimum": "26.7"}})
    assert "'y >= 26.7' and 'x <= 17.7' hold at 17.7 only." in str(solve(jumps, "x", ["x <= 17.7"]))


def test_of_two_relations_with_one_end_the_one_that_leaves_it_out_is_named() -> None:
    answer = solve(sheet({"x": COUNT, "y": "2*x"}), "x", ["y <= 10", "x < 5"])
    assert "'x < 5' holds for x < 5. 'y <= 10' holds there too." in str(answer)


def test_a_relation_that_leaves_one_of_two_ranges_is_named() -> None:
    far = sheet({"x": {"integer": True, "minimum": 0, "maximum": 25}, "y": "x/(x**2 + 1)"})
    assert "'y < 0.125' and 'x <= 5' hold for x" in str(solve(far, "x", ["y < 0.125", "x <= 5"]))


def test_a_limit_is_named_within_which_a_bound_was_tried() -> None:
    cells = {"x": COUNT, "odd": {"formula": "mod(x, 2)", "minimum": 1}, "same": "x/1"}
    answer = solve(sheet(cells, {"fits": "same < 7"}), "x", ["x <= 7.5"])
    assert [int(part.lower) for part in answer.outcomes["x"].listed] == [1, 3, 5]
    assert answer.outcomes["x"].limits == ("fits",)


def test_without_a_limit_all_else_still_binds() -> None:
    cells = {"x": {**COUNT, "minimum": 3}, "rest": "mod(x, 5) - x + 0.5"}  # zero or more below 5 only
    answer = solve(sheet(cells, {"fits": "rest < 0"}), "x", ["x > 3"])
    assert answer.outcomes["x"].kind == "none"
    assert "Without it: 3 < x < 5, so 4." in answer.outcomes["x"].why
    lifted = solve(sheet(cells, {"fits": "rest < 0"}), "x", ["x > 3"], without="fits")
    assert [x for x in range(3, 10) if any(x in part for part in lifted.outcomes["x"].listed)] == [4]


def test_a_limit_is_not_blamed_for_what_a_relation_excludes() -> None:
    choices = {"hue": {"options": ["red", "blue"], "doc": "hue"}}
    cells = {"x": COUNT, "p": {}, "of_hue": "select(hue, red=p, blue=2*p)", "y": "ceil(x/7)"}
    answer = solve(sheet(cells, {"fits": "y < 1"}, choices=choices), ("x", "hue"), ["p = 3", "of_hue < 4", "x <= 7"])
    why = {candidate.options["hue"]: candidate.why for candidate in answer.ranking.rejected} if answer.ranking else {}
    assert why["red"] == "Limit fits leaves no x at which 'x <= 7' holds."
    assert why["blue"].startswith("'of_hue < 4' does not hold")


def test_where_other_limits_are_broken_lifting_one_is_not_enough() -> None:
    cells = {"x": COUNT, "p": {}, "y": "4*p"}
    answer = solve(sheet(cells, {"fits": "x + p <= 5", "cap": "y <= 10"}), "x", ["p = 3", "x >= 4"])
    assert "Without any limit: x >= 4" in answer.outcomes["x"].why


def test_no_value_of_one_unknown_leaves_none_of_another() -> None:
    answer = solve(sheet({"x": COUNT, "z": COUNT}), ("x", "z"), ["x < 4", "x >= 4", "z <= 5"], best="max:z")
    assert [own.kind for own in answer.outcomes.values()] == ["none", "none"]
    assert answer.outcomes["z"].why.startswith("x, asked with it, has no value.")


def test_what_ranks_tuples_may_rest_on_an_unknown_that_nothing_decides() -> None:
    cells = {"x": COUNT, "z": COUNT, "v": COUNT, "y": "ceil(z/7)", "product": "(v + 2)*(x + 1)"}
    with pytest.raises(UnderdeterminedError, match="'z'"):
        solve(sheet(cells), ("x", "z", "v"), ["product < 30"], best="min:y")


@pytest.mark.parametrize("near", [None, 7])
def test_limits_that_cannot_be_inverted_are_checked_at_each_value(near: int | None) -> None:
    cells = {"x": {**COUNT, "minimum": 0}, "share": "x/50", "over": "share*sqrt(total)", "total": "x + 3 + over"}
    answer = solve(sheet(cells, {"fits": "total <= 8"}, implicit=True), "x", ["x >= 2"], near)
    expected = [x for x in range(2, 10) if 8 - x / 50 * math.sqrt(8) >= x + 3]
    assert [int(part.lower) for part in answer.outcomes["x"].listed] == expected
    assert answer.outcomes["x"].si == (expected[0] if near is None else expected[-1])
    assert f"{len(expected)} of 8 work" in answer.outcomes["x"].why


def test_limits_that_cannot_be_checked_everywhere_leave_the_rest_open() -> None:
    cells = {"x": {"minimum": 0, "maximum": 9}, "share": "x/50", "over": "share*sqrt(total)"}
    cells |= {"total": "x + 3 + over"}
    answer = solve(sheet(cells, {"fits": "total <= 8"}, implicit=True), "x", ["x >= 2"])
    outcome = answer.outcomes["x"]
    assert outcome.proof == "open"
    assert [(part.lower, part.upper) for part in outcome.listed] == [(2, 2)]


def test_a_limit_that_fails_at_the_only_value_that_is_checked_leaves_the_rest_open() -> None:
    cells = {"x": {"minimum": 0, "maximum": 9}, "share": "x/50", "over": "share*sqrt(total)"}
    cells |= {"total": "x + 3 + over"}
    outcome = solve(sheet(cells, {"fits": "total >= 8"}, implicit=True), "x", ["x >= 2"]).outcomes["x"]
    assert (outcome.kind, outcome.proof) == ("none", "open")
    assert [(part.lower, part.upper) for part in outcome.open] == [(2, 9)]
    assert "Without it" not in outcome.why
