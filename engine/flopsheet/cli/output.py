"""Output of the commands: answers in the form that is asked for, pictures, files, and warnings beside them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.errors import FlopsheetError, joined
from flopsheet.report.forms import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.report import Extras

ANSWERED, NO_SOLUTION, WRONG = 0, 1, 2
MOST_SHOWN = 5
PAGES = joined(list(FORMATS), "or")
_PICTURE = re.compile(r"(?P<kind>\w+):(?:(?P<cell>[A-Za-z_][\w.]+):)?(?P<file>.+)", re.DOTALL)
output_option = click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write to."
)


@dataclass(frozen=True)
class Form:
    """How an answer is printed."""

    shape: str  # `text`, `markdown`, `html`, `latex`, `json` or `xlsx`
    output: Path | None  # None for standard output
    template: str  # its name, empty for the default one
    pictures: tuple[str, ...]  # as written: `KIND:FILE` or `KIND:CELL:FILE`
    extras: Extras


def usage_error(problem: str) -> click.UsageError:
    """Return the error of a wrong use of the running command."""
    return click.UsageError(problem, click.get_current_context())


def print_answer(answer: Answer, form: Form) -> int:
    """Print an answer, draw its pictures, and return the exit code."""
    if form.template and form.shape not in FORMATS:
        raise usage_error(f"--template goes with --as {PAGES}.")
    if form.shape == "text" and form.output is None:
        _show(answer, form.extras)
    else:
        write(_content(answer, form), form.output)
    for text in form.pictures:  # where one cannot be drawn, the answer is there
        _draw(answer, text)
    return ANSWERED if answer.solved else NO_SOLUTION


def _content(answer: Answer, form: Form) -> str | bytes:
    if form.shape == "xlsx":
        from flopsheet.report.workbook import workbook

        return workbook(answer, form.extras)
    if form.shape == "json":
        from flopsheet.report.as_json import all_as_dict, as_dict

        content = all_as_dict(answer) if form.extras.every else as_dict(answer)
        if form.extras.table is not None:
            from flopsheet.report.tables import table_as_list

            content["table"] = table_as_list(form.extras.table)
        return json.dumps(content, indent=2, allow_nan=False) + "\n"
    if form.shape in FORMATS:
        from flopsheet.report.pages import write_up
        from flopsheet.report.templating import left_out

        name = form.template or "derivation"
        file = f"/templates/{name}{FORMATS[form.shape].suffix}"
        report_left_out([problem for problem in left_out() if problem.where.endswith(file)])
        return write_up(answer, name, form.shape, form.extras)
    return captured(_show, answer, form.extras)


def _show(answer: Answer, extras: Extras, file: io.StringIO | None = None) -> None:
    from flopsheet.report import terminal

    if extras.table is None:
        terminal.print_answer(answer, file, every=extras.every)
    else:
        terminal.print_table(extras.table, file)


def captured(show: Callable[..., None], *args: object) -> str:
    """Return what a function prints to its argument `file`."""
    buffer = io.StringIO()
    show(*args, file=buffer)
    return buffer.getvalue()


def _draw(answer: Answer, text: str) -> None:
    """Draw a picture, asked for as `KIND:FILE` or `KIND:CELL:FILE`; the suffix of the file determines its form."""
    from flopsheet.report.pictures import KINDS, picture

    match = _PICTURE.fullmatch(text)
    if match is None or match["kind"] not in KINDS:
        known = ", ".join(f"{kind}:FILE.{shapes[0]}" for kind, shapes in KINDS.items())
        raise usage_error(f"--picture takes {known}, not '{text}'.")
    file = Path(match["file"])
    write(picture(answer, match["kind"], file.suffix.removeprefix(".").lower(), match["cell"] or ""), file)


def write(content: str | bytes, output: Path | None, *, make_folder: bool = False) -> None:
    """Print a text, or write a text or bytes to a file, whose folder is made if `make_folder`.

    Raises:
        FlopsheetError: the file cannot be written.
    """
    if output is None:
        click.echo(content, nl=False)
        return
    try:
        if make_folder:
            output.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            output.write_bytes(content)
        else:
            output.write_text(content, encoding="utf-8")
    except (OSError, ValueError) as error:
        problem = f"The file cannot be written: {getattr(error, 'strerror', None) or error}."
        raise FlopsheetError(str(output), problem, "Choose another place.") from None


def report_left_out(problems: Sequence[FlopsheetError]) -> None:
    """Name what was left out because of mistakes, on the error stream."""
    for problem in problems[:MOST_SHOWN]:
        first, *others = str(problem).splitlines()
        more = f" ({len(others)} lines more: flopsheet hardware check)" if others else ""
        click.echo(f"Left out: {others[0] if others else first}{more}", err=True)
    if len(problems) > MOST_SHOWN:
        click.echo(f"Left out: {len(problems) - MOST_SHOWN:,} more; flopsheet hardware check lists all.", err=True)
