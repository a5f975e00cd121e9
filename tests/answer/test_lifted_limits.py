"""What an answer says there would be without limits: trying all whole numbers finds the same."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.answer.by_trial import tuples_of, value_of

from flopsheet import solve
from flopsheet.errors import FlopsheetError
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flopsheet import Sheet

PARTS = ["{}*{}", "{}+{}", "{}-{}", "ceil({}/3)*{}", "floor({}/2)+{}", "mod({},3)+{}", "max({},{})", "min({},{})"]
SIGNS = ("=", "<=", ">=", "<=", ">=")
PER_SEED = 40


def limited(folder: Path, most: dict[str, int], limits: Sequence[str]) -> Sheet:
    """Return a sheet of counts from 1 to a number each, with limits `l0`, `l1`, ..."""
    cells = {name: {"doc": "Count", "integer": True, "minimum": 1, "maximum": high} for name, high in most.items()}
    rules = {f"l{place}": {"relation": text} for place, text in enumerate(limits)}
    file = folder / "limited.yaml"
    file.write_text(yaml.safe_dump({"sheet": "limited", "title": "Limited", "cells": cells, "limits": rules}))
    return read_sheet(file)


def test_another_limit_may_exclude_what_there_is_without_one(tmp_path: Path) -> None:
    """Without l1 there is no x either: the minimum of x and 4 is 3 or 4 there."""
    sheet = limited(tmp_path, {"x": 4}, ["mod(min(x, 4), 4) = 2", "2*x = 4"])
    answer = solve(sheet, "x", ["2*x >= 6"])
    assert answer.outcomes["x"].kind == "none"
    assert answer.outcomes["x"].why.endswith("Without any limit: x >= 3, so 3.")


def test_a_count_that_a_limit_excludes_has_no_value_beside_several_of_another(tmp_path: Path) -> None:
    sheet = limited(tmp_path, {"x": 7, "y": 13}, ["x >= 5"])
    answer = solve(sheet, ["x", "y"], ["2*ceil(7/(x + 1)) = 6", "mod(y, 4) = 3"])
    x, y = answer.outcomes["x"], answer.outcomes["y"]
    assert (x.kind, x.listed) == ("none", ())
    assert x.why == "Limit l0 ('x >= 5') excludes every x: it needs x >= 5. Without it: 1.333 <= x < 2.5, so 2."
    assert [part.lower for part in y.listed] == [3, 7, 11]
    assert not answer.solved


def _relation(draw: Random, point: dict[str, int]) -> str:
    """Return a relation that holds at a point, or hardly misses it."""
    text = draw.choice(PARTS).format(*(draw.choice([*point]) for _ in range(2)))
    text = f"mod({text}, {draw.choice((2, 3, 4))})" if draw.random() < 1 / 4 else text
    value = value_of(text, point)
    return f"{text} {draw.choice(SIGNS)} {value + draw.choice((0, 0, 1, -1, 2))}"


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))])
def test_what_is_told_without_some_limits_needs_no_other_one_lifted(seed: int, tmp_path: Path) -> None:
    """Where limits exclude every value, what is told are those without any limit: the others then exclude none."""
    draw = Random(seed)  # noqa: S311  # the same each time
    for _ in range(PER_SEED):
        most = {name: draw.choice((4, 7, 12)) for name in "xy"}
        point = {name: draw.randint(1, high) for name, high in most.items()}
        limits, asked = ([_relation(draw, point) for _ in range(count)] for count in (draw.choice((2, 3)), 1))
        asked.append(f"y = {point['y']}")
        try:
            why = solve(limited(tmp_path, most, limits), "x", asked).outcomes["x"].why
        except FlopsheetError:  # nothing is claimed
            continue
        told, without, _ = why.partition("Without it: ") if "Without it" in why else why.partition("Without them: ")
        named = re.findall(r"\bl(\d)\b", told) if without and "exclude" in told else []
        ranges = {name: range(1, high + 1) for name, high in most.items()}
        others = [text for place, text in enumerate(limits) if str(place) not in named]
        if named:
            assert tuples_of([*asked, *others], ranges) == tuples_of(asked, ranges), (limits, asked, why)


def test_of_several_counts_another_limit_may_exclude_what_there_is_without_one(tmp_path: Path) -> None:
    """Each of both limits excludes both tuples."""
    sheet = limited(tmp_path, {"x": 7, "y": 7}, ["x*y = 14", "x >= 3"])
    why = solve(sheet, ["x", "y"], ["x + y = 8", "x <= 2"]).outcomes["x"].why
    assert why == "Limit l0 ('x*y = 14') excludes all values of x and y. Without limits and bounds: (1, 7) or (2, 6)."


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_what_is_told_of_two_counts_needs_no_other_limit_lifted(seed: int, tmp_path: Path) -> None:
    draw = Random(100 + seed)  # noqa: S311
    for _ in range(PER_SEED):
        most = {name: draw.choice((4, 7)) for name in "xy"}
        point = {name: draw.randint(1, high) for name, high in most.items()}
        limits, asked = ([_relation(draw, point) for _ in range(2)] for _ in range(2))
        try:
            why = solve(limited(tmp_path, most, limits), ["x", "y"], asked).outcomes["x"].why
        except FlopsheetError:
            continue
        match = re.search("(.*) all values of x and y. Without (it|them): ", why)
        if match:
            others = [text for place, text in enumerate(limits) if f"l{place}" not in match[1]]
            ranges = {name: range(1, high + 1) for name, high in most.items()}
            assert tuples_of([*asked, *others], ranges) == tuples_of(asked, ranges), (limits, asked, why)
