"""The sheet Model: a row for each input and each cell with a value, its defined name, and formulas over these names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.formulas.printing import in_text
from flopsheet.functions.choose import max_, min_
from flopsheet.functions.rounding import ceil, floor
from flopsheet.functions.symbols import as_sympy
from flopsheet.registry.store import sources
from flopsheet.report import sentences
from flopsheet.report.workbook.formulas import ExcelFormulas
from flopsheet.report.workbook.live import Live
from flopsheet.report.workbook.ways import FORM, NONE, Way, way_of
from flopsheet.report.workbook.writer import SheetWriter, excel_names
from flopsheet.units import in_unit, is_finite

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer, CellValue
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.records import Records
    from flopsheet.report.workbook.search import Block, SearchSheet
    from flopsheet.sheets.cell import Choice
    from flopsheet.units import Number

MODEL = "Model"
SOLVED = "solved for this question: does not follow the inputs"
FOLLOWS = {"form": "solved, in closed form", "search": "solved, by the sheet Search", "trials": "solved, by trials"}
LONGEST_LIST = 250  # characters of a list of options that programs take
_OPTION = re.compile(r"[\w.-]+(?: [\w.-]+)*")


class Model:
    """The rows of an answer, and how each follows the inputs."""

    def __init__(self, answer: Answer, records: Records) -> None:
        self.answer, self.records, self.live = answer, records, Live(answer)
        question, goals = answer.question, self.live.goals
        labels = excel_names((*question.options, *answer.cells, *question.records, *(goal.label for goal in goals)))
        self.names = {**labels, **{goal.key: labels[goal.label] for goal in goals}}
        units = {name: value.cell.unit for name, value in answer.cells.items()}
        units |= {goal.key: goal.unit for goal in goals}
        self.formulas = ExcelFormulas(self.names, units, question.literals, tuple(question.sheet.cells))
        self.texts = self._texts()
        self.ways = {name: way_of(self.live, name) for name in self.live.solved}
        self.blocks: dict[str, Block] = {}

    def _texts(self) -> dict[str, str]:
        """Return the formula of each cell that has one which spreadsheets take."""
        cells, texts = self.answer.cells, dict[str, str]()
        for name, formula in self.live.formulas.items():
            text = self.formulas.formula(formula, cells[name].cell.unit)
            if text is not None:
                texts[name] = text
        self.live.leave_out(self.live.formulas.keys() - texts.keys())
        return texts

    @property
    def stale(self) -> dict[str, str]:
        """The cells that do not follow the inputs, each with the reason."""
        return {name: way.why for name, way in self.ways.items() if way.kind == NONE}

    def write(self, writer: SheetWriter, search: SearchSheet) -> None:
        """Write the rows, give each value its name, and write the searches that they need."""
        question = self.answer.question
        writer.head("name", "value", "unit", "formula", "meaning", "source", "origin")
        writer.freeze()
        for name in question.records:
            self._name(writer, name)
            self.records.row(writer, name, self.names)
        for goal in self.live.goals:
            writer.row(goal.label, "", goal.unit.text, "", f"As the question demands: {goal.text}", "", "given")
            writer.number(1, in_unit(goal.si, goal.unit))
            self._name(writer, goal.key, here=True)
        for name, option in question.options.items():
            self._choice(writer, question.sheet.choices[name], option, given=name in question.choices)
            self._name(writer, name, here=True)
        for name, value in self.answer.cells.items():
            self._cell(writer, value, search)
            self._name(writer, name, here=True)

    def _name(self, writer: SheetWriter, name: str, *, here: bool = False) -> None:
        """Give the value of the current row its name, or that of the next one."""
        writer.define(f"{self.names[name]}", f"={MODEL}!$B${writer.line + (1 if here else 2)}")

    @staticmethod
    def _choice(writer: SheetWriter, choice: Choice, option: str, *, given: bool) -> None:
        writer.row(choice.name, "", "", "", choice.doc, "", "given" if given else "default")
        writer.text(1, option, "choice")
        if all(map(_OPTION.fullmatch, choice.options)) and len(",".join(choice.options)) <= LONGEST_LIST:
            writer.options(1, choice.options)

    def _cell(self, writer: SheetWriter, value: CellValue, search: SearchSheet) -> None:
        cell, way = value.cell, self.ways.get(value.cell.name)
        live = self.texts.get(cell.name) if way is None else self._solved(way, value, search)
        written = "" if cell.formula is None else in_text(cell.formula, tuple(self.answer.question.sheet.cells))
        origin = sentences.origin_text(value)
        if value.is_input and value.record is not None and live is None:
            live = self.records.lookup(value, self.names)
        elif value.is_input and live:
            origin += ", computed here"
        elif way is not None:
            origin = FOLLOWS.get(way.kind, SOLVED) if live else f"{SOLVED}: {way.why}"
        known = ((key, sources().get(key)) for key in sentences.sources_of(value))
        source = "; ".join(source.title if source else key for key, source in known)
        writer.row(cell.name, "", cell.unit.text, written, sentences.meaning_text(value), source, origin)
        if live is None:
            writer.number(1, value.exact, "input" if way is None else "solved", whole=cell.integer)
        else:
            writer.formula(1, live, value.exact, whole=cell.integer)

    def _solved(self, way: Way, value: CellValue, search: SearchSheet) -> str | None:
        """Return the formula of a cell that was solved for."""
        name = self.names[way.cell.name]
        form = self.formulas.formula(self._boundary(way), way.cell.unit) if way.forms else None
        if way.kind == NONE:
            return None
        if way.whole or way.kind != FORM:
            self.blocks[way.cell.name] = search.write(way, name, value.si)
        result = self.blocks[way.cell.name].result if way.kind != FORM else ""
        if form is None:
            return f"={result}" if result else None
        if not result:
            return form
        tests = ",".join(f'{self.names[choice]}="{option}"' for choice, option in way.options)
        return f"=IF({f'AND({tests})' if len(way.options) > 1 else tests},{form[1:]},{result})"

    @staticmethod
    def _boundary(way: Way) -> Expr:
        """Return the boundary that closed forms set together, of a whole number the first that works."""
        if not way.whole:
            return way.forms[0] if way.sign == "=" else (max_ if way.sign == ">" else min_)(*way.forms)
        signs = [relation.operator for relation in way.relations]
        lower, forms = way.cell.bounds.lower, []
        for form, sign in zip(way.forms, signs, strict=True):
            if way.sign == ">":
                forms.append(ceil(form) if "=" in sign else floor(form) + 1)
            else:
                forms.append(floor(form) if "=" in sign else ceil(form) - 1)
        if way.sign == ">" and is_finite(lower):
            forms.append(as_sympy(_first(lower)))
        return (max_ if way.sign == ">" else min_)(*forms)


def _first(lower: Number) -> int:
    return -int(-lower // 1)
