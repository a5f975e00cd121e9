"""Partners: inputs that nobody gave and that follow from an unknown; each must have a value within its bounds.

A count among them must be whole. Where equations are not inverted for a partner, but rise or fall with it all over its
bounds, these bounds say the same: `max(5*a, b) = 750` holds for some b up to 200 where `max(5*a, 200) >= 750`, and so
on at the other end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import valued
from flopsheet.answer.conditions.condition import Condition
from flopsheet.answer.several.behind import Behind
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import is_whole
from flopsheet.functions import Trait
from flopsheet.functions.rounding import REMAINDER
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution, combined
from flopsheet.numbers.members import hulls
from flopsheet.numbers.sets import EMPTY, Interval, complement, hull, meet, side, union, widened
from flopsheet.numbers.spans import NoValueError, Span, between
from flopsheet.search.grid import LARGEST
from flopsheet.search.joint import Joint
from flopsheet.search.known import Known
from flopsheet.tolerances import SMALLEST_SIZE
from flopsheet.units import format_quantity, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.functions import Expr
    from flopsheet.graph.system import System
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.kernel import Rows
    from flopsheet.units import Number


@dataclass(frozen=True)
class Partners:
    """The partners of an unknown, by what is known of them."""

    counts: tuple[Cell, ...] = ()  # whose whole numbers rounding may hide: few are tried one by one
    unchecked: tuple[Cell, ...] = ()  # of which it is not known whether they have a value within their bounds


def following(system: System, names: Iterable[str]) -> list[Cell]:
    """Return the cells that follow from some unknowns, and bind them, in a system in which these are known."""
    structure, names = system.structure, tuple(names)

    def cells() -> list[Cell]:
        known = (own for own in binding(system.question.sheet.rows) if own.name in system.known)
        possible = (own for own in known if not structure.has_value(own.name))
        possible = (own for own in possible if f"inferred {own.name}" not in structure.equations)
        resting = structure.resting_on(names)
        return [own for own in possible if own.name in resting]

    return structure.derived(("following", names), cells)


def binding(rows: Rows) -> list[Cell]:
    """Return the cells that bind an unknown from which they follow: inputs that no default formula gives, and counts.

    These are whole where their formula may give a fraction and no limit says it, which a question may lift.
    """
    if "binding" not in rows.derived:
        cells, counts = rows.cells.values(), frozenset(own.name for own in rows.cells.values() if own.integer)
        sides = (limit.left for limit in rows.limits.values() if limit.is_equation and not limit.right)
        said = [side.args for side in sides if isinstance(side, REMAINDER.node)]
        computed = (own for own in cells if own.formula is not None and own.integer and not own.prefix)  # not bound
        counted = (own for own in computed if not is_whole(own.formula, counts))
        inputs = [own for own in cells if own.formula is None]
        rows.derived["binding"] = [own for own in (*inputs, *counted) if not _is_said_whole(own, said)]
    binding: list[Cell] = rows.derived["binding"]
    return binding


def _is_said_whole(count: Cell, remainders: Iterable[tuple[Expr, Expr]]) -> bool:
    """Whether a limit says that a cell is whole: that a term leaves no remainder, and the cell is the quotient."""
    form = count.symbol if count.formula is None else count.formula
    alike = ((term, by) for term, by in remainders if cells_of(term) <= cells_of(form) | cells_of(by))
    return any(form * by / term == 1 for term, by in alike)


def hidden_counts(system: System, chain: Chain, cells: Iterable[Cell], unchecked: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return the counts among cells that follow from an unknown whose whole numbers rounding may hide.

    So it is where they are unchecked, where the unknown is no count, where a formula gives floats, and where a number
    was printed.
    """
    counts = [own for own in cells if own.integer and own.formula is None and own.name not in system.question.unknowns]
    printed = bool(counts) and any(relation.may_be_printed for relation in system.question.stated)
    hidden = (own for own in counts if not chain.integer or printed or chain.is_rounded(own.symbol, EMPTY))
    return tuple(dict.fromkeys((*hidden, *(own for own in unchecked if own.integer))))


def within_reach(
    system: System, execution: Execution, chain: Chain, conditions: Sequence[Condition], partners: Iterable[Cell]
) -> tuple[list[Condition], tuple[Cell, ...]]:
    """Return the conditions under which partners have values within their bounds, and those that stay unchecked.

    They are looked for within what other conditions leave of the unknown of a chain. Unchecked ones are counts, as only
    bounds are kept, and those with which their equation does not rise or fall on either side of zero.
    """
    partners = [*partners]
    if not partners:
        return [], ()
    left = combined(chain.domain, [own.solution for own in conditions])
    outer = hull(union(left.values, hulls(left.progressions), left.open))
    chain = chain if outer is None else replace(chain, domain=widened(outer).meet(chain.domain))
    found = {partner: _reaching(system, execution, chain, partner) for partner in partners}
    unchecked = tuple(own for own, known in found.items() if own.integer or known is None)
    return [condition for conditions in found.values() for condition in conditions or ()], unchecked


