"""What a sheet is made of beside cells and relations: records, other sheets, choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.formulas.place import Place
    from flopsheet.units import Unit


class Field(Protocol):
    """What a sheet needs to know of a record's field to make it a cell."""

    @property
    def name(self) -> str:
        """Dotted name inside the record: `flops.bf16`."""

    @property
    def unit(self) -> Unit:
        """Declared unit."""

    @property
    def doc(self) -> str:
        """Meaning."""

    @property
    def latex(self) -> str:
        """LaTeX symbol."""

    @property
    def integer(self) -> bool:
        """Whether only whole numbers make sense."""

    @property
    def between(self) -> tuple[int, int] | None:
        """Smallest and largest value in base units; None for a positive figure."""


class RecordType(Protocol):
    """What a sheet needs to know of a kind of records to hold one as a part."""

    @property
    def kind(self) -> str:
        """Name of the kind: `chip`."""

    @property
    def all_fields(self) -> Mapping[str, Field]:
        """The numeric fields by name."""


@dataclass(frozen=True, slots=True)
class Part:
    """A registry record, or another sheet, used inside a sheet under a prefix.

    Args:
        name: the prefix.
        kind: kind of record, or name of the sheet.
        doc: what it is for.
        example: name of a record for documentation and tests; empty for a sheet.
    """

    name: str
    kind: str
    doc: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell whose value is one of a few named options.

    Args:
        name: identifier.
        options: the names.
        doc: what is chosen.
        default: the option taken unless a question says otherwise, or empty.
        example: option for documentation and tests.
    """

    name: str
    options: tuple[str, ...]
    doc: str
    default: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a row was first declared.

    Args:
        sheet: the sheet.
        place: file and line.
    """

    sheet: str
    place: Place | None
