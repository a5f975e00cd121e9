"""Workbooks whose inputs change which relations bound an unknown: none, or those on the other side."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.report.workbooks import by_soffice, places_by_formulas, recomputable

import flopsheet
from flopsheet import Sheet, ceil, formula, given, limit, max_
from flopsheet.report.workbook.conclusion import HOLDS
from flopsheet.report.workbook.headlines import EVERY
from flopsheet.report.workbook.live_texts import shown_number
from flopsheet.units import unit

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

for module in ("xlsxwriter", "openpyxl", "formulas"):
    pytest.importorskip(module)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Crew(Sheet):
    """Workers in a room."""

    n_workers = given("Workers", integer=True, minimum=1, example=3)
    room = given("Room", example=8)
    space = formula(max_(n_workers * 2, room), "", "Space")
    trips = formula(ceil(n_workers / 4) + room, "", "Trips")


class Tank(Sheet):
    """A tank with a floor."""

    level = given("Level", minimum=0, maximum=100, example=3)
    slope = given("Slope", example=2)
    floor_area = given("Floor", example=5)
    area = formula(max_(level * slope, floor_area), "", "Area")


class Hall(Sheet):
    """Workers in a room of some size."""

    n_workers = given("Workers", integer=True, minimum=1, example=3)
    tasks = given("Tasks", example=12)
    room = given("Room", example=8)
    rounds = formula(tasks / n_workers, "", "Rounds")
    fits = limit(n_workers <= 4 * room, "They fit")


class Miss(Sheet):
    """What is missed by all tries."""

    share = given("Share", example=0.1)
    tries = given("Tries", example=5)
    hit = formula(1 - (1 - share) ** tries, "", "What is hit")


class Case(NamedTuple):
    """A question, an input that changes, and what the cell and the headline are then."""

    sheet: type[Sheet] | str
    unknown: str
    where: tuple[str, ...]
    changes: tuple[tuple[str, Any], ...]
    value: float  # counted by hand
    words: str

    def answer(self) -> Answer:
        """Return the answer of the engine."""
        return flopsheet.solve(self.sheet, self.unknown, [*self.where])


CREW = ("room = 8",)
HALL = ("tasks = 12", "room = 8")
TANK = ("slope = 2", "floor_area = 5")
RATE = ("params = 70e9", "dataset_tokens = 20e12", "tokens = 4e6", "chip_rate = 395.6 TFLOP/s", "train_time <= 30 day")
CASES = {
    # 2 n >= 20 from 10 on; 8 of room are enough for less than 8
    "a bound appears": Case(Crew, "n_workers", (*CREW, "space >= 6"), (("goal space", 20),), 10, "10, the smallest"),
    "a bound vanishes": Case(Crew, "n_workers", (*CREW, "space >= 20"), (("goal space", 6),), 1, EVERY),
    # ceil(n/4) + 8 >= 12 where n/4 > 3
    "steps appear": Case(Crew, "n_workers", (*CREW, "trips >= 9"), (("goal trips", 12),), 13, "13, the smallest"),
    "steps vanish": Case(Crew, "n_workers", (*CREW, "trips >= 12"), (("goal trips", 9),), 1, EVERY),
    "an upper bound appears": Case(Tank, "level", (*TANK, "area <= 2000"), (("goal area", 50),), 25, "25, the largest"),
    "an upper bound vanishes": Case(Tank, "level", (*TANK, "area <= 50"), (("goal area", 2000),), 0, EVERY),
    # 12/n <= 3 from 4 on, and at most 4*8 fit; 12/n <= 20 for each n, so that the limit alone is left
    "a limit is left": Case(Hall, "n_workers", (*HALL, "rounds <= 3"), (("goal rounds", 20),), 32, "32, the largest"),
    "what is asked decides": Case(
        Hall, "n_workers", (*HALL, "rounds <= 20"), (("goal rounds", 3),), 4, "4, the smallest"
    ),
    "both ends": Case(Hall, "n_workers", (*HALL, "rounds <= 3"), (("goal rounds", 2),), 6, "6 to 32"),
    # 6*70e9*20e12 FLOP at 395.6 TFLOP/s in 30 days, whatever the precision
    "another option": Case("training_run", "n_chips", RATE, (("precision", "fp4"),), 8192, "at least 8,192 chips"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_cell_takes_the_end_that_the_engine_takes(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    data, names = recomputable(case.answer(), dict(case.changes))
    computed = places_by_formulas(data, tmp_path)
    assert computed["MODEL", f"B{names.index(case.unknown) + 1}"] == pytest.approx(case.value, rel=1e-9)
    texts = [str(text) for (sheet, _), text in computed.items() if sheet == "ANSWER"]
    assert any(f"({case.unknown}): " in text and case.words in text for text in texts), texts
    assert HOLDS in texts


def test_the_hand_counts_are_those_of_the_engine() -> None:
    for name, case in CASES.items():
        cells = {cell.removeprefix("goal "): value for cell, value in case.changes}
        where = [own for own in case.where if own.split()[0] not in cells]
        asked = {own.split()[0]: own.split()[1] for own in case.where}
        where += [f"{cell} {asked.get(cell, '=')} {value}" for cell, value in cells.items()]
        assert flopsheet.solve(case.sheet, case.unknown, where).cells[case.unknown].si == case.value, name


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_a_power_that_is_too_small_for_a_float_is_zero(tmp_path: Path) -> None:
    """0.9^65536 is 1E-2999, for which LibreOffice gives #NUM!."""
    answer = flopsheet.solve(Miss, "hit", ["share = 0.1", "tries = 5"])
    for tries in (2, 65536):
        (tmp_path / f"{tries}.xlsx").write_bytes(recomputable(answer, {"tries": tries})[0])
    computed = by_soffice(sorted(tmp_path.glob("*.xlsx")), tmp_path)
    values = {name: {row[0]: row[1] for row in book["Model"]}["hit"] for name, book in computed.items()}
    assert values == {"2.xlsx": pytest.approx(0.19, rel=1e-12), "65536.xlsx": 1}


@pytest.mark.parametrize(("number", "text"), [(11.475, "11.48"), (-0.00125, "-0.001250"), (1234.05, "1,234.1")])
def test_a_half_is_rounded_as_programs_round_it(number: float, text: str) -> None:
    """TEXT(11.475, "0.00") is 11.48, though the float is below a half."""
    assert shown_number(number, unit("MW")) == text
