"""The engine end to end on systems: several unknowns, redundancy, conflicts, defaults that are overridden, records."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.toy import TOY

from flopsheet import Answer, Chip, Sheet, formula, given, limit, part, solve
from flopsheet.errors import AmbiguousDefaultError, OverdeterminedError, UnderdeterminedError

if TYPE_CHECKING:
    from flopsheet.units import Number

GIB = 2**30


@pytest.mark.parametrize(
    ("unknowns", "relations", "values"),
    [
        (["x", "y"], ["x + y = 10", "x - y = 2"], {"x": 6, "y": 4}),
        (["y", "x"], ["x + y = 10", "x - y = 2"], {"x": 6, "y": 4}),
        (["y", "x"], ["x = 2 * y", "area = 8"], {"x": 4, "y": 2}),
        (["area", "scaled"], ["x = 2", "y = 5"], {"area": 10, "scaled": 40}),
        (["x", "n"], ["scaled = 60", "total = 12"], {"x": 3, "n": 4}),
        (["x", "y", "n"], ["scaled = 60", "area = 12", "total = 6"], {"x": 3, "y": 4, "n": 2}),
    ],
)
def test_several_unknowns(unknowns: list[str], relations: list[str], values: dict[str, Number]) -> None:
    answer = solve(TOY, unknowns, relations)
    assert answer.value == values
    assert all(check.holds for check in answer.checks)


@pytest.mark.parametrize("unknown", ["x", ["x", "y"]])
def test_a_sum_and_a_product_together_are_a_quadratic(unknown: Any) -> None:
    outcome = solve(TOY, unknown, ["area = 12", "x + y = 7"]).outcomes["x"]
    assert outcome.kind == "values"
    assert [interval.lower for interval in outcome.solutions] == [3, 4]


def computed(answer: Answer) -> dict[str, Number]:
    return {name: value.value for name, value in answer.cells.items()}


def test_without_unknown_all_that_can_be_is_computed() -> None:
    answer = solve(TOY, (), {"x": 2, "y": 5})
    expected = {"area": 10, "largest": 5, "scaled": 40, "twice": 80, "steps_needed": 1}
    assert expected.items() <= computed(answer).items()
    assert {"total", "size"}.isdisjoint(answer.cells)
    assert any("total" in text and "n" in text for text in answer.warnings)


@pytest.mark.parametrize("relations", [["area = 10", "x = 2", "y = 5"], ["x = 2", "x = 4 / 2", "y = 5", "x < y"]])
def test_redundancy_that_agrees_is_a_check(relations: list[str]) -> None:
    answer = solve(TOY, (), relations)
    assert computed(answer)["area"] == 10
    assert all(check.holds for check in answer.checks)


def test_conflicting_pins_are_named_with_both_values() -> None:
    with pytest.raises(OverdeterminedError, match="area to be 11, but the rest of the question makes it 10") as caught:
        solve(TOY, (), ["area = 11", "x = 2", "y = 5", "n = 3"])
    assert "'x = 2'" in str(caught.value)
    assert "'y = 5'" in str(caught.value)
    assert "'n = 3'" not in str(caught.value)


def test_one_default_gives_way() -> None:
    answer = solve(TOY, (), ["scaled = 100", "x = 4"])
    assert answer.dropped_defaults == ("rate",)
    assert computed(answer)["rate"] == 25
    assert computed(answer)["twice"] == 200
    assert solve(TOY, (), ["scaled = 80", "x = 4"]).dropped_defaults == ()


def test_two_defaults_that_could_give_way_are_ambiguous() -> None:
    with pytest.raises(AmbiguousDefaultError, match="rate or other"):
        solve(TOY, (), ["twice = 100", "x = 4"])
    assert solve(TOY, "other", ["twice = 100", "x = 4"]).value == Fraction(5, 4)
    assert solve(TOY, (), ["twice = 100", "x = 4", "rate = 5"]).dropped_defaults == ("rate", "other")


@pytest.mark.parametrize(
    ("unknown", "relations", "says"),
    [("x", ["area = 16"], "'y = 5'"), ("n", [], "size"), ("total", ["x = 1"], "'n = 3'")],
)
def test_too_little_names_what_would_do(unknown: str, relations: list[str], says: str) -> None:
    with pytest.raises(UnderdeterminedError, match=says):
        solve(TOY, unknown, relations)


class Stored(Sheet):
    """State on chips."""

    state = given("State", "GiB", example=380)
    n_parts = given("Parts", example=4, integer=True)
    chip = part(Chip, example="tpu-v5p")
    held = formula(state / n_parts, "GiB", "Held by one")
    fits = limit(held <= chip.memory, "It fits")


STORED = Stored()


def test_a_registry_figure_is_the_unknown() -> None:
    answer = solve(STORED, "chip.memory", ["state = 380 GiB", "n_parts = 5", "held <= chip.memory"])
    outcome = answer.outcomes["chip.memory"]
    assert (outcome.kind, outcome.si) == ("range", 76 * GIB)
    given_too = solve(STORED, "chip.memory", ["state = 380 GiB", "n_parts = 5", "chip = tpu-v5p", "held = chip.memory"])
    assert given_too.value == 76


def test_a_pin_beats_the_figure_of_its_record() -> None:
    relations = ["state = 380 GiB", "chip = tpu-v5p", "held <= chip.memory"]
    assert solve(STORED, "n_parts", relations).value == 4
    answer = solve(STORED, "n_parts", [*relations, "chip.memory = 80 GiB"])
    assert answer.value == 5
    assert answer.cells["chip.memory"].origin == "given"
    assert [check.holds for check in answer.limits] == [True]


def test_a_broken_limit_is_reported_with_its_slack() -> None:
    answer = solve(STORED, "held", ["state = 380 GiB", "chip = tpu-v5p", "n_parts = 2"])
    (check,) = answer.limits
    assert not check.holds
    assert check.slack == pytest.approx(-1.0)
    assert any("does not hold" in text for text in answer.warnings)


def test_a_simultaneous_system_gives_both_unknowns() -> None:
    params, activations = 2 * 126 * 16384 * 53248, 2 * 126 * (16384 + 53248)
    relations = ["n_blocks = 126", f"params = {params}", f"activation_memory_per_token = {activations} byte/token"]
    answer = solve("ffn_memory", ["d_model", "d_ff"], relations)
    outcome = answer.outcomes["d_model"]
    assert [interval.lower for interval in outcome.solutions] == [16384, 53248]
    assert answer.outcomes["d_ff"].si == 16384
    assert all(check.holds for check in answer.checks)


def test_a_simultaneous_system_that_only_fractions_meet_is_none() -> None:
    relations = ["n_blocks = 126", "params = 1e12", "activation_memory_per_token = 1e8 byte/token"]
    answer = solve("ffn_memory", ["d_model", "d_ff"], relations)
    product, total = 1e12 / (2 * 126), 1e8 / (2 * 126)
    root = (total**2 - 4 * product) ** 0.5
    assert (answer.solved, answer.value) == (False, {"d_model": None, "d_ff": None})
    below = [int((total + sign * root) / 2) for sign in (-1, 1)]
    around = [(whole, whole + 1) for whole in below]
    assert sorted(outcome.neighbours for outcome in answer.outcomes.values()) == around
