"""The commands of the registry: list, show, locate, check and make records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.cli.output import say_left_out, write
from flopsheet.errors import RegistryError, find

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.registry.records import Record
    from flopsheet.report.grid import Grid

_kind = click.option("--kind", default="chip", show_default=True, help="Kind: chip, system, datacenter, architecture.")
_any_kind = click.option("--kind", default="", help="Kind of the record, where several have its name.")
_as = click.option(
    "--as",
    "shape",
    type=click.Choice(("text", "markdown", "csv", "json")),
    default="text",
    help="Form of the output.",
    show_default=True,
)
_output = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write to.")


@click.group()
def hardware() -> None:
    """The registry of chips, systems, datacenters and architectures: browse it, check it, add to it."""


@hardware.command("list")
@_kind
@click.option("--where", default="", metavar="CONDITIONS", help='"memory >= 80 GB and vendor = NVIDIA".')
@click.option("--sort", default="", metavar="FIELD", help="Sort by a figure, largest first; -FIELD: smallest first.")
@click.option("--show", default="", metavar="FIELDS", help="Figures to show: memory,flops.fp8,power.")
@_as
@_output
def hardware_list(  # noqa: PLR0913  # one argument for each option
    kind: str, where: str, sort: str, show: str, *, shape: str, output: Path | None
) -> None:
    """List the records of a kind with their main figures; `--kind all` lists every record."""
    from flopsheet.registry.kinds import KINDS
    from flopsheet.registry.store import records
    from flopsheet.report.record_lists import chosen, listing, numbers, sorted_by

    find(kind, [*KINDS, "all"], "kind", "hardware")
    columns = [each.strip() for each in show.split(",") if each.strip()]
    if kind == "all" and (shape == "csv" or where or sort or show):
        raise RegistryError("hardware list", "Kinds have different figures.", "Name one with --kind.")
    listed, texts = [], []
    for each in KINDS.values() if kind == "all" else [KINDS[kind]]:
        found = chosen(records(each.kind).values(), each, where)
        found = sorted_by(found, each, sort) if sort else found
        grid = (numbers if shape == "csv" else listing)(found, each, columns)
        count = f"{len(found)} of {len(records(each.kind))} {each.kind}s.\n"
        texts.append(_text(grid, shape) + (count if shape == "text" else ""))
        listed += found
    text = _json(listed) if shape == "json" else "\n".join(texts)
    write(text, output)
    _say_problems()


@hardware.command("show")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_any_kind
@_as
@_output
def hardware_show(names: tuple[str, ...], kind: str, shape: str, output: Path | None) -> None:
    """Show every figure of the record NAME with notes and sources; several side by side, with ratios to the first."""
    from flopsheet.registry.kinds import KINDS
    from flopsheet.registry.store import any_record
    from flopsheet.report.record_lists import comparison

    _check_kind(kind)
    found = [any_record(name, "hardware", kind) for name in names]
    if len({each.kind for each in found}) > 1:
        kinds = ", ".join(f"'{each.key}' is a {each.kind}" for each in found)
        raise RegistryError("hardware", f"Records of several kinds cannot stand side by side: {kinds}.")
    if len(found) == 1 and shape == "text" and output is None:
        from flopsheet.report.terminal import print_record

        print_record(found[0])
    else:
        grid = comparison(found, KINDS[found[0].kind])
        write(_json(found) if shape == "json" else _text(grid, shape), output)
    _say_problems()


@hardware.command("where")
@click.argument("name")
@_any_kind
def hardware_where(name: str, kind: str) -> None:
    """Show which packs and files define the record NAME, and which of them is in force."""
    from flopsheet.registry.store import any_record, registry
    from flopsheet.report.grid import Grid

    _check_kind(kind)
    found = any_record(name, "hardware", kind)
    history = registry(found.kind).history[found.key]
    rows = [[each.pack, str(each.spot), each.extends or "-", "in force" if each is found else ""] for each in history]
    click.echo(Grid(["pack", "place", "extends", ""], rows).text(), nl=False)
    _say_problems()


@hardware.command("check")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--kind", default="", help="Kind of the records, where the place of the file does not tell.")
def hardware_check(files: tuple[Path, ...], kind: str) -> None:
    """Read FILEs strictly and tell every mistake; without a file, read those of all packs."""
    from flopsheet.registry.authoring import check

    _check_kind(kind)
    click.echo(check(files, kind))


@hardware.command("schema")
@_kind
@_output
def hardware_schema(kind: str, output: Path | None) -> None:
    """Print the JSON Schema of files of records, for editors."""
    from flopsheet.registry.authoring import schema
    from flopsheet.registry.kinds import KINDS

    find(kind, KINDS, "kind", "hardware")
    write(json.dumps(schema(KINDS[kind]), indent=2) + "\n", output)


@hardware.command("new")
@click.argument("kind")
@click.argument("name")
@_output
def hardware_new(kind: str, name: str, output: Path | None) -> None:
    """Write a commented file for a new record NAME of KIND: chip, system, datacenter or architecture."""
    from flopsheet.registry.authoring import template
    from flopsheet.registry.kinds import KINDS
    from flopsheet.registry.reading import check_key
    from flopsheet.registry.store import records

    find(kind, KINDS, "kind", "hardware")
    check_key(name, "hardware new")
    place = output or Path(KINDS[kind].folder, f"{name}.yaml")
    if place.exists() or place.is_symlink():
        raise RegistryError(str(place), "The file exists.", "Choose another place with -o.")
    if name in {each for known in records(kind).values() for each in (known.key, *known.aliases)}:
        fix = "To change it, write a record of its name with 'extends' of the same name and 'override: true'."
        raise RegistryError("hardware new", f"There is a {kind} '{name}' already.", fix)
    write(template(KINDS[kind], name), place, make_folder=True)
    click.echo(f"Wrote {place}. Fill it in, then: flopsheet hardware check {place} --kind {kind}")


@hardware.command("import")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--name", default="", metavar="NAME", help="Name of the record; that of the file's folder unless said.")
@_output
def hardware_import(config: Path, name: str, output: Path | None) -> None:
    """Turn the config.json of a Hugging Face model into the record of an architecture."""
    from flopsheet.registry.imports.importing import architecture_from_config, read_config

    key = name or re.sub(r"[^a-z0-9._-]+", "-", config.absolute().parent.name.lower()).strip("-._")
    if output is not None and output.exists():
        raise RegistryError(str(output), "The file exists.", "Choose another place with -o.")
    write(architecture_from_config(read_config(config), key, str(config)), output)


def _text(grid: Grid, shape: str) -> str:
    from flopsheet.report.record_lists import legend

    if shape == "csv":
        return grid.csv()
    return (grid.markdown() if shape == "markdown" else grid.text()) + legend(grid)


def _json(records: Iterable[Record]) -> str:
    from flopsheet.report.record_lists import as_list

    return json.dumps(as_list(records), indent=2, ensure_ascii=False) + "\n"


def _check_kind(kind: str) -> None:
    from flopsheet.registry.kinds import KINDS

    if kind:
        find(kind, KINDS, "kind", "hardware")


def _say_problems() -> None:
    """Name each file with mistakes once, on the error stream; everything else works without it."""
    from flopsheet.registry.store import problems

    say_left_out(problems())
