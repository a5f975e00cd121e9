"""Output of the commands: answers in the form that is asked for, pictures, files, and warnings beside them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flopsheet.errors import FlopsheetError, joined, readable, readable_lines
from flopsheet.files import obstacle, replace
from flopsheet.report.forms import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.authoring.findings import Findings
    from flopsheet.report import Detail, Extras
    from flopsheet.report.tables import Grid

ANSWERED, NO_SOLUTION, WRONG = 0, 1, 2
MOST_SHOWN = 5
COMPARE = "compare"  # the template whose table is data too
PAGES = joined(list(FORMATS), "or")
_PICTURE_HINT = " --picture graph:FILE draws a picture."
_PICTURE = re.compile(r"(?P<kind>\w+):(?:(?P<cell>[A-Za-z_][\w.]+):)?(?P<file>.+)", re.DOTALL)
# Content that no reader of such files could read is not written under their names.
_NOT_TEXT = (".xlsx", ".xls", ".ods", ".pdf", ".docx", ".odt", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp")


def input_path(text: str) -> Path:
    """Return the path of a file or folder that is read, or reject what no file can be named.

    Raises:
        BadParameter: it is empty, or has a null character.
    """
    if not text or "\0" in text:
        raise click.BadParameter("A path has no null characters." if text else "The path is empty.")
    return Path(text)


def output_path(text: str) -> Path:
    """Return the path of a file that is written, checked before any work is done.

    Raises:
        BadParameter: no file can be written there.
    """
    path = input_path(text)
    if problem := obstacle(path):
        raise click.BadParameter(f"'{path}': {problem}")
    return path


output_option = click.option("-o", "--output", type=output_path, help="File to write to.", metavar="FILE")


@dataclass(frozen=True)
class Form:
    """How an answer is printed."""

    shape: str  # `text`, `markdown`, `html`, `latex`, `json`, `csv` or `xlsx`
    output: Path | None  # None for standard output
    template: str  # its name, empty for the default one
    pictures: tuple[str, ...]  # as written: `KIND:FILE` or `KIND:CELL:FILE`
    extras: Extras
    detail: Detail | None = None  # what the text shows besides its first screen


def usage_error(problem: str) -> click.UsageError:
    """Return the error of a wrong use of the running command."""
    return click.UsageError(problem, click.get_current_context())


def say(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Print a text without control characters other than line breaks and tabs."""
    click.echo(readable_lines(text) + end, nl=False, err=err)


def form_of(shape: str | None, output: Path | None, endings: Mapping[str, str], default: str = "text") -> str:
    """Return the form of the output: as given, or as the file's name ends.

    Raises:
        UsageError: the file's name ends as that of another form, or as none that is written.
    """
    ending = "" if output is None else output.suffix.lower()
    form = shape or endings.get(ending, default)
    if output is None:
        if form == "xlsx":
            raise usage_error("--as xlsx needs -o FILE.xlsx.")
        return form
    picture = _PICTURE_HINT if ".xlsx" in endings and ending in (".svg", ".png", ".mmd") else ""
    if shape is None and ending not in endings and ending not in ("", ".txt"):
        known = ", ".join(dict.fromkeys([*endings, ".txt"]))
        raise usage_error(f"No form of output has the ending '{ending}'. Known: {known}; --as takes any name.{picture}")
    if (form == "xlsx") != (ending == ".xlsx") or (form != "xlsx" and ending in _NOT_TEXT):
        raise usage_error(f"A file with the ending '{ending}' cannot hold {form}.{picture}")
    return form


def print_answer(answer: Answer, form: Form) -> int:
    """Print an answer, draw its pictures, and return the exit code."""
    if form.template:
        _expect_sense(form)
    if form.shape == "text" and not form.template and form.output is None:
        _show(answer, form)
    else:
        _write(answer, form)
    for text in form.pictures:  # where one cannot be drawn, the answer is there
        _draw(answer, text)
    return ANSWERED if answer.solved else NO_SOLUTION


def _expect_sense(form: Form) -> None:
    """Reject a template where the form has none, or where it has nothing to compare.

    Raises:
        UsageError: the form is data and the template another than that of comparisons, or nothing varies.
    """
    if form.template != COMPARE and form.shape not in FORMATS:
        raise usage_error(f"--template goes with --as {PAGES}. Leave it out for --as {form.shape}.")
    if form.template == COMPARE and form.extras.table is None:
        raise usage_error(f"--template {COMPARE} compares names that vary: --vary chip=h100-sxm,tpu-v5p.")


