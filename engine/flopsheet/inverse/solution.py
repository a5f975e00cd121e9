"""The values of an unknown that meet one condition, with how they were found, and those that meet several together.

And what they are in closed form: layers are undone and roots taken as on numbers, but on symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from flopsheet.budget import is_over
from flopsheet.formulas.evaluate import Values, value_or_none
from flopsheet.formulas.trees import depends, factored, irrational_parts, too_large
from flopsheet.functions import entry_of
from flopsheet.functions.symbols import exact
from flopsheet.inverse.method import Method, Proof
from flopsheet.numbers.arithmetic import is_long, near_whole
from flopsheet.numbers.members import hulls, listed
from flopsheet.numbers.polynomials import product, total, trimmed
from flopsheet.numbers.progressions import MOST_TRIED, Progression
from flopsheet.numbers.sets import (
    EMPTY,
    Interval,
    RealSet,
    complement,
    meet,
    meet_all,
    meet_near,
    point,
    union,
    whole_ends,
)
from flopsheet.search.grid import LARGEST
from flopsheet.session import cached
from flopsheet.tolerances import SMALLEST_SIZE
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flopsheet.functions import Expr
    from flopsheet.units import Number


HIGHEST_FORM = 2
LARGEST_FORM, LARGEST_CORE, MOST_FORMS = 400, 200, 16
MOST_PARTS = 12  # more would take long, each of them a search
SEARCHED = (Interval(-LARGEST, -SMALLEST_SIZE), Interval(SMALLEST_SIZE, LARGEST))


@dataclass(frozen=True)
class Segment:
    """One layer of a chain: an expression, and the one cell in it that depends on the unknown, or is it."""

    expression: Expr
    symbol: Expr


@dataclass(frozen=True)
class Solution:
    """All values of an unknown that meet a condition.

    Args:
        values: the set, in base units.
        how: the method that took most effort.
        segments: the layers that were inverted, from the relation down to the unknown.
        right: what the outermost layer is compared with.
        open: where more values may lie: what a search did not decide.
        progressions: more values, too many to list.
    """

    values: RealSet
    how: Method
    segments: tuple[Segment, ...] = ()
    right: Expr = None
    open: RealSet = EMPTY
    progressions: tuple[Progression, ...] = ()

    @property
    def around(self) -> RealSet:
        """The values, and the intervals in which those lie that are too many to list."""
        return union(self.values, hulls(self.progressions)) if self.progressions else self.values

    @property
    def listed(self) -> Solution:
        """The same with the first values of each progression, open where the others lie."""
        begun = [progression.begin for progression in self.progressions]
        values = union(self.values, listed(begun))
        opened = meet(hulls(self.progressions), complement(hulls(begun)))
        return replace(self, values=values, open=union(self.open, opened), progressions=())

    def is_met(self, domain: Interval, *, whole: bool) -> bool:
        """Whether all values are known, and one lies off the ends of a domain, an integer where it has to be."""
        runs = map(whole_ends, self.values) if whole else ((part.lower, part.upper) for part in self.values)
        ends = {end for end, _ in domain.ends}
        return not self.open and any(first < last or (first == last and first not in ends) for first, last in runs)

    @property
    def proof(self) -> Proof:
        """How sure it is that these are the values, and all of them."""
        if self.open:
            return Proof.OPEN
        return Proof.PROVEN if self.how in (Method.SEARCH, Method.TRIAL) else Proof.EXACT

    @cached_property
    def ends(self) -> frozenset[Number]:
        """The ends of the set; floats within rounding of a whole number are that number."""
        return frozenset(near_whole(end) for interval in self.values for end, _ in interval.ends)

    @cached_property
    def forms(self) -> tuple[Expr, ...]:
        """What the ends of the set may be, as expressions over the other cells."""
        return closed_forms(self.segments, self.right) if self.segments else ()

    def form_at(self, end: Number, values: Values) -> Expr | None:
        """Return the form that gives an end of the set at these values, or None."""
        for form in self.forms:
            value = value_or_none(form, values)
            if value is not None and close(value, end):
                return form
        return None


def refined(solution: Solution, decided: Callable[[Interval], Solution | None]) -> Solution:
    """Return a solution with what a method decides in the parts that are open, if these are few and there is time."""
    if len(solution.open) > MOST_PARTS:
        return solution
    left, more = list[Interval](), list[Solution]()
    for part in solution.open:
        inside = decided(part) if meet((part,), SEARCHED) and not is_over() else None
        left += [part] if inside is None else inside.open
        more += [] if inside is None else [inside]
    values = union(solution.values, *(inside.values for inside in more))
    progressions = solution.progressions + tuple(whole for inside in more for whole in inside.progressions)
    return replace(solution, values=values, open=union(tuple(left)), progressions=progressions)


class Remaining(NamedTuple):
    """Values that meet conditions, and where more may lie."""

    values: RealSet
    progressions: tuple[Progression, ...] = ()  # values that are too many to list
    open: RealSet = EMPTY


def combined(domain: Interval, solutions: Sequence[Solution]) -> Remaining:
    """Return the numbers of a domain that meet all conditions, with the first members of each progression listed."""
    if not any(solution.progressions for solution in solutions):
        values = meet_all([(domain,), *(solution.values for solution in solutions)])
        return Remaining(values, open=_undecided(domain, solutions, values))
    left = reduce(_both, solutions, Remaining((domain,)))
    values = union(left.values, listed(whole.begin for whole in left.progressions))
    many = tuple(whole for whole in left.progressions if whole.begin is not whole)
    return Remaining(values, many, union(left.open, _undecided(domain, solutions, values)))


def _undecided(domain: Interval, parts: Sequence[Solution], values: RealSet) -> RealSet:
    """Return where a condition is not decided and no other one excludes the numbers."""
    if not any(part.open for part in parts):
        return EMPTY
    possible = meet_all([(domain,), *(union(part.around, part.open) for part in parts)])
    return meet(meet_near(union(*(part.open for part in parts)), possible), complement(values))


def _both(left: Remaining, right: Solution) -> Remaining:
    """Return what meets two conditions; what neither of them leaves open."""
    values = [meet_near(left.values, right.values), *_members(left, right), *_members(right, left)]
    progressions, opened = [*_cut(left, right), *_cut(right, left)], left.open
    for one in left.progressions:
        for other in right.progressions:
            common = one.meet(other)
            if common is not None:
                progressions += common
            elif min(one.count, other.count) <= MOST_TRIED:
                few, many = sorted((one, other), key=lambda part: part.count)
                values += [point(number) for number in few.numbers() if number in many]
            else:
                opened = union(opened, meet((one.hull,), (other.hull,)))
    return Remaining(union(*values), tuple(progressions), opened)


def _members(left: Remaining | Solution, right: Remaining | Solution) -> Iterator[RealSet]:
    """Yield the single values of one side that are members of the other's progressions."""
    for part in left.values if right.progressions else ():
        if part.is_point and any(part.lower in progression for progression in right.progressions):
            yield (part,)


