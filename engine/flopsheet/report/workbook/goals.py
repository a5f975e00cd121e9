"""The numbers that a question demands, as inputs of its workbook."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions.symbols import symbol

if TYPE_CHECKING:
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.question.question import Question
    from flopsheet.units import Number, Unit


@dataclass(frozen=True)
class Goal:
    """A number that the question writes beside a cell, as an input of the workbook: the `30 day` of a deadline."""

    label: str  # in the sheet Model: `goal train_time`
    unit: Unit  # in which it is shown
    si: Number  # in base units
    text: str  # the relation that states it

    @property
    def key(self) -> str:
        """Name of its symbol, which no cell has."""
        return f"({self.label})"


def with_goals(question: Question) -> tuple[list[Goal], dict[str, Relation]]:
    """Return the numbers in the relations of a question, and by text each relation with these as symbols."""
    goals: dict[str, Goal] = {}
    relations: dict[str, Relation] = {}
    tied = question.sheet.rows.tied  # a cell of a cycle that is given is an input itself
    stated = [pin.relation for pin in question.demands if pin.cell not in tied]
    for relation in (*stated, *question.relations):
        sides = {"left": relation.left, "right": relation.right}
        for name, other in (("left", relation.right), ("right", relation.left)):
            for expression, goal in _goals(sides[name], other, relation, question):
                label, number = goal.label, 2
                while goal.key in goals:
                    goal = replace(goal, label=f"{label} {number}")  # noqa: PLW2901  # the label is taken
                    number += 1
                goals[goal.key] = goal
                sides[name] = sides[name].xreplace({expression: symbol(goal.key)})
        relations[relation.text] = replace(relation, **sides)
    return [*goals.values()], relations


def _goals(side: Expr, other: Expr, relation: Relation, question: Question) -> list[tuple[Expr, Goal]]:
    """Return the parts of a side that are inputs: all of it beside a cell, else the quantities written in it."""
    cells, literals = question.sheet.cells, relation.literals
    values = {name: quantity.si for name, quantity in literals.items()}
    if not cells_of(side) and other.is_Symbol and other.name in cells:
        cell = cells[other.name]
        return [(side, Goal(f"goal {cell.name}", cell.unit, evaluate(side, values), relation.text))]
    written = sorted(literals.keys() & symbol_names(side))
    return [
        (symbol(name), Goal(f"given {name}", literals[name].unit, literals[name].si, relation.text)) for name in written
    ]
