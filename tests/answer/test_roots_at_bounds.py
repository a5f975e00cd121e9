"""Tuples exactly at a bound: a closed one keeps them, a strict one excludes them, whatever floats are nearest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

# two relations that hold at x = {a}, y = {b}; one unknown of most is eliminated, those of the last two are searched
SYSTEMS = [
    ("log(x) + y = log({a}) + {b}", "x/y = {a}/{b}"),
    ("log(x) + y = log({a}) + {b}", "x*y = {a}*{b}"),
    ("log(x) + y = log({a}) + {b}", "x**2 + y**2 = {a}**2 + {b}**2"),
    ("exp(x/5) + y = exp({a}/5) + {b}", "x*y = {a}*{b}"),
    ("exp(x/5) + y = exp({a}/5) + {b}", "x*exp(-y/3) = {a}*exp(-{b}/3)"),
    ("log(x)*y = log({a})*{b}", "sqrt(x) + y**2 = sqrt({a}) + {b}**2"),
    ("x**y = {a}**{b}", "sqrt(x) + y**2 = sqrt({a}) + {b}**2"),
]
BOUNDED = ["x {} {a}", "y {} {b}", "x + y {} {a} + {b}", "x*y {} {a}*{b}", "log(x) + y {} log({a}) + {b}"]
decimals = st.decimals("1.1", 9, places=2).filter(lambda number: number % 1 != 0)
pairs = st.tuples(decimals, decimals)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bounds")


def _has(answer: Answer, a: Any, b: Any) -> bool:
    pairs = [(values["x"], values["y"]) for values in answer.tuples]
    return any(math.isclose(x, a, rel_tol=1e-12) and math.isclose(y, b, rel_tol=1e-12) for x, y in pairs)


def _is_open(answer: Answer) -> bool:
    return any(outcome.proof is Proof.OPEN for outcome in answer.outcomes.values())


@pytest.mark.slow
@drawn(st.sampled_from(SYSTEMS), st.sampled_from(BOUNDED), st.sampled_from(["<=", ">="]), pairs)
@settings(deadline=None, max_examples=24)
def test_a_tuple_at_an_inequality_is_kept_by_a_closed_one_and_excluded_by_a_strict_one(
    folder: Path, system: tuple[str, str], bounded: str, sign: str, at: tuple[Any, Any]
) -> None:
    a, b = at
    sheet = variables(folder, {"x": {"maximum": 100}, "y": {"maximum": 100}})
    relations = [text.format(a=a, b=b) for text in system]
    closed = solve(sheet, ["x", "y"], [*relations, bounded.format(sign, a=a, b=b)])
    assert _has(closed, a, b) or _is_open(closed)
    strict = solve(sheet, ["x", "y"], [*relations, bounded.format(sign[0], a=a, b=b)])
    assert not _has(strict, a, b)


@pytest.mark.slow
@drawn(st.sampled_from(SYSTEMS), st.sampled_from("xy"), st.sampled_from(["minimum", "maximum"]), pairs)
@settings(deadline=None, max_examples=25)
def test_a_tuple_at_a_bound_of_a_cell_is_found(
    folder: Path, system: tuple[str, str], name: str, end: str, at: tuple[Any, Any]
) -> None:
    a, b = at
    cells: dict[str, dict[str, Any]] = {"x": {"maximum": 100}, "y": {"maximum": 100}}
    cells[name][end] = str(a if name == "x" else b)
    answer = solve(variables(folder, cells), ["x", "y"], [text.format(a=a, b=b) for text in system])
    assert _has(answer, a, b) or _is_open(answer)


@pytest.mark.parametrize(
    ("system", "bound", "a", "b"),
    [
        (0, "x <= 1.79", 1.79, 1),
        (1, "x >= 0.35", 0.35, 4),
        (2, "x <= 3.7", 3.7, 4.9),
    ],
)
def test_tuples_next_to_a_bound_that_no_float_is_are_proven(
    tmp_path: Path, system: int, bound: str, a: float, b: float
) -> None:
    relations = [text.format(a=a, b=b) for text in SYSTEMS[system]]
    answer = solve(variables(tmp_path, {"x": {}, "y": {}}), ["x", "y"], [*relations, bound])
    assert _has(answer, a, b)
    assert not _is_open(answer)


@pytest.mark.parametrize(
    ("bound", "is_kept"), [("x <= exp(0.3)", True), ("x < exp(0.3)", False), ("x > exp(0.3)", False)]
)
def test_digits_decide_at_a_root_that_no_decimal_is(tmp_path: Path, bound: str, is_kept: bool) -> None:
    relations = ["log(x) + y = 0.3 + 2.5", "x*y = exp(0.3)*2.5", bound]
    answer = solve(variables(tmp_path, {"x": {}, "y": {}}), ["x", "y"], relations)
    assert _has(answer, math.exp(0.3), 2.5) is is_kept


@pytest.mark.parametrize("off", [1e-10, 1e-11])
def test_a_root_beyond_an_inequality_by_little_is_excluded(tmp_path: Path, off: float) -> None:
    relations = ["log(x) + y = 0.3 + 2.5", "x*y = exp(0.3)*2.5", f"x*y + x <= 3.5*exp(0.3) - {off}", "x <= 2"]
    answer = solve(variables(tmp_path, {"x": {}, "y": {}}), ["x", "y"], relations)
    assert not _has(answer, math.exp(0.3), 2.5)


@pytest.mark.parametrize(("a", "b"), [(4.489, 96.96), (3.5, 120)])
def test_powers_larger_than_numbers_can_be_end_no_search(tmp_path: Path, a: float, b: float) -> None:
    relations = [f"exp(x/5) + y = exp({a}/5) + {b}", f"x**y = {a}**{b}", f"x >= {a}"]
    answer = solve(variables(tmp_path, {"x": {}, "y": {}}), ["x", "y"], relations)
    assert _has(answer, a, b) or _is_open(answer)


@pytest.mark.slow
def test_a_curve_on_which_powers_are_larger_than_numbers_can_be_is_open(tmp_path: Path) -> None:
    sheet = variables(tmp_path, {"x": {"maximum": 200}, "y": {"maximum": 200}})
    answer = solve(
        sheet, ["x", "y"], ["log(x)*y = log(38.47)*91.84", "x**y = 38.47**91.84", "x <= 38.47"], budget="0.5 s"
    )
    assert _is_open(answer)
