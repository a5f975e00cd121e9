"""The branch of `select(x > 0, a, b)` that is not taken is not evaluated: it guards a division or a logarithm."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import sampled

from flopsheet import Sheet, solve
from flopsheet.errors import ArithmeticTrapError, FormulaError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.slopes import slopes
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import Interval
from flopsheet.sheets.cell import ANY, Bounds, Cell
from flopsheet.units import close

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.outcome import Outcome

WHOLE, HALVES = range(-4, 9), [Fraction(step, 2) for step in range(-8, 17)]
VALUES: dict[str, Any] = {
    "log": math.log, "sqrt": math.sqrt, "max": max, "min": min, "abs": abs,
}  # fmt: skip


def outcome_of(relation: str, *, low: float = 0, high: float = 10, integer: bool = False, y: str = "") -> Outcome:
    sheet = Sheet("branches")
    sheet.rows.add_cell(Cell("x", "An input", integer=integer, bounds=Bounds(low, high)))
    if y:
        sheet.rows.add_cell(Cell("y", "A formula", bounds=ANY, formula=parse_formula(y, ["x"], "y")))
    return solve(sheet, "x", [relation]).outcomes["x"]


def works(at: Any, outcome: Outcome) -> bool:
    return any(at in part for part in outcome.solutions)


@pytest.mark.parametrize(
    ("relation", "inside", "outside"),
    [
        ("select(x > 0, 1/x, 5) = 5", [0, Fraction(1, 5)], [1, 5]),
        ("select(x > 0, 1/x, 5) >= 5", [0, Fraction(1, 5), Fraction(1, 9)], [Fraction(1, 4), 5]),
        ("select(x < 1, 0, log(x - 1)) = 0", [0, Fraction(9, 10), 2], [1, Fraction(3, 2), 3]),
        ("select(x < 1, 0, sqrt(x - 1)) = 0", [0, Fraction(9, 10), 1], [Fraction(3, 2), 3]),
        ("x*select(x > 0, 1/x, 5) = 1", [Fraction(1, 9), 3], [0]),
        ("x + select(x > 0, 1/x, 5) = 5", [0], [1, 2]),
        ("select(x > 2, select(x > 4, log(x - 4), 3), 0) = 0", [0, 2, 5], [3, 4, 6]),
        ("select(x > 3, 1, sqrt(x - 2)**2) >= 1", [3, 5], [1, 2]),
        ("select(x > 2, max(3, 1/(x - 2)), 1/(3 - x)) = 3", [Fraction(8, 3), 3, 9, Fraction(7, 3)], [2]),
        ("max(select(x > 0, 1/x, 5), 2) <= 5", [0, Fraction(1, 5), 3], [Fraction(1, 6)]),
    ],
)
def test_a_branch_needs_a_value_only_where_it_is_taken(relation: str, inside: list[Any], outside: list[Any]) -> None:
    outcome = outcome_of(relation)
    assert outcome.proof is not Proof.OPEN
    assert all(works(at, outcome) for at in inside)
    assert not any(works(at, outcome) for at in outside)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("select(x > 0, 6/x, 0) <= 2", [0, 3, 4]),
        ("select(x > 0, 6/x, 0) = 0", [0]),
        ("select(x > 0, mod(6, x), 1) = 0", [1, 2, 3]),
        ("select(x > 0, 6/x, 7) = 7", [0]),
    ],
)
def test_whole_numbers_that_a_branch_leaves_out(relation: str, expected: list[int]) -> None:
    outcome = outcome_of(relation, high=4, integer=True)
    assert [at for at in range(5) if works(at, outcome)] == expected


def test_a_cell_guards_its_formula() -> None:
    sheet = Sheet("guards")
    sheet.rows.add_cell(Cell("x", "An input", bounds=Bounds(0, 10)))
    sheet.rows.add_cell(Cell("y", "Guarded", bounds=ANY, formula=parse_formula("select(x > 0, 1/x, 5)", ["x"], "y")))
    assert solve(sheet, "y", ["x = 0"]).outcomes["y"].si == 5
    assert outcome_of("y = 5", y="select(x > 0, 1/x, 5)").listed == outcome_of("select(x > 0, 1/x, 5) = 5").listed


def test_another_cell_has_no_value_where_its_formula_has_none() -> None:
    sheet = Sheet("others")
    sheet.rows.add_cell(Cell("x", "An input", bounds=Bounds(0, 10)))
    sheet.rows.add_cell(Cell("w", "Not guarded", bounds=ANY, formula=parse_formula("1/x", ["x"], "w")))
    sheet.rows.add_cell(Cell("y", "Guarded", bounds=ANY, formula=parse_formula("select(x > 0, w, 5)", ["x", "w"], "y")))
    outcome = solve(sheet, "x", ["y = 5"]).outcomes["x"]
    assert (works(0, outcome), works(Fraction(1, 5), outcome)) == (False, True)
    with pytest.raises(ArithmeticTrapError):
        solve(sheet, "y", ["x = 0"])


def test_a_branch_without_any_value_is_no_formula() -> None:
    with pytest.raises(FormulaError):
        parse_formula("select(x > 0, x, log(0 - 1))", ["x"])


def test_only_the_branch_that_is_taken_has_a_slope() -> None:
    formula = parse_formula("select(x > 0, 1/x, 5)*k", ["x", "k"])
    assert slopes(formula, {"x": 2, "k": 3}) == {"k": Fraction(1, 2), "x": Fraction(-3, 4)}
    assert slopes(formula, {"x": 0, "k": 3}) == {"k": 5}


def test_a_known_cell_takes_the_branch() -> None:
    sheet = Sheet("known")
    for name in ("x", "w"):
        sheet.rows.add_cell(Cell(name, "An input", bounds=Bounds(0, 10)))
    outcome = solve(sheet, "x", ["select(w > 0, log(x)/w + x, x**2 + x) = 6", "w = 0"]).outcomes["x"]
    assert (outcome.listed, outcome.proof) == ((Interval(2, 2),), Proof.EXACT)


def test_several_unknowns_meet_in_both_branches() -> None:
    sheet = Sheet("two")
    for name in ("x", "w"):
        sheet.rows.add_cell(Cell(name, "An input", bounds=Bounds(0, 10)))
    answer = solve(sheet, ["x", "w"], ["select(x > 0, 1/x, 5) = w", "w + x = 5"])
    roots = [(5 - math.sqrt(21)) / 2, (5 + math.sqrt(21)) / 2]  # of x**2 - 5*x + 1
    assert [float(part.lower) for part in answer.outcomes["x"].listed] == pytest.approx([0, *roots], rel=1e-12)


class Drawn:
    """A random formula as flopsheet writes it, and as Python evaluates it."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def formula(self, depth: int = 3) -> tuple[str, str]:
        form = self.random.choice(("select", "select", "+", "*", "max", "plain")) if depth else "plain"
        if form == "select":
            sign, level = self.random.choice(("<", "<=", ">", ">=")), self.random.randint(-2, 5)
            term = self.random.choice(("x", "x", "2*x", "x*x"))
            (then, then_code), (other, other_code) = (self.formula(depth - 1) for _ in range(2))
            test = f"{term} {sign} {level}"
            return f"select({test}, {then}, {other})", f"({then_code} if {test} else {other_code})"
        if form == "plain":
            return (self._plain(),) * 2
        (left, code), (right, more) = self.formula(depth - 1), (self._plain(),) * 2
        if form == "max":
            return f"max({left}, {right})", f"max({code}, {more})"
        number = self.random.randint(1, 4)  # two roots or quotients would cancel
        return f"({left}) {form} {number}", f"({code}) {form} {number}"

    def _plain(self) -> str:
        number, at = self.random.randint(1, 6), self.random.randint(-2, 4)
        forms = "x", f"{number}", f"{number}/(x - ({at}))", f"log(x - ({at}))", f"sqrt(x - ({at}))", f"abs(x - ({at}))"
        return self.random.choice(forms)


