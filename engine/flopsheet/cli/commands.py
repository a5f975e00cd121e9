"""The commands, thin: each reads its arguments and hands over."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from flopsheet.solver.answer import Answer

ANSWERED, NO_SOLUTION = 0, 1
_FORMATS = ("text", "markdown", "json")
_as = click.option(
    "--as", "shape", type=click.Choice(_FORMATS), default="text", help="Form of the output.", show_default=True
)
_output = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write to.")
_template = click.option("--template", default="", help="Template of a Markdown write-up.", metavar="NAME")


@click.command()
@click.argument("name", required=False, metavar="[SHEET]")
def sheets(name: str | None) -> None:
    """List the sheets, or show the rows of one."""
    from flopsheet.render.terminal import print_sheet, print_sheets
    from flopsheet.sheets.catalogue import sheet, sheet_files

    if name is None:
        print_sheets(sheet(each) for each in sheet_files())
    else:
        print_sheet(sheet(name))


@click.command()
@click.argument("sheet")
@click.argument("words", nargs=-1, metavar="[UNKNOWN]... [RELATION]...")
@_as
@_output
@_template
def solve(sheet: str, words: tuple[str, ...], shape: str, output: Path | None, template: str) -> int:
    """Answer a question: which UNKNOWN cells of SHEET satisfy the RELATIONS?

    A relation is LEFT = RIGHT, or with <=, >=, <, >: d_model=16384, chip=h100-sxm, "device_memory <= 95 GiB". With no
    unknown, everything that can be computed is.
    """
    from flopsheet.solver.engine import solve as answer_to

    relations = [word for word in words if _is_relation(word)]
    unknowns = [word for word in words if not _is_relation(word)]
    return _print(answer_to(sheet, unknowns, relations), shape, output, template, "")


def _is_relation(word: str) -> bool:
    return not word.strip() or any(sign in word for sign in "=<>≤≥")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@_as
@_output
@_template
def ask(file: Path, shape: str, output: Path | None, template: str) -> int:
    """Answer the question in a YAML FILE."""
    from flopsheet.solver.engine import answer
    from flopsheet.solver.question_file import read_question

    asked = read_question(file)
    chosen = template or (asked.template if shape == "markdown" else "")
    return _print(answer(asked.question), shape, output, chosen, asked.title)


def _print(answer: Answer, shape: str, output: Path | None, template: str, title: str) -> int:
    """Print an answer in the wanted form, and return the exit code."""
    if template and shape != "markdown":
        raise click.UsageError("--template goes with --as markdown.", click.get_current_context())
    if shape == "json":
        text = json.dumps(answer.as_dict(), indent=2, allow_nan=False) + "\n"
    elif shape == "markdown":
        from flopsheet.render.writeup import write_up

        text = write_up(answer, template or "derivation", title)
    else:
        from flopsheet.render.terminal import print_answer

        if output is None:
            print_answer(answer)
            return ANSWERED if answer.solved else NO_SOLUTION
        buffer = io.StringIO()
        print_answer(answer, buffer)
        text = buffer.getvalue()
    _write(text, output)
    return ANSWERED if answer.solved else NO_SOLUTION


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FlopsheetError(
            str(output), f"The file cannot be written: {error.strerror}.", "Choose another place."
        ) from None


@click.group()
def hardware() -> None:
    """The registry of chips: list them, or show one with its sources."""


@hardware.command("list")
def hardware_list() -> None:
    """List all chips with their main figures."""
    from flopsheet.registry.store import records
    from flopsheet.render.terminal import print_records

    print_records(records("chip").values())


@hardware.command("show")
@click.argument("name")
def hardware_show(name: str) -> None:
    """Show every figure of the chip NAME, with notes and sources."""
    from flopsheet.registry.store import record
    from flopsheet.render.terminal import print_record

    print_record(record("chip", name, "hardware"))
