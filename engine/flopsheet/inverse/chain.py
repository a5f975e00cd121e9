"""A chain of formulas from an unknown to a relation, inverted cell by cell.

Where a relation depends on the unknown through one cell only, that cell is inverted first, and then the chain behind
it: a thousand formulas in a row are a thousand small steps, never one large expression.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import sympy

from flopsheet import budget
from flopsheet.errors import TooLargeError
from flopsheet.formulas.evaluate import Values, evaluate
from flopsheet.formulas.links import Links, links
from flopsheet.functions import Trait, nodes
from flopsheet.functions.rounding import REMAINDER
from flopsheet.inverse import checks
from flopsheet.inverse.inversion import Inversion
from flopsheet.inverse.method import Method
from flopsheet.inverse.peel import without_layers
from flopsheet.inverse.sawtooth import by_teeth
from flopsheet.inverse.sharpness import sharp_constant
from flopsheet.inverse.solution import LARGEST_FORM, Solution, refined
from flopsheet.inverse.step_numbers import by_residues
from flopsheet.inverse.tested_ends import leaves_room, tested
from flopsheet.numbers.ends import PRINTED, copied, eased
from flopsheet.numbers.many_digits import Irrational, is_rounded
from flopsheet.numbers.sets import EMPTY, Interval, RealSet, point, side, union
from flopsheet.search.derivatives import derivatives_of
from flopsheet.search.grid import COUNTS, REALS, WHOLES
from flopsheet.search.known import Domains, Exactly, Known, exactly
from flopsheet.search.one_unknown import Cover, Search
from flopsheet.search.poles import apart_from_poles
from flopsheet.search.sharpened import sharpened
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.search.field import Field
    from flopsheet.units import Number

IN_PART = 20_000  # operations on intervals in a part that exact methods left open
MOST_KEPT = 256  # numbers at which all cells are kept
EXACT_SHARE = 0.5  # of the time that is left; the rest is for the search where no exact method ends


@dataclass(frozen=True)
class Chain:
    """The cells that depend on an unknown, each with its formula.

    Args:
        unknown: name of the unknown.
        domain: the values that it may take.
        formulas: the cells that depend on it, in the order in which they follow from it.
        values: all cells that do not, in base units.
        integer: whether the unknown is an integer.
    """

    unknown: str
    domain: Interval
    formulas: Mapping[str, Expr]
    values: Values
    integer: bool = False
    known: Known = field(default_factory=Known, repr=False, compare=False)

    @cached_property
    def links(self) -> Links:
        """The structure of the formulas, without numbers."""
        return links(self.unknown, tuple(self.formulas.items()))

    @cached_property
    def _over(self) -> Exactly:
        return exactly(self.domain)

    @cached_property
    def domains(self) -> Domains:
        """The bounds of the cells while the unknown runs through its domain."""
        return Domains(self.links, self.domain, self.values, self.known)

    def at_or_none(self, value: Number, expression: Expr) -> Number | None:
        """Return the value of an expression where the unknown has a value, or None if it has none there."""
        known, key = self.known.values, (value, type(value), expression)
        if key not in known or type(value) is Irrational:  # another one may be the same float
            name = expression.name if expression.is_Symbol and expression.name != self.unknown else ""
            cells: Values = (self.cells_at(value) or {}) if name in self.formulas else self.values
            own, row = cells.get(name, ""), self.links.row
            known[key] = row(expression).last(self.values, {self.unknown: value}) if isinstance(own, str) else own
        return known[key]

    def cells_at(self, value: Number) -> Mapping[str, Number] | None:
        """Return all cells where the unknown has a value; None where one of them has none."""
        known, key = self.known.cells, (value, type(value))
        if key not in known or type(value) is Irrational:
            if len(known) >= MOST_KEPT:  # an answer keeps them
                known.clear()
            known[key] = self.links.whole.values(self.values, {self.unknown: value})
        return known[key]

    def solve(self, condition: Relation, shown_right: Expr | None = None, *, search: bool = True) -> Solution | None:
        """Return the values of the unknown that meet a condition, or None where no method applies.

        Args:
            condition: the relation.
            shown_right: the right side for closed forms, where it differs from the condition's.
            search: whether to search where no exact method inverts the condition.
        """
        relation, known = (condition.left, condition.operator, condition.right, condition.text), self.known.solutions
        if (key := (*relation, shown_right, *self._over, self.integer, search)) not in known:
            before = self.known.unfinished
            solution = self._solve(condition, shown_right, search=search)
            solution = solution and checks.with_jumps(self, checks.where_defined(self, solution, condition), condition)
            if self.known.unfinished > before or (solution and solution.open):  # more time may tell more
                return solution
            known[key] = solution
        return known[key]  # type: ignore[no-any-return]

    def _solve(self, condition: Relation, shown_right: Expr | None, *, search: bool) -> Solution | None:
        expression, sign, right = condition.one_sided(self.links.symbols)
        level, shown = evaluate(right, self.values), right if shown_right is None else shown_right
        target, is_exact = side(sign, level), level and not isinstance(level, float)
        if is_exact and self.computes_floats(expression) and (condition.is_decimal or condition.may_be_printed):
            solution = self.within(expression, target, shown, search=search)
            whole = self.integer and condition.may_be_printed
            is_met = solution.is_met(self.domain, whole=whole) if solution is not None else not search
            return solution if is_met else self.within(expression, side(sign, float(level)), shown, search=search)
        is_sharp = isinstance(level, float) and not right.is_Number and self.is_given_exactly(right, EMPTY)
        sharp = sharp_constant(right, self.values) if is_sharp else None
        # beside a level that floats round, its gap is known by all digits
        gap, beside = expression - right if is_sharp else expression, side(sign, 0)
        found = None if sharp is None else self.inverted(expression, side(sign, sharp), shown)
        certain = None if found is None else checks.certain(self, found, gap, beside)
        if certain or (is_sharp and self.integer and not search):
            return certain
        at_gap = is_sharp and search
        return self.within(gap if at_gap else expression, beside if at_gap else target, shown, search=search)

    def within(
        self, expression: Expr, target: RealSet, right: Expr = sympy.S.Zero, *, search: bool = True
    ) -> Solution | None:
        """Return the values of the unknown at which an expression lies in a set, or None where no method applies."""
        solution = self._solution(expression, target, right, search=search)
        if solution is None or solution.how is Method.CONSTANT:  # rounding may tell numbers from a level, one by one
            return solution
        values, wider = solution.values, eased(target, PRINTED)
        is_range = wider != target and not all(part.is_point for part in target)
        may_be_flat = is_range and self.links.has(expression, nodes(Trait.FLAT))
        if may_be_flat and self.is_rounded(expression, target) and leaves_room(self, expression, target):
            loose = self._solution(expression, wider, right, search=search)
            values = values if loose is None else checks.with_plateaus(self, values, loose.values, expression, target)
        return tested(
            self, solution if values is solution.values else replace(solution, values=values), expression, target
        )

    def zeros(self, expression: Expr) -> RealSet | None:
        """Return where an expression is zero, single values; None where it may be zero elsewhere."""
        solution = self.within(expression, point(0))
        if solution is None or solution.open or solution.progressions:
            return None
        return solution.values if all(part.is_point for part in solution.values) else None

    def numbers(self, expression: Expr) -> list[Number | str]:
        """Return the values on which an expression rests."""
        names = self.links.inputs(expression) - self.formulas.keys()
        return [self.values[name] for name in names if name in self.values]

    def is_rounded(self, expression: Expr, target: RealSet) -> bool:
        """Whether floats are involved, so that a level may be met within rounding only."""
        return not self.is_given_exactly(expression, target) or self.computes_floats(expression)

    def computes_floats(self, expression: Expr) -> bool:
        """Whether an expression may be a float where the unknown is exact."""
        return self.links.computes_floats(expression) or Irrational in self._types(expression)

    def is_given_exactly(self, expression: Expr, target: RealSet) -> bool:
        """Whether each number on which an expression rests is known to all digits, and each end of a target."""
        ends = (end for part in target for end in (part.lower, part.upper) if is_rounded(end))
        return float not in self._types(expression) and not any(map(is_finite, ends))

    def _types(self, expression: Expr) -> frozenset[type]:
        """Return the types of the values on which an expression rests."""
        known = self.known.types
        return known.get(expression) or known.setdefault(expression, frozenset(map(type, self.numbers(expression))))

    def _solution(self, expression: Expr, target: RealSet, right: Expr, *, search: bool) -> Solution | None:
        with budget.part(EXACT_SHARE if search else 1):
            solution, inversion = self.inverted(expression, target, right)
        proven = None
        if solution is not None and checks.is_proven(self, solution, expression, target, inversion):
            if search and solution.open and solution.how is not Method.PERIOD:  # floats did not hold an inverse
                solution = self._refined(solution, expression, target, IN_PART)
            proven = checks.to_last_digits(self, solution, expression, target)
        if search and (proven is None or proven.open):
            if (repeating := by_residues(self, expression, target)) is not None:
                return repeating
            cut = by_teeth(self, expression, target)
            if cut is not None and self.integer:
                cut = refined(cut, lambda part: replace(self, domain=part).searched_as_one(expression, target, right))
            elif cut is not None:  # the number of the step may stay the same
                cut = self._refined(cut, expression, target)
            proven = cut if cut is not None and checks.is_proven(self, cut, expression, target) else proven
        if proven is None and solution is not None and solution.how in (Method.DIVISORS, Method.PERIOD):
            return checks.met_only(self, solution, expression, target)
        if proven is not None or not search:
            return proven
        return replace(self.searched_as_one(expression, target, right), segments=solution.segments if solution else ())

    def _refined(self, solution: Solution, expression: Expr, target: RealSet, most: int = 0) -> Solution:
        """Return a solution with what a search finds in the parts that it leaves open."""
        return refined(solution, lambda part: replace(self, domain=part).searched(expression, target, target, most))

    def inverted(self, expression: Expr, target: RealSet, right: Expr) -> tuple[Solution | None, Inversion]:
        """Return what exact methods find in time, or None, and how they did."""
        inversion = Inversion(self, target)
        try:
            solution = inversion.solution(expression, right)
            if solution and not inversion.is_certain and checks.may_lose(self, solution, expression, target):
                if not solution.open and not leaves_room(self, expression, target):
                    return None, inversion  # a search decides by digits
                values = checks.within_rounding(self, solution.values, expression, target, right)
                solution = None if values is None else replace(solution, values=values)
            elif solution is not None and not checks.is_stable(self, solution, expression, target, right):
                solution = None
            solution = None if solution is not None and inversion.refuses(solution) else solution
        except (TimeoutError, TooLargeError) as error:  # a search has more digits
            self.known.unfinished += isinstance(error, TimeoutError)
            solution = None
        return solution, inversion

    def searched_as_one(self, expression: Expr, target: RealSet, right: Expr) -> Solution:
        """Search the chain as one formula; where it jumps, for whole numbers of a count, else where they would be."""
        inner, inside = without_layers(expression, target, self.links.symbols, self.values)
        integer = self.integer and self.links.has(inner, (*nodes(Trait.STEPPED), REMAINDER.node))
        solution = self.searched(inner, inside, target, integer=integer)
        if integer and all(part.is_point for part in inside) and not (solution.values or solution.open):
            solution = self.searched(inner, inside, target)
        return replace(solution, right=right)

    def searched(
        self, expression: Expr, target: RealSet, asked: RealSet, most: int = 0, *, integer: bool = False
    ) -> Solution:
        """Return what a search finds.

        Args:
            expression: the formula, without the layers that exact numbers undo.
            target: the set in which it must lie.
            asked: the target of the outermost layer.
            most: how many operations on intervals may be done; 0 for as many as usual.
            integer: whether to search whole numbers only.
        """
        grid = WHOLES if integer else COUNTS if self.integer else REALS
        form = partial(self.links.composed, expression, self.links.needed(expression), LARGEST_FORM)
        smooth = partial(derivatives_of, form, self.unknown, self.values)
        search = Search(self.field(expression), target, grid, most, smooth)
        cover, rounded = search.over(self.domain), copied(target, asked)
        nearby = Search(search.field, rounded, grid, most)
        plateaus, known = EMPTY, (*cover.values, *cover.open)
        is_wide = integer or any(not part.is_point for part in cover.values)
        if cover.values and rounded and (is_wide or checks.misses(self, known, search.field, rounded)):
            near = nearby.over(self.domain, cover.values)
            plateaus = checks.plateaus_beside(near.values, cover.values, search.field)
            cover = Cover(cover.values, union(cover.open, near.open))
        elif not cover.values and rounded:
            near = nearby.over(self.domain)
            if is_wide or not cover.open or any(not part.is_point for part in near.values):  # plateaus, within rounding
                values = union(*(checks.at_domain_end(part, self.domain, search.field) for part in near.values))
                search, cover = nearby, Cover(values, near.open)
        meets = (nearby if rounded else search).points.meets  # ranges in which a level is met are plateaus
        values = cover.values if integer else sharpened(cover.values, self.domain, meets, cover.open)
        opened = apart_from_poles(cover.open, target, form, self.unknown, self.values)
        return Solution(union(values, plateaus), Method.TRIAL if integer else Method.SEARCH, open=opened)

    def field(self, expression: Expr) -> Field:
        """Return an expression over boxes of the unknown."""
        return self.known.field(expression, self.links.program(expression), self.unknown, self.values)
