"""Divisors and multiples in a workbook: the end that was asked is taken, as the engine takes it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.workbooks import by_soffice, recomputable

from flopsheet import Sheet, formula, given, limit, solve
from flopsheet.report.workbook.conclusion import HOLDS, NO_VALUE
from flopsheet.report.workbook.headlines import LARGEST, SMALLEST

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl")


class Parts(Sheet):
    """A batch in equal parts."""

    n_parts = given("Parts", integer=True, maximum=48, example=4)
    batch = given("Batch", integer=True, example=96)
    size = given("Size", example=2)
    centre = given("Usual number of parts", example=16)
    room = given("Room for parts", integer=True, example=48)
    load = formula(n_parts * size, "", "Load")
    spread = formula((n_parts - centre) ** 2, "", "How unusual that is")
    has_room = limit(n_parts <= room, "Room for all parts")


DIVIDES, MULTIPLE = "mod(batch, n_parts) = 0", "mod(n_parts, 2) = 0"
INPUTS = {"batch": 96, "size": 2, "centre": 16, "room": 48}
CASES: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "divisors below": ([DIVIDES, "load <= 40"], {"goal load": 70}, LARGEST),
    "divisors of another number": ([DIVIDES, "load <= 40"], {"batch": 90}, LARGEST),
    "even divisors below": ([DIVIDES, MULTIPLE, "load <= 40"], {"goal load": 90}, LARGEST),
    "divisors above": ([DIVIDES, "load >= 9"], {"goal load": 30}, SMALLEST),
    "divisors between": ([DIVIDES, "load >= 9", "n_parts <= 20"], {"goal load": 15}, SMALLEST),
    "even divisors": ([DIVIDES, MULTIPLE], {"batch": 90}, SMALLEST),
    "a bound that is none": ([DIVIDES, "load <= 40"], {"goal load": 200}, SMALLEST),
    "no bound below": ([DIVIDES, "load >= 9", "n_parts <= 20"], {"goal load": 1}, LARGEST),
    "a relation that bounds both sides": ([DIVIDES, "spread <= 100"], {"goal spread": 90}, SMALLEST),
    "the upper side of both": ([DIVIDES, "spread <= 100"], {"centre": 9}, LARGEST),
    "the lower side of both": ([DIVIDES, "spread <= 100"], {"centre": 40}, SMALLEST),
    "where a limit ends them": ([DIVIDES, "spread <= 100"], {"centre": 9, "room": 9}, ""),
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_the_end_that_was_asked_is_taken(tmp_path: Path) -> None:
    """Counted one by one as well; where another end is wanted now, the workbook says that it has none."""
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    for name, (where, changes, _) in CASES.items():
        before = solve(Parts, "n_parts", [*where, *(f"{key} = {value}" for key, value in INPUTS.items())])
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(before, changes)[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in CASES], tmp_path)
    for name, (where, changes, end) in CASES.items():
        numbers = {key: changes.get(key, value) for key, value in INPUTS.items()}
        goals = [_with(text, changes) for text in where]
        every = (_cells(numbers, count) for count in range(1, numbers["room"] + 1))
        works = [cells["n_parts"] for cells in every if all(_holds(text, cells) for text in goals)]
        given_now = [f"{key} = {value}" for key, value in numbers.items()]
        after = solve(Parts, "n_parts", [*goals, *given_now]).outcomes["n_parts"].si
        rows = computed[f"{name}.xlsx"]
        value = {row[0]: row[1] for row in rows["Model"]}["n_parts"]
        texts = {row[0]: str(row[1]) for row in rows["Answer"] if row[0] in ("Answer", "Verdict")}
        if end:
            assert value == after == (works[-1] if end == LARGEST else works[0]), name
            assert (texts["Verdict"], texts["Answer"].endswith(f": {after}{end}")) == (HOLDS, True), name
        else:
            assert str(value).startswith("#"), name
            assert texts["Verdict"] == NO_VALUE, name


def _with(relation: str, changes: dict[str, Any]) -> str:
    goal = changes.get(f"goal {relation.partition(' ')[0]}")
    return relation if goal is None else f"{relation.rpartition(' ')[0]} {goal}"


def _cells(numbers: dict[str, int], count: int) -> dict[str, int]:
    return {**numbers, "n_parts": count, "load": 2 * count, "spread": (count - numbers["centre"]) ** 2}


def _holds(relation: str, numbers: dict[str, int]) -> bool:
    text = relation.replace(" = ", " == ")
    return bool(eval(text, {"mod": lambda one, other: one % other, **numbers}))  # noqa: S307  # a text of this file
