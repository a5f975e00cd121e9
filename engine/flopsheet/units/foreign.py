"""Numbers and quantities of other libraries: numpy, decimal, fractions, sympy and pint, none of which is imported."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from flopsheet.units.expressions import unit
from flopsheet.units.numerals import Number, exceeds_floats, tidy
from flopsheet.units.quantities import Quantity, is_finite

LARGEST_POWER = 400  # of ten, of a decimal that is computed at all


def as_number(value: Any) -> Number | None:
    """Return a finite number of any library, exact if it is; None for anything else, truth values included."""
    kind = type(value)  # what an object without a class attribute makes up on demand does not count
    if hasattr(kind, "shape") and hasattr(kind, "item") and value.shape == ():  # of numpy
        value = value.item()
    try:
        number = _converted(value)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return number if number is not None and is_finite(number) and not exceeds_floats(number) else None


def _converted(value: Any) -> Number | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational):
        return tidy(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal):
        return tidy(Fraction(value)) if abs(value.adjusted()) < LARGEST_POWER else None
    return float(value) if isinstance(value, Real) else None


def as_quantity(value: Any, where: str) -> Quantity | None:
    """Return a quantity of flopsheet or pint, or a number as a quantity without a unit; None for anything else.

    Raises:
        UnknownUnitError: the unit of pint is not in the unit file.
    """
    if isinstance(value, Quantity):
        return value
    of_pint = hasattr(type(value), "unit_items") and hasattr(type(value), "magnitude")
    number = as_number(value.magnitude if of_pint else value)
    if number is None:
        return None
    powers = {name: Fraction(power) for name, power in value.unit_items()} if of_pint else {}
    above, below = (_product(powers, sign) for sign in (1, -1))
    return Quantity(number, unit(f"{above or '1'}/{below}" if below else above, where))


def _product(powers: dict[str, Fraction], sign: int) -> str:
    """Return the factors of a unit on one side of the bar."""
    factors = {name: sign * power for name, power in powers.items() if sign * power > 0}
    names = (name if power == 1 else f"{name}^{power}" for name, power in factors.items())
    return ("*" if sign > 0 else "/").join(names)
