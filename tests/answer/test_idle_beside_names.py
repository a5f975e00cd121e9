"""A number that is asked for beside a name, and that some names do not use: every value of it works with these."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import yaml

from flopsheet import Sheet, choice, formula, given, select, solve, sqrt
from flopsheet.errors import UnderdeterminedError

if TYPE_CHECKING:
    from pathlib import Path


class Schedule(Sheet):
    """A share that rests on a depth with one option only."""

    kind = choice("flat", "deep", "none", doc="Kind", example="deep")
    n = given("Depth of the deep kind", integer=True, example=4)
    other = given("Another count", integer=True, example=8)
    share = formula(select(kind, flat=1 / other, deep=1 / (other * n), none=0), "", "Share")


SHEET = Schedule()


def works(*relations: str, best: str | None = None) -> dict[str, str]:
    ranking = solve(SHEET, ("kind", "n"), relations, best=best).ranking
    assert ranking is not None
    assert ranking.complete
    return {own.options["kind"]: str(own.answer.outcomes["n"].why) for own in ranking.working if own.answer}


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        (("other = 8", "share <= 5 %"), {"deep", "none"}),
        (("other = 8", "share <= 20 %"), {"flat", "deep", "none"}),
        (("other = 8", "share <= 5 %", "n <= 2"), {"none"}),
        (("other = 8", "share = 1/32"), {"deep"}),
    ],
)
def test_names_that_do_not_use_a_number_are_decided(relations: tuple[str, ...], expected: set[str]) -> None:
    found = works(*relations)
    assert found.keys() == expected
    for kind in expected - {"deep"}:
        assert kind == "none" or "Every value of n works" in found[kind]
    assert works(*relations, best="min:share").keys() == expected


def test_a_number_that_no_name_needs_is_still_refused() -> None:
    with pytest.raises(UnderdeterminedError):
        solve(SHEET, ("kind", "n"), ["other = 8", "other <= 9"])


class Bounded(Schedule):
    """The same, where what is left of the depth cannot be negative."""

    left = formula(20 - Schedule.rows.cells["n"].symbol, "", "Depth that is left")


def test_bounds_of_other_cells_bind_a_number_that_a_name_does_not_use() -> None:
    ranking = solve(Bounded(), ("kind", "n"), ["other = 8", "share <= 20 %"], {"n": 30}).ranking
    assert ranking is not None
    outcomes = {own.options["kind"]: own.answer.outcomes["n"] for own in ranking.working if own.answer}
    assert {kind: own.si for kind, own in outcomes.items()} == {"flat": 20, "none": 20, "deep": 20}
    assert outcomes["flat"].why.startswith("'left >= 0' holds for n <= 20.")


def test_any_number_works_with_a_name_that_does_not_use_it(tmp_path: Path) -> None:
    content = {
        "sheet": "kinds",
        "title": "Kinds.",
        "cells": {"x": {"signed": True}, "w": {"formula": "select(kind, used=x, plain=10)", "signed": True}},
        "choices": {"kind": {"options": ["used", "plain"], "doc": "Kind"}},
    }
    (tmp_path / "kinds.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    ranking = solve(str(tmp_path / "kinds.yaml"), ("kind", "x"), ["w > 9"]).ranking
    assert ranking is not None
    found = {own.options["kind"]: own.answer.outcomes["x"].listed[0].lower for own in ranking.working if own.answer}
    assert found == {"used": 9, "plain": -math.inf}


class Valued(Sheet):
    """A value that some options do not have."""

    kind = choice("inverse", "root", "sum", doc="Kind", example="sum")
    x = given("Number", minimum=0, example=1)
    y = formula(select(kind, inverse=1 / x, root=sqrt(x - 2), sum=x + 1), "", "Value", signed=True)


def test_an_option_without_a_value_is_excluded() -> None:
    ranking = solve(Valued(), "kind", ["x = 0", "y >= 0"]).ranking
    assert ranking is not None
    assert ranking.complete
    assert [own.options["kind"] for own in ranking.working] == ["sum"]
