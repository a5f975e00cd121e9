"""Questions that nothing meets: where they come nearest to an answer, what fails there, and by how much."""

from __future__ import annotations

import math
import re
from io import BytesIO, StringIO

import pytest

import flopsheet
from flopsheet import Sheet, formula, given, limit, solve
from flopsheet.report.conflicts import conflict_of
from flopsheet.report.conflicts.nearest import nearest
from flopsheet.report.conflicts.tuples import _Climb, nearest_tuple
from flopsheet.report.pages import write_up
from flopsheet.report.terminal.screen import print_answer

STACK = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024", "chip = tpu-v5p"]
REPLICATED = [*STACK, "replicated_activation_fraction = 1/2", "device_memory <= chip.memory"]
CROWDED = [*STACK, "n_fsdp <= 16", "device_memory <= chip.memory"]
NUMBER = r"([\d.]+) GiB"


class Cooled(Sheet):
    """Chips that share a pump."""

    n_chips = given("Chips", integer=True, minimum=1, example=72)
    chip_heat = given("Heat of one chip", "W", default=1.5, source="a test")
    most = given("Most heat", "W", example=100)
    heat = formula(n_chips * chip_heat, "W", "Heat")
    enough = limit(heat <= most, "The pump is enough")


class Bent(Sheet):
    """A curve that has its largest value between its ends."""

    at = given("Place", "m", example=3, minimum=0)
    wide = given("Width", "m", default=10)
    area = formula(at * (wide - at), "m^2", "Area", signed=True)


class Busy(Sheet):
    """A price that falls with the share of time that is used."""

    share = given("Share of time", maximum=1, example=0.5)
    price = formula(2 / share, "", "Price")


@pytest.fixture(scope="module")
def replicated() -> flopsheet.Answer:
    return solve("ffn_memory", "n_fsdp", REPLICATED)


def test_it_is_told_what_is_reached_and_by_how_much_it_fails(replicated: flopsheet.Answer) -> None:
    text = conflict_of(replicated).text
    assert text.startswith("Nearest at n_fsdp = 1,000,000, and hardly nearer beyond: device_memory is 1071 GiB")
    assert "'device_memory <= chip.memory' wants at most 95 GiB: 976 GiB too much (1027.4 % of the bound)" in text


def test_an_end_of_the_bounds_is_nearest_where_nothing_is_beyond() -> None:
    assert conflict_of(solve(Busy(), "share", ["price <= 1"])).text.startswith("Nearest at share = 1: price is 2, and")


@pytest.mark.parametrize(
    "where",
    [REPLICATED, CROWDED, [*STACK, "device_memory = 90 GiB"], [*STACK, "n_fsdp <= 45", "device_memory <= 94.57 GiB"]],
)
def test_the_difference_is_that_of_the_printed_numbers(where: list[str]) -> None:
    text = conflict_of(solve("ffn_memory", "n_fsdp", where)).text
    found = re.search(rf" is {NUMBER}, and .* wants .* {NUMBER}: {NUMBER} too", text)
    assert found is not None, text
    left, right, gap = map(float, found.groups())
    assert round(abs(left - right), 9) == gap > 0


def test_relations_that_exclude_each_other_meet_at_the_bound_of_the_unknown() -> None:
    found = nearest(solve("ffn_memory", "n_fsdp", CROWDED))
    assert found is not None
    assert (found.values, found.relation.text, found.farther) == ({"n_fsdp": 16}, "device_memory <= chip.memory", "")
    asked = solve("ffn_memory", "device_memory", [*CROWDED[:-2], "n_fsdp = 16"])
    assert float(found.left) == pytest.approx(float(asked.cells["device_memory"].si), rel=1e-12)


def test_an_extreme_between_the_ends_is_found() -> None:
    found = nearest(solve(Bent, "at", ["area >= 30 m^2"]))
    assert found is not None
    assert float(found.values["at"]) == pytest.approx(5, rel=1e-3)
    assert "area is 25 m^2, and 'area >= 30 m^2' wants at least 30 m^2: 5 m^2 too little" in conflict_of(
        solve(Bent, "at", ["area >= 30 m^2"])
    ).text.replace("25.00", "25").replace("5.000", "5")


MANY = [*CROWDED[:3], *CROWDED[4:], "batch >= 128"]
WIDE = [STACK[0], *STACK[2:3], STACK[4], "n_fsdp = 2", "tokens >= 100000", "d_ff >= 10000", "device_memory <= 95 GiB"]
FEW_CHIPS = ["model = llama-3-70b", "chip = h100-sxm", "n_chips = 24", "seq_len = 8192", "batch = 256"]


@pytest.mark.parametrize(
    ("sheet", "unknowns", "where", "values", "others"),
    [
        (
            "ffn_memory",
            ["n_fsdp", "batch"],
            [*CROWDED[:3], *CROWDED[4:], "batch >= 128"],
            {"n_fsdp": 16, "batch": 128},
            0,
        ),
        (
            "ffn_memory",
            ["tokens", "d_ff"],
            WIDE,
            {"tokens": 100_000, "d_ff": 10_000},
            0,
        ),
        (
            "training_memory",
            ["n_pp", "n_dp", "n_tp"],
            [*FEW_CHIPS, "device_memory <= 40 GiB"],
            {"n_pp": 3, "n_dp": 1, "n_tp": 8},
            1,
        ),
    ],
)
def test_several_unknowns_keep_what_is_asked_of_them_alone(
    sheet: str, unknowns: list[str], where: list[str], values: dict[str, int], others: int
) -> None:
    answer = solve(sheet, unknowns, where)
    found = nearest_tuple(answer)
    assert found is not None
    assert (found.values, len(found.others)) == (values, others)
    conflict = conflict_of(answer)
    assert conflict.text.startswith("Nearest of the values tried, ")
    assert " too much (" in conflict.text
    assert "device_memory" in {line.name for line in conflict.steps}
    bounds = [text for text in where if " >= " not in text and " <= " not in text]
    asked = solve(sheet, "device_memory", [*bounds, *(f"{name} = {value}" for name, value in values.items())])
    assert float(found.left) == pytest.approx(float(asked.cells["device_memory"].si), rel=1e-12)


