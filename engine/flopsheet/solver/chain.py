"""A chain of formulas from an unknown to a relation, turned round cell by cell.

Where all that a relation needs of the unknown passes through one cell, that cell is found first, and then the chain
behind it: a thousand formulas in a row are a thousand small steps, and never one large expression.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.errors import ArithmeticTrapError
from flopsheet.sheets.cell import symbol
from flopsheet.solver.closed_form import Segment, too_large
from flopsheet.solver.code import Compiled
from flopsheet.solver.condition import Scope, Solution, hardest, one_sided
from flopsheet.solver.evaluate import Values, evaluate
from flopsheet.solver.intervals import ALL, EMPTY, Interval, RealSet, meet, side, union
from flopsheet.solver.preimage import over_floats
from flopsheet.solver.scan import scanned
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.sheets.relation import Relation
    from flopsheet.units import Number

LARGEST_SEGMENT = 600
MOST_PIECES = 4000
MOST_TESTED = 200


@dataclass(frozen=True)
class Chain:
    """The cells that depend on an unknown, each with its formula.

    Args:
        unknown: name of the unknown.
        domain: values that make sense for it.
        formulas: the cells that depend on it, in the order in which they follow from it.
        values: all cells that do not, in base units.
        integer: whether the unknown is a whole number.
    """

    unknown: str
    domain: Interval
    formulas: Mapping[str, Any]
    values: Values
    integer: bool = False

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate([self.unknown, *self.formulas])}

    def at(self, value: Number, expression: Any) -> Number:
        """Return the value of an expression where the unknown has a value.

        Raises:
            ArithmeticTrapError: it has none there.
        """
        values = {**self.values, self.unknown: value}
        wanted = self._needed(expression)
        for name, formula in self.formulas.items():
            if name in wanted:
                values[name] = evaluate(formula, values, f"cell '{name}'")
        return evaluate(expression, values)

    def at_or_none(self, value: Number, expression: Any) -> Number | None:
        """Return the value of an expression where the unknown has a value, or None if it has none there."""
        try:
            return self.at(value, expression)
        except ArithmeticTrapError:
            return None

    def _needed(self, expression: Any) -> set[str]:
        seen: set[str] = set()
        waiting = [each.name for each in expression.free_symbols]
        while waiting:
            name = waiting.pop()
            if name in self.formulas and name not in seen:
                seen.add(name)
                waiting += [each.name for each in self.formulas[name].free_symbols]
        return seen

    def solve(self, condition: Relation, shown_right: Any | None = None) -> Solution | None:
        """Return the values of the unknown that meet a condition, or None where no way here works.

        Args:
            condition: the relation.
            shown_right: what closed forms have in place of its right side.
        """
        expression, sign, right = one_sided(condition, {symbol(name) for name in self._places})
        target = side(sign, evaluate(right, self.values))
        right = right if shown_right is None else shown_right
        found = self._turned(expression, target, right)
        if found is not None and self._is_proven(found, expression, target):
            return found
        if found is not None and found.how in ("divisors", "trial", "period"):
            return found
        values = meet(union(found.values if found else EMPTY, self._forward(expression, target)), (self.domain,))
        kept = tuple(each for each in values if not each.is_point or self._meets(each.lower, expression, target))
        return Solution(kept, "scan", found.segments if found else (), right)

    def _turned(self, expression: Any, target: RealSet, right: Any) -> Solution | None:
        """Turn one cell after the other round, from the relation down to the unknown."""
        ways: list[str] = []
        segments: list[Segment] = []
        complete = True
        while True:
            cell, expression = self._segment(expression)
            if cell is None:
                return None if expression is None else Solution((self.domain,) if target else EMPTY, "constant")
            last = cell == self.unknown
            scope = Scope(symbol(cell), self.domain if last else ALL[0], self.values, self.integer and last)
            found = scope.preimage(expression, target)
            if found is None or len(found[0]) > MOST_PIECES:
                return None
            target, complete = found[0], complete and found[2]
            ways += found[1]
            segments.append(Segment(expression, symbol(cell)))
            if last:
                return Solution(
                    meet(target, (self.domain,)), hardest(ways, tuple(segments)), tuple(segments), right, complete
                )
            expression = self.formulas[cell]

    def _segment(self, expression: Any) -> tuple[str | None, Any]:
        """Put formulas in for cells until the expression depends on the unknown through one cell only.

        No cell and no expression if it grows too large, no cell if it does not depend on the unknown.
        """
        while True:
            names = sorted(
                (each.name for each in expression.free_symbols if each.name in self._places),
                key=self._places.__getitem__,
            )
            if len(names) < 2:
                return (names[0] if names else None), expression
            expression = expression.xreplace({symbol(names[-1]): self.formulas[names[-1]]})
            if too_large(expression, LARGEST_SEGMENT):
                return None, None

    def _is_proven(self, found: Solution, expression: Any, target: RealSet) -> bool:
        """Whether each single value found meets the condition; an empty set is proven if every step was exact."""
        points = [each.lower for each in found.values if each.is_point][:MOST_TESTED]
        if not found.values:
            return len(found.segments) < 2 or found.how in ("constant", "divisors", "trial")
        return all(self._meets(at, expression, target) for at in points)

    def _meets(self, at: Number, expression: Any, target: RealSet) -> bool:
        value = self.at_or_none(at, expression)
        return value is not None and any(
            value in each or close(value, each.lower) or close(value, each.upper) for each in target
        )

    def _forward(self, expression: Any, target: RealSet) -> RealSet:
        """Scan the whole chain as one function of the unknown."""
        return scanned(self.function(expression), self.domain, target)

    def function(self, expression: Any) -> Callable[[float], float]:
        """Return an expression as a function of the unknown on floats."""
        wanted = self._needed(expression)
        steps = [(name, formula) for name, formula in self.formulas.items() if name in wanted]
        return over_floats(Compiled(steps, expression), self.unknown, self.values)
