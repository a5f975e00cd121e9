"""Two branches of which a comparison takes one: the other needs no value, so it may guard a division or a logarithm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv

from flopsheet.errors import FormulaError
from flopsheet.functions.comparisons import COMPARISONS, indicator
from flopsheet.functions.enclosed import ONE, ZERO, around_all
from flopsheet.functions.spec import Case, Function, NoInverseError, Trait, Units
from flopsheet.functions.symbols import as_expression, has_no_value
from flopsheet.layout.nodes import Call, Chain, Fenced, Node, Words, comma_separated, relation
from flopsheet.numbers.sets import RealSet, point
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, as_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flopsheet.functions.enclosed import Beside
    from flopsheet.functions.symbols import Expr
    from flopsheet.units import Dimension, Number

ABSENT = Span(-math.inf, math.inf, total=False)  # of an operation in a branch that may be taken: no value in a box
UNSEEN = sympy.Symbol("unseen")  # the node of an operation in a branch: nothing that looks for sums finds it
_HELD = ",1,0)"  # how the formula of a comparison in a spreadsheet ends


class Branched(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """One of two expressions by a comparison: `Branched(indicator, then, otherwise)`."""

    is_real = True

    @classmethod
    def eval(cls, condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
        """Return the branch that a condition of 1 or 0 takes."""
        return (otherwise if condition.is_zero else then) if condition.is_Integer else None

    @property
    def certain(self) -> tuple[Expr, ...]:
        """The arguments that must have a value wherever this has one."""
        return self.args[:1]  # type: ignore[no-any-return]


class _Branches(Function):
    """The first of two branches where a condition is 1, the second where it is 0."""

    node, arity, unique = Branched, 3, False
    traits = Trait.PIECEWISE | Trait.FLAT | Trait.WHOLE | Trait.GUARDS

    def dimension(self, node: Expr, units: Units) -> Dimension:
        units.dimension(node.args[0])
        return units.same("chooses between", node.args[1:])

    def exact(self, condition: Number, then: Number, otherwise: Number) -> Number:
        return then if condition else otherwise

    def bounds(self, *spans: Span) -> Span:
        """Return the bounds of the branch that is taken, or of those that have values where either may be."""
        condition, *branches = map(as_span, spans)
        if (place := taken_place(condition)) is not None:
            chosen = branches[place]
            return chosen if condition.total else Span(chosen.low, chosen.high, total=False, exact=chosen.exact)
        valued = [branch for branch in branches if branch is not ABSENT]
        if not valued:
            raise NoValueError
        hull = around_all(valued)
        return Span(hull.low, hull.high, condition.total and all(branch.total for branch in branches), hull.exact)

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return the change of the branch that is taken, any where either may be."""
        place = taken_place(spans[0])
        if place is None:
            return (ANYTHING,) * 3
        return (ZERO, ONE, ZERO) if place == 0 else (ZERO, ZERO, ONE)

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the growth of the branch that is taken, any where either may be."""
        del value, beside
        place = taken_place(terms[0])
        return ANYTHING if place is None else growths[place + 1] or ZERO

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the sign of the branch that is taken, that of both where either may be."""
        del value
        place = taken_place(terms[0])
        possible = {*signs[1:]} if place is None else {signs[place + 1]}
        return possible.pop() if len(possible) == 1 else 0

    def jumps(self, value: Span, terms: Sequence[Any]) -> bool:
        """Whether either branch may be taken."""
        del value
        return taken_place(terms[0]) is None

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the target for the branch that is taken; for the condition what leaves a branch in the target."""
        del node
        condition, *branches = map(as_span, terms)
        if place:
            return target if taken_place(condition) == place - 1 else branches[place - 1]
        meets = [branch is not ABSENT and branch.meet(target) is not None for branch in branches]
        if not any(meets):
            return None
        return condition if all(meets) else ONE if meets[0] else ZERO

    def precise(self, *terms: Any) -> Any:
        """Return the bounds of the branch that is taken, or of both."""
        condition, *branches = terms
        if condition.a == condition.b:
            return branches[0 if condition.a > 0 else 1]
        return iv.mpf([min(branch.a for branch in branches), max(branch.b for branch in branches)])

    def rest(self, node: Expr, place: int) -> Expr | None:
        del node, place
        return None

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        raise NoInverseError("inverted branch by branch")

    def cases(self, node: Expr) -> Iterator[Case]:
        condition, *branches = node.args
        for value, branch in zip((1, 0), branches, strict=True):
            yield Case(((condition, point(value)),), branch)

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr:
        condition, then, otherwise = node.args
        return then if value(condition) else otherwise

    def in_sympy(self, *terms: Expr) -> Expr:
        condition, then, otherwise = terms
        left, sign, right = condition.args
        holds = next(kind for kind, text in COMPARISONS.items() if text == str(sign))
        return sympy.Piecewise((then, holds(left, right)), (otherwise, True))

    def written(self, *terms: Any) -> Node:
        condition, *branches = terms
        return Call("select", comma_separated(_comparison(condition), *branches))

    def layout(self, *terms: Any) -> Node:
        condition, then, otherwise = terms
        holds = _comparison(condition)
        before = holds.terms if isinstance(holds, Chain) else (("", holds),)
        return Fenced("[", comma_separated(Chain((*before, (":", then))), relation(Words("else"), ":", otherwise)), "]")

    def excel(self, *terms: str) -> str:
        condition, then, otherwise = terms
        is_held = condition.startswith("IF(") and condition.endswith(_HELD)
        test = condition[len("IF(") : -len(_HELD)] if is_held else f"{condition}=1"
        return f"IF({test},{then},{otherwise})"


class Guarded(Function):
    """An operation of a branch: its last terms are the conditions on which it is needed; elsewhere it is zero.

    Args:
        inner: the entry of the operation.
        own: its node.
        wanted: the values of the conditions, 1 or 0.
    """

    def __init__(self, inner: Function, own: Expr, wanted: tuple[int, ...]) -> None:
        super().__init__(traits=inner.traits & ~(Trait.EXTREME | Trait.HOMOGENEOUS))
        self.inner, self.own, self.wanted = inner, own, wanted

    def needed(self, conditions: Sequence[Any]) -> bool | None:
        """Whether the operation is needed at conditions with these bounds; None where it may be."""
        places = [*map(taken_place, conditions)]
        pairs = [*zip(places, self.wanted, strict=True)]
        if any(place is not None and place == value for place, value in pairs):  # the place of 1 is 0
            return False
        return None if None in places else True

    def split(self, terms: Sequence[Any]) -> tuple[Sequence[Any], bool | None]:
        """Return the terms of the operation, and whether it is needed."""
        count = len(self.wanted)
        return terms[:-count], self.needed(terms[-count:])

    def exact(self, *terms: Any) -> Number:
        """Return the value of the operation where it is needed, else zero."""
        count = len(self.wanted)
        if any(bool(term) != bool(value) for term, value in zip(terms[-count:], self.wanted, strict=True)):
            return 0
        return self.inner.exact(*terms[:-count])

    def bounds(self, *spans: Any) -> Span:
        """Return the bounds of the operation where it is or may be needed, else zero."""
        terms, needed = self.split(spans)
        if needed is False:
            return ZERO
        if not self.inner.traits & Trait.GUARDS and any(term is ABSENT for term in terms):
            return ABSENT
        try:
            return self.inner.bounds(*terms)
        except NoValueError:
            if needed:
                raise
            return ABSENT

    def rates(self, *spans: Any) -> tuple[Span, ...]:
        """Return the rates of the operation where it is needed."""
        return tuple(self.rates_by(range(len(spans)), spans).values())

    def rates_by(self, places: Sequence[int], spans: Sequence[Any]) -> dict[int, Span]:
        """Return the rates of the operation by some terms where it is needed; its conditions change nothing there."""
        terms, needed = self.split(spans)
        if not needed:
            return dict.fromkeys(places, ZERO if needed is False else ANYTHING)
        own = self.inner.rates_by([place for place in places if place < len(terms)], terms)
        return {place: own.get(place, ZERO) for place in places}

    def growth(self, value: Span, terms: Sequence[Any], growths: Sequence[Span | None], beside: Beside) -> Span:
        """Return the growth of the operation where it is needed; its conditions change nothing there."""
        own, needed = self.split(terms)
        growing = growths[: len(own)]
        if not needed:
            return ANYTHING
        return ZERO if all(growth is None for growth in growing) else self.inner.growth(value, own, growing, beside)

    def sign(self, value: Span, terms: Sequence[Any], signs: Sequence[int]) -> int:
        """Return the sign of the operation where it is needed."""
        own, needed = self.split(terms)
        return self.inner.sign(value, own, signs[: len(own)]) if needed else 0

    def has_value(self, terms: Sequence[Any], signs: Sequence[int]) -> bool:
        """Whether the operation is needed and has a value wherever its terms have."""
        own, needed = self.split(terms)
        return bool(needed) and self.inner.has_value(own, signs[: len(own)])

    def compared(self, value: Span, terms: Sequence[Any], beside: Beside) -> Span:
        """Return bounds of the value, with what the quotients of its terms tell of it."""
        own, needed = self.split(terms)
        return self.inner.compared(value, own, beside) if needed else value

    def jumps(self, value: Span, terms: Sequence[Any]) -> bool:
        """Whether the operation may jump where it is needed."""
        own, needed = self.split(terms)
        return self.inner.jumps(value, own) if needed else needed is None

    def contract(self, node: Expr, place: int, target: Span, terms: Sequence[Any]) -> Span | None:
        """Return the contraction by the operation where it is needed, else a term as it is."""
        del node
        own, needed = self.split(terms)
        return self.inner.contract(self.own, place, target, own) if needed and place < len(own) else terms[place]

    def precise(self, *terms: Any) -> Any:
        """Return the bounds of the operation where it is or may be needed, else zero."""
        count = len(self.wanted)
        own, pairs = terms[:-count], [*zip(terms[-count:], self.wanted, strict=True)]
        if any(value not in condition for condition, value in pairs):
            return iv.mpf(0)
        try:
            return self.inner.precise(*own)
        except (ArithmeticError, ValueError):
            if all(condition.a == condition.b for condition, _ in pairs):
                raise
            return iv.mpf(["-inf", "inf"])


def taken_place(condition: Any) -> int | None:
    """Return the place of the branch that a condition with these bounds takes; None where it may be either."""
    span = as_span(condition)
    if span.low == span.high:
        return 0 if span.low else 1
    return None


def where(comparison: Any, then: Any, otherwise: Any) -> Expr:
    """Return one expression where a comparison of cells holds, and another elsewhere; only the one taken has to exist.

    Raises:
        FormulaError: it is no comparison, or a branch has no value anywhere.
    """
    branches = [as_expression(branch, "select()") for branch in (then, otherwise)]
    if any(map(has_no_value, branches)):
        raise FormulaError("select()", "A branch divides by zero, or has no real value.", "Write branches with values.")
    return Branched(indicator(comparison), *branches)


def _comparison(condition: Node) -> Node:
    """Return the comparison in the layout of an indicator."""
    return condition.body if isinstance(condition, Fenced) else condition


ENTRIES = (_Branches(),)
