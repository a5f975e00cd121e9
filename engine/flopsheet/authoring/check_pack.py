"""Checks a whole pack: records, sheets, questions, templates, links, and figures that are unusual."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flopsheet.answer.question_file import read_place
from flopsheet.authoring.contents import contents_of, counted
from flopsheet.authoring.findings import Findings
from flopsheet.authoring.plausibility import doubts
from flopsheet.errors import FlopsheetError, RegistryError
from flopsheet.question.names import question_names
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.pack_file import single_file
from flopsheet.registry.packs import Pack, packs, use_pack
from flopsheet.registry.store import misplaced, problems, registry, warnings
from flopsheet.report.templating import mistakes
from flopsheet.sheets.catalogue import listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def check_pack(folder: Path) -> Findings:
    """Return what is in a pack, which becomes the last one, and what is wrong or unusual there.

    Raises:
        RegistryError: the folder is no pack.
    """
    use_pack(folder)
    pack = next(pack for pack in packs() if pack.folder.samefile(folder))
    findings = Findings()
    own = _Own(pack)
    findings.errors += own.of([*problems(), *single_file(pack)[1], *listing(packs()).problems])
    findings.errors += own.of(question_names(packs())[1])
    moved = "Move it into a folder of a pack: hardware/chips/, models/ or another."
    findings.errors += own.of([RegistryError(file, "This file is not read.", moved) for file in misplaced()])
    findings.errors += _links(pack)
    findings.warnings += own.of([*warnings(), *listing(packs()).names.warnings, *question_names(packs())[0].warnings])
    for kind in KINDS:
        declared = [record for record in registry(kind).records.values() if record.pack == pack.name]
        findings.warnings += own.of(doubts(declared))
    findings.warnings += own.of(_doubtful_sources(pack))
    _check_sheets(pack, findings)
    _check_questions(pack, findings)
    findings.errors += mistakes(pack)
    findings.settle()
    findings.lines.append(f"{folder}: {counted(contents_of(pack))}. {findings.verdict}")
    return findings


class _Own:
    """Tells which findings are about files of a pack."""

    def __init__(self, pack: Pack) -> None:
        self.pack, self.others = pack, [other for other in packs() if other != pack]

    def of(self, findings: Iterable[FlopsheetError]) -> list[FlopsheetError]:
        prefix = self.pack.shown(self.pack.folder / "x").removesuffix("x")
        if prefix:
            return [finding for finding in findings if finding.where.startswith(prefix)]
        others = tuple(other.shown(other.folder / "x").removesuffix("x") for other in self.others)
        return [finding for finding in findings if not finding.where.startswith(others)]


def path_in(folder: Path, shown: str) -> str:
    """Return the path of a file of a pack by its name in messages, from the folder as it was named."""
    inside = shown.removeprefix(f"{os.path.basename(os.path.abspath(folder))}/")  # noqa: PTH100, PTH119  # of `..` too
    return (folder / inside).as_posix() if (folder / inside).exists() else shown


def _check_sheets(pack: Pack, findings: Findings) -> None:
    for holders in listing(packs()).names.holders.values():
        for holder in holders:
            if holder.pack != pack:
                continue
            if holder.item.file.suffix == ".py" and not pack.trusted:
                fix = f"Read the file; FLOPSHEET_TRUST={pack.folder} lets it run."
                findings.warnings.append(RegistryError(holder.place, "Python is not checked without trust.", fix))
            else:
                findings.attempt(holder.item.load)


def _check_questions(pack: Pack, findings: Findings) -> None:
    for holders in question_names(packs())[0].holders.values():
        for holder in holders:
            asked = findings.attempt(read_place, holder.item) if holder.pack == pack else None
            if asked is not None:
                findings.attempt(asked.answer)


def _links(pack: Pack) -> list[FlopsheetError]:
    """Return the links of a pack that lead out of it: they are not followed, and break where the pack is copied."""
    root = os.path.realpath(pack.folder)
    found: list[FlopsheetError] = []
    for name in ("hardware", "models", "templates"):
        for file in sorted((pack.folder / name).rglob("*")):
            if file.is_symlink() and os.path.commonpath((root, os.path.realpath(file))) != root:
                problem = "This leads out of the pack, and is not read."
                found.append(RegistryError(pack.shown(file), problem, "Copy the file into the pack."))
    return found


def _doubtful_sources(pack: Pack) -> Iterator[FlopsheetError]:
    """Yield the sources of a pack whose address leads to no page."""
    from flopsheet.registry.store import source_places

    for key, (url, place) in source_places(pack).items():
        if not url:
            continue
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            yield RegistryError(place, f"The address '{url[:80]}' of the source '{key}' is none.", "Write https://...")
        elif parts.path in ("", "/") and not parts.query and not parts.fragment:
            problem = f"The address of the source '{key}' is the root of a site."
            yield RegistryError(place, problem, "Name the page that states the figures.")
