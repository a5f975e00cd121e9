"""A changed workbook says what flopsheet says of the changed question, or that it is outside of what a cell may be."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.asked import answered
from tests.report.workbooks import by_soffice, places_by_formulas, recomputable

from flopsheet import Sheet, choice, equal, floor, formula, given, limit, mod, select, solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.report.workbook.conclusion import HOLDS, NO_VALUE
from flopsheet.report.workbook.model.inputs import OUTSIDE

if TYPE_CHECKING:
    from pathlib import Path

for module in ("xlsxwriter", "openpyxl", "formulas"):
    pytest.importorskip(module)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Pair(Sheet):
    """Two numbers by two equations."""

    left = given("One", example=2)
    right = given("Other", example=4)
    slope = given("Slope", example=2)
    steep = given("Steeper slope", example=3)
    summed = formula(left + slope * right, "", "Sum")
    apart = formula(steep * left - right, "", "Difference", signed=True)
    product = formula(left * right, "", "Product")


class Format(Sheet):
    """Bytes of a number in some format."""

    precision = choice("bf16", "fp8", doc="Format")
    quoted = given("Bytes as quoted", example=1)
    size = formula(quoted * select(precision, bf16=2, fp8=1), "", "Bytes")


class Site(Sheet):
    """Machines that a site has power for."""

    power = given("Power", "kW", example=1000)
    machine_power = given("Power of a machine", "kW", example=120)
    drawn = given("Power in use", "kW", example=100)
    machines = formula(floor(power / machine_power), "", "Machines", integer=True)
    enough = limit(drawn <= power, "What is in use is there")


class Even(Sheet):
    """Widths in halves."""

    width = given("Width", integer=True, minimum=1, example=8)
    fixed = given("What is sent anyway", example=1000)
    sent = formula(3 * width + fixed, "", "What is sent")
    halves = limit(equal(mod(width, 2), 0), "Two halves")


class Rest(Sheet):
    """What is left of a head."""

    head = given("Head", integer=True, example=192)
    bearing = given("Part that bears the position", integer=True, minimum=0, example=64)
    rest = formula(head - bearing, "", "What is left")
    cost = formula(1000 - bearing, "", "Cost", signed=True)
    whole = formula(rest + head, "", "Both")


class Apart(Sheet):
    """How far a place is from another one, either way."""

    place = given("Place", example=1)
    other = given("Other place", example=2)
    squared = formula((place - other) ** 2, "", "Square of the distance")


class Growth(Sheet):
    """Steps of a run whose batch grows."""

    samples = given("Sequences of the growth", example=100)
    length = given("Tokens of a sequence", example=8)
    mean = given("Mean batch of the growth", example=5)
    final = given("Tokens of a full batch", example=80)
    run = given("Tokens of the run", example=8000)
    grown = formula(samples * length, "", "Tokens of the growth")
    steps = formula(samples / mean + (run - grown) / final, "", "Steps", signed=True)


class Plan(Sheet):
    """Chips and parameters of a run."""

    n_chips = given("Chips", integer=True, minimum=1, example=3)
    params = given("Parameters", example=10)
    per_param = given("Tokens of a parameter", example=2)
    work = formula(params**2 * per_param, "", "Work")
    time = formula(work / n_chips, "", "Time")


class Shards(Sheet):
    """Chips that share a state, in nodes."""

    n_chips = given("Chips", integer=True, minimum=1, maximum=1000, example=8)
    per_node = given("Chips of a node", integer=True, minimum=1, example=1)
    state = given("State", example=4)
    share = formula(state / n_chips, "", "Share of a chip")
    whole_nodes = limit(equal(mod(n_chips, per_node), 0), "Nodes are whole")


class Link(Sheet):
    """A link between sites, some of which send nothing."""

    sync = choice("often", "never", doc="How often they synchronize")
    sent = given("What is sent", example=100)
    rate = given("Rate", minimum=1, example=10)
    time = formula(select(sync, often=sent / rate, never=0), "", "Time")


class Case(NamedTuple):
    """A question, whose last relation is changed, and the input that changes it."""

    sheet: type[Sheet]
    unknowns: tuple[str, ...]
    where: tuple[str, ...]
    before: str
    after: str
    row: str
    value: float | str


CASES = {
    "linear pair": Case(
        Pair, ("left", "right"), ("slope = 2", "steep = 3", "apart = 4"), "summed = 10", "summed = 9", "goal summed", 9
    ),
    "slope of a pair": Case(
        Pair, ("left", "right"), ("apart = 4", "steep = 3", "summed = 10"), "slope = 2", "slope = 5", "slope", 5
    ),
    "curved pair": Case(
        Pair, ("left", "right"), ("slope = 2", "steep = 3", "product = 4"), "summed = 10", "summed = 12",
        "goal summed", 12,
    ),
    "factor by choice": Case(
        Format, ("quoted",), ("size = 2",), "precision = bf16", "precision = fp8", "precision", "fp8"
    ),
    "step": Case(
        Site, ("power",), ("machine_power = 120 kW", "drawn = 100 kW"), "machines = 8", "machines = 800",
        "goal machines", 800,
    ),
    "another interval": Case(
        Apart, ("place",), ("other = 2",), "squared >= 1", "squared >= 4", "goal squared", 4
    ),
    "own formula of an unknown": Case(
        Growth, ("grown",), ("length = 8", "mean = 5", "final = 80", "steps <= 150"), "run = 8000", "run = 4000",
        "run", 4000,
    ),
    "one bounds the other": Case(
        Plan, ("n_chips", "params"), ("per_param = 2", "time <= 30"), "work <= 200", "work <= 450", "goal work", 450
    ),
    "every count of chips": Case(
        Shards, ("n_chips",), ("per_node = 1", "share <= 5"), "state = 4", "state = 12", "state", 12
    ),
    "every count in nodes of one": Case(
        Shards, ("n_chips",), ("state = 4", "share <= 5"), "per_node = 1", "per_node = 4", "per_node", 4
    ),
    "multiples of none": Case(Even, ("width",), ("fixed = 1000",), "sent <= 900", "sent <= 1900", "goal sent", 1900),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_unknowns_are_those_of_the_question_anew(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    before, after = (solve(case.sheet, case.unknowns, [*case.where, text]) for text in (case.before, case.after))
    data, names = recomputable(before, {case.row: case.value})
    places = places_by_formulas(data, tmp_path)
    for unknown in case.unknowns:
        wanted = float(after.cells[unknown].exact)
        assert places["MODEL", f"B{names.index(unknown) + 1}"] == pytest.approx(wanted, rel=1e-9)
        asked = before.outcomes[unknown]
        assert asked.kind == "none" or float(before.cells[unknown].exact) != pytest.approx(wanted, rel=1e-3)
    assert HOLDS in places.values()


def test_a_computed_cell_outside_its_bounds_is_no_answer(tmp_path: Path) -> None:
    """More of a head than there is would bear the position: the engine takes the whole head."""
    before, after = (solve(Rest, "bearing", ["head = 192", f"cost >= {cost}"]) for cost in (936, 100))
    assert (before.outcomes["bearing"].si, after.outcomes["bearing"].si) == (64, 192)
    texts = {*map(str, places_by_formulas(recomputable(before, {"goal cost": 100})[0], tmp_path).values())}
    assert OUTSIDE in texts
    assert HOLDS not in texts


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="soffice is not installed")
def test_a_file_shows_what_a_program_computes(tmp_path: Path) -> None:
    """Headline and verdict stand in the file as results; a program that opens it must find the same."""
    names = ("qlora-70b-h200", "batch-llama-3-70b-h100", "batch-hides-fsdp", "full-fine-tune-7b-rtx-4090")
    import openpyxl

    from flopsheet.report.workbook import workbook

    for name in names:
        (tmp_path / f"{name}.xlsx").write_bytes(recomputable(answered(name))[0])
    computed = by_soffice([tmp_path / f"{name}.xlsx" for name in names], tmp_path)
    for name in names:
        (tmp_path / "stored.xlsx").write_bytes(workbook(answered(name)))
        rows = openpyxl.load_workbook(tmp_path / "stored.xlsx", data_only=True)["Answer"].values
        stored = [row[1] for row in rows if row[0] in ("Answer", "Verdict")]
        assert [row[1] for row in computed[f"{name}.xlsx"]["Answer"] if row[0] in ("Answer", "Verdict")] == stored


def test_an_option_that_leaves_no_relation_on_the_unknown_leaves_it_without_a_value(tmp_path: Path) -> None:
    where = ["sent = 100", "time <= 5"]
    with pytest.raises(UnderdeterminedError):
        solve(Link, "rate", [*where, "sync = never"])
    data, names = recomputable(solve(Link, "rate", [*where, "sync = often"]), {"sync": "never"})
    places = places_by_formulas(data, tmp_path)
    assert str(places["MODEL", f"B{names.index('rate') + 1}"]) == "#N/A"
    texts = {*map(str, places.values())}
    assert NO_VALUE in texts
    assert HOLDS not in texts
