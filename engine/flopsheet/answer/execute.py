"""Carries a plan out: a value for each cell, and a step for each that had to be computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.answer.results import Step
from flopsheet.errors import NotInvertibleError, OverdeterminedError, UnderdeterminedError, joined
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.order import relation_text
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions.language import choices_in, taken
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import Block, Tearing, torn
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.simultaneous import simultaneous
from flopsheet.inverse.solution import one_sided
from flopsheet.numbers.sets import Interval
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.graph.structure import Equation, Structure
    from flopsheet.inverse.solution import Solution
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Bounds, Cell
    from flopsheet.units import Number


_ORIGINS = {"demand": "given", "unknown": "solved"}


class Execution:
    """Values and steps, growing block by block.

    Args:
        question: what is asked.
        assumed: the value that is followed of each cell that has several.
        known: values of formulas that were computed before, from the same inputs.
    """

    def __init__(
        self,
        question: Question,
        assumed: Mapping[str, Number] | None = None,
        known: Mapping[str, Number] | None = None,
    ) -> None:
        self.question, self.assumed, self.known = question, assumed or {}, known or {}
        self._cells = question.sheet.cells
        self.names = tuple(self._cells)
        self.values: dict[str, Number | str] = {**question.options, **question.literals}
        self.origins: dict[str, str] = {}
        self.steps: list[Step] = []

    def number(self, name: str) -> Number:
        """Return the value of a cell [base units]."""
        value = self.values[name]
        if isinstance(value, str):
            raise TypeError(f"{name} is a choice")
        return value

    @property
    def computed(self) -> dict[str, Number]:
        """The cells that formulas gave, in base units."""
        return {name: self.number(name) for name, origin in self.origins.items() if origin == "computed"}

    def run(self, structure: Structure, blocks: Iterable[Block]) -> None:
        """Compute blocks of a structure in order.

        Raises:
            ArithmeticTrapError: a formula has no value at these numbers.
            NotInvertibleError: a block is simultaneous, or its cell has none or several values.
        """
        for block in blocks:
            if block.direct:
                self._direct(block.cells[0], structure.equations[block.keys[0]])
            else:
                self._torn(block.cells, [structure.equations[key] for key in block.keys])

    def _direct(self, name: str, equation: Equation) -> None:
        if equation.value is not None:
            self.values[name] = equation.value
            self.origins[name] = _ORIGINS.get(equation.kind, equation.kind)
            return
        value = self.known.get(name)
        if value is None:
            self.refuse_open_choice(equation.relation.right)
            value = evaluate(equation.relation.right, self.values, f"cell '{name}'")
        self.values[name] = value
        self.origins[name] = "computed"
        self._step(name, "direct", value, lambda: (equation.relation, equation.relation.right))

    def refuse_open_choice(self, expression: Any) -> None:
        """Refuse an expression that depends on a choice nobody made.

        Raises:
            UnderdeterminedError: it does.
        """
        for name in choices_in(expression):
            choice = self.question.sheet.choices.get(name)
            if choice is not None and name not in self.values:
                fix = f"Add '{choice.name} = {choice.options[0]}', or another of {', '.join(choice.options)}."
                raise UnderdeterminedError(f"choice '{choice.name}'", f"'{choice.name}' is not given.", fix)

    def _step(self, name: str, how: str, value: Number, source: Callable[[], tuple[Relation, Any | None]]) -> None:
        self.steps.append(Step(self._cells[name], how, value, source))

    def ready(self, relation: Relation) -> Relation:
        """Return a relation with the branches of choices put in, and make the values of pins in it known.

        Raises:
            UnderdeterminedError: it depends on a choice nobody made.
        """
        pins = self.question.pins
        self.values |= {name: pins[name].value for name in relation.cells & pins.keys()}
        if not (choices_in(relation.left) or choices_in(relation.right)):
            return relation
        for side in (relation.left, relation.right):
            self.refuse_open_choice(side)
        left, right = (taken(side, self.question.options) for side in (relation.left, relation.right))
        return replace(relation, left=left, right=right)

    def shown_right(self, relation: Relation) -> Any | None:
        """Return the symbol of a cell that a relation sets to a value, so that closed forms speak of the cell."""
        name = relation.left.name if relation.left.is_Symbol else ""
        pin = self.question.pins.get(name)
        return symbol(name) if pin is not None and pin.relation is relation else None

    def _torn(self, names: Sequence[str], equations: Sequence[Equation]) -> None:
        cells = self.question.sheet.cells
        positive = {name for name in names if cells[name].bounds.lower >= 0}
        tearing = torn(names, equations, self.question.unknowns, positive)
        formulas = {name: self._taken(formula) for name, formula in tearing.formulas.items()}
        if len(tearing.tears) == 1:
            self._from_one(tearing, formulas)
        else:
            self._from_several(tearing, formulas)
        for name, formula in formulas.items():
            self.values[name] = value = evaluate(formula, self.values, f"cell '{name}'")
            self.origins[name] = "computed"
            self._step(name, "direct", value, _defined(name, formula))

    def _taken(self, formula: Any) -> Any:
        self.refuse_open_choice(formula)
        return taken(formula, self.question.options)

    def _bounded(self, name: str) -> Cell:
        """Return a cell with its bounds narrowed by what the question says of it alone: `x <= 3`."""
        cell = self.question.sheet.cells[name]
        for relation in self.question.inequalities:
            left, sign, right = one_sided(relation, {cell.symbol})
            if left != cell.symbol or cells_of(right):
                continue
            end, closed = evaluate(right, self.values), "=" in sign
            if ">" in sign and end >= cell.bounds.lower:
                closed = closed and (end > cell.bounds.lower or cell.bounds.lower_closed)
                cell = replace(cell, bounds=replace(cell.bounds, lower=end, lower_closed=closed))
            elif "<" in sign:
                cell = replace(cell, bounds=replace(cell.bounds, upper=min(end, cell.bounds.upper)))
        return cell

    def _from_one(self, tearing: Tearing, formulas: Mapping[str, Any]) -> None:
        (name,), (residual,) = tearing.tears, tearing.residuals
        relation, cell = self.ready(residual.relation), self._bounded(tearing.tears[0])
        chain = Chain(name, bounds_interval(cell.bounds), formulas, self.values, cell.integer)
        solution = chain.solve(relation, self.shown_right(residual.relation))
        if solution is None:
            raise cannot_invert(cell, relation, self.names)
        if not solution.values:
            raise self._outside(cell, residual)
        points = [each.lower for each in solution.values if each.is_point]
        if len(points) != len(solution.values):
            raise self._a_range(cell, residual)
        self._keep(cell, points, relation, solution)

    def _keep(self, cell: Cell, points: list[Number], relation: Relation, solution: Solution) -> None:
        value = self.assumed.get(cell.name, points[0])
        if len(points) > 1 and cell.name not in self.assumed:
            raise SeveralValuesError(cell.name, points)
        self.values[cell.name] = value
        self.origins[cell.name] = "computed"
        self._step(cell.name, solution.how, value, lambda: (relation, solution.form_at(value, self.values)))

    def _from_several(self, tearing: Tearing, formulas: Mapping[str, Any]) -> None:
        cells = [self._bounded(name) for name in tearing.tears]
        relations = [self.ready(each.relation) for each in tearing.residuals]
        points = simultaneous(cells, formulas, relations, self.values)
        for place, cell in enumerate(cells):
            if cell.name in self.assumed:
                points = [point for point in points if close(point[place], self.assumed[cell.name])]
        if not points:
            names = joined([cell.name for cell in cells])
            problem = f"{names} depend on each other, and no values were found at which all relations hold."
            raise NotInvertibleError("question", problem, f"Give one of {names}, or check the values that are given.")
        for place, cell in enumerate(cells):
            values = list(dict.fromkeys(point[place] for point in points))
            if len(values) > 1 and cell.name not in self.assumed:
                raise SeveralValuesError(cell.name, values)
        for cell, value, relation in zip(cells, points[0], relations, strict=True):
            self.values[cell.name] = value
            self.origins[cell.name] = "computed"
            self._step(cell.name, "simultaneous", value, _used(relation))

    def _outside(self, cell: Cell, residual: Equation) -> OverdeterminedError:
        text = residual.relation.text or f"the formula of {residual.target}"
        problem = f"It holds for no value of '{cell.name}' within its bounds ({cell.bounds.text(cell.unit)})."
        return OverdeterminedError(f"relation '{text}'", problem, "Check the values that are given.")

    def _a_range(self, cell: Cell, residual: Equation) -> NotInvertibleError:
        text = residual.relation.text or residual.key
        problem = f"'{cell.name}', which the answer needs, has a range of values by '{text}'."
        return NotInvertibleError(f"cell '{cell.name}'", problem, f"Give '{cell.name}' itself.")


def _defined(name: str, formula: Any) -> Callable[[], tuple[Relation, Any | None]]:
    return lambda: (Relation(symbol(name), "=", formula, ""), formula)


def _used(relation: Relation) -> Callable[[], tuple[Relation, Any | None]]:
    return lambda: (relation, None)


class SeveralValuesError(Exception):
    """A cell that the answer needs has several values; each is followed on its own.

    Args:
        name: the cell.
        values: its values, in base units.
    """

    def __init__(self, name: str, values: list[Number]) -> None:
        super().__init__(name)
        self.name, self.values = name, values


def bounds_interval(bounds: Bounds) -> Interval:
    """Return the bounds of a cell as an interval."""
    lower_closed = bounds.lower_closed and bounds.lower != -math.inf
    return Interval(bounds.lower, bounds.upper, lower_closed, bounds.upper != math.inf)


def cannot_invert(cell: Cell, condition: Relation, names: tuple[str, ...]) -> NotInvertibleError:
    """Return the error for a condition that no way here can turn round."""
    text = condition.text or relation_text(condition.left, condition.operator, condition.right, names)
    problem = f"'{cell.name}' cannot be found from '{text}': it occurs several times, and not as a low polynomial."
    return NotInvertibleError(f"unknown '{cell.name}'", problem, f"Give '{cell.name}' and ask for another cell.")
