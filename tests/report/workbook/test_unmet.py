"""Inputs of a workbook that leave no value, every value, or one far from that of the question."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.report.workbooks import places_by_formulas, recomputable

import flopsheet
from flopsheet import Answer, Sheet, formula, given, limit, sqrt
from flopsheet.report import Extras
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.headlines import ENDED, EVERY
from flopsheet.report.workbook.lost import FRACTION, LOST

if TYPE_CHECKING:
    from pathlib import Path

for module in ("xlsxwriter", "openpyxl", "formulas"):
    pytest.importorskip(module)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Node(Sheet):
    """Sequences in the memory of a node."""

    room = given("Memory", "GiB", example=40)
    weights = given("Weights", "GiB", example=8)
    per_sequence = given("Cache of a sequence", "GiB", example=2, minimum=0)
    n_sequences = given("Sequences", integer=True, minimum=1, example=4)
    used = formula(weights + n_sequences * per_sequence, "GiB", "Memory in use")
    part = formula(used / room, "%", "Part of the memory in use")


class Queue(Sheet):
    """A queue of one server."""

    rate = given("Requests", "1/second", example=1)
    service = given("Service", "second", example=0.5)
    load = formula(rate * service, "", "Load")
    wait = formula(sqrt(load) ** 3 * service / (1 - load), "second", "Wait")
    stable = limit(load < 1, "It keeps up")


class Batches(Sheet):
    """Sequences in a batch."""

    batch = given("Sequences", integer=True, minimum=1, example=8)
    length = given("Tokens of a sequence", example=1000)
    per_group = given("Sequences of a group", integer=True, minimum=1, example=8)
    tokens = formula(batch * length, "", "Tokens")


class Fixed(Sheet):
    """A part of a size is added to another."""

    base = given("Size", "GiB", example=1)
    share = given("Part", example=0.5, minimum=0)
    extra = given("Other size", "GiB", example=2)
    sum = formula(base + share * extra, "GiB", "Sum")


class Case(NamedTuple):
    """A question, an input that changes, and what the cell and the headline are then."""

    sheet: type[Sheet]
    unknown: str
    where: tuple[str, ...]
    changes: tuple[tuple[str, float], ...]
    value: float | None  # None where there is none
    words: str
    near: float | None = None


HALF = f"{FRACTION}6.500, between 6 and 7"  # (21 - 8) / 2
NODE = ("weights = 8 GiB", "per_sequence = 2 GiB", "room = 40 GiB")
GROUPS = ("length = 1000", "per_group = 8", "mod(batch, per_group) = 0")
CASES = {
    "below the bounds": Case(Node, "n_sequences", (*NODE, "used <= room"), (("weights", 64.0),), None, LOST),
    "a fraction": Case(Node, "n_sequences", (*NODE, "used = 20 GiB"), (("goal used", 21.0),), None, HALF),
    "another demand": Case(
        Node, "n_sequences", (*NODE, "used <= room", "part >= 50 %"), (("goal part", 101.0),), None, LOST
    ),
    "every one": Case(Node, "n_sequences", (*NODE, "used <= room"), (("per_sequence", 0.0),), 1, EVERY),
    "beside a pole": Case(
        Queue, "rate", ("service = 0.5 second", "wait = 90 second"), (("service", 2.0),), 0.4892, "4892"
    ),
    "far away": Case(Batches, "batch", (*GROUPS, "tokens >= 50000"), (("length", 1.0),), 50000, "50,000, the smallest"),
    "larger steps": Case(
        Batches, "batch", (*GROUPS, "tokens >= 50000"), (("per_group", 8000.0),), 8000, "8,000, the smallest"
    ),
    "near one": Case(
        Batches, "batch", (*GROUPS, "tokens <= 200000"), (("length", 10000.0),), 16, "16, the nearest to 100", near=100
    ),
    "no end": Case(Batches, "batch", ("length = 1000", "mod(tokens, 7000) = 0"), (("length", 0.1),), None, ENDED),
}


@cache
def _answer(name: str) -> Answer:
    case = CASES[name]
    near = None if case.near is None else {case.unknown: case.near}
    return flopsheet.solve(case.sheet, case.unknown, [*case.where], near=near)


@pytest.mark.parametrize("name", CASES)
def test_the_cell_says_what_the_headline_says(name: str, tmp_path: Path) -> None:
    case, answer = CASES[name], _answer(name)
    data, names = recomputable(answer, dict(case.changes))
    computed = places_by_formulas(data, tmp_path)
    value = computed["MODEL", f"B{names.index(case.unknown) + 1}"]
    texts = [str(text) for (sheet, _), text in computed.items() if sheet == "ANSWER"]
    assert any(f"({case.unknown}): " in text and case.words in text for text in texts), texts
    if case.value is None:
        assert str(value).startswith("#")
        assert "none" in texts
    else:
        assert value == pytest.approx(case.value, rel=1e-3)


def test_remarks_of_scenarios_follow_their_own_demand(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    where = ("weights = 8 GiB", "room = 40 GiB", "per_sequence = 2 GiB", "part <= 90 %")
    table = flopsheet.table(Node, "n_sequences", where, vary={"used": ["20 GiB", "24 GiB", "21 GiB"]})
    answer = flopsheet.solve(Node, "n_sequences", [*where, "used = 20 GiB"])
    book = openpyxl.load_workbook(BytesIO(workbook(answer, Extras(table=table))))
    rows = {row[0].value: row for row in book["Scenarios"].iter_rows() if row[0].value}
    assert all("GiB does not hold" not in str(cell.value) for cell in rows["remark"])
    assert "used = goal used does not hold. " in rows["remark"][3].value
    rows["goal used"][3].value = 25
    buffer = BytesIO()
    book.save(buffer)
    computed = places_by_formulas(buffer.getvalue(), tmp_path)
    line = rows["remark"][0].row
    assert str(computed["SCENARIOS", f"C{line}"]) == ""
    assert str(computed["SCENARIOS", f"D{line}"]) == f"n_sequences: {FRACTION}8.500, between 8 and 9. "
    assert f"n_sequences: {HALF}. " in str(computed["SCENARIOS", f"E{line}"])


def test_a_scenario_of_which_every_number_works_says_so() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    table = flopsheet.table(Fixed, "extra", ("base = 1 GiB", "sum <= 9 GiB"), vary={"share": ["1/2", "0"]})
    answer = flopsheet.solve(Fixed, "extra", ["base = 1 GiB", "sum <= 9 GiB", "share = 1/2"])
    rows = openpyxl.load_workbook(BytesIO(workbook(answer, Extras(table=table))))["Scenarios"].values
    lines = {row[0]: row[1:] for row in rows if row[0]}
    assert lines["relations and limits hold"][2] == "not checked"
    assert "any extra works" in lines["remark"][2]


def test_the_other_end_of_a_range_goes_with_the_answer(tmp_path: Path) -> None:
    answer = flopsheet.solve(Node, "n_sequences", [*NODE, "part >= 50 %", "used <= 30 GiB"])
    for goal, shown in ((30.0, ["6", "11"]), (10.0, ["none", ""])):
        data, _ = recomputable(answer, {"goal used": goal})
        computed = places_by_formulas(data, tmp_path)
        line = next(
            place[1:] for (sheet, place), text in computed.items() if (sheet, str(text)) == ("ANSWER", "n_sequences")
        )
        assert [str(computed["ANSWER", f"{column}{line}"]).removesuffix(".0") for column in "CE"] == shown
