"""The commands of packs: make, check, add, list and remove them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from flopsheet.cli.output import (
    ANSWERED,
    WRONG,
    input_path,
    print_findings,
    report_left_out,
    report_warnings,
    say,
    table_text,
)

if TYPE_CHECKING:
    from pathlib import Path


@click.group("pack")
def pack_group() -> None:
    """Packs: records, sheets, questions and templates of your own, in a folder or in one file."""


@pack_group.command("new")
@click.argument("folder", type=input_path, metavar="NAME")
def pack_new(folder: Path) -> None:
    """Write a pack into a new folder NAME: a chip, a system, a site, a sheet and a question, and what checks them."""
    from flopsheet.authoring.new import new_pack
    from flopsheet.registry.packs import SINGLE

    for path in new_pack(folder):
        say(f"Wrote {path}")
    say(f"Edit {folder / SINGLE}, then: flopsheet pack check {folder}")


@pack_group.command("check")
@click.argument("folder", type=input_path, metavar="[DIR]", default=".")
@click.option(
    "--as",
    "shape",
    type=click.Choice(("text", "github")),
    default="text",
    help="Form of the findings: github prints workflow commands, which GitHub shows beside the lines.",
)
def pack_check(folder: Path, shape: str) -> int:
    """Check the pack in DIR: records, sheets, questions (which are answered), templates, links, unusual figures.

    Python sheets are checked where FLOPSHEET_TRUST lets them run. Exit code 2 if there are mistakes; warnings alone are
    no mistakes.
    """
    from flopsheet.authoring.check_pack import check_pack, path_in

    findings = check_pack(folder)
    if shape == "text":
        print_findings(findings, "pack check")
        return ANSWERED
    for line in findings.annotations(lambda shown: path_in(folder, shown)):
        say(line)
    say("\n".join(findings.lines))
    return WRONG if findings.errors else ANSWERED


@pack_group.command("add")
@click.argument("what", metavar="PATH|git+URL|PACKAGE")
def pack_add(what: str) -> None:
    """Add a pack for use everywhere: copy the folder PATH to your packs, or install git+URL or PACKAGE with pip.

    The command that is run is printed. A copy does not follow its original. Python sheets and templates of a copied
    pack run only if FLOPSHEET_TRUST has the path of the copy.
    """
    from flopsheet.authoring.contents import contents_of, counted
    from flopsheet.authoring.manage import add
    from flopsheet.registry.store import warnings

    pack = add(what, say)
    say(f"Added the pack '{pack.name}' ({pack.origin}) in {pack.folder}: {counted(contents_of(pack))}.")
    report_warnings(warnings())


@pack_group.command("list")
def pack_list_command() -> None:
    """List the active packs: where each was found, whether its code runs, and how much of each kind it holds."""
    from flopsheet.authoring.contents import pack_list
    from flopsheet.registry.packs import packs_and_problems

    say(table_text(pack_list()), end="")
    report_left_out(packs_and_problems()[1])


@pack_group.command("remove")
@click.argument("name")
def pack_remove(name: str) -> None:
    """Remove the pack NAME: delete the copy that `pack add` made, or uninstall its package with pip."""
    from flopsheet.authoring.manage import remove

    pack = remove(name, say)
    say(f"Removed the pack '{pack.name}' ({pack.origin}) from {pack.folder}.")


packs_command = click.command("packs")(pack_list_command.callback)  # type: ignore[arg-type]  # the older name
packs_command.help = pack_list_command.help
