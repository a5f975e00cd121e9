"""Formulas with one rounding: its steps cut them into teeth, each of which may meet a level.

Where the rounding has the value n, the formula meets the level if n is some function of the unknown. So the level is
met where that function is an integer and the rounding has this value: at most once in each tooth where it rises or
falls. Thousands of such values are a progression along a curve.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.trees import put_in, too_large
from flopsheet.functions import Trait, entry_of, has_no_value, nodes, symbol
from flopsheet.functions.spec import NoInverseError
from flopsheet.functions.symbols import symbols_in
from flopsheet.inverse.method import Method
from flopsheet.inverse.rational import STEP
from flopsheet.inverse.solution import LARGEST_CORE, Solution, coefficients
from flopsheet.inverse.step_numbers import LEVEL
from flopsheet.inverse.tested_ends import meets_nearly
from flopsheet.numbers.arithmetic import near_whole, short_ratio
from flopsheet.numbers.many_digits import PRECISION, ends_of
from flopsheet.numbers.members import listed, trimmed
from flopsheet.numbers.progressions import MOST_LISTED, WHOLE
from flopsheet.numbers.sets import ALL, EMPTY, Interval, complement, point, union, whole_ends
from flopsheet.numbers.spans import around
from flopsheet.search.grid import REALS
from flopsheet.search.known import Known
from flopsheet.search.points import Points
from flopsheet.search.pruning import Pruning
from flopsheet.session import cached
from flopsheet.tolerances import STEEP, STEP_NUMBER
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.formulas.links import Links
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.progressions import Curve, Progression
    from flopsheet.numbers.sets import RealSet
    from flopsheet.numbers.spans import Span
    from flopsheet.search.field import Field
    from flopsheet.units import Number

MOST_TESTED = 500  # integers
TRIMMED = 3  # members that are tried to trim a progression: its ends, and one between
MOST_BOXES = 100  # that an interval is split into, to find where a formula rises


class Teeth(NamedTuple):
    """An expression with one rounding, at `LEVEL`; all of these are expressions over cells."""

    node: Expr  # the rounding
    number: Expr  # what it must be
    beyond: Expr  # by how much its argument is above that, as a multiple of it: what grows alike cancels
    at_zero: Expr  # the expression where it is zero, less the level
    constant: Expr  # where this is zero, any number may do


@cached(maxsize=512)
def teeth(links: Links, expression: Expr) -> Teeth | None:
    """Return an expression as teeth; None where it has not one rounding, or is not linear in that or its reciprocal."""
    roundings = {
        node
        for part in links.parts(expression)
        for node in part.atoms(*nodes(Trait.STEPPED))
        if not links.symbols.isdisjoint(symbols_in(node))
    }
    if len(roundings) != 1:
        return None
    (node,) = roundings
    parts: dict[Expr, Expr] = {node: STEP}
    for name in links.needed(expression):
        formula = put_in(links.formulas[name], parts)
        if formula.has(STEP):
            parts[symbol(name)] = formula
    expression = put_in(expression, parts)
    terms = None if too_large(expression, LARGEST_CORE) else coefficients(expression - LEVEL, STEP, 1)
    if terms is None or len(terms) != 2:
        return None
    constant, slope = terms
    number = -constant / slope
    beyond = number * (node.args[0] / number - 1)
    return Teeth(node, number, beyond, put_in(expression, {STEP: sympy.Integer(0)}) - LEVEL, constant)


def by_teeth(chain: Chain, expression: Expr, target: RealSet) -> Solution | None:
    """Return where an expression with one rounding is at a level; None where there is no such rounding or level."""
    found = teeth(chain.links, expression)
    if found is None or len(target) != 1 or not target[0].is_point or not target[0].lower:
        return None
    values = {**chain.values, LEVEL.name: target[0].lower}
    levelled = replace(chain, values=values, integer=False, known=Known())
    try:
        return _Sawtooth(levelled, found).solution(chain, expression, target)
    except NoInverseError:
        return None


class _Sawtooth:
    """Where an expression with one rounding is at a level, which is a value of the chain."""

    def __init__(self, chain: Chain, teeth: Teeth) -> None:
        self.chain, self.teeth = chain, teeth
        self.open: RealSet = EMPTY

    def solution(self, chain: Chain, expression: Expr, target: RealSet) -> Solution:
        """Return the solution; raise NoInverseError where any value, or zero, of the rounding meets the level."""
        node, number = self.teeth.node, self.teeth.number
        (argument,), rounding, domain = node.args, entry_of(node), (chain.domain,)
        if chain.links.symbols.isdisjoint(symbols_in(number)):
            value = near_whole(evaluate(number, self.chain.values))
            steps = rounding.preimage(node, 0, point(value), None) if value == int(value) else EMPTY
            return Solution(self._inside(argument, steps, domain), Method.SEARCH, open=self.open)
        for vanishing in (self.teeth.constant, self.teeth.at_zero):
            if not has_no_value(vanishing) and (self._inside(vanishing, point(0), domain) or self.open):
                raise NoInverseError
        steps = rounding.preimage(node, 0, point(0), None)
        region = self._inside(self.teeth.beyond, steps, self._inside(argument, complement(steps), domain))
        if chain.integer:
            met = partial(meets_nearly, chain, expression=expression, target=target)
            return Solution(self._wholes(region, met), Method.SEARCH, open=self.open)
        progressions = [part for interval in region for part in self._members(interval)]
        few = [part for part in progressions if part.count <= MOST_LISTED]
        many = tuple(part for part in progressions if part not in few)
        return Solution(listed(few), Method.SEARCH, open=self.open, progressions=many)

    def _inside(self, expression: Expr, target: RealSet, domain: RealSet) -> RealSet:
        """Return where in a domain an expression lies in a target."""
        solutions = [replace(self.chain, domain=within).within(expression, target) for within in domain]
        if any(solution is None or solution.progressions for solution in solutions):
            raise NoInverseError
        self.open = union(self.open, *(solution.open for solution in solutions if solution is not None))
        return union(*(solution.values for solution in solutions if solution is not None))

    def _wholes(self, region: RealSet, met: Callable[[Number], bool]) -> RealSet:
        """Return the integers of a region at which the level is met; where they are too many, all is open."""
        numbers: list[int] = []
        field = self.chain.field(self.teeth.number)
        for interval in region:
            if not _holds_integer(field.bounds(around(interval.lower, interval.upper))):
                continue
            first, last = whole_ends(interval)
            if not last - first < MOST_TESTED:
                self.open = union(self.open, (interval,))
            else:
                numbers += range(int(first), int(last) + 1)
        return union(*(point(number) for number in numbers if met(number)))

    def _members(self, interval: Interval) -> Iterator[Progression]:
        """Yield the numbers of an interval at which the number of the step is an integer."""
        curves, opened = rises(self.chain.field(self.teeth.number), interval, _holds_integer)
        self.open = union(self.open, opened)
        for curve in curves:
            low, high = curve.values
            if not is_finite(high - low):  # beyond what floats hold
                self.open = union(self.open, (curve.interval,))
                continue
            off = STEP_NUMBER * max(abs(low), abs(high))
            if curve.is_rough:  # which integers it passes is not known
                lower, upper = float(curve.interval.lower), float(curve.interval.upper)
                beside = Interval(math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf))
                self.open = union(self.open, (beside.meet(self.chain.domain),))
                continue
            first, last = math.ceil(low - off), math.floor(high + off)
            if first <= last:
                whole = replace(WHOLE, first=first, last=last, rounded=True, curve=curve)
                members = trimmed(whole, partial(self._is_in_tooth, curve))
                if members is None and whole.count > TRIMMED:  # not all were tried
                    self.open = union(self.open, (curve.interval,))
                yield from [] if members is None else [members]

    def _is_in_tooth(self, curve: Curve, step: int) -> bool:
        """Whether the rounding has a value at the float, or the short ratio, at which the formula asks for it."""
        at = curve.at(step)
        value, ratio = curve.of(at), short_ratio(at)
        if value is None or not close(value, step):
            return False
        return step in self._rounded(at) or (ratio is not None and step in self._rounded(ratio))

    def _rounded(self, at: Number) -> tuple[Number, ...]:
        """Return what the rounding may give at a number, its argument computed with more digits."""
        (argument,), rounding = self.teeth.node.args, entry_of(self.teeth.node)
        try:
            ends = ends_of(self.chain.field(argument).precise(at, at, PRECISION))
        except (ArithmeticError, ValueError):
            return ()
        return tuple(rounding.exact(end) for end in ends)


def _holds_integer(span: Span) -> bool:
    if not is_finite(span.high - span.low):
        return True
    low, high = float(span.low), float(span.high)
    off = STEP_NUMBER * max(abs(low), abs(high))
    return math.floor(high + off) >= low - off


@dataclass(frozen=True)
class Rise:
    """A formula over an interval with finite ends in which it is continuous, and rises or falls."""

    field: Field
    interval: Interval
    rises: bool

    def of(self, value: Number) -> Number | None:
        """Return the formula at a number; None beyond the interval."""
        return self.field.value(value) if self.interval.lower <= value <= self.interval.upper else None

    def at(self, level: Number) -> Number:
        """Return the number at which the formula has a value, or the end of the interval next to it."""
        low, high = float(self.interval.lower), float(self.interval.upper)
        if self._is_past(low, level) or not self._is_past(high, level):
            return low if self._is_past(low, level) else high
        points = Points(self.field, ALL, REALS)
        ends = points.bisected(low, high, level, lambda at: self._is_past(at, level))
        return min(ends, key=lambda at: abs(self.field.gap(at, level)))

    @property
    def is_rough(self) -> bool:
        """Whether digits are lost at an end, or it is so steep there that the next float has another value."""
        return any(map(self._is_rough_at, (self.interval.lower, self.interval.upper)))

    def _is_rough_at(self, end: Number) -> bool:
        at = float(end)
        span = self.field.bounds(around(math.nextafter(at, -math.inf), math.nextafter(at, math.inf)))
        return not span.high - span.low <= STEEP * max(1, size(span.low), size(span.high))

    def _is_past(self, at: Number, level: Number) -> bool:
        gap = self.field.gap(at, level)
        return gap >= 0 if self.rises else gap <= 0

    @property
    def values(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        ends = [self.field.gap(end, 0) for end in (self.interval.lower, self.interval.upper)]
        return (ends[0], ends[1]) if self.rises else (ends[1], ends[0])


def rises(field: Field, interval: Interval, matters: Callable[[Span], bool]) -> tuple[list[Rise], RealSet]:
    """Return the parts of an interval in which a formula rises, or falls; and where that is not known.

    Numbers whose bounds of the formula do not matter are left out next to a turn.
    """
    pruning, grid = Pruning(field, ALL, REALS), REALS
    found, opened = list[Rise](), list[Interval]()
    waiting = deque([(float(interval.lower), float(interval.upper))])
    if not all(map(is_finite, waiting[0])):
        return [], (interval,)
    for _ in range(MOST_BOXES):
        if not waiting:
            break
        low, high = waiting.popleft()
        way = pruning.way(low, high)
        if way is not None:
            found.append(Rise(field, Interval(low, high), way))
        elif matters(field.bounds(grid.span(low, high))):
            parts = grid.split(low, high)
            waiting += parts or []
            opened += [] if parts else [Interval(low, high)]
    found.sort(key=lambda part: part.interval.lower)
    return _joined(found), union(tuple(opened), tuple(Interval(*box) for box in waiting))


def _joined(parts: list[Rise]) -> list[Rise]:
    """Return neighbours of one direction as one."""
    joined: list[Rise] = []
    for part in parts:
        if joined and joined[-1].interval.upper == part.interval.lower and joined[-1].rises == part.rises:
            part = Rise(part.field, Interval(joined.pop().interval.lower, part.interval.upper), part.rises)  # noqa: PLW2901
        joined.append(part)
    return joined
