"""Answers: what satisfies a question, how it was found, and what it was checked against."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.errors import FlopsheetError, QuestionError
from flopsheet.registry.packs import packs
from flopsheet.registry.store import registry
from flopsheet.sheets.listing import listing
from flopsheet.units import Number, Quantity, format_number, in_unit

MOST_LEFT_OUT = 3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.results import Binding, CellValue, Check, Outcome, Ranking, Step
    from flopsheet.question.question import Question
    from flopsheet.report.pictures.dependencies import Graph

ILL_CONDITIONED = 1e6


@dataclass
class Answer:
    """The answer to a question.

    Args:
        question: what was asked.
        outcomes: what is known of each unknown.
        cells: every cell that has a value, in the order of declaration.
        steps: the moves that the unknowns need, in order; with no unknown, all.
        checks: every relation of the question with the answer put in.
        limits: every limit of the sheet with the answer put in.
        dropped_defaults: cells whose default gave way.
        warnings: what a reader should know.
        ranking: the names that work, where names were asked for; all else is of the first of them.
    """

    question: Question
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    cells: dict[str, CellValue] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    limits: list[Check] = field(default_factory=list)
    dropped_defaults: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    ranking: Ranking | None = None
    _elasticities: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)

    @property
    def left_out(self) -> list[FlopsheetError]:
        """Mistakes in files of packs that may have changed the answer: records and sheets in them were left out."""
        sheet = self.question.sheet
        kinds = sorted({part.kind for part in sheet.parts.values()})
        refused = listing(packs()).rejected.get(sheet.name)
        return [*([refused] if refused else []), *(each for kind in kinds for each in registry(kind).problems)]

    @property
    def solved(self) -> bool:
        """Whether every unknown has a value that works, and every relation of the question holds."""
        if self.ranking is not None and not self.ranking.working:
            return False
        found = all(outcome.kind != "none" for outcome in self.outcomes.values())
        return found and all(check.holds for check in self.checks)

    @property
    def value(self) -> Number | str | Mapping[str, Number | str | None] | None:
        """The value of the unknown in its unit, or its name; of several unknowns, or of none, a mapping by cell."""
        if self.ranking is not None:
            return self._named(self.ranking)
        if len(self.outcomes) == 1:
            (outcome,) = self.outcomes.values()
            return None if outcome.si is None else in_unit(outcome.si, outcome.cell.unit)
        names = self.outcomes or self.cells
        return {name: self.cells[name].value if name in self.cells else None for name in names}

    def _named(self, ranking: Ranking) -> str | Mapping[str, Number | str | None] | None:
        best = ranking.working[0].options if ranking.working else dict.fromkeys(ranking.names)
        if len(self.question.unknowns) == 1:
            return best[ranking.names[0]]
        numbers = {name: self.cells[name].value if name in self.cells else None for name in self.outcomes}
        return {**best, **numbers}

    @property
    def quantity(self) -> Quantity | None:
        """The value of the single unknown with its unit; None if there is none."""
        outcome = self._single()
        return None if outcome.si is None else Quantity(in_unit(outcome.si, outcome.cell.unit), outcome.cell.unit)

    @property
    def closed_form(self) -> Any | None:
        """The single unknown as a sympy expression over other cells; None where there is none."""
        return self._single().closed_form

    def _single(self) -> Outcome:
        if len(self.outcomes) != 1:
            problem = f"There are {len(self.outcomes)} unknowns, and this speaks of one."
            raise QuestionError("answer", problem, "Take answer.outcomes or answer.cells.")
        return next(iter(self.outcomes.values()))

    def elasticities(self, name: str = "") -> dict[str, float]:
        """Return d ln unknown / d ln input for each input of an unknown, or of any other cell, the strongest first.

        Args:
            name: the cell; may be left out where there is one unknown.
        """
        from flopsheet.answer.elasticity import elasticities

        name = name or self._single().cell.name
        if name not in self._elasticities:
            self._elasticities[name] = elasticities(self, name)
        return self._elasticities[name]

    def condition(self, name: str = "") -> float | None:
        """Return the condition number of an unknown: the largest elasticity in size; None where it has none."""
        found = self.elasticities(name)
        return max(map(abs, found.values()), default=None)

    @property
    def cautions(self) -> list[str]:
        """The warnings, and which unknowns hang so much on an input that its digits are not to be trusted."""
        ill = {name: self.condition(name) or 0.0 for name in self.outcomes}
        left_out = [f"Left out: {str(each).splitlines()[0]}" for each in self.left_out[:MOST_LEFT_OUT]]
        return [*self.warnings, *left_out] + [
            f"{name} is ill-conditioned: 1 % more of {next(iter(self.elasticities(name)))} moves it by "
            f"{format_number(number, 3)} %."
            for name, number in ill.items()
            if number > ILL_CONDITIONED
        ]

    @cached_property
    def bindings(self) -> list[Binding]:
        """The branch that decides in each max and min on the way to the answer."""
        from flopsheet.answer.binding import bindings

        return bindings(self)

    @property
    def values(self) -> dict[str, Number | str]:
        """What a formula needs: options of choices, quantities that are written, values of cells [base units]."""
        question = self.question
        return {**question.options, **question.literals, **{name: each.si for name, each in self.cells.items()}}

    @cached_property
    def graph(self) -> Graph:
        """What the answer rests on: cells, choices and relations, and what feeds what."""
        from flopsheet.report.pictures.dependencies import graph

        return graph(self)

    def derivation(self, template: str = "derivation") -> str:
        """Return the answer as a Markdown write-up."""
        from flopsheet.report.pages import write_up

        return write_up(self, template)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as the documented JSON object."""
        from flopsheet.report.as_json import as_dict

        return as_dict(self)

    def _repr_markdown_(self) -> str:
        return self.derivation()

    def __str__(self) -> str:
        from flopsheet.report.sentences import answer_text

        return answer_text(self)
