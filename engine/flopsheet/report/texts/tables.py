"""What a table of answers says, in a sentence: how far what was asked for ranges, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.report.headlines import in_plural, other_cautions
from flopsheet.report.numeric import GAPS
from flopsheet.report.sentences import broken_texts, some_names
from flopsheet.report.tables import column_of, not_shown, spelled, text_of, undecided_in
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Row, Table
    from flopsheet.question.question import Question
    from flopsheet.units import Number

MOST_SPANS, MOST_OPTIONS, MOST_NAMES, MOST_ADVISED = 3, 4, 1, 20
_BOUNDS = {"<": "at most ", ">": "at least "}


def table_text(table: Table) -> str:
    """Return the smallest and largest value of what a table is asked for, where they are, and what has no answer."""
    answered = [(row, row.answer) for row in table.rows if row.answer is not None]
    if not answered:
        return "No row has an answer."
    spans = [_span(table, answered, name) for name in told(table, answered[0][1].question)]
    parts = ["; ".join(filter(None, spans))]
    lacking = len(table.rows) - sum(answer.meets_question and not not_shown(answer) for _, answer in answered)
    broken = sum(answer.meets_question and bool(answer.broken) for _, answer in answered)
    undecided = sum(bool(undecided_in(answer)) for _, answer in answered)
    counted = {"no answer": lacking, "an answer that breaks a limit": broken, "other values not excluded": undecided}
    for text, count in counted.items():
        parts += [f"{count} of {len(table.rows)} rows {'has' if count == 1 else 'have'} {text}"] if count else []
    return " ".join(f"{part}." for part in parts if part)


def first_row(table: Table | None) -> str:
    """Return what varies in the first row: `chip = h100-sxm, batch = 16 sequence`; empty for no table."""
    if table is None:
        return ""
    return ", ".join(f"{name} = {text}" for name, text in zip(table.varied, spelled(table, table.rows[0]), strict=True))


def cautions(answer: Answer, table: Table | None) -> list[str]:
    """Return the cautions of an answer, or those of a table, each with the rows that it is for unless it is for all."""
    if table is None:
        return other_cautions(answer)
    answered = [(row, row.answer) for row in table.rows if row.answer is not None]
    if len(answered) < 2:
        return other_cautions(answer)
    rows_of: dict[str, list[Row]] = {}
    for row, own in answered:
        for text in other_cautions(own, brief=len(answered) > MOST_ADVISED):
            rows_of.setdefault(text, []).append(row)
    return [text if len(rows) == len(answered) else f"{_rows(table, rows)}: {text}" for text, rows in rows_of.items()]


def broken(answer: Answer, table: Table | None) -> list[str]:
    """Return what a reader must know before an answer; of a table, with the row that it is for: others have remarks."""
    rows = [] if table is None or len(table.rows) < 2 else [row for row in table.rows if row.answer is answer]
    texts = broken_texts(answer)
    return texts if table is None or not rows else [f"{_rows(table, rows)}: {text}" for text in texts]


def _rows(table: Table, rows: Sequence[Row]) -> str:
    """Return what varies in rows: `h100-sxm, h200-sxm`, of many the first."""
    texts = [", ".join(spelled(table, row)) for row in rows]
    return some_names([f"({text})" for text in texts] if len(table.varied) > 1 else texts, MOST_OPTIONS)


def told(table: Table, question: Question) -> list[str]:
    """Return the columns that answer the question: unknowns, else what the sheet marks, else the last results."""
    if question.unknowns:
        return [name for name in table.shown if name in question.unknowns][:MOST_SPANS]
    marked = [name for name in table.shown if name in table.sheet.rows.headline]
    formulas = [question.formula(name) for name in table.shown if name in table.sheet.cells]
    used = {name for formula in formulas if formula is not None for name in cells_of(formula)}
    results = [name for name in table.shown if name not in used] or [*table.shown]
    return marked[:MOST_SPANS] or results[-MOST_SPANS:]


def _span(table: Table, answered: Sequence[tuple[Row, Answer]], name: str) -> str:
    """Return how far a column ranges: `Chips (n_chips): at least 46 (tpu-v5p) to 64 (h100-sxm)`."""
    if name not in table.sheet.cells:
        return _options(table, answered, name)
    known = [(row, answer) for row, answer in answered if name in answer.cells and not text_of(answer, name)]
    known = [(row, answer) for row, answer in known if not undecided_in(answer)] or known
    values = [answer.cells[name].si for _, answer in known]
    if not values or not all(map(is_finite, values)):
        return ""
    cell, texts = table.sheet.cells[name], column_of(values, table.sheet.cells[name].unit)
    bounds = {answer.outcomes[name].bound if name in answer.outcomes else "=" for _, answer in known}
    if bounds == {""}:
        return f"{cell.stated_doc or name} ({name}): every value works in every row"
    sign = _BOUNDS.get(next(iter(bounds)), "") if len(bounds) == 1 else ""

    def place(end: Callable[[Sequence[Number]], Number]) -> str:
        text = texts[values.index(end(values))]
        rows = [row for (row, _), own in zip(known, texts, strict=True) if own == text]
        return in_plural(text) + _where(table, rows)

    where = " in every row" if len(known) == len(table.rows) else _where(table, [row for row, _ in known])
    shown = f"{place(min)} to {place(max)}" if len(set(texts)) > 1 else f"{in_plural(texts[0])}{where}"
    return f"{cell.stated_doc or name} ({name}): {sign}{shown}"


def _where(table: Table, rows: Sequence[Row]) -> str:
    """Return what these rows have in common and others have not, in brackets: `(h100-sxm, batch = 16 sequence)`."""
    common, texts = list[str](), [[spelled(table, row) for row in among] for among in (rows, table.rows)]
    for place, name in enumerate(table.varied):
        own, every = ({row[place] for row in among} for among in texts)
        if len(own) == 1 < len(every):
            value = next(iter(own))
            common.append(f"{name} = {value}" if name in table.sheet.cells else value)
    return f" ({', '.join(common)})" if common else ""


def _options(table: Table, answered: Sequence[tuple[Row, Answer]], name: str) -> str:
    """Return the options or best names of a column, each with what its rows have in common."""
    by_text: dict[str, list[Row]] = {}
    for row, answer in answered:
        by_text.setdefault(_option(answer, name), []).append(row)
    shown = [f"{text}{_where(table, rows)}" for text, rows in by_text.items() if text]
    return f"{name}: {some_names(shown, MOST_OPTIONS)}" if shown else ""


def _option(answer: Answer, name: str) -> str:
    ranking = answer.ranking
    if ranking is not None and name in ranking.names:
        return some_names(ranking.options(name), MOST_NAMES)
    text = text_of(answer, name)
    return "" if text in GAPS else text
