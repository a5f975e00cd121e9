"""Rows of direct blocks: one function after a few runs, and block by block where a formula has no value."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy

from flopsheet import Sheet, choice, exp, formula, given, log, select
from flopsheet.formulas.relation import Relation
from flopsheet.formulas.rows import FEW_RUNS, Recalculated
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import StraightLine, plan, stages
from flopsheet.graph.structure import Equation
from flopsheet.graph.system import System, system_of
from flopsheet.question.ask import ask

if TYPE_CHECKING:
    from flopsheet.units import Number

A, B, Y = symbol("a"), symbol("b"), symbol("y")


def row(formula: Any) -> StraightLine:
    """Return a row that takes `a` from the question, `b` from blocks before, and computes `y` and `z`."""
    equations = [
        Equation("given a", "given", ("a",), "a"),
        Equation("formula y", "formula", ("y", "a", "b"), "y", Relation(Y, "=", formula, "")),
        Equation("formula z", "formula", ("z", "y"), "z", Relation(symbol("z"), "=", 2 * Y, "")),
    ]
    return StraightLine([], equations)


def test_a_row_is_exact_before_and_after_it_is_compiled() -> None:
    line = row(A / B)
    for _ in range(FEW_RUNS + 2):
        assert line.values({"b": 4}, {"a": 6}) == {"a": 6, "y": Fraction(3, 2), "z": 3}
        values = line.values({"b": 3}, {"a": 6})
        assert values == {"a": 6, "y": 2, "z": 4}
        assert all(type(value) is int for value in values.values())
    assert line.origins == {"a": "given", "y": "computed", "z": "computed"}


@pytest.mark.parametrize(
    ("formula", "a", "b"), [(A / B, 6, 0), (exp(A) + B, 1000, 1), (log(A - B), 1, 2), (A * B, 1e300, 1e300)], ids=str
)
def test_a_row_without_a_finite_value_is_run_block_by_block(formula: Any, a: Number, b: Number) -> None:
    line = row(formula)
    assert [line.values({"b": b}, {"a": a}) for _ in range(FEW_RUNS + 2)] == [{"a": a}] * (FEW_RUNS + 2)
    assert line.values({"b": 1}, {"a": 2}).keys() == {"a", "y", "z"}


def test_a_row_gives_the_values_of_all_formulas_that_have_one() -> None:
    equations = [
        Equation("given a", "given", ("a",), "a"),
        Equation("formula x", "formula", ("x", "a", "b"), "x", Relation(symbol("x"), "=", A / B, "")),
        Equation("formula y", "formula", ("y", "a", "b"), "y", Relation(Y, "=", A + B, "")),
        Equation("formula z", "formula", ("z", "x"), "z", Relation(symbol("z"), "=", 2 * symbol("x"), "")),
    ]
    line = StraightLine([], equations)
    for b, expected in ((2, {"a": 6, "x": 3, "y": 8, "z": 6}), (0, {"a": 6, "y": 6}), (0, {"a": 6, "y": 6})):
        assert line.values({"b": b}, {"a": 6}) == expected
    assert line.values({"b": 3}, {"a": 9}) == {"a": 9, "x": 3, "y": 12, "z": 6}
    assert line.values({"b": 0, "x": 5}, {"a": 6}) == {"a": 6, "y": 6}  # what it was before is no value


def test_a_function_of_no_entry_is_never_compiled() -> None:
    line = row(sympy.Function("other")(A) + B)
    assert [line.values({"b": 1}, {"a": 2}) for _ in range(3)] == [{"a": 2}] * 3


class Shop(Sheet):
    """A sheet with a choice."""

    n_items = given("Items", default=3)
    kind = choice("small", "large", doc="Size of an item")
    size = formula(select(kind, small=1, large=4), "", "Size")
    total = formula(n_items * size, "", "All of them")
    twice = formula(2 * total, "", "Twice as much")


@pytest.mark.parametrize(
    ("texts", "unknown", "expected"),
    [
        (["kind = large"], "twice", ["row n_items size total twice"]),
        ([], "twice", ["row n_items", "block size", "row total twice"]),  # the choice is open
        (["n_items = 5", "kind = large"], "total", ["row n_items size total"]),
        (["twice = 12", "kind = large"], "n_items", ["row size", "block n_items total twice"]),
    ],
)
def test_values_and_formulas_form_rows_and_all_else_stays_blocks(
    texts: list[str], unknown: str, expected: list[str]
) -> None:
    system: System = system_of(ask(Shop(), (), texts), ("n_items",) if "twice = 12" in texts else ())
    order = [*Shop().cells]
    blocks = plan(system.structure, [unknown], order)
    shown = [
        f"row {' '.join(stage.equations)}" if isinstance(stage, StraightLine) else f"block {' '.join(stage.cells)}"
        for stage in stages(system, blocks, frozenset())
    ]
    assert shown == expected


def test_a_cell_that_is_known_is_left_out_of_its_row() -> None:
    system = system_of(ask(Shop(), (), ["kind = large"]))
    blocks = plan(system.structure, ["twice"], [*Shop().cells])
    (line,) = stages(system, blocks, frozenset({"n_items", "size"}))
    assert isinstance(line, StraightLine)
    assert [*line.equations] == ["total", "twice"]


def test_what_rests_on_no_changed_number_is_not_computed_again() -> None:
    a, b, product, root = map(symbol, ("a", "b", "product", "root"))
    steps = (("product", 3 * a), ("root", b ** sympy.Rational(1, 2)), ("half", root / 2), ("sum", product + root))
    row = Recalculated(steps)
    first = row.values({"b": 2}, {"a": Fraction(1, 3)})
    second = row.values({"b": 2}, {"a": 5})
    assert first is not None
    assert second is not None
    assert second["root"] is first["root"], "it was computed again"
    assert second == Recalculated(steps).values({"b": 2}, {"a": 5})
    third = row.values({"b": 4}, {"a": 5})
    assert third == {"product": 15, "root": 2, "half": 1, "sum": 17}
    assert third["product"] is second["product"]
    assert row.values({"b": -1}, {"a": 5}) is None
    assert row.values({}, {"a": 5}) is None
    assert row.values({"b": 4}, {"a": 1}) == {"product": 3, "root": 2, "half": 1, "sum": 5}
    is_exact = row.values({"b": 4.0}, {"a": 1})
    assert is_exact is not None
    assert isinstance(is_exact["sum"], float), "4 and 4.0 are equal, but only the one is exact"
