"""What moves an answer: the elasticities of a cell, and which branch of each max and min decides.

An elasticity is d ln cell / d ln input, through the formulas and through blocks that were solved. The derivative of
each equation is symbolic. The chain rule runs backwards from the cell, block by block; within a block it is the
implicit function theorem. Let F(x, u) = 0 be the equations of a block with cells x and inputs u. Then
dx/du = -(dF/dx)^-1 dF/du, and the weights w of the cells (the slopes of the unknown by x) become -w^T (dF/dx)^-1 dF/du
for the inputs: one linear system with the transposed matrix gives the weight of each equation, whatever the number of
inputs (the adjoint method; A. Griewank, A. Walther, Evaluating Derivatives, 2008). Each block comes after those that it
rests on, so backwards a cell's weight is complete before it is passed on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.defaults import as_given
from flopsheet.answer.execute import Execution
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.wording import cut_short, unit_of
from flopsheet.errors import ArithmeticTrapError, QuestionError, find
from flopsheet.formulas.evaluate import binding_branch, evaluate, extremes, value_or_none
from flopsheet.formulas.printing import in_order
from flopsheet.formulas.slopes import Row, Slopes
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions import Expr, taken
from flopsheet.graph.blocks import Block, Plan, plan
from flopsheet.graph.structure import Equation
from flopsheet.numbers.linear import solved
from flopsheet.session import cached
from flopsheet.tolerances import ASIDE
from flopsheet.units import Number, Unit, close, is_finite

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell

LARGEST_BLOCK, MOST_SLOPES = 60, 100_000  # fifty times those of the largest built-in sheets


def elasticities(answer: Answer, name: str) -> dict[str, float]:
    """Return d ln cell / d ln input for every input on which an unknown or computed cell rests, the strongest first.

    Of a range, that of the boundary. Empty where the answer does not move smoothly: on a plateau, at a whole number
    that was searched, or where it is zero; where a cell on the way has no value; and, with a warning, for lack of time.
    """
    find(name, answer.question.sheet.cells, "cell", "elasticities")
    try:
        return _Sensitivity(answer, name).elasticities()
    except TimeoutError:
        answer.warnings.append(f"What moves {name} is left out.{cut_short('It')}")
        return {}
    except (ArithmeticTrapError, ZeroDivisionError, QuestionError, SeveralValuesError):
        return {}


@dataclass(frozen=True)
class _Part:
    """A block as derivatives see it."""

    block: Block
    equations: Sequence[Equation] = ()  # none for an input
    slopes: Sequence[Slopes] = ()  # of left side less right side of each; none where the question states one of them


class _Sensitivity:
    """The equations around a cell at its value, and the derivatives through them."""

    def __init__(self, answer: Answer, name: str) -> None:
        self.question, self.name = answer.question, name
        bounds = [outcome.deciding for outcome in answer.outcomes.values()]
        boundaries = {}
        for place, bound in enumerate(bounds):
            if bound is not None and not bound.is_equation:
                names = tuple(cell for cell in self.question.sheet.cells if cell in bound.cells)
                boundaries[Equation(f"boundary {place}", "demand", names, "")] = bound
        self._given = as_given(answer.system, answer.dropped_defaults)
        self.system = self._given.with_last(boundaries)
        self.structure, self.values = self.system.structure, answer.values
        self._known: dict[Slopes, Row] = answer.slopes
        self._moved, self._left = set[str](), MOST_SLOPES
        outcome = answer.outcomes.get(name)
        if outcome is not None and outcome.boundary is not None and outcome.boundary != outcome.si:
            self._move_to(outcome.boundary, answer)

    def _move_to(self, boundary: Number, answer: Answer) -> None:
        """Compute the values where the cell is at the boundary of its range.

        The other unknowns stay, but for those that the equations give: they follow.
        """
        system = self._given.with_solved(self.name, boundary)
        for name, outcome in reversed(answer.outcomes.items()):
            if outcome.si is not None and name not in system.structure.determined:
                system = system.with_solved(name, outcome.si)
        execution = Execution(self.question)
        needed = self.structure.needed([self.name]) & system.structure.determined
        execution.run(system, plan(system.structure, needed, execution.names))
        self.values, self._known = self.values | execution.values, {}

    def elasticities(self) -> dict[str, float]:
        """Return the elasticities of the cell, the strongest first."""
        own = self.values.get(self.name)
        if not own or isinstance(own, str) or self.name not in self.structure.determined:
            return {}
        elasticities = {}
        for name, slope in self._slopes().items():
            value = self.values.get(name)
            if slope and value is not None and not isinstance(value, str) and is_finite(slope):
                elasticities[name] = float(slope * value / own)
        return dict(sorted(elasticities.items(), key=lambda name_value: -abs(name_value[1])))

    @cached_property
    def _off(self) -> dict[str, Number | str]:
        """Values of cells, those that are moved a little off."""
        return {**self.values}

    def _slopes(self) -> dict[str, Number]:
        """Return the derivative of the cell by each input, by the chain rule from the cell backwards."""
        inputs: dict[str, Number] = {}
        weights: dict[str, Number] = {self.name: 1}
        for part in self._parts:
            cells = part.block.cells
            if len(cells) > 1:
                wanted = [weights.pop(cell, 0) for cell in cells]
                if any(wanted):
                    self._through_several(part, wanted, weights, inputs)
            elif weight := weights.pop(cells[0], 0):
                self._through_one(part, weight, weights, inputs)
        return inputs

    @property
    def _plan(self) -> Plan:
        return plan(self.structure, [self.name], tuple(self.question.sheet.cells), join=False)

    @cached_property
    def _parts(self) -> list[_Part]:
        """The blocks on which the cell rests, the last first, with what is the same for all numbers."""
        return self.structure.derived(("slopes", self.name), lambda: [*map(self._part, reversed(self._plan))])

    def _part(self, block: Block) -> _Part:
        equations = [self.structure.equations[key] for key in block.keys]
        if len(equations) == 1 and equations[0].target and not equations[0].is_formula:
            return _Part(block)
        if any(not own.is_formula or own.key in self.system.stated for own in equations):
            return _Part(block, equations)
        return _Part(block, equations, [_slopes_of(own.relation) for own in equations])

    def _through_one(self, part: _Part, wanted: Number, weights: dict[str, Number], inputs: dict[str, Number]) -> None:
        """Pass the weight of a cell on to what its equation rests on."""
        cell, is_computed = part.block.cells[0], self.structure.of_cell
        if not part.equations:
            inputs[cell] = inputs.get(cell, 0) + wanted
            return
        row = self._row((part.slopes or [_slopes_of(self.system.relation(part.equations[0]))])[0])
        share = wanted / row.get(cell, 0)  # zero on a step: it does not move
        for name, slope in row.floats if type(share) is float else row.items():
            if name not in is_computed:
                inputs[name] = inputs.get(name, 0) - share * slope
            elif slope and name != cell:
                weights[name] = weights.get(name, 0) - share * slope

    def _through_several(
        self, part: _Part, wanted: list[Number], weights: dict[str, Number], inputs: dict[str, Number]
    ) -> None:
        """Pass the weights of a block's cells on to what its equations rest on."""
        cells = part.block.cells
        slopes = part.slopes or [_slopes_of(self.system.relation(own)) for own in part.equations]
        rows = [self._row(own) for own in slopes]
        for share, row in zip(_shares(part.block, rows, wanted), rows, strict=True):
            for name, slope in row.items():
                if name not in cells:
                    target = weights if name in self.structure.of_cell else inputs
                    target[name] = target.get(name, 0) - share * slope

    def _row(self, slopes: Slopes) -> Row:
        """Return the slopes of an equation, which all cells that rest on it share."""
        if slopes not in self._known:
            if not slopes.cells <= self.values.keys():
                raise ZeroDivisionError("a cell without a value in the block")
            self._left -= len(slopes.cells)
            if self._left < 0:
                raise TimeoutError
            self._known[slopes] = slopes.at(self.values, lambda: self._beside(slopes.cells))
        return self._known[slopes]

    def _beside(self, cells: frozenset[str]) -> dict[str, Number | str]:
        """Return values of what cells rest on a little off, each input by another share, and what follows from these.

        Where terms of several cells are equal, branches that no point has together would give a change that none has.
        """
        blocks, waiting = dict[int, Block](), [*cells]
        while waiting:
            place, block = self._places.get(waiting.pop(), (0, None))
            if block is not None and place not in blocks and block.cells[0] not in self._moved:
                blocks[place] = block
                waiting += block.inputs
        for place in sorted(blocks):
            self._move_off(place, blocks[place])
        return self._off

    @cached_property
    def _places(self) -> dict[str, tuple[int, Block]]:
        """The block of each cell, with its place in their order."""
        blocks = enumerate(self._plan, 1)
        return self.structure.derived(
            ("places", self.name), lambda: {cell: own for own in blocks for cell in own[1].cells}
        )

    def _move_off(self, place: int, block: Block) -> None:
        equation = self.structure.equations[block.keys[0]]
        followed = None
        if block.direct and equation.is_formula:
            followed = value_or_none(self.system.relation(equation).right, self._off)
        for name in block.cells:
            value = self.values.get(name, "")
            own = value if isinstance(value, str) else float(value) * (1 + (place * place + 1) * ASIDE)
            self._off[name] = own if followed is None else followed
        self._moved.update(block.cells)