def _reaching(system: System, execution: Execution, chain: Chain, partner: Cell) -> list[Condition] | None:
    """Return the conditions on the unknown of a chain, which the system knows; None where they are not found."""
    tied, name = system.knowing((partner.name,)), chain.unknown
    spare = [key for key in tied.structure.unmatched if key not in system.structure.unmatched]
    if len(spare) != 1:
        return None
    try:
        relation = tied.relation(tied.structure.equations[spare[0]])
        behind = Behind(tied, (name, partner.name), execution.copy(), [relation])
    except (ArithmeticTrapError, QuestionError):
        return None
    if behind.free or len(behind.relations) != 1:
        return None
    bounds = partner.bounds.interval
    whole = _Gap(name, partner, bounds, chain.domain, behind)
    if whole.sign or not bounds.lower < 0 < bounds.upper:
        return whole.conditions()
    halves = [_Gap(name, partner, bounds.meet(*side(sign, 0)), chain.domain, behind) for sign in ("<=", ">=")]
    return _either(partner, halves)


def _either(partner: Cell, gaps: Sequence[_Gap]) -> list[Condition] | None:
    """Return that conditions hold for one of some parts of the bounds of a partner; None where one is unknown."""
    reached = [gap.conditions() for gap in gaps]
    if not all(reached):
        return None if None in reached else []
    domain = gaps[0].chain.domain
    left = [combined(domain, [own.solution for own in conditions or ()]) for conditions in reached]
    if any(part.progressions for part in left):
        return None
    values, opened = union(*(part.values for part in left)), union(*(part.open for part in left))
    solution = Solution(values, Method.SEARCH, open=meet(opened, complement(values)))
    return [Condition(valued(partner.symbol, partner.name), gaps[0].chain, solution, implied=True)]


class _Gap:
    """The two sides of an equation over an unknown and a partner within some bounds."""

    def __init__(self, name: str, partner: Cell, bounds: Interval, domain: Interval, behind: Behind) -> None:
        (self.relation,) = behind.relations
        self.partner, self.bounds = partner, bounds
        values = behind.execution.with_pins()
        self.chain = Chain(name, domain, behind.formulas, values)
        self.joint = Joint((name, partner.name), [*behind.formulas.items()], behind.relations, values, {})
        self.may_be_flat = any(operation.entry.traits & Trait.FLAT for _, operation in self.joint.varying)

    @cached_property
    def sign(self) -> int:
        """1 or -1 where left less right rises or falls with the partner, whatever the unknown; 0 if unproven."""
        spans = self._over(between(self.bounds.lower, self.bounds.upper))
        (left, right), place, zero = self.joint.equations[0], self.joint.places[1], Span(0, 0, exact=True)
        if spans is None or self.joint.jumps or not all(spans[at].total for at in (left, right)):
            return 0
        rates = self.joint.rates(spans)
        rate = rates.get(left, {}).get(place, zero) - rates.get(right, {}).get(place, zero)
        return (rate.low >= 0 and rate.high > 0) - (rate.high <= 0 and rate.low < 0)

    def conditions(self) -> list[Condition] | None:
        """Return that the gap has either sign at the ends of the bounds; None where that is unknown."""
        if not self.sign:
            return None
        found: list[Condition] = []
        for end, closed, way in self._ends():
            operator = ("<" if way * self.sign < 0 else ">") + "=" * (closed or self.may_be_flat)
            if self._is_beyond(end, way):
                continue
            relation = replace(self.relation, operator=operator, text=self._text(end, way, closed=closed))
            chain = replace(self.chain, values={**self.chain.values, self.partner.name: end}, known=Known())
            solution = chain.solve(relation) if is_finite(end) and self._has_value(end) else None
            if solution is None:
                return None
            found.append(Condition(relation, chain, solution, implied=True))
        return found

    def _ends(self) -> Iterator[tuple[Number, bool, int]]:
        yield self.bounds.lower, self.bounds.lower_closed, -1
        yield self.bounds.upper, self.bounds.upper_closed, 1

    def _text(self, end: Number, way: int, *, closed: bool) -> str:
        operator = (">" if way < 0 else "<") + "=" * closed
        return f"{self.partner.name} {operator} {format_quantity(end, self.partner.unit)}"

    def _is_beyond(self, end: Number, way: int) -> bool:
        """Whether the gap has the sign that it needs all beside an open end: far from zero, or next to it."""
        if is_finite(end) and (end or way > 0):
            return False
        far = between(LARGEST, math.inf) if way > 0 else between(-math.inf, -LARGEST)
        spans = self._over(between(0, SMALLEST_SIZE) if end == 0 else far)
        if spans is None:
            return False
        left, right = self.joint.equations[0]
        gap = spans[left] - spans[right]
        total = spans[left].total and spans[right].total
        return total and (gap.low > 0 if way * self.sign > 0 else gap.high < 0)

    def _has_value(self, end: Number) -> bool:
        spans = self._over(Span(end, end, exact=not isinstance(end, float)))
        return spans is not None and all(spans[at].total for at in self.joint.equations[0])

    def _over(self, partner: Span) -> list[Span] | None:
        try:
            return self.joint.over([between(self.chain.domain.lower, self.chain.domain.upper), partner])
        except NoValueError:
            return None
