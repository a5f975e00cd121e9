"""Plans: blocks in an order in which each rests on those before it, and tearing where cells hang together."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import sqrt
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import plan
from flopsheet.graph.rearranged import Signs
from flopsheet.graph.structure import Equation, Structure
from flopsheet.graph.tearing import Tearing, torn


def formula(cells: str) -> Equation:
    return Equation(
        f"formula {cells[0]}", "formula", tuple(cells), cells[0], Relation(symbol(cells[0]), "=", sympy.Integer(0), "")
    )


def demand(cells: str) -> Equation:
    target = cells[0] if len(cells) == 1 else ""
    return Equation(
        f"demand {cells}", "demand", tuple(cells), target, Relation(symbol(cells[0]), "=", sympy.Integer(0), "")
    )


def value(cell: str) -> Equation:
    return Equation(f"given {cell}", "given", (cell,), cell, Relation(symbol(cell), "=", sympy.Integer(1), ""))


def blocks(system: list[Equation], wanted: str, order: str) -> list[tuple[str, bool]]:
    return [("".join(block.cells), block.direct) for block in plan(Structure(system), wanted, order)]


@pytest.mark.parametrize(
    ("system", "wanted", "order", "expected"),
    [
        ([formula("ba"), value("a")], "b", "ab", [("a", True), ("b", True)]),
        ([value("a"), value("b"), formula("cba")], "c", "bac", [("b", True), ("a", True), ("c", True)]),
        ([value("a"), value("z"), formula("ba")], "b", "abz", [("a", True), ("b", True)]),
        ([value("a"), formula("ba"), formula("cb")], "abc", "cba", [("a", True), ("b", True), ("c", True)]),
        ([value("a"), formula("yax"), demand("y")], "x", "axy", [("a", True), ("xy", False)]),
        ([value("a"), formula("mx"), formula("yam"), demand("y")], "x", "axmy", [("a", True), ("xmy", False)]),
        ([formula("xy"), formula("yx"), value("a")], "x", "axy", [("xy", False)]),
        # The names decide nothing: the same with others.
        ([value("a"), formula("xay"), demand("x")], "y", "ayx", [("a", True), ("yx", False)]),
        ([value("a"), formula("my"), formula("bam"), demand("b")], "y", "aymb", [("a", True), ("ymb", False)]),
    ],
)
def test_order(system: list[Equation], wanted: str, order: str, expected: list[tuple[str, bool]]) -> None:
    assert blocks(system, wanted, order) == expected


def whole(*equations: Equation) -> tuple[list[str], tuple[Equation, ...]]:
    return sorted({cell for equation in equations for cell in equation.cells}), equations


@pytest.mark.parametrize(
    ("block", "preferred", "tear", "assigned", "residual"),
    [
        (whole(formula("yx"), demand("y")), "", "x", ["y"], "demand y"),
        (whole(formula("mx"), formula("ym"), demand("y")), "", "x", ["m", "y"], "demand y"),
        (whole(formula("xy"), formula("yx")), "y", "y", ["x"], "formula y"),
        (whole(formula("xy"), formula("yx")), "x", "x", ["y"], "formula x"),
    ],
)
def test_tearing(
    block: tuple[list[str], tuple[Equation, ...]], preferred: str, tear: str, assigned: list[str], residual: str
) -> None:
    tearing = torn(*block, preferred)
    assert (tearing.tears, [*tearing.formulas], [equation.key for equation in tearing.residuals]) == (
        (tear,),
        assigned,
        [residual],
    )


def test_a_block_that_no_single_cell_opens_is_simultaneous() -> None:
    x, y = symbol("x"), symbol("y")
    relations = [Relation(x**2 + y**2, "=", 25, ""), Relation(x**4 + y**4, "=", 337, "")]
    equations = [Equation(str(place), "demand", ("x", "y"), "", relation) for place, relation in enumerate(relations)]
    assert torn("xy", equations, "") == Tearing(("x", "y"), {}, tuple(equations))
    either = Signs(not_below=frozenset("xy"))
    assert torn("xy", equations, "", either) == Tearing(("x",), {"y": sqrt(25 - x**2)}, (equations[1],))


def test_an_equation_that_one_cell_solves_opens_a_block() -> None:
    x, y = symbol("x"), symbol("y")
    equations = [
        Equation("sum", "demand", ("x", "y"), "", Relation(x + y, "=", 10, "")),
        Equation("product", "demand", ("x", "y"), "", Relation(x**2 * y**3, "=", 16, "")),
    ]
    tearing = torn("xy", equations, ())
    assert (tearing.tears, tearing.formulas, tearing.residuals) == (("x",), {"y": 10 - x}, (equations[1],))


def test_a_cell_that_no_formula_gives_is_taken_as_known_first() -> None:
    a, b, c = map(symbol, "abc")
    equations = [
        Equation("formula a", "formula", ("a", "b", "c"), "a", Relation(a, "=", b + c, "")),
        Equation("product", "demand", ("b", "c"), "", Relation(b * c, "=", 6, "")),
        Equation("sum", "demand", ("a", "b"), "", Relation(a + b, "=", 8, "")),
    ]
    assert torn("abc", equations, "").tears == ("b",)
    assert torn("abc", equations, "a").tears == ("a",)


@st.composite
def acyclic(draw: st.DrawFn) -> list[Equation]:
    names = "abcdefgh"[: draw(st.integers(2, 8))]
    rows = []
    for place, name in enumerate(names):
        inputs = draw(st.lists(st.sampled_from(names[:place]), unique=True, max_size=3)) if place else []
        rows.append(formula(name + "".join(inputs)) if inputs else value(name))
    return list(draw(st.permutations(rows)))


@given(acyclic())
@settings(deadline=None, max_examples=80)
def test_each_cell_follows_what_it_rests_on(system: list[Equation]) -> None:
    inputs = {equation.target: {*equation.cells} - {equation.target} for equation in system}
    blocks = plan(Structure(system), inputs, sorted(inputs))
    done: set[str] = set()
    for block in blocks:
        assert block.direct
        assert inputs[block.cells[0]] <= done
        done.update(block.cells)
    assert done == {*inputs}
    assert blocks == plan(Structure(system), reversed([*inputs]), sorted(inputs))
