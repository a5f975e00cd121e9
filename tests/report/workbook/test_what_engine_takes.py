"""A changed workbook takes what the engine takes, says none where it has none, and says where it cannot know."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.workbook.test_trials import Grids
from tests.report.workbooks import places_by_formulas, recomputable

import flopsheet
from flopsheet import Sheet, asin, ceil, formula, given, limit, pi, sin, sqrt
from flopsheet.report import Extras
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.conclusion import BROKEN, HOLDS, NO_VALUE, UNKNOWN
from flopsheet.report.workbook.headlines import LARGEST, SMALLEST
from flopsheet.report.workbook.lost import FRACTION, LOST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flopsheet import Answer

for module in ("xlsxwriter", "openpyxl", "formulas"):
    pytest.importorskip(module)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Arc(Sheet):
    """A way along a circle between two places, of which only the time along it is known."""

    north = given("Angle of one place", "degree")
    south = given("Angle of the other place", "degree")
    half_turn = given("Half a turn", "degree", default=180, fixed=True)
    radius = given("Radius", "km", example=10)
    speed = given("Speed", "km/s", example=2)
    haversine = formula(sin((north - south) / 2) ** 2, "", "Haversine of the angle")
    angle = formula(2 * asin(sqrt(haversine)), "degree", "Angle between the places")
    way = formula(pi * radius * angle / half_turn, "km", "Way along the circle")
    time = formula(way / speed, "s", "Time along the circle")


class Rack(Sheet):
    """Chips in a rack, with water for their heat."""

    n_chips = given("Chips", integer=True, minimum=1, example=72)
    chip_heat = given("Heat of one chip", "W", example=1200)
    overhead = given("Heat of all else", "%", default=15, source="a test")
    warming = given("Warming of the water", "J/g", example=40)
    heat = formula(n_chips * chip_heat * (1 + overhead), "W", "Heat of the rack")
    flow = formula(heat / warming, "g/s", "Water that flows")
    most = given("Most water", "g/s", example=3000)
    pump = limit(flow <= most, "The pump is enough")


class Stages(Sheet):
    """Layers in stages: rounding leaves gaps among the counts that work."""

    layers = given("Layers", integer=True, minimum=1, example=12)
    n_stages = given("Stages", integer=True, minimum=1, example=3)
    work = given("Time of a layer", "s", example=1)
    hop = given("Time between two stages", "s", example=0.1)
    room = given("Room", example=1)
    need = given("Room that is needed", example=1)
    time = formula(ceil(layers / n_stages) * work + n_stages * hop, "s", "Time")
    enough = limit(n_stages <= layers, "Each stage has a layer")
    fits = limit(need <= room, "Room")


class Run(Sheet):
    """A run whose tokens follow its parameters by default."""

    params = given("Parameters", example=70)
    per_param = given("Tokens per parameter", default=20, source="a test")
    tokens = formula(per_param * params, "", "Tokens")
    work = formula(6 * params * tokens, "", "Work")


class Reach(Sheet):
    """A size between two ends, one of which has no closed form."""

    size = given("Size", example=2)
    least = given("Least", example=2)
    cap = given("Most", example=12)
    grown = formula(size * sqrt(size) + size, "", "Grown size")


class Still(Sheet):
    """A size of which every value works, beside a part that does not follow it."""

    size = given("Size", minimum=2, maximum=50, example=2)
    load = given("Load", example=4)
    part = formula(load / 2, "", "Part of the load")
    grown = formula(size**2, "", "Grown size")


@dataclass(frozen=True)
class Case:
    """A question, inputs to change, and what the sheets then say."""

    sheet: type[Sheet]
    unknowns: tuple[str, ...]
    where: tuple[str, ...]
    changes: Mapping[str, Any]
    words: str  # in the headline of the first unknown
    verdict: str
    cells: Mapping[str, float | None] = field(default_factory=dict)  # by cell what the sheet Model has

    def answer(self) -> Answer:
        """Return the answer of the engine."""
        return flopsheet.solve(self.sheet, [*self.unknowns], [*self.where])


def _first(layers: int, work: float, hop: float, most: float) -> int:
    """Return the first count of stages that takes at most a time, counted one by one."""
    times = {count: math.ceil(layers / count) * work + count * hop for count in range(1, layers + 1)}
    return next(count for count, time in times.items() if time <= most)


ARC = ("radius = 10 km", "speed = 2 km/s", "time = 5 s")
RACK = ("chip_heat = 1200 W", "warming = 40 J/g", "most = 3000 g/s")
STAGES = ("layers = 12", "work = 1 s", "hop = 0.1 s", "room = 1", "need = 1")
CASES = {
    "an angle behind a way": Case(
        *(Arc, ("way",), ARC, {"goal time": 8}, ": 16 km", HOLDS),
        {"way": 16, "haversine": math.sin(16 / 10 / 2) ** 2, "angle": math.degrees(16 / 10)},
    ),
    "a way longer than half a circle": Case(
        *(Arc, ("way",), ARC, {"goal time": 20}, LOST, NO_VALUE), {"way": None, "haversine": None}
    ),
    "an angle beyond half a turn": Case(
        *(Arc, ("angle",), ARC, {"goal time": 20}, LOST, NO_VALUE), {"angle": None, "haversine": None}
    ),
    "a root of less than nothing": Case(
        *(Reach, ("size",), ("least = 2", "cap = 12", "sqrt(size) - cap = -10"), {"cap": 9}, LOST, NO_VALUE),
        {"size": None},
    ),
    "a count beside a cell that has a value": Case(
        *(Rack, ("n_chips", "flow"), ("heat = 100 kW", *RACK), {"goal heat": 110400}, ": 80", HOLDS),
        {"n_chips": 80, "flow": 110400 / 40, "overhead": 15},
    ),
    "a fraction of a count": Case(
        *(Rack, ("n_chips", "flow"), ("heat = 100 kW", *RACK), {"goal heat": 90000}),
        *(f"{FRACTION}65.22, between 65 and 66", NO_VALUE),
        {"n_chips": None, "flow": 90000 / 40, "heat": 90000, "overhead": 15},
    ),
    "a limit excludes a count": Case(
        *(Rack, ("n_chips", "flow"), ("heat = 100 kW", *RACK), {"goal heat": 138000}, LOST, NO_VALUE),
        {"n_chips": None, "flow": 138000 / 40, "overhead": 15},
    ),
    "a default stays beside a bound": Case(
        *(Rack, ("n_chips", "flow"), ("heat = 138 kW", "flow <= 2500 g/s", *RACK), {}, LOST, NO_VALUE),
        {"n_chips": None, "overhead": 15},
    ),
    "a formula misses a bound": Case(
        *(Rack, ("flow",), ("n_chips = 100", "flow <= 2500 g/s", *RACK), {"n_chips": 90}, LOST, BROKEN),
        {"overhead": 15, "flow": 90 * 1200 * 1.15 / 40},
    ),
    "the first of two runs": Case(
        *(Stages, ("n_stages",), ("time <= 20 s", *STAGES), {"goal time": 4.5}),
        *(f": {_first(12, 1, 0.1, 4.5)}{SMALLEST}", HOLDS),
        {"n_stages": _first(12, 1, 0.1, 4.5)},
    ),
    "all of one run": Case(
        *(Stages, ("n_stages",), ("time <= 20 s", *STAGES), {"layers": 10}, f": 10{LARGEST}", HOLDS), {"n_stages": 10}
    ),
    "a limit that nothing asked for can change": Case(
        *(Stages, ("n_stages",), ("time <= 20 s", *STAGES), {"need": 2}, LOST, NO_VALUE), {"n_stages": None}
    ),
    "a demand that agrees with a default": Case(
        *(Run, ("work",), ("params = 70", "tokens = 1400"), {"params": 8}, ": 67,200", HOLDS),
        {"work": 6 * 8 * 1400, "tokens": 1400, "per_param": 175},
    ),
    "a size beside what it cannot change": Case(
        *(Still, ("size",), ("load = 4", "part >= 3", "grown >= 1"), {"load": 2}, LOST, NO_VALUE),
        {"size": None},
    ),
    "an end that a search does not reach": Case(
        *(Reach, ("size",), ("least = 2", "cap = 12", "size >= least", "grown <= cap"), {"cap": 1e30}),
        *(f": 2{SMALLEST}", HOLDS),
        {"size": 2},
    ),
}


def _computed(answer: Answer, changes: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the values of the sheet Model by name, and the texts of the sheet Answer."""
    data, names = recomputable(answer, dict(changes))
    places = places_by_formulas(data, folder)
    model = {name: places.get(("MODEL", f"B{line}")) for line, name in enumerate(names, 1)}
    return model, [str(text) for (sheet, _), text in places.items() if sheet == "ANSWER"]


