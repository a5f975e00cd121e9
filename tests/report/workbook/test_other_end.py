"""Ends of a count that decide after a change: another end than the one that was taken, or none that is known."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.report.workbooks import by_soffice, recomputable

from flopsheet import Sheet, ceil, choice, formula, given, limit, max_, select, solve
from flopsheet.report.workbook.conclusion import HOLDS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl")


class Team(Sheet):
    """A count behind a choice, with a bound on either side."""

    mode = choice("plain", "rounded", doc="How shares are counted", default="plain")
    count = given("Count", integer=True, example=4)
    part = given("Part", example=12)
    share = formula(select(mode, plain=count / part, rounded=ceil(count / part)), "", "Share")


class Server(Sheet):
    """Sequences that hide a transfer, and memory for them."""

    count = given("Sequences", integer=True, maximum=10_000, example=4)
    transfer = given("Transfer", example=12)
    own = given("Time of a sequence", example=2)
    room = given("Room", example=40)
    shown = formula(max_(transfer - own * count, 0), "", "Time that is seen")
    padded = formula(ceil(count / 4) * 4 - count, "", "Padding", signed=True)
    memory = formula(2 * count + max_(padded - 2, 0), "", "Memory")
    fits = limit(memory <= room, "Room")


TEAM = ("share >= 1", "count <= 9", "part = 12")
SERVER = ("shown <= 0", "own = 2", "room = 41")


CASES = (
    (Team, TEAM, "mode = plain", ("mode", "rounded")),
    (Team, TEAM, "mode = rounded", ("mode", "plain")),
    *((Server, SERVER, "transfer = 12", ("transfer", time)) for time in (20, 2, 60)),
    (Server, SERVER, "transfer = 2", ("transfer", 12)),
)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_the_end_of_the_engine_is_taken(tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl"):
        pytest.importorskip(module)
    files = {}
    for place, (sheet, where, asked, (key, value)) in enumerate(CASES):
        files[f"{place}.xlsx"] = solve(sheet, "count", [*where, f"{key} = {value}"]).outcomes["count"]
        before = solve(sheet, "count", [*where, asked])
        (tmp_path / f"{place}.xlsx").write_bytes(recomputable(before, {key: value})[0])
    computed = by_soffice([tmp_path / file for file in files], tmp_path)
    for file, after in files.items():
        value = {row[0]: row[1] for row in computed[file]["Model"]}["count"]
        verdict = next(row[1] for row in computed[file]["Answer"] if row[0] == "Verdict")
        assert (verdict == HOLDS, value if verdict == HOLDS else None) == (after.kind != "none", after.si), file