def _value(code: str, at: Any) -> Any:
    try:
        return eval(code, {}, {**VALUES, "x": at})  # noqa: S307  # a formula that is drawn here
    except (ValueError, ZeroDivisionError):
        return None


def _met(value: Any, sign: str, level: Any) -> bool | None:
    """Whether a value meets a relation; None where rounding decides."""
    if value is None:
        return False
    if value != level and close(value, level):
        return None
    return bool(value == level if sign == "=" else value <= level if sign == "<=" else value >= level)


@pytest.mark.parametrize("seed", sampled(range(120), 40))
@pytest.mark.parametrize("integer", [True, False])
def test_random_branches_agree_with_their_values(seed: int, integer: bool) -> None:
    random = Random(seed)  # noqa: S311
    drawn = Drawn(random)
    text, code = next(pair for pair in iter(drawn.formula, None) if parse_formula(pair[0], ["x"]).free_symbols)
    points = WHOLE if integer else HALVES
    values = {at: _value(code, Fraction(at)) for at in points}
    formula = parse_formula(text, ["x"])
    for at, value in values.items():
        if value is None:
            with pytest.raises(ArithmeticTrapError):
                evaluate(formula, {"x": at})
        else:
            assert close(evaluate(formula, {"x": at}), value)
    exact = [value for value in values.values() if isinstance(value, Fraction | int)]
    sign, level = random.choice(("=", "<=", ">=")), Fraction(random.choice(exact or [1]))
    outcome = outcome_of(f"y {sign} {level}", low=-4, high=8, integer=integer, y=text)
    for at, value in values.items():
        met = _met(value, sign, level)
        if met is not None and works(at, outcome) != met:
            assert any(at in part for part in outcome.open), (text, sign, level, at)
