"""Serves those who write records: JSON Schemas for editors, and templates to fill in."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.errors import joined
from flopsheet.registry.packs import packs
from flopsheet.registry.reading import DATE
from flopsheet.registry.records import KEY, Field, RecordType
from flopsheet.registry.strict_yaml import FILL_IN
from flopsheet.units.patterns import unit_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator


DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT = {"type": "string", "minLength": 1}
_DATE = {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_NUMBER = r"(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?"
DESCRIPTIONS = {
    "usable": "What software gets",
    "measured": "What was measured, with its condition",
    "sparse": "The rate with structured sparsity",
}
_WIDTH = 44  # the column of comments in a template


def one_or_more(item: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one item, or of a list of them."""
    return {"oneOf": [item, {"type": "array", "items": item, "minItems": 1}]}


TEXTS = one_or_more(TEXT)


def schema(kind: RecordType) -> dict[str, Any]:
    """Return the schema of a file of records of a kind. Numbers without a unit may be YAML numbers there."""
    return {
        "$schema": DIALECT,
        "title": f"flopsheet: records of kind {kind.kind}",
        "type": "object",
        "propertyNames": {"pattern": f"^{KEY}$"},
        "additionalProperties": {
            **mapping({**_about(kind), **_groups(kind)}),
            "anyOf": [*_complete(kind), {"required": ["extends"]}],
        },
        "$defs": {_name(field): _figure(field) for field in kind.fields},
    }


def _complete(kind: RecordType) -> list[dict[str, Any]]:
    """Return what a record needs that extends no other: of a kind that adds figures, one receiver and one figure."""
    if kind.adds is None:
        return [{"required": list(kind.required)}]
    receivers = {key: [other for other in kind.adds.kinds if other != key] for key in kind.adds.kinds}
    return [
        {
            "required": [*kind.required, key],
            "not": {"anyOf": [{"required": [other]} for other in others]},
            "anyOf": [{"required": [field.name]} for field in kind.fields],
        }
        for key, others in receivers.items()
    ]


