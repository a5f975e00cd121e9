"""Runs a plan: a value for each cell, and a step for each that had to be computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from operator import sub
from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import narrowed, within_bounds
from flopsheet.answer.conditions.images import on_branch
from flopsheet.answer.outcomes.refusals import cannot_invert, met_nowhere
from flopsheet.answer.outcomes.undecided import not_excluded
from flopsheet.answer.several.tuples import SeveralValuesError, excluded, with_whole
from flopsheet.answer.shortage import choice_not_given
from flopsheet.errors import NotInvertibleError, UndecidedError, joined
from flopsheet.formulas.evaluate import evaluate, nearest_value
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import Expr, choices_in, symbol, taken
from flopsheet.graph.blocks import Block, Plan, StraightLine, origin_of, stages
from flopsheet.graph.rearranged import signs_of
from flopsheet.graph.tearing import Tearing, torn
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Method
from flopsheet.inverse.simultaneous import sides, simultaneous
from flopsheet.numbers.sets import point
from flopsheet.tolerances import ROUNDING
from flopsheet.units import Number, close, format_quantity, size

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell


@dataclass(slots=True)
class Step:
    """One step of the solution, one of hundreds in an answer."""

    cell: Cell  # that it gives
    how: Method
    si: Number  # [base units]
    source: Relation | tuple[Relation, Expr | None] | Callable[[], tuple[Relation, Expr | None]]  # its formula, or both

    def __repr__(self) -> str:
        return f"<Step {self.cell.name} = {format_quantity(self.si, self.cell.unit)} ({self.how})>"

    def _both(self) -> tuple[Relation, Expr | None]:
        if callable(self.source):
            self.source = self.source()
        return (self.source, self.source.right) if isinstance(self.source, Relation) else self.source

    @property
    def condition(self) -> Relation:
        """The relation used, on symbols."""
        return self._both()[0]

    @property
    def form(self) -> Expr | None:
        """The expression that gives the cell, on symbols, or None."""
        return self.source.right if isinstance(self.source, Relation) else self._both()[1]

    def relation(self, names: tuple[str, ...]) -> str:
        """Return the relation used as text, its terms in the order of the names."""
        condition = self.condition
        return condition.text or f"{in_text(condition.left, names)} = {in_text(condition.right, names)}"


class Execution:
    """The values of cells, growing block by block; each cell is computed once a question.

    Of a cell that has several values, `assumed` holds the one that is followed.
    """

    def __init__(self, question: Question, assumed: Mapping[str, Number] | None = None) -> None:
        self.question, self.assumed = question, assumed or {}
        self._cells, self.names = question.sheet.cells, tuple(question.sheet.cells)
        self.values: dict[str, Number | str] = {**question.options, **question.literals}
        self.origins: dict[str, str] = {}
        self.log: list[Step | StraightLine] = []
        self.open: dict[str, RealSet] = {}  # where more values of cells that depend on each other may lie
        self.reached: dict[str, Number] = {}  # what cells are, by formulas that unknowns were solved with
        self.forked: set[str] = set()  # relations, by text, that give cells which have several values
        self.branches: dict[str, RealSet] = {}  # where cells of a cycle are followed, if they have several values

    def copy(self) -> Execution:
        """Return the values computed so far, to be added to without changing these."""
        other = self.afresh()
        other.values, other.origins, other.log = {**self.values}, {**self.origins}, [*self.log]
        other.open = {**self.open}
        return other

    def afresh(self) -> Execution:
        """Return no values yet, with the same assumptions."""
        other = Execution(self.question, self.assumed)
        other.branches, other.reached = {**self.branches}, {**self.reached}
        return other

    def beside(self, name: str) -> list[tuple[Cell, Number]]:
        """Return what an unknown was found to be with others, and what is assumed of these."""
        values = self.reached | {other: value for other, value in self.assumed.items() if other != name}
        return [(self._cells[other], value) for other, value in values.items()]

    def number(self, name: str) -> Number:
        """Return the value of a cell [base units]."""
        value = self.values[name]
        if isinstance(value, str):
            raise TypeError(f"{name} is a choice")
        return value

    def steps(self, log: Iterable[Step | StraightLine] | None = None, of: Container[str] | None = None) -> list[Step]:
        """Return the steps to the values so far, or those of a part of the log; of some cells only, if named."""
        steps: list[Step] = []
        for entry in self.log if log is None else log:
            if isinstance(entry, Step):
                steps += [entry] if of is None or entry.cell.name in of else []
            else:
                names = entry.computed if of is None else [name for name in entry.computed if name in of]
                relations = [(name, entry.equations[name].relation) for name in names]
                steps += [Step(self._cells[name], Method.DIRECT, self.number(name), own) for name, own in relations]
        return steps

    def run(self, system: System, plan: Plan) -> None:
        """Compute the blocks of a plan in order, but for those whose cells have a value.

        Raises:
            ArithmeticTrapError: a formula has no value at these numbers.
            NotInvertibleError: a block is simultaneous, or its cell has none or several values.
        """
        for stage in stages(system, plan, frozenset(self.origins)):
            if isinstance(stage, StraightLine):
                values = stage.values(self.values, system.numbers)
                is_complete = len(values) == len(stage.equations)
                if is_complete or not self.assumed:
                    self.values |= values
                    self.origins |= stage.origins if is_complete else {name: stage.origins[name] for name in values}
                    self.log.append(stage if is_complete else stage.only(values))
                for block in () if is_complete else stage.blocks:
                    if block.cells[0] not in self.origins:
                        self.run_block(system, block)
            else:
                self.run_block(system, stage)

    def run_block(self, system: System, block: Block) -> None:
        """Compute one block, as `run` does."""
        name, equation = block.cells[0], system.structure.equations[block.keys[0]]
        if not block.direct:
            self._torn(block.cells, system.equations(block.keys))
        elif equation.is_formula:
            relation = system.relation(equation)
            self._refuse_open_choice(relation.right)
            self._compute(name, relation)
        else:
            self.values[name] = system.numbers[name]
            self.origins[name] = origin_of(equation)

    def _compute(self, name: str, relation: Relation) -> None:
        value, assumed = nearest_value(relation.right, self.values, f"cell '{name}'"), self.assumed.get(name)
        if assumed is not None:  # the terms of a difference may leave their rounding
            terms = [self.values.get(own, 0) for own in cells_of(relation.right)]
            largest = max((size(term) for term in terms if not isinstance(term, str)), default=0)
            value = assumed if size(value - assumed) <= ROUNDING * largest else value
        self.values[name] = value
        self.origins[name] = "computed"
        self.log.append(Step(self._cells[name], Method.DIRECT, value, relation))

    def _refuse_open_choice(self, expression: Expr) -> None:
        for name in choices_in(expression):
            if name in self.question.sheet.choices and name not in self.values:
                raise choice_not_given(self.question, name)

    def resolved(self, relation: Relation) -> Relation:
        """Return a relation with each case distinction as the branch that is taken; reject a choice nobody made."""
        if not (choices_in(relation.left) or choices_in(relation.right)):
            return relation
        return replace(relation, left=self.branch(relation.left), right=self.branch(relation.right))

    def branch(self, expression: Expr) -> Expr:
        """Return an expression with each case distinction as the branch that is taken; reject an open choice."""
        self._refuse_open_choice(expression)
        return taken(expression, self.question.options)

    def with_pins(self) -> dict[str, Number | str]:
        """Return the values, and of pinned cells what the question sets them to."""
        return {**self.values, **self.question.given}

    def shown_right(self, relation: Relation) -> Expr | None:
        """Return the symbol of a cell that a relation sets to a value, so that closed forms speak of the cell."""
        name = relation.left.name if relation.left.is_Symbol else ""
        pin = self.question.pins.get(name)
        return symbol(name) if pin is not None and pin.relation is relation else None

    def _torn(self, names: Sequence[str], equations: Sequence[Equation]) -> None:
        used = {cell for equation in equations for cell in equation.cells}
        tearing = torn(names, equations, self.question.unknowns, signs_of(used, self._cells, self.values))
        if len(tearing.tears) > 1 and not any(equation.is_formula for equation in equations):
            tearing = Tearing(tuple(names), {}, tuple(equations))  # what is put in only blurs bounds
        formulas = {name: self.branch(formula) for name, formula in tearing.formulas.items()}
        (self._from_one if len(tearing.tears) == 1 else self._from_several)(tearing, formulas)
        for name, formula in formulas.items():
            self._compute(name, Relation(symbol(name), "=", formula, ""))

    def bounded(self, name: str) -> Cell:
        """Return a cell with its bounds narrowed by what the question says of it alone: `x <= 3`."""
        cell = self.question.sheet.cells[name]
        for relation in self.question.inequalities:
            left, sign, right = relation.one_sided({cell.symbol})
            if left != cell.symbol or cells_of(right):
                continue
            end, closed = evaluate(right, self.values), "=" in sign
            if ">" in sign and end >= cell.bounds.lower:
                closed = closed and (end > cell.bounds.lower or cell.bounds.lower_closed)
                cell = replace(cell, bounds=replace(cell.bounds, lower=end, lower_closed=closed))
            elif "<" in sign:
                cell = replace(cell, bounds=replace(cell.bounds, upper=min(end, cell.bounds.upper)))
        return cell

    def _from_one(self, tearing: Tearing, formulas: Mapping[str, Expr]) -> None:
        (name,), (residual,) = tearing.tears, tearing.residuals
        relation = self.resolved(residual.relation)
        cell = self._cells[name] if self.branches else self.bounded(name)
        chain = Chain(name, cell.bounds.interval, formulas, self.with_pins(), cell.integer)
        tied = [self._cells[other] for other in formulas if other in self.question.sheet.rows.tied]
        solution = narrowed(chain, tied).solve(relation, self.shown_right(residual.relation))
        if solution is None:
            raise cannot_invert(cell, relation, self.names)
        known = self.branches | {other: point(value) for other, value in self.reached.items()}
        solution = on_branch(within_bounds(solution.listed, chain, tied), chain, known)
        if not solution.values and solution.open:
            problem = not_excluded(solution.open, cell, "No value of {} was found at which it holds, but some are")
            raise NotInvertibleError(f"unknown '{name}'", problem, f"Give '{name}' itself.")
        if not solution.values:
            text = residual.relation.text or f"the formula of {residual.target}"
            raise met_nowhere(residual.relation, text, cell, tied, self._cells)
        if not all(interval.is_point for interval in solution.values):
            text = residual.relation.text or residual.key
            problem = f"'{name}', which the answer needs, has a range of values by '{text}'."
            raise NotInvertibleError(f"cell '{name}'", problem, f"Give '{name}' itself.")
        if solution.open:
            self.open[name] = solution.open
        chosen = self.chosen((name,), [(interval.lower,) for interval in solution.values])
        if chosen is None and not solution.open:
            raise excluded(cell, self.assumed[name])
        value = self.assumed[name] if chosen is None else chosen[0]
        self.take(cell, solution.how, value, lambda: (relation, solution.form_at(value, self.values)))

    def _from_several(self, tearing: Tearing, formulas: Mapping[str, Expr]) -> None:
        cells = [self.bounded(name) for name in tearing.tears]
        relations = [self.resolved(residual.relation) for residual in tearing.residuals]
        tied = self.question.sheet.rows.tied
        inputs = [self._cells[name] for name in formulas if self._cells[name].formula is None or name in tied]
        bounds = {cell.name: cell.bounds.interval for cell in inputs}
        result = simultaneous(cells, formulas, relations, self.with_pins(), bounds)
        self.open |= sides(result, tearing.tears)
        point = self.chosen(tearing.tears, result.points)
        if point is None:
            names, error = joined([cell.name for cell in cells]), UndecidedError if result.open else NotInvertibleError
            lacking = "were found, and some are not excluded," if result.open else "are there"
            problem = f"{names} depend on each other, and no values {lacking} at which all relations hold."
            raise error("question", problem, f"Give one of {names}, or check the values that are given.")
        for cell, value, relation in zip(cells, point, relations, strict=True):
            self.take(cell, Method.SIMULTANEOUS, value, partial(shown_by, relation))

    def chosen(self, names: tuple[str, ...], tuples: Sequence[tuple[Number, ...]]) -> tuple[Number, ...] | None:
        """Return the values of cells: those that are assumed, the only ones, or None; raise where there are several."""
        fitting = [
            values
            for values in with_whole([self._cells[name] for name in names], tuples)
            if all(close(value, self.assumed.get(name, value)) for name, value in zip(names, values, strict=True))
        ]
        if len(fitting) > 1 and not self.assumed.keys() >= {*names}:  # else as good as equal: the nearest is taken
            raise SeveralValuesError(names, fitting, self.open)
        assumed = [self.assumed.get(name, 0) for name in names]
        return min(fitting, key=lambda values: max(map(size, map(sub, values, assumed))), default=None)

    def take(self, cell: Cell, how: Method, value: Number, source: Callable[[], tuple[Relation, Expr | None]]) -> None:
        """Add a value of a cell, with the step to it."""
        self.values[cell.name], self.origins[cell.name] = value, "computed"
        self.log.append(Step(cell, how, value, source))


def shown_by(relation: Relation, form: Expr | None = None) -> tuple[Relation, Expr | None]:
    """Return what a step shows of a cell that relations give together with others."""
    return relation, form
