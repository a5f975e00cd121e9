"""Samples of every function of the formula language: nodes over x, and numbers at which they have a value."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import sympy
from tests.cases import sampled

from flopsheet import indicator
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.functions import BY_NODE, Function, Trait, entry_of, symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

X = symbol("x")
PLACES, TRIES = 3, 60
DIGITS = 40


class Sample(NamedTuple):
    """A node of one function over x, the other arguments numbers."""

    entry: Function
    node: Any
    place: int

    def __str__(self) -> str:
        return str(self.node)


def numbers(random: Random) -> Fraction:
    """Return a ratio of some size, of either sign."""
    return Fraction(random.randint(-60, 60), random.randint(1, 6))


def samples() -> Iterator[Sample]:
    """Yield nodes of every function that has nodes of its own, with x in each place of its arguments."""
    random = Random(7)  # noqa: S311  # no secrets here
    for entry in BY_NODE.values():
        if entry.traits & Trait.CHOOSES:
            continue
        for place in range(min(entry.arity or 2, PLACES)):
            for _ in range(2):
                node = _node(entry, place, random)
                if X in node.args:
                    yield Sample(entry, node, node.args.index(X))


def _node(entry: Function, place: int, random: Random) -> Any:
    terms: list[Any] = [sympy.Rational(*(abs(numbers(random)) + 1).as_integer_ratio()) for _ in range(entry.arity or 2)]
    terms[place] = X
    if entry.name == "indicator":
        return indicator(sympy.Le(X, 3, evaluate=False))
    if entry.traits & Trait.GUARDS:
        terms[0] = indicator(sympy.Le(X, 3, evaluate=False))
    return entry.build(*terms)


every_sample = pytest.mark.parametrize("sample", sampled(samples(), 3), ids=str)


def points(sample: Sample) -> list[Fraction]:
    """Return numbers at which a function has a value, in and around its domain."""
    random = Random(str(sample.node))  # noqa: S311
    drawn = [numbers(random) / 4**step for _ in range(TRIES) for step in (0, 3)]
    return [at for at in [*drawn, *map(Fraction, (-1, 0, 1, 90))] if value_or_none(sample.node, {"x": at}) is not None]


def high_precision(node: Any, at: Fraction) -> Any:
    """Return the value of a node by sympy's own functions to many digits, which mpmath computes."""
    entry = entry_of(node)
    number = sympy.Rational(at.numerator, at.denominator)
    terms = [term.xreplace({X: number}) for term in node.args]
    written = entry.in_sympy(*terms) if type(entry).in_sympy is not Function.in_sympy else node.func(*terms)
    return sympy.N(written, DIGITS)
