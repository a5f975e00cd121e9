"""Places of operations in a program: their factors, the terms that are left, products that are added."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import sympy

from flopsheet.functions import BY_NODE

if TYPE_CHECKING:
    from flopsheet.formulas.program import Program

SUM, PRODUCT, POWER = BY_NODE[sympy.Add], BY_NODE[sympy.Mul], BY_NODE[sympy.Pow]
U, N = sympy.symbols("u n", real=True)
Factors: TypeAlias = "tuple[Fraction, Counter[int]]"


def inverted(program: Program, place: int) -> int:
    """Return the place of a number of which an operation is one over it; -1 where it is none."""
    if not is_power(program, place):
        return -1
    base, exponent = program.operations[place].terms
    return base if program.constants.get(exponent) == -1 else -1


def is_power(program: Program, place: int) -> bool:
    """Whether an operation is a power."""
    return place in program.operations and bool(program.operations[place].node.is_Pow)


def root_of(program: Program, power: int, exponent: int) -> int:
    """Return the place of the number whose inverse power an operation is; -1 where it is none."""
    if not is_power(program, power):
        return -1
    base, other = program.operations[power].terms
    orders = [program.constants.get(place) for place in (exponent, other)]
    is_inverse = isinstance(orders[0], Fraction) and isinstance(orders[1], int) and orders[0] * orders[1] == 1
    return base if is_inverse else -1


def times(program: Program, number: Fraction, *places: int) -> int:
    """Return the place of a product of a number and some operations."""
    if number == 1 and len(places) == 1:
        return places[0]
    return program.add(PRODUCT, sympy.Mul(U, N), (program.add_constant(number), *places))


def beside_one(program: Program, place: int) -> int | None:
    """Return the place of what is added to 1; None where that is no such sum."""
    ones = [term for term in program.sums.get(place, ()) if program.constants.get(term) == 1]
    return without(program, place, *ones) if len(ones) == 1 else None


def without(program: Program, place: int, term: int) -> int:
    """Return the place of a sum without one of its terms."""
    rest = tuple(other for other in program.sums[place] if other != term)
    return rest[0] if len(rest) == 1 else program.add(SUM, U + N, rest)


def factors_of(program: Program, place: int) -> Factors:
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
