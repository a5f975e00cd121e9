"""Text for a terminal: answers, tables, sheets and records."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from flopsheet.errors import joined, readable_lines
from flopsheet.formulas.printing import in_text
from flopsheet.report import sentences
from flopsheet.report.entries import Verdict, references_of
from flopsheet.report.records import figures_of, missing
from flopsheet.report.tables import Grid, candidates, every_value, grid_of
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.answer.answer import Answer, Check
    from flopsheet.answer.names import Ranking
    from flopsheet.answer.table import Table as AnswerTable
    from flopsheet.functions.symbols import Expr
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet

WIDTH, MOST_REJECTED, MOST_NAMED, MOST_RANKED = 120, 6, 4, 16


class _Console(Console):
    """A console that prints texts without control characters; tables come from `_table`, which removes them too."""

    def print(self, *objects: object, **options: Any) -> None:
        super().print(*map(_readable, objects), **options)


def _readable(content: object) -> object:
    if isinstance(content, Text):
        return Text(readable_lines(content.plain), style=content.style)
    return readable_lines(content) if isinstance(content, str) else content


def console(file: TextIO | None = None) -> Console:
    """Return a console: the terminal's width, or a fixed one where there is no terminal."""
    target = file or sys.stdout
    return _Console(file=target, width=None if target.isatty() else WIDTH, highlight=False, emoji=False, markup=False)


def print_answer(answer: Answer, file: TextIO | None = None, *, every: bool = False) -> None:
    """Print an answer: the unknowns, the cells (at every value that works if `every`), the limits, the warnings."""
    out, broken = console(file), sentences.broken_texts(answer)
    for text in broken:
        out.print(Text(text, style="bold red"), soft_wrap=True)
    if answer.ranking is not None:
        _print_ranking(out, answer.ranking)
    for outcome in answer.outcomes.values():
        style = "bold red" if outcome.kind == "none" else "bold green"
        out.print(Text(sentences.outcome_text(outcome), style=style), soft_wrap=True)
        if outcome.why:
            out.print(outcome.why, soft_wrap=True)
    violated = [check for check in answer.checks if not check.holds and not answer.outcomes]
    for check in violated:
        out.print(Text(_check_text(check), style="bold red"), soft_wrap=True)
    if answer.outcomes or answer.ranking or violated or broken:
        out.print()
    if (names := candidates(answer)).rows:
        out.print(_table(names, justify="right"))
        out.print()
    out.print(_table(every_value(answer), justify="right") if every else _cells(answer))
    for line in _notes(answer):
        out.print(line, soft_wrap=True)
    for warning in answer.cautions:
        out.print(Text(f"Note: {warning}", style="red"), soft_wrap=True)


def print_table(table: AnswerTable, file: TextIO | None = None) -> None:
    """Print a table of answers."""
    console(file).print(_table(grid_of(table)))


def _print_ranking(out: Console, ranking: Ranking) -> None:
    style = "bold green" if ranking.working else "bold red"
    out.print(Text(sentences.ranking_text(ranking, MOST_RANKED), style=style), soft_wrap=True)
    out.print(ranking.why, soft_wrap=True)
    groups = [*sentences.rejected(ranking).items()]
    shown = len(groups) if len(groups) <= MOST_REJECTED + 1 else MOST_REJECTED
    for why, names in groups[:shown]:
        out.print(f"Not {sentences.some_names(names, MOST_NAMED)}: {why}", soft_wrap=True)
    if len(groups) > shown:
        more = sum(len(names) for _, names in groups[shown:])
        out.print(f"{more} more do not work; --as markdown and --as json list the reasons.", soft_wrap=True)


def _cells(answer: Answer) -> Table:
    names, rows = tuple(answer.question.sheet.cells), []
    for name, value in ((name, answer.cells[name]) for name in answer.question.shown_cells if name in answer.cells):
        formula = answer.question.formula(name) if value.origin == "computed" else None
        origin = f"{value.said_by or value.origin}{sentences.basis_text(value)}"
        source = origin if formula is None else _spaced(formula, names)
        taken = value.record is not None and value.said_by != value.record.key
        meaning = sentences.meaning_text(value) if taken else value.cell.doc
        rows.append([name, sentences.value_text(value), source, meaning])
    return _table(Grid(["cell", "value", "source", "meaning"], rows))


def _notes(answer: Answer) -> Iterator[str]:
    """Yield the relations, the terms that determine a max or min, the sensitivities and the overridden defaults."""
    names = tuple(answer.question.sheet.cells)
    yield from map(_check_text, (*answer.checks, *answer.limits))
    yield from (sentences.binding_text(binding, names) for binding in answer.bindings)
    for name in answer.outcomes:
        if drivers := sentences.drivers_text(answer, name):
            yield f"Percent change of {name} for 1 % more of each input: {drivers}"
    yield from (f"The question overrides the default of {name}." for name in answer.dropped_defaults)


