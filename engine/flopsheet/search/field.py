"""A formula as a function of one cell: its bounds, rates and growth over a box, its contraction, its exact values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from flopsheet.formulas.by_digits import shown_value
from flopsheet.functions.enclosed import ZERO, around_all
from flopsheet.numbers.arithmetic import LARGEST, SMALLEST, is_long
from flopsheet.numbers.many_digits import PRECISION, Irrational, ends_of, interval_of, is_beyond_sizes, precision
from flopsheet.numbers.span_logarithms import exponentials_of
from flopsheet.numbers.spans import NOTHING, NoValueError, Span, divided, in_floats, is_exact, sum_of
from flopsheet.search.enclosure import Enclosure, Growths
from flopsheet.search.facts import Facts, terms_of
from flopsheet.search.grid import near_end
from flopsheet.units import is_finite, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.formulas.program import Operation, Program
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number


class Growth(NamedTuple):
    """How a formula changes over a box, relative to itself and to the cell."""

    value: Span  # bounds of the formula
    growth: Span  # bounds of its relative change by that of the cell
    here: Span  # its value at the middle of the box
    growths: Growths  # of all operations

    def over(self, ratios: Span) -> Span:
        """Return bounds of the formula from its growth, where values of the cell have these logarithms beside it."""
        if self.growth.low == -math.inf and self.growth.high == math.inf:  # it may change its sign
            return self.value
        return self.value.meet(self.here * exponentials_of(self.growth * ratios)) or self.value


@dataclass(frozen=True, slots=True)
class Trend:
    """How a formula changes over a box.

    Args:
        rate: bounds of its change by that of the unknown.
        rising: whether it rises (or stays) or falls (or stays), past the ends of the set at least; None if unproven.
        growth: its relative change by that of the unknown; None in a box of both signs.
        balance: the same of what adds to it beside what takes from it and the one end of the set; None without these.
    """

    rate: Span
    rising: bool | None
    growth: Growth | None = None
    balance: Growth | None = None

    @property
    def is_flat(self) -> bool:
        """Whether it has one value."""
        grown = self.growth is not None and self.growth.growth.low == self.growth.growth.high == 0
        return grown or self.rate.low == self.rate.high == 0


class Field(Enclosure):
    """A program whose cells but one, the unknown, have values [base units]: what it is over a box of that one."""

    def __init__(self, program: Program, unknown: str, values: Mapping[str, Number | str]) -> None:
        super().__init__(program, (unknown,), values)
        self.unknown, self.facts = unknown, Facts()
        (self.place,) = self.places

    def bounds(self, box: Span) -> Span:
        """Return bounds of the result over a box, nothing where it has no value anywhere in it."""
        try:
            return self.forward(box)[self.program.result]
        except NoValueError:
            return NOTHING

    def forward(self, box: Span) -> list[Span]:
        """Return the bounds of every operation; raise NoValueError where the formula has no value in the box."""
        return self.over((box,))

    def value(self, at: Number) -> Number | None:
        """Return the result at a point by plain evaluation; None where it has none."""
        values = self.values_at((at,))
        return None if values is None else values[self.program.result]

    def value_by_digits(self, at: Number, bits: int = PRECISION, level: Number = 0) -> float | None:
        """Return the result less a level at a point where floats may not hold its parts; None where it has none."""
        try:
            value = float(self.precise(at, at, bits, level).mid)
        except (ArithmeticError, ValueError):
            return None
        return value if math.isfinite(value) else None

    def is_shown(self, at: Number) -> bool:
        """Whether digits show every operation at a number: none is too large or small beside what is added to it."""
        try:
            values = self.precisely(((at, at),), PRECISION)
        except (ArithmeticError, ValueError):
            return False
        return not any(is_beyond_sizes(end) for place, _ in self.varying for end in ends_of(values[place]))

    def has_value(self, at: Number) -> bool:
        """Whether signs or digits show that the formula has a value at a number; raise NoValueError without one."""
        here = self.forward(Span(at, at, exact=is_exact(at)))
        if at and self.growth(here, here, ZERO).value.total:
            return True
        names = {place: name for name, place in self.program.inputs.items()}
        inputs = {names[place]: number for place, number in self.inputs.items()}
        return shown_value(self.program, {**inputs, self.unknown: at}) is not None

    def exactly(self, at: Number) -> Number | None:
        """Return the result at a point as a ratio; None where it is none, or rounding would take part."""
        if not self.program.is_rational or not self._knows_exactly:
            return None
        values = [*map(_as_ratio, self._numbers)]
        values[self.place] = _as_ratio(at)
        operations = [*self._plan.known, *self.varying] if self.is_rounded else self.varying
        self.evaluations += 4 * len(operations)
        if not stay_ratios(values, operations):
            return None
        result: Number = values[self.program.result]
        return None if isinstance(result, float) else result

    @cached_property
    def _knows_exactly(self) -> bool:
        """Whether what does not vary follows from the inputs without rounding: it has no root, say."""
        if any(isinstance(number, Irrational) for number in self.inputs.values()):
            return False
        return self.is_rounded or not any(isinstance(self._numbers[place], float) for place, _ in self._plan.known)

    def gap(self, at: Number, level: Number) -> float:
        """Return how far the result lies above a level at a point, in floats; "not a number" where it has no value."""
        value = self.value(float(at))
        self.evaluations += len(self.varying) // 4
        try:
            return math.nan if value is None else float(value) - float(level)
        except OverflowError:  # an integer that floats cannot hold
            return math.copysign(math.inf, 1 if value is not None and value > level else -1)

    def rate(self, spans: list[Span]) -> Span:
        """Return bounds of the change of the result by the change of the cell, between any two points of a box."""
        return self.rates(spans).get(self.program.result, {}).get(self.place, Span(0, 0, exact=True))

    def growth(self, spans: list[Span], middle: list[Span], ratios: Span) -> Growth:
        """Return how the result grows over a box of one sign; see `Growths` for the arguments."""
        result, growths = self.program.result, Growths(self, spans, middle, {self.place: ratios})
        return Growth(growths.spans[result], growths.of(result, self.place), middle[result], growths)

    def sign(self, box: Span, level: Number = 0) -> int:
        """Return the sign of the result less a level all over a box, from those of its terms; 0 if they do not tell it.

        What is added to the level itself may be smaller than any digits show: `1 + exp(-x)` is above 1 everywhere.
        """
        here = self.forward(box)
        if box.low <= 0 <= box.high or not here[self.program.result].total:
            return 0
        rough = [_in_floats(span) for span in here]
        growths, rest, signs = self.growth(rough, rough, ZERO).growths, -Fraction(level), set[int]()
        for number, sign in terms_of(self.program.operations, self.program.result, here, growths):
            rest += number
            signs |= set() if sign is None else {sign}
        signs |= {1 if rest > 0 else -1} if rest else set()
        return signs.pop() if len(signs) == 1 else 0

    def overflows(self, part: Interval) -> bool:
        """Whether floats do not hold some operation where the numbers beyond a size begin, or not its inverse.

        Towards zero they may hold all, and lose what is added to it.
        """
        end, far = near_end(part)
        if not far:
            return True
        try:
            here = self.forward(Span(end, end, exact=is_exact(end)))
        except NoValueError:
            return True
        sizes = (size(bound) for place, _ in self.varying for bound in (here[place].low, here[place].high))
        return not all(value == 0 or SMALLEST < value < LARGEST for value in sizes)

    def at(self, number: Number) -> list[Span]:
        """Return the bounds of every operation at a number, by more digits where floats do not hold some of them.

        Raises:
            NoValueError: the formula has no value there.
        """
        spans = self.forward(Span(number, number, exact=is_exact(number)))
        if is_finite(spans[self.program.result].high):
            return spans
        try:
            with precision(PRECISION):
                values = self.precisely(((number, number),), PRECISION)
        except (ArithmeticError, ValueError):
            return spans
        for place, _ in self.varying:
            spans[place] = in_floats(Span(*ends_of(values[place]), spans[place].total, exact=True))
        return spans

    def balance(self, grown: Growth, middle: list[Span], level: Number) -> Growth | None:
        """Return the growth of the ratio of what adds to the result and what takes from it, a level included.

        The result meets the level where that ratio is 1. None where a term has both signs, or all have the same.
        """
        result = self.program.result
        operation = self.program.operations.get(result)
        terms = operation.terms if operation is not None and operation.entry.node is sympy.Add else (result,)
        sides: tuple[list[tuple[Span, Span, Span]], ...] = ([], [])
        for term in terms:
            value, growth, here = grown.growths.spans[term], grown.growths.of(term, self.place), middle[term]
            if value.low > 0:
                sides[0].append((value, growth, here))
            elif value.high < 0:
                sides[1].append((-value, growth, -here))
            elif value.low or value.high:
                return None
        if level:
            number = Span(size(level), size(level), exact=is_exact(level))
            sides[level > 0].append((number, ZERO, number))
        if not all(sides):
            return None
        above, below = (tuple(zip(*side, strict=True)) for side in sides)
        growth = around_all(above[1]) - around_all(below[1])
        value, here = (divided(sum_of(above[at]), sum_of(below[at])) for at in (0, 2))
        return Growth(Span(value.low, value.high, grown.value.total, value.exact), growth, here, grown.growths)

    def contracted(self, spans: list[Span], target: Span) -> Span | None:
        """Return the part of a box in which the result may lie in a target; None where it cannot."""
        result = self.program.result
        met = spans[result].meet(target)
        swept = None if met is None else self.swept([*spans[:result], met, *spans[result + 1 :]], spans)
        return None if swept is None else swept[self.place]

    def is_continuous(self, spans: list[Span]) -> bool:
        """Whether the result has a value and no jump all over a box with these bounds."""
        return spans[self.program.result].total and not self.may_jump(spans)

    def may_jump(self, spans: list[Span]) -> bool:
        """Whether some operation may jump in a box with these bounds."""
        return any(operation.entry.jumps(spans[place], operation.taken(spans)) for place, operation in self.varying)

    def precise(self, low: Number, high: Number, bits: int, level: Number = 0) -> Any:
        """Return the result less a level over a box as an interval of mpmath with a number of bits.

        Raises:
            NoValueError: the formula has no value anywhere in it.
            ArithmeticError, ValueError: a bound cannot be computed.
        """
        with precision(bits):
            return self.precisely(((low, high),), bits)[self.program.result] - interval_of(level)

    def to_bits(self, low: Number, high: Number, bits: int) -> tuple[Span, bool]:
        """Return bounds of the result over a box to a number of bits, and whether it is proven to have one value there.

        It has where all that varies goes through roundings and comparisons that give one number.

        Raises:
            NoValueError: the formula has no value anywhere in it.
            ArithmeticError, ValueError: a bound cannot be computed.
        """
        result, varies = self.program.result, {self.place}
        values = self.precisely(((low, high),), bits)
        for place, operation in self.varying if self.stepped else ():
            least, most = values[place]._mpi_  # the only way to its ends
            if least != most and not varies.isdisjoint(operation.terms):
                varies.add(place)
        return Span(*ends_of(values[result])), self.stepped and result not in varies


def stay_ratios(values: list[Any], operations: Iterable[tuple[int, Operation]]) -> bool:
    """Add the values of operations on ratios, and return whether all of them are ratios."""
    try:
        for place, operation in operations:
            value = values[place] = operation.entry.exact(*operation.taken(values))
            if isinstance(value, float) or is_long(value):
                return False
    except (ArithmeticError, ValueError):
        return False
    return True


def _in_floats(span: Any) -> Any:
    """Return bounds as floats, as ratios get ever longer, unless these hide a sign."""
    floats = in_floats(span) if isinstance(span, Span) else span
    return span if floats is span or (floats.low > 0, floats.high < 0) != (span.low > 0, span.high < 0) else floats


def _as_ratio(number: Any) -> Any:
    return Fraction(number) if isinstance(number, float) and math.isfinite(number) else number
