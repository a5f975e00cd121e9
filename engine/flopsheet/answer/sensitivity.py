"""What moves an answer: the elasticities of a cell.

An elasticity is d ln cell / d ln input, through the formulas and through blocks that were solved. The derivative of
each formula is symbolic. The chain rule runs backwards from the cell, block by block, so each formula is differentiated
once, whatever the number of inputs (the adjoint method; A. Griewank, A. Walther, Evaluating Derivatives, 2008). In a
block, some cells x are assumed, others follow by formulas, and equations F(x, u) = 0 are left. With both seen as
functions of x and the inputs u, the implicit function theorem gives dx/du = -(dF/dx)^-1 dF/du: the weights w of the
assumed cells (the slopes of the unknown by x) become -w^T (dF/dx)^-1 dF/du for the inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from sympy import Mod

from flopsheet.answer.defaults import as_given
from flopsheet.answer.execute import Execution
from flopsheet.answer.outcomes.wording import cut_short
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.errors import QuestionError, find
from flopsheet.formulas.evaluate import float_or_none, value_or_none
from flopsheet.formulas.slopes import Row, Slopes, relative, with_all_digits
from flopsheet.formulas.trees import roundings, symbol_names, unrounded, without_roundings
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import Block, Plan, formulas_in_order, plan
from flopsheet.graph.structure import Equation
from flopsheet.numbers.linear import solved
from flopsheet.numbers.many_digits import is_same
from flopsheet.session import cached
from flopsheet.tolerances import ASIDE
from flopsheet.units import Number, Quantity, close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.graph.system import System

DIGITS = 12  # those behind are what floats leave, which would order what is equal
FINE = 50  # steps from which on a rounding moves as what it rounds: each is two percent at most
LARGEST_BLOCK, MOST_SLOPES = 60, 100_000  # fifty times those of the largest built-in sheets


def elasticities(answer: Answer, name: str, *, rounded: bool = True) -> dict[str, float]:
    """Return d ln cell / d ln input for every input on which an unknown or computed cell rests, the strongest first.

    Of a range, that of the boundary. Empty where the answer does not move smoothly: on a plateau, at a whole number
    that was searched, or where it is zero; where a cell on the way has no value; and, with a warning, for lack of time.
    An input is left out where slopes on the way from it are beyond floats. What is rounded to many steps moves as if
    it was not, as blocks of a long cache; with `rounded=False`, formulas are taken without all of their roundings.
    """
    find(name, answer.question.sheet.cells, "cell", "elasticities")
    try:
        return _Sensitivity(answer, name, rounded=rounded).elasticities(answer)
    except TimeoutError:
        answer.warnings.append(f"What moves {name} is left out.{cut_short('It')}")
        return {}
    except (ArithmeticError, ValueError, QuestionError, SeveralValuesError):  # numbers beyond floats among them
        return {}


@dataclass(frozen=True)
class _Part:
    """A block as derivatives see it: its cells in the order in which formulas give them, once others are assumed."""

    formulas: tuple[tuple[str, Equation, Slopes | None], ...]  # slopes of right sides; none of what is stated
    assumed: tuple[str, ...] = ()  # cells that no formula gives
    residuals: tuple[Equation, ...] = ()  # the equations that are left for these; none for an input


class _Sensitivity:
    """The equations around a cell at its value, and the derivatives through them."""

    def __init__(self, answer: Answer, name: str, *, rounded: bool) -> None:
        self.question, self.name, self.rounded = answer.question, name, rounded
        bounds = [outcome.deciding for outcome in answer.outcomes.values()]
        boundaries, numbers = {}, dict[str, Number | str]()
        for place, bound in enumerate(bounds):
            if bound is not None and not bound.is_equation:
                names = tuple(cell for cell in self.question.sheet.cells if cell in bound.cells)
                boundaries[Equation(f"boundary {place}", "demand", names, "")] = _with_input(bound, numbers)
        self._given = as_given(answer.system, answer.dropped_defaults)
        self.system = self._with_others(answer, self._given.with_last(boundaries))
        self.structure, self.values = self.system.structure, answer.values | numbers
        self._known: dict[Slopes, Row] = answer.slopes
        self._moved, self._left = set[str](), MOST_SLOPES

    def _with_others(self, answer: Answer, system: System) -> System:
        """Return equations with other unknowns at their values, but for those that the equations give: they follow."""
        for name, outcome in reversed(answer.outcomes.items()):
            if outcome.si is not None and name != self.name and name not in system.structure.determined:
                system = system.with_solved(name, outcome.si)
        return system

    def _move_to_boundary(self, answer: Answer) -> None:
        """Compute the values where the cell is at the boundary of its range, if it has another value."""
        own = answer.outcomes.get(self.name)
        if own is None or own.boundary is None or own.boundary == own.si:
            return
        system = self._with_others(answer, self._given.with_solved(self.name, own.boundary))
        execution = Execution(self.question)
        needed = self.structure.needed([self.name]) & system.structure.determined
        execution.run(system, plan(system.structure, needed, execution.names))
        self.values, self._known = self.values | execution.values, {}

    def _is_at_boundary(self, answer: Answer) -> bool:
        """Whether the relation that bounds the cell is an equality there: a range that may go on ends before it is."""
        own = answer.outcomes.get(self.name)
        if own is None or own.deciding is None or not own.open:
            return True
        if not own.deciding.cells <= self.values.keys():  # what was cut short may lack them
            return False
        left, right = (value_or_none(side, self.values) for side in (own.deciding.left, own.deciding.right))
        return left is not None and right is not None and close(left, right)

    def elasticities(self, answer: Answer) -> dict[str, float]:
        """Return the elasticities of the cell, the strongest first; kept until a question has other numbers."""
        names = self.structure.derived(("rests on", self.name), lambda: [*self.structure.needed([self.name])])
        last: list[Any] = self.structure.derived(("elasticities", self.name, self.rounded), list)
        ends = [(own.si, own.boundary) for own in answer.outcomes.values()]
        state: list[Any] = [*self.system.stated.values(), *chain(*ends), *self.question.literals.values()]
        state += [self.values.get(name) for name in names]
        if not last or len(last[0]) != len(state) or not all(map(is_same, state, last[0])):
            self._move_to_boundary(answer)
            last[:] = state, self._computed() if self._is_at_boundary(answer) else {}
        return {**last[1]}

    def _computed(self) -> dict[str, float]:
        own = self.values.get(self.name)
        if not own or isinstance(own, str) or self.name not in self.structure.determined:
            return {}
        elasticities = {}
        for name, slope in self._slopes().items():
            value = self.values.get(name)
            if slope and value is not None and not isinstance(value, str) and is_finite(slope):
                elasticities[name] = float(format(relative(slope, value, own), f".{DIGITS}g"))
        return dict(sorted(elasticities.items(), key=lambda name_value: -abs(name_value[1])))

    @cached_property
    def _off(self) -> dict[str, Number | str]:
        """Values of cells, those that are moved a little off."""
        return {**self.values}

    def _slopes(self) -> dict[str, float]:
        """Return the derivative of the cell by each input, by the chain rule from the cell backwards."""
        inputs, weights = dict[str, float](), {self.name: 1.0}
        for part in self._parts:
            self._through_formulas(part, weights)
            wanted = [weights.pop(cell, 0.0) for cell in part.assumed]
            if part.residuals and any(wanted):
                self._through_residuals(part, wanted, weights)
            elif part.assumed and not part.residuals and wanted[0]:
                inputs[part.assumed[0]] = wanted[0]
        return weights | inputs  # what is left are quantities that the question writes

    @property
    def _plan(self) -> Plan:
        return plan(self.structure, [self.name], tuple(self.question.sheet.cells), join=False)

    @cached_property
    def _parts(self) -> list[_Part]:
        """The blocks on which the cell rests, the last first, with what is the same for all numbers."""
        key = "slopes", self.name, self.rounded
        return self.structure.derived(key, lambda: [*map(self._part, reversed(self._plan))])

    def _part(self, block: Block) -> _Part:
        equations = [self.structure.equations[key] for key in block.keys]
        if len(equations) == 1 and equations[0].target and not equations[0].is_formula:
            return _Part((), block.cells)
        formulas = formulas_in_order(block.cells, equations)
        left = tuple(own for own in equations if own not in formulas.values())
        stated = self.system.stated
        shared = [None if own.key in stated else self._slopes_of(own.relation.right) for own in formulas.values()]
        rows = tuple(zip(formulas, formulas.values(), shared, strict=True))
        return _Part(rows, tuple(cell for cell in block.cells if cell not in formulas), left)

    def _through_formulas(self, part: _Part, weights: dict[str, float]) -> None:
        """Pass the weight of each cell that a formula gives on to what the formula rests on, the last cell first."""
        for cell, equation, shared in reversed(part.formulas):
            if weight := weights.pop(cell, 0.0):
                for name, slope in self._row(shared or self._slopes_of(self.system.relation(equation).right)):
                    weights[name] = weights.get(name, 0.0) + with_all_digits(weight * slope)

    def _through_residuals(self, part: _Part, wanted: list[float], weights: dict[str, float]) -> None:
        """Pass the weights of assumed cells on by the equations that are left, as functions of these cells."""
        if len(part.assumed) > LARGEST_BLOCK:
            raise ZeroDivisionError("a block too large for its derivative")
        rows, counts = list[dict[str, float]](), {own for own in part.assumed if self.question.sheet.cells[own].integer}
        for equation in part.residuals:
            relation = self.system.relation(equation)
            form = relation.left - relation.right
            divisors = counts.intersection(*map(symbol_names, form.atoms(Mod))) if form.has(Mod) else ()  # they stay
            rows.append(dict.fromkeys(divisors, 1.0) or dict(self._row(self._slopes_of(form))))
            self._through_formulas(part, rows[-1])
        for share, row in zip(_shares(part.assumed, rows, wanted), rows, strict=True):
            for name, slope in row.items():
                if share and name not in part.assumed:
                    weights[name] = weights.get(name, 0.0) - with_all_digits(share * slope)

    def _row(self, slopes: Slopes) -> Row:
        """Return the slopes of an equation, which all cells that rest on it share."""
        slopes = self._without_fine_roundings(slopes)
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

    def _without_fine_roundings(self, slopes: Slopes) -> Slopes:
        """Return the slopes of an expression without its roundings of many steps, which move as what they round."""
        steps = ((node, float_or_none(node.args[0], self.values)) for node in roundings(slopes.expression))
        fine = frozenset(node for node, many in steps if many is not None and size(many) >= FINE)
        return _slopes_of(unrounded(slopes.expression, fine)) if fine else slopes

    def _slopes_of(self, expression: Expr) -> Slopes:
        return _slopes_of(expression if self.rounded else without_roundings(expression))

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
            followed = float_or_none(self.system.relation(equation).right, self._off)
        for name in block.cells:
            value = self.values.get(name, "")
            own = value if isinstance(value, str) else float(value) * (1 + (place * place + 1) * ASIDE)
            self._off[name] = own if followed is None else followed
        self._moved.update(block.cells)


def _with_input(bound: Relation, numbers: dict[str, Number | str]) -> Relation:
    """Return a bound of the question with a symbol in place of a pure number, an input as a quantity with a unit is.

    One is no level that somebody turns: `speedup >= 1` compares equals.
    """
    sides = {}
    for name in ("left", "right"):
        side = getattr(bound, name)
        if side.is_Rational and side not in (0, 1) and not bound.name:
            quantity = Quantity(Fraction(int(side.p), int(side.q)), "")
            sides[name] = symbol(quantity.written)
            numbers[quantity.written] = quantity.si
    return replace(bound, **sides) if sides else bound


@cached(maxsize=4096)
def _slopes_of(expression: Expr) -> Slopes:
    return Slopes(expression)


def _shares(cells: Sequence[str], rows: Sequence[Mapping[str, float]], wanted: Sequence[float]) -> list[float]:
    """Return the weight of each equation: the transposed system of slopes, solved for the weights of the cells."""
    if len(cells) == 1:
        return [wanted[0] / rows[0].get(cells[0], 0.0)]  # zero on a step: it does not move
    slopes = ([(row, rows[row].get(cell, 0.0)) for row in range(len(rows))] for cell in cells)
    matrix = [{row: Fraction(slope) for row, slope in line if slope} for line in slopes]
    weights = solved(matrix, [Fraction(weight) for weight in wanted])
    if weights is None:
        raise ZeroDivisionError("the block does not move")
    return [*map(float, weights)]
