"""Kinds of records, and records: named quantities, each with its place, its sources and whether it is verified."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.displays import display
from flopsheet.errors import NOWHERE, Place, find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.traits import Additions, Ceiling, Feature, Presumed
    from flopsheet.units import Number, Quantity, Unit

# What a row of fields has in place of a unit for whole numbers, with their bounds where zero is one of them.
_COUNTS: dict[str, tuple[int, int] | None] = {"count": None, "count?": (0, 10**9), "flag": (0, 1)}
BASES = ("nominal", "usable", "measured")  # what the figures of a record are, each better known than the one before
_OPTIONAL = (0, 10**15)  # bounds of a figure that is zero where it is left out, as `token?`
KEY = r"[a-z0-9][a-z0-9._-]{0,63}"  # the name of a record


@dataclass(frozen=True)
class Field:
    """A numeric field of a kind of records."""

    name: str  # dotted name: `memory`, `flops.bf16`
    unit_text: str  # unit in which it is shown
    doc: str  # what it means, with its convention
    latex: str = ""  # LaTeX symbol
    integer: bool = False  # whether only whole numbers make sense
    # Smallest and largest value in base units, where it may be zero or negative; None for a positive one.
    between: tuple[int, int] | None = None
    of: str = ""  # key under which its record names the one that has it
    absent: int | None = None  # the value where a record leaves the field out, or None if it is then unknown
    usual: tuple[str, str] | None = None  # between which quantities it usually is: outside, a check warns

    @cached_property
    def unit(self) -> Unit:
        """Unit in which it is shown."""
        from flopsheet.units import unit  # the command line names kinds without looking at their units

        return unit(self.unit_text)

    @property
    def bases(self) -> tuple[str, ...]:
        """Keys of the other values that a figure may have: none for whole numbers, sparse ones for rates."""
        if self.integer:
            return ()
        return (*BASES[1:], "sparse") if self.name.startswith("flops") else BASES[1:]


@dataclass(frozen=True)
class RecordType:
    """A kind of records, e.g. all chips.

    Args:
        kind: its name, `chip`.
        folder: the folder of its files inside a pack.
        fields: the numeric fields.
        labels: text fields, alone or inside groups, as `link.name`.
        required: the keys that each record must have.
        columns: the fields that a list of records shows.
        references: kinds of the records that a record names, by key; their fields are its own under that key.
        maker: the key of who makes or runs it.
        options: the values that a label may have, where these are few.
        dates: labels that are a day, a month or a year.
        qualifiers: labels by the field that they qualify; where a figure goes to another record, its note has them.
        inherited: fields that a record takes from one that it names, where it has none of its own: `grid.carbon`.
        adds: which records get the figures of this kind.
        added_by: the kind whose records add figures to those of this one.
        sought: fields that each record should have; one that lacks some says so where it is shown.
        conventions: what figures mean, by name or group, as lists say below their columns.
        prefixed: fields that keep the prefix of a bare part, as sheets have cells of their own of that name.
        demanded: fields that a question states where it names no record, though a record may leave them out.
        derived: formulas of fields that it then need not state.
        features: what records may have and sheets may leave out.
        ceilings: figures that say for how much of something a record was made; sheets may ask for more.
        presumed: figures that a record may lack, and of which sheets then take one of their own.
        whole: a figure in which all of these features count, so that a sheet which uses it leaves none out.
    """

    kind: str
    folder: str
    fields: tuple[Field, ...]
    labels: tuple[str, ...] = ()
    required: tuple[str, ...] = ("name", "source")
    columns: tuple[str, ...] = ()
    references: Mapping[str, RecordType] = field(default_factory=dict)
    maker: str = "vendor"
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    qualifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inherited: Mapping[str, str] = field(default_factory=dict)
    adds: Additions | None = None
    added_by: RecordType | None = None
    sought: tuple[str, ...] = ()
    conventions: Mapping[str, str] = field(default_factory=dict)
    prefixed: tuple[str, ...] = ()
    demanded: tuple[str, ...] = ()
    derived: Mapping[str, str] = field(default_factory=dict)
    features: tuple[Feature, ...] = ()
    ceilings: tuple[Ceiling, ...] = ()
    presumed: tuple[Presumed, ...] = ()
    whole: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The keys under which a record names another one."""
        return (*self.references, *(self.adds.kinds if self.adds else ()))

    def qualified(self, record: Record, name: str) -> Value:
        """Return a figure of a record as another record takes it: with its owner, and its qualifiers in its note."""
        value = record.values[name]
        if name not in self.qualifiers:
            return value if value.record else value._replace(record=record.key)
        labels = (record.vendor if label == self.maker else record.labels.get(label) for label in self.qualifiers[name])
        about = ", ".join(filter(None, labels))
        return value._replace(record=value.record or record.key, note="; ".join(filter(None, (about, value.note))))

    @cached_property
    def all_fields(self) -> dict[str, Field]:
        """The fields by name, those of records that it refers to under their key."""
        own = {field_.name: field_ for field_ in self.fields}
        for key, other in self.references.items():
            for name, inner in other.all_fields.items():
                own[f"{key}.{name}"] = replace(inner, name=f"{key}.{name}", of=key)
        return own

    def key_of(self, kind: str) -> str:
        """Return the key under which its records name one of another kind, or an empty text."""
        return next((key for key, other in self.references.items() if other.kind == kind), "")

    @property
    def places(self) -> list[tuple[str, str]]:
        """Folders and patterns of its files: those in its folder, and one beside it, `hardware/chips.yaml`."""
        above, _, name = self.folder.rpartition("/")
        return [(above, f"{name}.yaml"), (self.folder, "*.yaml")]


