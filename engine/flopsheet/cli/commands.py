"""The commands, thin: each reads its arguments and calls the room that does the work."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from flopsheet.cli.output import report_left_out, write
from flopsheet.cli.pictures import draw
from flopsheet.errors import joined
from flopsheet.report.forms import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Table

ANSWERED, NO_SOLUTION, WRONG = 0, 1, 2
_FORMATS = ("text", "markdown", "json")
_ENDINGS = {pages.ending: name for name, pages in FORMATS.items()} | {".json": "json", ".xlsx": "xlsx"}
_PAGES = joined(list(FORMATS), "or")
_SHEET_ENDINGS = {".md": "markdown", ".json": "json", ".yaml": "yaml"}
_as = click.option(
    "--as",
    "shape",
    type=click.Choice(("text", *FORMATS, "json", "xlsx")),
    help="Form of the output; unless said, that of the end of --output's name, markdown with --template, else text. "
    "xlsx is a workbook with live formulas, and needs --output.",
)
_output = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write to.")
_near = click.option(
    "--near", multiple=True, metavar="CELL=VALUE", help="Of several answers, take the one near this value."
)
_every = click.option("--all", "every", is_flag=True, help="Show the cells at every value that works.")
_template = click.option("--template", default="", help=f"Template of a write-up, for --as {_PAGES}.", metavar="NAME")
_picture = click.option(
    "--picture",
    "pictures",
    multiple=True,
    metavar="KIND[:CELL]:FILE",
    help="Draw graph, tornado or waterfall to a .svg, .png or .mmd file, of the unknown or another CELL.",
)


@click.command()
@click.argument("name", required=False, metavar="[SHEET]")
@click.option(
    "--as",
    "shape",
    type=click.Choice((*_FORMATS, "yaml")),
    help="Form of the output; unless said, that of the end of --output's name, else text. yaml is a sheet file.",
)
@_output
def sheets(name: str | None, *, shape: str | None, output: Path | None) -> None:
    """List the sheets, or show the rows of one."""
    from flopsheet.report.terminal import print_sheet, print_sheets
    from flopsheet.sheets import catalogue

    form = _shape(shape, output, endings=_SHEET_ENDINGS)
    if name is not None and form == "text" and output is None:
        print_sheet(catalogue.sheet(name))
    elif name is not None:
        from flopsheet.report.pages import sheet_in

        write(sheet_in(form, catalogue.sheet(name)), output)
    elif shape is not None or output is not None:
        raise click.UsageError("--as and --output go with the name of a SHEET.", click.get_current_context())
    else:
        valid, problems = catalogue.sheets_and_problems()
        print_sheets(valid)
        report_left_out(problems)


@click.command()
@click.argument("sheet")
@click.argument("words", nargs=-1, metavar="[UNKNOWN]... [RELATION]...")
@_near
@_every
@click.option("--vary", multiple=True, metavar="CELL=A,B,...", help="Answer at each of these values: a row for each.")
@click.option("--show", default="", metavar="CELLS", help="With --vary, the cells of a row: n_steps,train_time.")
@_as
@_output
@_template
@_picture
def solve(  # noqa: PLR0913  # one argument for each option
    sheet: str,
    words: tuple[str, ...],
    near: tuple[str, ...],
    vary: tuple[str, ...],
    *,
    every: bool,
    show: str,
    shape: str | None,
    output: Path | None,
    template: str,
    pictures: tuple[str, ...],
) -> int:
    """Answer a question: which UNKNOWN cells of SHEET satisfy the RELATIONS?

    A relation is LEFT = RIGHT, or with <=, >=, <, >: d_model=16384, chip=h100-sxm, "device_memory <= 95 GiB". With no
    unknown, everything that can be computed is. An unknown may also be a name: which chip, which precision.
    """
    from flopsheet.answer.solve import solve as answer_to

    relations = [word for word in words if _is_relation(word)]
    unknowns = [word for word in words if not _is_relation(word)]
    form = Form(_shape(shape, output, template), output, template, every=every, pictures=pictures)
    if vary:
        from flopsheet.answer.table import table

        values = _lists(vary)
        rows = table(sheet, values, [name.strip() for name in show.split(",") if name.strip()], relations, unknowns)
        relations += [f"{name} = {first[0]}" for name, first in values.items()]  # the derivation is of the first row
        form = replace(form, table=rows)
    return _print(answer_to(sheet, unknowns, relations, _by_cell(near)), form)


def _lists(vary: tuple[str, ...]) -> dict[str, list[str]]:
    lists = {}
    for text in vary:
        name, sign, values = text.partition("=")
        if not sign:
            raise click.UsageError(f"--vary takes CELL=A,B,..., not '{text}'.", click.get_current_context())
        lists[name.strip()] = [value.strip() for value in values.split(",") if value.strip()]
    return lists


def _by_cell(near: tuple[str, ...]) -> dict[str, str] | None:
    by_cell = {}
    for text in near:
        name, sign, value = text.partition("=")
        if not sign:
            raise click.UsageError(f"--near takes CELL=VALUE, not '{text}'.", click.get_current_context())
        by_cell[name.strip()] = value.strip()
    return by_cell or None


def _is_relation(word: str) -> bool:
    return not word.strip() or any(sign in word for sign in "=<>≤≥")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@_every
@_as
@_output
@_template
@_picture
def ask(  # noqa: PLR0913  # one argument for each option
    file: Path, *, every: bool, shape: str | None, output: Path | None, template: str, pictures: tuple[str, ...]
) -> int:
    """Answer the question in a YAML FILE; of a folder, write all answers anew as Markdown, and say what has changed."""
    if file.is_dir():
        from flopsheet.cli.folder import ask_folder

        if shape is not None or output is not None or every or pictures:
            fix = "A folder takes no --as, --output, --picture and --all."
            raise click.UsageError(fix, click.get_current_context())
        wrong, unsolved = ask_folder(file, template)
        return WRONG if wrong else NO_SOLUTION if unsolved else ANSWERED
    from flopsheet.answer.question_file import read_question
    from flopsheet.answer.solve import answer

    asked = read_question(file)
    shape = _shape(shape, output, template)
    chosen = template or (asked.template if shape in FORMATS else "")
    form = Form(
        shape,
        output,
        chosen,
        asked.title,
        every=every,
        table=asked.table,
        pictures=pictures,
        prose=(asked.before, asked.after),
    )
    return _print(answer(asked.question), form)


def _shape(said: str | None, output: Path | None, template: str = "", endings: Mapping[str, str] = _ENDINGS) -> str:
    """Return the form of the output: as said, as the file's name ends, or as a template needs it."""
    ending = output.suffix.lower() if output else ""
    return said or endings.get(ending, "markdown" if template else "text")


