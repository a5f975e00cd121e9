"""Inversion of a chain of cells, one after the other, from a relation down to the unknown."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import sympy

from flopsheet import budget
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.links import LARGEST_SEGMENT, has_function
from flopsheet.formulas.trees import put_in, symbol_names, too_large
from flopsheet.functions import Trait, nodes, symbol
from flopsheet.functions.spec import NoInverseError
from flopsheet.inverse.method import Method, hardest
from flopsheet.inverse.preimage import Preimage
from flopsheet.inverse.solution import Segment, Solution
from flopsheet.inverse.step_numbers import where_in
from flopsheet.inverse.tested_ends import plateau
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.ends import copied, eased, near, short_ratios, with_room
from flopsheet.numbers.progressions import MOST_LISTED, hulls, listed
from flopsheet.numbers.sets import (
    EMPTY,
    Interval,
    RealSet,
    closed_ends,
    has_floats,
    is_in,
    meet,
    point,
    union,
    whole_ends,
    widened,
)
from flopsheet.search.grid import Reals
from flopsheet.search.points import Points, nearest_roots, sharpened
from flopsheet.session import cached
from flopsheet.tolerances import BESIDE_SPOT, DIGITS_LOST, HARDLY, ROUNDING
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.numbers.progressions import Progression
    from flopsheet.units import Number

MOST_PIECES, MOST_TESTED = 4000, 200


class Inversion:
    """Inverts one cell of a chain after the other, from the set in which the relation's expression lies to the unknown.

    `rounded` is by which share each layer widens ranges whose ends are floats. `exact` says whether every step was on
    exact numbers so far: then an empty set proves that there is no solution; `is_sharp`, whether none lost digits.
    """

    def __init__(self, chain: Chain, target: RealSet, *, rounded: float = 0) -> None:
        self.chain, self.target, self.rounded = chain, target, rounded
        self.exact = self.is_sharp = True
        self.is_given = False
        self.open: RealSet = EMPTY
        self.progressions: tuple[Progression, ...] = ()
        self.methods: list[Method] = []
        self.segments: list[Segment] = []

    def solution(self, expression: Expr, right: Expr) -> Solution | None:
        """Return the solutions, or None where no method applies; raise TimeoutError where none ends in time."""
        chain, asked, target = self.chain, expression, self.target
        self.is_given = chain.is_given_exactly(expression, target)
        while True:
            budget.check()
            cell, expression = chain.links.segment(expression)
            if cell is None:
                return None if expression is None else self._constant(expression, asked, target)
            if not self._inverts(cell, expression):
                if cell == chain.unknown:
                    return None
                expression = put_in(expression, {symbol(cell): chain.formulas[cell]})
                if too_large(expression, LARGEST_SEGMENT):
                    return None
            elif cell == chain.unknown:
                segments = tuple(self.segments)
                method = hardest(self.methods) if segments else Method.CONSTANT
                return self._solution(method, segments, right)
            else:
                expression = chain.formulas[cell]

    def _solution(self, method: Method, segments: tuple[Segment, ...], right: Expr) -> Solution:
        """Return what lies in the domain, of a count the integers, and single numbers for progressions of few."""
        domain, opened = self.chain.domain, self.open
        room = with_room(domain) if self.chain.integer else domain
        progressions = [part for whole in self.progressions for part in whole.within(domain)]
        if self.chain.integer and progressions:
            whole = [part.integers for part in progressions]
            opened = union(
                opened, hulls(part for part, integers in zip(progressions, whole, strict=True) if integers is None)
            )
            progressions = [part for integers in whole for part in integers or ()]
        few = [part for part in progressions if part.count <= MOST_LISTED]
        values = union(self.target, listed(few))
        more = tuple(part for part in progressions if part not in few)
        return Solution(meet(values, (room,)), method, segments, right, meet(opened, (domain,)), more)

    def _inverts(self, cell: str, expression: Expr) -> bool:
        """Replace the target of an expression by that of a cell in it; return whether this was possible."""
        chain = self.chain
        whole = chain.integer and cell == chain.unknown
        domain = partial(chain.domain_of, cell)
        preimage = Preimage(symbol(cell), domain, chain.values, integer=whole)
        preimage.rounded, preimage.looks, preimage.is_exact = self.rounded, chain.known.looks[cell], self.is_given
        try:
            values = preimage.of(expression, self.target)
        except NoInverseError:
            return False
        if len(values) > MOST_PIECES or any(is_long(end) for part in values for end, _ in part.ends):
            return False
        many = any(part.integers is None for part in preimage.progressions)
        if chain.integer and (preimage.open or many) and cell != chain.unknown:
            return False  # integers can be tested in the wider expression
        try:
            self._pass_through(preimage, expression)
        except NoInverseError:  # of what is open, or listed as a progression
            return False
        self.is_sharp &= preimage.is_sharp and not preimage.open
        self.exact = self.exact and not preimage.open and (preimage.is_sharp or self._is_exact(expression))
        self.target, self.open, self.progressions = values, preimage.open, preimage.progressions
        self.methods += preimage.methods
        self.segments.append(Segment(expression, symbol(cell)))
        return True

    def _pass_through(self, preimage: Preimage, expression: Expr) -> None:
        """Add to a preimage where an expression has the values that are too many to list, or may have more."""
        if not self.open and not self.progressions:
            return
        unknown, values = preimage.unknown, preimage.values
        through = [(whole, where_in(whole, expression, unknown, values)) for whole in self.progressions]
        opened = union(self.open, hulls(whole for whole, parts in through if parts is None))
        within = preimage.of(expression, opened)
        preimage.open = union(preimage.open, within)  # after `of`, which may leave more open
        preimage.take(part for _, parts in through for part in parts or ())

    def _constant(self, expression: Expr, asked: Expr, target: RealSet) -> Solution:
        """Return all or no values: the unknown has cancelled, and what was asked is a constant.

        What its layers leave of a level with few digits may be no more than its rounding, so it is compared itself too.
        """
        holds = near(evaluate(expression, self.chain.values), self.target)
        if not holds and self.segments:
            whole = self.chain.at_or_none(self.chain.domain.inside(), asked)
            holds = whole is not None and near(whole, target)
        return Solution((self.chain.domain,) if holds else EMPTY, Method.CONSTANT)

    @property
    def is_certain(self) -> bool:
        """Whether rounding neither found nor lost a value: it took part in last digits only, off the domain's ends."""
        ends, rounded = self.chain.domain.ends, [widened(part) for part in self.target if has_floats((part,))]
        return self.is_given and self.is_sharp and not any(end in part for part in rounded for end, _ in ends)

    def _is_exact(self, expression: Expr) -> bool:
        ends = [end for part in self.target for end, _ in part.ends if is_finite(end)]
        numbers = [*ends, *(self.chain.values.get(name) for name in symbol_names(expression))]
        inexact = has_function(expression, nodes(Trait.INEXACT))
        return not inexact and not any(isinstance(number, float) for number in numbers)


