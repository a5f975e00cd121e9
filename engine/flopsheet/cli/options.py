"""What commands that answer questions share: their options, and the words of a question."""

from __future__ import annotations

import re
from itertools import zip_longest

import click

from flopsheet.cli.output import PAGES, usage_error
from flopsheet.registry.records import BASES
from flopsheet.report import Detail
from flopsheet.report.forms import FORMATS

_LIST = re.compile(r"\s*(?P<name>[A-Za-z_][\w.]*)\s*=(?P<items>[^()<>=≤≥]*,[^()<>=≤≥]*)")
_NUMBER = re.compile(r"[-+]?[\d._]+([eE][-+]?\d+)?")
_ONE_NUMBER = re.compile(r"\s*\d{1,3}(,\d{3})*,0\d\d\b.*")  # `1,024`: no number in a list begins with a zero

ENDINGS = {pages.ending: name for name, pages in FORMATS.items()} | {".json": "json", ".csv": "csv", ".xlsx": "xlsx"}
as_option = click.option(
    "--as",
    "shape",
    type=click.Choice([*dict.fromkeys(("text", *FORMATS, "json", "csv", "xlsx"))]),
    help="Form of the output; by default that of the end of --output's name, markdown with --template, else text. "
    "csv has a row for each cell, name or combination of values; xlsx is a workbook with live formulas, and needs "
    "--output.",
)
near_option = click.option(
    "--near", multiple=True, metavar="CELL=VALUE", help="Of several answers, take the one near this value."
)
without_option = click.option(
    "--without", multiple=True, metavar="LIMIT", help="Lift this limit of the sheet; all others bind the unknowns."
)
budget_option = click.option(
    "--budget", metavar="TIME", help="How long the answer may take, of several each: 60s. 2 s by default."
)
best_option = click.option("--best", metavar="max:CELL", help="Rank names by this cell of their answers; or min:CELL.")
figures_option = click.option(
    "--figures",
    type=click.Choice(BASES),
    help="Which figures of records count: as vendors state them (nominal, the default), what software gets (usable), "
    "or measured; without one, the next to the left.",
)
measured_option = click.option("--measured", "figures", flag_value="measured", help="The same as --figures measured.")
every_option = click.option("--all", "every", is_flag=True, help="Show the cells at every value that works.")
steps_option = click.option(
    "--steps",
    type=click.Choice(("used", "all")),
    help="Show the steps that count, as pages do without it, or all.",
)
cells_option = click.option("--all-cells", "cells", is_flag=True, help="In text, show every cell, relation and limit.")
template_option = click.option(
    "--template", default="", help=f"Template of a write-up, for --as {PAGES}.", metavar="NAME"
)
show_option = click.option(
    "--show",
    multiple=True,
    metavar="CELL",
    help="Name this cell in the headline; of several answers, show it in each row.",
)
vary_option = click.option(
    "--vary", multiple=True, metavar="CELL=A,B,...", help="Answer at each of these values: a row for each."
)
picture_option = click.option(
    "--picture",
    "pictures",
    multiple=True,
    metavar="KIND[:CELL]:FILE",
    help="Draw curve, graph, tornado or waterfall to a .svg, .png, .mmd or .tex file, of the unknown or another CELL; "
    "a curve of the answer is against CELL.",
)


class WithSteps(click.Command):
    """A command whose option --steps may stand alone: `--steps` is `--steps used`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments after `--steps` has its value."""
        followed = zip_longest(args, args[1:])
        alone = [arg == "--steps" and after not in ("used", "all") for arg, after in followed]
        return super().parse_args(
            ctx, [f"{arg}=used" if is_alone else arg for arg, is_alone in zip(args, alone, strict=True)]
        )


def detail_of(shape: str, *, steps: str | None, cells: bool) -> Detail:
    """Return what a text shows besides its first screen.

    Raises:
        UsageError: the form is another one.
    """
    if shape != "text" and cells:
        raise usage_error("--all-cells goes with --as text.")
    return Detail(steps or "", cells)


def by_cell(texts: tuple[str, ...], syntax: str) -> dict[str, str]:
    """Return the text on the right of each `=`, by the text on its left."""
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise usage_error(f"{syntax}, not '{text}'.")
        values[name.strip()] = value.strip()
    return values


def lists(vary: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the values that `--vary CELL=A,B,...` names, by cell."""
    return {name: _values(texts) for name, texts in by_cell(vary, "--vary takes CELL=A,B,...").items()}


def items(text: str) -> list[str]:
    """Return the entries of a list with commas."""
    return [item.strip() for item in text.split(",") if item.strip()]


def asked_in(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the unknowns and the relations among the words of a question.

    Raises:
        UsageError: the shell has split a relation with spaces into words: `d_model = 16384`.
    """
    place = next((at for at, word in enumerate(words) if word and not word.strip("=<>≤≥")), None)
    if place is not None:
        relation = " ".join(words[max(place - 1, 0) : place + 2])
        raise usage_error(f"'{words[place]}' stands alone. A relation is one argument: quote '{relation}'.")
    return [word for word in words if not _is_relation(word)], [word for word in words if _is_relation(word)]


def _is_relation(word: str) -> bool:
    """Whether a word of a question is a relation; else it is an unknown."""
    return not word.strip() or any(sign in word for sign in "=<>≤≥")


def listed(word: str) -> tuple[str, list[str]] | None:
    """Return the name and the entries of a word `NAME=A,B,...`; None of other words."""
    match = _LIST.fullmatch(word)
    return None if match is None or _ONE_NUMBER.fullmatch(match["items"]) else (match["name"], _values(match["items"]))


def _values(text: str) -> list[str]:
    """Return the values in a list; a number without a unit has that of the last one: `2, 3 USD/hour`."""
    values = items(text)
    unit = values[-1].partition(" ")[2] if values else ""
    return [f"{value} {unit}" if unit and _NUMBER.fullmatch(value) else value for value in values]
