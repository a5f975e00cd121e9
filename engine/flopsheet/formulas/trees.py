"""Queries on expressions, and substitution that keeps sympy from simplifying large expressions.

Results depend on the expression alone and are cached: the same question with other numbers needs them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import parts_of, symbols_in
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.functions import Expr

MOST_CACHED = 32768
LARGEST_EXPONENT = 1024
DEEPEST, HIGHEST_DEGREE = 100, 2**18


@cached(maxsize=MOST_CACHED)
def symbol_names(expression: Expr) -> frozenset[str]:
    """Return the names of the symbols in an expression: cells, choices and literal quantities."""
    return frozenset(symbol.name for symbol in symbols_in(expression))


def depends(expression: Expr, unknown: Expr) -> bool:
    """Whether an expression holds a symbol."""
    return unknown in symbols_in(expression)


@cached(maxsize=MOST_CACHED)
def has_function(expression: Expr, functions: tuple[Expr, ...]) -> bool:
    """Whether an expression has one of these functions."""
    return any(True for _ in parts_of(expression, *functions))


@cached(maxsize=MOST_CACHED)
def holding(expression: Expr, unknown: Expr) -> tuple[Expr, ...]:
    """Return the arguments of an expression that hold a symbol."""
    return tuple(arg for arg in expression.args if depends(arg, unknown))


def put_in(expression: Expr, parts: Mapping[Expr, Expr]) -> Expr:
    """Return an expression with parts replaced; max, min and mod unevaluated: sympy compares their terms at length."""
    return _put_in(expression, tuple(parts.items()))


@cached(maxsize=MOST_CACHED)
def _put_in(expression: Expr, parts: tuple[tuple[Expr, Expr], ...]) -> Expr:
    known: dict[Expr, Expr] = dict(parts)
    within = frozenset().union(*map(symbols_in, known)) if all(map(symbols_in, known)) else None
    return replaced(expression, known, within)


def replaced(expression: Expr, known: dict[Expr, Expr], within: frozenset[Expr] | None = None) -> Expr:
    """Return the same as `put_in`, and add to the parts what was replaced, for other expressions that have it too.

    What has none of the symbols `within`, if these are known, stays.
    """

    def other(node: Expr) -> Expr:
        if node not in known:
            if within is not None and (symbols := symbols_in(node)) and within.isdisjoint(symbols):
                return node
            known[node] = rebuilt(node, [other(arg) for arg in node.args])
        return known[node]

    return other(expression)


def rebuilt(node: Expr, args: list[Expr]) -> Expr:
    """Return a node with other arguments, of lazy functions unevaluated; the node itself where they are the same."""
    same = all(new is old for new, old in zip(args, node.args, strict=True))
    if isinstance(node, nodes(Trait.LAZY)):
        if all(arg.is_number for arg in args):
            return sympy.nan if sympy.nan in args else node.func(*args)
        return node if same else node.func(*args, evaluate=False)
    if same:
        return node
    if node.is_Pow and args[0].is_Rational and args[1].is_Integer and abs(args[1]) > LARGEST_EXPONENT:
        return node.func(*args, evaluate=False)  # sympy would compute all its digits
    return node.func(*args)


@cached(maxsize=MOST_CACHED)
def too_large(expression: Expr, most: int) -> bool:
    """Whether an expression is beyond symbolic rewriting: it has more nodes than a limit, or is nested too deeply.

    sympy recurses into it. To learn signs it evaluates at small numbers too, and powers in powers double their digits.
    """
    return length(expression) > most or _depth(expression) > DEEPEST or _degree(expression) > HIGHEST_DEGREE


@cached(maxsize=MOST_CACHED)
def length(expression: Expr) -> int:
    """Return how many nodes an expression has."""
    return 1 + sum(map(length, expression.args))


@cached(maxsize=MOST_CACHED)
def _depth(expression: Expr) -> int:
    return 1 + max(map(_depth, expression.args), default=0)


@cached(maxsize=MOST_CACHED)
def _degree(expression: Expr) -> int:
    """Return the power of its symbols as which an expression may grow."""
    if expression.is_Pow and expression.exp.is_Integer:
        return _degree(expression.base) * abs(int(expression.exp))
    joint = sum if expression.is_Mul else max
    return joint(map(_degree, expression.args)) if expression.args else 1


@cached(maxsize=MOST_CACHED)
def innermost(expression: Expr, unknown: Expr, kinds: tuple[Any, ...]) -> Expr | None:
    """Return a function of one of these kinds that holds the unknown, and no other such function inside.

    The branches of a condition are not looked into before one is taken.
    """
    if not depends(expression, unknown):
        return None
    if isinstance(expression, nodes(Trait.GUARDS)):
        return expression if isinstance(expression, kinds) else None
    inside = (innermost(arg, unknown, kinds) for arg in expression.args)
    first = next((node for node in inside if node is not None), None)
    return expression if first is None and isinstance(expression, kinds) else first


@cached(maxsize=MOST_CACHED)
def is_whole(expression: Expr, counts: frozenset[str]) -> bool:
    """Whether an expression is a whole number wherever some cells are, as its terms and functions tell."""
    if expression.is_Symbol:
        return expression.name in counts
    if expression.is_Number:
        return bool(expression.is_Integer)
    if isinstance(expression, nodes(Trait.STEPPED | Trait.RELATIVE)):
        return True
    if expression.is_Pow:
        return bool(expression.exp.is_Integer and expression.exp >= 0) and is_whole(expression.base, counts)
    args = expression.args[2::2] if isinstance(expression, nodes(Trait.CHOOSES)) else expression.args
    return isinstance(expression, nodes(Trait.WHOLE)) and all(is_whole(arg, counts) for arg in args)


@cached(maxsize=MOST_CACHED)
def without_roundings(expression: Expr) -> Expr:
    """Return an expression with what it rounds up or down in place of the rounded."""
    rounded = roundings(expression)
    return without_roundings(unrounded(expression, rounded)) if rounded else expression


@cached(maxsize=MOST_CACHED)
def roundings(expression: Expr) -> frozenset[Expr]:
    """Return the parts of an expression that are rounded up or down."""
    return frozenset(node for node in expression.atoms(*nodes(Trait.STEPPED)) if len(node.args) == 1)


@cached(maxsize=MOST_CACHED)
def unrounded(expression: Expr, parts: frozenset[Expr]) -> Expr:
    """Return an expression with what some of its roundings round in place of these."""
    return expression.xreplace({node: node.args[0] for node in parts})


def terms_of(expression: Expr) -> frozenset[Expr]:
    """Return the terms of a sum, or the expression alone."""
    return frozenset(sympy.Add.make_args(expression))


@cached(maxsize=MOST_CACHED)
def difference(expression: Expr, other: Expr) -> Expr | None:
    """Return what is left of a difference where terms of two sums cancel, or None where none do."""
    common = terms_of(expression) & terms_of(other)
    return expression - other if common else None


@cached(maxsize=MOST_CACHED)
def factored(expression: Expr) -> Expr:
    """Take common factors out of terms; not beside exponentials, of whose bases sympy takes roots of any size."""
    exponentials = any(symbols_in(power.exp) for power in parts_of(expression, sympy.Pow))
    return expression if exponentials else sympy.factor_terms(expression)


def denominators(expression: Expr, unknown: Expr | None = None) -> tuple[Expr, ...]:
    """Return the powers in the denominators of an expression, those of one unknown or of any symbols."""
    powers = (power for power in parts_of(expression, sympy.Pow) if symbols_in(power.base))
    below = (power for power in powers if power.exp.could_extract_minus_sign())
    return tuple(power for power in below if unknown is None or depends(power.base, unknown))


@cached(maxsize=MOST_CACHED)
def is_transcendental(expression: Expr, unknown: Expr) -> bool:
    """Whether a function like a logarithm holds the unknown: no root of it makes the expression a polynomial."""
    return any(depends(node, unknown) for node in parts_of(expression, *nodes(Trait.INEXACT)))


@cached(maxsize=MOST_CACHED)
def irrational_parts(expression: Expr, unknown: Expr) -> frozenset[Expr]:
    """Return the outermost functions and fractional powers that hold the unknown."""
    if not depends(expression, unknown) or expression == unknown:
        return frozenset()
    whole_power = expression.is_Pow and expression.exp.is_Integer
    if expression.is_Add or expression.is_Mul or whole_power:
        return frozenset().union(*(irrational_parts(arg, unknown) for arg in expression.args))
    return frozenset((expression,))
