"""Operations that would cancel, written otherwise: bounds of them say little, so no search could exclude a number.

Sums that cancel near 1 are written without the 1: `1 - exp(-u)`, `(1 + r)**n - 1` and `log(1 + u)`, whose digits are
lost where u is small, as are those of `(1 + u)**n` where n varies. A whole multiple `v*floor(a/v)`, which is nearly a
where v is small, is a less the remainder. A max less one of its terms is the max of the others less that one, and 0;
a multiple of a sum less that of one of its terms is that of the others.
`exp(u)/(exp(u) - 1)`, which is about 1 where u is large, is `1/(1 - exp(-u))`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import sympy

from flopsheet.functions import BY_NODE, Trait
from flopsheet.functions.near_one import (
    EXP_LESS_ONE,
    LOG_ONE_PLUS,
    POWER_DIFFERENCE,
    POWER_LESS_ONE,
    POWER_OF_ONE_PLUS,
)
from flopsheet.functions.rounding import CEILING, FLOOR, REMAINDER

if TYPE_CHECKING:
    from flopsheet.formulas.program import Program
    from flopsheet.functions import Expr

_SUM, _PRODUCT, _POWER = BY_NODE[sympy.Add], BY_NODE[sympy.Mul], BY_NODE[sympy.Pow]
_U, _N = sympy.symbols("u n", real=True)
_Factors: TypeAlias = "tuple[Fraction, Counter[int]]"
_Less: TypeAlias = "tuple[int, tuple[int, ...]]"  # the place of an operation, and the terms that it replaces


def rewritten(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of an expression written so that it does not cancel; None where it does not.

    Args:
        program: the operations so far, to which those of the new form are added.
        expression: an operation.
        terms: the places of its terms.
    """
    if expression.is_Mul:
        multiple = _multiple(program, terms)
        return _shortened(program, terms) if multiple is None else multiple
    if expression.func is REMAINDER.node:
        return _remainder(program, *terms)
    return _of_sum(program, expression, terms) if expression.is_Add else _of_one_plus(program, expression, terms)


