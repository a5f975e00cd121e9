"""The engine end to end on a small sheet: the kinds of answers, each against plain arithmetic."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.toy import TOY

from flopsheet import Sheet, formula, given, solve
from flopsheet.answer.several import tuples
from flopsheet.errors import FlopsheetError, NotInvertibleError

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.units import Number

GIB = 2**30


def outcome(unknown: str, *relations: str) -> Outcome:
    answer = solve(TOY, unknown, relations)
    result = answer.outcomes[unknown]
    if result.kind != "none":
        assert all(check.holds for check in answer.checks), [check.relation.text for check in answer.checks]
        assert result.si is None or not result.solutions or any(result.si in interval for interval in result.solutions)
    return result


@pytest.mark.parametrize(
    ("unknown", "relations", "value"),
    [
        ("area", ["x = 2", "y = 5"], 10),
        ("y", ["x = 2", "area = 7"], Fraction(7, 2)),
        ("x", ["largest = 5", "y = 3"], 5),
        ("x", ["hill = 4"], 2),
        ("x", ["order = 1"], math.e),
        ("x", ["x = 3 * y", "area = 12"], 6),
        ("y", ["y = 4 * x", "area = 16"], 8),
        ("scaled", ["x = 3"], 60),
        ("rate", ["scaled = 100", "x = 4"], 25),
        ("x", ["x * y = 6", "y = 2", "area = 6"], 3),
        ("x", ["bowl <= 0"], 2),
    ],
)
def test_one_value(unknown: str, relations: list[str], value: Number) -> None:
    result = outcome(unknown, *relations)
    assert result.kind == "value"
    assert result.si == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("relations", "values"),
    [(["bowl = 1"], [1, 3]), (["hill = 3"], [1, 3]), (["hill = 2", "x >= 1"], [2 + math.sqrt(2)])],
)
def test_several_values_and_a_bound_that_picks(relations: list[str], values: list[float]) -> None:
    result = outcome("x", *relations)
    assert [float(interval.lower) for interval in result.solutions] == pytest.approx(values, rel=1e-12)
    assert result.kind == ("values" if len(values) > 1 else "value")


RANGES = [
    (["x <= 5", "x >= 2"], 2, 5, "[]"),
    (["area <= 10", "y = 4"], 0, Fraction(5, 2), "(]"),
    (["area > 10", "y = 4"], Fraction(5, 2), math.inf, "()"),
    (["area < 10", "y = 4"], 0, Fraction(5, 2), "()"),
    (["steps_needed = 2"], 3, 6, "(]"),
    (["largest = 5", "y = 5"], 0, 5, "(]"),
    (["bowl <= 1"], 1, 3, "[]"),
    (["x / (x - 1) >= 2"], 1, 2, "(]"),
    (["bowl >= 0"], 0, math.inf, "()"),
]


@pytest.mark.parametrize(("relations", "lower", "upper", "closed"), RANGES)
def test_a_range_and_a_value_inside_it(relations: list[str], lower: float, upper: float, closed: str) -> None:
    result = outcome("x", *relations)
    assert result.kind == "range"
    assert result.interval is not None
    ends = ("[" if result.interval.lower_closed else "(") + ("]" if result.interval.upper_closed else ")")
    assert (result.interval.lower, result.interval.upper, ends) == (lower, upper, closed)


@pytest.mark.parametrize("relation", ["bowl <= 1", "bowl >= 1", "hill >= 3", "hill <= 3", "x**2 - 4*x + 3 <= 0"])
def test_the_closed_form_of_a_range_is_its_boundary(relation: str) -> None:
    result = outcome("x", relation)
    assert result.closed_form is None or float(result.closed_form) == pytest.approx(float(result.boundary or 0))


@pytest.mark.parametrize(
    ("relations", "whole"),
    [
        (["total <= 10", "x = 3"], 3),
        (["total <= 9", "x = 3"], 3),
        (["total < 9", "x = 3"], 2),
        (["total >= 9", "x = 3"], 3),
        (["total > 9", "x = 3"], 4),
        (["total >= 10", "x = 3"], 4),
        (["total >= 0.3", "x = 0.1"], 3),
        (["total > 0.3", "x = 0.1"], 4),
        (["size <= 1000"], 3),
        (["size >= 1000"], 3),
        (["size < 1000"], 2),
        (["size > 1000"], 4),
        (["n >= 1.2", "n**2 - 4*n + 3.96 >= 0"], 3),
        (["n >= 5", "total <= 100", "x = 3"], 5),
        (["(n - 2)**2 <= 0"], 2),
    ],
)
def test_an_inequality_on_a_count_answers_in_whole_numbers(relations: list[str], whole: int) -> None:
    assert outcome("n", *relations).si == whole


@pytest.mark.parametrize(
    ("relations", "exact", "neighbours"),
    [
        (["total = 10", "x = 3"], Fraction(10, 3), (3, 4)),
        (["total = 9", "x = 3"], 3, ()),
        (["size = 1000"], 3, ()),
    ],
)
def test_an_equation_on_a_count_that_only_a_fraction_meets_is_none_and_names_the_neighbours(
    relations: list[str], exact: Number, neighbours: tuple[int, ...]
) -> None:
    result = outcome("n", *relations)
    assert float(result.boundary or 0) == pytest.approx(float(exact), rel=1e-12)
    assert (result.neighbours, result.si is None) == (neighbours, bool(neighbours))
    assert result.kind == ("none" if neighbours else "value")
    assert [f"{whole} gives total" in result.why for whole in neighbours] == [True for _ in neighbours]


@pytest.mark.parametrize(
    ("unknown", "relations", "why"),
    [
        ("n", ["n < 1"], "n"),
        ("x", ["largest <= 5", "y = 6"], "cannot fall below 6"),
        ("x", ["hill = 5"], "cannot rise above 4"),
        ("x", ["area = 7", "x * y = 6", "y = 2"], "No x"),
        ("x", ["x <= 2", "x >= 3"], "at once"),
        ("n", ["n > 1", "n < 2"], "contains no whole number"),
        ("n", ["(n - 2.5)**2 <= 0"], "whole number"),
        ("area", ["x = 2", "y = 3", "area >= 7"], "area"),
    ],
)
def test_none_says_why(unknown: str, relations: list[str], why: str) -> None:
    answer = solve(TOY, unknown, relations)
    assert not answer.solved
    assert answer.outcomes[unknown].si is None
    assert why in answer.outcomes[unknown].why


@pytest.mark.parametrize("relations", [["order = 1000"], ["order <= 1000"], ["order >= 1000"]])
def test_a_number_beyond_floats_is_no_traceback(relations: list[str]) -> None:
    try:
        answer = solve(TOY, "x", relations)
    except FlopsheetError as error:
        assert error.problem  # noqa: PT017  # refusing it is as good as an answer
    else:
        assert answer.outcomes["x"].kind in ("range", "none")


@pytest.mark.parametrize(
    ("unknown", "relations"),
    [
        ("x", ["bowl = 1"]),
        ("n", ["total >= 10", "x = 3"]),
        ((), ["x = 2", "y = 5"]),
        (["x", "y"], ["x + y = 9", "x = 2 * y"]),
    ],
)
def test_the_same_question_gives_the_same_answer(unknown: Any, relations: list[str]) -> None:
    first, again = (json.dumps(solve(TOY, unknown, relations).as_dict(), allow_nan=False) for _ in range(2))
    assert first == again
    assert solve(TOY, unknown, relations).derivation() == solve(TOY, unknown, relations).derivation()


class Roots(Sheet):
    """A cell that has as many values as its polynomial has roots, and one behind it."""

    x = given("Root", example=1)
    eight = formula((x - 1) * (x - 2) * (x - 3) * (x - 4) * (x - 5) * (x - 6) * (x - 7) * (x - 8), "", "P", signed=True)
    nine = formula(eight * (x - 9), "", "One more", signed=True)
    z = given("Rest", example=1)
    total = formula(x + z, "", "Sum")
    share = formula(z / (x - 3), "", "Has no value where x is 3", signed=True)


def test_each_of_several_values_on_the_way_gives_a_value_of_the_unknown() -> None:
    result = solve(Roots(), "z", ["eight = 0", "total = 20"]).outcomes["z"]
    assert [part.lower for part in result.solutions] == [*range(12, 20)]


def test_of_too_many_values_on_the_way_one_has_to_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(solve(Roots(), "z", ["nine = 0", "total = 20"]).outcomes["z"].solutions) == 9
    monkeypatch.setattr(tuples, "MOST_TUPLES", 8)
    with pytest.raises(NotInvertibleError, match=r"9 of 'x' alone.*Give 'x'"):
        solve(Roots(), "z", ["nine = 0", "total = 20"])


@pytest.mark.parametrize(("relation", "values"), [("share = 2", [2, 4, 6, 8, 10]), ("share = -2", [4, 2])])
def test_a_value_on_the_way_at_which_a_formula_has_none_is_left_out(relation: str, values: list[int]) -> None:
    result = solve(Roots(), "z", ["eight = 0", relation]).outcomes["z"]
    assert {part.lower for part in result.solutions} == {*values}


@pytest.mark.parametrize(
    ("relation", "value"),
    [
        ("n/3 = 33333333.333333332", 100_000_000),  # as programs print it
        ("n/3 = 33333333.3333333333333333", None),
        ("n*0.1 = 4.800000000000001", 48),  # as 0.1 * 48 comes out in floats
        ("n*0.1 = 4.8000000000000004", None),
        ("3*n = 300000000000000.00001", None),
        ("3*n = 1000000000000000000000000000001", None),
        ("7*n = 700.00001", None),
    ],
)
def test_a_count_from_copied_digits_is_whole_and_one_from_integers_is_exact(relation: str, value: int | None) -> None:
    assert outcome("n", relation).si == value
