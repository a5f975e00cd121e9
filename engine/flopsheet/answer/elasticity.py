"""How the answer moves with its inputs: d ln unknown / d ln input, through the chain and through solved blocks.

The derivative of each equation is symbolic. The chain rule runs backwards from the unknown, block by block; within a
block it is the implicit function theorem. Let F(x, u) = 0 be the equations of a block with cells x and inputs u. Then
dx/du = -(dF/dx)^-1 dF/du, and the weights w of the cells (the slopes of the unknown by x) become -w^T (dF/dx)^-1 dF/du
for the inputs: one linear system with the transposed matrix gives the weight of each equation, whatever the number of
inputs (the adjoint method; A. Griewank, A. Walther, Evaluating Derivatives, 2008). Each block comes after those that it
rests on, so backwards a cell's weight is complete before it is passed on.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sympy.polys.domains import QQ
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

from flopsheet.answer.execute import Execution, SeveralValuesError
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.formulas.slopes import slopes
from flopsheet.graph.blocks import Block, plan
from flopsheet.graph.structure import Equation
from flopsheet.session import cached
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.units import Number

LARGEST_BLOCK = 60


def elasticities(answer: Answer, name: str) -> dict[str, float]:
    """Return d ln unknown / d ln input for every input that an unknown rests on, the strongest first.

    Of a range, that of the boundary. Empty where the answer does not move smoothly: on a plateau, at a whole number
    that was searched, or where it is zero.

    Args:
        answer: the answer.
        name: an unknown, or any cell that was computed.
    """
    try:
        return _Sensitivity(answer, name).elasticities()
    except (ArithmeticTrapError, ZeroDivisionError, QuestionError, SeveralValuesError):
        return {}


class _Sensitivity:
    """The equations around an unknown at its value, and the derivatives through them."""

    def __init__(self, answer: Answer, name: str) -> None:
        self.question, self.name = answer.question, name
        bounds = [outcome.deciding for outcome in answer.outcomes.values() if outcome.deciding is not None]
        cells = self.question.sheet.cells
        boundaries = {
            _demand(place, bound, cells): bound for place, bound in enumerate(bounds) if not bound.is_equation
        }
        self.system = answer.system.with_last(boundaries)
        self.structure, self.values = self.system.structure, answer.values
        outcome = answer.outcomes.get(name)
        if outcome is not None and outcome.boundary is not None and outcome.boundary != outcome.si:
            values = {unknown: result.si for unknown, result in answer.outcomes.items()}
            self._move_to({**values, name: outcome.boundary})

    def _move_to(self, point: Mapping[str, Number | None]) -> None:
        """Compute the values where the unknowns are at a point: the boundary of a range."""
        system = self.system
        for name, value in reversed([*point.items()]):
            system = system if value is None else system.with_solved(name, value)
        execution = Execution(self.question)
        needed = self.structure.needed([self.name]) & system.structure.determined
        execution.run(system, plan(system.structure, needed, execution.names))
        self.values |= execution.values

    def elasticities(self) -> dict[str, float]:
        """Return the elasticities of the unknown, the strongest first."""
        own = self.values.get(self.name)
        if not own or isinstance(own, str) or self.name not in self.structure.determined:
            return {}
        elasticities = {}
        for name, slope in self._slopes().items():
            value = self.values.get(name)
            if slope and value is not None and not isinstance(value, str) and is_finite(slope):
                elasticities[name] = float(slope * value / own)
        return dict(sorted(elasticities.items(), key=lambda name_value: -abs(name_value[1])))

    def _slopes(self) -> dict[str, Number]:
        """Return the derivative of the unknown by each input, by the chain rule from the unknown backwards."""
        inputs: dict[str, Number] = {}
        weights: dict[str, Number] = {self.name: 1}
        for block in reversed(plan(self.structure, [self.name], tuple(self.question.sheet.cells), join=False)):
            wanted = [weights.pop(cell, 0) for cell in block.cells]
            if any(wanted):
                self._through(block, wanted, weights, inputs)
        return inputs

    def _through(
        self, block: Block, wanted: list[Number], weights: dict[str, Number], inputs: dict[str, Number]
    ) -> None:
        """Pass the weights of a block's cells on to what its equations rest on."""
        equations = self.system.equations(block.keys)
        if len(block.cells) == 1 and equations[0].target and equations[0].kind != "formula":
            inputs[block.cells[0]] = inputs.get(block.cells[0], 0) + wanted[0]
            return
        rows = [self._gap_slopes(equation) for equation in equations]
        for share, row in zip(_shares(block, rows, wanted), rows, strict=True):
            for name, slope in row.items():
                if name not in block.cells:
                    target = weights if name in self.structure.of_cell else inputs
                    target[name] = target.get(name, 0) - share * slope

    def _gap_slopes(self, equation: Equation) -> dict[str, Number]:
        """Return the derivatives of left minus right."""
        return slopes(_gap(equation.relation.left, equation.relation.right), self.values)


@cached(maxsize=4096)
def _gap(left: Any, right: Any) -> Any:
    return left - right


def _shares(block: Block, rows: list[dict[str, Number]], wanted: list[Number]) -> list[Number]:
    """Return the weight of each equation: the transposed system of slopes, solved for the weights of the cells."""
    if len(block.cells) == 1:
        return [wanted[0] / rows[0].get(block.cells[0], 0)]  # zero on a step: it does not move
    if len(block.cells) > LARGEST_BLOCK:
        raise ZeroDivisionError("a block too large for its derivative")
    size = len(block.cells)
    matrix = DomainMatrix([[_ratio(row.get(cell, 0)) for row in rows] for cell in block.cells], (size, size), QQ)
    try:
        weights = matrix.lu_solve(DomainMatrix([[_ratio(weight)] for weight in wanted], (size, 1), QQ))
    except DMNonInvertibleMatrixError:
        raise ZeroDivisionError("the block does not move") from None
    return [float(weight) for (weight,) in weights.to_list()]


def _ratio(number: Number) -> Any:
    exact = Fraction(number)
    return QQ(exact.numerator, exact.denominator)


def _demand(place: int, relation: Relation, cells: Iterable[str]) -> Equation:
    names = tuple(name for name in cells if name in relation.cells)
    return Equation(f"boundary {place}", "demand", names, "")
