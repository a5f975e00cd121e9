"""Checks files for what they are: records, sheets, questions, sources, or the `flopsheet.yaml` of a pack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.answer.question_file import read_question
from flopsheet.authoring.check_pack import check_pack
from flopsheet.authoring.findings import Findings
from flopsheet.authoring.plausibility import doubts
from flopsheet.errors import RegistryError
from flopsheet.registry.assembly import Registry
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import SINGLE, Pack, packs, use_pack_of
from flopsheet.registry.reading import read_records
from flopsheet.registry.reading_time import reading
from flopsheet.registry.store import added, find_record, misplaced, problems, records, warnings
from flopsheet.registry.strict_yaml import Mapping, Node, Reader, read
from flopsheet.sheets.catalogue import load
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.records import RecordType


def check(files: Iterable[Path], kind: str = "") -> Findings:
    """Return what is in files, each checked for what it is, or of a kind of records; without a file, in all packs."""
    asked = list(files)
    findings = Findings()
    for file in asked:
        findings.add(_check_file(file, kind))
    if not asked:
        folders = " or ".join(record_type.folder for record_type in KINDS.values())
        findings.errors += problems()
        findings.errors += [
            RegistryError(file, "This file is not read.", f"Move it into {folders}.") for file in misplaced()
        ]
        findings.warnings += warnings()
        findings.warnings += [doubt for name in KINDS for doubt in doubts(records(name).values())]
        counts = ", ".join(f"{len(records(name))} {name}s" for name in KINDS)
        number = len(packs())
        findings.lines.append(f"{counts} in {number} {'pack' if number == 1 else 'packs'}. {findings.verdict}")
    return findings


def _check_file(file: Path, kind: str) -> Findings:
    """Return what one file declares, read after all packs but its own."""
    findings = Findings()
    if file.name == SINGLE:
        return check_pack(file.absolute().parent)
    if file.suffix == ".py":
        text = _check_python(file, findings)
    else:
        use_pack_of(file)
        mistakes: list[RegistryError] = []
        node = findings.attempt(read, file, str(file), mistakes)
        text = "" if node is None else _check_content(file, kind, node, mistakes, findings)
    findings.lines.append(f"{file}: {text}. {findings.verdict}")
    return findings


def _check_python(file: Path, findings: Findings) -> str:
    """Return what a Python sheet holds, in words; it is run only where its pack is trusted."""
    use_pack_of(file)
    holding = [pack for pack in packs() if file.resolve().is_relative_to(pack.folder.resolve())]
    if not any(pack.trusted for pack in holding):
        folder = holding[-1].folder if holding else file.absolute().parent
        fix = f"Read the file; FLOPSHEET_TRUST={folder} lets that of a pack run."
        findings.warnings.append(RegistryError(str(file), "Python is not checked without trust.", fix))
        return "not run"
    sheet = findings.attempt(load, file)
    return "" if sheet is None else f"sheet, {len(sheet.cells)} cells"


def _check_content(file: Path, kind: str, node: Node, mistakes: list[RegistryError], findings: Findings) -> str:
    """Return what a YAML file holds, in words; what is wrong goes to the findings."""
    keys = node.items.keys() if isinstance(node, Mapping) and not kind else {}
    if "sheet" in keys and "where" not in keys and "include" not in keys:
        sheet = findings.attempt(read_sheet, file, str(file))
        return "" if sheet is None else f"sheet, {len(sheet.cells)} cells"
    if "sheet" in keys:
        asked = findings.attempt(read_question, file)
        return "" if asked is None else f"question of the sheet {asked.question.sheet.name}"
    if file.name == "sources.yaml":
        return _check_sources(node, mistakes, findings)
    return _check_records(file, KINDS[kind] if kind else _kind_of(file), node, mistakes, findings)


def _check_sources(node: Node, mistakes: list[RegistryError], findings: Findings) -> str:
    def check_row(reader: Reader, key: str) -> None:
        reader.inner(key).check_keys(("title", "url", "read"), ("title",))
        reader.inner(key).date("read")

    findings.errors += mistakes
    reader = findings.attempt(Reader, node)
    for key in reader.node.items if reader is not None else ():
        findings.attempt(check_row, reader, key)
    return f"{len(reader.node.items) if reader is not None else 0} sources"


def _check_records(file: Path, kind: RecordType, node: Node, mistakes: list[RegistryError], findings: Findings) -> str:
    try:
        with reading(str(file)):
            declared = read_records(node, kind, "", mistakes)
    except RegistryError as error:
        findings.errors += error.problems or (error,)
        return ""
    registry = Registry(kind, find_record, added(kind.kind, packs()))
    registry.read(pack for pack in packs() if not file.resolve().is_relative_to(pack.folder.resolve()))
    before, named = len(registry.problems), len(registry.names.shadows)
    built_in = file.resolve().is_relative_to(packs()[0].folder.resolve())
    registry.add(declared, packs()[0] if built_in else Pack("", file.parent, "file"))
    findings.errors += registry.problems[before:]
    for record in declared if kind.adds else ():
        for other, name in record.references.items():
            findings.attempt(find_record, other, name, f"{record.spot}, key '{record.key}.{other}'")
    findings.warnings += [warning for _, warning in registry.names.shadows[named:]]
    findings.warnings += doubts([record for record in registry.records.values() if record.pack == ""])
    figures = sum(len(record.values) for record in declared)
    return f"{', '.join(record.key for record in declared)}: {figures} figures"


def _kind_of(file: Path) -> RecordType:
    """Return the kind of records whose folder a file is in; chips where none is."""
    for kind in KINDS.values():
        for inside, pattern in kind.places:
            folder = Path(inside).name
            if file.name == pattern or (pattern == "*.yaml" and file.absolute().parent.name == folder):
                return kind
    return KINDS["chip"]