def may_lose(chain: Chain, solution: Solution, expression: Expr, target: RealSet) -> bool:
    """Whether rounding may put a value beyond an end of the domain, or far from the one that it stands for."""
    if solution.progressions or len(target) != 1 or not target[0].is_point:
        return False
    if solution.how is Method.PERIOD and solution.values:
        return False  # a period next to the domain is looked at too
    if not chain.is_rounded(expression, target):
        return False
    ends = [end for end in closed_ends((chain.domain,)) if not is_in(end, solution.values)]
    if not solution.values or any(chain.meets(end, expression, target) for end in ends):
        return True
    spots = [part.lower for part in solution.values if isinstance(part.lower, float) and part.is_point]
    return any(_is_flat_at(chain, spot, expression) for spot in spots[:MOST_TESTED])


def is_proven(
    chain: Chain, solution: Solution, expression: Expr, target: RealSet, inversion: Inversion | None = None
) -> bool:
    """Whether each single value meets the condition; only exact steps prove that no value does."""
    if inversion is not None and inversion.is_certain:
        return True
    exact = inversion.exact if inversion else chain.is_given_exactly(expression, target)
    points = [part.at(part.some) for part in solution.progressions]
    points += [part.lower for part in solution.values if part.is_point][: MOST_TESTED - len(points)]
    known, rounded = (*solution.values, *solution.open), copied(target, target)
    if rounded and not exact and chain.misses(known, chain.field(expression), rounded):
        return False  # it may be constant but for its last digits, and within rounding of a level
    if not solution.values and not points:
        return exact or bool(solution.open) or solution.how in (Method.CONSTANT, Method.DIVISORS)
    return all(chain.meets(at, expression, target) for at in points)