def _cut(left: Remaining | Solution, right: Remaining | Solution) -> Iterable[Progression]:
    """Return the members of one side's progressions in the ranges of the other."""
    ranges = [part for part in right.values if not part.is_point] if left.progressions else ()
    return [part for whole in left.progressions for interval in ranges for part in whole.within(interval)]


@cached(maxsize=4096)
def closed_forms(segments: tuple[Segment, ...], right: Expr) -> tuple[Expr, ...]:
    """Return what the unknown may be where the outermost segment equals `right`, over the other cells.

    Several where even powers or quadratics have several roots; none where a layer has no inverse, where the unknown
    occurs several times outside a polynomial of degree 2 at most, or where the form is too long to read.
    """
    rights: tuple[Expr, ...] = (right,)
    for segment in segments:
        rights = tuple(form for level in rights for form in boundary_forms(segment.expression, segment.symbol, level))
        if not rights or len(rights) > MOST_FORMS or any(map(_is_unreadable, rights)):
            return ()
    return rights


def _is_unreadable(form: Expr) -> bool:
    """Whether a form is too long to read, or has a number of too many digits: these double in a chain of squares.

    Of an exponential of an exponential of a number, sympy would compute all digits to tell its sign.
    """
    towers = (power.is_number and power.args[0].has(sympy.exp) for power in form.atoms(sympy.exp))
    digits = (is_long(exact(number)) for number in form.atoms(sympy.Rational))
    return too_large(form, LARGEST_FORM) or any(towers) or any(digits)


