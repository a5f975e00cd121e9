"""Commands that list what there is: sheets and templates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from flopsheet.cli.output import (
    captured,
    form_of,
    output_option,
    report_left_out,
    report_warnings,
    say,
    table_text,
    usage_error,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

_SHEET_ENDINGS = {".md": "markdown", ".json": "json", ".yaml": "yaml"}


@click.command()
@click.argument("name", required=False, metavar="[SHEET]")
@click.option(
    "--as",
    "shape",
    type=click.Choice(("text", "markdown", "json", "yaml")),
    help="Form of the output; by default that of the end of --output's name, else text. yaml is a sheet file.",
)
@output_option
def sheets(name: str | None, *, shape: str | None, output: Path | None) -> None:
    """List the sheets, or show the rows of one."""
    from flopsheet.sheets import catalogue

    form = form_of(shape, output, _SHEET_ENDINGS)
    if name is not None and form == "text":
        from flopsheet.report.terminal.listings import print_sheet

        sheet = catalogue.sheet(name)
        print_sheet(sheet) if output is None else write(captured(print_sheet, sheet), output)
    elif name is not None:
        from flopsheet.report.as_json import sheet_as_dict
        from flopsheet.report.pages import sheet_page
        from flopsheet.sheets.yaml_export import as_yaml

        writers = {"markdown": sheet_page, "yaml": as_yaml}
        writers["json"] = lambda sheet: json.dumps(sheet_as_dict(sheet), indent=2) + "\n"
        write(writers[form](catalogue.sheet(name)), output)
    elif shape is not None or output is not None:
        raise usage_error("--as and --output go with the name of a SHEET.")
    else:
        from flopsheet.report.terminal.sheet_list import print_sheets
        from flopsheet.sheets.summaries import summaries_and_problems

        summaries, problems = summaries_and_problems()
        print_sheets(summaries)
        report_left_out(problems)
        report_warnings(catalogue.name_warnings())


@click.command("templates")
def templates_command() -> None:
    """List the templates of write-ups: name, form of --as, and the pack that each comes from."""
    from flopsheet.report.tables import Grid
    from flopsheet.report.templating import left_out, listing

    rows = [[name, form, pack.name, pack.origin] for name, form, pack in listing()]
    say(table_text(Grid(["template", "form", "pack", "found as"], rows)), end="")
    report_left_out(list(left_out()))
