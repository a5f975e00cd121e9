"""Text for a terminal: the answer first, then a table of cells."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flopsheet.formulas.order import in_text
from flopsheet.registry.sources import sources
from flopsheet.report.drivers import moves_text
from flopsheet.report.origins import figures_of, value_text
from flopsheet.report.sentences import binding_text, every_value, outcome_text, ranking_text, rejections
from flopsheet.report.tables import head, rows
from flopsheet.units import format_number, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.results import Check, Ranking
    from flopsheet.answer.table import Table as AnswerTable
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell

WIDTH = 120
MOST_REJECTED = 6


def console(file: TextIO | None = None) -> Console:
    """Return a console: the terminal's width, or a fixed one where there is no terminal."""
    target = file or sys.stdout
    return Console(file=target, width=None if target.isatty() else WIDTH, highlight=False, emoji=False, markup=False)


def print_answer(answer: Answer, file: TextIO | None = None, *, every: bool = False) -> None:
    """Print an answer: the unknowns, the cells, the limits, what moves it, what to be wary of.

    Args:
        answer: the answer.
        file: where to print; standard output if none.
        every: whether to print the cells at each value that works, not only at the first.
    """
    out = console(file)
    if answer.ranking is not None:
        _print_ranking(out, answer.ranking)
    for outcome in answer.outcomes.values():
        style = "bold red" if outcome.kind == "none" else "bold green"
        out.print(Text(outcome_text(outcome), style=style), soft_wrap=True)
        if outcome.why:
            out.print(outcome.why, soft_wrap=True)
    broken = [check for check in answer.checks if not check.holds and not answer.outcomes]
    for check in broken:
        out.print(Text(_check_text(check), style="bold red"), soft_wrap=True)
    if answer.outcomes or answer.ranking or broken:
        out.print()
    out.print(_every_value(answer) if every else _cells(answer))
    for check in [*answer.checks, *answer.limits]:
        out.print(_check_text(check), soft_wrap=True)
    _print_proof(out, answer)
    for name in answer.dropped_defaults:
        out.print(f"The default of {name} gave way.", soft_wrap=True)
    for warning in answer.cautions:
        out.print(Text(f"Note: {warning}", style="yellow"), soft_wrap=True)


def print_table(table: AnswerTable, file: TextIO | None = None) -> None:
    """Print a table of answers."""
    shown = _table(*head(table))
    for row in rows(table):
        shown.add_row(*row)
    console(file).print(shown)


def _print_ranking(out: Console, ranking: Ranking) -> None:
    out.print(Text(ranking_text(ranking), style="bold green" if ranking.working else "bold red"), soft_wrap=True)
    out.print(ranking.why, soft_wrap=True)
    texts = rejections(ranking)
    shown = len(texts) if len(texts) <= MOST_REJECTED + 1 else MOST_REJECTED
    for text in texts[:shown]:
        out.print(f"Not {text}", soft_wrap=True)
    if len(texts) > shown:
        more = sum(text.partition(":")[0].count(",") + 1 for text in texts[shown:])
        out.print(f"Nor {more} others; --as markdown or json has their reasons.", soft_wrap=True)


def _cells(answer: Answer) -> Table:
    names = tuple(answer.question.sheet.cells)
    table = _table("cell", "value", "from", "meaning")
    for name, value in answer.cells.items():
        formula = value.cell.formula
        origin = value.record.key if value.record else value.origin
        said = _spaced(formula, names) if value.origin == "computed" and formula is not None else origin
        table.add_row(name, value_text(value), said, value.cell.doc)
    return table


def _every_value(answer: Answer) -> Table:
    """Return a table with a row for each value that works, of the cells that differ among them."""
    head, rows = every_value(answer)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in head:
        table.add_column(name, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _print_proof(out: Console, answer: Answer) -> None:
    names = tuple(answer.question.sheet.cells)
    for binding in answer.bindings:
        out.print(binding_text(binding, names), soft_wrap=True)
    for name in answer.outcomes:
        moves = moves_text(answer, name)
        if moves:
            out.print(f"1 % more of each moves {name} by so many percent: {moves}", soft_wrap=True)


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column == "value" else "left", overflow="fold")
    return table