def mapping(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no others."""
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


def _about(kind: RecordType) -> dict[str, Any]:
    """Return the properties that are neither fields nor labels."""
    return {
        "name": {**TEXT, "description": "Full name"},
        kind.maker: {**TEXT, "description": "Who makes or runs it"},
        "released": {
            **_DATE,
            "description": "Date of first shipping to customers, or of first operation",
        },
        "aliases": {**one_or_more({**TEXT, "pattern": f"^{KEY}$"}), "description": "Other names"},
        "source": {**TEXTS, "description": "Keys of sources.yaml, or what the source is"},
        "note": {**TEXT, "description": "What to know about it"},
        "extends": {**TEXT, "description": "Record that gives what this one leaves out"},
        "verified": {
            "type": "boolean",
            "description": "Whether its figures were read in their source; by default true",
        },
        "override": {"type": "boolean", "description": "Whether it replaces a record of an earlier pack"},
        **{key: {**TEXT, "description": f"Name of a {other}"} for key, other in _named(kind).items()},
    }


def _named(kind: RecordType) -> dict[str, str]:
    """Return the kinds of the records that one of a kind names, by key."""
    return {name: kind.references[name].kind if name in kind.references else name for name in kind.names}


def _label_schema(kind: RecordType, name: str) -> dict[str, Any]:
    if name in kind.options:
        return {"enum": list(kind.options[name])}
    if name in kind.dates:
        return {
            "oneOf": [{"type": "string", "pattern": f"^{DATE}$"}, {"type": "integer", "minimum": 1000, "maximum": 9999}]
        }
    return TEXTS


def _groups(kind: RecordType) -> dict[str, Any]:
    """Return the properties of fields and labels; dotted names as mappings."""
    properties: dict[str, Any] = {}
    leaves = {field.name: _field_schema(field) for field in kind.fields}
    leaves |= {name: _label_schema(kind, name) for name in kind.labels}
    for name, leaf in leaves.items():
        group, dot, inner = name.partition(".")
        if dot:
            properties.setdefault(group, {**mapping({}), "minProperties": 1})["properties"][inner] = leaf
        else:
            properties[group] = leaf
    return properties


def _field_schema(field: Field) -> dict[str, Any]:
    unit = f" [{field.unit_text}]" if field.unit_text else ""
    return {"description": f"{field.doc}{unit}", "$ref": f"#/$defs/{_name(field)}"}


def _name(field: Field) -> str:
    """Return the name of what is the same for all figures of a unit, with bounds and bases."""
    unit = re.sub(r"\W+", "_per_", field.unit_text) or ("count" if field.integer else "number")
    bounds = "" if field.between is None else "_from_{}_to_{}".format(*field.between).replace("-", "minus_")
    return f"{unit}{bounds}{'_or_sparse' if 'sparse' in field.bases else ''}"


def _figure(field: Field) -> dict[str, Any]:
    """Return the schema of a figure: a quantity, or a mapping with it and what is known about it."""
    value = _value_schema(field)
    about = {"value": value, "source": TEXTS, "note": TEXT, "verified": {"type": "boolean"}, "read": _DATE}
    others: dict[str, Any] = {}
    for basis in field.bases:
        required = ["value", "condition"] if basis == "measured" else ["value"]
        other = mapping({**about, "condition": TEXT}, required=required)
        others[basis] = {
            "description": DESCRIPTIONS[basis],
            **(other if basis == "measured" else {"oneOf": [value, other]}),
        }
    words = {"label": {**TEXT, "description": "The vendor's own words"}}
    return {"oneOf": [value, mapping({**about, **words, **others}, required=["value"])]}


def _value_schema(field: Field) -> dict[str, Any]:
    sign = "-?" if field.between and field.between[0] < 0 else ""
    text = {"type": "string", "pattern": rf"^{sign}{_NUMBER}(/[1-9]\d*)? *{unit_pattern(field.unit)}$"}
    if field.unit_text:
        return text
    number: dict[str, Any] = {"type": "integer" if field.integer else "number"}
    if field.between:
        number |= {"minimum": field.between[0], "maximum": field.between[1]}
    else:
        number["exclusiveMinimum"] = 0
    return {"oneOf": [number, text]}


def template(kind: RecordType, name: str, place: Path) -> str:
    """Return the text of a file at a place that holds one new record of a kind."""
    return "\n".join([*_template_lines(kind, name, place), ""])


def _schema_address(kind: RecordType, place: Path) -> str:
    """Return the address of a schema for a file at a place: relative, so that it holds no name of a user."""
    file = (packs()[0].folder / "hardware" / "schemas" / f"{kind.kind}.schema.json").resolve()
    try:
        return Path(os.path.relpath(file, place.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return file.as_uri()


def _template_lines(kind: RecordType, name: str, place: Path) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={_schema_address(kind, place)}"
    yield f"# Record of a {kind.kind} for flopsheet, in {kind.folder}/ of your project or of a pack. Replace every"
    yield f"# {FILL_IN}, uncomment what you know; `flopsheet hardware check FILE` lists what is left."
    yield "# A figure is a number with its unit, or {value: ..., note: ..., source: ..., verified: false}."
    yield "# Beside value it may have label: the vendor's words, read: 2026-01-31, usable: what software gets,"
    yield "# measured: {value: ..., condition: ...}, and a rate sparse: ..."
    yield f"{name}:"
    yield f"  name: {FILL_IN}  # full name"
    yield f"  {kind.maker}: {FILL_IN}  # who makes or runs it"
    yield f"  source: {FILL_IN}  # key of sources.yaml, or where you read it"
    yield "  # released: 2026-01-31"
    yield "  # aliases: [other-name]"
    yield "  # note: what to know about it"
    yield "  # extends: NAME  # a record that gives what this one leaves out"
    for key, other in _named(kind).items():
        asked = key in kind.required or (kind.adds is not None and key == kind.adds.kinds[0])
        yield f"  {'' if asked else '# '}{key}: {FILL_IN}  # name of a {other}"
    for label in kind.labels:
        if "." not in label:
            values = joined(list(kind.options.get(label, ())), "or") or (
                "2026-01-31" if label in kind.dates else "text"
            )
            yield f"  {label}: {FILL_IN}  # {values}" if label in kind.required else f"  # {label}: {values}"
    yield from _field_lines(kind)


def _field_lines(kind: RecordType) -> Iterator[str]:
    group = ""
    for field in kind.fields:
        head, dot, inner = field.name.partition(".")
        if dot and head != group:
            yield f"  {'' if head in kind.required else '# '}{head}:"
            labels = (name.removeprefix(f"{head}.") for name in kind.labels if name.startswith(f"{head}."))
            yield from (f"  #   {label}: text" for label in labels)
        group = head if dot else ""
        yield _field_line(field, inner if dot else head, kind)


def _field_line(field: Field, key: str, kind: RecordType) -> str:
    group = field.name.partition(".")[0]
    asked = field.name in kind.required or (group in kind.required and field.name in kind.columns)
    asked = asked or (kind.adds is not None and field is kind.fields[0])
    value = f"{FILL_IN if asked else 1} {field.unit_text}".strip()
    indent = "    " if "." in field.name else "  "
    line = f"{indent}{key}: {value}" if asked else f"  # {indent[2:]}{key}: {value}"
    return f"{line.ljust(_WIDTH)}  # {field.doc}"
