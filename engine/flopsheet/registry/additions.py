"""Figures that records of one kind add to records of another: a dated price, to the chip that it is the price of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from flopsheet.registry.records import Record, RecordType, Value


class Added:
    """The records that add figures to those of one kind.

    Of several for one record, those of the last pack count; of these those of the first option of the preferred label;
    of these those of the newest month. The median of their figures is taken, of an even number the lower one of the two
    in the middle, so that it is the figure of one of them, with its place and its source.

    Args:
        record_type: their kind; None where there is none.
        records: they.
        kind: the kind that gets the figures.
        packs: the names of the packs, the last one has precedence.
    """

    def __init__(
        self,
        record_type: RecordType | None = None,
        records: Iterable[Record] = (),
        kind: str = "",
        packs: Sequence[str] = (),
    ) -> None:
        self._type, self._packs = record_type, {name: place for place, name in enumerate(packs)}
        self._by_name: dict[str, list[Record]] = {}
        for record in records:
            if kind in record.references:
                self._by_name.setdefault(record.references[kind], []).append(record)

    def figures(self, names: Iterable[str], receiver: RecordType) -> dict[str, Value]:
        """Return the figures, by field, for the record of a kind that has these names."""
        records = [record for name in names for record in self._by_name.get(name, ())]
        if self._type is None or not records:
            return {}
        own = {field.name for field in receiver.fields}
        shared = [field.name for field in self._type.fields if field.name in own]
        chosen = {name: [record for record in records if name in record.values] for name in shared}
        return {name: self._figure(name, giving, self._type) for name, giving in chosen.items() if giving}

    def unused(self, *known: Container[str]) -> Mapping[str, Record]:
        """Return the names that no record has, each with the first record that adds to it."""
        unknown = (name for name in self._by_name if not any(name in names for names in known))
        return {name: self._by_name[name][0] for name in unknown}

    def _figure(self, name: str, records: Iterable[Record], kind: RecordType) -> Value:
        """Return the figure of the records that have one, once the rule has chosen between them."""
        ranks = {record.key: self._rank(record, kind) for record in records}
        best = max(ranks.values())
        equal = [record for record in records if ranks[record.key] == best]
        equal.sort(key=lambda record: (record.values[name].si, record.key))
        median = equal[(len(equal) - 1) // 2]
        value = kind.qualified(median, name)
        month = best[-1]
        return value._replace(note=f"{value.note}; median of {len(equal)} in {month}") if len(equal) > 1 else value

    def _rank(self, record: Record, kind: RecordType) -> tuple[int, int, str]:
        """Return the rank of a record: by its pack, its option of the preferred label, and its month."""
        if kind.adds is None:
            return 0, 0, ""
        options, option = kind.options[kind.adds.preferred], record.labels[kind.adds.preferred]
        month = record.labels[kind.adds.dated][:7]
        return self._packs.get(record.pack, -1), -options.index(option), month