def _check_text(check: Check) -> str:
    left, right = (format_quantity(side, check.unit) for side in (check.left, check.right))
    name = f"limit {check.relation.name}" if check.relation.name else "check"
    verdict = "holds" if check.holds else "DOES NOT HOLD"
    room = "" if check.relation.is_equation else f", slack {format_number(100 * check.slack)} %"
    return f"{name}: {check.relation.text}: {left} {check.relation.operator} {right}: {verdict}{room}"


def print_sheets(sheets: Iterable[Sheet], file: TextIO | None = None) -> None:
    """Print a list of sheets: name, title, number of cells."""
    table = _table("sheet", "cells", "what it computes")
    for each in sheets:
        table.add_row(each.name, str(sum(not cell.part for cell in each.cells.values())), each.title)
    console(file).print(table)


def print_sheet(sheet: Sheet, file: TextIO | None = None) -> None:
    """Print a sheet like a spreadsheet: rows with unit and formula, limits, assumptions, sources."""
    out = console(file)
    out.print(Text(sheet.title, style="bold"))
    for paragraph in (type(sheet).__doc__ or "").strip().split("\n\n")[1:]:
        out.print(" ".join(paragraph.split()))
    out.print()
    names = tuple(sheet.cells)
    table = _table("cell", "unit", "formula or default", "meaning")
    for part in sheet.parts.values():
        table.add_row(part.name, part.kind, f"given, e.g. {part.example}" if part.example else "given", part.doc)
    for inner in sheet.sheets.values():
        table.add_row(inner.name, "sheet", inner.kind, inner.doc)
    for choice in sheet.choices.values():
        options = (f"{each} (default)" if each == choice.default else each for each in choice.options)
        table.add_row(choice.name, "choice", " | ".join(options), choice.doc)
    for cell in (each for each in sheet.cells.values() if not each.part):
        table.add_row(cell.name, cell.unit.text, _definition(cell, names), cell.doc)
    out.print(table)
    for limit in sheet.limits.values():
        out.print(f"limit {limit.name}: {limit.text} ({limit.doc})")
    _print_list(out, "Assumptions", sheet.assumptions)
    _print_list(out, "Notes", sheet.notes)
    _print_list(out, "Sources", sheet.sources)


def _definition(cell: Cell, names: tuple[str, ...]) -> str:
    if cell.formula is not None:
        return _spaced(cell.formula, names)
    if cell.default is not None:
        return format_quantity(cell.default, cell.unit)
    return "given" if cell.example is None else f"given, e.g. {format_quantity(cell.example, cell.unit)}"


def _spaced(formula: Any, names: tuple[str, ...]) -> str:
    """Return a formula with blanks around its operators, so that a table can break it between names."""
    return "= " + re.sub(r"(?<=[^*])([*/]|[*]{2})(?=[^*])", r" \1 ", in_text(formula, names))


def _print_list(out: Console, heading: str, texts: Iterable[str]) -> None:
    lines = [f"  - {text}" for text in texts]
    if lines:
        out.print("\n".join([heading, *lines]), soft_wrap=True)


def print_record(record: Record, file: TextIO | None = None) -> None:
    """Print a record: every figure with its note, the number of its sources, and its place; the sources below."""
    out = console(file)
    out.print(Text(f"{record.key}: {record.name}", style="bold"))
    about = [record.vendor, f"released {record.released}" if record.released else "", record.note]
    out.print("; ".join(part for part in about if part))
    lines, keys = figures_of(record, "NOT VERIFIED.")
    table = _table("field", "value", "note", "source", "where")
    for line in lines:
        table.add_row(*line)
    out.print(table)
    for place, key in enumerate(keys, 1):
        source = sources().get(key)
        told = f"{source.title} {source.url}".strip() if source else key
        out.print(Text(f"[{place}] {told}"), soft_wrap=True)
    out.print(f"Defined in {record.spot.file}, line {record.spot.line}.", soft_wrap=True)
