"""The sheet Model, in which each row of an answer has a defined name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.formulas.printing import in_text
from flopsheet.registry.store import sources
from flopsheet.report import sentences
from flopsheet.report.workbook.live_texts import AS_ASKED
from flopsheet.report.workbook.model.inputs import CHANGED, HEADING, computed_within, write_bounds, write_changed
from flopsheet.report.workbook.solved.way import FOLLOWS
from flopsheet.report.workbook.writer import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.report.workbook.writer import SheetWriter

MODEL = "Model"
WIDTHS = (30, 24, 14, 56, 56, 44, 30, 40)
SOLVED = "solved for this question: does not follow the inputs"
ELSEWHERE = "in the sheet {}"
PICKED = "from the record picked as {}"
LONGEST_LIST = 250  # characters of a list of options that programs take
_OPTION = re.compile(r"[\w.-]+(?: [\w.-]+)*")


class ModelSheet:
    """Writes the sheet Model.

    Args:
        model: the rows of an answer.
        writer: writes the sheet.
        links: the places of inputs that are in other sheets, by row.
    """

    def __init__(self, model: Model, writer: SheetWriter, links: Mapping[str, str]) -> None:
        self._model, self._writer, self._links = model, writer, links

    def write(self) -> None:
        """Write a row for each value and give it its name."""
        model, writer = self._model, self._writer
        marks_changes = model.is_frozen or model.is_marked
        names = ("name", "value", "unit", "formula", "meaning", "source", "origin as asked", HEADING)
        writer.head(*names, *((CHANGED,) if marks_changes else ()), numbers=(1,), units=(2,))
        writer.freeze()
        computed = computed_within(model)
        for key in model.keys:
            formula, meaning, source, origin = self._about(key)
            if key in self._links:
                origin = f"{origin}, {ELSEWHERE.format(self._links[key].partition('!')[0])}"
            writer.row(model.label(key), "", model.unit(key), formula, meaning, source, origin)
            writer.text(2, model.unit(key), "unit")
            if self._follows_record(key):
                self._write_about(key, meaning, source, origin)
            write_value(model, writer, 1, key, self._links)
            writer.count(1, model.unit(key))
            writer.define(model.names[key], f"={MODEL}!$B${writer.line + 1}")
            write_bounds(model, writer, key, computed)
            if marks_changes:
                write_changed(model, writer, key)

    def _follows_record(self, key: str) -> bool:
        """Whether a row is of a record that may be picked: the record itself, or a figure that is looked up in it."""
        answer = self._model.answer
        value = answer.cells.get(key)
        is_looked_up = value is not None and value.is_input and value.record is not None and key in self._model.texts
        return is_looked_up or key in answer.question.records

    def _write_about(self, key: str, *texts: str) -> None:
        """Write meaning, source and origin of such a row, as they are for the record that is picked."""
        model, question = self._model, self._model.answer.question
        part = key if key in question.records else model.answer.cells[key].cell.part
        same = f"{model.names[part]}={quoted(question.records[part].key)}"
        if part == key:
            others = (model.records.live_meaning(question, part, model.names), quoted(""), quoted(texts[-1]))
        else:
            others = (quoted(model.answer.cells[key].cell.doc), quoted(""), quoted(PICKED.format(part)))
        for column, (text, other) in enumerate(zip(texts, others, strict=True), 4):
            if text:
                self._writer.formula(column, f"=IF({same},{quoted(text)},{other})", text, "live text")

    def _about(self, key: str) -> tuple[str, str, str, str]:
        """Return the formula of a row as flopsheet has it, its meaning, source and origin."""
        model, question = self._model, self._model.answer.question
        if key in question.records:
            return "", model.records.meaning(question, key), "", model.records.origin(question, key)
        if key in model.goals:
            return "", f"{AS_ASKED}{model.goals[key].text}", "", "given"
        if key in question.options:
            return "", question.sheet.choices[key].doc, "", "given" if key in question.choices else "default"
        value = model.answer.cells[key]
        written = "" if value.cell.formula is None else in_text(value.cell.formula, tuple(question.sheet.cells))
        known = ((source, sources().get(source)) for source in sentences.sources_of(value))
        cited = "; ".join(source.title if source else name for name, source in known)
        return written, sentences.meaning_text(value), cited, self._origin(value)

    def _origin(self, value: CellValue) -> str:
        model, name = self._model, value.cell.name
        if name in model.ways:
            way = model.ways[name]
            return FOLLOWS.get(way.kind, SOLVED) if name in model.texts else f"{SOLVED}: {way.why}"
        computed = value.is_input and name in model.live.formulas
        return f"{sentences.origin_text(value)}, computed here" if computed else sentences.origin_text(value)


def write_value(model: Model, writer: SheetWriter, column: int, key: str, links: Mapping[str, str]) -> None:
    """Write the value of a row into a column of the current line: a link where there is one, a formula, or an input."""
    question, value = model.answer.question, model.result(key)
    whole = key in model.answer.cells and model.answer.cells[key].cell.integer
    text = f"={links[key]}" if key in links else model.texts.get(key)
    if text is not None:
        writer.formula(column, text, value, whole=whole)
    elif key in question.records:
        model.records.write_key(writer, column, question, key, model.names)
    elif isinstance(value, str):
        writer.text(column, value, "choice")
        options = question.sheet.choices[key].options
        if all(map(_OPTION.fullmatch, options)) and len(",".join(options)) <= LONGEST_LIST:
            writer.options(column, options)
    else:
        writer.number(column, value, "solved" if key in model.ways else "input", whole=whole)
