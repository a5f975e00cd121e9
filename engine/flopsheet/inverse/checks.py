"""A solution that inversion found, checked for what rounding may have lost, moved, or put beyond an end."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.formulas.evaluate import evaluate
from flopsheet.functions import Trait, nodes
from flopsheet.inverse.inversion import INEXACT, Inversion
from flopsheet.inverse.method import Method
from flopsheet.inverse.printed import plateau
from flopsheet.inverse.tested_ends import meets_nearly, tested
from flopsheet.numbers.ends import closed_ends, copied, eased, is_copy_of_one, short_ratios
from flopsheet.numbers.many_digits import Irrational
from flopsheet.numbers.members import three_inside
from flopsheet.numbers.samples import grid
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, complement, is_in, meet, point, union, whole_ends, widened
from flopsheet.search.grid import REALS
from flopsheet.search.one_unknown import Search
from flopsheet.search.points import Points
from flopsheet.search.sharpened import MOST_STEPS, at_jump, nearest_roots, sharpened, stands_for
from flopsheet.tolerances import BESIDE_SPOT, DIGITS_LOST, HARDLY, ROUNDING
from flopsheet.units import close, is_finite, size

if TYPE_CHECKING:
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.inverse.solution import Solution
    from flopsheet.search.field import Field
    from flopsheet.units import Number

MOST_TESTED = 200  # single values
FEW_WHOLES = 8  # numbers in a range within rounding that are each tested
MOST_AGAIN = 64  # parts that a search leaves open
MOST_SAMPLES = 16  # at which a plateau is looked for that is within rounding of a level


def certain(chain: Chain, found: tuple[Solution | None, Inversion], gap: Expr, target: RealSet) -> Solution | None:
    """Return what inversion found at a rounded level if no value is lost or found by its rounding; else None.

    Its ends are moved to where the gap to the level, which has all digits of it, enters the target.
    """
    solution, inversion = found
    if solution is None or not inversion.is_certain:
        return None
    known = to_last_digits(chain, solution, gap, target)
    return tested(chain, known, gap, target)


def may_lose(chain: Chain, solution: Solution, expression: Expr, target: RealSet) -> bool:
    """Whether rounding may put a value beyond an end of the domain, or far from the one that it stands for."""
    if solution.progressions or len(target) != 1 or not target[0].is_point:
        return False
    if solution.how is Method.PERIOD and solution.values:
        return False  # a period next to the domain is looked at too
    if not chain.is_rounded(expression, target):
        return False
    ends = [end for end in closed_ends((chain.domain,)) if not is_in(end, solution.values)]
    if not solution.values or any(meets_nearly(chain, end, expression, target) for end in ends):
        return True
    spots = [part.lower for part in solution.values if isinstance(part.lower, float) and part.is_point]
    return any(_is_flat_at(chain, spot, expression) for spot in spots[:MOST_TESTED])


def is_proven(
    chain: Chain, solution: Solution, expression: Expr, target: RealSet, inversion: Inversion | None = None
) -> bool:
    """Whether each single value meets the condition; only exact steps prove that no value does."""
    if inversion is not None and (inversion.is_certain or inversion.is_near):
        return True
    exact = inversion.exact if inversion else chain.is_given_exactly(expression, target)
    points = [part.at(part.some) for part in solution.progressions]
    points += [part.lower for part in solution.values if part.is_point][: MOST_TESTED - len(points)]
    known, rounded = (*solution.values, *solution.open), copied(target, target)
    if rounded and not exact and misses(chain, known, chain.field(expression), rounded):
        return False  # it may be constant but for its last digits, and within rounding of a level
    if not solution.values and not points:
        return exact or bool(solution.open) or solution.how in (Method.CONSTANT, Method.DIVISORS)
    return all(meets_nearly(chain, at, expression, target) for at in points)


def misses(chain: Chain, known: RealSet, field: Field, rounded: RealSet) -> bool:
    """Whether a formula has a level within rounding at one of some numbers that are not known to give it."""
    numbers = grid(chain.domain)
    tried = (*numbers[:: max(1, len(numbers) // MOST_SAMPLES)], *numbers[-1:]) if rounded else ()
    values = (field.value(at) for at in tried if at in chain.domain and not is_in(at, known))
    return any(value is not None and is_in(value, rounded) for value in values)


def is_stable(chain: Chain, solution: Solution, expression: Expr, target: RealSet, right: Expr) -> bool:
    """Whether rounding in each layer changes the ends of ranges by little, and their number not at all.

    Where all numbers are exact, digits may be lost that are given: those beside the 1 of `log(1 + x) <= 1e-20`, say.
    """
    if chain.integer or all(part.is_point for part in target) or not chain.computes_floats(expression):
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
    steps = 1 if chain.links.has(expression, INEXACT) else MOST_STEPS  # exponentials enlarge what rounding did
    values = sharpened(solution.values, chain.domain, points.meets, solution.open)
    values = nearest_roots(values, chain.domain, points, steps)
    return solution if values is solution.values else replace(solution, values=values)


def met_only(chain: Chain, solution: Solution, expression: Expr, target: RealSet) -> Solution:
    """Return a solution without single values that miss a condition, as floats next to a pole may."""
    points = Points(chain.field(expression), target, REALS)
    values = solution.values if chain.integer else nearest_roots(solution.values, chain.domain, points, 1)

    def is_met(at: Number) -> bool:
        return meets_nearly(chain, at, expression, target) or (isinstance(at, float) and points.passes_at(at))

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
    values = tuple(part for part in values if part.is_point or meets_nearly(chain, part.inside(), expression, target))
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
    if chain.integer and (wholes := _wholes_in(part)):  # each is tested, as rounding may reach several
        return union(known, *map(point, wholes))
    spots = [end for end, _ in chain.domain.ends if end in part]
    spots += [end for end in whole_ends(part) if chain.integer and end in part]
    spots += short_ratios(part)
    return point(spots[0]) if spots else known or point(float(part.inside()))


def _wholes_in(part: Interval) -> range:
    """Return the whole numbers in a range, none where these are more than a few."""
    first, last = whole_ends(part)
    return range(int(first), int(last) + 1) if last - first < FEW_WHOLES else range(0)


def where_defined(chain: Chain, solution: Solution, condition: Relation) -> Solution:
    """Return a solution without the values at which a cell on the way has none, though formulas put together have one.

    Of parts where that is not known, all is open.
    """
    for part, allowed in chain.links.lost(condition.one_sided(chain.links.symbols)[0]):
        if not meet((chain.domains.of(part),), complement(allowed)):
            continue
        spots = _spots_within(chain, solution, part, allowed)
        if spots is not None:
            solution = replace(solution, values=spots)
            continue
        inside = chain.within(part, allowed)
        values = EMPTY if inside is None else inside.values
        undecided = (chain.domain,) if inside is None else inside.open
        opened = union(meet(solution.open, union(values, undecided)), meet(solution.values, undecided))
        solution = replace(solution, values=meet(solution.values, values), open=opened)
    return solution


def with_jumps(chain: Chain, solution: Solution, condition: Relation) -> Solution:
    """Return a solution with the places at which a formula jumps to a level, but for the rounding of what was printed.

    Away from a jump such a level is met beside the place that gives it; at one, on neither side of it. Elsewhere the
    number that was printed is not met, as the solution proves.
    """
    is_all = solution.how is Method.SEARCH and not solution.open and bool(solution.values)
    if not condition.is_equation or chain.integer or not is_all:
        return solution
    expression, _, right = condition.one_sided(chain.links.symbols)
    if not chain.links.has(expression, nodes(Trait.JUMPS)):
        return solution
    level = evaluate(right, chain.values)
    is_printed = condition.is_decimal or condition.may_be_printed
    target = point(float(level) if is_printed else level)
    rounded = copied(target, target)
    if isinstance(level, Irrational) or not rounded:
        return solution
    field = chain.field(expression)
    cover = Search(field, rounded, REALS).over(chain.domain)
    again = [Search(field, rounded, REALS).over(part) for part in cover.open[:MOST_AGAIN]]
    narrow = [part for own in (cover, *again) for part in own.values if close(part.lower, part.upper)]
    jumps = [(part, jump) for part in narrow for jump in at_jump(part, field)]
    kept = (own for own in solution.values if not (own.is_point and stands_for(own.lower, jumps, field, level)))
    return replace(solution, values=union(tuple(kept), tuple(jump for _, jump in jumps)))


def _spots_within(chain: Chain, solution: Solution, part: Expr, allowed: RealSet) -> RealSet | None:
    """Return those of few single values at which a part is in a set; None for others, or where digits do not tell."""
    values = solution.values
    if solution.open or solution.progressions or len(values) > MOST_TESTED or not all(own.is_point for own in values):
        return None
    points = Points(chain.field(part), allowed, REALS)
    kept = tuple(own for own in values if points.meets(own.lower))
    is_sure = all(own.lower not in points.unsure and own.lower not in points.unknown for own in values)
    return kept if is_sure else None


def with_plateaus(chain: Chain, values: RealSet, loose: RealSet, expression: Expr, target: RealSet) -> RealSet:
    """Return a set with the plateaus of a wider one that only rounding keeps from a closed end of the target."""
    ends = closed_ends(target)

    def is_met(part: Interval) -> bool:
        return is_copy_of_one(plateau(chain, part, expression), ends)

    return union(values, *((part,) for part in meet(loose, complement(values)) if is_met(part)))


def at_domain_end(part: Interval, domain: Interval, field: Field) -> RealSet:
    """Return a closed end of the domain in place of the numbers beside it that give a level within rounding too."""
    ends = [end for end, closed in domain.ends if closed and end in part]
    if part.is_point or len(ends) != 1 or not close(part.lower, part.upper):
        return (part,)
    return (part,) if field.value(part.lower) == field.value(part.upper) else point(ends[0])


def plateaus_beside(near: RealSet, known: RealSet, field: Field) -> RealSet:
    """Return the plateaus of what is met within rounding, together with what is known of each."""
    rest = complement(known)
    wider = (part for part in union(near, known) if meet((part,), rest))
    return tuple(part for part in wider if _is_beside(part, known, field))


def _is_beside(part: Interval, known: RealSet, field: Field) -> bool:
    """Whether numbers that give a level within rounding are others than those next to a root, or a plateau with it."""
    if part.is_point or close(part.lower, part.upper):
        return part.is_point
    is_wide = 2 * part.lower < part.upper if part.lower >= 0 else part.lower < 2 * part.upper <= 0
    return is_wide or not meet((part,), known) or len({field.value(at) for at in three_inside(part)}) == 1