@pytest.mark.parametrize("name", CASES)
def test_a_changed_workbook_says_what_holds(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    model, texts = _computed(case.answer(), case.changes, tmp_path)
    assert any(case.unknowns[0] in text and case.words in text for text in texts), texts
    assert case.verdict in texts
    for cell, value in case.cells.items():
        if value is None:
            assert str(model[cell]).startswith("#"), cell
        else:
            assert model[cell] == pytest.approx(value, rel=1e-9), cell


def test_the_whole_numbers_around_a_fraction_are_beside_it(tmp_path: Path) -> None:
    answer = flopsheet.solve(Rack, "n_chips", ["heat = 100 kW", *RACK])
    _, texts = _computed(answer, {"goal heat": 90000}, tmp_path)
    assert "n_chips and the whole numbers beside it" in texts
    heats = [repr(count * 1200 * 1.15) for count in (65, 66)]
    assert {*heats} <= {repr(float(text)) for text in texts if text.replace(".", "").isdigit()}


def test_no_verdict_is_known_once_what_stays_is_behind_it(tmp_path: Path) -> None:
    answer = flopsheet.solve(Grids, ["rows", "columns"], ["devices = 24", "rows <= 6"], best="min:edge")
    assert UNKNOWN not in _computed(answer, {}, tmp_path)[1]
    _, texts = _computed(answer, {"goal devices": 30}, tmp_path)
    assert UNKNOWN in texts
    assert HOLDS not in texts


def test_a_scenario_names_the_fraction_that_a_count_would_be(tmp_path: Path) -> None:
    table = flopsheet.table(Rack, "n_chips", [*RACK], vary={"heat": ["110.4 kW", "82.8 kW"]})
    assert table.rows[0].answer is not None
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(table.rows[0].answer, Extras(table=table))))
    rows = {row[0].value: row for row in book["Scenarios"].iter_rows() if row[0].value}
    rows["goal heat"][3].value = 90000
    buffer = BytesIO()
    book.save(buffer)
    computed = places_by_formulas(buffer.getvalue(), tmp_path)
    line = rows["remark"][0].row
    assert str(computed["SCENARIOS", f"C{line}"]) == ""
    assert f"n_chips: {FRACTION}65.22, between 65 and 66. " in str(computed["SCENARIOS", f"D{line}"])