def fields(
    *rows: tuple[str, str, str, str],
    between: Mapping[str, tuple[int, int]] | None = None,
    absent: Mapping[str, int] | None = None,
    usual: Mapping[str, tuple[str, str]] | None = None,
) -> tuple[Field, ...]:
    """Return fields from rows of name, unit, LaTeX symbol and meaning.

    In place of a unit, `count` is a whole number and `flag` 0 or 1. A question mark behind a unit or a count marks a
    figure that is zero where it is left out, as a flag is. `between` has the bounds [base units] of others that may be
    zero or negative, `absent` the values of others that records may leave out. `usual` has the quantities between
    which a field, or all fields of a group, usually are.
    """
    bounds, defaults, ranges = between or {}, absent or {}, usual or {}
    every = (_field(row, bounds.get(row[0]), defaults.get(row[0])) for row in rows)
    return tuple(
        replace(field_, usual=ranges.get(field_.name, ranges.get(field_.name.partition(".")[0]))) for field_ in every
    )


def _field(row: tuple[str, str, str, str], between: tuple[int, int] | None, absent: int | None) -> Field:
    name, unit, latex, doc = row
    if unit in _COUNTS:
        between = between or _COUNTS[unit]
        absent = 0 if absent is None and _COUNTS[unit] else absent
        return Field(name, "", doc, latex, integer=True, between=between, absent=absent)
    if unit.endswith("?"):
        return Field(name, unit.removesuffix("?"), doc, latex, between=_OPTIONAL, absent=0)
    return Field(name, unit, doc, latex, between=between, absent=absent)


class Value(NamedTuple):
    """A quantity of a record, with its origin."""

    text: str  # the quantity as written: `3.35 TB/s`
    quantity: Quantity  # the number and its unit
    sources: tuple[str, ...]  # keys of its sources, by default those of the record
    note: str  # what to know about it
    verified: bool  # whether somebody has read it in the source
    spot: Place  # file and line
    record: str = ""  # name of the record that declares it, where this one extends or names that one
    label: str = ""  # the vendor's own words: `900 GB/s both directions`
    read: str = ""  # date on which it was read in its source, or empty
    basis: str = "nominal"  # what it is: `nominal`, `usable`, `measured` or `sparse`
    condition: str = ""  # under which it was measured
    usable: Value | None = None  # what software gets of it
    measured: Value | None = None  # what was measured
    sparse: Value | None = None  # the rate with structured sparsity, as vendors print it

    def __repr__(self) -> str:
        return f"<Value {self.text}{f' ({self.source})' if self.sources else ''}>"

    @property
    def others(self) -> list[Value]:
        """Its values on other bases, as far as it has them."""
        return [value for value in (self.usable, self.measured, self.sparse) if value is not None]

    def at(self, figures: str) -> Value:
        """Return the value on a basis: the measured one where there is one, else the usable one, else this one."""
        candidates = {"measured": (self.measured, self.usable), "usable": (self.usable,)}.get(figures, ())
        return next((value._replace(record=self.record) for value in candidates if value is not None), self)

    @property
    def si(self) -> Number:
        """The number in base units."""
        return self.quantity.si

    @property
    def shown(self) -> str:
        """The quantity as lists show it, in its own unit with all of its digits, as far as they are few."""
        from flopsheet.units.text import format_input

        return format_input(self.si, self.quantity.unit)

    @property
    def source(self) -> str:
        """The keys of its sources as one text."""
        return ", ".join(self.sources)


@dataclass(frozen=True)
class Record:
    """One registry entry."""

    key: str  # its name on the command line, `h100-sxm`
    kind: str  # its kind, `chip`
    name: str  # its full name
    vendor: str  # who makes it, or runs it
    released: str  # date, or empty
    aliases: tuple[str, ...]  # other names on the command line
    sources: tuple[str, ...]  # keys of the sources of values that name none
    note: str  # what to know about it
    labels: dict[str, str] = field(default_factory=dict)  # text fields, alone and inside groups
    values: dict[str, Value] = field(default_factory=dict)  # the values by field name
    references: dict[str, str] = field(default_factory=dict)  # names of the records that it names, by key
    extends: str = ""  # name of the record that gives what this one leaves out, or empty
    override: bool = False  # whether it replaces a record of an earlier pack
    pack: str = ""  # name of the pack that holds it
    spot: Place = NOWHERE  # file and line

    @property
    def source(self) -> str:
        """The keys of its sources as one text."""
        return ", ".join(self.sources)

    def __repr__(self) -> str:
        return f"<Record {self.key} of kind {self.kind}: {self.name}>"

    @cached_property
    def si_values(self) -> dict[str, Number]:
        """The figures in base units, by field name."""
        return {name: value.si for name, value in self.values.items()}

    def at(self, figures: str) -> Record:
        """Return the record with its figures on a basis, each on the best one up to it that it has.

        Args:
            figures: `nominal`, as vendors state them; `usable`, what software gets; or `measured`.

        Raises:
            UnknownNameError: there is no such basis; the message has the nearest.

        Example:
            >>> from flopsheet import record
            >>> chip = record("chip", "h100").at("usable")
            >>> chip.values["memory"].basis
            'usable'
        """
        find(figures, BASES, "basis of figures", self.key)
        if figures == BASES[0]:
            return self
        return replace(self, values={name: value.at(figures) for name, value in self.values.items()})

    @property
    def unverified(self) -> tuple[str, ...]:
        """Names of the values that nobody has checked against their source."""
        return tuple(name for name, value in self.values.items() if not value.verified)

    def over(self, base: Record) -> Record:
        """Return this record with its missing entries taken from another one."""
        named = {**base.references, **self.references}  # the values of these are looked up later
        own = {name: value for name, value in base.values.items() if name.partition(".")[0] not in named}
        values = {name: value._replace(record=value.record or base.key) for name, value in own.items()}
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
