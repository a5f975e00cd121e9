"""The row `part`: a record of the registry, or another sheet, inside a sheet under a prefix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flopsheet.errors import SheetError
from flopsheet.sheets.declarations import Declaration
from flopsheet.sheets.embedding import embed
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.pieces import Part
from flopsheet.sheets.views import place_of_caller

if TYPE_CHECKING:
    from flopsheet.formulas.place import Place
    from flopsheet.sheets.body import SheetType
    from flopsheet.sheets.pieces import RecordType


def part(kind: RecordType | SheetType, doc: str = "", /, *, example: str = "", **bound: Any) -> Any:
    """Declare a record of the registry, or another sheet, whose cells are in reach under its name, as `chip.memory`.

    Rows that this sheet and the other both took from a third are one: they are not repeated under the prefix.

    Args:
        kind: kind of record (`Chip`), or a sheet.
        doc: what it is for.
        example: name of a record for documentation and tests.
        bound: what rows of the other sheet are here, by their name there: a cell, an expression or a choice of this
            sheet, or, as number or text, another default.
    """
    place = place_of_caller()
    if isinstance(getattr(kind, "rows", None), Rows):
        return _SheetRow(kind.rows, doc, bound, place)  # type: ignore[union-attr]
    if bound:
        problem = f"A record binds nothing, and {next(iter(bound))} is bound."
        raise SheetError(str(place), problem, "Give figures of a record in the question.")
    return _RecordRow(kind, doc, example, place)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _RecordRow(Declaration):
    record_type: RecordType
    doc: str
    example: str
    place: Place

    def declare(self, rows: Rows, name: str) -> None:
        rows.add_part(
            Part(name, self.record_type.kind, self.doc, self.example), self.record_type.all_fields.values(), self.place
        )


@dataclass(frozen=True)
class _SheetRow(Declaration):
    other: Rows
    doc: str
    bound: dict[str, Any]
    place: Place

    def declare(self, rows: Rows, name: str) -> None:
        embed(rows, self.other, Part(name, self.other.name, self.doc), self.bound, self.place)
