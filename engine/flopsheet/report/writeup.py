"""The object that templates see: an answer prepared for printing, all text plain and all formulas in LaTeX."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

from flopsheet.answer.names import Ranking
from flopsheet.answer.outcomes.wording import in_one_sentence
from flopsheet.inverse.method import Method
from flopsheet.report import Extras, headlines, sentences
from flopsheet.report.candidates import MOST_CANDIDATES, candidates, compared, side_by_side
from flopsheet.report.conflicts import conflict_of
from flopsheet.report.entries import (
    ENTRIES,
    Driver,
    Input,
    Line,
    Reference,
    Result,
    Verdict,
    cited,
    lines_of,
    references_of,
    results_of,
)
from flopsheet.report.formulas import Formulas, formula_of
from flopsheet.report.moves import drivers_of, first_drivers, first_inputs, strongest_of
from flopsheet.report.pictures import mermaid, plotted, svg
from flopsheet.report.pictures.drawn import plot_svg, plot_tikz
from flopsheet.report.steps.digits import LeastDigits
from flopsheet.report.steps.used import needed_inputs, used_by, used_inputs
from flopsheet.report.tables import Grid, every_value, grid_of
from flopsheet.report.templating.lazy import LazyField
from flopsheet.report.terminal.columns import brief
from flopsheet.report.texts import asked
from flopsheet.report.texts.limits import telling
from flopsheet.report.texts.ranked import best_text, equals_text, first_text, told
from flopsheet.report.texts.rejections import rejections
from flopsheet.report.texts.tables import broken, cautions, first_row, table_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.answer.verification.checks import Check

    T = TypeVar("T")

MOST_COLUMNS = 12


def _lazy(compute: Callable[[WriteUp], T]) -> T:
    return cast("T", LazyField(compute))


class WriteUp:
    """An answer prepared for printing.

    Each annotated name is a field of `w` in templates, documented in `templates/README.md` by its type and text.
    """

    def __init__(self, answer: Answer, extras: Extras) -> None:
        self._answer, self.extras = answer, extras
        self._question, self._sheet = answer.question, answer.question.sheet
        self._formulas = Formulas(self._sheet.cells, answer.values, self._question.quantities)

    _needed_inputs = _lazy(lambda self: needed_inputs(self._answer))
    _plot = _lazy(lambda self: plotted(self._answer, self.extras.table))
    _drivers = _lazy(lambda self: strongest_of(self._answer))
    _used = _lazy(lambda self: used_by(self._answer, self.extras))
    _digits = _lazy(lambda self: LeastDigits(self._answer))
    _candidates = _lazy(lambda self: candidates(self._answer))
    _conflict = _lazy(lambda self: conflict_of(self._answer))
    _derived = _lazy(lambda self: {step.cell.name for step in self._answer.steps})
    _direct = _lazy(lambda self: {step.cell.name for step in self._answer.steps if step.how is Method.DIRECT})
    _beside = _lazy(lambda self: first_inputs(self._drivers) | self._conflict.inputs)  # used_steps

    title: Annotated[str, "Headline."] = _lazy(lambda self: asked.title(self._question, self.extras))
    question: Annotated[str, "The question as a person asks it, or else as in `asked`."] = _lazy(
        lambda self: self.extras.question or self.asked
    )
    asked: Annotated[str, "The question as a sentence of unknowns and relations."] = _lazy(
        lambda self: asked.question_text(self._question, self.extras.varied)
    )
    goals: Annotated[list[str], "Its relations, and the limits that it lifts: `without the limit fits`."] = _lazy(
        lambda self: asked.goals(self._question, self.extras.varied)
    )
    heading: Annotated[str, "The question as a person asks it, or else the headline."] = _lazy(
        lambda self: self.extras.question or self.title
    )
    width: Annotated[int, "Width of plain text, in letters."] = _lazy(lambda self: self.extras.width)
    before: Annotated[list[str], "Paragraphs before the answer."] = _lazy(lambda self: list(self.extras.before))
    after: Annotated[list[str], "Paragraphs after the answer."] = _lazy(lambda self: list(self.extras.after))
    names: Annotated[list[str], "Records and options of the question: `chip = h100-sxm`."] = _lazy(
        lambda self: [
            f"{name} = {value}"
            for name, value in self._named.items()
            if name not in self.extras.varied and name not in self._ranked_names
        ]
    )
    sheet: Annotated[str, "Name of the sheet."] = _lazy(lambda self: self._sheet.name)
    sheet_title: Annotated[str, "First line of the sheet's description."] = _lazy(lambda self: self._sheet.title)
    results: Annotated[list[Result], "The outcome for each unknown."] = _lazy(
        lambda self: results_of(self._answer, self._formulas, self._direct)
    )
    answered: Annotated[str, "The outcomes in one sentence; empty where nothing but names is unknown."] = _lazy(
        lambda self: in_one_sentence(result.line for result in self.results)
    )
    summary: Annotated[str, "Values of the cells of `--show`, or without unknowns of those that the sheet marks."] = (
        _lazy(
            lambda self: (
                headlines.headline_text(self._answer) if (self._question.shown or self.extras.table is None) else ""
            )
        )
    )
    brief: Annotated[str, "The answer, what binds it and what breaks, in one sentence."] = _lazy(
        lambda self: headlines.brief_text(self._answer, self.names, self.table_text, self.first)
    )
    broken: Annotated[list[str], "What could not be checked and what limits do not hold, each in a sentence."] = _lazy(
        lambda self: broken(self._answer, self.extras.table)
    )
    ranking: Annotated[Ranking | None, "Of unknown names the ranking, with `why` and `names`; else None."] = _lazy(
        lambda self: self._answer.ranking
    )
    ranked: Annotated[str, "The names that work, best first, many folded; empty where no name is unknown."] = _lazy(
        lambda self: "" if self.ranking is None else sentences.ranking_sentence(self.ranking)
    )
    first: Annotated[str, "The best of names, or one of several values, for which all else holds."] = _lazy(
        lambda self: headlines.in_plural(first_text(self._answer))
    )
    rejected: Annotated[list[str], "The names that do not work, grouped by reason."] = _lazy(
        lambda self: [] if self.ranking is None else rejections(self.ranking)
    )
    candidate_columns: Annotated[list[str], "The columns of a table of the names that work, if several do."] = _lazy(
        lambda self: list(self._candidates.head)
    )
    candidate_rows: Annotated[list[list[str]], "The rows of that table, the best first."] = _lazy(
        lambda self: self._candidates.lists[:MOST_CANDIDATES]
    )
    unlisted: Annotated[str, "What works and is not in that table, in a sentence; empty for nothing."] = _lazy(
        lambda self: sentences.unlisted(self._answer, MOST_CANDIDATES) if self.candidate_rows else ""
    )
    best: Annotated[str, "The tuple that `--best` ranks first, or all."] = _lazy(lambda self: best_text(self._answer))
    equals: Annotated[str, "Equal ranks in that table, in a sentence."] = _lazy(lambda self: equals_text(self._answer))
    table_head: Annotated[
        list[str], "Columns of the question's table, with units; of names, what tells them apart too."
    ] = _lazy(lambda self: list(self._table.head))
    table_text: Annotated[str, "How far the table's columns that were asked for range; empty for no table."] = _lazy(
        lambda self: "" if self.extras.table is None else table_text(self.extras.table)
    )
    table_rows: Annotated[list[list[str]], "Rows of the question's table."] = _lazy(lambda self: self._table.lists)
    first_row: Annotated[str, "What varies in its first row."] = _lazy(lambda self: first_row(self.extras.table))
    compared: Annotated[list[list[str]], "That table turned."] = _lazy(lambda self: compared(self.extras.table))
    columns: Annotated[list[str], "With `--all`, the column names of a table of every value that works."] = _lazy(
        lambda self: list(self._every.head)
    )
    rows: Annotated[list[list[str]], "With `--all`, the rows of that table."] = _lazy(lambda self: self._every.lists)
    inputs: Annotated[list[Input], "Values that the answer depends on."] = _lazy(
        lambda self: self._inputs_of(self._needed_inputs)
    )
    dropped_defaults: Annotated[list[str], "Defaults overridden by the question: `n_tp (1 by default)`."] = _lazy(
        lambda self: headlines.dropped_defaults(self._answer)
    )
    steps: Annotated[list[Line], "The derivation, in order."] = _lazy(
        lambda self: lines_of(self._answer.steps, self._answer, self._digits, self._formulas)
    )
    used_inputs: Annotated[list[Input], "Given values, the main drivers, and inputs in steps shown."] = _lazy(
        lambda self: self._inputs_of(used_inputs(self._needed_inputs, self._used.cells | self._beside))
    )
    used_steps: Annotated[
        list[Line], "At most ten steps that the answer uses, without zeros, factors of one and second names."
    ] = _lazy(lambda self: lines_of(self._used.steps, self._answer, self._digits, self._formulas, short=True))
    conflict: Annotated[str, "Where a question without an answer fails."] = _lazy(lambda self: self._conflict.text)
    conflict_steps: Annotated[list[Line], "How that is computed."] = _lazy(lambda self: self._conflict.steps)
    used_bindings: Annotated[list[str], "What decides each max and min of `used_steps`."] = _lazy(
        lambda self: headlines.decisions(self._answer, self._used.steps)
    )
    parts: Annotated[list[Input], "Computed values in `used_steps` whose own steps are left out."] = _lazy(
        lambda self: self._computed(self._used.cells.difference([step.cell.name for step in self._used.steps]))
    )
    left_out: Annotated[str, "How many steps `used_steps` leaves out, in a sentence; empty for none."] = _lazy(
        lambda self: sentences.left_out_text(len(self._answer.steps), len(self._used.steps))
    )
    checks: Annotated[list[Verdict], "Relations of the question, evaluated at the answer."] = _lazy(
        lambda self: self._verdicts(self._answer.checks)
    )
    limits: Annotated[list[Verdict], "Limits of the sheet, evaluated at the answer."] = _lazy(
        lambda self: self._verdicts(self._answer.limits)
    )
    used_limits: Annotated[list[Verdict], "Those of them that tell something: no `mod(0, n_tp) = 0`."] = _lazy(
        lambda self: self._verdicts(telling(self._answer))
    )
    risks: Annotated[list[Verdict], "Limits that do not hold, and three with the least room of those that do."] = _lazy(
        lambda self: self._verdicts(headlines.risks(self._answer))
    )
    bindings: Annotated[list[str], "The term that determines each max and min of the steps, in words."] = _lazy(
        lambda self: [
            f"{sentences.binding_text(binding, self._formulas.names)}; "
            f"{sentences.alternatives_text(binding, self._formulas.names)}"
            for binding in self._answer.bindings
            if binding.cell.name in self._derived
        ]
    )
    moves: Annotated[list[Driver], "The inputs to which the unknowns are most sensitive."] = _lazy(
        lambda self: drivers_of(self._answer, self._drivers)
    )
    first_moves: Annotated[list[Driver], "Three of them: different unknowns and inputs, if there are."] = _lazy(
        lambda self: drivers_of(self._answer, first_drivers(self._drivers))
    )
    others: Annotated[list[Input], "Other cells that have been computed."] = _lazy(
        lambda self: self._computed([name for name in self._answer.cells if name not in self._derived])
    )
    warnings: Annotated[list[str], "What a reader should know."] = _lazy(lambda self: self._answer.cautions)
    cautions: Annotated[list[str], "The warnings but those that `broken` states; long lists in them are folded."] = (
        _lazy(lambda self: [brief(text) for text in cautions(self._answer, self.extras.table) if not told(text)])
    )
    assumptions: Annotated[list[str], "Assumptions of the sheet, and which figures of records count."] = _lazy(
        lambda self: [*self._sheet.assumptions, *filter(None, [sentences.figures_text(self._answer.question)])]
    )
    notes: Annotated[list[str], "Notes of the sheet."] = _lazy(lambda self: list(self._sheet.notes))
    sheet_sources: Annotated[str, "Numbers of the sheet's references: `1, 4–6`; empty for none."] = _lazy(
        lambda self: cited(self._numbers[key] for key in self._sheet.sources)
    )
    sources: Annotated[list[Reference], "The list of references."] = _lazy(lambda self: references_of(self._numbers))
    graph: Annotated[
        str, "The dependency graph of the answer as Mermaid text, for a code block of the language `mermaid`."
    ] = _lazy(lambda self: mermaid(self._answer.graph))
    drawing: Annotated[
        str, "The dependency graph as a self-contained SVG; in HTML, the filter `graph` of `w` writes it."
    ] = _lazy(lambda self: svg(self._answer))
    chart: Annotated[
        str, "The curve of the answer, or bars, as SVG; empty for none. In HTML, the filter `chart` writes it."
    ] = _lazy(lambda self: "" if self._plot is None else plot_svg(self._plot))
    chart_tikz: Annotated[str, "The same for LaTeX, where the filter `chart` writes it."] = _lazy(
        lambda self: "" if self._plot is None else plot_tikz(self._plot)
    )
    chart_file: Annotated[str, "Name of the file beside a Markdown page that has this curve; empty for none."] = _lazy(
        lambda self: "" if not self.extras.beside or self._plot is None else self.extras.beside
    )
    chart_text: Annotated[str, "What the curve shows, in words; empty for none."] = _lazy(
        lambda self: "" if self._plot is None else self._plot.about
    )
    shows_graph: Annotated[
        bool, "Whether to show the graph: there are steps, and it is of an unknown or small enough to be complete."
    ] = _lazy(lambda self: bool(self.steps) and (bool(self.results) or not self._answer.graph.left_out))

    @cached_property
    def _named(self) -> dict[str, str]:
        return {name: record.key for name, record in self._question.records.items()} | self._question.choices

    @property
    def _ranked_names(self) -> Sequence[str]:
        return () if self.ranking is None else self.ranking.names

    @cached_property
    def _table(self) -> Grid:
        """The question's table; where nothing is shown but unknowns, with what tells names apart."""
        table = self.extras.table
        if table is None:
            return Grid([], [])
        return side_by_side(table) if {*table.shown} <= {*self._question.unknowns} else grid_of(table)

    @cached_property
    def _every(self) -> Grid:
        return every_value(self._answer, MOST_COLUMNS) if self.extras.every else Grid([], [])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each source, in the order in which a page first cites it: by its inputs, then by the sheet."""
        cited = [key for value in self._needed_inputs for key in sentences.sources_of(value)]
        return {key: number for number, key in enumerate(dict.fromkeys([*cited, *self._sheet.sources]), 1)}

    def _inputs_of(self, values: Iterable[CellValue]) -> list[Input]:
        return [
            self._entry(value, sentences.meaning_text(value), sentences.origin_text(value), sentences.sources_of(value))
            for value in values
        ]

    def _verdicts(self, checks: Iterable[Check]) -> list[Verdict]:
        return [Verdict.of(check, self._digits) for check in checks]

    def _computed(self, names: Container[str]) -> list[Input]:
        return [
            self._entry(value, value.cell.doc, value.origin, ())
            for name, value in self._answer.cells.items()
            if name in names and not value.is_input
        ]

    def _entry(self, value: CellValue, doc: str, origin: str, references: Sequence[str]) -> Input:
        name, numbers = value.cell.name, cited(self._numbers[key] for key in references)
        symbol = formula_of(self._formulas.symbol(name))
        return Input(name, symbol, sentences.value_text(value, self._digits), doc, value.origin, origin, numbers)


# What templates may read, by type: the documented fields alone.
READABLE: dict[type, frozenset[str]] = {kind: frozenset(kind.__annotations__) for kind in (WriteUp, *ENTRIES)}
READABLE[Ranking] = frozenset(("names", "why"))
