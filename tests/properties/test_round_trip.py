"""The round trip on random sheets: pin an output, free an input it depends on, and solve gives it back."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.sheets.cell import Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.outcomes.outcome import Outcome

Point = dict[str, Fraction]
LARGEST = 10**12

operations: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}
values = st.fractions(min_value=Fraction(1, 4), max_value=20, max_denominator=4)


@st.composite
def formulas(draw: st.DrawFn, names: list[str]) -> tuple[Callable[[Any], Any], list[str]]:
    """Return a formula over some of the names, as a function that takes symbols and Fractions alike, and the names."""
    used = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    powers = [draw(st.sampled_from([1, 1, 1, 2, -1, -2, 3])) for _ in used]
    joints = [operations[draw(st.sampled_from("+*/"))] for _ in used[1:]]
    factor = draw(st.integers(1, 9))

    def value(cells: Any) -> Any:
        terms = [cells[name] ** power for name, power in zip(used, powers, strict=True)]
        total = factor * terms[0]
        for joint, term in zip(joints, terms[1:], strict=True):
            total = joint(total, term)
        return total

    return value, used


@st.composite
def tangles(draw: st.DrawFn) -> tuple[Sheet, Point, dict[str, int], str, str]:
    """Return a sheet, a point, on how many paths each cell is reached from an input, that input and an output."""
    n_inputs = draw(st.integers(1, 6))
    n_formulas = draw(st.integers(max(1, 3 - n_inputs), 14))
    sheet = Sheet("tangle")
    point: Point = {}
    for place in range(n_inputs):
        cell = Cell(f"in{place}", "An input")
        sheet.rows.add_cell(cell)
        point[cell.name] = draw(values)
    inputs = [*point]
    chosen = draw(st.sampled_from(inputs))
    paths = {name: int(name == chosen) for name in inputs}
    for place in range(n_formulas):
        value, used = draw(formulas([*point]))
        cell = Cell(
            f"out{place}", "A formula", formula=value({name: cell.symbol for name, cell in sheet.cells.items()})
        )
        sheet.rows.add_cell(cell)
        point[cell.name] = value(point)
        paths[cell.name] = sum(paths[name] for name in used)
    outputs = [
        name
        for name in point
        if name not in inputs and paths[name] == 1 and 1 <= max(point[name].as_integer_ratio()) <= LARGEST
    ]
    assume(outputs)
    return sheet, point, paths, chosen, draw(st.sampled_from(outputs))


def asked(sheet: Sheet, point: Point, unknown: str, output: str, sign: str) -> Outcome:
    given_cells = [f"{name} = {point[name]}" for name in point if name.startswith("in") and name != unknown]
    answer = solve(sheet, unknown, [*given_cells, f"{output} {sign} {point[output]}"])
    assert all(check.holds for check in answer.checks)
    return answer.outcomes[unknown]


@given(tangles())
@settings(deadline=None, max_examples=40)
def test_an_output_gives_its_input_back(tangle: tuple[Sheet, Point, dict[str, int], str, str]) -> None:
    sheet, point, _, unknown, output = tangle
    outcome = asked(sheet, point, unknown, output, "=")
    event(outcome.kind)
    assert outcome.kind in ("value", "values")
    assert any(math.isclose(interval.lower, point[unknown], rel_tol=1e-9) for interval in outcome.solutions)
    assert all(interval.is_point for interval in outcome.solutions)


@given(tangles(), st.sampled_from(["<=", ">="]))
@settings(deadline=None, max_examples=40)
def test_a_bound_on_an_output_is_a_range_that_ends_at_the_input(
    tangle: tuple[Sheet, Point, dict[str, int], str, str], sign: str
) -> None:
    sheet, point, _, unknown, output = tangle
    outcome = asked(sheet, point, unknown, output, sign)
    near = [
        end
        for interval in outcome.solutions
        for end in (interval.lower, interval.upper)
        if math.isclose(end, point[unknown], rel_tol=1e-9)
    ]
    assert outcome.kind == "range"
    assert near
    assert outcome.closed_form is not None


@st.composite
def twice(draw: st.DrawFn) -> tuple[Sheet, Point, str]:
    """Return a sheet whose output holds the first input twice, as a polynomial or with a pole of degree at most 2."""
    point = {f"in{place}": draw(values) for place in range(3)}
    sheet = Sheet("twice")
    a, b, c = (Cell(name, "An input") for name in point)
    for cell in (a, b, c):
        sheet.rows.add_cell(cell)
    shapes: list[Callable[[Any, Any, Any], Any]] = [
        lambda x, y, z: y * x + z * x,
        lambda x, y, z: x * (x + y) / z,
        lambda x, y, z: x / (x + y) * z,
        lambda x, y, z: y * x + z / x,
        lambda x, y, z: (x + y) / (x * z),
        lambda x, y, z: (x + y) ** 2 + z * x,
    ]
    shape = draw(st.sampled_from(shapes))
    middle = Cell("middle", "Used twice", formula=a.symbol * 3)
    sheet.rows.add_cell(middle)
    sheet.rows.add_cell(Cell("out", "A formula", formula=shape(middle.symbol, b.symbol, c.symbol)))
    point["out"] = shape(3 * point["in0"], point["in1"], point["in2"])
    return sheet, point, "in0"


@given(twice(), st.sampled_from(["=", "<=", ">="]))
@settings(deadline=None, max_examples=40)
def test_an_input_that_occurs_twice_at_low_degree_comes_back(case: tuple[Sheet, Point, str], sign: str) -> None:
    sheet, point, unknown = case
    outcome = asked(sheet, point, unknown, "out", sign)
    x = point[unknown]
    inside = any(
        interval.lower <= x <= interval.upper
        or math.isclose(interval.lower, x, rel_tol=1e-9)
        or math.isclose(interval.upper, x, rel_tol=1e-9)
        for interval in outcome.solutions
    )
    assert inside
    assert sign != "=" or all(interval.is_point for interval in outcome.solutions)