def is_stable(chain: Chain, solution: Solution, expression: Expr, target: RealSet, right: Expr) -> bool:
    """Whether rounding in each layer changes the ends of ranges by little, and their number not at all.

    Where all numbers are exact, digits may be lost that are given: those beside the 1 of `log(1 + x) <= 1e-20`, say.
    """
    if chain.integer or all(part.is_point for part in target) or not chain.links.computes_floats(expression):
        return True
    if not chain.is_given_exactly(expression, target):
        return True
    for share in (-ROUNDING, ROUNDING):
        other = Inversion(chain, target, rounded=share).solution(expression, right)
        if other is None or len(other.values) != len(solution.values):
            return False
        for part, moved in zip(solution.values, other.values, strict=True):
            if not (_are_near(part.lower, moved.lower) and _are_near(part.upper, moved.upper)):
                return False
    return True


def _are_near(end: Number, other: Number) -> bool:
    return end == other or (is_finite(end - other) and size(end - other) <= DIGITS_LOST * max(size(end), size(other)))


def to_last_digits(chain: Chain, solution: Solution, expression: Expr, target: RealSet) -> Solution:
    """Return a solution whose floats are next to where an expression passes an end of a target."""
    is_exact = all(part.is_point and not isinstance(part.lower, float) for part in solution.values)
    if chain.integer or is_exact:
        return solution
    points = Points(chain.field(expression), target, None)
    values = nearest_roots(sharpened(solution.values, chain.domain, points.meets), chain.domain, points)
    return solution if values is solution.values else replace(solution, values=values)


def met_only(chain: Chain, solution: Solution, expression: Expr, target: RealSet) -> Solution:
    """Return a solution without single values that miss a condition, as floats next to a pole may."""
    points = Points(chain.field(expression), target, Reals())
    values = solution.values if chain.integer else nearest_roots(solution.values, chain.domain, points, 1)

    def is_met(at: Number) -> bool:
        return chain.meets(at, expression, target) or (isinstance(at, float) and points.passes_at(at))

    missed = tuple(part for part in values if part.is_point and not is_met(part.lower))
    met = tuple(part for part in values if part not in missed)
    return replace(solution, values=met or values, open=union(solution.open, missed if met else EMPTY))


def _is_flat_at(chain: Chain, spot: float, expression: Expr) -> bool:
    """Whether an expression hardly changes beside a number, so that rounding moves the solution by more."""
    here, beside = chain.at_or_none(spot, expression), chain.at_or_none(spot * (1 + BESIDE_SPOT), expression)
    return here is None or beside is None or math.isclose(here, beside, rel_tol=HARDLY)


def within_rounding(chain: Chain, values: RealSet, expression: Expr, target: RealSet, right: Expr) -> RealSet | None:
    """Return values with those that only rounding puts beyond an end of a case or of the domain.

    None where there are no values, and no method tells what is within rounding.
    """
    within = Inversion(chain, eased(target)).solution(expression, right)
    if within is None:
        return values or None
    values = tuple(part for part in values if part.is_point or chain.meets(part.inside(), expression, target))
    around = union(tuple(map(widened, within.values)))
    others = tuple(part for part in values if not meet((part,), around))
    return union(others, *(_nearest_to(chain, part, values, expression) for part in within.values))


def _nearest_to(chain: Chain, part: Interval, values: RealSet, expression: Expr) -> RealSet:
    """Return what a range within rounding stands for: an end of the domain in it, its integer, or known values."""
    known = meet(values, (widened(part),))
    narrow = is_finite(part.lower) and is_finite(part.upper) and close(part.lower, part.upper)
    is_known = known and all(spot.is_point for spot in known)
    if not narrow and is_known and plateau(chain, part, expression) is not None:
        return (part,)
    if not narrow and not is_known:
        return known or (part,)
    spots = [end for end, _ in chain.domain.ends if end in part]
    spots += [end for end in whole_ends(part) if chain.integer and end in part]
    spots += short_ratios(part)
    return point(spots[0]) if spots else known or point(float(part.inside()))


def zeros_of_divisors(chain: Chain, expression: Expr) -> RealSet:
    """Return where a divisor on the way from the unknown to an expression is zero, as far as it can be inverted.

    A divisor may cancel when formulas are put together: `work/steps` with `work = steps*step_work`.
    """
    zeros = EMPTY
    for part in chain.links.parts(expression):
        for divisor in _divisors(part):
            if not chain.links.symbols.isdisjoint(divisor.free_symbols) and 0 in chain.bounded(divisor):
                solution = Inversion(chain, point(0)).solution(divisor, sympy.Integer(0))
                zeros = union(zeros, solution.values if solution else EMPTY)
    return zeros


@cached(maxsize=4096)
def _divisors(expression: Expr) -> tuple[Expr, ...]:
    powers = (power for power in expression.atoms(sympy.Pow) if power.exp.could_extract_minus_sign())
    return tuple(sorted((power.base for power in powers), key=str))
