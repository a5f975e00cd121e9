"""The object that templates see: an answer prepared for printing, all text plain and all formulas in LaTeX."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.inverse.method import Method
from flopsheet.report import sentences
from flopsheet.report.entries import Driver, Input, Line, Reference, Result, Verdict, drivers_of
from flopsheet.report.formulas import Formulas, formula_of
from flopsheet.report.pictures import mermaid, svg
from flopsheet.report.tables import Grid, every_value, grid_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer, CellValue
    from flopsheet.answer.names import Ranking
    from flopsheet.report import Extras

MOST_COLUMNS = 12


class WriteUp:
    """An answer prepared for printing.

    Each public property is a field of `w` in templates: its name, type and docstring are its entry in
    `templates/README.md`. A field is computed when a template first reads it.
    """

    def __init__(self, answer: Answer, extras: Extras) -> None:
        self._answer, self._extras = answer, extras
        self._question, self._sheet, cells = answer.question, answer.question.sheet, answer.cells
        self._formulas = Formulas(
            self._sheet.cells, answer.values, self._question.quantities, lambda name: cells[name].is_input
        )

    @cached_property
    def title(self) -> str:
        """Headline."""
        return self._extras.title or sentences.headline(self._question)

    @cached_property
    def question(self) -> str:
        """The question as a sentence."""
        return sentences.question_text(self._question, self._extras.varied)

    @cached_property
    def before(self) -> list[str]:
        """Paragraphs before the answer."""
        return list(self._extras.before)

    @cached_property
    def after(self) -> list[str]:
        """Paragraphs after the answer."""
        return list(self._extras.after)

    @cached_property
    def names(self) -> list[str]:
        """Records and options of the question: `chip = h100-sxm`."""
        hidden = {*self._extras.varied, *self._ranked_names}
        return [f"{name} = {value}" for name, value in self._named.items() if name not in hidden]

    @cached_property
    def sheet(self) -> str:
        """Name of the sheet."""
        return self._sheet.name

    @cached_property
    def sheet_title(self) -> str:
        """First line of the sheet's description."""
        return self._sheet.title

    @cached_property
    def results(self) -> list[Result]:
        """The outcome for each unknown."""
        return [Result.of(outcome, self._formulas) for outcome in self._answer.outcomes.values()]

    @cached_property
    def ranking(self) -> Ranking | None:
        """For unknown names, the ranking with `why` (a sentence) and `names` (the names asked for); else None."""
        return self._answer.ranking

    @cached_property
    def ranked(self) -> str:
        """The names that work, best first; empty where no name is unknown."""
        return "" if self.ranking is None else sentences.ranking_text(self.ranking)

    @cached_property
    def first(self) -> str:
        """The best of these names, for which the other fields hold; empty for none."""
        return joined([f"{name} = {self._named[name]}" for name in self._ranked_names if name in self._named])

    @cached_property
    def rejected(self) -> list[str]:
        """The names that do not work, grouped by reason."""
        return [] if self.ranking is None else sentences.rejections(self.ranking)

    @cached_property
    def table_head(self) -> list[str]:
        """Column names of the question's table, with units."""
        return list(self._table.head)

    @cached_property
    def table_rows(self) -> list[list[str]]:
        """Rows of the question's table."""
        return [list(row) for row in self._table.rows]

    @cached_property
    def columns(self) -> list[str]:
        """With `--all`, the column names of a table of every value that works."""
        return list(self._values.head)

    @cached_property
    def rows(self) -> list[list[str]]:
        """With `--all`, the rows of that table."""
        return [list(row) for row in self._values.rows]

    @cached_property
    def inputs(self) -> list[Input]:
        """Values that the answer depends on."""
        return [
            self._entry(value, sentences.meaning_text(value), sentences.origin_text(value), sentences.sources_of(value))
            for value in self._needed_inputs
        ]

    @cached_property
    def dropped_defaults(self) -> list[str]:
        """Defaults overridden by the question."""
        cells = self._sheet.cells
        return [f"{name} = {sentences.default_text(cells[name])}" for name in self._answer.dropped_defaults]

    @cached_property
    def steps(self) -> list[Line]:
        """The derivation, in order."""
        steps = enumerate(self._answer.steps, 1)
        return [Line.of(number, step, self._answer, self._formulas) for number, step in steps]

    @cached_property
    def checks(self) -> list[Verdict]:
        """Relations of the question, evaluated at the answer."""
        return [Verdict.of(check) for check in self._answer.checks]

    @cached_property
    def limits(self) -> list[Verdict]:
        """Limits of the sheet, evaluated at the answer."""
        return [Verdict.of(check) for check in self._answer.limits]

    @cached_property
    def bindings(self) -> list[str]:
        """The term that determines each max and min of the steps, in words."""
        names = tuple(self._sheet.cells)
        return [
            f"{sentences.binding_text(binding, names)}; {sentences.alternatives_text(binding, names)}"
            for binding in self._answer.bindings
            if binding.cell.name in self._derived
        ]

    @cached_property
    def moves(self) -> list[Driver]:
        """The inputs to which the unknowns are most sensitive."""
        return drivers_of(self._answer)

    @cached_property
    def others(self) -> list[Input]:
        """Other cells that have been computed."""
        computed = (value for value in self._answer.cells.values() if value.origin == "computed")
        shown = (value for value in computed if value.cell.name not in self._derived)
        return [self._entry(value, value.cell.doc, value.origin, ()) for value in shown]

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader should know."""
        return self._answer.cautions

    @cached_property
    def assumptions(self) -> list[str]:
        """Assumptions of the sheet."""
        return list(self._sheet.assumptions)

    @cached_property
    def notes(self) -> list[str]:
        """Notes of the sheet."""
        return list(self._sheet.notes)

    @cached_property
    def sheet_sources(self) -> str:
        """Comma-separated numbers of the sheet's references; empty for none."""
        return ", ".join(map(str, sorted(self._numbers[key] for key in self._sheet.sources)))

    @cached_property
    def sources(self) -> list[Reference]:
        """The list of references."""
        return [Reference.of(number, key) for key, number in self._numbers.items()]

    @cached_property
    def graph(self) -> str:
        """The dependency graph of the answer as Mermaid text, for a code block of the language `mermaid`."""
        return mermaid(self._answer.graph)

    @cached_property
    def drawing(self) -> str:
        """The dependency graph as a self-contained SVG; in HTML, the filter `graph` of `w` writes it."""
        return svg(self._answer)

    @cached_property
    def shows_graph(self) -> bool:
        """Whether to show the graph: there are steps, and it is of an unknown or small enough to be complete."""
        return bool(self.steps) and (bool(self.results) or not self._answer.graph.left_out)

    @cached_property
    def _named(self) -> dict[str, str]:
        records = {name: record.key for name, record in self._question.records.items()}
        return records | self._question.choices

    @property
    def _ranked_names(self) -> Sequence[str]:
        return () if self.ranking is None else self.ranking.names

    @cached_property
    def _table(self) -> Grid:
        return Grid([], []) if self._extras.table is None else grid_of(self._extras.table)

    @cached_property
    def _values(self) -> Grid:
        return every_value(self._answer, MOST_COLUMNS) if self._extras.every else Grid([], [])

    @cached_property
    def _derived(self) -> set[str]:
        return {step.cell.name for step in self._answer.steps}

    @cached_property
    def _needed_inputs(self) -> list[CellValue]:
        """The given values, and the inputs in steps, in relations, and in the formulas of cells in relations."""
        answer, question = self._answer, self._question
        names = {name for step in answer.steps if step.form is not None for name in cells_of(step.form)}
        inverted = [step.condition for step in answer.steps if step.how is not Method.DIRECT]
        related = {cell for relation in (*question.relations, *inverted) for cell in relation.cells}
        cells = question.sheet.cells
        formulas = (question.formula(name) for name in related | question.pins.keys() if name in cells)
        names |= related | {name for formula in formulas if formula is not None for name in cells_of(formula)}
        return [
            value
            for name, value in answer.cells.items()
            if value.origin == "given" or (name in names and value.is_input)
        ]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each source, in the order in which a page first cites it: by its inputs, then by the sheet."""
        cited = [key for value in self._needed_inputs for key in sentences.sources_of(value)]
        return {key: number for number, key in enumerate(dict.fromkeys([*cited, *self._sheet.sources]), 1)}

    def _entry(self, value: CellValue, doc: str, origin: str, references: Sequence[str]) -> Input:
        name, cited = value.cell.name, ", ".join(str(self._numbers[key]) for key in references)
        symbol = formula_of(self._formulas.symbol(name))
        return Input(name, symbol, sentences.value_text(value), doc, value.origin, origin, cited)