@dataclass(frozen=True)
class Form:
    """How an answer is printed.

    Args:
        shape: `text`, `markdown`, `html`, `latex`, `json` or `xlsx`.
        output: file to write to, or None for standard output.
        template: name of the template, empty for the default one.
        title: headline of a write-up, empty for the default one.
        every: whether to show the cells at every value that works.
        table: the same question at several values, or None.
        prose: paragraphs before the answer, and behind it.
        pictures: pictures to draw, as written: `KIND:FILE` or `KIND:CELL:FILE`.
    """

    shape: str
    output: Path | None
    template: str
    title: str = ""
    every: bool = False
    table: Table | None = None
    prose: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    pictures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.shape == "xlsx" and self.output is None:
            raise click.UsageError("--as xlsx needs -o FILE.xlsx.", click.get_current_context())


def _print(answer: Answer, form: Form) -> int:
    """Print an answer in the wanted form, and return the exit code."""
    if form.template and form.shape not in FORMATS:
        raise click.UsageError(f"--template goes with --as {_PAGES}.", click.get_current_context())
    if form.shape == "text" and form.output is None:
        _show(answer, form)
    else:
        write(_text(answer, form), form.output)
    draw(answer, form.pictures)  # where one cannot be drawn, the answer is there
    return ANSWERED if answer.solved else NO_SOLUTION


def _text(answer: Answer, form: Form) -> str | bytes:
    if form.shape == "xlsx":
        from flopsheet.report.workbook.book import workbook

        return workbook(answer, form.title, every=form.every, table=form.table, prose=form.prose)
    if form.shape == "json":
        from flopsheet.report.as_json import all_as_dict, as_dict

        content = all_as_dict(answer) if form.every else as_dict(answer)
        if form.table is not None:
            from flopsheet.report.tables import table_as_list

            content["table"] = table_as_list(form.table)
        return json.dumps(content, indent=2, allow_nan=False) + "\n"
    if form.shape in FORMATS:
        from flopsheet.report.pages import write_up

        name, shape = form.template or "derivation", form.shape
        return write_up(answer, name, form.title, every=form.every, table=form.table, prose=form.prose, form=shape)
    buffer = io.StringIO()
    _show(answer, form, buffer)
    return buffer.getvalue()


def _show(answer: Answer, form: Form, file: TextIO | None = None) -> None:
    from flopsheet.report.terminal import print_answer, print_table

    if form.table is None:
        print_answer(answer, file, every=form.every)
    else:
        print_table(form.table, file)


@click.command("packs")
def packs_command() -> None:
    """Show which packs are active, and from where; records of later ones may override those of earlier ones."""
    from flopsheet.registry.packs import packs, problems
    from flopsheet.report.grid import Grid

    rows = [[pack.name, pack.origin, "yes" if pack.trusted else "no", str(pack.folder)] for pack in packs()]
    click.echo(Grid(["pack", "found as", "runs Python", "folder"], rows).text(), nl=False)
    report_left_out(problems())


@click.command("templates")
def templates_command() -> None:
    """List the templates of write-ups: name, form of --as, and the pack that each comes from."""
    from flopsheet.report.grid import Grid
    from flopsheet.report.templating.environment import listing

    rows = [[name, form, pack.name, pack.origin] for name, form, pack in listing()]
    click.echo(Grid(["template", "form", "pack", "found as"], rows).text(), nl=False)
