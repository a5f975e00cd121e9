"""The page about templates, generated from the code: every field that a template sees, with its type and meaning."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import TYPE_CHECKING, get_args, get_type_hints

from flopsheet.report.entries import Driver, Input, Line, Reference, Result, Verdict
from flopsheet.report.forms import FORMATS
from flopsheet.report.templating.budget import LONGEST, LONGEST_RANGE, MOST_CHARACTERS, MOST_STEPS
from flopsheet.report.templating.environment import environment
from flopsheet.report.writeup import WriteUp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.report.forms import TextForm

ENTRIES = (Result, Input, Line, Verdict, Driver, Reference)
_ABOUT = """# Templates

A write-up is a [jinja2](https://jinja.palletsprojects.com) template that sees one object, `w`. `derivation` is the
default; `--template NAME` selects another: `brief` is a paragraph, `memo` a page for decision makers, `table` a list of
cells, `compare` the rows of a table side by side. `flopsheet templates` lists them all.

Templates are read from `templates/` of every pack. A template of a later pack overrides one of the same name. To change
a part of a page only, start with `{{% extends "flopsheet/derivation.html.j2" %}}`, where `flopsheet` names the pack,
and redefine a block: {blocks}.

The suffix determines the form, the escaping and the filters:

| form | suffix | texts | filters |
|---|---|---|---|
{forms}

Formulas are LaTeX. `math` writes a formula inside a line, `display` one on its own line, `aligned` the `lines` of a
step; in Markdown, write them between dollar signs. `e` escapes a text in every form. In LaTeX, a formula with commands
that are not allowed in formulas is printed as text; a template that uses `display` or `aligned` defines `\\formula` as
`derivation.tex.j2` does. `x is web` holds where `x` is an address that begins with `http://` or `https://`.

Templates run in a sandbox: no access to Python's internals, no `*` and `**`, no text on the left of `%`, only methods
that read. A misspelt field is an error that names the line of the template and the nearest field. Rendering stops after
{steps:,} steps (loop iterations, calls, parts of values that filters read) or {characters:,} characters; a value has at
most {longest:,} parts, a range {range:,} numbers. Further filters: {filters}.

This page is generated from the code.
"""


def reference() -> str:
    """Return the page in Markdown."""
    rows = [(name, pages.suffix, pages.form) for name, pages in FORMATS.items()]
    forms = [f"| {name} | `{suffix}` | {_escaping(form)} | {_names(form.filters)} |" for name, suffix, form in rows]
    own = {name for _, _, form in rows for name in form.filters}
    common = sorted(name for name in environment().filters if not name.startswith("_") and name not in own)
    about = _ABOUT.format(
        blocks="`content`, in HTML also `style`, in LaTeX also `preamble`",
        forms="\n".join(forms), filters=_names(common),
        steps=MOST_STEPS, characters=MOST_CHARACTERS, longest=LONGEST, range=LONGEST_RANGE,
    )  # fmt: skip
    entries = (_table(kind.__name__, kind, entry_fields(kind)) for kind in ENTRIES)
    return "\n".join([about, _table("w", WriteUp, write_up_fields()), *entries])


def write_up_fields() -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of each field of `w`: the public properties of a write-up."""
    for name, field in vars(WriteUp).items():
        if isinstance(field, cached_property) and not name.startswith("_"):
            yield name, field.func.__annotations__["return"], " ".join((field.__doc__ or "").split())


def entry_fields(kind: type) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of each field of an entry."""
    for name, annotation in get_type_hints(kind, include_extras=True).items():
        declared, meaning = get_args(annotation)
        yield name, declared.__name__ if isinstance(declared, type) else str(declared), meaning


def _escaping(form: TextForm) -> str:
    return "escaped automatically" if form.automatic else "escaped by the filter `md`"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(heading: str, kind: type, fields: Iterable[tuple[str, str, str]]) -> str:
    rows = [f"| `{name}` | {_in_words(declared)} | {meaning} |" for name, declared, meaning in fields]
    head = (inspect.getdoc(kind) or "").splitlines()[0]
    return "\n".join([f"## {heading}", "", head, "", "| field | type | meaning |", "|---|---|---|", *rows, ""])


def _in_words(annotation: str) -> str:
    """Return a type in words: `list[list[str]]` is a list of lists of texts."""
    plain = annotation.replace("tuple[str, ...]", "list[str]")
    words = {"str": "text", "bool": "yes or no", "int": "whole number"}
    if plain.startswith("list["):
        return f"list of {_in_words(plain[5:-1])}"
    return words.get(plain) or " or ".join(words.get(part, part) for part in plain.split(" | "))
