"""Records: named figures, each with its place, its sources and whether somebody read it there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.displays import display

if TYPE_CHECKING:
    from flopsheet.units import Number, Quantity


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file, counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Spot("", 0, 0)


@dataclass(frozen=True)
class Value:
    """A figure of a record.

    Args:
        text: the figure as written: `3.35 TB/s`.
        si: its number in base units.
        shown: the figure in the unit of its field, as lists show it.
        sources: keys of its sources, the record's own unless said otherwise.
        note: what to know about it.
        verified: whether somebody read it in the source.
        spot: file and line.
        record: name of the record that says it: another than the one it is found in, where that extends or names it.
    """

    text: str
    si: Number
    shown: str
    sources: tuple[str, ...]
    note: str
    verified: bool
    spot: Spot
    record: str = ""

    @cached_property
    def quantity(self) -> Quantity:
        """The figure with its unit."""
        from flopsheet.units import quantity  # where records come from the cache, few figures are ever looked at

        return quantity(self.text)

    @property
    def source(self) -> str:
        """The keys of its sources as one text."""
        return ", ".join(self.sources)


@dataclass(frozen=True)
class Record:
    """One registry entry.

    Args:
        key: its name on the command line, `h100-sxm`.
        kind: its kind, `chip`.
        name: its full name.
        vendor: who makes it, or runs it.
        released: date, or empty.
        aliases: other names on the command line.
        sources: keys of the sources of figures that name none.
        note: what to know about it.
        labels: text fields, alone and inside groups.
        values: the figures by field name.
        references: names of the records that it names, by key.
        extends: name of the record whose figures it has where it says nothing, or empty.
        override: whether it takes the place of a record of an earlier pack.
        pack: name of the pack that holds it.
        spot: file and line.
    """

    key: str
    kind: str
    name: str
    vendor: str
    released: str
    aliases: tuple[str, ...]
    sources: tuple[str, ...]
    note: str
    labels: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    extends: str = ""
    override: bool = False
    pack: str = ""
    spot: Spot = NOWHERE

    @property
    def source(self) -> str:
        """The keys of its sources as one text."""
        return ", ".join(self.sources)

    @cached_property
    def si_values(self) -> dict[str, Number]:
        """The figures in base units, by field name."""
        return {name: value.si for name, value in self.values.items()}

    @property
    def unverified(self) -> tuple[str, ...]:
        """Names of the figures that nobody has read in their source."""
        return tuple(name for name, value in self.values.items() if not value.verified)

    def over(self, base: Record) -> Record:
        """Return this record with what another says where this one says nothing."""
        named = {**base.references, **self.references}  # figures of these are looked up anew
        own = {name: value for name, value in base.values.items() if name.partition(".")[0] not in named}
        values = {name: replace(value, record=value.record or base.key) for name, value in own.items()}
        return replace(
            self,
            name=self.name or base.name,
            vendor=self.vendor or base.vendor,
            released=self.released or base.released,
            sources=self.sources or base.sources,
            note=self.note or base.note,
            labels={**base.labels, **self.labels},
            values={**values, **self.values},
            references=named,
        )

    def _repr_markdown_(self) -> str:
        return str(display("record_page", self))
