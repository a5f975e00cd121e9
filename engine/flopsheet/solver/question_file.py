"""Question files: a question as YAML, with a title, re-run at any time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError
from flopsheet.registry.reader import Reader
from flopsheet.registry.strict_yaml import Items, Mapping, read
from flopsheet.sheets.catalogue import sheet
from flopsheet.solver.question import Question, ask
from flopsheet.solver.table import Table, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.records import Spot

KEYS = ("title", "before", "sheet", "unknown", "include", "where", "table", "template", "after")
MOST_INCLUDED = 20


@dataclass(frozen=True)
class QuestionFile:
    """A question with what its write-up needs.

    Args:
        question: the question.
        title: the headline, or empty.
        template: name of the template.
        table: the same question at several values, or None; the question itself is then that of the first row.
        before: paragraphs before the answer.
        after: paragraphs behind it.
    """

    question: Question
    title: str
    template: str
    table: Table | None = None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def _repr_markdown_(self) -> str:
        from flopsheet.render.notebook import question_file_page

        return question_file_page(self)


def read_question(path: Path | str) -> QuestionFile:
    """Return the question that a YAML file holds.

    Raises:
        RegistryError: the file is no YAML, or has unknown, duplicate or missing keys.
        FlopsheetError: the question in it is wrong; the message names file and line.
    """
    reader = Reader(read(Path(path)))
    reader.check_keys(KEYS, ("sheet",) if reader.has("include") else ("sheet", "where"))
    title, template = reader.text("title"), reader.text("template", "derivation")
    before, after = (_paragraphs(reader.texts(name)) for name in ("before", "after"))
    unknown, where = reader.texts("unknown"), (*_included(reader, Path(path)), *reader.texts("where"))
    spot = (reader.node.items.get("where") or reader.node.items["include"]).spot
    model = sheet(reader.text("sheet"))
    try:
        if not reader.has("table"):
            return QuestionFile(ask(model, unknown, where), title, template, None, before, after)
        vary, show = _table(reader.inner("table"))
        first = [f"{name} = {values[0]}" for name, values in vary.items()]
        question = ask(model, unknown, [*where, *first])
        return QuestionFile(question, title, template, table(model, vary, show, where, unknown), before, after)
    except FlopsheetError as error:
        line = _line_of(reader, reader.texts("where"), error.where) or spot
        raise type(error)(f"{line}, {error.where}", error.problem, error.fix) from None


def _paragraphs(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts as paragraphs: an empty line begins one."""
    return tuple(part.strip() for text in texts for part in re.split(r"\n\s*\n", text) if part.strip())


def is_question(path: Path) -> bool:
    """Whether a YAML file is meant as a question: what is included has `where` alone. A broken one is."""
    try:
        node = read(path)
    except FlopsheetError:
        return True
    return isinstance(node, Mapping) and "sheet" in node.items


def _included(reader: Reader, path: Path) -> list[str]:
    """Return the relations of the files that a question includes; each holds `where`, and lies beside it or below."""
    found: list[str] = []
    names = reader.texts("include")
    if len(names) > MOST_INCLUDED:
        raise RegistryError(reader.place("include"), f"It includes {len(names)} files, more than {MOST_INCLUDED}.")
    folder = path.resolve().parent
    for name in names:
        file = (folder / name).resolve()
        if Path(name).is_absolute() or not file.is_relative_to(folder):
            problem = f"'{name[:60]}' does not lie in the folder of the question, or below."
            raise RegistryError(reader.place("include"), problem, "Name a file there.")
        inner = Reader(read(file, name))
        inner.check_keys(("where",), ("where",))
        found += inner.texts("where")
    return found


def _table(reader: Reader) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the values of each varied cell, and the cells that are shown."""
    reader.check_keys(("vary", "show"), ("vary",))
    varied = reader.inner("vary")
    return {name: varied.texts(name) for name in varied.node.items}, reader.texts("show")


def _line_of(reader: Reader, where: tuple[str, ...], place: str) -> Spot | None:
    """Return the place of the relation that an error speaks of."""
    items = reader.node.items.get("where")
    if not isinstance(items, Items):
        return None
    for text, item in zip(where, items.items, strict=True):
        if f"'{' '.join(text.split())[:60]}" in place:
            return item.spot
    return None