def test_values_that_have_a_fraction_are_tried_at_the_whole_numbers_beside_them() -> None:
    """What an equation gave of a cell that rests on an unknown is computed again from the unknown."""
    where = [*STACK[:3], "seq_len = 4096", "device_memory = 70 GiB", "total_memory = 9000 GiB"]
    answer = solve("ffn_memory", ["n_fsdp", "batch"], [text for text in where if not text.startswith("batch")])
    found = nearest_tuple(answer)
    assert found is not None
    for name, value in found.values.items():
        assert value in answer.outcomes[name].neighbours
    assert {found.relation.text, *(own.text for own in found.others)} == set(where[-2:])


def test_what_takes_long_is_computed_only_where_equations_are_missed_by_least() -> None:
    where = ["model = deepseek-v3", "chip = h800-sxm5-80gb", "n_chips = 1024", "seq_len = 4096", "batch = 1024"]
    answer = solve("training_step", ["n_pp", "n_dp", "n_tp"], [*where, "step_time <= 5 second"])
    found = nearest_tuple(answer)
    assert found is not None
    assert math.prod(int(value) for value in found.values.values()) == 1024
    assert found.values["n_pp"] <= answer.cells["n_blocks"].si  # a limit of an unknown with a value
    climb = _Climb(answer, [outcome.cell for outcome in answer.outcomes.values()])
    climb.top(climb.usual())
    assert 0 < 3 * len(climb._missed) < len(climb._firsts)


def test_what_else_fails_at_the_nearest_count_is_told() -> None:
    answer = solve(Cooled, "n_chips", ["heat = 138 W", "most = 90 W"])
    found = nearest(answer)
    assert found is not None
    count = found.values["n_chips"]
    fails = {"heat = 138 W": 1.5 * count != 138, "heat <= most": 1.5 * count > 90}
    assert {found.relation.text, *(own.text for own in found.others)} == {text for text, own in fails.items() if own}
    assert len(found.others) == 1
    assert "limit enough ('heat <= most') fails too." in conflict_of(answer).text


def test_answers_and_names_have_none() -> None:
    assert conflict_of(solve("ffn_memory", "n_fsdp", [*STACK, "device_memory <= chip.memory"])).text == ""
    names = solve("ffn_memory", ["chip"], [*STACK[:-1], "n_fsdp = 1", "device_memory <= 1 GiB"])
    assert conflict_of(names).text == ""


@pytest.mark.parametrize("template", ["page", "derivation"])
@pytest.mark.parametrize("form", ["markdown", "html", "latex"])
def test_derivations_end_with_it(replicated: flopsheet.Answer, template: str, form: str) -> None:
    page = re.sub(r"\\\w+\{\}|[\\{}]", "", write_up(replicated, template, form))
    shown = page[page.index("Nearest at n_fsdp") :]
    assert "976 GiB too much" in shown
    before = "comes nearest:" if template == "page" else "too much"  # a page tells it on its first screen
    assert "device_memory" in shown.partition(before)[2][:400]  # the step that computes it
    assert template != "page" or shown.index("too much") < shown.index("d_model")


def test_a_workbook_and_a_terminal_tell_it(replicated: flopsheet.Answer) -> None:
    from flopsheet.report import Detail
    from flopsheet.report.workbook import workbook

    pytest.importorskip("xlsxwriter")
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(replicated)))
    texts = [str(cell) for row in book["Answer"].values for cell in row if cell is not None]
    assert texts[texts.index("At the inputs of the question: conflict") + 1].endswith("(1027.4 % of the bound).")
    buffer = StringIO()
    print_answer(replicated, buffer, detail=Detail(steps="used"))
    assert "976 GiB too much" in " ".join(buffer.getvalue().split())


def test_unknowns_without_values_together_are_told_in_one_sentence() -> None:
    answer = solve("ffn_memory", ["n_fsdp", "batch"], MANY)
    page = write_up(answer, "page")
    assert page.count("**No n_fsdp and batch work together.**") == 1
    assert "No n_fsdp works" not in page
    assert repr(answer) == "<Answer of ffn_memory: no n_fsdp and batch work together>"
    buffer = StringIO()
    print_answer(answer, buffer)
    assert buffer.getvalue().rstrip().endswith("\nno n_fsdp and batch work together")


def test_every_number_of_a_conflict_is_computed_on_the_page() -> None:
    where = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "seq_len = 4096", "n_fsdp = 64", "chip = h100-sxm"]
    page = write_up(solve("ffn_memory", "batch", [*where, "device_memory = 200 GiB"]))
    before, behind = page.split("## Conflict")
    assert "`activation_memory_per_token`" in before
    assert "(`device_memory`)" in behind
    assert "126.5" in behind


def test_an_unknown_that_formulas_compute_from_another_is_not_tried_by_itself() -> None:
    """At a number of its own it would contradict its formula, and a cell that the record gives would yield."""
    where = ["model = llama-3-70b", "chip = h100-sxm", "tokens = 4M", "step_time = 5 second"]
    conflict = conflict_of(solve("training_run", ["n_chips", "train_time"], where))
    assert conflict.text.startswith("Nearest at n_chips = 856 chip: step_time is ")
    assert "active_params" not in {line.name for line in conflict.steps}
