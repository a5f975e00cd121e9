"""Questions by name over all packs: files of `models/questions/`, and the section `questions` of `flopsheet.yaml`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, RegistryError
from flopsheet.registry.names import Holder, Names, unknown_name
from flopsheet.registry.pack_file import QUESTIONS, mistakes_in, single_file
from flopsheet.registry.packs import BUILT_IN, SINGLE, Pack, packs
from flopsheet.registry.store import registry
from flopsheet.session import cached_from_files
from flopsheet.sheets.catalogue import listing

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.question.question import Question
    from flopsheet.registry.strict_yaml import Node

FOLDER = "models/questions"


@dataclass(frozen=True)
class QuestionPlace:
    """Where a question is declared."""

    file: Path
    pack: Pack | None = None  # the pack of which a name means it; None for a file that is named by its path
    section: str = ""  # its name in the section `questions` of a `flopsheet.yaml`; empty for a file of its own

    def node(self) -> Node:
        """Return its content.

        Raises:
            RegistryError: the file cannot be read.
        """
        if self.pack is not None and self.section:
            return single_file(self.pack)[0][QUESTIONS].items[self.section]
        from flopsheet.registry.strict_yaml import read  # imports yaml, which answers do not need

        return read(self.file, "" if self.pack is None else self.pack.shown(self.file))


def place_of(path: Path) -> QuestionPlace:
    """Return the place of a question that a path, a name or `PACK:NAME` means; a path that exists comes first.

    Raises:
        UnknownNameError: there is no such question or pack.
        RegistryError: two packs give the name.
    """
    name = str(path)
    if os.path.exists(path) or os.sep in name or path.suffix:  # noqa: PTH110  # pathlib may raise
        return QuestionPlace(path)
    known, where = question_names(packs())[0], "question"
    holder = known.lookup(name, where)
    if holder is None:
        more = mistakes_in(packs()) or "A path names a file."
        raise unknown_name(name, [known], "question or file", where, shown=known.holders, more=more)
    return holder.item


@cached_from_files
def question_names(packs: tuple[Pack, ...]) -> tuple[Names[QuestionPlace], tuple[FlopsheetError, ...]]:
    """Return the questions of packs by name, and what is wrong with the files of others."""
    names: Names[QuestionPlace] = Names("question")
    problems: list[FlopsheetError] = []
    for pack in packs:
        problems += pack.strays(FOLDER, "*.yaml")
        nodes = single_file(pack)[0]
        section = nodes.get(QUESTIONS)
        holders = [_holder(QuestionPlace(file, pack), pack, file.stem) for file in pack.files(FOLDER, "*.yaml")]
        if section is not None:
            holders += [_holder(QuestionPlace(pack.folder / SINGLE, pack, name), pack, name) for name in section.items]
        for holder in filter(None, holders):
            try:
                names.add(holder)
            except FlopsheetError as error:
                problems.append(error)
    return names, tuple(problems)


def _holder(place: QuestionPlace, pack: Pack, name: str) -> Holder[QuestionPlace] | None:
    """Return the holder of a question; None for a file of relations that questions include."""
    override = False
    if pack.origin != BUILT_IN:
        from flopsheet.registry.strict_yaml import Mapping

        try:
            node = place.node()
        except RegistryError:
            node = None  # asking for it tells what is wrong
        if isinstance(node, Mapping):
            if "sheet" not in node.items:
                return None
            override = getattr(node.items.get("override"), "text", "") == "true"
    shown = pack.shown(place.file)
    if place.section:
        shown = str(single_file(pack)[0][QUESTIONS].keys[name])
    return Holder(pack, place, shown, name, override)


def left_out_files(question: Question) -> list[FlopsheetError]:
    """Return mistakes in files of packs for which the sheet of a question, or records of its kinds, were left out."""
    parts, named = question.sheet.parts, {*question.records, *question.names}
    kinds = sorted({part.kind for name, part in parts.items() if name in named})
    refused = listing(packs()).rejected.get(question.sheet.name)
    return [*([refused] if refused else []), *(problem for kind in kinds for problem in registry(kind).problems)]


def name_warnings(question: Question) -> list[str]:
    """Return which sheet and which records of a question have the name of a built-in one, without saying so."""
    warnings = listing(packs()).warnings_of(question.sheet)
    for record in question.records.values():
        warnings += registry(record.kind).names.warnings_of(record)
    return [str(warning) for warning in warnings]
