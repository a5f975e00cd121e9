"""Functions that choose: max and min, indicators of comparisons, and the branches of a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.symbol import Str

from flopsheet.errors import FormulaError
from flopsheet.functions.spec import Case, Function, Trait, Units
from flopsheet.layout.nodes import LIST, PRODUCT, Fenced, Node, Row, Sign, Words, relation
from flopsheet.numbers.arithmetic import holds, mirrored
from flopsheet.numbers.sets import EMPTY, NOT_NEGATIVE, NOT_POSITIVE, RealSet, complement, meet, near, side, union
from flopsheet.numbers.spans import Span, as_span, between
from flopsheet.session import cached
from flopsheet.tolerances import CLOSENESS, INDICATED, STRICT, in_spreadsheets
from flopsheet.units import PURE_NUMBER, Dimension

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Number

COMPARISONS = {sympy.Eq: "=", sympy.Le: "<=", sympy.Ge: ">=", sympy.Lt: "<", sympy.Gt: ">"}


class _Extreme(Function):
    """The largest or the smallest of several terms of one dimension."""

    arity, verb, unique = None, "compares", False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.EXTREME | Trait.LAZY | Trait.HOMOGENEOUS

    def bounds(self, *spans: Span) -> Span:
        """Return the largest or smallest of the lower ends and of the upper ends."""
        terms = [as_span(span) for span in spans]
        low, high = self.exact(span.low for span in terms), self.exact(span.high for span in terms)
        total, kinds = all(span.total for span in terms), {span.exact for span in terms}
        return between(low, high, total) if len(kinds) > 1 else Span(low, high, total, *kinds)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        # The target where the term wins; where it loses, all or nothing: the others decide.
        level = rest or 0
        loses = {">": "<=", "<": ">="}[self.wins]
        plateau = side(loses, level) if near(level, target) else EMPTY
        return union(meet(target, side(self.wins, level)), plateau)

    def cases(self, node: Expr) -> Iterator[Case]:
        places = range(len(node.args))
        for place in places:
            yield Case(tuple(self._beats(node, place, other) for other in places if other != place), node.args[place])

    def _beats(self, node: Expr, place: int, other: int) -> tuple[Expr, RealSet]:
        """Return the condition that a term wins over another: of two terms the same difference, so it is kept once."""
        first, second = sorted((place, other))
        above = (self.wins == ">") == (place < other)
        return node.args[first] - node.args[second], NOT_NEGATIVE if above else NOT_POSITIVE

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        return (right,)  # where the term decides, it is the function

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        pick: Any = self.exact
        return pick(node.args, key=value)  # of equal terms the first


def max_(*terms: Any) -> Expr:
    """Return the largest of the terms, all of one unit."""
    return sympy.Max(*map(sympy.sympify, terms))


def min_(*terms: Any) -> Expr:
    """Return the smallest of the terms, all of one unit."""
    return sympy.Min(*map(sympy.sympify, terms))


class Indicator(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """1 where a comparison holds, else 0: `Indicator(left, Str(sign), right)`."""

    is_real = True
    is_nonnegative = True

    @property
    def sign(self) -> str:
        """The operator: `=`, `<=`, `>=`, `<` or `>`."""
        return str(self.args[1])


class _Indicated(Function):
    """1 where a comparison holds, else 0."""

    name, node, unique = "indicator", Indicator, False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.RELATIVE
    operand = PRODUCT

    def build(self, *terms: Any) -> Expr:
        return indicator(*terms)

    def dimension(self, node: Expr, units: Units) -> Dimension:
        units.same("compares", node.args[::2])
        return PURE_NUMBER

    def exact(self, left: Number, sign: str, right: Number) -> Number:
        return int(holds(left, sign, right))

    def bounds(self, *spans: Any) -> Span:
        left, right = as_span(spans[0]), as_span(spans[-1])
        return Span(0, 1, left.total and right.total, left.exact and right.exact)

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        holding = side(node.sign if place == 0 else mirrored(node.sign), rest or 0)
        parts = (holding if value else complement(holding) for value in (0, 1) if _is_met(value, target))
        return union(*parts)

    def cases(self, node: Expr) -> Iterator[Case]:
        left, _, right = node.args
        holding = side(node.sign, 0)
        yield Case(((left - right, holding),), sympy.Integer(1))
        yield Case(((left - right, complement(holding)),), sympy.Integer(0))

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        return sympy.Rational(value(node))

    def written(self, *terms: Any) -> Node:
        left, sign, right = terms
        return Fenced("[", relation(left, sign.text, right), "]")  # as Iverson wrote it

    def excel(self, *terms: str) -> str:
        return f"IF({excel_comparison(*terms)},1,0)"


def excel_comparison(left: str, sign: str, right: str) -> str:
    """Return a comparison of a spreadsheet: `<=`, `>=` and `=` allow for rounding, `<` and `>` ask for more than it."""
    larger = f"MAX(ABS({left}),ABS({right}))"
    close = f"{in_spreadsheets(1 / CLOSENESS)}*{larger}"
    if sign == "=":
        return f"ABS({left}-{right})<={close}"
    small, large = (left, right) if sign in ("<", "<=") else (right, left)
    if sign in ("<=", ">="):
        return f"{small}-{large}<={close}"
    return f"{large}-{small}>{in_spreadsheets(STRICT)}*{larger}"


def _is_met(value: int, target: RealSet) -> bool:
    """Whether an indicator's value lies in a target, whose ends may be sums that have lost some digits."""
    floats = (end for part in target for end, closed in part.ends if closed and isinstance(end, float))
    return any(value in part for part in target) or any(abs(end - value) <= INDICATED for end in floats)


