"""Formulas as a list of operations on intervals: bounds, rates of change, and contraction of what enters them.

One list serves every task: forwards it bounds each operation, with the chain rule it bounds rates of change, and
backwards it contracts the cells by what the result must be (HC4: Benhamou et al., Revising hull and box consistency,
ICLP 1999). Where floats no longer separate, the same list runs on mpmath's intervals of any precision.

Operations that would cancel are written otherwise, see `cancelling`.
"""

from __future__ import annotations

import math
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import sympy
from mpmath import iv
from sympy.core.symbol import Str

from flopsheet.formulas.cancelling.rewriting import rewritten
from flopsheet.formulas.trees import MOST_CACHED
from flopsheet.functions import BY_NODE, Trait, exact, has_no_value, nodes
from flopsheet.functions.branches import UNSEEN, Guarded
from flopsheet.numbers.many_digits import Irrational
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number

_ZERO = sympy.Symbol("zero", real=True)


class Operation:
    """One function of earlier places in the list: its entry, its node in the tree, and the places of its terms.

    `taken` picks the terms from a list of all places.
    """

    __slots__ = ("entry", "node", "taken", "terms")

    def __init__(self, entry: Function, node: Expr, terms: tuple[int, ...]) -> None:
        self.entry, self.node, self.terms = entry, node, terms
        several = itemgetter(*terms) if len(terms) > 1 else itemgetter(slice(terms[0], terms[0] + 1))
        self.taken: Callable[[Sequence[Any]], Sequence[Any]] = several


class Plan:
    """Which operations of a program vary with the inputs at some places; the others are computed once."""

    def __init__(self, program: Program, places: tuple[int, ...]) -> None:
        varies = {*places}
        self.known: list[tuple[int, Operation]] = []
        self.varying: list[tuple[int, Operation]] = []
        self.narrowable: dict[int, tuple[int, ...]] = {}  # of each varying operation, which of its terms vary
        for place, operation in program.operations.items():
            if varies.isdisjoint(operation.terms):
                self.known.append((place, operation))
            else:
                varies.add(place)
                self.varying.append((place, operation))
                self.narrowable[place] = tuple(at for at, term in enumerate(operation.terms) if term in varies)
        traits = [operation.entry.traits for _, operation in self.varying]
        self.stepped, self.jumps = (any(own & trait for own in traits) for trait in (Trait.STEPPED, Trait.JUMPS))
        used = {term for _, operation in self.varying for term in operation.terms}
        self.used = ({*range(program.size)} - varies) & {*used, *program.results}  # places that do not vary but matter


