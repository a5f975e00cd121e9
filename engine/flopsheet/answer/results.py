"""What an answer is made of: values of cells, steps, checks, outcomes of unknowns, ranked names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.formulas.printing import in_text
from flopsheet.units import Number, Unit, format_quantity, in_unit, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.inverse.method import Method
    from flopsheet.numbers.sets import Interval, RealSet
    from flopsheet.registry.records import Record, Value
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Quantity


@dataclass(slots=True)
class CellValue:
    """The value of a cell in an answer.

    Args:
        cell: the cell.
        si: value in base units.
        origin: `given`, `default`, `record`, `computed` or `solved`.
        figure: the figure of the registry that it is, or None.
        record: the record of that figure, or None.
        written: the quantity as the question writes it, or None.
    """

    cell: Cell
    si: Number
    origin: str
    figure: Value | None = None
    record: Record | None = None
    written: Quantity | None = None

    @property
    def is_input(self) -> bool:
        """Whether somebody said it: the question, a default, a record."""
        return self.origin in ("given", "default", "record")

    @property
    def said_by(self) -> str:
        """Name of the record that says it, which another may extend or name."""
        return (self.figure.record if self.figure else "") or (self.record.key if self.record else "")

    @property
    def value(self) -> Number:
        """The value in the unit of the cell."""
        return in_unit(self.si, self.cell.unit)


@dataclass
class Step:
    """One step of the solution.

    Args:
        cell: the cell that it gives.
        how: the method.
        si: the result in base units.
        source: makes the relation used, and the expression that gives the cell or None, both on symbols.
    """

    cell: Cell
    how: Method
    si: Number
    source: Callable[[], tuple[Relation, Any | None]]

    @cached_property
    def _derivation(self) -> tuple[Relation, Any | None]:
        return self.source()

    @property
    def condition(self) -> Relation:
        """The relation used, on symbols."""
        return self._derivation[0]

    @property
    def form(self) -> Any | None:
        """The expression that gives the cell, on symbols, or None."""
        return self._derivation[1]

    def relation(self, names: tuple[str, ...]) -> str:
        """Return the relation used as text, its terms in the order of the names."""
        return self.condition.text or f"{self.cell.name} = {in_text(self.condition.right, names)}"


_OPPOSITE = {"=": "is not", "<=": "is more than", ">=": "is less than", "<": "is not below", ">": "is not above"}


@dataclass(slots=True)
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
    def failure(self) -> str:
        """That the relation does not hold, with both sides, as a clause."""
        left, right = (format_quantity(side, self.unit) for side in (self.left, self.right))
        return f"'{self.relation.text}' does not hold: {left} {_OPPOSITE[self.relation.operator]} {right}"

    @property
    def slack(self) -> float:
        """Room that an inequality leaves, as a share of its bound; negative where it is violated."""
        upper = self.relation.operator in ("<", "<=", "=")
        small, large = (self.left, self.right) if upper else (self.right, self.left)
        bound = size(self.right) or size(self.left)
        return float((large - small) / bound) if bound else 0.0


@dataclass(frozen=True)
class Binding:
    """The branch that decides in a max or min.

    Args:
        cell: the cell whose formula holds it.
        expression: the max or min.
        branch: the term that decides.
        si: its value in base units.
        unit: the unit in which it is shown.
        tied: whether another term is equal.
        losing: the other terms in their order, each with its value in base units.
    """

    cell: Cell
    expression: Any
    branch: Any
    si: Number
    unit: Unit
    tied: bool
    losing: tuple[tuple[Any, Number], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What is known of one unknown.

    Args:
        cell: the unknown.
        kind: `value`, `values`, `range`, `whole` or `none`.
        solutions: all values that work, in base units.
        interval: of these, the interval that holds the value, or None.
        si: the value that the derivation uses, in base units; None if there is none.
        boundary: where the deciding condition holds exactly, in base units, or None.
        whole: for a whole-number cell asked through an inequality, the first whole number that works.
        neighbours: for a whole-number cell asked through an equation, the whole numbers around, with what each gives.
        form: makes the closed form, or None where there is none; see `closed_form`.
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
    form: Callable[[], Any | None] | None = None
    why: str = ""
    sign: str = "="
    complete: bool = True
    deciding: Relation | None = None

    @cached_property
    def is_one_of_several(self) -> bool:
        """Whether the closed form is that of one value, or one end, of several that relations set."""
        bounds = self.cell.bounds
        low = (bounds.lower, bounds.lower_closed)
        ends = {part.lower for part in self.solutions if (part.lower, part.lower_closed) != low}
        ends |= {part.upper for part in self.solutions}
        return len([end for end in ends if is_finite(end) and end != bounds.upper]) > 1

    @cached_property
    def closed_form(self) -> Any | None:
        """The unknown as an expression over other cells, or None where there is none."""
        return None if self.form is None else self.form()


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
        return list(dict.fromkeys(candidate.options[name] for candidate in self.working))