def indicator(comparison: Any) -> Expr:
    """Return 1 where a comparison of cells holds, else 0: `indicator(k > 1)`, in texts also `[k > 1]`.

    Raises:
        FormulaError: it is no comparison.
    """
    if comparison in (True, False):
        return sympy.Integer(int(bool(comparison)))
    if getattr(comparison, "func", None) not in COMPARISONS:
        raise FormulaError("indicator()", "It takes a comparison of cells.", "Write indicator(k > 1).")
    left, right = comparison.args
    return Indicator(left, Str(COMPARISONS[comparison.func]), right)


def equal(left: Any, right: Any) -> Expr:
    """Return the relation `left = right` for a limit; Python's `==` between cells is False at once."""
    return sympy.Eq(left, right, evaluate=False)


class Select(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """A case distinction: `Select(choice, Str(option), branch, Str(option), branch, ...)`."""

    is_real = True

    @property
    def branches(self) -> dict[str, Expr]:
        """The branch of each option."""
        return {str(option): branch for option, branch in zip(self.args[1::2], self.args[2::2], strict=True)}


class _Selected(Function):
    """The branch that a choice takes, evaluated once the choice is replaced by it: see `taken`."""

    name, node, unique = "select", Select, False
    arity = None
    traits = Trait.CHOOSES | Trait.HOMOGENEOUS

    def build(self, *terms: Any, **branches: Any) -> Expr:
        return select(*terms, **branches)

    def dimension(self, node: Expr, units: Units) -> Dimension:
        return units.same("chooses between", tuple(node.branches.values()))

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        return node.branches[value(node.args[0])]

    def written(self, *terms: Any) -> Node:
        choice, *pairs = terms
        branches = (Row((option, Sign("="), branch)) for option, branch in _paired(pairs))
        return super().written(choice, *branches)

    def layout(self, *terms: Any) -> Node:
        named = ((Words(option.text.replace("_", " ")), branch) for option, branch in _paired(terms[1:]))
        cases = tuple(relation(option, ":", branch) for option, branch in named)
        return Fenced("[", Row(cases, LIST), "]")

    def excel(self, *terms: str) -> str:
        choice, *rest = terms
        pairs, text = _paired(rest), "NA()"
        alike = len({option.casefold() for option, _ in pairs}) < len(pairs)  # `=` does not tell capitals apart
        for option, branch in reversed(pairs):
            quoted = '"' + option.replace('"', '""') + '"'
            test = f"EXACT({choice},{quoted})" if alike else f"{choice}={quoted}"
            text = f"IF({test},{branch},{text})"
        return text


def _paired(terms: Sequence[Any]) -> list[tuple[Any, Any]]:
    return list(zip(terms[::2], terms[1::2], strict=True))


def select(choice: Any, /, **branches: Any) -> Expr:
    """Return the branch that a choice cell takes: `select(precision, bf16=two_bytes, fp8=one_byte)`."""
    pairs = ((Str(option), sympy.sympify(branch)) for option, branch in branches.items())
    return Select(choice, *(arg for pair in pairs for arg in pair))


def taken(expression: Expr, options: Mapping[str, str]) -> Expr:
    """Return an expression with each case distinction replaced by the branch of its option, where that is known."""
    return _taken(expression, tuple((name, options[name]) for name in choices_in(expression) if name in options))


@cached(maxsize=65536)
def choices_in(expression: Expr) -> tuple[str, ...]:
    """Return the names of the choices that an expression distinguishes."""
    return tuple(dict.fromkeys(case.args[0].name for case in expression.atoms(Select)))


@cached(maxsize=65536)
def _taken(expression: Expr, options: tuple[tuple[str, str], ...]) -> Expr:
    known = dict(options)
    cases = {
        case: case.branches[known[case.args[0].name]] for case in expression.atoms(Select) if case.args[0].name in known
    }
    return taken(expression.xreplace(cases), known) if cases else expression


_MAX = _Extreme(name="max", node=sympy.Max, exact=max, wins=">")
_MIN = _Extreme(name="min", node=sympy.Min, exact=min, wins="<")
ENTRIES = (_MAX, _MIN, _Indicated(), _Selected())
