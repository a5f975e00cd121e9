"""Answers: what satisfies a question, how it was found, and what it was checked against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flopsheet.errors import QuestionError
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
        relation: the relation used, as text.
        condition: the relation used, on symbols.
        form: the expression that gives the cell, on symbols, or None.
        how: `direct`, `peel`, `linear`, `quadratic`, `scan` or `constant`.
        si: the result in base units.
    """

    cell: Cell
    relation: str
    condition: Relation
    form: Any | None
    how: str
    si: Number


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
class Outcome:
    """What is known of one unknown.

    Args:
        cell: the unknown.
        kind: `value`, `values`, `range` or `none`.
        solutions: all values that work, in base units.
        interval: of these, the interval that the value lies in, or None.
        si: the value that the derivation uses, in base units; None if there is none.
        boundary: where the deciding condition holds exactly, in base units, or None.
        whole: for a whole-number cell asked through an inequality, the first whole number that works.
        neighbours: for a whole-number cell asked through an equation, the whole numbers around, with what each gives.
        closed_form: the unknown as an expression over other cells, or None.
        why: the reason, in a sentence or two.
        sign: the operator between unknown and closed form.
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
    """

    question: Question
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    cells: dict[str, CellValue] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    limits: list[Check] = field(default_factory=list)
    dropped_defaults: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)

    @property
    def solved(self) -> bool:
        """Whether every unknown has a value that works, and every relation of the question holds."""
        found = all(outcome.kind != "none" for outcome in self.outcomes.values())
        return found and all(check.holds for check in self.checks)

    @property
    def value(self) -> Number | Mapping[str, Number | None] | None:
        """The value of the unknown in its unit; of several unknowns, or of none, a mapping by cell."""
        if len(self.outcomes) == 1:
            (outcome,) = self.outcomes.values()
            return None if outcome.si is None else in_unit(outcome.si, outcome.cell.unit)
        names = self.outcomes or self.cells
        return {name: self.cells[name].value if name in self.cells else None for name in names}

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
