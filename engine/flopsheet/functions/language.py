"""The functions that formulas may use. Python's own `max`, `min` and `==` decide at once and are refused."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.symbol import Str

from flopsheet.errors import FormulaError
from flopsheet.functions.angles import Acos, Asin, Atan, Cos, Sin, Tan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def max_(*terms: Any) -> Any:
    """The largest of the terms, all of one unit."""
    return sympy.Max(*map(sympy.sympify, terms))


def min_(*terms: Any) -> Any:
    """The smallest of the terms, all of one unit."""
    return sympy.Min(*map(sympy.sympify, terms))


def abs_(term: Any) -> Any:
    """The absolute value; the unit stays."""
    return sympy.Abs(term)


def ceil(term: Any) -> Any:
    """The next whole number, of a count."""
    return _rounded(sympy.ceiling, term)


def floor(term: Any) -> Any:
    """The whole number below, of a count."""
    return _rounded(sympy.floor, term)


def _rounded(way: Any, term: Any) -> Any:
    """Round later what is an irrational number: sympy would find as many digits as it takes, be it millions."""
    term = sympy.sympify(term)
    return way(term, evaluate=not term.is_number or bool(term.is_Rational))


def sqrt(term: Any) -> Any:
    """The positive square root; the unit is halved with it."""
    return sympy.sqrt(term)


def log(term: Any) -> Any:
    """The natural logarithm of a pure number."""
    return sympy.log(term)


def log2(term: Any) -> Any:
    """The logarithm to base 2 of a pure number."""
    return sympy.log(term) / sympy.log(2)


def exp(term: Any) -> Any:
    """The exponential of a pure number."""
    return sympy.exp(term)


def mod(term: Any, divisor: Any) -> Any:
    """What is left of a term after division, with the sign of the divisor: 0 where it is a multiple."""
    return sympy.Mod(term, divisor)


def indicator(comparison: Any) -> Any:
    """1 where a comparison of cells holds, else 0: `indicator(k > 1)`, in texts also `[k > 1]`.

    Raises:
        FormulaError: it is no comparison.
    """
    if comparison in (True, False):
        return sympy.Integer(int(bool(comparison)))
    if getattr(comparison, "func", None) not in COMPARISONS:
        raise FormulaError("indicator()", "It takes a comparison of cells.", "Write indicator(k > 1).")
    left, right = comparison.args
    return Indicator(left, Str(COMPARISONS[comparison.func]), right)


def sin(angle: Any) -> Any:
    """The sine of an angle."""
    return Sin(angle)


def cos(angle: Any) -> Any:
    """The cosine of an angle."""
    return Cos(angle)


def tan(angle: Any) -> Any:
    """The tangent of an angle."""
    return Tan(angle)


def asin(term: Any) -> Any:
    """The angle between -90 and 90 degree that has this sine."""
    return Asin(term)


def acos(term: Any) -> Any:
    """The angle between 0 and 180 degree that has this cosine."""
    return Acos(term)


def atan(term: Any) -> Any:
    """The angle between -90 and 90 degree that has this tangent."""
    return Atan(term)


def ratio(above: int, below: int) -> Any:
    """The exact ratio of two whole numbers: `ratio(1, 3)`, where Python's 1/3 is a float."""
    return sympy.Rational(above, below)


COMPARISONS = {sympy.Eq: "=", sympy.Le: "<=", sympy.Ge: ">=", sympy.Lt: "<", sympy.Gt: ">"}


class Indicator(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """1 where a comparison holds, else 0: `Indicator(left, Str(sign), right)`."""

    is_real = True
    is_nonnegative = True

    @property
    def sign(self) -> str:
        """The operator: `=`, `<=`, `>=`, `<` or `>`."""
        return str(self.args[1])


class Select(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """A case distinction: `Select(choice, Str(option), branch, Str(option), branch, ...)`."""

    is_real = True

    @property
    def branches(self) -> dict[str, Any]:
        """The branch of each option."""
        return {str(option): branch for option, branch in zip(self.args[1::2], self.args[2::2], strict=True)}


def select(choice: Any, /, **branches: Any) -> Any:
    """The branch that a choice cell takes: `select(precision, bf16=two_bytes, fp8=one_byte)`."""
    pairs = ((Str(option), sympy.sympify(branch)) for option, branch in branches.items())
    return Select(choice, *(arg for pair in pairs for arg in pair))


def taken(expression: Any, options: Mapping[str, str]) -> Any:
    """Return an expression with each case distinction replaced by the branch of its option, where that is known."""
    return _taken(expression, tuple((name, options[name]) for name in choices_in(expression) if name in options))


@lru_cache(maxsize=65536)
def choices_in(expression: Any) -> tuple[str, ...]:
    """Return the names of the choices that an expression distinguishes."""
    return tuple(dict.fromkeys(case.args[0].name for case in expression.atoms(Select)))


@lru_cache(maxsize=65536)
def _taken(expression: Any, options: tuple[tuple[str, str], ...]) -> Any:
    known = dict(options)
    cases = {
        case: case.branches[known[case.args[0].name]] for case in expression.atoms(Select) if case.args[0].name in known
    }
    return taken(expression.xreplace(cases), known) if cases else expression


def equal(left: Any, right: Any) -> Any:
    """The relation `left = right` for a limit; Python's `==` between cells is False at once."""
    return sympy.Eq(left, right, evaluate=False)


@lru_cache(maxsize=65536)
def has_no_value(expression: Any) -> bool:
    """Whether an expression holds a division by zero, infinity, or a number that is not real."""
    if expression.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        return True
    return any(node.is_number and node.is_real is False for node in sympy.preorder_traversal(expression))


# What formulas are made of: solver, unit check and printers know these and nothing else.
KNOWN = (
    sympy.Add,
    sympy.Mul,
    sympy.Pow,
    sympy.Max,
    sympy.Min,
    sympy.ceiling,
    sympy.floor,
    sympy.exp,
    sympy.log,
    sympy.Abs,
    sympy.Mod,
    Indicator,
    *(Sin, Cos, Tan, Asin, Acos, Atan),
)


def unknown_function(expression: Any) -> str:
    """Return the name of a function in an expression that is none of ours, or an empty text."""
    nodes = sympy.preorder_traversal(expression)
    names = (node.func.__name__ for node in nodes if node.args and not isinstance(node, (*KNOWN, Select)))
    return next(names, "")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs_,
    "acos": acos,
    "asin": asin,
    "atan": atan,
    "ceil": ceil,
    "cos": cos,
    "exp": exp,
    "floor": floor,
    "indicator": indicator,
    "log": log,
    "log2": log2,
    "max": max_,
    "min": min_,
    "mod": mod,
    "sin": sin,
    "sqrt": sqrt,
    "tan": tan,
}
