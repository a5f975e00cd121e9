"""A commented file for a new record: required figures to fill in, all others behind a `#`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.registry.packs import packs
from flopsheet.registry.reader import FILL_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.registry.fields import Field, RecordType

_WIDTH = 44


def template(kind: RecordType, name: str) -> str:
    """Return the text of a file that holds one new record of a kind."""
    return "\n".join(_lines(kind, name)) + "\n"


def _schema(kind: RecordType) -> str:
    """Return where the schema of a kind lies in this installation, as editors find it."""
    return (packs()[0].folder / "hardware" / "schemas" / f"{kind.kind}.schema.json").resolve().as_uri()


def _lines(kind: RecordType, name: str) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={_schema(kind)}"
    yield f"# Record of a {kind.kind} for flopsheet, in {kind.folder}/ of your project or of a pack. Write what stands"
    yield f"# as {FILL_IN}, uncomment what you know; `flopsheet hardware check FILE` tells what is left."
    yield "# A figure is a number with its unit, or {value: ..., note: ..., source: ..., verified: false}."
    yield f"{name}:"
    yield f"  name: {FILL_IN}  # full name"
    yield f"  {kind.maker}: {FILL_IN}  # who makes or runs it"
    yield f"  source: {FILL_IN}  # key of sources.yaml, or where you read it"
    yield "  # released: 2026-01-31"
    yield "  # aliases: [other-name]"
    yield "  # note: what to know about it"
    yield "  # extends: NAME  # a record whose figures it has where it says nothing"
    for key, other in kind.references.items():
        yield f"  {'' if key in kind.required else '# '}{key}: {FILL_IN}  # name of a {other.kind}"
    yield from (f"  # {each}: text" for each in kind.labels if "." not in each)
    yield from _figures(kind)


def _figures(kind: RecordType) -> Iterator[str]:
    group = ""
    for each in kind.fields:
        head, dot, inner = each.name.partition(".")
        if dot and head != group:
            yield f"  {'' if head in kind.required else '# '}{head}:"
            labels = (name.removeprefix(f"{head}.") for name in kind.labels if name.startswith(f"{head}."))
            yield from (f"  #   {label}: text" for label in labels)
        group = head if dot else ""
        yield _figure(each, inner if dot else head, kind)


def _figure(each: Field, key: str, kind: RecordType) -> str:
    asked = each.name in kind.required or (each.name == "flops.bf16" and "flops" in kind.required)
    value = f"{FILL_IN if asked else 1} {each.unit_text}".strip()
    indent = "    " if "." in each.name else "  "
    line = f"{indent}{key}: {value}" if asked else f"  # {indent[2:]}{key}: {value}"
    return f"{line.ljust(_WIDTH)}  # {each.doc}"