def boundary_forms(expression: Expr, unknown: Expr, right: Expr) -> tuple[Expr, ...]:
    """Return the solutions of `expression = right` for the unknown as expressions over the other cells."""
    core, rights = unwrapped(expression, unknown, right)
    if core == unknown:
        return rights
    if too_large(core, LARGEST_CORE):
        return ()
    return tuple(form for level in rights for form in root_forms(coefficients(core - level, unknown, HIGHEST_FORM)))


def unwrapped(expression: Expr, unknown: Expr, right: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """Undo the layers around the innermost part that contains every occurrence of the unknown.

    With that part, return what it must equal: several behind even powers, none behind a layer without inverse.
    """
    rights: tuple[Expr, ...] = (right,)
    while expression != unknown:
        inside = [arg for arg in expression.args if depends(arg, unknown)]
        if len(inside) != 1:
            break
        entry, place = entry_of(expression), expression.args.index(inside[0])
        rights = tuple(form for level in rights for form in entry.forms(expression, place, level))
        expression = inside[0]
        if not rights:
            break
    return expression, rights


@cached(maxsize=4096)
def coefficients(difference: Expr, unknown: Expr, highest: int) -> tuple[Expr, ...] | None:
    """Return the coefficients of the numerator of a rational expression, constant first.

    None where it is not a polynomial in the unknown, or is of a higher degree.
    """
    if irrational_parts(difference, unknown):
        return None
    powers = _collected(sympy.fraction(sympy.together(difference))[0], unknown, highest)
    return None if powers is None else tuple(map(factored, trimmed(powers)))


def _collected(expression: Expr, unknown: Expr, highest: int) -> tuple[Expr, ...] | None:
    """Collect powers of the unknown; sympy's Poly simplifies its coefficients, for which there is no bound on time."""
    if not depends(expression, unknown):
        return (expression,)
    if expression == unknown:
        return sympy.Integer(0), sympy.Integer(1)
    factors = [expression.base] * int(expression.exp) if _is_low_power(expression, highest) else expression.args
    if not (expression.is_Add or expression.is_Mul or _is_low_power(expression, highest)):
        return None
    terms: list[Any] = [_collected(factor, unknown, highest) for factor in factors]
    if any(term is None for term in terms):
        return None
    powers = reduce(total if expression.is_Add else product, terms)
    return powers if len(powers) <= highest + 1 else None


def _is_low_power(expression: Expr, highest: int) -> bool:
    return bool(expression.is_Pow and expression.exp.is_Integer and 0 < expression.exp <= highest)


def root_forms(polynomial: tuple[Expr, ...] | None) -> tuple[Expr, ...]:
    """Return the roots of a polynomial of degree 2 at most, constant coefficient first, on symbols.

    Of degree 2 also the root that remains where the leading coefficient vanishes.
    """
    match polynomial:
        case [constant, slope]:
            return (-constant / slope,)
        case [constant, slope, bend]:
            root = sympy.sqrt(slope**2 - 4 * bend * constant)
            linear = (-constant / slope,) if slope != 0 else ()
            return ((root - slope) / (2 * bend), (-root - slope) / (2 * bend), *linear)
    return ()
