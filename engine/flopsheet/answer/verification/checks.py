"""Relations with values substituted: whether they hold, within rounding or by as many digits as it takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.answer.outcomes.wording import in_words, shown_unit
from flopsheet.answer.verification.rounding_errors import RoundingErrors
from flopsheet.errors import ArithmeticTrapError, TooLargeError
from flopsheet.formulas.by_digits import shown_value
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.program import program_of
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions import Select
from flopsheet.functions.rounding import REMAINDER
from flopsheet.functions.symbols import parts_of, symbol
from flopsheet.inverse.method import Proof
from flopsheet.numbers.arithmetic import HOLDS
from flopsheet.numbers.ends import is_typed
from flopsheet.numbers.many_digits import is_rounded, sign_of
from flopsheet.numbers.spans import LARGEST, NoValueError, Span, around, is_exact
from flopsheet.search.enclosure import Enclosure
from flopsheet.session import cached
from flopsheet.tolerances import EASE, ROUNDING
from flopsheet.units import close, digits_distinct, format_all_distinct, format_number, format_quantity, size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Execution
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.functions.symbols import Expr
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Unit

_OPPOSITE = {"=": "is not", "<=": "is more than", ">=": "is less than", "<": "is not below", ">": "is not above"}


@dataclass
class Check:
    """A relation with the answer substituted."""

    relation: Relation
    left: Number  # its left side, in base units
    right: Number  # its right side, in base units
    cells: Mapping[str, Cell] = field(repr=False, compare=False)  # those of the sheet
    holds: bool  # an equation: within rounding
    lifted: bool = False  # whether it is a limit that the question lifts
    divided: tuple[Number, ...] = ()  # where it says that one number is a multiple of another and is not: both

    def __repr__(self) -> str:
        verdict = "lifted" if self.lifted else "holds" if self.holds else "does not hold"
        return f"<Check {self.relation.text!r}: {verdict}>"

    @cached_property
    def unit(self) -> Unit:
        """The unit in which both sides are shown."""
        return shown_unit(self.relation, self.cells)

    @property
    def residual(self) -> float:
        """Difference of the sides over the larger one."""
        largest = max(size(self.left), size(self.right))
        return float(size(self.left - self.right) / largest) if largest else 0.0

    @property
    def digits(self) -> int:
        """How many digits distinguish its sides; of sides that are equal, the usual number."""
        return _digits(self.left, self.right, self.unit)

    @property
    def is_exact(self) -> bool:
        """Whether both sides are known exactly, so that rounding has no part in whether it holds."""
        return is_exact(self.left) and is_exact(self.right)

    @property
    def failure(self) -> str:
        """That the relation does not hold, with both sides, as a clause."""
        left, right = (format_quantity(side, self.unit, self.digits) for side in (self.left, self.right))
        if self.left != self.right and close(self.left, self.right):
            left, right = format_all_distinct([self.left, self.right], self.unit)
        opposite, limit = _OPPOSITE[self.relation.operator], "limit " if self.relation.limit else ""
        if self.divided:
            left, opposite, right = format_number(self.divided[0]), "is no multiple of", format_number(self.divided[1])
        return f"{limit}{in_words(self.relation)} does not hold: {left} {opposite} {right}"

    @property
    def has_room(self) -> bool:
        """Whether it is an inequality with a bound of which something can be left: `0 <= 0` has none."""
        return not self.relation.is_equation and bool(self.left or self.right)

    @property
    def slack(self) -> float:
        """Room that an inequality leaves, as a share of its bound, at most a float; negative where it is violated."""
        small, large = (self.right, self.left) if ">" in self.relation.operator else (self.left, self.right)
        bound = size(self.right) or size(self.left)
        if self.holds and close(self.left, self.right):
            return 0.0  # what rounding leaves is no room
        share = float(min(max((large - small) / bound, -LARGEST), LARGEST)) if bound else 0.0
        return max(share, 0.0) if self.holds else share  # it may hold within rounding


@cached(maxsize=16_384, typed=True)
def _digits(left: Number, right: Number, unit: Unit) -> int:
    differ = left != right if is_exact(left) and is_exact(right) else not close(left, right)
    return digits_distinct([left, right] if differ else [right], unit)


def checks_of(
    execution: Execution,
    relations: Iterable[Relation],
    outcomes: Collection[Outcome] = (),
    traps: list[tuple[Relation, ArithmeticTrapError]] | None = None,
) -> list[Check]:
    """Return the relations whose cells all have a value, with the values substituted.

    Of the unknowns with these outcomes, the float next to a root stands for it. A relation of which a side has no value
    is added to `traps`, with the reason; without a list for them, the error is raised.
    """
    checks, known = [], execution.values.keys()
    for relation in relations:
        if not relation.cells <= known:
            continue
        sides = [_substituted(side, execution) for side in (relation.left, relation.right)]
        if not all(symbol_names(side) <= known for side in sides):
            continue
        try:
            left, right = (_value(side, execution) for side in sides)
        except ArithmeticTrapError as trap:
            sign = None if relation.is_equation else _sign_by_digits(relation, execution)
            is_met = sign is not None and HOLDS[relation.operator](sign, 0)
            if is_met or _is_met_beside(relation, outcomes, execution) or _is_within_range(outcomes):
                continue  # a side is a number that floats cannot hold
            if traps is None or isinstance(trap, TooLargeError):
                raise
            traps.append((relation, trap))
            continue
        holds = met(relation, (left, right), execution) or _is_met_beside(relation, outcomes, execution)
        divided = () if holds else _divided(relation, execution)
        checks.append(Check(relation, left, right, execution.question.sheet.cells, holds, divided=divided))
    return checks


def _divided(relation: Relation, execution: Execution) -> tuple[Number, ...]:
    """Return the numbers of which a relation says that the first is a multiple of the second; nothing for others."""
    remainders = [*parts_of(relation.left, REMAINDER.node)] if relation.is_equation and relation.right == 0 else []
    return tuple(_value(term, execution) for term in remainders[0].args) if len(remainders) == 1 else ()


def _value(expression: Expr, execution: Execution) -> Number:
    """Return the value of an expression, whose parts may be larger or smaller than floats."""
    try:
        return evaluate(expression, execution.values)
    except ArithmeticTrapError:
        interval = _precisely(expression, execution)
        value = math.nan if interval is None else float(interval.mid)
        if not math.isfinite(value):
            raise
        return value


def _precisely(expression: Expr, execution: Execution, *, signed: bool = False) -> Any:
    """Return the value of an expression as an interval of mpmath; None where no digits show that it has one."""
    try:
        return shown_value(program_of(execution.branch(expression)), execution.values, signed=signed)
    except NoValueError:
        return None


def never_has_value(relation: Relation, execution: Execution) -> bool:
    """Whether a side has no value at the values of the cells, whatever rounding has left in these."""
    errors, spans = RoundingErrors(execution), dict[str, Span]()
    for name in sorted(relation.cells):
        value = execution.values[name]
        if isinstance(value, float):
            error = max(errors.of(symbol(name)), ROUNDING * abs(value))
            spans[name] = around(value - error, value + error)
    program = program_of(execution.branch(relation.left - relation.right))
    try:
        if not any(map(is_rounded, map(execution.values.get, relation.cells))):
            shown_value(program, execution.values)
        Enclosure(program, [*spans], execution.values).over([*spans.values()])
    except NoValueError:
        return True
    return False


def _is_met_beside(relation: Relation, outcomes: Iterable[Outcome], execution: Execution) -> bool:
    """Whether more digits, or the floats beside the value of an unknown, show that a relation holds."""
    solved = [(own.condition, own.si) for own in outcomes if own.condition is not None and own.si is not None]
    shown = execution.resolved(relation) if solved else relation
    return any(own.is_met_beside(shown, at) and own.leads_to(execution.values, at) for own, at in solved)


def _is_within_range(outcomes: Collection[Outcome]) -> bool:
    """Whether the unknowns are in ranges that are proven to meet what is asked of them."""
    proven = (result.proof is not Proof.OPEN and result.kind == "range" for result in outcomes)
    return bool(outcomes) and all(proven)


def _substituted(side: Expr, execution: Execution) -> Expr:
    """Return a side of a relation; a pinned cell that its formula did not compute as that formula: no empty check."""
    pinned = side.is_Symbol and execution.origins.get(side.name) == "given"
    formula = execution.question.formula(side.name) if pinned else None
    return side if formula is None else formula


def met(relation: Relation, sides: tuple[Number, Number], execution: Execution) -> bool:
    """Whether a relation holds between the values of its sides, within the rounding of the values behind them."""
    if relation.is_equation:
        if is_exact(sides[0]) and is_exact(sides[1]):
            return size(sides[0] - sides[1]) <= relation.room * max(map(size, sides))
    elif close(*sides) and (sign := _sign_by_digits(relation, execution, sides)) is not None:
        return HOLDS[relation.operator](sign, 0)
    if relation.holds(*sides):
        return True
    if "=" not in relation.operator or not any(isinstance(side, float) for side in sides):
        return False
    errors = RoundingErrors(execution)
    noise = errors.of(relation.left) + errors.of(relation.right)
    if not abs(float(sides[0]) - float(sides[1])) <= noise:
        return False
    # floats nearest to values of known digits are off by no more than their last one
    tells = not relation.is_equation or noise > max(map(size, sides))
    return not (tells and errors.has_digits(relation.left) and errors.has_digits(relation.right))


def _sign_by_digits(relation: Relation, execution: Execution, sides: tuple[Number, ...] = ()) -> int | None:
    """Return the sign of the left side less the right one, where digits that floats do not have tell it.

    A side that may be a copy of the other one, as it was printed, differs from that by its rounding.
    """
    levels = [value for side, value in zip((relation.left, relation.right), sides, strict=False) if not cells_of(side)]
    if any(map(is_rounded, map(execution.values.get, relation.cells))):
        return None
    if not all(is_typed(level) or size(sides[0] - sides[1]) > EASE * size(level) for level in levels):
        return None
    gap = _precisely(relation.left - relation.right, execution, signed=True)
    return None if gap is None else sign_of(gap)


def with_room(answer: Answer, checks: Iterable[Check]) -> list[Check]:
    """Return the inequalities that hold and leave room, but those of options, and those that a default of a cell fills.

    As many sequences as memory holds leave no room in it, whatever the chip.
    """
    question, structure = answer.question, answer.system.structure
    cells, origins = question.sheet.cells, answer.execution.origins
    inferred = (name for name in question.used_cells if cells[name].inferred and name not in question.pins)
    sized = [name for name in inferred if origins.get(name) == "computed"]

    def is_filled(check: Check) -> bool:
        sides = [check.relation.left, check.relation.right]
        small, large = sides[::-1] if ">" in check.relation.operator else sides
        bound, rests = cells_of(large), structure.needed(cells_of(small))
        return bool(bound) and any(name in rests and bound <= structure.needed([name]) for name in sized)

    by_option = {name for name, limit in question.sheet.limits.items() if isinstance(limit.left, Select)}
    roomy = [check for check in checks if check.holds and not check.lifted and check.has_room]
    return [check for check in roomy if check.relation.name not in by_option and not is_filled(check)]
