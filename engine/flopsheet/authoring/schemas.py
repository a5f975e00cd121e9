"""JSON Schemas of sheets and questions, for editors; their keys are those that the readers know."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flopsheet.answer.question_file import KEYS as QUESTION_KEYS
from flopsheet.registry.authoring import DIALECT, TEXT, mapping, one_or_more, schema
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.records import BASES
from flopsheet.sheets.kernel import NAME
from flopsheet.sheets.yaml_rows import SECTIONS
from flopsheet.sheets.yaml_sheet import KEYS as SHEET_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable

_SCALAR = {"type": ["string", "number", "boolean"]}  # a text as editors see it: 4096 is a number to them
_TEXTS, _FLAG = one_or_more(_SCALAR), {"type": "boolean"}
_CELL = {  # of rows; any other key has a text
    "options": {"type": "array", "items": _SCALAR, "minItems": 1, "uniqueItems": True},
    "inferred": one_or_more(_SCALAR),
    "fixed": _FLAG,
    "integer": _FLAG,
    "signed": _FLAG,
    "bare": _FLAG,
}
_DESCRIPTIONS = {
    "formula": "Formula over the cells of the file",
    "inferred": "Formula of the default, or several: the first applies whose records have its figures",
    "fixed": "Whether the default is a definition or a constant of nature, which other equations never override",
    "unit": "Unit in which it is shown: GiB, TFLOP/s",
    "doc": "What it means, as a noun phrase",
    "bare": "Whether the figures of the record are cells without prefix: d_model, not model.d_model",
    "default": "Value that a question may override, with its unit",
    "example": "Value for documentation and tests",
    "source": "Key of sources.yaml, or what the source is",
    "symbol": "LaTeX symbol",
    "of": "Part whose record names this one: the system of a chip",
    "after": "Cell behind which its figures come",
    "domain_of": "Cell whose formula has a value only where the limit holds: it binds where that cell is used",
    "relation": "Relation that must hold: device_memory <= chip.memory",
    "implicit": "Whether formulas may depend on each other",
    "where": "Relations: d_model = 16384, device_memory <= 95 GiB",
    "unknown": "Cells, parts or choices that are asked for",
    "without": "Limits of the sheet to lift",
    "budget": "How long the answer may take: 60 s",
    "best": "How names are ranked: max:CELL or min:CELL",
    "figures": "Which figures of records count",
    "question": "The question as a person asks it: How many chips train 70B parameters within 30 days?",
    "include": "Files beside the question, each with `where`",
    "vary": "By cell the values that it takes",
    "show": "Cells to show in each row",
}
_SEVERAL = ("assumptions", "notes", "sources", "where", "unknown", "without", "include", "before", "after", "show")


def sheet_schema() -> dict[str, Any]:
    """Return the schema of a YAML sheet."""
    sections = {name: _section(name) for name in SECTIONS}
    others = {key: _texts(key) if key in _SEVERAL else _one(key) for key in SHEET_KEYS if key not in sections}
    flags = {key: {**_described(key), **_FLAG} for key in ("implicit", "override")}
    aliases = {"aliases": {"type": "object", "additionalProperties": TEXT}}
    rows = [{"required": [section]} for section in ("cells", "parts")]
    return _document("a sheet", {**others, **flags, **sections, **aliases}, ("sheet", "title"), anyOf=rows)


def question_schema() -> dict[str, Any]:
    """Return the schema of a question file."""
    properties = {key: _texts(key) if key in _SEVERAL else _one(key) for key in QUESTION_KEYS}
    properties["figures"] = {**_described("figures"), "enum": list(BASES)}
    properties["override"] = _FLAG
    vary = {**_described("vary"), "type": "object", "additionalProperties": one_or_more(_SCALAR)}
    properties["table"] = mapping({"vary": vary, "show": _texts("show")})
    return _document("a question", properties, ("sheet",), anyOf=[{"required": ["where"]}, {"required": ["include"]}])


def schemas() -> dict[str, Callable[[], dict[str, Any]]]:
    """Return what makes each schema, by the kind of records, or by `sheet` and `question`."""
    kinds = {kind: partial(schema, record_type) for kind, record_type in KINDS.items()}
    return {**kinds, "sheet": sheet_schema, "question": question_schema}


def _document(what: str, properties: dict[str, Any], required: tuple[str, ...], **more: Any) -> dict[str, Any]:
    return {"$schema": DIALECT, "title": f"flopsheet: {what}", **mapping(properties, required=list(required)), **more}


def _section(name: str) -> dict[str, Any]:
    """Return the schema of the rows of a section, by name."""
    keys, required = SECTIONS[name]
    properties = {key: {**_described(key), **_CELL.get(key, _SCALAR)} for key in keys}
    row = mapping(properties, **({"required": list(required)} if required else {}))
    return {"type": "object", "propertyNames": {"pattern": f"^{NAME.pattern}$"}, "additionalProperties": row}


def _one(key: str) -> dict[str, Any]:
    return {**_described(key), **_SCALAR}


def _texts(key: str) -> dict[str, Any]:
    return {**_described(key), **_TEXTS}


def _described(key: str) -> dict[str, Any]:
    return {"description": _DESCRIPTIONS[key]} if key in _DESCRIPTIONS else {}