def _slopes_of(relation: Relation) -> Slopes:
    return _of_difference(relation.left, relation.right)


@cached(maxsize=4096)
def _of_difference(left: Expr, right: Expr) -> Slopes:
    return Slopes(left - right)


def _shares(block: Block, rows: list[Row], wanted: list[Number]) -> list[float]:
    """Return the weight of each equation: the transposed system of slopes, solved for the weights of the cells."""
    if len(block.cells) > LARGEST_BLOCK:
        raise ZeroDivisionError("a block too large for its derivative")
    place = {cell: number for number, cell in enumerate(block.cells)}
    matrix: list[dict[int, Fraction]] = [{} for _ in block.cells]
    for equation, row in enumerate(rows):
        for cell, slope in row.items():
            if slope and cell in place:
                matrix[place[cell]][equation] = Fraction(slope)
    weights = solved(matrix, [Fraction(weight) for weight in wanted])
    if weights is None:
        raise ZeroDivisionError("the block does not move")
    return list(map(float, weights))


@dataclass(frozen=True)
class Binding:
    """The branch that decides in a max or min."""

    cell: Cell  # whose formula holds it
    expression: Expr  # the max or min
    branch: Expr  # the term that decides
    si: Number  # its value in base units
    unit: Unit  # in which it is shown
    tied: bool  # whether another term is equal
    losing: tuple[tuple[Expr, Number], ...]  # the other terms in their order, each with its value in base units


def bindings(answer: Answer, cells: Container[str] | None = None) -> list[Binding]:
    """Return the deciding branch of every max and min that the answer used, in order; of some cells if named."""
    values = answer.values
    branches: list[Binding] = []
    for name, value in answer.cells.items():
        if (cells is not None and name not in cells) or (formula := value.cell.formula) is None:
            continue
        for node in extremes(taken(formula, answer.question.options)):
            known = symbol_names(node) <= values.keys()
            if known and all(value_or_none(term, values) is not None for term in node.args):
                branches.append(_binding(answer, value.cell, node, values))
    return branches


def _binding(answer: Answer, cell: Cell, node: Expr, values: Mapping[str, Number | str]) -> Binding:
    question, branch = answer.question, binding_branch(node, values)
    value = evaluate(branch, values)
    terms = in_order(node, tuple(question.sheet.cells))
    losing = tuple((term, evaluate(term, values)) for term in terms if term != branch)
    tied = any(close(value, other) for _, other in losing)
    unit = cell.unit if node == cell.formula else unit_of(node, question.sheet.cells, question.quantities)
    return Binding(cell, node, branch, value, unit, tied, losing)
