"""Question files: a question as YAML, with a title, re-run at any time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.answer.solve import answer as answer_to
from flopsheet.answer.table import Table, table
from flopsheet.displays import display
from flopsheet.errors import FlopsheetError, Place, RegistryError, expect_path
from flopsheet.question.ask import ask
from flopsheet.question.names import QuestionPlace, place_of
from flopsheet.registry.packs import use_pack_of
from flopsheet.registry.reading_time import in_time
from flopsheet.registry.strict_yaml import Items, Mapping, Node, Reader, Text, read
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.question.question import Question

ASKED = ("sheet", "unknown", "where", "without", "budget", "best", "figures", "show", "table")
KEYS = (*ASKED, "include", "question", "title", "before", "after", "template", "override")
MOST_INCLUDED, LONGEST_SHOWN = 20, 60


@dataclass(frozen=True)
class QuestionFile:
    """A question with what its write-up needs."""

    question: Question
    title: str  # the headline, or empty
    template: str  # its name, or empty for the default one
    table: Table | None = None  # the same question at several values; `question` is then that of the first row
    before: tuple[str, ...] = ()  # paragraphs before the answer
    after: tuple[str, ...] = ()  # paragraphs behind it
    spots: tuple[tuple[str, Place], ...] = field(default=(), repr=False)  # its texts with their places, a first one
    path: Path = Path()  # the file, beside which packs are looked for
    wording: str = ""  # the question as a person asks it, or empty

    def answer(self) -> Answer:
        """Return the answer to its question.

        Raises:
            FlopsheetError: the question is put wrongly; the message names file and line.
        """
        use_pack_of(self.path)
        try:
            return answer_to(self.question)
        except FlopsheetError as error:
            raise self.placed(error) from None

    def placed(self, error: FlopsheetError) -> FlopsheetError:
        """Return an error with file and line: of the longest text of the question that it speaks of."""
        return _placed(error, self.spots)

    def _repr_markdown_(self) -> str:
        return str(display("question_file_page", self))


@fresh
@in_time
def read_question(path: Path | str) -> QuestionFile:
    """Return the question that a YAML file holds; the pack around the file is used with the others.

    Args:
        path: the file, or the name of a question of a pack: `NAME` or `PACK:NAME`.

    Raises:
        RegistryError: the file is no YAML, or has unknown, duplicate or missing keys.
        FlopsheetError: the question in it is wrong; the message names file and line.
    """
    return read_place(place_of(expect_path(path, "question file")))


def read_place(place: QuestionPlace) -> QuestionFile:
    """Return the question of a place, as `read_question` does."""
    use_pack_of(place.file)
    return _question(Reader(place.node()), place.file)


def _question(reader: Reader, path: Path) -> QuestionFile:
    _refuse_pairs(reader)
    reader.check_keys(KEYS, ("sheet",) if reader.has("include") else ("sheet", "where"))
    reader.flag("override", default=False)
    title, template = reader.text("title"), reader.text("template")
    wording = " ".join(reader.text("question").split())
    before, after = (_paragraphs(reader.texts(name)) for name in ("before", "after"))
    included = list(_included(reader, path))
    where = (*(text for text, _ in included), *reader.texts("where"))
    unknown, without = reader.texts("unknown"), reader.texts("without")
    how: dict[str, Any] = {key: reader.text(key) or None for key in ("budget", "best", "figures")}
    show = reader.texts("show")
    first = reader.node.items.get("where") or reader.node.items["include"]
    texts = (pair for key in (*ASKED, "template") for pair in _texts(reader.node.items.get(key)))
    spots = (("", first.spot), *texts, *included)
    try:
        model = sheet(reader.text("sheet"))
        if not reader.has("table"):
            question = ask(model, unknown, where, without=without, show=show, **how)
            return QuestionFile(question, title, template, None, before, after, spots, path, wording)
        rows = reader.inner("table")
        rows.check_keys(("vary", "show"))
        varied = rows.inner("vary") if rows.has("vary") else None
        vary = {name: varied.texts(name) for name in varied.node.items} if varied else {}
        rows_of = table(model, unknown, where, vary=vary, show=rows.texts("show"), without=without, **how)
        question = ask(model, unknown, [*where, *rows_of.first], without=without, show=show, **how)
        return QuestionFile(question, title, template, rows_of, before, after, spots, path, wording)
    except FlopsheetError as error:
        raise _placed(error, spots) from None


def _refuse_pairs(reader: Reader) -> None:
    """Reject `chip: h100-sxm` in place of a relation, and what varies outside of the table.

    Raises:
        RegistryError: so it is; the message has the line to write.
    """
    where, vary = (reader.node.items.get(key) for key in ("where", "vary"))
    for node in where.items if isinstance(where, Items) else [where]:
        if isinstance(node, Mapping) and node.items:
            name, value = next(iter(node.items.items()))
            text = " ".join(value.text.split()) if isinstance(value, Text) else "..."
            relation = f"{name} {text}" if text[:1] in ("=", "<", ">") else f"{name} = {text}"
            fix = f"Write '- {relation}', a line for each relation."
            raise RegistryError(f"{node.spot}, key 'where'", "Expected relations as texts.", fix)
    if isinstance(vary, Mapping):
        name = next(iter(vary.items), "chip")
        fix = f"Write 'table: {{vary: {{{name}: [...]}}}}'."
        raise RegistryError(reader.place("vary"), "What varies belongs to the key 'table'.", fix)


def _paragraphs(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts as paragraphs: an empty line begins one."""
    return tuple(part.strip() for text in texts for part in re.split(r"\n\s*\n", text) if part.strip())


