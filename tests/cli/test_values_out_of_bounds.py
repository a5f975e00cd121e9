"""A computed cell that its sheet does not allow is named, with exit code 1: the question has no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

YAML = """
sheet: fleet
title: Replicas of several chips
cells:
  n_each: {integer: true, example: 8, minimum: 2, maximum: 26, doc: Chips of a replica}
  n_copies: {integer: true, example: 2, minimum: 1, maximum: 8, doc: Replicas}
  share: {formula: 1/n_copies, maximum: 0.5, doc: Share of a replica}
  price: {formula: 5*n_each/2, doc: Price of a replica}
  n_all: {formula: n_each*n_copies, doc: Chips}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a sheet."""
    path = tmp_path / "fleet.yaml"
    path.write_text(YAML, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("unknown", "relations", "code", "says"),
    [
        ("share", ["n_copies = 2"], 0, ""),
        ("share", ["n_copies = 1"], 1, "But that makes it 1"),
        ("price", ["n_each = 4", "n_copies = 1"], 1, "share came out at 1, outside its bounds"),
        ("n_each", ["price = 20", "n_all = 16"], 0, ""),
        ("n_each", ["price = 20", "n_all = 20"], 1, "n_copies came out at 2.5, which is no whole number."),
    ],
)
def test_it_is_told_and_exits_with_1(  # noqa: PLR0913, PLR0917  # one parameter for each part of a case
    run: Run, file: Path, unknown: str, relations: list[str], code: int, says: str
) -> None:
    got, shown, _ = run("solve", str(file), unknown, *relations)
    assert (got, says in " ".join(shown.split())) == (code, True), shown


def test_its_value_stays_as_what_was_asked_for(file: Path) -> None:
    answer = solve(read_sheet(file), "price", ["n_each = 4", "n_copies = 1"])
    assert (answer.value, answer.meets_question, answer.outside, answer.solved) == (10, True, ["share"], False)
