"""What links cells to an unknown: the way to an expression, one cell in place of many, and the values they have."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import ceil, log, max_, mod, ratio, sqrt
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.links import Links, links
from flopsheet.formulas.trees import has_function
from flopsheet.functions.symbols import symbol
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from flopsheet.units import Number

X, Y, Z, U, V, A = (symbol(name) for name in "xyzuva")
FORK = {"y": X + 1, "z": 2 * Y, "u": Y * Z, "v": ceil(A * X)}


@pytest.mark.parametrize(
    ("expression", "names"),
    [(X, []), (A, []), (Y, ["y"]), (U + 1, ["y", "z", "u"]), (V * Z, ["y", "z", "v"]), (V + A, ["v"])],
    ids=str,
)
def test_the_cells_on_the_way_come_in_order(expression: Any, names: list[str]) -> None:
    chain = Links("x", FORK)
    assert chain.needed(expression) == names
    assert chain.parts(expression) == (expression, *(FORK[name] for name in names))


@pytest.mark.parametrize(
    ("expression", "name", "segment"),
    [
        (X**2 + A, "x", X**2 + A),
        (U + A, "u", U + A),
        (Y + Z, "y", 3 * Y),
        (U - Z, "y", 2 * Y**2 - 2 * Y),
        (U * V, "x", 2 * (X + 1) ** 2 * ceil(A * X)),
        (A + 1, None, A + 1),
        (Z - 2 * Y, None, sympy.Integer(0)),
    ],
    ids=str,
)
def test_a_segment_ends_at_the_cell_that_all_paths_lead_through(
    expression: Any, name: str | None, segment: Any
) -> None:
    result, over = Links("x", FORK).segment(expression)
    assert result == name
    assert sympy.expand(over - segment) == 0


def test_a_segment_that_grows_too_large_is_none() -> None:
    formulas: dict[str, Any] = {}
    last = X
    for place in range(9):
        formulas[f"c{place}"] = log(last) * last + sqrt(last + place)
        last = symbol(f"c{place}")
    chain = Links("x", formulas)
    assert chain.segment(last + symbol("c7"))[0] == "c7"
    assert chain.segment(last + X) == (None, None)


def test_functions_and_roots_are_seen_through_cells() -> None:
    chain = Links("x", {"y": X**2 / A, "z": mod(Y, 3), "u": sqrt(Y), "v": max_(X, 1) ** -2})
    assert chain.has(Z + 1, (sympy.Mod, sympy.log))
    assert not chain.has(U + V, (sympy.Mod, sympy.log))
    assert chain.has(log(U), (sympy.Mod, sympy.log))
    assert [chain.has_root(expression) for expression in (X, Y, Z, V, U, X ** ratio(1, 3), 2**Y)] == [False] * 4 + [
        True
    ] * 3
    assert has_function(Y + log(X), (sympy.log,))
    assert not has_function(Y, (sympy.log,))


def test_links_of_the_same_formulas_are_cached() -> None:
    formulas = tuple(FORK.items())
    assert links("x", formulas) is links("x", tuple(dict(FORK).items()))
    assert links("x", formulas) is not links("x", (*formulas[:1], ("z", 3 * Y), *formulas[2:]))
    assert links("x", formulas).symbols == {X, Y, Z, U, V}


STEPS: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul, lambda a, b: a / (b * b + 1)]
places = st.integers(0, 20)
recipes = st.lists(st.tuples(st.sampled_from(STEPS), places, places), min_size=2, max_size=5)


@given(recipes, st.fractions(min_value=-3, max_value=3, max_denominator=3))
@settings(deadline=None, max_examples=60)
def test_a_segment_and_its_function_have_the_value_of_the_formulas_one_after_the_other(
    recipe: list[tuple[Callable[[Any, Any], Any], int, int]], start: Fraction
) -> None:
    cells, values, formulas = [X], [start], {}
    for place, (step, left, right) in enumerate(recipe):
        left, right = left % len(cells), right % len(cells)  # noqa: PLW2901  # drawn before the cells are known
        formulas[f"c{place}"] = step(cells[left], cells[right])
        values.append(step(values[left], values[right]))
        cells.append(symbol(f"c{place}"))
    chain = Links("x", formulas)
    known: dict[str, Number | str] = {cell.name: value for cell, value in zip(cells, values, strict=True)}
    expression, expected = A * cells[-1] + cells[-2], 7 * values[-1] + values[-2]
    name, over = chain.segment(expression)
    assert {cell.name for cell in over.free_symbols} <= {name, "a"}
    assert evaluate(over, known | {"a": 7}) == expected
    program = chain.program(expression)
    assert program.inputs.keys() <= {"x", "a"}
    assert Field(program, "x", {"a": 7}).value(start) == expected
