"""What was seen of the formulas of one unknown while other cells have the same values, kept for later questions."""

from __future__ import annotations

from collections import defaultdict
from threading import get_ident
from typing import TYPE_CHECKING, Any

from flopsheet.formulas.program import program_of
from flopsheet.formulas.relation import is_literal
from flopsheet.numbers.many_digits import is_same
from flopsheet.search.enclosure import Enclosure
from flopsheet.search.field import Field
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Container

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.links import Links
    from flopsheet.formulas.program import Program
    from flopsheet.functions import Expr
    from flopsheet.numbers.rational import Rational
    from flopsheet.numbers.sets import Interval
    from flopsheet.numbers.spans import Span
    from flopsheet.units import Number

MOST_QUESTIONS = 100  # for which it is kept: each adds to it
MOST_CHAINS = 128  # of which it is kept: it has all cells at up to hundreds of numbers


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
        self.domains: dict[tuple[Interval, type, type], dict[str, Interval]] = {}
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
        self._enclosures: dict[tuple[Expr, tuple[str, ...]], Enclosure] = {}

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

    def enclosure(self, formula: Expr, names: tuple[str, ...], values: Values) -> Enclosure:
        """Return a formula over boxes of some cells; the others have values."""
        key = formula, names
        if key not in self._enclosures:
            self._enclosures[key] = Enclosure(program_of(formula), names, values)
        return self._enclosures[key]

    def field(self, expression: Expr, program: Program, unknown: str, values: Values) -> Field:
        """Return an expression over boxes of the unknown."""
        if expression not in self._fields:
            self._fields[expression] = Field(program, unknown, values)
        return self._fields[expression]


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
