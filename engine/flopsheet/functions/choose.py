"""Functions that choose: max and min, and the branches of a choice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv
from sympy.core.symbol import Str

from flopsheet.errors import FormulaError, public
from flopsheet.functions.branches import where
from flopsheet.functions.enclosed import ZERO, around_all
from flopsheet.functions.spec import Case, Function, Trait, Units
from flopsheet.functions.symbols import as_expression, formula_function, parts_of
from flopsheet.layout.nodes import LIST, Fenced, Node, Row, Sign, Words, relation
from flopsheet.numbers.ends import near
from flopsheet.numbers.sets import EMPTY, NOT_NEGATIVE, NOT_POSITIVE, RealSet, meet, side, union
from flopsheet.numbers.spans import Span, as_span, between
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Dimension, Number


class _Extreme(Function):
    """The largest or the smallest of several terms of one dimension."""

    arity, verb, unique = None, "compares", False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.EXTREME | Trait.LAZY | Trait.HOMOGENEOUS | Trait.WHOLE

    def bounds(self, *spans: Span) -> Span:
        """Return the largest or smallest of the lower ends and of the upper ends."""
        terms = [as_span(span) for span in spans]
        low, high = self.exact([span.low for span in terms]), self.exact([span.high for span in terms])
        total, exact = all(span.total for span in terms), [span.exact for span in terms]
        return Span(low, high, total, exact[0]) if all(exact) or not any(exact) else between(low, high, total)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return 1 for a term that decides throughout, 0 for one that never does, between the two for others."""
        return tuple(self._share(spans, place) for place in range(len(spans)))

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the range of the growths of the terms that may decide, where these are positive."""
        deciding = [place for place in range(len(terms)) if self._share(terms, place).high > 0]
        if any(terms[place].low <= 0 for place in deciding):
            return super().growth(value, terms, growths, beside)
        pick: Any = self.exact
        best = pick(deciding, key=lambda place: terms[place].low * terms[place].high)
        deciding = [place for place in deciding if place == best or self._may_win(beside(place, best))]
        return around_all(growths[place] or ZERO for place in deciding)

    def _may_win(self, quotient: Span) -> bool:
        return quotient.high >= 1 if self.wins == ">" else quotient.low <= 1

    def _share(self, spans: Sequence[Span], place: int) -> Span:
        others = [span for at, span in enumerate(spans) if at != place]
        own, up = spans[place], self.wins == ">"
        least, most = (
            (max(other.low for other in others), max(other.high for other in others))
            if up
            else (min(other.low for other in others), min(other.high for other in others))
        )
        if (own.low >= most) if up else (own.high <= least):
            return Span(1, 1, exact=True)
        return Span(0, 0 if ((own.high < least) if up else (own.low > most)) else 1, exact=True)

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the sign that one term has and none can lose to, else the sign of all."""
        best, worst = (1, -1) if self.wins == ">" else (-1, 1)
        return best if best in signs else worst if {*signs} == {worst} else 0

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Span]) -> Span | None:
        """Return the target where no other term can decide, else what lies on its losing side too."""
        others = [term for at, term in enumerate(terms) if at != place]
        if self.wins == ">":
            low = target.low if all(term.high < target.low for term in others) else -math.inf
            return Span(low, target.high, exact=target.exact)
        high = target.high if all(term.low > target.high for term in others) else math.inf
        return Span(target.low, high, exact=target.exact)

    def precise(self, *terms: Any) -> Any:
        """Return the largest or smallest of intervals."""
        pick: Any = self.exact
        return iv.mpf([pick(term.a for term in terms), pick(term.b for term in terms)])

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


class _NumbersCompared:
    """Compares the numbers among its terms alone: sympy compares every two terms symbolically, milliseconds each."""

    @classmethod
    def _find_localzeros(cls, values: Any, **_: Any) -> set[Expr]:
        numbers = [value for value in values if value.is_comparable]
        best = {(max if issubclass(cls, sympy.Max) else min)(numbers)} if numbers else set()
        return {*values}.difference(numbers) | best

    @classmethod
    def _collapse_arguments(cls, args: Any, **_: Any) -> Any:
        return args


class Max(_NumbersCompared, sympy.Max):  # type: ignore[misc]  # sympy is untyped
    """The largest of its terms."""


class Min(_NumbersCompared, sympy.Min):  # type: ignore[misc]  # the same
    """The smallest of its terms."""


@formula_function
def max_(first: Any, *others: Any) -> Expr:
    """Return the largest of the terms, all of one unit."""
    return Max(first, *others)


@formula_function
def min_(first: Any, *others: Any) -> Expr:
    """Return the smallest of the terms, all of one unit."""
    return Min(first, *others)


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
    traits = Trait.CHOOSES | Trait.HOMOGENEOUS | Trait.WHOLE

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


@public
def select(choice: Any, /, *sides: Any, **branches: Any) -> Expr:
    """Return the branch that a choice cell takes: `select(precision, bf16=two_bytes, fp8=one_byte)`.

    With a comparison of cells, the first of two expressions where it holds, else the second: `select(n > 8, 2, 1)`.
    The other one is not evaluated, so that a comparison guards a division: `select(n > 0, 1/n, 0)`.

    Raises:
        FormulaError: neither is written.
    """
    if sides:
        if len(sides) != 2 or branches:
            fix = "Write select(n > 8, a, b), or select(precision, bf16=a, fp8=b)."
            raise FormulaError("select()", "A comparison has two branches, without names.", fix)
        return where(choice, *sides)
    if not isinstance(choice, sympy.Expr) or not branches:
        fix = "Write select(precision, bf16=a, fp8=b)."
        raise FormulaError("select()", "It takes a choice, and a branch for each of its options.", fix)
    pairs = ((Str(option), as_expression(branch, "select()")) for option, branch in branches.items())
    return Select(choice, *(arg for pair in pairs for arg in pair))


def taken(expression: Expr, options: Mapping[str, str]) -> Expr:
    """Return an expression with each case distinction replaced by the branch of its option, where that is known."""
    return _taken(expression, tuple((name, options[name]) for name in choices_in(expression) if name in options))


@cached(maxsize=65536)
def choices_in(expression: Expr) -> tuple[str, ...]:
    """Return the names of the choices that an expression distinguishes, sorted."""
    if not expression.args:
        return ()
    return tuple(sorted({case.args[0].name for case in parts_of(expression, Select)}))


@cached(maxsize=65536)
def _taken(expression: Expr, options: tuple[tuple[str, str], ...]) -> Expr:
    known = dict(options)
    cases = {
        case: case.branches[known[case.args[0].name]]
        for case in parts_of(expression, Select)
        if case.args[0].name in known
    }
    return taken(expression.xreplace(cases), known) if cases else expression


_MAX = _Extreme(name="max", node=Max, exact=max, wins=">")
_MIN = _Extreme(name="min", node=Min, exact=min, wins="<")
ENTRIES = (_MAX, _MIN, _Selected())
