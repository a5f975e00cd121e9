"""Generates the API reference and the tutorial from the docstrings of the public names."""

from __future__ import annotations

import inspect
import re
from textwrap import dedent
from typing import Any, NamedTuple

import flopsheet

SECTIONS = ("Args", "Returns", "Raises", "Example")
_SECTION = re.compile(rf"^({'|'.join(SECTIONS)}):\n((?:(?:    .*)?\n?)*)", re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}\w[\w, |]*): ")


class Group(NamedTuple):
    """A chapter of the reference: a headline and the public names under it."""

    title: str
    names: tuple[str, ...]


class Lesson(NamedTuple):
    """A chapter of the tutorial: a headline, what it teaches, and the public name whose example it shows."""

    title: str
    text: str
    name: str


GROUPS = (
    Group("Questions and answers", ("solve", "Answer", "table", "read_question")),
    Group("Sheets", ("Sheet", "given", "formula", "choice", "limit", "part", "override", "sheet")),
    Group(
        "Functions of formulas",
        (
            *("max_", "min_", "ceil", "floor", "mod", "indicator", "select", "equal", "ratio", "sqrt", "exp", "log"),
            *("log2", "sin", "cos", "tan", "asin", "acos", "atan", "erlang_c", "geometric_sum", "pi"),
            "Expr",
        ),
    ),
    Group("Registry", ("record", "records", "Chip", "System", "Datacenter", "Architecture", "use_pack", "reload")),
    Group("Quantities", ("quantity", "Quantity", "unit")),
    Group("Errors", ("FlopsheetError",)),
)


def api_page() -> str:
    """Return the API reference as Markdown: every public name with its signature and docstring."""
    parts = [
        "# API reference",
        "Generated from the docstrings, whose examples run as tests. Everything below is imported from `flopsheet`.",
    ]
    for group in GROUPS:
        parts.append(f"## {group.title}")
        for name in group.names:
            parts += _entry(name, getattr(flopsheet, name))
    return "\n\n".join(parts) + "\n"


def example(name: str) -> str:
    """Return the example in the docstring of a public name, or an empty text."""
    sections = dict(_SECTION.findall(inspect.getdoc(getattr(flopsheet, name)) or ""))
    return _plain_quotes(dedent(sections.get("Example", "")).strip())


def tutorial_page(lessons: tuple[Lesson, ...]) -> str:
    """Return the tutorial as Markdown: lessons in order, each with the example of one public name."""
    parts = [
        "# Tutorial",
        "Each example below is part of a docstring and runs as a test. Paste the lines behind `>>>` into Python.",
    ]
    for number, lesson in enumerate(lessons, 1):
        parts += [f"## {number}. {lesson.title}", lesson.text, f"```pycon\n{example(lesson.name)}\n```"]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, value: Any) -> list[str]:
    text = inspect.getdoc(value) or ""
    parts = [f"### `{name}{_signature(value)}`", _SECTION.sub("", text).strip()]
    for title, body in _SECTION.findall(text):
        content = _plain_quotes(dedent(body).strip())
        shown = f"```pycon\n{content}\n```" if title == "Example" else _items(content)
        parts.append(f"**{title}**\n\n{shown}")
    if inspect.isclass(value):
        members = inspect.getmembers_static(value, _is_shown)
        rows = [f"- `.{key}{_signature(member)}`: {_first_line(member)}" for key, member in members if key[0] != "_"]
        parts += ["\n".join(rows)] if rows else []
    return [part for part in parts if part]


class _Plain(str):
    """An annotation as it is written, without the quotes that `inspect` puts around a text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(value: Any) -> str:
    """Return the signature of a function or method as it is written; nothing for properties and classes."""
    if not inspect.isfunction(value):
        return ""
    signature = inspect.signature(value)
    parameters = [
        parameter.replace(annotation=_Plain(parameter.annotation))
        if isinstance(parameter.annotation, str)
        else parameter
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    returned = signature.return_annotation
    return str(signature.replace(parameters=parameters, return_annotation=_Plain(returned)))


def _plain_quotes(text: str) -> str:
    """Return an example with the usual quotes around docstrings, which cannot stand inside another docstring."""
    return text.replace("'''", '"""')


def _items(content: str) -> str:
    """Return the items of a section as a list, continuation lines joined."""
    lines: list[str] = []
    for line in content.splitlines():
        item = _ITEM.match(line)
        if item:
            lines.append(f"- `{item[1]}`: {line[item.end() :]}")
        elif lines and line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.strip())
    return "\n".join(lines)


def _is_shown(value: Any) -> bool:
    return isinstance(value, property) or inspect.isfunction(value) or hasattr(value, "func")


def _first_line(value: Any) -> str:
    return (inspect.getdoc(getattr(value, "func", value)) or "").partition("\n")[0]
