"""The values in the lists of a write-up: each class is a kind of entry, each field with what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from flopsheet.units import format_number, format_quantity

if TYPE_CHECKING:
    from flopsheet.answer.answer import Check


@dataclass(slots=True, unsafe_hash=True)
class Result:
    """The outcome for one unknown."""

    name: Annotated[str, "Name of the unknown."]
    text: Annotated[str, "The outcome in words: `n_fsdp >= 45.76, so 46`."]
    why: Annotated[str, "The reason."]
    which: Annotated[str, "Which of several values or bounds the closed form gives; empty where there is only one."]
    closed_form: Annotated[tuple[str, ...], "The closed form as LaTeX lines, with `&` where there are several."]


@dataclass(slots=True, unsafe_hash=True)
class Input:
    """A cell with a value: an input of the answer, or another cell that has been computed."""

    name: Annotated[str, "Name of the cell."]
    symbol: Annotated[str, "LaTeX symbol of the cell."]
    value: Annotated[str, "Number and unit."]
    doc: Annotated[str, "Meaning of the cell."]
    kind: Annotated[str, "`given`, `default` or `record`; `computed` or `solved` for other cells."]
    origin: Annotated[str, "Source of the value: `given`, or the default or record with file and line."]
    source: Annotated[str, "Comma-separated numbers of its references; empty for none."]


@dataclass(slots=True, unsafe_hash=True)
class Line:
    """A step of the derivation."""

    number: Annotated[int, "Number of the step."]
    name: Annotated[str, "The cell that the step computes."]
    doc: Annotated[str, "Meaning of the cell."]
    how: Annotated[str, "Solution method; empty where the cell's own formula is evaluated."]
    condition: Annotated[tuple[str, ...], "The relation that was inverted, as LaTeX lines; empty for a formula."]
    lines: Annotated[tuple[str, ...], "LaTeX lines, `&` before each relation sign: symbols, numbers, result."]
    value: Annotated[str, "The result with its unit."]


@dataclass(slots=True, unsafe_hash=True)
class Verdict:
    """A relation evaluated at the answer."""

    name: Annotated[str, "Name of the limit; empty for a relation of the question."]
    relation: Annotated[str, "The relation as text."]
    left: Annotated[str, "Value of its left side."]
    sign: Annotated[str, "Its operator."]
    right: Annotated[str, "Value of its right side."]
    holds: Annotated[bool, "Whether the relation holds."]
    slack: Annotated[str, "Distance to the bound, in percent of the bound."]

    @classmethod
    def of(cls, check: Check) -> Verdict:
        """Return a relation with the values of its sides in the unit that suits them."""
        left, right = (format_quantity(side, check.unit) for side in (check.left, check.right))
        relation, slack = check.relation, f"{format_number(100 * check.slack)} %"
        return cls(relation.name, relation.text, left, relation.operator, right, check.holds, slack)


@dataclass(slots=True, unsafe_hash=True)
class Driver:
    """The sensitivity of an unknown to an input."""

    name: Annotated[str, "Name of the unknown."]
    by: Annotated[str, "The input."]
    grown: Annotated[str, "Change of the input: `1 % more`, or `1 % more than` for a quantity of the question."]
    elasticity: Annotated[str, "Percent change of the unknown for one percent more of the input, with sign."]
    text: Annotated[str, "Change of the unknown in words: `0.6 % less`."]


@dataclass(slots=True, unsafe_hash=True)
class Reference:
    """An entry of the list of references."""

    number: Annotated[int, "Number of the entry."]
    title: Annotated[str, "Title of the source."]
    url: Annotated[str, "Address; empty for none."]
    read: Annotated[str, "Date on which it was read; empty where unknown."]
