"""A cell: one named quantity of a sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flopsheet.errors import ValueOutOfBoundsError
from flopsheet.formulas.place import NOWHERE, Place
from flopsheet.functions.symbols import symbol
from flopsheet.units import Number, Unit, format_between, format_quantity, is_finite, unit


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values that a cell may take, in base units.

    Args:
        lower: smallest value, or minus infinity.
        upper: largest value, or infinity.
        lower_closed: whether the smallest value itself is allowed.
    """

    lower: Number = -math.inf
    upper: Number = math.inf
    lower_closed: bool = True

    def __contains__(self, value: Number) -> bool:
        above = value >= self.lower if self.lower_closed else value > self.lower
        return above and value <= self.upper

    def within(self, other: Bounds) -> Bounds:
        """Return the bounds that keep to both."""
        if self.lower == other.lower:
            return Bounds(self.lower, min(self.upper, other.upper), self.lower_closed and other.lower_closed)
        low = max(self, other, key=lambda each: each.lower)
        return Bounds(low.lower, min(self.upper, other.upper), low.lower_closed)

    def text(self, shown: Unit) -> str:
        """Return the bounds as a person says them: `positive`, `at least 1`, `between 0 and 1`."""
        lower, upper = (format_quantity(end, shown) for end in (self.lower, self.upper))
        if self.upper != math.inf:
            return f"between {lower} and {upper}" if self.lower != -math.inf else f"at most {upper}"
        if self.lower == 0:
            return "zero or more" if self.lower_closed else "positive"
        return f"at least {lower}" if self.lower != -math.inf else "any number"


ANY = Bounds()
POSITIVE = Bounds(lower=0, lower_closed=False)
NOT_NEGATIVE = Bounds(lower=0)
FROM_ONE = Bounds(lower=1)


@dataclass(frozen=True)
class Cell:
    """One named quantity: given, or defined by a formula.

    Args:
        name: identifier; dotted (`chip.memory`) for a cell that belongs to a part.
        doc: what it means, one sentence.
        unit: declared unit, also the one it is shown in.
        formula: sympy expression over other cells' symbols, or None for a given cell.
        default: value in base units that holds unless a question says otherwise, or None.
        example: value in base units for documentation and tests, or None.
        source: key or text that says where a value or law comes from.
        latex: LaTeX symbol, or empty to take the nomenclature's.
        integer: whether only whole numbers make sense.
        bounds: the values that make sense.
        part: name of the record it belongs to, or empty.
        prefix: name of the sheet inside a sheet that it belongs to, or empty.
        place: where it was declared.
    """

    name: str
    doc: str
    unit: Unit = field(default_factory=lambda: unit(""))
    formula: Any = None
    default: Number | None = None
    example: Number | None = None
    source: str = ""
    latex: str = ""
    integer: bool = False
    bounds: Bounds = POSITIVE
    part: str = ""
    prefix: str = ""
    place: Place = NOWHERE

    @cached_property
    def symbol(self) -> Any:
        """The sympy symbol that stands for this cell in formulas."""
        return symbol(self.name)

    def text(self, value: Number) -> str:
        """Return a value [base units] as people write it, a broken count apart from the whole numbers around it."""
        return format_between(value, self.unit) if self.integer else format_quantity(value, self.unit)

    def check(self, value: Number, where: str) -> None:
        """Refuse a value [base units] outside the bounds, and a broken one for a whole-number cell.

        Raises:
            ValueOutOfBoundsError: the value makes no sense for this cell.
        """
        if value not in self.bounds:
            wanted = self.bounds.text(self.unit)
        elif self.integer and (not is_finite(value) or value != int(value)):
            wanted = "a whole number"
        else:
            return
        problem = f"'{self.name}' cannot be {format_quantity(value, self.unit)}: it is {wanted}."
        raise ValueOutOfBoundsError(where, problem, f"Meaning of '{self.name}': {self.doc}." if self.doc else "")


def marked(latex: str, part: str) -> str:
    """Return a LaTeX symbol with the name of a part behind it: two parts have a symbol each."""
    inner = f"{{{latex}}}" if "^" in latex or "'" in latex else latex
    return rf"{inner}^{{\text{{{part.replace('.', ' ').replace('_', ' ')}}}}}"
