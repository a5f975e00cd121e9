"""Figures that a record lacks, and the options of a choice for which it has them: a V100 has no bf16, but fp16."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Select, taken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.functions import Expr
    from flopsheet.question.question import Question
    from flopsheet.sheets.kernel import Rows


def absent_figures(question: Question, names: Iterable[str]) -> list[str]:
    """Return the cells among these that are figures of a record in the question that has none."""
    cells = question.sheet.cells
    return [name for name in names if cells[name].part in question.records and not _has(question, name)]


def absence(question: Question, figures: Iterable[str]) -> str:
    """Return the clause that records lack these figures: `v100-sxm2-16gb has no chip.flops.bf16`.

    A record that is tried as an answer is just "it", so that all that lack a figure have the same reason.
    """
    by_record: dict[str, list[str]] = {}
    for name in figures:
        part = question.sheet.cells[name].part
        by_record.setdefault("it" if part in question.substituted else question.records[part].key, []).append(name)
    return joined([f"{key} has no {joined(names, 'or')}" for key, names in by_record.items()])


def other_options(question: Question, figure: str) -> str:
    """Return the options of a choice with which the record has a figure, `precision = fp32 or fp16`; none is empty."""
    for select in _selects(question.sheet.rows):
        name = select.args[0].name
        if figure not in cells_of(taken(select, question.options)):
            continue
        branches = ((option, select.branches[option]) for option in question.sheet.choices[name].options)
        options = [option for option, branch in branches if _is_complete(question, branch)]
        if options:
            return f"{name} = {joined(options, 'or')}"
    return ""


def _selects(rows: Rows) -> list[Select]:
    """Return the case distinctions in the formulas of a sheet, each once."""
    if "selects" not in rows.derived:
        formulas = (own for cell in rows.cells.values() for own in cell.formulas)
        rows.derived["selects"] = [*dict.fromkeys(select for own in formulas for select in own.atoms(Select))]
    selects: list[Select] = rows.derived["selects"]
    return selects


def _is_complete(question: Question, branch: Expr) -> bool:
    figures = _figures(question, branch)
    return bool(figures) and all(_has(question, name) for name in figures)


def _figures(question: Question, expression: Expr) -> set[str]:
    """Return the figures of records that an expression reads, itself or by a case distinction as the peak rate is."""
    cells, figures = question.sheet.cells, set[str]()
    for name in cells_of(taken(expression, question.options)) & cells.keys():
        formula = cells[name].formula
        figures |= {name} if cells[name].part else _figures(question, formula) if isinstance(formula, Select) else set()
    return figures


def _has(question: Question, name: str) -> bool:
    part = question.sheet.cells[name].part
    record = question.records.get(part)
    return name in question.pins or (record is not None and question.sheet.cells[name].figure in record.values)
