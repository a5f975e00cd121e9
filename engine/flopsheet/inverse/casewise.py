"""Functions with branches, such as max and ceil, inverted branch by branch, each where it is taken."""

from __future__ import annotations

import math
from collections import Counter
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING

import sympy

from flopsheet.errors import ArithmeticTrapError, TooLargeError
from flopsheet.formulas.trees import MOST_CACHED, depends, has_function, holding, innermost, put_in
from flopsheet.functions import Trait, entry_of, nodes
from flopsheet.functions.spec import Case
from flopsheet.functions.symbols import certain_parts
from flopsheet.inverse.method import Method
from flopsheet.numbers.ends import without_doubles
from flopsheet.numbers.sets import (
    EMPTY,
    Interval,
    RealSet,
    hull,
    meet_near,
    point,
    union,
    widened,
)
from flopsheet.session import cached
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.functions import Expr
    from flopsheet.inverse.preimage import Preimage

MOST_CASES, MOST_STEPS = 64, 80
CONSTANT, ALGEBRAIC, HOPELESS, ANYTHING = sympy.symbols("_constant _algebraic _hopeless _anything")  # forms
BRANCHED = Trait.PIECEWISE | Trait.STEPPED | Trait.PERIODIC


@cached(maxsize=MOST_CACHED)
def cases(node: Expr) -> tuple[Case, ...]:
    """Return the branches of max, min, abs, an indicator or a condition."""
    return tuple(entry_of(node).cases(node))


@cached(maxsize=MOST_CACHED)
def demands(expression: Expr, unknown: Expr) -> tuple[tuple[Expr, RealSet], ...]:
    """Return the parts that must each be in a set for an expression to have a value: for `log(x)`, `x` above zero."""
    parts = (node for node in certain_parts(expression) if node.args)
    needed = (node for node in parts if node.is_Pow or depends(node, unknown))
    return tuple(demand for node in needed for demand in entry_of(node).demands(node))


@cached(maxsize=MOST_CACHED)
def branch(expression: Expr, node: Expr, value: Expr, unknown: Expr) -> tuple[Expr, tuple[tuple[Expr, RealSet], ...]]:
    """Return an expression with a branch's value put in for a function, and the demands that the branch drops or adds.

    Those of a branch of a condition are none before it is taken.
    """
    added = demands(value, unknown) if isinstance(node, nodes(Trait.GUARDS)) else ()
    return _with(expression, {node: value}, unknown, added)


@cached(maxsize=MOST_CACHED)
def without_neutral(
    expression: Expr, unknown: Expr, neutral: frozenset[tuple[Expr, int]]
) -> tuple[Expr, tuple[tuple[Expr, RealSet], ...]]:
    """Return an expression with cells put in that are 0 or 1, and the demands that this drops."""
    return _with(expression, {cell: sympy.Integer(value) for cell, value in sorted(neutral, key=str)}, unknown)


def _with(
    expression: Expr, parts: Mapping[Expr, Expr], unknown: Expr, added: tuple[tuple[Expr, RealSet], ...] = ()
) -> tuple[Expr, tuple[tuple[Expr, RealSet], ...]]:
    """Return an expression with parts replaced, and the demands that this drops, and those that it adds."""
    taken = put_in(expression, parts)
    remaining = set(demands(taken, unknown)).difference(added)
    before = ((put_in(part, parts), values) for part, values in demands(expression, unknown))
    return taken, tuple(demand for demand in dict.fromkeys((*before, *added)) if demand not in remaining)


@cached(maxsize=MOST_CACHED)
def forms(expression: Expr, unknown: Expr) -> frozenset[Expr]:
    """Return what an expression may be in its branches.

    `CONSTANT`, `ALGEBRAIC` in the unknown, algebraic in one transcendental part such as `log(x)`, or `HOPELESS`: no
    exact method takes `x*log(x)`. `ANYTHING` where this does not look closely.
    """
    if not depends(expression, unknown) or isinstance(expression, nodes(Trait.STEPPED)):
        return frozenset((CONSTANT,))
    if expression == unknown:
        return frozenset((ALGEBRAIC,))
    if isinstance(expression, nodes(Trait.PIECEWISE)):
        return frozenset().union(*(forms(case.value, unknown) for case in cases(expression)))
    if expression.is_Add or expression.is_Mul:
        return reduce(_joined, (forms(arg, unknown) for arg in holding(expression, unknown)))
    if expression.is_Pow and expression.exp.is_Rational:
        return forms(expression.base, unknown)
    plain = isinstance(expression, nodes(Trait.INEXACT)) and not has_function(expression, nodes(BRANCHED))
    return frozenset((expression if plain else ANYTHING,))


