"""`compare`: a question for several names or values, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.options import (
    ENDINGS,
    as_option,
    asked_in,
    best_option,
    budget_option,
    figures_option,
    items,
    listed,
    measured_option,
    show_option,
    without_option,
)
from flopsheet.cli.output import COMPARE, Form, form_of, output_option, print_answer, usage_error
from flopsheet.report import Extras

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("sheet")
@click.argument("words", nargs=-1, metavar="[UNKNOWN]... NAME=A,B,... [RELATION]...")
@without_option
@budget_option
@best_option
@figures_option
@measured_option
@show_option
@as_option
@output_option
def compare(  # noqa: PLR0913  # one argument for each option
    sheet: str,
    words: tuple[str, ...],
    without: tuple[str, ...],
    *,
    budget: str | None,
    best: str | None,
    figures: str | None,
    show: tuple[str, ...],
    shape: str | None,
    output: Path | None,
) -> int:
    """Compare the answers to a question for several names or values: NAME=A,B,... lists them.

    UNKNOWN cells of SHEET and RELATIONS are those of solve; with no unknown, the cells of --show are compared, or else
    those that the sheet marks. A text of records, "chip.kind = GPU", filters a list of names, or lists all that have
    it. Of chips and other records, memory, price and power are shown too.

    Example: flopsheet compare ffn_memory n_fsdp chip=h100-sxm,h200,mi300x d_model=16384 d_ff=53248 n_blocks=126
    batch=128 seq_len=1024 "device_memory <= chip.memory"
    """
    from flopsheet.answer.solve import solve
    from flopsheet.answer.table import table
    from flopsheet.question.labels import label_of
    from flopsheet.sheets.catalogue import as_sheet

    form = form_of(shape, output, ENDINGS)
    several = [entry for word in words if (entry := listed(word)) is not None]
    if len(dict(several)) < len(several):
        raise usage_error("A name has two lists: write one, chip=h100-sxm,tpu-v5p.")
    unknowns, relations = asked_in(words)
    where = [word for word in relations if listed(word) is None]
    if not several and not any(label_of(text, as_sheet(sheet)) for text in where):
        filtered = "or filter names, 'chip.vendor = AMD'"
        raise usage_error(f"Nothing is compared: list names or values, chip=h100-sxm,tpu-v5p, {filtered}.")
    shown = items(",".join(show)) or ([] if unknowns else [*as_sheet(sheet).rows.headline])
    how: dict[str, Any] = {"without": without, "budget": budget, "best": best, "figures": figures}
    rows = table(sheet, unknowns, where, vary=dict(several), show=shown, **how)
    answer = next((row.answer for row in rows.rows if row.answer is not None), None)  # whose derivation a workbook has
    if answer is None:  # the first row says why
        answer = solve(sheet, unknowns, [*where, *rows.first], **how)
    return print_answer(answer, Form(form, output, "" if form == "text" else COMPARE, (), Extras(table=rows)))
