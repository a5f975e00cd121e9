"""The formulas that link an unknown to the cells that depend on it, without numbers.

Formulas do not depend on numbers, so what is computed from them is cached for later questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.program import Program
from flopsheet.formulas.rows import Row
from flopsheet.formulas.trees import MOST_CACHED, has_function, put_in, symbol_names, too_large
from flopsheet.functions import Trait, entry_of, nodes
from flopsheet.functions.rounding import REMAINDER, merged
from flopsheet.functions.symbols import certain_parts, parts_of, symbol, symbols_in
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import RealSet

LARGEST_SEGMENT = 2500
MOST_KNOWN, MOST_PROGRAMS = 4096, 1024  # each holds its links in memory


class Links:
    """The formulas of the cells that depend on an unknown, in the order in which they follow from it."""

    def __init__(self, unknown: str, formulas: Mapping[str, Expr]) -> None:
        self.unknown, self.formulas = unknown, formulas
        self.places = {name: place for place, name in enumerate([unknown, *formulas])}
        self.symbols = frozenset(symbol(name) for name in self.places)
        self.links: dict[str, list[str]] = {
            name: [cell for cell in symbol_names(formula) if cell in self.places] for name, formula in formulas.items()
        }
        self.whole = Row([*formulas.items()])

    def needed(self, *expressions: Expr) -> list[str]:
        """Return the cells on the way from the unknown to expressions, in order."""
        seen: set[str] = set()
        waiting = [cell for expression in expressions for cell in symbol_names(expression)]
        while waiting:
            name = waiting.pop()
            if name in self.formulas and name not in seen:
                seen.add(name)
                waiting += self.links[name]
        return sorted(seen, key=self.places.__getitem__)

    @cached(maxsize=MOST_KNOWN)
    def parts(self, expression: Expr) -> tuple[Expr, ...]:
        """Return an expression and the formulas on the way to it."""
        return (expression, *(self.formulas[name] for name in self.needed(expression)))

    def has(self, expression: Expr, functions: tuple[Expr, ...]) -> bool:
        """Whether an expression, or a formula on the way to it, has one of these functions."""
        # A number or quantity differs from question to question: it is not cached.
        return (bool(expression.args) or expression in self.symbols) and self._has(expression, functions)

    @cached(maxsize=MOST_KNOWN)
    def _has(self, expression: Expr, functions: tuple[Expr, ...]) -> bool:
        return any(has_function(part, functions) for part in self.parts(expression))

    @cached(maxsize=MOST_KNOWN)
    def has_root(self, expression: Expr) -> bool:
        """Whether an expression, or a formula on the way to it, has a fractional power."""
        return any(not power.exp.is_Integer for part in self.parts(expression) for power in parts_of(part, sympy.Pow))

    def computes_floats(self, expression: Expr) -> bool:
        """Whether exact numbers may give floats."""
        return self.has(expression, nodes(Trait.INEXACT)) or self.has_root(expression)

    @cached(maxsize=MOST_KNOWN)
    def inputs(self, expression: Expr) -> frozenset[str]:
        """Return the cells in an expression and in the formulas on the way to it, but for the unknown."""
        return frozenset().union(*map(symbol_names, self.parts(expression))) - {self.unknown}

    @cached(maxsize=MOST_KNOWN)
    def segment(self, expression: Expr) -> tuple[str | None, Expr]:
        """Put formulas in for cells until the expression depends on the unknown through one cell only.

        No cell and no expression if it grows too large, no cell if it does not depend on the unknown.
        """
        names, inner = self._dependent(expression), self._inner(expression)
        if inner:
            expression = self.composed(expression, inner, LARGEST_SEGMENT)
            names = set() if expression is None else self._dependent(expression)
        return next(iter(names), None), expression and self._merged(expression)

    def _inner(self, expression: Expr) -> list[str]:
        """Return the cells, in order, without which an expression depends on the unknown through one cell only."""
        names, inner = self._dependent(expression), list[str]()
        while len(names) > 1:
            inner.append(max(names, key=self.places.__getitem__))
            names = (names - {inner[-1]}) | {*self.links[inner[-1]]}
        return inner[::-1]

    @cached(maxsize=MOST_KNOWN)
    def lost(self, expression: Expr) -> tuple[tuple[Expr, RealSet], ...]:
        """Return what must be in a set for formulas on the way to have a value, where a segment no longer tells.

        With `c = sqrt(x)`, `c*c` has no value below zero, and `x` has.
        """
        found: list[tuple[Expr, RealSet]] = []
        waiting: Expr | None = expression
        while waiting is not None:
            name, segment = self.segment(waiting)
            inner = self._inner(waiting) if segment is not None else []
            if inner:
                kept, parts = {*_demanded(segment)}, [waiting, *map(self.formulas.__getitem__, inner)]
                demands = [demand for part in parts for demand in _demanded(part)]
                demands = [own for own in demands if not self.symbols.isdisjoint(symbols_in(own[0]))]
                found += [own for own in demands if (self.composed(own[0], inner, LARGEST_SEGMENT), own[1]) not in kept]
            waiting = self.formulas.get(name) if name is not None else None
        return tuple(dict.fromkeys(found))

    def _merged(self, expression: Expr) -> Expr:
        if not has_function(expression, (*nodes(Trait.STEPPED), REMAINDER.node)):
            return expression
        totals = ((total, merged(total, self.symbols)) for total in parts_of(expression, sympy.Add))
        return put_in(expression, {total: other for total, other in totals if other is not total})

    def _dependent(self, expression: Expr) -> set[str]:
        return {cell for cell in symbol_names(expression) if cell in self.places}

    def composed(self, expression: Expr, names: Iterable[str], most: int) -> Expr | None:
        """Return an expression with the formulas of cells, in their order, put in; None where it grows too large.

        Each cell is put into the next once: sympy takes long to rebuild what is nested deeply.
        """
        parts = self._put_together(tuple(names), most)
        expression = None if parts is None else put_in(expression, parts)
        return None if expression is None or too_large(expression, most) else expression

    @cached(maxsize=MOST_KNOWN)
    def _put_together(self, names: tuple[str, ...], most: int) -> Mapping[Expr, Expr] | None:
        parts: dict[Expr, Expr] = {}
        for name in names:
            parts[symbol(name)] = put_in(self.formulas[name], parts)
            if too_large(parts[symbol(name)], most):
                return None
        return parts

    @cached(maxsize=MOST_KNOWN)
    def row(self, expression: Expr) -> Row:
        """Return the formulas on the way from the unknown to an expression, and that as the last."""
        return Row([*((name, self.formulas[name]) for name in self.needed(expression)), ("", expression)])

    @cached(maxsize=MOST_PROGRAMS)
    def program(self, expression: Expr) -> Program:
        """Return an expression as operations on the unknown and the cells that do not depend on it."""
        return self._program(expression)

    @cached(maxsize=MOST_PROGRAMS)
    def program_of_cells(self, cells: tuple[str, ...]) -> Program:
        """Return several cells as operations on these: one pass then bounds them, and all that are on the way."""
        return self._program(*map(symbol, cells))

    def _program(self, *results: Expr) -> Program:
        return Program([(name, self.formulas[name]) for name in self.needed(*results)], *results)


@cached(maxsize=MOST_CACHED)
def _demanded(expression: Expr) -> tuple[tuple[Expr, RealSet], ...]:
    """Return the parts that must each be in a set for an expression to have a value."""
    parts = (node for node in certain_parts(expression) if node.args)
    return tuple(demand for node in parts for demand in entry_of(node).demands(node))


@cached(maxsize=256)
def links(unknown: str, formulas: tuple[tuple[str, Expr], ...]) -> Links:
    """Return the links of an unknown, cached over questions."""
    return Links(unknown, dict(formulas))
