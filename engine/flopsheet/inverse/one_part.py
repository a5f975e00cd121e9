"""Expressions that are simpler over a part of the unknown: rational in a logarithm, an exponential or a root of it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.substitution import (
    PART,
    over_exponent,
    over_exponential,
    over_logarithm,
    over_part,
    over_power,
    over_root,
)
from flopsheet.formulas.trees import innermost, is_transcendental
from flopsheet.functions import Trait, nodes
from flopsheet.functions.spec import NoInverseError
from flopsheet.inverse.rational import HIGHEST_DEGREE
from flopsheet.numbers.arithmetic import power
from flopsheet.numbers.members import hulls
from flopsheet.numbers.sets import ABOVE_ZERO, ALL, NOT_NEGATIVE, RealSet, mapped, meet, union
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.preimage import Preimage
    from flopsheet.units import Number

WAYS = over_part, over_power
OF_SEVERAL = over_exponential, over_exponent


def by_part(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Solve for the one part that contains every occurrence of the unknown: log(x) in log(x)**2 + log(x)."""
    split = next(filter(None, (way(expression, preimage.unknown) for way in WAYS)), None)
    if split is None:
        split = next(filter(None, (way(expression, preimage.unknown) for way in OF_SEVERAL)), None)
        split = split or _over_logarithm(preimage, expression)
        preimage.sharpness.is_needed |= split is not None  # floats may hide what parts have in common
    if split is None:
        return None
    part, over = split
    inner = preimage.other(PART, ALL[0])
    inner.is_free = isinstance(part, sympy.log)
    values = inner.of(over, target)
    preimage.methods += inner.methods
    opened = union(inner.open, hulls(inner.progressions))
    preimage.open = union(preimage.of(part, opened), preimage.open)
    return preimage.of(part, values)


def _over_logarithm(preimage: Preimage, expression: Expr) -> tuple[Expr, Expr] | None:
    """Return the one logarithm with every occurrence of the unknown, and the expression over it."""
    split = over_logarithm(expression, preimage.unknown)
    if split is None or not all((value_or_none(part, preimage.values) or 0) > 0 for part in split[2]):
        return None
    return split[:2]


def by_root(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Solve for a root of the unknown that makes it a polynomial: x + sqrt(x) is t**2 + t."""
    unknown, domain = preimage.unknown, preimage.domain
    in_cases = innermost(expression, unknown, nodes(Trait.PIECEWISE)) is not None  # each may need no root
    if in_cases or domain.lower < 0 or is_transcendental(expression, unknown):
        return None
    rooted = over_root(expression, unknown, HIGHEST_DEGREE)
    if rooted is None or not rooted.holds(preimage.values):
        return None
    order = rooted.order
    inner = preimage.other(PART, mapped(domain, lambda end: power(end, Fraction(1, order)), rising=True))
    try:
        roots = meet(inner.of(rooted.over, target), NOT_NEGATIVE)
    except NoInverseError:
        return None
    preimage.methods += inner.methods
    values, opened = (
        tuple(mapped(root, lambda end: _raised(end, order), rising=True) for root in parts)
        for parts in (roots, meet(inner.open, NOT_NEGATIVE))
    )
    preimage.open = union(opened, preimage.open)
    preimage.take(part.raised(order) for part in inner.progressions)
    return values if preimage.value_at(expression, 0) is not None else meet(values, (ABOVE_ZERO,))


def _raised(end: Number, order: int) -> Number:
    """Return a power of a number, as a ratio where no float holds it."""
    result = power(end, order)
    beyond = is_finite(end) and end and (result == 0 or not is_finite(result))
    return Fraction(end) ** order if beyond else result
