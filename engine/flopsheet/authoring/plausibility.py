"""What is unusual about records: figures outside of usual ranges, pairs that contradict each other, unknown names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.authoring.countries import CODES, OTHERS
from flopsheet.errors import RegistryError, did_you_mean, suggest
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.records import KEY
from flopsheet.registry.store import registry, sources
from flopsheet.units import Quantity, quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from flopsheet.registry.records import Field, Record, Value

# Of each pair of figures of a kind, the first is usually no larger than the second.
ASCENDING = {
    "chip": (
        ("flops.tf32", "flops.bf16"),
        ("flops.bf16", "flops.fp8"),
        ("flops.fp16", "flops.fp8"),
        ("flops.fp8", "flops.fp6"),
        ("flops.fp8", "flops.fp4"),
        ("link.bandwidth", "memory_bandwidth"),
    ),
    "system": (("link.domain", "n_chips"), ("network.bandwidth", "link.bandwidth")),
    "datacenter": (("measured_power", "power"),),
}
# Figures that are meant, with the reason.
MEANT = {
    ("wse-3", "memory_bandwidth"): "a whole wafer, with its memory on it",
    ("wse-3", "flops.fp16"): "the same",
    ("wse-3", "power"): "the same",
    ("wse-3", "cores"): "the same",
    ("groq-lpu-v1", "memory"): "all of its memory is on the chip",
    ("groq-lpu-v1", "memory_bandwidth"): "the same",
}
_FACTORS = (1000, 1024, 1000**2, 1024**2, 1000**3, 1024**3)
_COUNTED = re.compile(r"(?P<number>\d[\d,]*) (?P<name>\S+)")


def doubts(records: Iterable[Record]) -> list[RegistryError]:
    """Return what is unusual about records, as warnings: each names its place, and what is usual or nearest."""
    found: list[RegistryError] = []
    chips, known = registry("chip").names, sources()
    names = {*chips.holders, *chips.addressed()}
    for record in records:
        found += _unusual_figures(record)
        found += _contradictions(record)
        found += _other_values(record)
        found += _unknown_names(record, names)
        found += _unknown_sources(record, known)
    return found


def _own_figures(record: Record) -> Iterator[tuple[Field, Value]]:
    """Yield the figures that a record declares itself."""
    for field in KINDS[record.kind].fields:
        value = record.values.get(field.name)
        if value is not None and not value.record and value.spot.line:
            yield field, value


def _where(record: Record, value: Value, name: str) -> str:
    return f"{value.spot}, key '{record.key}.{name}'"


def _unusual_figures(record: Record) -> Iterator[RegistryError]:
    for field, value in _own_figures(record):
        if field.usual is None or (record.key, field.name) in MEANT:
            continue
        low, high = (quantity(text, field.name) for text in field.usual)
        if low.si <= value.si <= high.si:
            continue
        problem = f"'{value.text}' is unusual: a {record.kind} has {low} to {high}."
        yield RegistryError(_where(record, value, field.name), problem, _near(value, low, high) or f"{field.doc}.")


def _near(value: Value, low: Quantity, high: Quantity) -> str:
    """Return which other prefix would give a usual figure."""
    number, _, written = value.text.partition(" ")
    for factor in _FACTORS:
        for si in (value.si * factor, value.si / factor):
            if low.si <= si <= high.si and written:
                other = _prefixed(number, written, value, si)
                if other:
                    return f"Did you mean {other}?"
    return ""


def _prefixed(number: str, written: str, value: Value, si: object) -> str:
    """Return a number with the prefix of its unit changed so that it has a value in base units."""
    base = re.sub(r"^(k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)(?=(B|byte|W|FLOP|Hz))", "", written)
    for prefix in ("", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi"):
        try:
            other = quantity(f"{number} {prefix}{base}", "figure")
        except ValueError:
            continue
        if other.dimension == value.quantity.dimension and other.si == si:
            return f"{number} {prefix}{base}"
    return ""


def _contradictions(record: Record) -> Iterator[RegistryError]:
    own = {field.name for field, _ in _own_figures(record)}
    for smaller, larger in ASCENDING.get(record.kind, ()):
        one, two = record.values.get(smaller), record.values.get(larger)
        if one is None or two is None or one.si <= two.si or {smaller, larger}.isdisjoint(own):
            continue
        if {(record.key, smaller), (record.key, larger)} & MEANT.keys():
            continue
        name, value = (smaller, one) if smaller in own else (larger, two)
        problem = f"{smaller} is {one.text}, and {larger} only {two.text}: usually it is the other way round."
        yield RegistryError(_where(record, value, name), problem, "Check both figures.")


def _other_values(record: Record) -> Iterator[RegistryError]:
    """Yield usable and measured values above the nominal figure, and sparse rates below the dense one."""
    for field, value in _own_figures(record):
        for other in value.others:
            if (other.si < value.si) if other.basis == "sparse" else (other.si > value.si):
                less = "less" if other.basis == "sparse" else "more"
                problem = f"It is {other.text}, {less} than the nominal {value.text}."
                yield RegistryError(
                    _where(record, other, f"{field.name}.{other.basis}"), problem, "Check both figures."
                )


def _unknown_names(record: Record, chips: Collection[str]) -> Iterator[RegistryError]:
    where = f"{record.spot}, key '{record.key}"
    country = record.labels.get("country", "")
    if country and country not in CODES:
        near = OTHERS.get(country.casefold(), country.upper() if country.upper() in CODES else "")
        fix = did_you_mean([near]) if near else "Write its ISO label of two letters: FR, US, JP."
        yield RegistryError(f"{where}.country'", f"There is no country '{country}'.", fix)
    for text in filter(None, record.labels.get("other_chips", "").split(", ")):
        match = _COUNTED.fullmatch(text)
        if match is None:
            fix = "Write a number and a name: 416 a100-sxm4-80gb."
            yield RegistryError(f"{where}.other_chips'", f"'{text}' is no number of chips.", fix)
        elif chips and match["name"] not in chips:
            fix = suggest(match["name"], chips) or "`flopsheet hardware list` lists them."
            yield RegistryError(f"{where}.other_chips'", f"There is no chip '{match['name']}'.", fix)


def _unknown_sources(record: Record, sources: Collection[str]) -> Iterator[RegistryError]:
    """Yield the sources that look like a key of the list, one word, and are not in it; other texts are sources too."""
    named = dict.fromkeys(record.sources, f"{record.spot}, key '{record.key}.source'")
    for field, value in _own_figures(record):
        named |= {source: _where(record, value, field.name) for source in value.sources if source not in named}
    for source, where in named.items():
        if re.fullmatch(KEY, source) and source not in sources:
            fix = suggest(source, sources) or "Add it to sources.yaml, or write in words where the figure was read."
            yield RegistryError(where, f"There is no source '{source}' in the list.", fix)
