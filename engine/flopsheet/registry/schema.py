"""JSON Schema of the files of records, for editors: what the strict loader reads, in a language that they know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.registry.fields import KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.fields import Field, RecordType

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_DATE = {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_NUMBER = r"(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?"


def schema(kind: RecordType) -> dict[str, Any]:
    """Return the schema of a file of records of a kind. Numbers without a unit may be YAML numbers there."""
    return {
        "$schema": DIALECT,
        "title": f"flopsheet: records of kind {kind.kind}",
        "type": "object",
        "propertyNames": {"pattern": f"^{KEY}$"},
        "additionalProperties": _record(kind),
    }


def _record(kind: RecordType) -> dict[str, Any]:
    about: dict[str, Any] = {
        "name": {**_TEXT, "description": "Full name"},
        kind.maker: {**_TEXT, "description": "Who makes or runs it"},
        "released": {**_DATE, "description": "Date of release or first operation"},
        "aliases": {**_TEXTS, "description": "Other names"},
        "source": {**_TEXTS, "description": "Keys of sources.yaml, or what the source is"},
        "note": {**_TEXT, "description": "What to know about it"},
        "extends": {**_TEXT, "description": "Record whose figures it has where it says nothing"},
        "override": {"type": "boolean", "description": "Whether it takes the place of a record of an earlier pack"},
        **{key: {**_TEXT, "description": f"Name of a {other.kind}"} for key, other in kind.references.items()},
    }
    return {
        "type": "object",
        "properties": {**about, **_groups(kind)},
        "additionalProperties": False,
        "anyOf": [{"required": list(kind.required)}, {"required": ["extends"]}],
    }


def _groups(kind: RecordType) -> dict[str, Any]:
    """Return the properties of fields and labels; dotted names as mappings."""
    found: dict[str, Any] = {}
    leaves = {**{each.name: _figure(each) for each in kind.fields}, **dict.fromkeys(kind.labels, _TEXTS)}
    for name, leaf in leaves.items():
        group, dot, inner = name.partition(".")
        if not dot:
            found[group] = leaf
            continue
        holder = found.setdefault(
            group, {"type": "object", "properties": {}, "additionalProperties": False, "minProperties": 1}
        )
        holder["properties"][inner] = leaf
    return found


def _figure(each: Field) -> Mapping[str, Any]:
    value = _value(each)
    whole = {
        "type": "object",
        "properties": {"value": value, "source": _TEXTS, "note": _TEXT, "verified": {"type": "boolean"}},
        "required": ["value"],
        "additionalProperties": False,
    }
    unit = f" [{each.unit_text}]" if each.unit_text else ""
    return {"description": f"{each.doc}{unit}", "oneOf": [value, whole]}


def _value(each: Field) -> dict[str, Any]:
    sign = "-?" if each.between and each.between[0] < 0 else ""
    text = {"type": "string", "pattern": rf"^{sign}{_NUMBER}( ?[^\d\s].*)?$"}
    if each.unit_text:
        return text
    number: dict[str, Any] = {"type": "integer" if each.integer else "number"}
    if each.between:
        number |= {"minimum": each.between[0], "maximum": each.between[1]}
    else:
        number["exclusiveMinimum"] = 0
    return {"oneOf": [number, text]}
