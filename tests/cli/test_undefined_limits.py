"""A limit with a side that has no value stands first, as not checked; cells that do not need it are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet import Sheet, choice, formula, given, limit, select, solve, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

UNCHECKED = "Limit thin cannot be checked: 'length/room' has no value at these numbers: it divides by zero."
YAML = """
sheet: gap
title: A sum beside a quotient
cells:
  length: {example: 3, minimum: 0, doc: Length}
  room: {example: 1, minimum: 0, doc: Room}
  whole: {formula: length + room, doc: Both}
limits:
  thin: {relation: length/room <= 10, doc: It is not too long}
"""


class Gap(Sheet):
    """A sum, and a quotient that a limit bounds."""

    mode = choice("tight", "loose", default="tight")
    length = given("Length", example=3)
    gap = given("Gap", minimum=0, example=1)
    room = formula(select(mode, tight=gap, loose=gap + 1), "", "Room")
    whole = formula(length + gap, "", "Both")

    thin = limit(length / room <= 10, "It is not too long")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of the same sheet in YAML."""
    path = tmp_path / "gap.yaml"
    path.write_text(YAML, encoding="utf-8")
    return path


@pytest.mark.parametrize("unknown", [(), "whole"])
def test_a_limit_without_a_value_is_told_beside_the_answer(unknown: str) -> None:
    answer = solve(Gap(), unknown, ["length = 3", "gap = 0"])
    assert answer.execution.number("whole") == 3
    assert [own.name for own in answer.unchecked] == ["thin"]
    assert (answer.meets_question, answer.solved, answer.limits) == (True, False, [])


def test_it_excludes_values_of_an_unknown_unless_it_is_lifted() -> None:
    asked = Gap(), "length", ["whole = 3", "gap = 0"]
    assert solve(*asked).outcomes["length"].kind == "none"
    lifted = solve(*asked, without="thin")
    assert (lifted.solved, lifted.value, lifted.unchecked) == (True, 3, [])


def test_it_has_no_verdict_in_json() -> None:
    shown = solve(Gap(), (), ["length = 3", "gap = 0"]).as_dict()
    (thin,) = shown["limits"]
    assert (thin["name"], thin["holds"], thin["slack"]) == ("thin", None, None)
    assert UNCHECKED in shown["warnings"]


def test_it_stands_in_the_first_lines_of_a_page() -> None:
    page = solve(Gap(), "whole", ["length = 3", "gap = 0"]).derivation()
    assert page.index(UNCHECKED) < page.index("## Inputs")


def test_an_option_under_which_it_has_no_value_does_not_work() -> None:
    ranking = solve(Gap(), "mode", ["length = 3", "gap = 0"]).ranking
    assert ranking is not None
    assert [own.options for own in ranking.working] == [{"mode": "loose"}]
    assert [own.why for own in ranking.rejected] == [UNCHECKED]


def test_a_row_of_a_table_tells_it() -> None:
    rows = table(Gap(), (), ["length = 3"], vary={"gap": [0, 1]}, show="whole").rows
    assert [own.answer is not None and own.answer.solved for own in rows] == [False, True]


def test_a_command_exits_with_1_unless_it_is_lifted(run: Run, file: Path) -> None:
    asked = ["solve", str(file), "whole", "length = 3", "room = 0"]
    code, shown, _ = run(*asked)
    assert (code, UNCHECKED in " ".join(shown.split())) == (1, True)
    code, shown, _ = run(*asked, "--without", "thin")
    assert (code, "cannot be checked" in shown) == (0, False)


def test_a_workbook_does_not_say_that_it_holds(run: Run, file: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = file.with_suffix(".xlsx")
    run("solve", str(file), "whole", "length = 3", "room = 0", "--as", "xlsx", "--output", str(book))
    texts = {str(cell.value) for row in openpyxl.load_workbook(book)["Answer"].iter_rows() for cell in row}
    assert {UNCHECKED, "'length/room <= 10' is not checked again when an input changes."} <= texts
