"""The commands, thin: each reads its arguments and calls the room that does the work."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.folder import ask_folder
from flopsheet.cli.options import (
    ENDINGS,
    WithSteps,
    as_option,
    asked_in,
    best_option,
    budget_option,
    by_cell,
    cells_option,
    detail_of,
    every_option,
    figures_option,
    items,
    lists,
    measured_option,
    near_option,
    picture_option,
    show_option,
    steps_option,
    template_option,
    vary_option,
    without_option,
)
from flopsheet.cli.output import Form, form_of, input_path, output_option, print_answer, usage_error
from flopsheet.errors import TemplateError
from flopsheet.report import Extras
from flopsheet.report.forms import FORMATS

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=WithSteps)
@click.argument("sheet")
@click.argument("words", nargs=-1, metavar="[UNKNOWN]... [RELATION]...")
@near_option
@without_option
@budget_option
@best_option
@figures_option
@measured_option
@every_option
@steps_option
@cells_option
@vary_option
@show_option
@as_option
@output_option
@template_option
@picture_option
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

    unknowns, relations = asked_in(words)
    how: dict[str, Any] = {"without": without, "budget": budget, "best": best, "figures": figures}
    form, rows = form_of(shape, output, ENDINGS, "markdown" if template else "text"), None
    if vary:
        from flopsheet.answer.table import table

        rows = table(sheet, unknowns, relations, vary=lists(vary), show=items(",".join(show)), **how)
        relations += rows.first  # the derivation is of the first row
    else:
        how["show"] = items(",".join(show))
    near_values = by_cell(near, "--near takes CELL=VALUE") or None
    extras = Extras(every=every, all_steps=steps == "all", table=rows)
    return print_answer(
        answer_to(sheet, unknowns, relations, near_values, **how),
        Form(form, output, template, pictures, extras, detail_of(form, steps=steps, cells=cells)),
    )


@click.command(cls=WithSteps)
@click.argument("file", type=input_path)
@every_option
@vary_option
@show_option
@steps_option
@cells_option
@as_option
@output_option
@template_option
@picture_option
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
    shape = form_of(shape, output, ENDINGS, "markdown" if template else "text")
    used = template or (asked.template if shape in FORMATS and shape != "text" else "")
    if vary:
        from flopsheet.cli.varied import varied

        question, rows = varied(asked.question, lists(vary), items(",".join(show)))
        asked = replace(asked, question=question, table=rows)
    elif show:
        from flopsheet.question.ask import shown_cells

        asked.question.shown = shown_cells(asked.question.sheet, items(",".join(show)))
    extras = Extras.of(asked, every=every, all_steps=steps == "all")
    try:
        form = Form(shape, output, used, pictures, extras, detail_of(shape, steps=steps, cells=cells))
        return print_answer(asked.answer(), form)
    except TemplateError as error:
        raise error if template else asked.placed(error) from None
