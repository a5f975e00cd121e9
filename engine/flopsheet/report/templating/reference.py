"""The page about templates, made from the code: every field that a template sees, with its type and meaning."""

from __future__ import annotations

import inspect
import re

from flopsheet.report.entries import Input, Line, Move, Reference, Result, Verdict
from flopsheet.report.templating.budget import LONGEST, LONGEST_RANGE, MOST_CHARACTERS, MOST_STEPS
from flopsheet.report.templating.environment import FORMS, environment
from flopsheet.report.writeup import WriteUp

PARTS = (Result, Input, Line, Verdict, Move, Reference)
_ABOUT = """# Templates

A write-up is a [jinja2](https://jinja.palletsprojects.com) template that sees one object, `w`. `derivation` is the
default; `--template NAME` takes another: `brief` is a paragraph, `memo` a page for those who decide, `table` a list of
cells, `compare` puts the rows of a table side by side. `flopsheet templates` lists them all.

Beside the fields below, `w.graph` is what feeds what on the way to the answer, as Mermaid text for a code block of the
language `mermaid`; in HTML `w|graph` draws the same as SVG.

A template lies in `templates/` of any pack. One of the same name in a later pack takes the place of an earlier one. To
change a part only, it begins with `{{% extends "flopsheet/derivation.html.j2" %}}`, where `flopsheet` names the pack,
and redefines a block: {blocks}.

The suffix decides the form, how texts are made harmless, and the filters:

| form | suffix | texts | filters |
|---|---|---|---|
{forms}

Formulas are LaTeX. `math` writes one inside a line, `display` one on its own line, `aligned` the `lines` of a step; in
Markdown they stand between dollar signs as they are. `e` makes a text harmless in every form. In LaTeX, a formula with
commands that no formula needs is printed as text; a template that uses `display` or `aligned` defines `\\formula` as
`derivation.tex.j2` does. `x is web` holds where `x` is an address that begins with http.

Templates run in a sandbox: no access to Python's insides, no `*` and `**`, no text on the left of `%`, only methods
that look. A misspelt field is an error that names the template's line and the nearest field. A rendering ends at
{steps:,} steps (rounds of loops, calls, parts of what filters look at) or {characters:,} characters; a value has at
most {longest:,} parts, a range {range:,} numbers. Further filters: {filters}.

This page is generated from the code.
"""


def reference() -> str:
    """Return the page in Markdown."""
    rows = [f"| {name} | `{form.suffix}` | {_texts(name)} | {_names(form.filters)} |" for name, form in FORMS.items()]
    own = {name for form in FORMS.values() for name in form.filters}
    common = sorted(name for name in environment().filters if not name.startswith("_") and name not in own)
    about = _ABOUT.format(
        blocks="`content`, in HTML also `style`, in LaTeX also `preamble`",
        forms="\n".join(rows), filters=_names(common),
        steps=MOST_STEPS, characters=MOST_CHARACTERS, longest=LONGEST, range=LONGEST_RANGE,
    )  # fmt: skip
    return "\n".join(
        [about, _table("w", WriteUp, "Attributes"), *(_table(kind.__name__, kind, "Args") for kind in PARTS)]
    )


def _texts(name: str) -> str:
    return "made harmless by themselves" if FORMS[name].automatic else "pass through the filter `md`"


def _names(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]  # any iterable of names


def _table(heading: str, kind: type, section: str) -> str:
    """Return the fields of a class, read from a section of its docstring and from its annotations."""
    told, types = _told(kind, section), kind.__annotations__
    missing = [name for name in types if name not in told]
    if missing or len(told) != len(types):
        raise ValueError(f"{kind.__name__}: the docstring does not tell {missing or [*told]}")
    head = inspect.getdoc(kind) or ""
    rows = [f"| `{name}` | {_typed(types[name])} | {meaning} |" for name, meaning in told.items()]
    return "\n".join(
        [f"## {heading}", "", head.splitlines()[0], "", "| field | type | meaning |", "|---|---|---|", *rows, ""]
    )


def _told(kind: type, section: str) -> dict[str, str]:
    text = (inspect.getdoc(kind) or "").partition(f"{section}:\n")[2].partition("\n\n")[0]
    lines = re.findall(r"^    (\w+): (.+(?:\n {8,}.+)*)", text, re.MULTILINE)
    return {name: " ".join(meaning.split()) for name, meaning in lines}


def _typed(annotation: str) -> str:
    """Return a type in words: `list[list[str]]` is a list of lists of texts."""
    plain = annotation.replace("tuple[str, ...]", "list[str]").replace("Sequence[", "list[")
    words = {"str": "text", "bool": "yes or no", "int": "whole number"}
    if plain.startswith("list["):
        return f"list of {_typed(plain[5:-1])}"
    return words.get(plain) or " or ".join(words.get(each, f"{each}") for each in plain.split(" | "))