def _write(answer: Answer, form: Form) -> None:
    """Write an answer, and the curve that a Markdown page shows beside it."""
    file = _beside(form)
    if file is None:
        write(_content(answer, form), form.output)
        return
    from flopsheet.report.pages import curve_in

    content = str(_content(answer, replaced(form, extras=replaced(form.extras, beside=file.name))))
    write(content, form.output)
    if curve := curve_in(content, answer, file.name):
        write(curve, file)


def _content(answer: Answer, form: Form) -> str | bytes:
    if form.shape == "xlsx":
        from flopsheet.report.workbook import workbook

        extras = form.extras
        if form.template == COMPARE and extras.table is not None:
            from flopsheet.report.candidates import widened

            extras = replaced(extras, table=widened(extras.table))
        return workbook(answer, extras)
    if form.shape == "json":
        from flopsheet.report.as_json import all_as_dict, as_dict

        content = all_as_dict(answer) if form.extras.every else as_dict(answer)
        if form.extras.table is not None:
            from flopsheet.report.candidates import compared_values
            from flopsheet.report.tables import table_as_list

            table = form.extras.table
            content["table"] = compared_values(table)[1] if form.template == COMPARE else table_as_list(table)
        return json.dumps(content, indent=2, allow_nan=False) + "\n"
    if form.shape == "csv":
        from flopsheet.report.as_csv import answer_as_csv, compared_as_csv, table_as_csv

        if form.extras.table is None:
            return answer_as_csv(answer)
        return (compared_as_csv if form.template == COMPARE else table_as_csv)(form.extras.table)
    if form.shape in FORMATS and (form.template or form.shape != "text"):
        from flopsheet.report.pages import write_up
        from flopsheet.report.templating import default_template, left_out
        from flopsheet.report.terminal.columns import WIDTH, output_width

        name = form.template or default_template(form.shape)
        file = f"/templates/{name}{FORMATS[form.shape].suffix}"
        report_left_out([problem for problem in left_out() if problem.where.endswith(file)])
        width = output_width() or WIDTH if form.output is None else WIDTH
        return write_up(answer, name, form.shape, replaced(form.extras, width=width))
    return captured(_show, answer, form)


def _beside(form: Form) -> Path | None:
    """Return the file for the curve of a Markdown page, beside it; None for other pages, and where another is there."""
    if form.shape != "markdown" or form.output is None or form.output.suffix != ".md":
        return None
    from flopsheet.report.pictures.drawn import SVG_MARK

    file = form.output.with_name(f"{form.output.stem}.svg")
    if obstacle(file) or (file.exists() and not file.read_bytes().startswith(SVG_MARK.encode())):
        say(f"{file} is another file: the page has no curve.", err=True)
        return None
    return file


def _show(answer: Answer, form: Form, file: io.StringIO | None = None) -> None:
    from flopsheet.report.terminal.screen import print_answer as print_screen

    print_screen(answer, file, form.extras, form.detail)


def table_text(grid: Grid, output: Path | None = None) -> str:
    """Return a table for standard output, as wide as its terminal, or for a file, as wide as it is."""
    from flopsheet.report.terminal.columns import output_width

    return grid.text(output_width(None) if output is None else None)


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
        say(content if isinstance(content, str) else "", end="")
        return
    problem = obstacle(output)
    if not problem:
        try:
            if make_folder:
                output.parent.mkdir(parents=True, exist_ok=True)
            replace(output, content if isinstance(content, bytes) else content.encode())
        except (OSError, ValueError) as error:
            problem = f"The file cannot be written: {getattr(error, 'strerror', None) or error}."
    if problem:
        raise FlopsheetError(readable(str(output)), problem, "Choose another place.")


def report_left_out(problems: Sequence[FlopsheetError]) -> None:
    """Name what was left out because of mistakes, on the error stream."""
    for problem in problems[:MOST_SHOWN]:
        first, *others = str(problem).splitlines()
        more = f" ({len(others)} lines more: flopsheet hardware check)" if others else ""
        say(f"Left out: {others[0] if others else first}{more}", err=True)
    if len(problems) > MOST_SHOWN:
        say(f"Left out: {len(problems) - MOST_SHOWN:,} more; flopsheet hardware check lists all.", err=True)


def report_warnings(warnings: Sequence[FlopsheetError], most: int = MOST_SHOWN) -> None:
    """Print warnings on the error stream."""
    for warning in warnings[:most]:
        say(f"Warning: {warning}", err=True)
    if len(warnings) > most:
        say(f"Warning: {len(warnings) - most:,} more; flopsheet hardware check lists all.", err=True)


def print_findings(findings: Findings, where: str) -> None:
    """Print what is right on standard output, and warnings on the error stream, unless there are mistakes.

    Raises:
        RegistryError: there are mistakes; the text has all of them.
    """
    findings.close(where)
    report_warnings(findings.warnings, len(findings.warnings))
    say("\n".join(findings.lines))
