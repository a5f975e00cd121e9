"""What was seen of the formulas of one unknown while other cells have the same values, kept for later questions."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.formulas.program import program_of
from flopsheet.formulas.relation import is_literal
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions.symbols import symbol
from flopsheet.numbers.ends import span_interval
from flopsheet.numbers.many_digits import is_same
from flopsheet.numbers.spans import ANYTHING, Span, between
from flopsheet.search.enclosure import Enclosure
from flopsheet.search.field import Field
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.links import Links
    from flopsheet.formulas.program import Program
    from flopsheet.functions import Expr
    from flopsheet.numbers.rational import Rational
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number

Exactly: TypeAlias = "tuple[Interval, type, type]"
MOST_QUESTIONS = 100  # for which it is kept: each adds to it
MOST_CHAINS = 128  # of which it is kept: it has all cells at up to hundreds of numbers


def exactly(domain: Interval) -> Exactly:
    """Return a domain with the types of its ends: equal numbers are looked at in other ways if one is a float."""
    return domain, type(domain.lower), type(domain.upper)


class Looks:
    """What was seen of expressions of one unknown, the other cells having the same values."""

    def __init__(self) -> None:
        self.fields: dict[Expr, Field] = {}
        self.bounds: dict[tuple[Expr, Interval], Span] = {}
        self.steps: dict[Expr, Enclosure] = {}
        self.ratios: dict[Expr, Rational | None] = {}
        self.parts: dict[Expr, Rational | None] = {}  # of expressions that were read as ratios
        self.cuts: dict[tuple[Expr, tuple[Number, ...], Interval], Any] = {}
        self.constants: dict[Expr, Number | None] = {}  # see `sharp_constant`


class Known:
    """What was seen of a chain, over any domain: the values of expressions and of all cells, and each cell alone.

    Later questions of the same thread with the same values of other cells have it too: those that differ in the goal.
    """

    def __init__(self, beside: Values | None = None) -> None:
        self.beside, self.thread, self.questions = beside or {}, get_ident(), 0
        self.domains: dict[Exactly, dict[str, Interval]] = {}
        self.solutions: dict[tuple[Any, ...], Any] = {}  # that leave nothing open; None where no method applies
        self.unfinished = 0  # how often the time ended first
        self.rounded: dict[tuple[Any, ...], bool] = {}  # whether equations are met within last digits only, at values
        self.types: dict[Expr, frozenset[type]] = {}  # of the values on which expressions rest
        self.leaves_room: dict[Expr, bool] = {}  # whether one of these values may have been computed in floats
        self.extremes: dict[tuple[Any, ...], Any] = {}  # of expressions
        self.values: dict[tuple[Number, type, Expr], Number | None] = {}
        self.cells: dict[tuple[Number, type], dict[str, Any] | None] = {}
        self.looks: defaultdict[str, Looks] = defaultdict(Looks)
        self._fields: dict[Expr, Field] = {}
        self._enclosures: dict[tuple[Program, tuple[str, ...]], Enclosure] = {}

    def is_of(self, values: Values, places: Container[str]) -> bool:
        """Whether it was seen in this thread where all cells but those at some places had these values.

        Quantities that are written in relations have the same value as long as they have the same name.
        """
        before = self.beside
        changed = [name for name, value in values.items() if before.get(name) is not value]
        changed += before.keys() - values.keys()
        return self.thread == get_ident() and all(
            name in places
            or is_literal(name)
            or (name in before and name in values and is_same(values[name], before[name]))
            for name in changed
        )

    def enclosure(self, program: Program, names: tuple[str, ...], values: Values) -> Enclosure:
        """Return formulas over boxes of some cells; the others have values."""
        key = program, names
        if key not in self._enclosures:
            self._enclosures[key] = Enclosure(program, names, values)
        return self._enclosures[key]

    def field(self, expression: Expr, program: Program, unknown: str, values: Values) -> Field:
        """Return an expression over boxes of the unknown."""
        if expression not in self._fields:
            self._fields[expression] = Field(program, unknown, values)
        return self._fields[expression]


class Domains:
    """The bounds of the cells of a chain while the unknown runs through its domain.

    Args:
        links: the formulas.
        domain: the values that the unknown may take.
        values: all cells that do not depend on it, in base units.
        known: what was seen of the formulas, which keeps the bounds.
    """

    def __init__(self, links: Links, domain: Interval, values: Values, known: Known) -> None:
        self._links, self._domain, self._values, self._known = links, domain, values, known
        self._bounds = known.domains.setdefault(exactly(domain), {links.unknown: domain})
        self._limits: Mapping[str, Interval] = {}

    def within(self, limits: Mapping[str, Interval]) -> Domains:
        """Return the bounds of the cells where some of them are within limits."""
        other = Domains(self._links, self._domain, self._values, self._known)
        free = (name for name in self._bounds if name not in limits and limits.keys().isdisjoint(self._needed(name)))
        other._bounds, other._limits = {name: self._bounds[name] for name in free}, limits
        return other

    def by_formula(self, cell: str) -> Interval:
        """Return the bounds of a cell by those of the cells in its formula, whatever its own limits."""
        for name in self._needed(cell):
            self.of_cell(name)
        return span_interval(self._span(self._links.formulas[cell]))

    def _needed(self, cell: str) -> Iterable[str]:
        return self._links.needed(symbol(cell))

    def of_cell(self, cell: str) -> Interval:
        """Return the bounds of a cell."""
        bounds = self._bounds
        for name in () if cell in bounds else (*self._needed(cell), cell):
            if name not in bounds:
                own = span_interval(self._span(self._links.formulas[name]))
                met = own.meet(self._limits.get(name, own))
                bounds[name] = own if met.is_empty else met
        return bounds[cell]

    def of(self, expression: Expr) -> Interval:
        """Return the bounds of an expression of cells."""
        for name in self._links.needed(expression):
            self.of_cell(name)
        return span_interval(self._span(expression))

    def prepare(self, cells: Iterable[str]) -> None:
        """Bound several cells in one pass, for `of_cell`."""
        missing = tuple(name for name in cells if name not in self._bounds)
        if not missing:
            return
        program = self._links.program_of_cells(missing)
        with suppress(KeyError, ArithmeticError, ValueError):  # one without a value: each is bounded alone
            enclosure = self._known.enclosure(program, (self._links.unknown,), self._values)
            spans = enclosure.over((between(self._domain.lower, self._domain.upper),))
            self._bounds |= {name: span_interval(spans[place]) for name, place in program.cells.items()}

    def _span(self, formula: Expr) -> Span:
        """Return the bounds of a formula, from those of the cells in it."""
        bounds = {name: self._bounds[name] for name in symbol_names(formula) if name in self._bounds}
        try:
            enclosure = self._known.enclosure(program_of(formula), (*bounds,), self._values)
            spans = enclosure.over([between(own.lower, own.upper) for own in bounds.values()])
        except (KeyError, ArithmeticError, ValueError):  # a cell without a value, or a formula without one
            return ANYTHING
        result: Span = spans[enclosure.program.result]
        return result


def seen(links: Links, values: Values) -> Known:
    """Return what was seen of formulas at these values of other cells, if they had them the last time, else nothing."""
    last = _last(links)
    known = last[0] if last else None
    if known is None or known.questions >= MOST_QUESTIONS or not known.is_of(values, links.places):
        last[:] = [known := Known(values)]
    known.questions += 1
    return known


@cached(maxsize=MOST_CHAINS)
def _last(links: Links) -> list[Known]:
    """Return what was seen of formulas the last time, as a list of one, to be replaced; empty at first."""
    del links
    return []
