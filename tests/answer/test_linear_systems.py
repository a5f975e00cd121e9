"""Linear equations in several unknowns at random numbers: one tuple exactly, none, or what has to be given."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import pytest
import sympy
from tests.pace import at_most
from tests.published.variables import variables

from flopsheet import Answer, solve
from flopsheet.errors import UnderdeterminedError
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAMES = "xyzw"
Rows = list[list[Fraction]]  # each with what it adds up to


def _total(factors: Sequence[Fraction], numbers: Sequence[Fraction]) -> Fraction:
    return sum((factor * number for factor, number in zip(factors, numbers, strict=True)), Fraction(0))


def _drawn(random: Random, *, lacking: int, spare: int) -> tuple[Rows, list[Fraction]]:
    """Return consistent equations of some unknowns, as many independent ones as unknowns or fewer, and a solution."""
    count = random.randint(2 + (lacking > 1), 4)
    point = [Fraction(random.randint(1, 99), random.choice((1, 10, 100))) for _ in range(count)]
    rows: Rows = [[Fraction(random.randint(-4, 7)) for _ in range(count)] for _ in range(count - lacking)]
    columns = [*zip(*rows, strict=True)]
    for _ in range(lacking + spare):
        weights = [Fraction(random.choice((-1, 1, 2, 3))) for _ in range(count - lacking)]
        rows.append([_total(weights, column) for column in columns])
    random.shuffle(rows)
    return [[*row, _total(row, point)] for row in rows], point


def _rank(rows: Rows) -> int:
    return int(sympy.Matrix([[sympy.Rational(str(number)) for number in row] for row in rows]).rank())


def _texts(rows: Rows) -> list[str]:
    names = NAMES[: len(rows[0]) - 1]
    terms = ([f"({number})*{name}" for number, name in zip(row[:-1], names, strict=True) if number] for row in rows)
    return [f"{' + '.join(own)} = {float(row[-1])!r}" for own, row in zip(terms, rows, strict=True)]


def _asked(folder: Path, rows: Rows, *, signed: bool = True) -> Answer:
    names = NAMES[: len(rows[0]) - 1]
    sheet = variables(folder, {name: {"signed": True} if signed else {} for name in names})
    return solve(sheet, [*names], _texts(rows))


def _cases(lacking: int, spare: int, count: int) -> list[tuple[Rows, list[Fraction]]]:
    random = Random(f"{lacking} {spare}")  # noqa: S311  # the same numbers each time
    cases: list[tuple[Rows, list[Fraction]]] = []
    while len(cases) < count:
        rows, point = _drawn(random, lacking=lacking, spare=spare)
        left = [row[:-1] for row in rows]
        if all(map(any, left)) and all(map(any, zip(*left, strict=True))) and _rank(left) == len(point) - lacking:
            cases.append((rows, point))
    return cases


@pytest.mark.parametrize("spare", [0, 1, 2])
def test_as_many_independent_equations_as_unknowns_have_one_exact_tuple(tmp_path: Path, spare: int) -> None:
    for rows, point in _cases(0, spare, 8):
        for signed in (True, False):
            answer = _asked(tmp_path, rows, signed=signed)
            assert [[*own.values()] for own in answer.tuples] == [point]
            assert not any(outcome.open for outcome in answer.outcomes.values())


@pytest.mark.parametrize(("lacking", "spare"), [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1)])
def test_equations_that_contradict_each_other_have_no_tuple(tmp_path: Path, lacking: int, spare: int) -> None:
    for rows, _ in _cases(lacking, spare, 6):
        off = [[*row[:-1], row[-1] + Fraction(1, 10) * (at == 0)] for at, row in enumerate(rows)]
        if _rank(off) > _rank([row[:-1] for row in rows]):
            outcomes = _asked(tmp_path, off).outcomes.values()
            assert {own.kind for own in outcomes} == {"none"}
            assert all(own.proof is not Proof.OPEN for own in outcomes)


def _answer_or_error(folder: Path, rows: Rows, *, signed: bool) -> Answer | UnderdeterminedError:
    try:
        return _asked(folder, rows, signed=signed)
    except UnderdeterminedError as error:
        return error


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(("lacking", "spare"), [(1, 0), (1, 1), (2, 0), (2, 1)])
def test_equations_of_which_some_follow_from_others_say_what_is_free_at_once(
    tmp_path: Path, lacking: int, spare: int, signed: bool
) -> None:
    for rows, _ in _cases(lacking, spare, 6):
        with at_most(1):
            answer = _answer_or_error(tmp_path, rows, signed=signed)
        if isinstance(answer, UnderdeterminedError):
            assert answer.fix.startswith(("Add '", "It needs "))
            continue
        outcomes = answer.outcomes
        assert not any(own.open or own.kind == "none" for own in outcomes.values())
        at = {cell.name: value for own in outcomes.values() for cell, value in own.at}
        values = at | {name: own.si for name, own in outcomes.items() if own.si is not None and name not in at}
        for row in rows:
            assert _total(row[:-1], [Fraction(values[name]) for name in outcomes]) == row[-1]


def test_what_an_error_asks_for_makes_the_others_known(tmp_path: Path) -> None:
    sheet = variables(tmp_path, {name: {} for name in NAMES})
    relations = ["x + y + z + w = 10", "x - y + z - w = -2", "2*x + 2*z = 8", "y + w = 6"]
    with pytest.raises(UnderdeterminedError, match="some of the equations on them follow from the others") as raised:
        solve(sheet, [*NAMES], relations)
    assert raised.value.fix == "Add 'z = ...' (Variable) and 'w = ...' (Variable), and do not ask for these."
    assert solve(sheet, ["x", "y"], [*relations, "z = 3", "w = 4"]).tuples == [{"x": 1, "y": 2}]


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        (["x + y + z = 0", "x - y = 0", "2*x + z = 0"], []),  # the line passes no positive numbers
        (["x + y = 6", "x - z = 1", "2*x + y - z = 7", "y <= 2", "x <= 4"], [(4, 2, 3)]),
        (["x + y = 6", "x - z = 1", "2*x + y - z = 7", "y <= 2", "x < 4"], []),
        (["x + y = 6", "x - y = 2", "x*y = 8", "z = x"], [(4, 2, 4)]),
        (["x + y = 6", "x - y = 2", "log(x) = log(2)*2", "z = x"], [(4, 2, 4)]),
        (["x + y = 6", "x - y = 2", "log(x) = log(2)*2 + 1e-12", "z = x"], []),
        (["x + y = 6", "x - y = 2", "abs(x - z) = 1", "x - z = 1"], [(4, 2, 3)]),
    ],
)
def test_bounds_and_other_relations_decide_on_what_linear_equations_leave(
    tmp_path: Path, relations: list[str], expected: list[tuple[int, ...]]
) -> None:
    answer = solve(variables(tmp_path, {name: {} for name in "xyz"}), [*"xyz"], relations)
    assert [tuple(own.values()) for own in answer.tuples] == expected
    assert not any(outcome.open for outcome in answer.outcomes.values())


@pytest.mark.parametrize("gap", ["4.38", "0.7", "3"])
def test_a_value_beside_a_range_without_a_first_one_is_told(tmp_path: Path, gap: str) -> None:
    answer = solve(variables(tmp_path, {"x": {}, "y": {}}), ["x", "y"], [f"abs(x - y) = {gap}", f"x - y = {gap}"])
    y = answer.outcomes["y"]
    ((_, x),) = y.at
    assert y.si == x - Fraction(gap)
    assert f"y = {y.cell.text(y.si)} at x = " in str(answer)