class Program:
    """Formulas as operations, in an order in which each can be computed.

    Args:
        steps: cells with their formulas, each of which may use the cells before it.
        results: the expressions whose values are wanted; `result` is the place of the first.
    """

    def __init__(self, steps: Sequence[tuple[str, Expr]], *results: Expr) -> None:
        self.inputs: dict[str, int] = {}
        self.constants: dict[int, Number | str] = {}
        self.operations: dict[int, Operation] = {}
        self.sums: dict[int, tuple[int, ...]] = {}  # the terms of each, as it is written
        self._count = 0
        self._cells: dict[str, int] = {}
        self._guards: tuple[tuple[int, int], ...] = ()  # conditions of the branch that is added, with their values
        self._places: dict[Any, int] = {}
        self._plans: dict[tuple[int, ...], Plan] = {}
        for name, formula in steps:
            self._cells[name] = self._place(formula)
        self.results = tuple(self._place(result) for result in results)
        self.result = self.results[0]
        self.size = self._count
        self._drop_unused()
        arithmetic = (sympy.Add, sympy.Mul, *nodes(Trait.EXTREME))
        others = (operation for operation in self.operations.values() if operation.entry.node not in arithmetic)
        self.kept_exact = frozenset(term for operation in others for term in operation.terms)  # exponents, divisors

    @cached_property
    def is_rational(self) -> bool:
        """Whether exact numbers give exact numbers."""
        return not any(operation.entry.traits & Trait.INEXACT for operation in self.operations.values())

    @cached_property
    def leading(self) -> list[tuple[int, Operation]]:
        """The operations that lead to the result, with their places."""
        needed = {self.result}
        for place, operation in reversed(self.operations.items()):
            needed.update(operation.terms if place in needed else ())
        return [(place, operation) for place, operation in self.operations.items() if place in needed]

    def plan(self, places: tuple[int, ...]) -> Plan:
        """Return which operations vary with the inputs at some places."""
        if places not in self._plans:
            self._plans[places] = Plan(self, places)
        return self._plans[places]

    @property
    def cells(self) -> Mapping[str, int]:
        """The place of each computed cell."""
        return self._cells

    def place_of(self, cell: str) -> int:
        """Return the place of a cell, given or computed; -1 where the formulas do not use it."""
        return self._cells.get(cell, self.inputs.get(cell, -1))

    def _drop_unused(self) -> None:
        """Drop the operations that lead to no cell and no result, as others took their place."""
        used = {*self.results, *self._cells.values()}
        for place, operation in reversed([*self.operations.items()]):
            if place in used:
                used.update(operation.terms)
            else:
                del self.operations[place]

    def _new(self) -> int:
        self._count += 1
        return self._count - 1

    def _place(self, expression: Any) -> int:
        if expression.is_Symbol:
            name = expression.name
            if name in self._cells:
                return self._cells[name]
            if name not in self.inputs:
                self.inputs[name] = self._new()
            return self.inputs[name]
        for depth in range(len(self._guards) + 1):  # what is outside of a branch has a value in it too
            if (known := (self._guards[:depth], expression)) in self._places:
                return self._places[known]
        place = self._places[self._guards, expression] = self._operation(expression)
        return place

    def _branched(self, expression: Expr) -> tuple[int, ...]:
        """Add a condition and its branches, whose operations are needed where they are taken, and return the places."""
        condition, *branches = expression.args
        places, before = [self._place(condition)], self._guards
        for value, branch in zip((1, 0), branches, strict=True):
            self._guards = (*before, (places[0], value))
            places.append(self._place(branch))
        self._guards = before
        return tuple(places)

    def _operation(self, expression: Expr) -> int:
        if isinstance(expression, Str):  # the sign of an indicator, say
            return self.add_constant(str(expression))
        if expression is sympy.E:
            expression = sympy.exp(1, evaluate=False)
        entry = BY_NODE.get(expression.func)
        if entry is not None and entry.traits & Trait.GUARDS:
            return self.add(entry, expression, self._branched(expression))
        if self._guards and has_no_value(expression):
            expression, entry = 1 / _ZERO, BY_NODE[sympy.Pow]
            return self.add(entry, expression, (self.add_constant(0), self.add_constant(-1)))
        if expression.is_Number or entry is None:
            return self.add_constant(_number(expression))
        terms = tuple(map(self._place, expression.args))
        other = rewritten(self, expression, terms)
        place = self.add(entry, expression, terms) if other is None else other
        if expression.is_Add:
            self.sums[place] = terms
        return place

    def add(self, entry: Function, node: Expr, terms: tuple[int, ...]) -> int:
        """Add an operation and return its place."""
        place = self._new()
        if self._guards:
            conditions, values = zip(*self._guards, strict=True)
            entry, node, terms = Guarded(entry, node, values), UNSEEN, (*terms, *conditions)
        self.operations[place] = Operation(entry, node, terms)
        return place

    def add_constant(self, number: Number | str) -> int:
        """Add a number, or the text of a choice, and return its place."""
        place = self._new()
        self.constants[place] = number
        return place


def _number(constant: Expr) -> Number:
    """Return a constant of a formula: exact where it is a ratio, with all digits where it is pi."""
    if constant is sympy.pi:
        return Irrational(math.pi, (), lambda: iv.pi + 0)  # at the precision that is set
    return exact(constant) if constant.is_Rational else float(constant)


@cached(maxsize=MOST_CACHED)
def program_of(expression: Expr) -> Program:
    """Return an expression as a program."""
    return Program((), expression)
