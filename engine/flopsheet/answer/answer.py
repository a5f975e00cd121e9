"""Answers: what satisfies a question, how it was found, and what it was checked against."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.answer.outcomes.value import CellValue
from flopsheet.answer.verification.warnings import questionable
from flopsheet.budget import Allowance, within
from flopsheet.displays import display
from flopsheet.errors import FlopsheetError, QuestionError, expect_text, public
from flopsheet.question.names import left_out_files, name_warnings
from flopsheet.units import Number, Quantity, format_number, in_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.answer.execute import Execution, Step
    from flopsheet.answer.names import Ranking
    from flopsheet.answer.outcomes.bindings import Binding
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.verification.checks import Check
    from flopsheet.answer.verification.warnings import Questionable
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question

MOST_LEFT_OUT, ILL_CONDITIONED, PATIENCE = 3, 1e6, 4.0


@dataclass
class Answer:
    """The answer to a question.

    Args:
        question: what was asked.
        system: the equations of the question.
        execution: the values of all cells.
        outcomes: what is known of each unknown.
        tuples: the values that several unknowns have together, in base units, where these can be listed.
        alternatives: the answers at each of these tuples.
        unfollowed: an unknown with more values than were followed; others were computed at one of them.
        checks: every relation of the question with the answer put in.
        limits: the limits of the sheet with the answer put in, lifted ones included, but for those of other options.
        undefined: the limits of which a side has no value at the answer, by name, each with the reason.
        dropped_defaults: cells whose default the question overrides.
        remarks: what a reader should know of how it was found.
        ranking: the names that work, where names were asked for; all else is of the first of them.
        derive_steps: lists the steps, on demand.
        derive_warnings: lists what else a reader should know, on demand.

    Example:
        >>> from flopsheet import solve
        >>> answer = solve("ffn_memory", "params", {"d_model": 16384, "d_ff": 53248, "n_blocks": 126})
        >>> answer.solved, answer.outcomes["params"].kind
        (True, 'value')
        >>> answer.value
        219848638464
        >>> print(answer.quantity)
        219848638464 param
        >>> answer.closed_form
        2*d_ff*d_model*n_blocks
        >>> sorted(answer.elasticities().items())
        [('d_ff', 1.0), ('d_model', 1.0), ('n_blocks', 1.0)]
    """

    question: Question
    system: System
    execution: Execution
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    tuples: list[dict[str, Number]] = field(default_factory=list)
    alternatives: list[Answer] = field(default_factory=list, repr=False, compare=False)
    unfollowed: str = ""
    checks: list[Check] = field(default_factory=list)
    limits: list[Check] = field(default_factory=list)
    undefined: dict[str, str] = field(default_factory=dict)
    dropped_defaults: tuple[str, ...] = ()
    remarks: list[str] = field(default_factory=list)
    ranking: Ranking | None = None
    derive_steps: Callable[[], list[Step]] = list
    derive_warnings: Callable[[], list[str]] = list
    prepared: Any = field(default=None, repr=False, compare=False)  # for printing, once for all of its pages
    slopes: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # by equation
    _elasticities: dict[tuple[str, bool], dict[str, float]] = field(default_factory=dict, repr=False)

    @cached_property
    def cells(self) -> dict[str, CellValue]:
        """Every cell that has a value and plays a part, in the order of declaration."""
        question, origins, values = self.question, self.execution.origins, {}
        without = {name for name, outcome in self.outcomes.items() if outcome.kind == "none"}
        for name in question.used_cells:
            cell, pin = question.sheet.cells[name], question.pins.get(name)
            if (name not in origins and pin is None) or name in without:
                continue  # a given cell has its value also where no unknown meets it
            record = question.records[cell.part] if pin is None and origins[name] == "record" else None
            figure = record.values[cell.figure] if record else None
            origin, written = (origins[name], None) if pin is None else ("given", pin.written)
            value = self.execution.number(name) if pin is None else pin.value
            values[name] = CellValue(cell, value, origin, figure, record, written)
        return values

    @cached_property
    def steps(self) -> list[Step]:
        """The steps that the unknowns need, in order; with no unknown, all."""
        return self.derive_steps()

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader should know."""
        with self.allowance.used():
            return list(dict.fromkeys([*self.remarks, *self.derive_warnings()]))

    @cached_property
    def allowance(self) -> Allowance:
        """The time of the question, with how much of it solving took."""
        return Allowance(self.question.budget)

    @cached_property
    def left_out(self) -> list[FlopsheetError]:
        """Mistakes in files of packs that may have changed the answer: records and sheets in them were left out."""
        return left_out_files(self.question)

    @property
    def binding(self) -> list[Check]:
        """The relations of the question, and the limits of the sheet that it does not lift."""
        return [*self.checks, *(check for check in self.limits if not check.lifted)]

    @property
    def broken(self) -> list[Check]:
        """The limits of the sheet that do not hold, but for those that the question lifts."""
        return [check for check in self.limits if not check.holds and not check.lifted]

    @property
    def unchecked(self) -> list[Relation]:
        """The relations of the question, and the limits, of which a side has no value at the answer, if there is one.

        Those on an unknown whose range has no first value are no part of them: they shaped that range.
        """
        if not self.meets_question or (self.ranking is not None and not self.ranking.working):
            return []
        open_ranges = [name for name, outcome in self.outcomes.items() if outcome.si is None]
        structure = self.system.structure.with_known(*open_ranges)
        checked = self.execution.forked.union(check.relation.text for check in self.checks)
        relations = (relation for relation in self.question.asked if not (relation.decides or relation.text in checked))
        unvalued = [relation for relation in relations if structure.needed(relation.cells).isdisjoint(open_ranges)]
        binding = (limit for limit in self.question.chosen_limits if limit.name not in self.question.without)
        return unvalued + [limit for limit in binding if limit.name in self.undefined]

    @cached_property
    def questionable(self) -> Questionable:
        """The computed values that are outside of their bounds, and the counts that are no whole numbers."""
        return questionable(self)

    @property
    def outside(self) -> list[str]:
        """The computed cells that came out outside of their bounds; of inputs also counts that are no whole numbers."""
        cells, (outside, fractional) = self.question.sheet.cells, self.questionable
        return [*outside, *(name for name in fractional if cells[name].formula is None and name not in outside)]

    @property
    def solved(self) -> bool:
        """Whether every unknown has a value that works, and every relation, bound and limit that binds holds."""
        return self.meets_question and not (self.broken or self.unchecked or self.outside)

    @property
    def meets_question(self) -> bool:
        """Whether every unknown has a value that works, and every relation of the question holds."""
        if self.ranking is not None and not self.ranking.working:
            return False
        return all(own.kind != "none" for own in self.outcomes.values()) and all(check.holds for check in self.checks)

    @property
    def value(self) -> float | str | Mapping[str, float | str | None] | None:
        """The value of the unknown in its unit, or its name; of several unknowns, or of none, a mapping by cell."""
        ranking, names = self.ranking, self.outcomes or self.cells
        if ranking is None and len(self.outcomes) == 1:
            return None if self.quantity is None else self.quantity.value
        if ranking is None:
            return {name: self.cells[name].value if name in self.cells else None for name in names}
        best = ranking.working[0].options if ranking.working else dict.fromkeys(ranking.names)
        if len(self.question.unknowns) == 1:
            return best[ranking.names[0]]
        return {**best, **{name: self.cells[name].value if name in self.cells else None for name in self.outcomes}}

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

    @public
    def elasticities(self, name: str = "", *, rounded: bool = True) -> dict[str, float]:
        """Return d ln unknown / d ln input for each input of the one unknown, or of a named cell, the strongest first.

        Without `rounded`, formulas round nothing. There are none after several times the answer's time, with a warning.
        """
        from flopsheet.answer.sensitivity import elasticities

        name = self.question.sheet.rows.resolve(expect_text(name, "cell")) or self._single().cell.name
        if (name, rounded) not in self._elasticities:
            with within(self.question.budget, patience=PATIENCE):
                self._elasticities[name, rounded] = elasticities(self, name, rounded=rounded)
        return self._elasticities[name, rounded]

    @public
    def condition(self, name: str = "") -> float | None:
        """Return the condition number of an unknown: the largest elasticity in size; None where it has none."""
        return max(map(abs, self.elasticities(name).values()), default=None)

    @cached_property
    def _name_warnings(self) -> list[str]:
        return name_warnings(self.question)

    @cached_property
    def _helpful_options(self) -> list[str]:
        from flopsheet.answer.outcomes.options import helpful_options
        from flopsheet.answer.solve import answer

        with self.allowance.used():
            return helpful_options(self, answer)

    @property
    def cautions(self) -> list[str]:
        """The warnings, and which unknowns hang so much on an input that its digits are not to be trusted.

        Where no count works, the options of choices too with which one does.
        """
        conditions = ((name, self.condition(name) or 0.0) for name in self.outcomes)
        ill = [(name, format_number(number, 3)) for name, number in conditions if number > ILL_CONDITIONED]
        left_out = [f"Left out: {str(error).splitlines()[0]}" for error in self.left_out[:MOST_LEFT_OUT]]
        return [*self.warnings, *self._name_warnings, *left_out, *self._helpful_options] + [
            f"{name} is ill-conditioned: 1 % more of {next(iter(self.elasticities(name)))} moves it by {by} %."
            for name, by in ill
        ]

    @cached_property
    def bindings(self) -> list[Binding]:
        """The branch that decides in each max and min on the way to the answer."""
        from flopsheet.answer.outcomes.bindings import bindings

        return bindings(self)

    @cached_property
    def values(self) -> dict[str, Number | str]:
        """What a formula needs: options of choices, quantities that are written, values of cells [base units]."""
        return {**self.question.options, **self.question.literals, **{name: own.si for name, own in self.cells.items()}}

    @cached_property
    def graph(self) -> Any:
        """What the answer rests on: cells, choices and relations, and what feeds what."""
        return display("graph", self)

    @public
    def derivation(self, template: str = "derivation") -> str:
        """Return the answer as a Markdown write-up."""
        return str(display("write_up", self, expect_text(template, "template")))

    @public
    def as_dict(self) -> dict[str, Any]:
        """Return the answer as the documented JSON object."""
        return display("as_dict", self)  # type: ignore[no-any-return]

    @public
    def as_csv(self) -> str:
        """Return every cell as CSV, which pandas reads; of names all that were tried, of several counts each tuple."""
        return str(display("answer_as_csv", self))

    @public
    def frame(self, of: str = "cells") -> Any:
        """Return the `cells`, `steps` or `limits` as a data frame of pandas, a row for each, by name."""
        return display("answer_frame", self, expect_text(of, "of"))

    def __repr__(self) -> str:
        """Return the answer on one line."""
        return f"<Answer of {self.question.sheet.name}: {display('one_line', self)}>"

    def _repr_html_(self) -> str:
        return str(display("notebook_view", self))

    def _repr_latex_(self) -> str | None:
        return display("notebook_formula", self) or None

    def _repr_markdown_(self) -> str:
        return str(display("notebook_page", self))

    def __str__(self) -> str:
        return str(display("answer_text", self))
