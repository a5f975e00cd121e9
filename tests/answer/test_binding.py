"""Which branch of each max and min decides: at every point of a question, in every form of formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_sheets import Roofline

from flopsheet import Sheet, ceil, choice, formula, given, log, max_, min_, select, solve
from flopsheet.report.sentences import binding_text

if TYPE_CHECKING:
    from flopsheet import Answer
    from flopsheet.units import Number

ROOFLINE = Roofline()
STEP = {
    "work": "1200 TFLOP",
    "traffic": "4 TB",
    "exchanged": "50 GB",
    "flop_rate": "400 TFLOP/s",
    "memory_bandwidth": "2 TB/s",
    "link_bandwidth": "50 GB/s",
}


class Nested(Sheet):
    """A max or min in every place."""

    mode = choice("whole", "half", doc="How much of it", default="whole")
    x = given("First", example=2)
    y = given("Second", example=5)
    z = given("Third", example=1)
    inner = formula(max_(x, min_(y, z)), "", "One in the other")
    outer = formula(2 + ceil(max_(x, y) / min_(x, z)), "", "Two in one formula")
    taken = formula(select(mode, whole=max_(x, y), half=min_(x, y) / 2), "", "Under a choice")
    shares = formula(max_(x / y, z), "", "Terms that are formulas", signed=True)
    defined = formula(max_(log(x), -y), "", "A term that may have no value", signed=True)
    plain = formula(x + y, "", "None at all")


NESTED = Nested()


def deciding(answer: Answer, *names: str) -> list[tuple[str, str, Number, bool]]:
    """Return cell, branch, value in base units and whether it is tied, of each max and min in some cells."""
    branches = [(binding.cell.name, str(binding.branch), binding.si, binding.tied) for binding in answer.bindings]
    return [branch for branch in branches if not names or branch[0] in names]


@pytest.mark.parametrize(
    ("changes", "branch", "seconds"),
    [
        ({}, "compute_time", 3),
        ({"flop_rate": "800 TFLOP/s"}, "memory_time", 2),
        ({"flop_rate": "800 TFLOP/s", "link_bandwidth": "10 GB/s"}, "network_time", 5),
    ],
)
def test_the_slowest_resource_decides(changes: dict[str, str], branch: str, seconds: int) -> None:
    answer = solve(ROOFLINE, "step_time", STEP | changes)
    assert deciding(answer) == [("step_time", branch, seconds, False)]
    (binding,) = answer.bindings
    assert binding.unit.text == "second"
    assert str(binding.expression) == "Max(compute_time, memory_time, network_time)"
    shown = f"step_time: {branch} determines max(compute_time, memory_time, network_time) ({seconds} second)"
    assert binding_text(binding, tuple(ROOFLINE.cells)) == shown


def test_of_equal_terms_the_first_decides_and_the_tie_is_told() -> None:
    answer = solve(ROOFLINE, (), STEP | {"flop_rate": "600 TFLOP/s"})
    ((name, branch, seconds, tied),) = deciding(answer)
    assert (name, seconds, tied) == ("step_time", 2, True)
    assert branch in ("compute_time", "memory_time")
    assert "(2 second, equal to another)" in binding_text(answer.bindings[0], tuple(ROOFLINE.cells))


def test_a_cell_that_was_solved_for_is_put_in() -> None:
    cells = {name: text for name, text in STEP.items() if name != "flop_rate"}
    assert deciding(solve(ROOFLINE, "flop_rate", {**cells, "step_time": "4 second"})) == [
        ("step_time", "compute_time", 4, False)
    ]
    answer = solve(
        ROOFLINE, "flop_rate", [*(f"{name} = {text}" for name, text in cells.items()), "step_time <= 2 second"]
    )
    assert deciding(answer) == [("step_time", "compute_time", 2, True)]


@pytest.mark.parametrize(
    ("x", "y", "z", "branches"),
    [
        (2, 5, 1, ["x", "z"]),
        (2, 5, 3, ["Min(y, z)", "z"]),
        (2, 4, 9, ["Min(y, z)", "y"]),
        (2, 1, 9, ["x", "y"]),
    ],
)
def test_one_inside_the_other(x: int, y: int, z: int, branches: list[str]) -> None:
    answer = solve(NESTED, "inner", {"x": x, "y": y, "z": z})
    assert answer.value == max(x, min(y, z))
    decided = deciding(answer, "inner")
    assert sorted(branch for _, branch, _, _ in decided) == sorted(branches)
    assert [si for _, _, si, _ in decided] == [max(x, min(y, z)), min(y, z)]


def test_two_in_one_formula_are_both_named_and_are_not_the_whole() -> None:
    answer = solve(NESTED, "outer", {"x": 7, "y": 5, "z": 2})
    assert sorted(deciding(answer, "outer"), key=str) == [("outer", "x", 7, False), ("outer", "z", 2, False)]
    texts = [binding_text(binding, tuple(NESTED.cells)) for binding in answer.bindings]
    assert "outer: x determines max(x, y) (7)" in texts
    assert "outer: z determines min(x, z) (2)" in texts


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("whole", ("taken", "y", 5, False)), ("half", ("taken", "x", 2, False))],
)
def test_under_a_choice_only_the_branch_taken_counts(mode: str, expected: tuple[Any, ...]) -> None:
    assert deciding(solve(NESTED, "taken", ["x = 2", "y = 5", f"mode = {mode}"]), "taken") == [expected]
    if mode == "whole":
        assert deciding(solve(NESTED, "taken", ["x = 2", "y = 5"]), "taken") == [expected]


def test_terms_that_are_formulas_are_shown_as_they_stand() -> None:
    answer = solve(NESTED, "shares", {"x": 6, "y": 3, "z": 1})
    assert deciding(answer, "shares") == [("shares", "x/y", 2, False)]
    assert deciding(solve(NESTED, "shares", {"x": 1, "y": 2, "z": 1}), "shares") == [("shares", "z", 1, False)]
    assert deciding(solve(NESTED, "defined", {"x": 1, "y": 2}), "defined") == [("defined", "log(x)", 0, False)]


def test_cells_come_in_the_order_of_the_sheet_and_only_where_they_have_a_value() -> None:
    names = [binding.cell.name for binding in solve(NESTED, (), {"x": 2, "y": 5}).bindings]
    assert names == ["taken", "defined"]
    everything = [binding.cell.name for binding in solve(NESTED, (), {"x": 2, "y": 5, "z": 1}).bindings]
    assert everything == ["inner", "inner", "outer", "outer", "taken", "shares", "defined"]
    assert deciding(solve(NESTED, "plain", {"x": 2, "y": 5}), "plain") == []
    assert deciding(solve(TOY, "x", ["hill = 5", "y = 1"])) == []


@pytest.mark.parametrize(("x", "y"), [(a, b) for a in (1, 2, 3) for b in (1, 2, 3)])
def test_a_tie_is_told_exactly_where_both_are_equal(x: int, y: int) -> None:
    ((_, branch, si, tied),) = deciding(solve(TOY, (), {"x": x, "y": y}))
    assert (si, tied) == (max(x, y), x == y)
    assert tied or branch == ("x" if x > y else "y")


class Stores(Sheet):
    """The larger of two stores, by itself and inside a formula."""

    left = given("Left", "GiB", example=2)
    right = given("Right", "GB", example=2)
    most = formula(max_(left, right), "TB", "Larger")
    twice = formula(2 * max_(right, left), "TB", "Twice the larger")


def test_a_max_that_is_a_whole_formula_has_the_unit_of_its_cell_and_another_that_of_its_terms() -> None:
    answer = solve(Stores(), (), ["left = 3 GiB", "right = 1 GB"])
    assert [(binding.cell.name, binding.unit.text, binding.si) for binding in answer.bindings] == [
        ("most", "TB", 3 * 2**30),
        ("twice", "GiB", 3 * 2**30),
    ]


class Twice(Sheet):
    """One max that a formula holds twice."""

    a = given("First", example=2)
    b = given("Second", example=3)
    larger = formula(max_(a, b) + 5 / (1 + max_(a, b)), "", "A max in two places")


def test_a_max_in_two_places_of_a_formula_is_named_once() -> None:
    (binding,) = solve(Twice, (), {"a": 2, "b": 3}).bindings
    assert str(binding.branch) == "b"