def _of_one_plus(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of a logarithm of 1 and more, or of a power of it whose exponent varies; else None."""
    is_power = expression.is_Pow and terms[1] not in program.constants
    rest = _beside_one(program, terms[0]) if is_power or expression.func is sympy.log else None
    if rest is None:
        return None
    if is_power:
        return program.add(POWER_OF_ONE_PLUS, POWER_OF_ONE_PLUS.node(_U, _N), (rest, terms[1]))
    return program.add(LOG_ONE_PLUS, LOG_ONE_PLUS.node(_U), (rest,))


def _of_sum(program: Program, expression: Expr, terms: tuple[int, ...]) -> int | None:
    """Return the place of a sum in which two terms that cancel are one operation; None where none cancel."""
    factors = {term: _factors(program, term) for term in terms}
    less = _spread(program, factors)
    if less is None and any(_may_cancel(program, term) for term in terms):
        less = _less_one(program, factors) or _difference(program, factors) or _beside_extreme(program, factors)
    if less is None:
        return None
    place, replaced = less
    others = tuple(term for term in terms if term not in replaced)
    return program.add(_SUM, expression, (*others, place)) if others else place


def _may_cancel(program: Program, term: int) -> bool:
    """Whether a term of a sum may take from another one: it is negative, or a max or min, which may be."""
    operation = program.operations.get(term)
    factors = operation.terms if operation is not None and operation.node.is_Mul else (term,)
    numbers = (program.constants[factor] for factor in factors if factor in program.constants)
    inside = (program.operations[factor].entry for factor in factors if factor in program.operations)
    is_negative = sum(not isinstance(number, str) and number < 0 for number in numbers) % 2
    return bool(is_negative) or any(entry.traits & Trait.EXTREME for entry in inside)


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
    if operation.entry is POWER_OF_ONE_PLUS:
        return program.add(POWER_LESS_ONE, POWER_LESS_ONE.node(_U, _N), operation.terms)
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


def _beside_extreme(program: Program, factors: dict[int, _Factors]) -> _Less | None:
    """Return what replaces a max or min and one of its terms, subtracted: `max(x, c) - c` is `max(x - c, 0)`."""
    for one, (number, places) in factors.items():
        extreme = program.operations.get(next(iter(places))) if places.total() == 1 else None
        if extreme is None or not extreme.entry.traits & Trait.EXTREME:
            continue
        for term in extreme.terms:
            parts = [_factors(program, part) for part in program.sums.get(term, (term,))]
            others = [other for share, rest in parts for other in factors if factors[other] == (-number * share, rest)]
            if len(others) < len(parts):
                continue
            taken = _times(program, Fraction(-1), term)
            beside = [program.add(_SUM, _U + _N, (place, taken)) for place in extreme.terms if place != term]
            less = program.add_constant(0)
            less = program.add(extreme.entry, extreme.node, (*beside, less)) if beside else less
            return _times(program, number, less), (one, *others)
    return None


def _spread(program: Program, factors: dict[int, _Factors]) -> _Less | None:
    """Return what replaces multiples of a sum and of one of its terms: `c*(a - b) + c*b` is `c*a + 0*c*b`."""
    terms = {(number, frozenset(places.items())): term for term, (number, places) in factors.items()}
    for one, own in ((one, own) for one, (_, places) in factors.items() for own in places if own in program.sums):
        number, rest = factors[one][0], factors[one][1] - Counter([own])
        for part in program.sums[own] if own not in rest else ():
            share, inner = _factors(program, part)
            other = terms.get((-number * share, frozenset((rest + inner).items())))
            if other is not None:
                less = _times(program, number, *rest.elements(), _rest(program, own, part))
                return program.add(_SUM, _U + _N, (less, _times(program, Fraction(0), other))), (one, other)
    return None


def _multiple(program: Program, terms: tuple[int, ...]) -> int | None:
    """Return the place of a product with the integer next to a quotient and the divisor; None where it has no such.

    `v*floor(a/v)` is `a - mod(a, v)`, and `v*ceil(a/v)` is `a + mod(-a, v)`.
    """
    for whole in terms:
        entry = program.operations[whole].entry if whole in program.operations else None
        if entry is not FLOOR and entry is not CEILING:
            continue
        number, factors = _factors(program, program.operations[whole].terms[0])
        for power in factors:
            divisor = _inverted(program, power)
            if divisor not in terms:
                continue
            sign = 1 if entry is FLOOR else -1
            dividend = _times(program, sign * number, *(factors - Counter([power])).elements())
            rest = program.add(REMAINDER, REMAINDER.node(_U, _N), (dividend, divisor))
            multiple = program.add(_SUM, _U + _N, (dividend, _times(program, Fraction(-1), rest)))
            others = (term for term in terms if term not in (whole, divisor))
            return _times(program, Fraction(sign), multiple, *others)
    return None


def _shortened(program: Program, terms: tuple[int, ...]) -> int | None:
    """Return the place of a product in which a power, and a sum that has it and divides, are one; None without such."""
    for power in terms:
        inverse = _inverse(program, power)
        if inverse is None:
            continue
        for quotient in terms:
            divisor = _inverted(program, quotient)
            parts = {part: _factors(program, part) for part in program.sums.get(divisor, ())}
            if not any(power in places for _, places in parts.values()):
                continue
            own = Counter([power])
            left = (
                (number, (places - own if power in places else places + Counter([inverse])).elements())
                for number, places in parts.values()
            )
            addends = tuple(_times(program, number, *places) for number, places in left)
            addition = _U + _N
            place = _of_sum(program, addition, addends)
            place = program.add(_SUM, addition, addends) if place is None else place
            below = program.add(_POWER, 1 / _U, (place, program.add_constant(-1)))
            return _times(program, Fraction(1), below, *(term for term in terms if term not in (power, quotient)))
    return None


def _inverse(program: Program, place: int) -> int | None:
    """Return the place of one over an exponential, or over another power of a positive number; None for others."""
    operation = program.operations.get(place)
    if operation is None or operation.node.func not in (sympy.exp, sympy.Pow):
        return None
    *base, exponent = operation.terms
    numbers = [program.constants.get(part) for part in base]
    if exponent in program.constants or not all(isinstance(own, Fraction | int) and own > 0 for own in numbers):
        return None
    node = sympy.exp(_U) if operation.node.func is sympy.exp else operation.node
    return program.add(operation.entry, node, (*base, _times(program, Fraction(-1), exponent)))


def _remainder(program: Program, dividend: int, divisor: int) -> int | None:
    """Return the place of the remainder of a product by some of its factors; None where they are not.

    `mod(k*v, v)` is `v*mod(k, 1)`, with `0/v` as well: it has no value where v is zero.
    """
    (above, mine), (below, its) = _factors(program, dividend), _factors(program, divisor)
    if not its or not its <= mine:
        return None
    times = _times(program, above / below, *(mine - its).elements())
    rest = program.add(REMAINDER, REMAINDER.node(_U, _N), (times, program.add_constant(1)))
    inverse = program.add(_POWER, 1 / _U, (divisor, program.add_constant(-1)))
    terms = _times(program, Fraction(1), divisor, rest), _times(program, Fraction(0), inverse)
    return program.add(_SUM, _U + _N, terms)


def _inverted(program: Program, place: int) -> int:
    """Return the place of a number of which an operation is one over it; -1 where it is none."""
    if not _is_power(program, place):
        return -1
    base, exponent = program.operations[place].terms
    return base if program.constants.get(exponent) == -1 else -1


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
