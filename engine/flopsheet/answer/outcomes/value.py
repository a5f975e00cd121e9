"""The value of a cell in an answer, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.units import Number, Quantity, format_quantity, in_unit, machine_number

if TYPE_CHECKING:
    from flopsheet.registry.records import Record, Value
    from flopsheet.sheets.cell import Cell


@dataclass(slots=True)
class CellValue:
    """The value of a cell in an answer."""

    cell: Cell
    si: Number  # in base units
    origin: str  # `given`, `default`, `record`, `computed` or `solved`
    figure: Value | None = None  # the figure of the registry that it is
    record: Record | None = None  # the record of that figure
    written: Quantity | None = None  # as the question writes it

    @property
    def is_input(self) -> bool:
        """Whether it is not computed: the question, a default or a record gives it."""
        return self.origin in ("given", "default", "record")

    @property
    def said_by(self) -> str:
        """Name of the record with the figure; another may extend or name that one."""
        return (self.figure.record if self.figure else "") or (self.record.key if self.record else "")

    @property
    def exact(self) -> Number:
        """The value in the unit of the cell, exact where the inputs and functions leave it so."""
        return in_unit(self.si, self.cell.unit)

    @property
    def value(self) -> int | float:
        """The same as an int or a float."""
        return machine_number(self.exact)

    def __repr__(self) -> str:
        """Return name, value and origin on one line."""
        return f"<{self.cell.name} = {format_quantity(self.si, self.cell.unit)} ({self.said_by or self.origin})>"
