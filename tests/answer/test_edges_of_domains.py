"""Relations of a computed unknown at the edge of a domain or of an inequality, against numbers of 150 digits."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from mpmath.ctx_mp import MPContext

from flopsheet import Sheet, solve
from flopsheet.errors import ArithmeticTrapError, FormulaError, QuestionError
from flopsheet.formulas.parser import parse_formula
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.outcome import Outcome

MP = MPContext()
MP.dps = 150
ZERO = MP.mpf("1e-120")  # what is nearer to zero is zero
AS_EQUAL = MP.mpf("1e-9")  # sides of an equation that differ by less are not told apart


class NoValueError(ArithmeticError):
    """A function has no value there."""


def settled(number: Any) -> Any:
    return MP.mpf(0) if abs(number) < ZERO else number


def log(number: Any) -> Any:
    if settled(number) <= 0:
        raise NoValueError
    return MP.log(number)


def sqrt(number: Any) -> Any:
    if settled(number) < 0:
        raise NoValueError
    return MP.sqrt(settled(number))


def floor(number: Any) -> Any:
    return MP.nint(number) if abs(number - MP.nint(number)) < ZERO else MP.floor(number)


def inverse(number: Any) -> Any:
    if not settled(number):
        raise NoValueError
    return 1 / number


FUNCTIONS = {
    "log": log,
    "sqrt": sqrt,
    "exp": MP.exp,
    "floor": floor,
    "ceil": lambda number: -floor(-number),
    "inverse": inverse,
    "n": MP.mpf,
}


def value(text: str, **cells: Any) -> Any:
    """Return the value of a formula whose numbers are written `n('2')`."""
    return eval(text, {**FUNCTIONS, **cells})  # noqa: S307  # a text of this file


def plain(text: str) -> str:
    """Return the formula as questions write it."""
    return text.replace("n('", "").replace("')", "").replace("inverse(", "1/(")


# The formula of the unknown x, values of y, and other ways to write what x is then.
SHAPES: list[tuple[str, tuple[int, ...], tuple[str, ...]]] = [
    ("sqrt(y)", (2, 3, 5, 9, 12), ("sqrt(Y)", "Y*inverse(sqrt(Y))")),
    ("sqrt(n('2'))*sqrt(y)", (2, 3, 8, 18), ("sqrt(2*Y)", "2*sqrt(Y*inverse(n('2')))")),
    ("exp(log(y)/2)", (2, 4, 9), ("sqrt(Y)", "exp(log(Y)/2)")),
    ("sqrt(y+1)-sqrt(y)", (1, 2, 8), ("sqrt(Y+1)-sqrt(Y)", "inverse(sqrt(Y+1)+sqrt(Y))")),
    ("log(y)", (2, 3, 10), ("log(Y)", "2*log(sqrt(Y))")),
    ("y/3", (1, 2, 9), ("Y/3",)),
]
OFF = ("", "", "", "+n('1e-18')", "-n('1e-18')", "+n('1e-30')", "-n('1e-30')", "+1/n('7')", "-1/n('7')")
GAPS = ("(x-D)", "(D-x)", "(x*x-D**2)")
OUTER = ("log(G)", "sqrt(G)", "inverse(G)", "ceil(G)", "floor(G)", "G", "abs(G)", "log(abs(G))", "sqrt(G)*x", "exp(G)")
SIGNS = {
    "<": lambda gap: gap < 0,
    "<=": lambda gap: gap <= 0,
    ">": lambda gap: gap > 0,
    ">=": lambda gap: gap >= 0,
    "=": lambda gap: gap == 0,
}


class Case(NamedTuple):
    """A formula of the unknown, the value of y, and the left side of a relation, its sign and its right side."""

    formula: str
    y: int
    left: str
    sign: str
    right: int

    def holds(self) -> bool | None:
        """Return whether the relation holds; None for an equation that is not told apart from one that holds."""
        y = MP.mpf(self.y)
        try:
            left = value(self.left, x=value(self.formula, y=y), y=y)
        except NoValueError:
            return False
        gap = settled(left - self.right)
        if self.sign == "=" and 0 < abs(gap) <= AS_EQUAL * max(abs(left), abs(self.right)):
            return None
        return bool(SIGNS[self.sign](gap))

    def outcome(self) -> Outcome:
        sheet = Sheet("edge")
        sheet.rows.add_cell(Cell("y", "A number", bounds=ANY))
        sheet.rows.add_cell(Cell("x", "A formula", bounds=ANY, formula=parse_formula(plain(self.formula), ["y"], "x")))
        relation = f"{plain(self.left)} {self.sign} {self.right}"
        return solve(sheet, "x", [f"y = {self.y}", relation]).outcomes["x"]


def drawn(chance: Random) -> Case:
    formula, numbers, forms = chance.choice(SHAPES)
    y = chance.choice(numbers)
    number = f"n('{y}')"
    same = f"({chance.choice(forms).replace('Y', number)}{chance.choice(OFF)})"
    left = chance.choice(OUTER).replace("G", chance.choice(GAPS).replace("D", same))
    return Case(formula, y, left, chance.choice([*SIGNS]), chance.choice([0, 0, 0, 1, -1, 3, -1000]))


def checked(case: Case) -> None:
    holds = case.holds()
    if holds is None:
        return
    try:
        outcome = case.outcome()
    except (FormulaError, QuestionError):  # no cell is left in the relation, or a number in it has no value
        return
    if outcome.kind == "value":
        assert holds or outcome.proof is Proof.OPEN, case
    else:
        assert not holds or outcome.open, case


@pytest.mark.parametrize("seed", range(60))
def test_what_floats_put_inside_of_an_edge_is_told_by_digits(seed: int) -> None:
    checked(drawn(Random(seed)))  # noqa: S311  # not for cryptography


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1020))
def test_more_of_what_floats_put_inside_of_an_edge(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # not for cryptography
    for _ in range(100):
        checked(drawn(chance))


SQUARE = "sqrt(n('2'))*sqrt(y)"


@pytest.mark.parametrize(
    "case",
    [
        Case(SQUARE, 2, "log(2-x)", "<=", 3),  # the logarithm of zero
        Case("sqrt(y)", 2, "log(x-sqrt(n('2')))", "<=", 3),
        Case("sqrt(y)", 2, "log(x*x-2)", "<=", 3),  # floats put x*x above 2
        Case("sqrt(y)", 2, "inverse(x*x-2)", "<=", 1),
        Case("sqrt(y)", 2, "sqrt(x*x-2)", "<=", 1),  # the root of zero
        Case("sqrt(y)", 3, "sqrt(sqrt(n('3'))-x)", ">=", 0),
        Case("y/3", 2, "log(abs(x-2/n('3')+n('1e-18')))", ">=", -1),  # the logarithm of 1e-18
        Case("sqrt(y+1)-sqrt(y)", 2, "ceil(x-inverse(sqrt(n('3'))+sqrt(n('2'))))", "=", 0),
        Case("sqrt(y)", 2, "x-sqrt(n('2'))-n('1e-80')", "<", 0),
    ],
)
def test_edges(case: Case) -> None:
    assert (case.outcome().kind == "value") is case.holds()
    assert not case.outcome().open


def test_a_cell_whose_formula_has_no_value_is_refused() -> None:
    sheet = Sheet("edge")
    sheet.rows.add_cell(Cell("y", "A number", bounds=ANY))
    sheet.rows.add_cell(Cell("x", "A root", bounds=ANY, formula=parse_formula("sqrt(y)", ["y"], "x")))
    sheet.rows.add_cell(Cell("z", "A logarithm", bounds=ANY, formula=parse_formula("log(x*x-2)", ["x"], "z")))
    with pytest.raises(ArithmeticTrapError, match="not defined there"):
        solve(sheet, "z", ["y = 2"])
    assert solve(sheet, "z", ["y = 3"]).outcomes["z"].si == 0
