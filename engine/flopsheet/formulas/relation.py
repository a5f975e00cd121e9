"""A relation: an equation or inequality between two expressions over cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flopsheet.numbers.comparison import holds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.formulas.place import Place
    from flopsheet.units import Number, Quantity


@dataclass(frozen=True)
class Relation:
    """`left operator right`, with literal quantities as symbols of their own.

    Args:
        left: sympy expression.
        operator: one of `=`, `<=`, `>=`, `<`, `>`.
        right: sympy expression.
        text: how it was written.
        name: the name of a limit, or empty.
        doc: what it means, or empty.
        literals: the quantities with units that stand in it, by symbol name.
        place: where it was declared, or None for one that a question adds.
    """

    left: Any
    operator: str
    right: Any
    text: str
    name: str = ""
    doc: str = ""
    literals: Mapping[str, Quantity] = field(default_factory=dict)
    place: Place | None = None

    @property
    def is_equation(self) -> bool:
        """Whether the two sides must be equal."""
        return self.operator == "="

    @property
    def cells(self) -> frozenset[str]:
        """Names of the cells on both sides."""
        return cells_of(self.left) | cells_of(self.right)

    def holds(self, left: Number, right: Number) -> bool:
        """Whether the relation holds between two values [base units], equality within rounding of floats."""
        return holds(left, self.operator, right)


@lru_cache(maxsize=65536)
def cells_of(expression: Any) -> frozenset[str]:
    """Return the names of the cells in a sympy expression, literal quantities left out."""
    return frozenset(name for symbol in expression.free_symbols if not is_literal(name := symbol.name))


def is_literal(symbol_name: str) -> bool:
    """Whether a symbol stands for a quantity written in a formula, as `95 GiB`."""
    return not symbol_name[0].isalpha()
