"""Whole numbers that relations tie: every tuple that trying all numbers finds, and no other, in little work."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.errors import QuestionError
from flopsheet.search import whole_tuples
from flopsheet.search.several_unknowns import JointSearch
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer

# The largest value of each unknown, from 1, what is asked, and the same in Python.
TIED: dict[str, tuple[dict[str, int], list[str], Callable[..., bool]]] = {
    "Pell's equation": ({"x": 2100, "y": 800}, ["x**2 - 7*y**2 = 1"], lambda x, y: x**2 - 7 * y**2 == 1),
    "negative": ({"x": 1500, "y": 1500}, ["x**2 - 2*y**2 = -1"], lambda x, y: x**2 - 2 * y**2 == -1),
    "cubic": ({"x": 200, "y": 5000}, ["y**2 = x**3 - 2"], lambda x, y: y**2 == x**3 - 2),
    "ratio": (
        {"x": 400, "y": 120},
        ["x/y >= 3.14159", "x/y <= 3.1416", "y <= 120"],
        lambda x, y: 314159 * y <= 100_000 * x and 10_000 * x <= 31416 * y,
    ),
    "degrees": (
        {"dp": 300, "tp": 8, "pp": 80},
        ["dp*tp*pp <= 2048", "dp*tp*pp >= 2000", "mod(80, pp) = 0", "mod(tp, 2) = 0"],
        lambda dp, tp, pp: 2000 <= dp * tp * pp <= 2048 and not 80 % pp and not tp % 2,
    ),
}


def _answer(largest: dict[str, int], asked: list[str]) -> Answer:
    cells = "".join(
        f"  {name}: {{doc: Number, integer: true, minimum: 1, maximum: {most}}}\n" for name, most in largest.items()
    )
    return solve(parse_sheet(f"sheet: tied\ntitle: Tied.\ncells:\n{cells}", "tied"), [*largest], asked)


@pytest.mark.parametrize("name", TIED)
def test_all_tuples_are_listed_and_proven(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    largest, asked, holds = TIED[name]
    monkeypatch.setattr(JointSearch, "_search", lambda *_: pytest.fail("bounds alone part slowly"))
    if name == "ratio":  # where nothing jumps, they part fast
        monkeypatch.undo()
    answer = _answer(largest, asked)
    tried = [numbers for numbers in product(*(range(1, most + 1) for most in largest.values())) if holds(*numbers)]
    assert sorted(tuple(own.values()) for own in answer.tuples) == tried
    assert not any(own.open for own in answer.outcomes.values())


def test_rows_that_leave_many_numbers_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_tuples, "MOST_IN_ROWS", 1)
    largest, asked, holds = {"x": 60, "y": 20}, ["x**2 - 7*y**2 = 1"], TIED["Pell's equation"][2]
    answer = _answer(largest, asked)
    assert [tuple(own.values()) for own in answer.tuples] == [(8, 3)]
    assert holds(8, 3)


@pytest.mark.parametrize("asked", [["x = 10*y"], ["x/y = 10", "x*y >= 400"]])
def test_endless_tuples_take_little_work(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Boxes that a search had left open were tried one by one, without an end."""
    searches: list[JointSearch] = []
    init = JointSearch.__init__

    def noted(self: JointSearch, *args: object, **more: object) -> None:
        init(self, *args, **more)  # type: ignore[arg-type]
        searches.append(self)

    monkeypatch.setattr(JointSearch, "__init__", noted)
    cells = "".join(f"  {name}: {{doc: Number, integer: true, minimum: 1}}\n" for name in "xy")
    with suppress(QuestionError):
        solve(parse_sheet(f"sheet: endless\ntitle: Endless.\ncells:\n{cells}", "endless"), ["x", "y"], asked)
    works = [own.joint.evaluations for own in searches]
    assert 0 < max(works) < 400_000, works