def _joined(ones: frozenset[Expr], others: frozenset[Expr]) -> frozenset[Expr]:
    """Return what the sum or product of two expressions may be."""
    return frozenset(_of_pair(one, other) for one, other in product(ones, others))


def _of_pair(one: Expr, other: Expr) -> Expr:
    if ANYTHING in (one, other):
        return ANYTHING
    if CONSTANT in (one, other):
        return other if one == CONSTANT else one
    return one if one == other else HOPELESS


def is_hopeless(expression: Expr, unknown: Expr) -> bool:
    """Whether no branch of an expression can be inverted."""
    return forms(expression, unknown) == {HOPELESS}


class Grants:
    """How many more branches and steps may be taken; those of a function that were taken once are free."""

    def __init__(self) -> None:
        self.cases, self.steps = MOST_CASES, MOST_STEPS
        self.taken: Counter[Expr] = Counter()  # branches of each function that were taken, for any target

    def charge(self, node: Expr, count: int) -> int:
        """Return how many branches of a function are new."""
        before = self.taken[node]
        self.taken[node] = max(before, count)
        return max(count - before, 0)


def by_cases(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Invert each branch of the innermost function with branches where that branch is taken."""
    node, grants = _first(expression, preimage.unknown), preimage.grants
    if node is None:
        return _by_steps(preimage, expression, target)
    branches = cases(node)
    if not isinstance(node, nodes(Trait.GUARDS | Trait.RELATIVE)):  # a comparison holds or not: no number is in both
        preimage.sharpness.blur()
    if (len(branches) > grants.cases and not grants.taken[node]) or is_hopeless(expression, preimage.unknown):
        return None
    grants.cases -= grants.charge(node, len(branches))
    preimage.methods.append(Method.CASES)
    return without_doubles(union(*(in_case(preimage, expression, node, case, target) for case in branches)))


def _first(expression: Expr, unknown: Expr) -> Expr | None:
    """Return the function whose branches are taken first: conditions, as parts of a branch say nothing before."""
    guard = innermost(expression, unknown, nodes(Trait.GUARDS))
    return guard or innermost(expression, unknown, nodes(Trait.PIECEWISE))


def _by_steps(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Invert a rounding step by step, where the steps can be listed."""
    node, grants = innermost(expression, preimage.unknown, nodes(Trait.STEPPED)), preimage.grants
    if node is None or node == expression:  # its argument could not be inverted, so neither can its steps
        return None
    preimage.sharpness.blur()
    span, most = preimage.bounds(node), max(grants.steps, grants.taken[node])
    if not is_finite(span.low) or not is_finite(span.high) or span.high - span.low >= most:
        return None
    values = range(math.floor(span.low), math.floor(span.high) + 1)
    grants.steps -= grants.charge(node, len(values))
    preimage.methods.append(Method.CASES)
    steps = (Case(((node, point(value)),), sympy.Integer(value)) for value in values)
    return union(*(in_case(preimage, expression, node, step, target) for step in steps))


def in_case(preimage: Preimage, expression: Expr, node: Expr, case: Case, target: RealSet) -> RealSet:
    """Return the values of the unknown in a target at which one branch of a function is taken."""
    before, domain, progressions = preimage.narrowed, preimage.domain, preimage.progressions
    try:
        region = _meeting(preimage, case.where, (domain,), domain)
        if region and isinstance(node, nodes(Trait.STEPPED)):
            preimage.narrowed = _around(region, domain)
            if preimage.step_misses(expression, node, case.value, target):  # most of hundreds: skip rewriting it
                return EMPTY
        if region:
            taken, demands = branch(expression, node, case.value, preimage.unknown)
            region = _meeting(preimage, demands, region, domain)
        preimage.leave_open(progressions)
        if not region:
            return EMPTY
        preimage.narrowed = _around(region, domain)
        values = preimage.of(taken, target)
        added = preimage.progressions[len(progressions) :]
        more = (cut for whole in added for part in region for cut in whole.within(part))
        preimage.progressions = progressions + tuple(more)
        preimage.sharpness.compare_apart([region], [values])
        return meet_near(region, values)
    except TooLargeError:
        raise
    except (ArithmeticTrapError, ZeroDivisionError):  # of a branch without a value
        preimage.progressions = progressions
        return EMPTY
    finally:
        preimage.narrowed = before


def _meeting(
    preimage: Preimage, conditions: Iterable[tuple[Expr, RealSet]], region: RealSet, domain: Interval
) -> RealSet:
    """Return where in a region every expression is in its set; each is inverted only where the earlier ones are."""
    for part, values in conditions:
        if region:
            preimage.narrowed = _around(region, domain)
            region = meet_near(region, preimage.of(part, values))
    return region


def _around(region: RealSet, domain: Interval) -> Interval:
    return widened(hull(region) or domain).meet(domain)
