"""Of several answers the one near a value, and every answer one after the other with all other cells."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_more import Rectangle

from flopsheet import Chip, Sheet, formula, given, log, part, quantity, solve
from flopsheet.answer.table import MOST_VALUES, each_value
from flopsheet.errors import ArgumentError, DimensionError, FlopsheetError, QuestionError, UnknownNameError
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet import Answer
    from flopsheet.units import Number

GIB = 2**30


class Stored(Sheet):
    """State on chips."""

    state = given("State", "GiB", example=380)
    n_parts = given("Parts", example=4, integer=True)
    chip = part(Chip, example="tpu-v5p")
    held = formula(state / n_parts, "GiB", "Held by one")


STORED = Stored()
HELD = ["state = 380 GiB", "n_parts = 5", "held <= chip.memory"]


def closed(answer: Answer) -> Any:
    """Return the value of the closed form."""
    form = answer.closed_form
    assert form is not None
    return form.subs({cell: answer.cells[cell.name].value for cell in form.free_symbols})


def nearest(near: float, values: Iterable[float]) -> float:
    return min(values, key=lambda value: abs(value - near))


@pytest.mark.parametrize("near", [-5, 0, 1, 1.9, 2.1, Fraction(29, 10), 3, 1000, "1.4", "5/2", 1e-30])
@pytest.mark.parametrize(("relation", "roots"), [("bowl = 1", [1, 3]), ("hill = 2", [2 - 2**0.5, 2 + 2**0.5])])
def test_the_root_near_a_value_is_taken(relation: str, roots: list[float], near: Any) -> None:
    answer = solve(TOY, "x", [relation], near=near)
    value = nearest(float(Fraction(near) if isinstance(near, str) else near), roots)
    assert answer.value == pytest.approx(value, rel=1e-12)
    assert answer.cells["x"].value == answer.value
    assert answer.outcomes["x"].whole is None
    assert [float(interval.lower) for interval in answer.outcomes["x"].solutions] == pytest.approx(roots, rel=1e-12)
    assert float(closed(answer)) == pytest.approx(value, rel=1e-12)
    assert all(check.holds for check in answer.checks)


@pytest.mark.parametrize(
    ("relation", "near", "value"),
    [
        ("bowl <= 1", 0, 1),
        ("bowl <= 1", 1.5, Fraction(3, 2)),
        ("bowl <= 1", 4, 3),
        ("bowl >= 1", 0.5, Fraction(1, 2)),
        ("bowl >= 1", 1.9, 1),
        ("bowl >= 1", 2.1, 3),
        ("bowl >= 1", 70, 70),
        ("bowl < 1", 2.5, Fraction(5, 2)),
        ("bowl < 1", 0, None),
    ],
)
def test_a_range_gives_the_value_itself_or_its_nearest_end(relation: str, near: Number, value: Number | None) -> None:
    answer = solve(TOY, "x", [relation], near=near)
    outcome = answer.outcomes["x"]
    assert (outcome.kind, answer.value) == ("range", value)
    assert value is None or (outcome.interval is not None and value in outcome.interval)
    assert all(check.holds for check in answer.checks)


WHOLE = [
    (["mod(n, 5) = 2", "n <= 40"], range(2, 41, 5)),
    (["mod(360, n) = 0"], [divisor for divisor in range(1, 361) if 360 % divisor == 0]),
    (["total <= 10", "x = 3"], range(1, 4)),
    (["(n - 3)**2 >= 4", "n <= 6"], [1, 5, 6]),
    (["(n - 3)**2 = 4"], [1, 5]),
]


@pytest.mark.parametrize("near", [1, 3.4, 7.6, 13, 26, 1000])
@pytest.mark.parametrize(("relations", "members"), WHOLE)
def test_a_set_of_whole_numbers_gives_its_nearest_member(
    relations: list[str], members: Iterable[int], near: float
) -> None:
    answer = solve(TOY, "n", relations, near=near)
    assert answer.value == nearest(near, members)
    assert answer.outcomes["n"].whole in (None, answer.value)


@pytest.mark.parametrize(
    ("near", "size"),
    [("90 GiB", 90 * GIB), ("90 GB", 90 * 10**9), (quantity("0.5 TiB"), 512 * GIB), ("60 GiB", 76 * GIB)],
)
def test_near_has_a_unit(near: Any, size: int) -> None:
    answer = solve(STORED, "chip.memory", HELD, near=near)
    assert answer.outcomes["chip.memory"].si == size
    assert solve(STORED, "chip.memory", HELD, near={"chip.memory": near}).value == answer.value


@pytest.mark.parametrize(
    ("near", "values"),
    [
        ({"x": 0, "y": 0}, (1, 3)),
        ({"x": 0, "y": 9}, (1, 7)),
        ({"x": 9, "y": 4}, (3, 3)),
        ({"x": 9, "y": 6}, (3, 7)),
        ({"y": 4}, (3, 3)),
    ],
)
def test_each_of_two_unknowns_has_its_own_value_near(near: dict[str, int], values: tuple[int, int]) -> None:
    answer = solve(TOY, ["x", "y"], ["bowl = 1", "(y - 5)**2 = 4"], near=near)
    assert answer.value == dict(zip("xy", values, strict=True))


@pytest.mark.parametrize("near", [{"x": 4}, {"x": 6}, {"y": 4}, {"y": 9}, {"x": 2, "y": 8}])
def test_near_one_of_two_unknowns_picks_the_pair(near: dict[str, int]) -> None:
    pairs = [{"x": 3, "y": 7}, {"x": 7, "y": 3}]
    expected = min(pairs, key=lambda pair: sum(abs(pair[name] - value) for name, value in near.items()))
    assert solve(TOY, ["x", "y"], ["x + y = 10", "x * y = 21"], near=near).value == expected


@pytest.mark.parametrize("near", [7 * 10**5 + 4, 10**6, 10**9 + 1])
def test_a_far_member_of_an_endless_set_is_nearest_too(near: int) -> None:
    answer = solve(TOY, "n", ["mod(n, 7) = 3"], near=near)
    assert answer.value == nearest(near, range(near - near % 7 - 4, near + 14, 7))


def test_near_changes_nothing_where_there_is_one_value_or_none() -> None:
    assert solve(TOY, "x", ["area = 10", "y = 4"], near=400).value == Fraction(5, 2)
    assert not solve(TOY, "x", ["hill = 5"], near=2).solved
    assert solve(TOY, "x", ["bowl = 1"], near={}).value == solve(TOY, "x", ["bowl = 1"]).value


WRONG: list[tuple[Any, Any, type[FlopsheetError], str]] = [
    (["x", "y"], 4, QuestionError, "2 unknown numbers"),
    ((), 4, QuestionError, "0 unknown numbers"),
    ("x", {"y": 4}, UnknownNameError, "no unknown 'y'"),
    ("x", {"q": 4}, UnknownNameError, "no unknown 'q'"),
    ("x", "4 GiB", DimensionError, "near 'x'"),
    ("x", "y", QuestionError, "is no value"),
    ("x", "2 * x", QuestionError, "is no value"),
    ("x", "x > 3", QuestionError, "is no value"),
    ("x", "", QuestionError, "is no value"),
    ("x", math.nan, FlopsheetError, "near 'x'"),
    ("x", math.inf, FlopsheetError, "near 'x'"),
    ("x", [1, 2], ArgumentError, "near 'x': Expected a finite number, a quantity or a text"),
]


@pytest.mark.parametrize(("unknown", "near", "kind", "says"), WRONG, ids=str)
def test_bad_values_are_refused(unknown: Any, near: Any, kind: type[FlopsheetError], says: str) -> None:
    with pytest.raises(kind, match=says):
        solve(TOY, unknown, ["bowl = 1", "(y - 5)**2 = 4"] if unknown else ["x = 3"], near=near)


def test_a_value_without_its_unit_and_a_name_are_refused() -> None:
    with pytest.raises(DimensionError, match="has no unit"):
        solve(STORED, "chip.memory", HELD, near=90)
    with pytest.raises(QuestionError, match="'chip' is a name"):
        solve(STORED, "chip", HELD[:2], near={"chip": 3})


def every_value(answer: Answer) -> list[dict[str, float]]:
    """Return the unknowns of every single value, once each was put back into all relations."""
    answers = each_value(answer)
    for named, alternative in answers:
        assert named.keys() == {*answer.question.unknowns}
        assert {check.relation.text for check in alternative.checks} >= {
            relation.text for relation in answer.question.relations
        }
        assert all(check.holds for check in alternative.checks)
    names = [name for name in answer.question.unknowns if name not in answer.question.names]
    return [{name: float(alternative.cells[name].value) for name in names} for _, alternative in answers]


EVERY: list[tuple[Any, list[str], list[Any]]] = [
    ("x", ["bowl = 1"], [{"x": 1}, {"x": 3}]),
    ("x", ["hill = 2"], [{"x": 2 - 2**0.5}, {"x": 2 + 2**0.5}]),
    ("x", ["order**2 = 3"], [{"x": math.exp(-(3**0.5))}, {"x": math.exp(3**0.5)}]),
    ("x", ["bowl <= 1"], [{"x": 1}]),
    *[("n", relations, [{"n": member} for member in members]) for relations, members in WHOLE],
    (["x", "y"], ["x + y = 10", "x * y = 21"], [{"x": 3, "y": 7}, {"x": 7, "y": 3}]),
    (["x", "y"], ["bowl = 1", "(y - 5)**2 = 4"], [{"x": x, "y": y} for x in (1, 3) for y in (3, 7)]),
    (["n", "x"], ["n <= 3", "n * x = 6"], [{"n": n, "x": 6 / n} for n in (1, 2, 3)]),
    (["n", "x"], ["mod(4, n) = 0", "bowl * n = n"], [{"n": n, "x": x} for n in (1, 2, 4) for x in (1, 3)]),
    (["x", "n"], ["bowl = 1", "total <= 3"], [{"x": x, "n": n} for x, n in ((1, 1), (1, 2), (1, 3), (3, 1))]),
]


@pytest.mark.parametrize(("unknown", "relations", "values"), EVERY)
def test_every_value_has_its_own_answer(unknown: Any, relations: list[str], values: list[dict[str, float]]) -> None:
    unknowns = every_value(solve(TOY, unknown, relations))
    assert unknowns == [pytest.approx(value, rel=1e-12) for value in values]


class Hole(Sheet):
    """A difference that vanishes at two roots that are not rational."""

    x = given("First", example=2)
    hole = formula((x - 3) ** 2 - 2, "", "A parabola below zero", signed=True)
    depth = formula(log((x - 3) ** 2 - 1), "", "A logarithm", signed=True)


@pytest.mark.parametrize("relation", ["hole = 0", "depth = 0", "(x - 3)**2 = 2"])
def test_roots_at_which_a_difference_vanishes(relation: str) -> None:
    answer = solve(Hole(), "x", [relation])
    assert every_value(answer) == [pytest.approx({"x": root}, rel=1e-7) for root in (3 - 2**0.5, 3 + 2**0.5)]


def test_units_stay_with_every_value() -> None:
    answer = solve(Rectangle(), ["side_a", "side_b"], ["area = 0.003 m^2", "perimeter = 0.22 m"])
    assert [(named["side_a"], named["side_b"]) for named, _ in each_value(answer)] == [
        ("0.05 m", "0.06 m"),
        ("0.06 m", "0.05 m"),
    ]
    assert every_value(answer) == [pytest.approx({"side_a": a, "side_b": 0.11 - a}) for a in (0.05, 0.06)]


def test_names_are_values_too() -> None:
    answer = solve(STORED, ["chip", "n_parts"], ["state = 380 GiB", "held = chip.memory", "chip.memory >= 80 GiB"])
    sizes = {named["chip"]: alternative.cells["n_parts"].value for named, alternative in each_value(answer)}
    memory = {key: Fraction(chip.values["memory"].si) / 2**30 for key, chip in records("chip").items()}
    assert sizes == {key: Fraction(380) / size for key, size in memory.items() if size >= 80 and 380 % size == 0}
    assert len(sizes) > 0


def test_endless_sets_stop_and_long_ranges_stand_for_their_end() -> None:
    assert every_value(solve(TOY, "n", ["mod(n, 7) = 3"])) == [{"n": 3 + 7 * place} for place in range(MOST_VALUES)]
    assert every_value(solve(TOY, "n", ["total <= 1000", "x = 3"])) == [{"n": 333}]
    assert [named for named, _ in each_value(solve(TOY, "x", ["hill = 5"]))] == [{}]
