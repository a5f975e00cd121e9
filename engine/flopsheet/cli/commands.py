"""The commands, thin: each reads its arguments and calls the room that does the work."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.folder import ask_folder
from flopsheet.cli.output import (
    PAGES,
    Form,
    captured,
    form_of,
    input_path,
    output_option,
    print_answer,
    report_left_out,
    report_warnings,
    say,
    table_text,
    usage_error,
    write,
)
from flopsheet.errors import TemplateError
from flopsheet.registry.records import BASES
from flopsheet.report import Detail, Extras
from flopsheet.report.forms import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = {pages.ending: name for name, pages in FORMATS.items()} | {".json": "json", ".csv": "csv", ".xlsx": "xlsx"}
_SHEET_ENDINGS = {".md": "markdown", ".json": "json", ".yaml": "yaml"}
_as = click.option(
    "--as",
    "shape",
    type=click.Choice([*dict.fromkeys(("text", *FORMATS, "json", "csv", "xlsx"))]),
    help="Form of the output; by default that of the end of --output's name, markdown with --template, else text. "
    "csv has a row for each cell, name or combination of values; xlsx is a workbook with live formulas, and needs "
    "--output.",
)
_near = click.option(
    "--near", multiple=True, metavar="CELL=VALUE", help="Of several answers, take the one near this value."
)
_without = click.option(
    "--without", multiple=True, metavar="LIMIT", help="Lift this limit of the sheet; all others bind the unknowns."
)
_budget = click.option(
    "--budget", metavar="TIME", help="How long the answer may take, each row of --vary: 60s. 2 s by default."
)
_best = click.option("--best", metavar="max:CELL", help="Rank names by this cell of their answers; or min:CELL.")
_figures = click.option(
    "--figures",
    type=click.Choice(BASES),
    help="Which figures of records count: as vendors state them (nominal, the default), what software gets (usable), "
    "or measured; without one, the next to the left.",
)
_measured = click.option("--measured", "figures", flag_value="measured", help="The same as --figures measured.")
_every = click.option("--all", "every", is_flag=True, help="Show the cells at every value that works.")
_steps = click.option(
    "--steps",
    type=click.Choice(("used", "all")),
    help="Show the steps that count, as pages do without it, or all.",
)
_cells = click.option("--all-cells", "cells", is_flag=True, help="In text, show every cell, relation and limit.")
_template = click.option("--template", default="", help=f"Template of a write-up, for --as {PAGES}.", metavar="NAME")
_show = click.option(
    "--show", multiple=True, metavar="CELL", help="Name this cell in the headline; with --vary, show it in each row."
)
_vary = click.option(
    "--vary", multiple=True, metavar="CELL=A,B,...", help="Answer at each of these values: a row for each."
)
_picture = click.option(
    "--picture",
    "pictures",
    multiple=True,
    metavar="KIND[:CELL]:FILE",
    help="Draw curve, graph, tornado or waterfall to a .svg, .png, .mmd or .tex file, of the unknown or another CELL; "
    "a curve of the answer is against CELL.",
)


class _WithSteps(click.Command):
    """A command whose option --steps may stand alone: `--steps` is `--steps used`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments after `--steps` has its value."""
        followed = zip_longest(args, args[1:])
        alone = [arg == "--steps" and after not in ("used", "all") for arg, after in followed]
        return super().parse_args(
            ctx, [f"{arg}=used" if is_alone else arg for arg, is_alone in zip(args, alone, strict=True)]
        )


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
    from flopsheet.report.terminal.listings import print_sheet, print_sheets
    from flopsheet.sheets import catalogue

    form = form_of(shape, output, _SHEET_ENDINGS)
    if name is not None and form == "text":
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
        valid, problems = catalogue.sheets_and_problems()
        print_sheets(valid)
        report_left_out(problems)
        report_warnings(catalogue.name_warnings())


@click.command(cls=_WithSteps)
@click.argument("sheet")
@click.argument("words", nargs=-1, metavar="[UNKNOWN]... [RELATION]...")
@_near
@_without
@_budget
@_best
@_figures
@_measured
@_every
@_steps
@_cells
@_vary
@_show
@_as
@output_option
@_template
@_picture
def solve(  # noqa: PLR0913  # one argument for each option
    sheet: str,
    words: tuple[str, ...],
    near: tuple[str, ...],
    without: tuple[str, ...],
    vary: tuple[str, ...],
    *,
    budget: str | None,
    best: str | None,
    figures: str | None,
    every: bool,
    steps: str | None,
    cells: bool,
    show: tuple[str, ...],
    shape: str | None,
    output: Path | None,
    template: str,
    pictures: tuple[str, ...],
) -> int:
    """Answer a question: which UNKNOWN cells of SHEET satisfy the RELATIONS?

    SHEET is the name of a sheet, or a YAML file: mine/cooling.yaml.

    A relation is LEFT = RIGHT, or with <=, >=, <, >: d_model=16384, chip=h100-sxm, "device_memory <= 95 GiB". With no
    unknown, everything that can be computed is. An unknown may also be a name: which chip, which precision.
    """
    from flopsheet.answer.solve import solve as answer_to

    relations = [word for word in words if _is_relation(word)]
    unknowns = [word for word in words if not _is_relation(word)]
    how: dict[str, Any] = {"without": without, "budget": budget, "best": best, "figures": figures}
    form, rows = form_of(shape, output, _ENDINGS, "markdown" if template else "text"), None
    if vary:
        from flopsheet.answer.table import table

        values = _lists(vary)
        rows = table(sheet, unknowns, relations, vary=values, show=_items(",".join(show)), **how)
        relations += [f"{name} = {first[0]}" for name, first in values.items()]  # the derivation is of the first row
    else:
        how["show"] = _items(",".join(show))
    near_values = _by_cell(near, "--near takes CELL=VALUE") or None
    extras = Extras(every=every, all_steps=steps == "all", table=rows)
    return print_answer(
        answer_to(sheet, unknowns, relations, near_values, **how),
        Form(form, output, template, pictures, extras, _detail(form, steps=steps, cells=cells)),
    )


def _detail(shape: str, *, steps: str | None, cells: bool) -> Detail:
    """Return what a text shows besides its first screen.

    Raises:
        UsageError: the form is another one.
    """
    if shape != "text" and cells:
        raise usage_error("--all-cells goes with --as text.")
    return Detail(steps or "", cells)


def _by_cell(texts: tuple[str, ...], syntax: str) -> dict[str, str]:
    """Return the text on the right of each `=`, by the text on its left."""
    by_cell = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise usage_error(f"{syntax}, not '{text}'.")
        by_cell[name.strip()] = value.strip()
    return by_cell


def _lists(vary: tuple[str, ...]) -> dict[str, list[str]]:
    return {name: _items(texts) for name, texts in _by_cell(vary, "--vary takes CELL=A,B,...").items()}


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _is_relation(word: str) -> bool:
    return not word.strip() or any(sign in word for sign in "=<>≤≥")


@click.command(cls=_WithSteps)
@click.argument("file", type=input_path)
@_every
@_vary
@_show
@_steps
@_cells
@_as
@output_option
@_template
@_picture
def ask(  # noqa: PLR0913  # one argument for each option
    file: Path,
    *,
    every: bool,
    vary: tuple[str, ...],
    show: tuple[str, ...],
    steps: str | None,
    cells: bool,
    shape: str | None,
    output: Path | None,
    template: str,
    pictures: tuple[str, ...],
) -> int:
    """Answer the question in a YAML FILE; of a folder, answer all questions again as Markdown, and list changes."""
    if os.path.isdir(file):  # noqa: PTH112  # a path that no file has is none; pathlib may raise
        if shape is not None or output is not None or any((every, pictures, vary, show, steps, cells)):
            raise usage_error(
                "A folder takes no --as, --output, --picture, --vary, --show, --steps, --all-cells and --all."
            )
        return ask_folder(file, template)
    if output is not None and os.path.realpath(output) == os.path.realpath(file):
        raise usage_error("--output names the question itself.")
    from flopsheet.answer.question_file import read_question

    asked = read_question(file)
    shape = form_of(shape, output, _ENDINGS, "markdown" if template else "text")
    used = template or (asked.template if shape in FORMATS and shape != "text" else "")
    if vary:
        from flopsheet.cli.varied import varied

        question, rows = varied(asked.question, _lists(vary), _items(",".join(show)))
        asked = replace(asked, question=question, table=rows)
    elif show:
        from flopsheet.question.ask import shown_cells

        asked.question.shown = shown_cells(asked.question.sheet, _items(",".join(show)))
    extras = Extras.of(asked, every=every, all_steps=steps == "all")
    try:
        form = Form(shape, output, used, pictures, extras, _detail(shape, steps=steps, cells=cells))
        return print_answer(asked.answer(), form)
    except TemplateError as error:
        raise error if template else asked.placed(error) from None


@click.command("templates")
def templates_command() -> None:
    """List the templates of write-ups: name, form of --as, and the pack that each comes from."""
    from flopsheet.report.tables import Grid
    from flopsheet.report.templating import left_out, listing

    rows = [[name, form, pack.name, pack.origin] for name, form, pack in listing()]
    say(table_text(Grid(["template", "form", "pack", "found as"], rows)), end="")
    report_left_out(list(left_out()))
