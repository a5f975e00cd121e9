"""Answers: what satisfies a question, how it was found, and what it was checked against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flopsheet.errors import QuestionError
from flopsheet.sheets.order import in_text
from flopsheet.units import Number, Quantity, Unit, in_unit, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.registry.records import Record, Value
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.relation import Relation
    from flopsheet.solver.intervals import Interval, RealSet
    from flopsheet.solver.question import Question


@dataclass(frozen=True)
class CellValue:
    """The value of a cell in an answer.

    Args:
        cell: the cell.
        si: value in base units.
        origin: `given`, `default`, `record`, `computed` or `solved`.
        figure: the figure of the registry that it is, or None.
        record: the record of that figure, or None.
    """

    cell: Cell
    si: Number
    origin: str
    figure: Value | None = None
    record: Record | None = None

    @property
    def value(self) -> Number:
        """The value in the unit of the cell."""
        return in_unit(self.si, self.cell.unit)


@dataclass(frozen=True)
class Step:
    """One move of the solution.

    Args:
        cell: the cell that it gives.
        condition: the relation used, on symbols.
        form: the expression that gives the cell, on symbols, or None.
        how: `direct`, or the way in which the relation was turned round (see `Solution.how`), or `simultaneous`.
        si: the result in base units.
    """

    cell: Cell
    condition: Relation
    form: Any | None
    how: str
    si: Number

    def relation(self, names: tuple[str, ...]) -> str:
        """Return the relation used as text, its terms in the order of the names."""
        return self.condition.text or f"{self.cell.name} = {in_text(self.condition.right, names)}"


@dataclass(frozen=True)
class Check:
    """A relation with the answer put in.

    Args:
        relation: the relation.
        left: its left side, in base units.
        right: its right side, in base units.
        unit: unit in which both are shown.
        holds: whether it holds, an equation within 1e-9 of its size.
    """

    relation: Relation
    left: Number
    right: Number
    unit: Unit
    holds: bool

    @property
    def residual(self) -> float:
        """Difference of the sides over the larger one."""
        largest = max(size(self.left), size(self.right))
        return float(size(self.left - self.right) / largest) if largest else 0.0

    @property
    def slack(self) -> float:
        """Room that an inequality leaves, as a share of its bound; negative where it is broken."""
        upper = self.relation.operator in ("<", "<=", "=")
        small, large = (self.left, self.right) if upper else (self.right, self.left)
        bound = size(self.right) or size(self.left)
        return float((large - small) / bound) if bound else 0.0


@dataclass(frozen=True)
class Binding:
    """The branch that decides in a max or min.

    Args:
        cell: the cell in whose formula it stands.
        expression: the max or min.
        branch: the term that decides.
        si: its value in base units.
        tied: whether another term is equal.
    """

    cell: Cell
    expression: Any
    branch: Any
    si: Number
    tied: bool

    @property
    def whole_formula(self) -> bool:
        """Whether the max or min is all of the formula, so that its value has the unit of the cell."""
        return bool(self.cell.formula == self.expression)


@dataclass(frozen=True)
class Outcome:
    """What is known of one unknown.

    Args:
        cell: the unknown.
        kind: `value`, `values`, `range`, `whole` or `none`.
        solutions: all values that work, in base units.
        interval: of these, the interval that the value lies in, or None.
        si: the value that the derivation uses, in base units; None if there is none.
        boundary: where the deciding condition holds exactly, in base units, or None.
        whole: for a whole-number cell asked through an inequality, the first whole number that works.
        neighbours: for a whole-number cell asked through an equation, the whole numbers around, with what each gives.
        closed_form: the unknown as an expression over other cells, or None.
        why: the reason, in a sentence or two.
        sign: the operator between unknown and closed form.
        complete: whether all values are there; those of a remainder or an angle without bounds are not.
        deciding: the relation that sets the value or the boundary, or None.
    """

    cell: Cell
    kind: str
    solutions: RealSet = ()
    interval: Interval | None = None
    si: Number | None = None
    boundary: Number | None = None
    whole: int | None = None
    neighbours: tuple[int, ...] = ()
    closed_form: Any | None = None
    why: str = ""
    sign: str = "="
    complete: bool = True
    deciding: Relation | None = None


@dataclass(frozen=True)
class Candidate:
    """A name, or several together, put in for the unknown names of a question.

    Args:
        options: the option or record of each unknown name.
        answer: the answer with them, or None where the question makes no sense with them.
        why: why they do not work; empty if they do.
    """

    options: dict[str, str]
    answer: Answer | None
    why: str = ""

    @property
    def text(self) -> str:
        """The names as text."""
        return ", ".join(self.options.values())


@dataclass(frozen=True)
class Ranking:
    """The names that answer a question, the best first, and those that do not.

    Args:
        names: the unknown names.
        working: the candidates that work.
        rejected: the others.
        by: by what they are ranked, in words.
        why: the reason, in a sentence.
    """

    names: tuple[str, ...]
    working: tuple[Candidate, ...]
    rejected: tuple[Candidate, ...]
    by: str
    why: str

    def options(self, name: str) -> list[str]:
        """Return the options of one name that work, the best first."""
        return list(dict.fromkeys(each.options[name] for each in self.working))


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
        from flopsheet.solver.elasticity import elasticities

        name = name or self._single().cell.name
        if name not in self._elasticities:
            self._elasticities[name] = elasticities(self, name)
        return self._elasticities[name]

    def condition(self, name: str = "") -> float | None:
        """Return the condition number of an unknown: the largest elasticity in size; None where it has none."""
        found = self.elasticities(name)
        return max(map(abs, found.values()), default=None)

    @property
    def bindings(self) -> list[Binding]:
        """The branch that decides in each max and min on the way to the answer."""
        from flopsheet.solver.binding import bindings

        return bindings(self)

    def derivation(self, template: str = "derivation") -> str:
        """Return the answer as a Markdown write-up."""
        from flopsheet.render.writeup import write_up

        return write_up(self, template)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as the documented JSON object."""
        from flopsheet.render.as_json import as_dict

        return as_dict(self)

    def _repr_markdown_(self) -> str:
        return self.derivation()

    def __str__(self) -> str:
        from flopsheet.render.sentences import answer_text

        return answer_text(self)
