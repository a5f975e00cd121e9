"""The whole number beside an answer that all but an inequality allows: what it gives stands in the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Sheet

ROWS = """
sheet: shared
title: A load that shards share.
cells:
  load: {doc: Load, default: 100, source: the test}
  total: {doc: Items in all, integer: true, default: 60, source: the test}
  n: {doc: Shards, integer: true}
  share: {doc: Load of a shard, formula: load / n}
  cost: {doc: Cost of the shards, formula: n * 7}
limits:
  shards_are_equal: {relation: "mod(total, n) = 0", doc: Each shard has as many items}
"""


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    file = tmp_path / "shared.yaml"
    file.write_text(ROWS)
    return read_sheet(file)


@pytest.mark.parametrize(
    ("relations", "ending"),
    [
        (["share <= 12"], "hold for n = 10, 12, 15, 20, 30 or 60. 10 gives share 10. 6 gives share 16.67."),
        (["share <= 100"], "hold for n = 1 to 6, 10, 12, 15, 20, 30 or 60."),
        (["cost <= 150"], "hold for n = 1 to 6, 10, 12, 15 or 20. 20 gives cost 140. 30 gives cost 210."),
        (["share <= 12", "cost <= 150"], "hold for n = 10, 12, 15 or 20."),
    ],
    ids=["one inequality", "none is excluded", "from above", "two inequalities"],
)
def test_the_next_number_that_an_inequality_excludes(sheet: Sheet, relations: list[str], ending: str) -> None:
    assert solve(sheet, "n", relations).outcomes["n"].why.endswith(ending)


@pytest.mark.parametrize("most", [7, 12, 21, 40, 99])
def test_it_meets_the_limit_and_not_the_inequality(sheet: Sheet, most: int) -> None:
    reason = solve(sheet, "n", f"share <= {most}").outcomes["n"].why
    first, beside = (int(text.split()[0]) for text in reason.split(". ")[-2:])
    assert not any(60 % number == 0 for number in range(beside + 1, first))
    assert 60 % first == 60 % beside == 0
    assert 100 / first <= most < 100 / beside


def test_a_range_is_followed_by_what_breaks_a_limit(sheet: Sheet) -> None:
    reason = solve(sheet, "n", "share <= 12", without="shards_are_equal").outcomes["n"].why
    assert reason.endswith("9 gives share 11.11. 8 gives share 12.5.")
