"""Dimensions: exponent vectors over the base dimensions of the unit file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pint

COUNTED = ("token", "parameter")


@dataclass(frozen=True, slots=True)
class Dimension:
    """A product of powers of base dimensions, e.g. `information / time`."""

    powers: tuple[tuple[str, Fraction], ...] = ()  # base dimensions by name, with exponents, none zero

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
    """Whether an expression may define a cell of a dimension: a pure number may define a count of tokens or params."""
    return declared == computed or (declared.is_count and not computed)


UNIT_FILE = Path(__file__).with_name("units.txt")
DIVISIBLE, WITHOUT_PREFIX = "divisible", "without_prefix"  # groups of the file: small prefixes as well, or none at all
SHORTEST_LONG_NAME = len("bit")
_FACTOR = re.compile(r"(?P<joint>[*/]?)\s*(?P<factor>[A-Za-z_]\w*|\d[\d.]*(?:e[+-]?\d+)?(?:\*\*\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class UnitSize:
    """What a unit measures, and its exact size in base units."""

    factor: Fraction
    dimension: Dimension


@dataclass(slots=True)
class UnitSystem:
    """The definitions of a unit file."""

    sizes: dict[str, UnitSize] = field(default_factory=dict)  # the size of each unit by its first name
    names: dict[str, str] = field(default_factory=dict)  # the first name by every spelling, prefixes aside
    groups: dict[str, str] = field(default_factory=dict)  # of each unit by its first name; empty for none
    prefixes: dict[str, Fraction] = field(default_factory=lambda: {"": Fraction(1)})  # factors by spelling
    long_prefixes: set[str] = field(default_factory=set)  # those that go with long names: `kilo`, `mebi`
    base_units: dict[str, str] = field(default_factory=dict)  # the unit of each base dimension

    def find(self, text: str) -> UnitSize | None:
        """Return the size of a single unit name, prefix and plural included, or None if it is none.

        pint lets any unit have any prefix and a plural s; we take `bytes` and refuse `GBs`, `FLOPs` and `kchip`.
        """
        size = self._singular(text)
        return self._singular(text[:-1], plural=True) if size is None and text.endswith("s") else size

    def _singular(self, text: str, *, plural: bool = False) -> UnitSize | None:
        for prefix, factor in self.prefixes.items():
            name = self.names.get(text[len(prefix) :]) if text.startswith(prefix) else None
            if name is not None and self._fit(prefix, text[len(prefix) :], name, plural=plural):
                size = self.sizes[name]
                return UnitSize(factor * size.factor, size.dimension) if prefix else size
        return None

    def _fit(self, prefix: str, spelling: str, name: str, *, plural: bool) -> bool:
        """Whether a spelling of a unit takes a prefix, and a plural s: only long names do, behind long prefixes."""
        if plural and (spelling != name or not name.islower() or (prefix and prefix not in self.long_prefixes)):
            return False
        if not prefix:
            return True
        if prefix in self.long_prefixes and len(spelling) < SHORTEST_LONG_NAME:
            return False
        # A millibyte or a picodollar is a slip of the shift key, and off by a factor of 10^18.
        return self.groups[name] == DIVISIBLE or (self.groups[name] != WITHOUT_PREFIX and self.prefixes[prefix] > 1)

    def define(self, line: str, group: str) -> None:
        """Add a definition: `name = value = symbol = other names`, with a `-` behind each name of a prefix."""
        name, value, *others = (text.strip() for text in line.split(" = "))
        if name.endswith("-"):
            factor = self._product(value).factor
            self.long_prefixes.add(name[:-1])
            self.prefixes |= {spelling[:-1]: factor for spelling in (name, *others)}
            return
        base = value.strip("[]")
        if value.startswith("["):
            self.sizes[name] = UnitSize(Fraction(1), Dimension.of({base: Fraction(1)}) if base else PURE_NUMBER)
            self.base_units |= {base: name} if base else {}
        else:
            self.sizes[name] = self._product(value)
        self.groups[name] = group
        self.names |= {spelling: name for spelling in (name, *others) if spelling != "_"}

    def _product(self, text: str) -> UnitSize:
        """Return the size that a text such as `60 * second`, `1 / second` or `2**10` writes."""
        factor, dimension = Fraction(1), PURE_NUMBER
        for match in _FACTOR.finditer(text):
            power = -1 if match["joint"] == "/" else 1
            if match["factor"][0].isdigit():
                base, _, exponent = match["factor"].partition("**")
                factor *= Fraction(base) ** (power * int(exponent or 1))
            else:
                size = self.sizes[match["factor"]]
                factor *= size.factor**power
                dimension *= size.dimension ** Fraction(power)
        return UnitSize(factor, dimension)


@cached(maxsize=1)
def unit_system() -> UnitSystem:
    """Return the system that the unit file defines."""
    system, group = UnitSystem(), ""
    for line in UNIT_FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            group = line.removeprefix("@group").strip() if line.startswith("@group") else ""
        elif line.strip() and not line.startswith("#"):
            system.define(line, group)
    return system


@cached(maxsize=1)
def pint_registry() -> pint.UnitRegistry[Any]:
    """Return the pint registry that holds the unit file, exact (Fraction) and nothing else."""
    import pint

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(None, non_int_type=Fraction)
    registry.load_definitions(UNIT_FILE)
    return registry
