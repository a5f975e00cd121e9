"""Formulas as a list of operations on intervals: bounds, rates of change, and contraction of what enters them.

One list serves every task: forwards it bounds each operation, with the chain rule it bounds rates of change, and
backwards it contracts the cells by what the result must be (HC4: Benhamou et al., Revising hull and box consistency,
ICLP 1999). Where floats no longer separate, the same list runs on mpmath's intervals of any precision.

Sums that cancel near 1 are written without the 1: `1 - exp(-u)`, `(1 + r)**n - 1` and `log(1 + u)`. Their digits are
lost where u is small, so bounds of them would say little: no search could exclude a number there.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy
from sympy.core.symbol import Str

from flopsheet.formulas.trees import MOST_CACHED
from flopsheet.functions import BY_NODE, Trait, exact, nodes
from flopsheet.functions.near_one import EXP_LESS_ONE, LOG_ONE_PLUS, POWER_DIFFERENCE, POWER_LESS_ONE
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number

_SUM, _PRODUCT = BY_NODE[sympy.Add], BY_NODE[sympy.Mul]
_U, _N = sympy.symbols("u n", real=True)
_Factors: TypeAlias = "tuple[Fraction, Counter[int]]"
_Less: TypeAlias = "tuple[int, tuple[int, int]]"  # the place of an operation, and the two terms that it replaces


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
        self.stepped = any(operation.entry.traits & Trait.STEPPED for _, operation in self.varying)
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

    def plan(self, places: tuple[int, ...]) -> Plan:
        """Return which operations vary with the inputs at some places."""
        if places not in self._plans:
            self._plans[places] = Plan(self, places)
        return self._plans[places]

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
        if expression not in self._places:
            self._places[expression] = self._operation(expression)
        return self._places[expression]

    def _operation(self, expression: Expr) -> int:
        if isinstance(expression, Str):  # the sign of an indicator, say
            return self.add_constant(str(expression))
        if expression is sympy.E:
            expression = sympy.exp(1, evaluate=False)
        entry = BY_NODE.get(expression.func)
        if expression.is_Number or entry is None:
            return self.add_constant(exact(expression) if expression.is_Rational else float(expression))
        terms = tuple(map(self._place, expression.args))
        near = _without_one(self, expression, terms)
        place = self.add(entry, expression, terms) if near is None else near
        if expression.is_Add:
            self.sums[place] = terms
        return place

    def add(self, entry: Function, node: Expr, terms: tuple[int, ...]) -> int:
        """Add an operation and return its place."""
        place = self._new()
        self.operations[place] = Operation(entry, node, terms)
        return place

    def add_constant(self, number: Number | str) -> int:
        """Add a number, or the text of a choice, and return its place."""
        place = self._new()
        self.constants[place] = number
        return place


@cached(maxsize=MOST_CACHED)
def program_of(expression: Expr) -> Program:
    """Return an expression as a program."""
    return Program((), expression)


def _without_one(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of an expression written so that it does not cancel near 1; None where it does not.

    Args:
        program: the operations so far, to which those of the new form are added.
        expression: a sum or a logarithm.
        terms: the places of its terms.
    """
    if expression.func is sympy.log:
        rest = _beside_one(program, terms[0])
        return None if rest is None else program.add(LOG_ONE_PLUS, LOG_ONE_PLUS.node(_U), (rest,))
    if not expression.is_Add:
        return None
    factors = {term: _factors(program, term) for term in terms}
    less = _less_one(program, factors) or _difference(program, factors)
    if less is None:
        return None
    place, replaced = less
    others = tuple(term for term in terms if term not in replaced)
    return program.add(_SUM, expression, (*others, place)) if others else place


def _less_one(program: Program, factors: dict[int, _Factors]) -> _Less | None:
    """Return what replaces two terms where one is the other times a power, with the other sign; else None."""
    terms = {(number, frozenset(places.items())): term for term, (number, places) in factors.items()}
    for other, (number, places) in factors.items():
        for power in places:
            one = terms.get((-number, frozenset((places - Counter([power])).items())))
            less = None if one is None else _power_less_one(program, power)
            if one is None or less is None:
                continue
            scaled = (number, less) if one in program.constants else (Fraction(-1), one, less)
            return _times(program, *scaled), (one, other)
    return None


def _power_less_one(program: Program, place: int) -> int | None:
    """Return the place of a power less one; None where it is no exponential, nor a power of a sum with 1."""
    operation = program.operations.get(place)
    if operation is None:
        return None
    if operation.node.func is sympy.exp:
        return program.add(EXP_LESS_ONE, EXP_LESS_ONE.node(_U), operation.terms)
    if not operation.node.is_Pow:
        return None
    base, exponent = operation.terms
    number = program.constants.get(base)
    rest = program.add_constant(number - 1) if isinstance(number, Fraction | int) else _beside_one(program, base)
    return None if rest is None else program.add(POWER_LESS_ONE, POWER_LESS_ONE.node(_U, _N), (rest, exponent))


def _difference(program: Program, factors: dict[int, _Factors]) -> _Less | None:
    """Return what replaces a power of a sum and the same power of one of its terms, subtracted; else None."""
    alone = {
        (number, place): term for term, (number, places) in factors.items() for place in places if places.total() == 1
    }
    powers = {place: program.operations[place].terms for _, place in alone if _is_power(program, place)}
    places = {terms: place for place, terms in powers.items()}
    for (number, above), one in alone.items():
        base, exponent = powers.get(above, (-1, -1))
        for term in program.sums.get(base, ()):
            below = places.get((term, exponent), _root(program, term, exponent))
            other = alone.get((-number, below))
            if other is not None:
                less = (POWER_DIFFERENCE, POWER_DIFFERENCE.node(_U, _U, _U, _N))
                place = program.add(*less, (below, term, _rest(program, base, term), exponent))
                return _times(program, number, place), (one, other)
    return None


def _is_power(program: Program, place: int) -> bool:
    return place in program.operations and bool(program.operations[place].node.is_Pow)


def _root(program: Program, power: int, exponent: int) -> int:
    """Return the place of the number whose inverse power an operation is; -1 where it is none."""
    if not _is_power(program, power):
        return -1
    base, other = program.operations[power].terms
    orders = [program.constants.get(place) for place in (exponent, other)]
    is_inverse = isinstance(orders[0], Fraction) and isinstance(orders[1], int) and orders[0] * orders[1] == 1
    return base if is_inverse else -1


def _times(program: Program, number: Fraction, *places: int) -> int:
    if number == 1 and len(places) == 1:
        return places[0]
    return program.add(_PRODUCT, sympy.Mul(_U, _N), (program.add_constant(number), *places))


def _beside_one(program: Program, place: int) -> int | None:
    """Return the place of what is added to 1; None where that is no such sum."""
    ones = [term for term in program.sums.get(place, ()) if program.constants.get(term) == 1]
    return _rest(program, place, *ones) if len(ones) == 1 else None


def _rest(program: Program, place: int, term: int) -> int:
    """Return the place of a sum without one of its terms."""
    rest = tuple(other for other in program.sums[place] if other != term)
    return rest[0] if len(rest) == 1 else program.add(_SUM, _U + _N, rest)


def _factors(program: Program, place: int) -> _Factors:
    """Return the factors of an operation: those that are numbers as one, and the places of the others."""
    operation = program.operations.get(place)
    factors = operation.terms if operation is not None and operation.node.is_Mul else (place,)
    number, places = Fraction(1), Counter[int]()
    for factor in factors:
        constant = program.constants.get(factor)
        if isinstance(constant, (int, Fraction)):
            number *= constant
        else:
            places[factor] += 1
    return number, places
