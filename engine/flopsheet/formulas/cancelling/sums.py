"""Sums of which two terms cancel, as one operation."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import sympy

from flopsheet.formulas.cancelling.places import (
    SUM,
    Factors,
    N,
    U,
    beside_one,
    factors_of,
    is_power,
    root_of,
    times,
    without,
)
from flopsheet.functions import Trait
from flopsheet.functions.near_one import EXP_LESS_ONE, POWER_DIFFERENCE, POWER_LESS_ONE, POWER_OF_ONE_PLUS

if TYPE_CHECKING:
    from flopsheet.formulas.program import Program
    from flopsheet.functions import Expr

_Less: TypeAlias = "tuple[int, tuple[int, ...]]"  # the place of an operation, and the terms that it replaces


def of_sum(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of a sum in which two terms that cancel are one operation; None where none cancel."""
    factors = {term: factors_of(program, term) for term in terms}
    less = _spread(program, factors)
    if less is None and any(_may_cancel(program, term) for term in terms):
        less = _less_one(program, factors) or _difference(program, factors) or _beside_extreme(program, factors)
    if less is None:
        return None
    place, replaced = less
    others = tuple(term for term in terms if term not in replaced)
    return program.add(SUM, expression, (*others, place)) if others else place


def _may_cancel(program: Program, term: int) -> bool:
    """Whether a term of a sum may take from another one: it is negative, or a max or min, which may be."""
    operation = program.operations.get(term)
    factors = operation.terms if operation is not None and operation.node.is_Mul else (term,)
    numbers = (program.constants[factor] for factor in factors if factor in program.constants)
    inside = (program.operations[factor].entry for factor in factors if factor in program.operations)
    is_negative = sum(not isinstance(number, str) and number < 0 for number in numbers) % 2
    return bool(is_negative) or any(entry.traits & Trait.EXTREME for entry in inside)


def _less_one(program: Program, factors: dict[int, Factors]) -> _Less | None:
    """Return what replaces two terms where one is the other times a power, with the other sign; else None."""
    terms = {(number, frozenset(places.items())): term for term, (number, places) in factors.items()}
    for other, (number, places) in factors.items():
        for power in places:
            one = terms.get((-number, frozenset((places - Counter([power])).items())))
            less = None if one is None else _power_less_one(program, power)
            if one is None or less is None:
                continue
            scaled = (number, less) if one in program.constants else (Fraction(-1), one, less)
            return times(program, *scaled), (one, other)
    return None


def _power_less_one(program: Program, place: int) -> int | None:
    """Return the place of a power less one; None where it is no exponential, nor a power of a sum with 1."""
    operation = program.operations.get(place)
    if operation is None:
        return None
    if operation.node.func is sympy.exp:
        return program.add(EXP_LESS_ONE, EXP_LESS_ONE.node(U), operation.terms)
    if operation.entry is POWER_OF_ONE_PLUS:
        return program.add(POWER_LESS_ONE, POWER_LESS_ONE.node(U, N), operation.terms)
    if not operation.node.is_Pow:
        return None
    base, exponent = operation.terms
    number = program.constants.get(base)
    rest = program.add_constant(number - 1) if isinstance(number, Fraction | int) else beside_one(program, base)
    return None if rest is None else program.add(POWER_LESS_ONE, POWER_LESS_ONE.node(U, N), (rest, exponent))


def _difference(program: Program, factors: dict[int, Factors]) -> _Less | None:
    """Return what replaces a power of a sum and the same power of one of its terms, subtracted; else None."""
    alone = {
        (number, place): term for term, (number, places) in factors.items() for place in places if places.total() == 1
    }
    powers = {place: program.operations[place].terms for _, place in alone if is_power(program, place)}
    places = {terms: place for place, terms in powers.items()}
    for (number, above), one in alone.items():
        base, exponent = powers.get(above, (-1, -1))
        for term in program.sums.get(base, ()):
            below = places.get((term, exponent), root_of(program, term, exponent))
            other = alone.get((-number, below))
            if other is not None:
                less = (POWER_DIFFERENCE, POWER_DIFFERENCE.node(U, U, U, N))
                place = program.add(*less, (below, term, without(program, base, term), exponent))
                return times(program, number, place), (one, other)
    return None


def _beside_extreme(program: Program, factors: dict[int, Factors]) -> _Less | None:
    """Return what replaces a max or min and one of its terms, subtracted: `max(x, c) - c` is `max(x - c, 0)`."""
    for one, (number, places) in factors.items():
        extreme = program.operations.get(next(iter(places))) if places.total() == 1 else None
        if extreme is None or not extreme.entry.traits & Trait.EXTREME:
            continue
        for term in extreme.terms:
            parts = [factors_of(program, part) for part in program.sums.get(term, (term,))]
            others = [other for share, rest in parts for other in factors if factors[other] == (-number * share, rest)]
            if len(others) < len(parts):
                continue
            taken = times(program, Fraction(-1), term)
            beside = [program.add(SUM, U + N, (place, taken)) for place in extreme.terms if place != term]
            less = program.add_constant(0)
            less = program.add(extreme.entry, extreme.node, (*beside, less)) if beside else less
            return times(program, number, less), (one, *others)
    return None


def _spread(program: Program, factors: dict[int, Factors]) -> _Less | None:
    """Return what replaces multiples of a sum and of one of its terms: `c*(a - b) + c*b` is `c*a + 0*c*b`."""
    terms = {(number, frozenset(places.items())): term for term, (number, places) in factors.items()}
    for one, own in ((one, own) for one, (_, places) in factors.items() for own in places if own in program.sums):
        number, rest = factors[one][0], factors[one][1] - Counter([own])
        for part in program.sums[own] if own not in rest else ():
            share, inner = factors_of(program, part)
            other = terms.get((-number * share, frozenset((rest + inner).items())))
            if other is not None:
                less = times(program, number, *rest.elements(), without(program, own, part))
                return program.add(SUM, U + N, (less, times(program, Fraction(0), other))), (one, other)
    return None
