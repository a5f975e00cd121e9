"""Unknowns of which one has several values alone: each is followed, or all are sought together; no tuple is false."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import Answer, solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path


def asked(folder: Path, cells: dict[str, tuple[float, float]], relations: list[str], *, integer: bool) -> Answer:
    """Return the answer to relations of unknowns between bounds."""
    rows: dict[str, dict[str, Any]] = {
        name: {"minimum": low, "maximum": high, "integer": integer} for name, (low, high) in cells.items()
    }
    return solve(variables(folder, rows), [*cells], relations)


@pytest.mark.parametrize(
    ("cells", "relations", "integer", "expected"),
    [
        (
            {"b": (1, 1000), "k": (1, 1000)},
            ["b*k = 512", "mod(b, 8) = 0"],
            True,
            [(8, 64), (16, 32), (32, 16), (64, 8), (128, 4), (256, 2), (512, 1)],
        ),
        ({"b": (1, 1000), "k": (1, 1000)}, ["b*k <= 512", "mod(b, 200) = 0"], True, [(200, 1), (200, 2), (400, 1)]),
        ({"u": (0, 20), "v": (0, 20)}, ["u + v = 20", "mod(u, 8) = 0"], False, [(0, 20), (8, 12), (16, 4)]),
        (
            {"u": (0, 2), "v": (0, 2)},
            ["u**2 + v**2 = 1", "ceil(4*u) = 4*u"],
            False,
            [(0, 1), (0.25, 0.9682458365518543), (0.5, 0.8660254037844386), (0.75, 0.6614378277661477), (1, 0)],
        ),
        ({"u": (0, 3), "v": (0, 3)}, ["u**2 - v + 1 = 0", "u - cos(v*90 degree) = 0"], False, [(0, 1)]),
    ],
)
def test_all_tuples_are_found(
    tmp_path: Path,
    cells: dict[str, tuple[float, float]],
    relations: list[str],
    integer: bool,
    expected: list[tuple[float, ...]],
) -> None:
    answer = asked(tmp_path, cells, relations, integer=integer)
    points = [tuple(map(float, values.values())) for values in answer.tuples]
    assert points == [pytest.approx(point, rel=1e-15) for point in expected]
    assert not any(outcome.proof is Proof.OPEN for outcome in answer.outcomes.values())


def test_where_more_values_are_than_can_be_followed_no_tuples_are_listed(tmp_path: Path) -> None:
    answer = asked(tmp_path, {"u": (0, 20), "v": (0, 20)}, ["u + v = 20", "mod(u, 0.01) = 0"], integer=False)
    assert answer.unfollowed == "u"
    assert answer.tuples == []
    ((cell, value),) = answer.outcomes["v"].at
    assert (cell.name, answer.outcomes["v"].si) == ("u", 20 - value)
    assert str(answer).endswith("only.")


def test_a_range_is_told_over_all_values_of_a_cell_that_nobody_asks_for() -> None:
    """The x of the last y, 8, was told alone, and 3, which goes with 10, was excluded."""
    text = """sheet: rounds
title: Rounds.
cells:
  x: {doc: At once, integer: true, minimum: 2, maximum: 12}
  y: {doc: All, integer: true, minimum: 0, maximum: 12}
  rounds: {doc: Rounds, formula: ceil(y/x)}
"""
    answer = solve(parse_sheet(text, "rounds"), ["x", "rounds"], ["mod(y, 2) = 0", "rounds = 4"])
    expected = [x for x in range(2, 13) if any(-(-y // x) == 4 for y in range(0, 13, 2))]
    listed = answer.outcomes["x"].listed
    assert [x for x in range(2, 13) if any(x in part for part in listed)] == expected == [2, 3]