def _table(grid: Grid, justify: JustifyMethod = "left") -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in grid.head:
        table.add_column(
            readable_lines(column), justify="right" if column in ("value", "nominal") else justify, overflow="fold"
        )
    for row in grid.rows:
        table.add_row(*map(readable_lines, row))
    return table


def _check_text(check: Check) -> str:
    verdict = Verdict.of(check)
    name = f"limit {verdict.name}" if verdict.name else "check"
    result = "lifted" if verdict.lifted else "holds" if verdict.holds else "DOES NOT HOLD"
    slack = "" if check.relation.is_equation else f", slack {verdict.slack}"
    return f"{name}: {verdict.relation}: {verdict.left} {verdict.sign} {verdict.right}: {result}{slack}"


def print_sheets(sheets: Iterable[Sheet], file: TextIO | None = None) -> None:
    """Print a list of sheets: name, title, number of cells."""
    rows = [[sheet.name, str(len(sheet.rows.shown)), sheet.title] for sheet in sheets]
    console(file).print(_table(Grid(["sheet", "cells", "what it computes"], rows)))


def print_sheet(sheet: Sheet, file: TextIO | None = None) -> None:
    """Print a sheet: rows with unit and formula, limits, assumptions, notes, sources."""
    out = console(file)
    out.print(Text(sheet.title, style="bold"))
    for paragraph in filter(None, sheet.about.split("\n\n")):
        out.print(" ".join(paragraph.split()))
    out.print()
    out.print(_table(Grid(["cell", "unit", "formula or default", "meaning"], _rows(sheet))))
    for text in sentences.cycles_texts(sheet):
        out.print(text)
    for limit in sheet.limits.values():
        out.print(f"limit {limit.name}: {limit.text} ({limit.doc})")
    lists = {"Assumptions": sheet.assumptions, "Notes": sheet.notes, "Sources": sheet.sources}
    for heading, texts in lists.items():
        if texts:
            out.print("\n  - ".join([heading, *texts]), soft_wrap=True)


def _rows(sheet: Sheet) -> list[list[str]]:
    rows = [[part.name, part.kind, _given(part.example), part.doc] for part in sheet.parts.values()]
    rows += [[inner.name, "sheet", inner.kind, inner.doc] for inner in sheet.sheets.values()]
    for choice in sheet.choices.values():
        options = (f"{option} (default)" if option == choice.default else option for option in choice.options)
        rows.append([choice.name, "choice", " | ".join(options), choice.doc])
    for cell in sheet.rows.shown:
        example = "" if cell.example is None else format_quantity(cell.example, cell.unit)
        given = sentences.default_text(cell) or _given(example)
        definition = given if cell.formula is None else _spaced(cell.formula, tuple(sheet.cells))
        rows.append([cell.name, cell.unit.text, definition, cell.doc])
    return rows


def _given(example: str) -> str:
    return f"given, e.g. {example}" if example else "given"


def _spaced(formula: Expr, names: tuple[str, ...]) -> str:
    """Return a formula with blanks around its operators, so that a table can break it between names."""
    return "= " + re.sub(r"(?<=[^*])([*/]|[*]{2})(?=[^*])", r" \1 ", in_text(formula, names))


def print_record(record: Record, file: TextIO | None = None) -> None:
    """Print a record: every figure with the numbers of its sources and its place; then notes and sources."""
    out = console(file)
    out.print(Text(f"{record.key}: {record.name}", style="bold"))
    about = [record.vendor, f"released {record.released}" if record.released else "", record.note]
    out.print("; ".join(part for part in about if part))
    grid, keys = figures_of(record, "NOT VERIFIED.")
    note = list(grid.head).index("note")
    rows = [[*row[:note], *row[note + 1 :]] for row in grid.rows]
    out.print(_table(Grid([name for name in grid.head if name != "note"], rows)))
    for row in grid.rows:
        if row[note]:
            out.print(Text(f"{row[0]}: {row[note]}"), soft_wrap=True)
    if lacking := missing(record):
        out.print(f"No figure for {joined(lacking)}.")
    for source in references_of(keys):
        title = source.title if source.title == source.url else f"{source.title} {source.url}".strip()
        out.print(Text(f"[{source.number}] {title}"), soft_wrap=True)
    out.print(f"Defined in {record.spot.file}, line {record.spot.line}.", soft_wrap=True)
