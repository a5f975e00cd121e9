"""The sheet Model of a workbook: a row for each cell with a value, inputs as numbers, all else as live formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from flopsheet.formulas.printing import in_text
from flopsheet.graph.system import stated_equations
from flopsheet.registry.store import sources
from flopsheet.report.origins import meaning_text, origin_text, sources_of
from flopsheet.report.workbook.writer import SheetWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.answer import Answer, CellValue
    from flopsheet.report.workbook.formulas import ExcelFormulas
    from flopsheet.sheets.cell import Choice

MODEL = "Model"
SOLVED = "solved for this question: does not follow the inputs"
LONGEST_LIST = 250  # characters of a list of options that programs take
_HEAD = ("name", "value", "unit", "formula", "meaning", "source", "origin")
_WIDTHS = (30, 24, 14, 56, 56, 44, 30)
_OPTION = re.compile(r"[\w.-]+(?: [\w.-]+)*")


class Model:
    """Writes the sheet Model.

    Args:
        answer: the answer.
        formulas: writes expressions over the names.
        names: the defined name of each cell and choice with a value.
    """

    def __init__(self, answer: Answer, formulas: ExcelFormulas, names: Mapping[str, str]) -> None:
        self._answer, self.formulas, self.names = answer, formulas, names
        equations = (equation for equation in stated_equations(answer.question) if equation.kind == "formula")
        self._stated = {equation.target: equation.stated.right for equation in equations if equation.stated is not None}

    def write(self, book: Any) -> None:
        """Write the rows, and give each value its name."""
        writer, question = SheetWriter(book, MODEL, _WIDTHS), self._answer.question
        writer.head(*_HEAD)
        writer.freeze()
        for name, option in question.options.items():
            self._choice(writer, question.sheet.choices[name], option, given=name in question.choices)
            self._name(book, writer, name)
        for name, value in self._answer.cells.items():
            self._cell(writer, value)
            self._name(book, writer, name)

    def _name(self, book: Any, writer: SheetWriter, name: str) -> None:
        book.define_name(self.names[name], f"={MODEL}!$B${writer.line + 1}")

    @staticmethod
    def _choice(writer: SheetWriter, choice: Choice, option: str, *, given: bool) -> None:
        writer.row(choice.name, "", "", "", choice.doc, "", "given" if given else "default")
        writer.text(1, option, "choice")
        if all(map(_OPTION.fullmatch, choice.options)) and len(",".join(choice.options)) <= LONGEST_LIST:
            writer.options(1, choice.options)

    def _cell(self, writer: SheetWriter, value: CellValue) -> None:
        cell, live = value.cell, self.live(value)
        written = "" if cell.formula is None else in_text(cell.formula, tuple(self._answer.question.sheet.cells))
        solved = live is None and not value.is_input
        origin = SOLVED if solved else origin_text(value) + (", computed here" if live and value.is_input else "")
        writer.row(cell.name, "", cell.unit.text, written, meaning_text(value), _source(value), origin)
        if live is None:
            writer.number(1, value.value, "solved" if solved else "input")
        else:
            writer.formula(1, live, value.value)

    def live(self, value: CellValue) -> str | None:
        """Return the formula of a cell, None for an input and where something in it has no value."""
        formula = self._stated.get(value.cell.name, value.cell.formula)
        return None if formula is None else self.formulas.formula(formula, value.cell.unit)


def _source(value: CellValue) -> str:
    known = ((key, sources().get(key)) for key in sources_of(value))
    return "; ".join(source.title if source else key for key, source in known)


def cited(answer: Answer) -> list[str]:
    """Return the keys of all sources that the workbook cites, each once."""
    keys = [key for value in answer.cells.values() for key in sources_of(value)]
    return list(dict.fromkeys([*keys, *answer.question.sheet.sources]))
