"""Quotients with exponentials that floats do not hold, divided by these."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.formulas.cancelling.places import POWER, SUM, N, U, factors_of, inverted, times
from flopsheet.formulas.cancelling.sums import of_sum
from flopsheet.functions import BY_NODE

if TYPE_CHECKING:
    from flopsheet.formulas.program import Program

_EXPONENTIAL = BY_NODE[sympy.exp]


class _Power(NamedTuple):
    """A power of a positive number, or of e, whose exponent is a multiple of other places."""

    base: Fraction | None  # None for e
    factor: Fraction
    places: frozenset[tuple[int, int]]  # of the exponent, each with how often it is a factor

    @property
    def growth(self) -> float:
        """The logarithm of the power over the places of its exponent."""
        return float(self.factor) * (1 if self.base is None else math.log(self.base))

    def over(self, other: _Power) -> _Power | None:
        """Return the quotient of two powers as one; None where it is none."""
        if self.base == other.base:
            return self._replace(factor=self.factor - other.factor)
        if self.base is None or other.base is None or self.factor != other.factor:
            return None
        return self._replace(base=self.base / other.base)

    def place(self, program: Program) -> int:
        """Return its place in a program, to which it is added."""
        exponent = times(program, self.factor, *Counter(dict(self.places)).elements())
        if self.base is None:
            return program.add(_EXPONENTIAL, sympy.exp(U), (exponent,))
        return program.add(POWER, U**N, (program.add_constant(self.base), exponent))


class _Term(NamedTuple):
    """A term of a sum: a number times other places times a power, if it has one."""

    number: Fraction
    others: tuple[int, ...]
    power: _Power | None

    def over(self, program: Program, by: _Power) -> int | None:
        """Return the place of the term divided by a power; None where the powers are not one."""
        left = by._replace(factor=-by.factor) if self.power is None else self.power.over(by)
        if left is None:
            return None
        places = () if not left.factor or left.base == 1 else (left.place(program),)
        numbers_only = not (self.others or places)
        return program.add_constant(self.number) if numbers_only else times(program, self.number, *self.others, *places)


def divided(program: Program, terms: tuple[int, ...]) -> int | None:
    """Return the place of a product with a quotient in which floats may not hold an exponential; else None."""
    place = _by_powers(program, terms)
    return _shortened(program, terms) if place is None else place


def _by_powers(program: Program, terms: tuple[int, ...]) -> int | None:
    """Return the place of a quotient of sums, each divided by a power in it; None where there is no such.

    `(exp(x) + exp(2*x))/(exp(3*x) - 1)` is `exp(-x)*(exp(-x) + 1)/(1 - exp(-3*x))`: where x is large, both sums are
    about 1.
    """
    for quotient in terms:
        below = _terms_of(program, inverted(program, quotient))
        for above in terms if below else ():
            sums = [_terms_of(program, above) or _alone(program, above), below]
            powers = [[term.power for term in own if term.power is not None] for own in sums]
            if not all(powers) or len({power.places for own in powers for power in own}) > 1:
                continue
            divisors = _divisors(*powers)
            ratio = divisors[0].over(divisors[1]) if divisors else None
            if ratio is None:
                continue
            left = [[term.over(program, by) for term in own] for own, by in zip(sums, divisors, strict=True)]
            parts = [tuple(place for place in own if place is not None) for own in left]
            if [*map(len, parts)] != [*map(len, left)]:
                continue
            dividend, divisor = (own[0] if len(own) == 1 else _sum_of(program, own) for own in parts)
            inverse = program.add(POWER, 1 / U, (divisor, program.add_constant(-1)))
            more = (ratio.place(program),) if ratio.factor and ratio.base != 1 else ()
            others = (term for term in terms if term not in (quotient, above))
            return times(program, Fraction(1), *more, dividend, inverse, *others)
    return None


def _divisors(above: list[_Power], below: list[_Power]) -> list[_Power]:
    """Return the powers by which sums are divided: one that is alone and in both, else the largest where both grow."""
    if len(above) == 1 and above[0] in below:
        return [*above, *above]
    largest = [max(own, key=lambda power: power.growth) for own in (above, below)]
    return largest if all(power.growth > 0 for power in largest) else []


def _alone(program: Program, place: int) -> list[_Term]:
    """Return a power as the only term of a sum; nothing for others."""
    power = _power(program, place)
    return [] if power is None else [_Term(Fraction(1), (), power)]


def _sum_of(program: Program, terms: tuple[int, ...]) -> int:
    """Return the place of a sum, written so that it does not cancel."""
    place = of_sum(program, U + N, terms)
    return program.add(SUM, U + N, terms) if place is None else place


def _terms_of(program: Program, place: int) -> list[_Term]:
    """Return the terms of a sum; none where it is no sum, or a term of it has several powers."""
    found: list[_Term] = []
    for term in program.sums.get(place, ()):
        number, places = factors_of(program, term)
        powers = {place: power for place in places if (power := _power(program, place)) is not None}
        if len(powers) > 1 or any(places[place] > 1 for place in powers):
            return []
        others = tuple((places - Counter([*powers])).elements())
        found.append(_Term(number, others, next(iter(powers.values()), None)))
    return found


def _power(program: Program, place: int) -> _Power | None:
    operation = program.operations.get(place)
    if operation is None or operation.node.func not in (sympy.exp, sympy.Pow):
        return None
    *base, exponent = operation.terms
    number = program.constants.get(base[0]) if base else None
    if exponent in program.constants or (base and not (isinstance(number, Fraction | int) and number > 0)):
        return None
    factor, places = factors_of(program, exponent)
    whole = None if not isinstance(number, Fraction | int) else Fraction(number)
    return _Power(whole, factor, frozenset(places.items()))


def _shortened(program: Program, terms: tuple[int, ...]) -> int | None:
    """Return the place of a product in which a power, and a sum that has it and divides, are one; None without such."""
    for power in terms:
        own_power = _power(program, power)
        if own_power is None:
            continue
        inverse = own_power._replace(factor=-own_power.factor).place(program)
        for quotient in terms:
            divisor = inverted(program, quotient)
            parts = {part: factors_of(program, part) for part in program.sums.get(divisor, ())}
            if not any(power in places for _, places in parts.values()):
                continue
            own = Counter([power])
            left = (
                (number, (places - own if power in places else places + Counter([inverse])).elements())
                for number, places in parts.values()
            )
            addends = tuple(times(program, number, *places) for number, places in left)
            place = _sum_of(program, addends)
            below = program.add(POWER, 1 / U, (place, program.add_constant(-1)))
            return times(program, Fraction(1), below, *(term for term in terms if term not in (power, quotient)))
    return None
