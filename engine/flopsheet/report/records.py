"""Records: filtered, sorted, compared, one with its sources, and as JSON."""

from __future__ import annotations

import operator
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from flopsheet.errors import ArithmeticTrapError, QuestionError, find, shortened
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.names import as_spelled
from flopsheet.registry.store import registry
from flopsheet.report.tables import Grid
from flopsheet.units import Quantity, format_number, machine_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.registry.records import Field, Record, RecordType, Value

MOST_CONDITIONS = 50
ABOUT = ("key", "name", "vendor", "released", "pack")
UNVERIFIED = "(?)"
BOTH_WAYS = "both_ways"  # what vendors print of links: the sum of both directions
_ONE_WAY = ("link.bandwidth", "network.bandwidth", "host.bandwidth")
_TEXT_CONDITION = re.compile(r"\s*([A-Za-z_.]+)\s*(<=|>=|=|<|>)\s*(.+?)\s*")
_COMPARE: dict[str, Callable[[str, str], bool]] = {
    "=": lambda left, right: left.casefold() == right.casefold(),
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def label(record: Record, name: str) -> str | None:
    """Return a text of a record: its vendor, its date, a label or a reference; None where it has none."""
    name = "vendor" if name == KINDS[record.kind].maker else name
    text = str(getattr(record, name)) if name in ABOUT else record.labels.get(name, record.references.get(name))
    return text or None


def texts_of(kind: RecordType) -> list[str]:
    """Return the names of all texts that records of a kind may have."""
    return [*ABOUT, kind.maker, *kind.labels, *kind.names]


def columns_of(kind: RecordType) -> dict[str, Field]:
    """Return the fields of records of a kind, and each as software gets it, as measured and as vendors print it.

    `memory.usable`, `flops.bf16.measured`, `flops.bf16.sparse`, `link.bandwidth.both_ways`.
    """
    fields: dict[str, Field] = {}
    for name, field in kind.all_fields.items():
        both = (BOTH_WAYS,) if name.endswith(_ONE_WAY) else ()
        fields |= {name: field, **{f"{name}.{version}": field for version in (*field.bases, *both)}}
    return fields


def figure(record: Record, name: str) -> Value | None:
    """Return a figure of a record, or a version of it; None where the record has none."""
    if name in record.values:
        return record.values[name]
    field, _, version = name.rpartition(".")
    value = record.values.get(field)
    if value is None or version != BOTH_WAYS:
        return None if value is None else getattr(value, version, None)
    twice = Quantity(2 * value.quantity.exact, value.quantity.unit)
    return value._replace(quantity=twice)


def chosen(records: Iterable[Record], kind: RecordType, where: str) -> list[Record]:
    """Return the records that meet conditions joined by `and`: `memory >= 80 GB and vendor = NVIDIA`.

    A record that lacks a figure of a condition does not meet it.

    Raises:
        FlopsheetError: a condition is no relation over the figures and texts of the kind.
    """
    if unsupported := re.search(r"\b(or|OR|AND|not)\b|!=", where):
        fix = "Join conditions with 'and'; each is a relation with =, <=, >=, < or >."
        raise QuestionError("conditions", f"'{unsupported[0]}' is not supported.", fix)
    texts = re.split(r"\band\b", where) if where.strip() else []
    if len(texts) > MOST_CONDITIONS:
        raise QuestionError("conditions", f"There are {len(texts):,} of them, more than {MOST_CONDITIONS}.")
    conditions = [_condition(text, kind) for text in texts]
    return [record for record in records if all(meets(record) for meets in conditions)]


def _condition(text: str, kind: RecordType) -> Callable[[Record], bool]:
    match = _TEXT_CONDITION.fullmatch(text)
    if match and match[1] in texts_of(kind):
        name, compare, wanted = match[1], _COMPARE[match[2]], match[3].strip("'\"")
        wanted = _named(name, wanted, kind)
        wanted = _spelled(name, wanted, kind, text.strip()) if match[2] == "=" else wanted
        return lambda record: (actual := label(record, name)) is not None and compare(actual, wanted)
    return _numeric(text, kind)


def _named(name: str, wanted: str, kind: RecordType) -> str:
    """Return the own name of the record that a condition on a name means by an alias: `chip = h100`."""
    other = kind if name == "key" else kind.references.get(name)
    match = None if other is None else registry(other.kind).lookup(wanted, f"condition '{name} = {shortened(wanted)}'")
    return wanted if match is None else match.key


def _spelled(name: str, wanted: str, kind: RecordType, text: str) -> str:
    """Return the text of a record that is spelled as another, `data center` for `datacenter`; of none is an error."""
    shown = {own for record in registry(kind.kind).records.values() if (own := label(record, name))}
    return as_spelled(wanted, shown, name, f"condition '{shortened(text)}'")


def _numeric(text: str, kind: RecordType) -> Callable[[Record], bool]:
    from flopsheet.formulas.dimensions import UnitCheck
    from flopsheet.formulas.evaluate import evaluate
    from flopsheet.formulas.parser import parse_relation

    where = f"condition '{shortened(text.strip())}'"
    fields = columns_of(kind)
    relation = parse_relation(text.strip(), [*fields, *texts_of(kind)], where)
    for name in sorted(relation.cells & set(texts_of(kind))):
        raise QuestionError(where, f"'{name}' is a text.", f"Write {name} = TEXT.")
    dimensions = {name: field.unit.dimension for name, field in fields.items()}
    literals = {name: quantity.dimension for name, quantity in relation.literals.items()}
    UnitCheck({**dimensions, **literals}, where).sides(relation.left, relation.right)
    constants = {name: quantity.si for name, quantity in relation.literals.items()}

    def meets(record: Record) -> bool:
        figures = {name: value.si for name in relation.cells if (value := figure(record, name)) is not None}
        if len(figures) < len(relation.cells):
            return False
        values: dict[str, Any] = {**constants, **figures}
        try:
            return relation.holds(evaluate(relation.left, values), evaluate(relation.right, values))
        except ArithmeticTrapError:
            return False

    return meets


def sorted_by(records: Iterable[Record], kind: RecordType, by: str) -> list[Record]:
    """Return records sorted by a figure, the largest first, or by a text; `-NAME` reverses the order.

    Records without it come last.

    Raises:
        UnknownNameError: the kind has no such figure or text.
    """
    name = by.removeprefix("-")
    fields = columns_of(kind)
    find(name, [*fields, *texts_of(kind)], "field", f"{kind.kind}s")
    numeric = name in fields
    pairs: list[tuple[Any, Record]] = []
    for record in records:
        value = figure(record, name) if numeric else None
        pairs.append((value.si if value else None if numeric else label(record, name), record))
    known, unknown = ([pair for pair in pairs if (pair[0] is None) is lacking] for lacking in (False, True))
    known.sort(key=lambda pair: pair[0], reverse=numeric != by.startswith("-"))
    return [record for _, record in (*known, *unknown)]


def value_text(value: Value | None) -> str:
    """Return a figure with its unit, and a mark where nobody has verified it; a dash for none."""
    return "-" if value is None else value.shown + ("" if value.verified else f" {UNVERIFIED}")


def comparison(records: Sequence[Record], kind: RecordType) -> Grid:
    """Return records side by side: a row for each figure or text that one of them has, with ratios to the first."""
    about = ("name", "vendor", "released")
    texts = [name for name in (*kind.names, *kind.labels) if any(label(record, name) for record in records)]
    rows = [[name, *(label(record, name) or "-" for record in records)] for name in (*about, *texts)]
    for name in kind.all_fields:
        values = [record.values.get(name) for record in records]
        if any(values):
            rows.append([name, *(_with_ratio(value, values[0]) for value in values)])
        for basis in ("usable", "measured", "sparse"):
            others = [value and getattr(value, basis) for value in values]
            if any(others):
                rows.append([f"{name}, {basis}", *(_with_ratio(other, others[0]) for other in others)])
    return Grid(["", *(record.key for record in records)], rows)


def _with_ratio(value: Value | None, first: Value | None) -> str:
    text = value_text(value)
    if value is None or first is None or value is first or first.si in (0, value.si):
        return text
    return f"{text} ({format_number(value.si / first.si)}x)"


def figures_of(record: Record, unverified: str) -> tuple[Grid, list[str]]:
    """Return the figures and texts of a record, and the keys of the sources that the rows number, in their order.

    A row has name, value, those of usable, measured and the vendor's words that some figure has, note, numbers of
    sources and place; `unverified` marks a figure not checked in its source.
    """
    figures = record.values.values()
    keys = list(dict.fromkeys(key for value in figures for each in (value, *value.others) for key in each.sources))
    more = {title: show for title, show in _VERSIONS.items() if any(map(show, figures))}
    rows = [[name, text, *([""] * (len(more) + 3))] for name, text in {**record.references, **record.labels}.items()]
    for name, value in record.values.items():
        notes = [_remark(value, unverified), *(_remark(other, unverified) for other in value.others)]
        numbers = sorted({keys.index(key) + 1 for each in (value, *value.others) for key in each.sources})
        owner = f"{value.record}, " if value.record else ""
        place = f"{owner}{PurePath(value.spot.file).name}:{value.spot.line}"
        versions = (show(value) for show in more.values())
        rows.append([name, value_text(value), *versions, "; ".join(filter(None, notes)), _ranges(numbers), place])
    return Grid(["field", "nominal" if more else "value", *more, "note", "source", "defined at"], rows), keys


def _shown(value: Value | None) -> str:
    return "" if value is None else value_text(value)


_VERSIONS: dict[str, Callable[[Value], str]] = {
    "usable": lambda value: _shown(value.usable),
    "measured": lambda value: _shown(value.measured),
    "vendor prints": lambda value: value.label or (f"{_shown(value.sparse)} sparse" if value.sparse else ""),
}


def _ranges(numbers: Sequence[int]) -> str:
    """Return sorted numbers as a text in which three and more in a row are a range: `1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run) for run in runs)
    return ", ".join(text for run in texts for text in run)


def _remark(value: Value, unverified: str) -> str:
    """Return mark, condition and note of a quantity, and the date on which it was read."""
    basis = "" if value.basis == "nominal" else f"{value.basis}:"
    read = f"read {value.read}" if value.read else ""
    about = ", ".join(filter(None, [value.condition, value.note, read]))
    parts = ["" if value.verified else unverified, about]
    return " ".join(filter(None, [basis if any(parts) else "", *parts]))


def missing(record: Record) -> list[str]:
    """Return the figures that each record of the kind should have and this one lacks."""
    return [name for name in KINDS[record.kind].sought if name not in record.values]


def as_json(record: Record) -> dict[str, Any]:
    """Return a record as a JSON object: every figure with its sources, place and whether it is verified."""
    names = ("key", "kind", "name", "vendor", "released", "note", "pack", "extends")
    about = {name: getattr(record, name) for name in names}
    place = {"file": record.spot.file, "line": record.spot.line}
    lists = {"aliases": list(record.aliases), "sources": list(record.sources)}
    texts = {"labels": record.labels, "references": record.references}
    values = {name: _figure_as_json(value) for name, value in record.values.items()}
    return {**about, **place, **lists, **texts, "values": values, "missing": missing(record)}


def _figure_as_json(value: Value) -> dict[str, Any]:
    """Return a figure as a JSON object; what it does not have is left out, but for an empty note."""
    figure = {"text": value.text, "si": machine_number(value.si), "source": list(value.sources)}
    spot = {"file": value.spot.file, "line": value.spot.line}
    texts = {name: text for name in ("record", "label", "condition", "read") if (text := getattr(value, name))}
    others = {other.basis: _figure_as_json(other) for other in value.others}
    return {**figure, "verified": value.verified, "note": value.note, **texts, **spot, **others}
