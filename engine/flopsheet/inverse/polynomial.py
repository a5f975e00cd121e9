"""Polynomials as tuples of coefficients: the constant first, the last one not zero; none at all for zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from flopsheet.units import Number

Polynomial: TypeAlias = "tuple[Number, ...]"


def divided_by(above: Polynomial, factor: Polynomial) -> Polynomial | None:
    """Return a polynomial divided by `x - root`, or None if that leaves a rest."""
    root, carried, found = -factor[0], above[-1] if above else 0, []
    for each in above[-2::-1]:
        found.append(carried)
        carried = each + root * carried
    return tuple(reversed(found)) if not carried else None


def total(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return a sum."""
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return trimmed((*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]))


def product(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return a product."""
    found: list[Number] = [0] * (len(left) + len(right) - 1) if left and right else []
    for place, a in enumerate(left):
        for other, b in enumerate(right):
            found[place + other] += a * b
    return trimmed(tuple(found))


def trimmed(found: Polynomial) -> Polynomial:
    """Return coefficients without the zeros of the highest powers."""
    while found and found[-1] == 0:
        found = found[:-1]
    return found
