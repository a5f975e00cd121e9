"""Dimensions: exponent vectors over the base dimensions of the unit file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTED = ("token", "parameter")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A product of powers of base dimensions, e.g. `information / time`.

    Args:
        powers: pairs of base dimension and exponent, sorted by name, no exponent zero.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, Fraction]) -> Dimension:
        """Return the dimension with these exponents."""
        return cls(tuple(sorted((base, power) for base, power in powers.items() if power)))

    def __mul__(self, other: Dimension) -> Dimension:
        if not other.powers:
            return self
        powers = dict(self.powers)
        for base, power in other.powers:
            powers[base] = powers.get(base, Fraction(0)) + power
        return Dimension.of(powers)

    def __pow__(self, exponent: Fraction) -> Dimension:
        return Dimension.of({base: power * exponent for base, power in self.powers})

    def __bool__(self) -> bool:
        return bool(self.powers)

    @property
    def is_count(self) -> bool:
        """Whether this is tokens or parameters: a dimension that a pure number may define."""
        return len(self.powers) == 1 and self.powers[0] in [(base, Fraction(1)) for base in COUNTED]

    def __str__(self) -> str:
        if not self.powers:
            return "a pure number"
        above = [_power(base, power) for base, power in self.powers if power > 0]
        below = [_power(base, -power) for base, power in self.powers if power < 0]
        return " / ".join([" ".join(above) or "1", *below])


def _power(base: str, exponent: Fraction) -> str:
    return base if exponent == 1 else f"{base}^{exponent}"


PURE_NUMBER = Dimension()


def agree(declared: Dimension, computed: Dimension) -> bool:
    """Whether a cell of the declared dimension may be defined by an expression of the computed one.

    A pure number may define a cell that counts tokens or parameters.
    """
    return declared == computed or (declared.is_count and not computed)
