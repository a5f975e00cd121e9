"""Unknowns that depend on each other: every tuple is listed, none is lost to rounding or to a factor that is zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cases import but_slow
from tests.published.variables import variables

from flopsheet import Answer, solve
from flopsheet.errors import QuestionError, UnderdeterminedError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet.units import Number

CELLS = {**{name: {"signed": True} for name in "xyz"}, **{name: {"integer": True} for name in "ijk"}}


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Answer]:
    return lambda relations, unknowns: solve(variables(tmp_path, CELLS), [*unknowns], relations)


def tuples(answer: Answer) -> list[tuple[Number, ...]]:
    """Return the tuples of an answer, after checking that nothing is open."""
    assert all(outcome.proof is not Proof.OPEN for outcome in answer.outcomes.values())
    return [tuple(values.values()) for values in answer.tuples]


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        (["x*y = x", "x + y = 3"], [(0, 3), (2, 1)]),
        (["x*y = 2*x", "x + z = 3", "z*y = y"], [(0, 0), (2, 2)]),
        (["x*y = 0", "x = y - 1"], [(-1, 0), (0, 1)]),
        (["sqrt(y) = x - 3", "y = 2*x - 3"], [(6, 9)]),
        (["y**3 = x - 3", "y = x - 27"], [(30, 3)]),
        (["(x - 1)*y = 0", "(x - 1)*x = y"], [(0, 0), (1, 0)]),
    ],
)
def test_a_factor_that_may_be_zero_loses_no_root(
    relations: list[str], expected: list[tuple[Number, ...]], ask: Callable[..., Answer]
) -> None:
    assert tuples(ask(relations, "xy")) == expected
    for place, name in enumerate("xy"):
        assert {value for (value,) in tuples(ask(relations, name))} == {point[place] for point in expected}


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        (["x + y + z = 6", "x*y*z = 6", "x*y + y*z + z*x = 11", "x < y", "y < z"], [(1, 2, 3)]),
        (["x + y + z = 6", "x*y*z = 6", "x*y + y*z + z*x = 11", "x >= 3"], [(3, 1, 2), (3, 2, 1)]),
        (
            ["x**2 = 2", "y**2 = x + 1", "z = x*y", "x >= 0", "y >= 0"],
            [(2**0.5, 1.5537739740300374, 2.19736822693562)],
        ),
        (["x + y + z = 4", "2*x + y - z = 1", "x*y*z = 2", "x >= 1"], [(1, 1, 2)]),
        (["x + y = 3", "x*y = 2", "z = x + 1", "x < y"], [(1, 2, 2)]),
        (["x = 1", "x + y = 3", "y*z = 2"], [(1, 2, 1)]),
        (["x**2 + y**2 = 1", "x + y = 10", "z = x"], []),
    ],
)
def test_tuples_meet_inequalities_and_what_is_given(
    relations: list[str], expected: list[tuple[Number, ...]], ask: Callable[..., Answer]
) -> None:
    found = tuples(ask(relations, "xyz"))
    assert found == [pytest.approx(point, rel=1e-13) for point in expected]


@pytest.mark.parametrize(
    ("relations", "unknowns", "expected"),
    [
        (["i*j = 8051", "i <= j"], "ij", [(1, 8051), (83, 97)]),
        (["12*i + j = 1000", "j <= 11"], "ij", [(83, 4)]),
        (["1/i + 1/j + 1/k = 1", "i <= j", "j <= k", "k <= 50"], "ijk", [(2, 3, 6), (2, 4, 4), (3, 3, 3)]),
        (["6*i + 9*j = 100"], "ij", []),
        (["i + j = 5", "i - j = 1"], "ij", [(3, 2)]),
        (["i*j = x", "x <= 3"], "ij", [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)]),
    ],
)
def test_whole_numbers_with_too_few_equations_are_listed(
    relations: list[str], unknowns: str, expected: list[tuple[int, ...]], ask: Callable[..., Answer]
) -> None:
    assert tuples(ask(relations, unknowns)) == expected


@pytest.mark.parametrize(
    "relations", but_slow([["i - j = 3"], ["i + j = 1000000"], ["i*j = x", "x >= 3"]], ["i + j = 1000000"])
)
def test_whole_numbers_without_end_are_not_listed(relations: list[str], ask: Callable[..., Answer]) -> None:
    with pytest.raises(UnderdeterminedError):
        ask(relations, "ij")


def test_an_equation_that_gives_an_unknown_is_one_of_several(ask: Callable[..., Answer]) -> None:
    assert ask(["(1e16 + x) - 1e16 = 3"], "x").value == 3
    assert tuples(ask(["x = 3", "y = 2*x"], "xy")) == [(3, 6)]
    with pytest.raises(QuestionError, match="asked for and given at once"):
        ask(["x = 3", "y = 2"], "xy")


def test_without_a_tuple_the_answer_is_none_and_says_which_cells(ask: Callable[..., Answer]) -> None:
    answer = ask(["x**2 + y**2 = 1", "x + y = 10"], "xy")
    assert [outcome.kind for outcome in answer.outcomes.values()] == ["none", "none"]
    assert str(answer).startswith("no x works. No values of x and y meet all relations at once.")


@pytest.mark.parametrize(
    ("relations", "told"),
    [
        (
            ["x**2 + y**2 + 3 = 2", "x + y = 1"],
            "x**2 + y**2 + 3 is at least 3, whatever x and y are, and must be exactly 2.",
        ),
        (
            ["5 - x**2*y**2 = 7", "x + y = 1"],
            "5 - x**2*y**2 is at most 5, whatever x and y are, and must be exactly 7.",
        ),
        (["x**2 + y**2 = 1", "x + y = 10"], ""),
    ],
)
def test_a_relation_that_nothing_meets_is_named(relations: list[str], told: str, ask: Callable[..., Answer]) -> None:
    why = ask(relations, "xy").outcomes["x"].why
    assert why == f"No values of x and y meet all relations at once. {told}".rstrip()


@pytest.mark.parametrize(
    ("total", "product", "expected"),
    [("6.6", "10.89", [(3.3, 3.3)]), ("1.4", "0.49", [(0.7, 0.7)]), ("5", "6", [(2, 3), (3, 2)]), ("4", "4.01", [])],
)
def test_unknowns_behind_other_cells_are_eliminated(
    total: str, product: str, expected: list[tuple[float, float]], tmp_path: Path
) -> None:
    more = {name: {"formula": form, "signed": True} for name, form in (("sum", "x + y"), ("area", "x*y"))}
    answer = solve(variables(tmp_path, {**CELLS, **more}), ["x", "y"], [f"sum = {total}", f"area = {product}"])
    assert [(float(x), float(y)) for x, y in tuples(answer)] == expected


def test_roots_of_numbers_that_no_float_holds_are_right(ask: Callable[..., Answer]) -> None:
    assert ask(["(x/2)**900 = 3", "x > 0"], "x").value == pytest.approx(2.0024428513084106, rel=1e-14)
    outcome = ask(["(x+1)**2000/(x+2)**2000 = 0.5", "x > 0"], "x").outcomes["x"]
    assert outcome.si == pytest.approx(2883.89011065906, rel=1e-12)
    assert outcome.open == ()


def test_each_step_names_another_relation() -> None:
    """One is a formula of the sheet, which nobody wrote as a relation."""
    given = ["train_time = 90 day", "n_chips = 10000", "chip_rate = 400 TFLOP/s", "tokens_per_param = 20 token/param"]
    answer = solve("training_run", ["params", "dataset_tokens"], given)
    texts = {step.cell.name: step.relation(tuple(answer.question.sheet.cells)) for step in answer.steps}
    assert texts["params"] == "train_time = 90 day"
    assert texts["dataset_tokens"] == "dataset_tokens = params*tokens_per_param"


def test_the_origin_of_a_default_that_is_given_is_not_warned_of() -> None:
    given = ["params = 70e9", "n_chips = 1000", "chip = h100-sxm", "tokens = 4e6"]
    text = "chip.hourly_price of h100-sxm-lambda was not verified in its source."
    assert text in solve("training_run", "train_cost", given).warnings
    assert text not in solve("training_run", "train_cost", [*given, "chip_price = 2 USD/hour"]).warnings


def test_a_figure_is_warned_of_where_the_answer_rests_on_it() -> None:
    given = ["params = 70e9", "n_chips = 1000", "chip = h100-sxm", "tokens = 4e6", "utilization = 0.4"]
    text = "chip.hourly_price of h100-sxm-lambda was not verified in its source."
    asked = [*given, "train_time <= 30 day"]
    assert text not in solve("training_run", "dataset_tokens", asked).warnings
    assert text in solve("training_run", "dataset_tokens", asked, show="train_cost").warnings
    assert text in solve("training_run", "dataset_tokens", [*given, "train_cost <= 9e6 USD"]).warnings
    assert text in solve("training_run", (), [*given, "dataset_tokens = 15e12"]).warnings
