"""Sums that cancel near 1, written without the 1: `1 - exp(-u)`, `(1 + r)**n - 1` and `log(1 + u)`.

Their digits are lost where u is small, so bounds of them would say little: no search could exclude a number there.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import sympy

from flopsheet.functions import BY_NODE
from flopsheet.functions.near_one import EXP_LESS_ONE, LOG_ONE_PLUS, POWER_DIFFERENCE, POWER_LESS_ONE

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.search.program import Program

_SUM, _PRODUCT = BY_NODE[sympy.Add], BY_NODE[sympy.Mul]
_U, _N = sympy.symbols("u n", real=True)


def without_one(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of an expression written so that it does not cancel near 1; None where it does not.

    Args:
        program: the operations so far, to which those of the new form are added.
        expression: a sum or a logarithm.
        terms: the places of its terms.
    """
    if expression.func is sympy.log:
        rest = _beside_one(program, terms[0])
        return None if rest is None else program.add(LOG_ONE_PLUS, LOG_ONE_PLUS.node(_U), (rest,))
    for one, other in permutations(terms, 2) if expression.is_Add else ():
        less = _less_one(program, one, other)
        if less is None:
            less = _difference(program, one, other)
        if less is not None:
            others = tuple(term for term in terms if term not in (one, other))
            return program.add(_SUM, expression, (*others, less)) if others else less
    return None


def _less_one(program: Program, one: int, other: int) -> int | None:
    """Return the place of two terms together, where the other is the first times minus a power; else None."""
    (first, mine), (second, its) = (_factors(program, place) for place in (one, other))
    more = its - mine
    if first != -second or mine - its or more.total() != 1:
        return None
    (power,) = more
    less = _power_less_one(program, power)
    if less is None or (one in program.constants and second == 1):
        return less
    scale = (program.add_constant(second),) if one in program.constants else (program.add_constant(-1), one)
    return program.add(_PRODUCT, sympy.Mul(_U, _N), (*scale, less))


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


def _difference(program: Program, one: int, other: int) -> int | None:
    """Return the place of a power of a sum less the same power of one of its terms; else None."""
    (first, mine), (second, its) = (_factors(program, place) for place in (one, other))
    if first != -second or mine.total() != 1 or its.total() != 1:
        return None
    (above,), (below,) = mine, its
    operation = program.operations.get(above)
    if operation is None or not operation.node.is_Pow:
        return None
    base, exponent = operation.terms
    term = next((term for term in program.sums.get(base, ()) if _is_power(program, below, term, exponent)), None)
    if term is None:
        return None
    node = POWER_DIFFERENCE.node(_U, _U, _U, _N)
    less = program.add(POWER_DIFFERENCE, node, (below, term, _rest(program, base, term), exponent))
    return less if first == 1 else program.add(_PRODUCT, sympy.Mul(_U, _N), (program.add_constant(first), less))


def _is_power(program: Program, place: int, base: int, exponent: int) -> bool:
    """Whether an operation is a power of a base, or that base the inverse power of it."""
    operation, inverse = program.operations.get(place), program.operations.get(base)
    if operation is not None and operation.node.is_Pow and operation.terms == (base, exponent):
        return True
    if inverse is None or not inverse.node.is_Pow or inverse.terms[0] != place:
        return False
    order, other = program.constants.get(exponent), program.constants.get(inverse.terms[1])
    return isinstance(order, Fraction) and isinstance(other, int) and order * other == 1


def _beside_one(program: Program, place: int) -> int | None:
    """Return the place of what is added to 1; None where that is no such sum."""
    ones = [term for term in program.sums.get(place, ()) if program.constants.get(term) == 1]
    return _rest(program, place, *ones) if len(ones) == 1 else None


def _rest(program: Program, place: int, term: int) -> int:
    """Return the place of a sum without one of its terms."""
    rest = tuple(other for other in program.sums[place] if other != term)
    return rest[0] if len(rest) == 1 else program.add(_SUM, _U + _N, rest)


def _factors(program: Program, place: int) -> tuple[Fraction, Counter[int]]:
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