def is_question(path: Path) -> bool:
    """Whether a YAML file is meant as a question: what is included has `where` alone. A file with mistakes is."""
    try:
        node = read(path)
    except FlopsheetError:
        return True
    return isinstance(node, Mapping) and "sheet" in node.items


def _included(reader: Reader, path: Path) -> Iterator[tuple[str, Place]]:
    """Yield the relations of the files that a question includes, with places; each file holds `where`."""
    names = reader.texts("include")
    if len(names) > MOST_INCLUDED:
        raise RegistryError(reader.place("include"), f"It includes {len(names)} files, more than {MOST_INCLUDED}.")
    folder = path.resolve().parent
    for name in names:
        file = (folder / name).resolve()
        if Path(name).is_absolute() or not file.is_relative_to(folder):
            problem = f"'{name[:60]}' is not in the folder of the question, or below."
            raise RegistryError(reader.place("include"), problem, "Name a file there.")
        try:
            inner = Reader(read(file, name))
            inner.check_keys(("where",), ("where",))
            inner.texts("where")
        except FlopsheetError as error:
            raise type(error)(f"{reader.place('include')}, {error.where}", error.problem, error.fix) from None
        yield from _texts(inner.node.items["where"])


def _placed(error: FlopsheetError, spots: Sequence[tuple[str, Place]]) -> FlopsheetError:
    """Return an error with the place of the longest text that it speaks of, or the first one, unless it names one."""
    if any(error.where.startswith(f"{spot.file}:") for _, spot in spots):
        return error
    texts = [(" ".join(text.split())[:LONGEST_SHOWN], spot) for text, spot in spots]
    line = spots[0][1]
    for message in (error.problem, "" if error.where.startswith("table of") else error.where):
        named = [(text, spot) for text, spot in texts if text and f"'{text}" in message]
        line = max(named, key=lambda text_spot: len(text_spot[0]), default=("", line))[1]
    return type(error)(f"{line}, {error.where}", error.problem, error.fix)


def _texts(node: Node | None) -> Iterator[tuple[str, Place]]:
    """Yield the texts in a node, those of keys included, each with its place."""
    if isinstance(node, Text):
        yield node.text, node.spot
    elif isinstance(node, Items):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, Mapping):
        yield from node.keys.items()
        for value in node.items.values():
            yield from _texts(value)
