"""Writes YAML for people: a row on a line where it fits, else a key on a line; quotes only where they are needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH = 120
_PLAIN = re.compile(r"(?!.*(?:: | #))[A-Za-z0-9($\\](?:[\x20-\x7e]*[\x21-\x39\x3b-\x7e])?")
_BRACKETS = re.compile(r"[,\[\]{}]")
_QUOTED = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*")


def section(key: str, said: Any) -> str:
    """Return a key of a file with what it says: a text, a list of texts, or rows by name."""
    if isinstance(said, str):
        return _block(key, said) if "\n" in said else f"{key}: {scalar(said)}\n"
    if isinstance(said, list):
        return f"{key}:\n" + "".join(f"  - {scalar(text)}\n" for text in said)
    return f"{key}:\n" + "".join(_row(name, row) for name, row in said.items())


def _block(key: str, text: str) -> str:
    lines = text.split("\n")
    if any(not _QUOTED.fullmatch(line) or line != line.rstrip() for line in lines) or lines[0][:1].isspace():
        return f"{key}: {scalar(text)}\n"
    return f"{key}: |\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines)


def _row(name: str, row: Mapping[str, Any] | str) -> str:
    if isinstance(row, str):
        return f"  {scalar(name)}: {scalar(row)}\n"
    line = f"  {scalar(name)}: {{{', '.join(f'{key}: {_value(each, inside=True)}' for key, each in row.items())}}}\n"
    if len(line) <= WIDTH:
        return line
    return f"  {scalar(name)}:\n" + "".join(f"    {key}: {_value(each)}\n" for key, each in row.items())


def _value(said: Any, *, inside: bool = False) -> str:
    if isinstance(said, str):
        return scalar(said, inside=inside)
    return f"[{', '.join(scalar(each, inside=True) for each in said)}]"


def scalar(text: str, *, inside: bool = False) -> str:
    """Return a text as YAML has it: plain where nothing in it means something else.

    Args:
        text: the text.
        inside: whether it stands in brackets.
    """
    if _PLAIN.fullmatch(text) and not (inside and _BRACKETS.search(text)):
        return text
    if _QUOTED.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return str(yaml.dump(text, default_style='"', width=1_000_000, allow_unicode=True)).rstrip("\n")
