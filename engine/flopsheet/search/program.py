"""Formulas as a list of operations on intervals: bounds, rates of change, and contraction of what enters them.

One list serves every task: forwards it bounds each operation, with the chain rule it bounds rates of change, and
backwards it contracts the cells by what the result must be (HC4: Benhamou et al., Revising hull and box consistency,
ICLP 1999). Where floats no longer separate, the same list runs on mpmath's intervals of any precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.symbol import Str

from flopsheet.formulas.trees import MOST_CACHED
from flopsheet.functions import BY_NODE, exact
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number


class Operation:
    """One function of earlier places in the list.

    Args:
        entry: the function.
        node: its node in the tree.
        terms: the places of its terms; a text stands for itself.
    """

    __slots__ = ("entry", "node", "terms")

    def __init__(self, entry: Function, node: Expr, terms: tuple[Any, ...]) -> None:
        self.entry, self.node, self.terms = entry, node, terms


class Program:
    """Formulas as operations, in an order in which each can be computed.

    Args:
        steps: cells with their formulas, each of which may use the cells before it.
        results: the expressions whose values are wanted; `result` is the place of the first.
    """

    def __init__(self, steps: Sequence[tuple[str, Expr]], *results: Expr) -> None:
        self.inputs: dict[str, int] = {}
        self.constants: dict[int, Number] = {}
        self.operations: dict[int, Operation] = {}
        self._count = 0
        self._cells: dict[str, int] = {}
        self._places: dict[Expr, int] = {}
        for name, formula in steps:
            self._cells[name] = self._place(formula)
        self.results = tuple(self._place(result) for result in results)
        self.result = self.results[0]
        self.size = self._count
        arithmetic = (sympy.Add, sympy.Mul, sympy.Max, sympy.Min)
        others = (operation for operation in self.operations.values() if operation.entry.node not in arithmetic)
        self.kept_exact = frozenset(term for operation in others for term in operation.terms)  # exponents, divisors

    def place_of(self, cell: str) -> int:
        """Return the place of a cell, given or computed; -1 where the formulas do not use it."""
        return self._cells.get(cell, self.inputs.get(cell, -1))

    def _new(self) -> int:
        self._count += 1
        return self._count - 1

    def _place(self, expression: Expr) -> int:
        if expression.is_Symbol:
            name = expression.name
            if name in self._cells:
                return self._cells[name]
            if name not in self.inputs:
                self.inputs[name] = self._new()
            return self.inputs[name]
        if expression not in self._places:
            self._places[expression] = self._operation(expression)
        return self._places[expression]

    def _operation(self, expression: Expr) -> int:
        entry = BY_NODE.get(expression.func)
        if expression.is_Number or entry is None:
            place = self._new()
            self.constants[place] = exact(expression) if expression.is_Rational else float(expression)
            return place
        terms = tuple(str(term) if isinstance(term, Str) else self._place(term) for term in expression.args)
        place = self._new()
        self.operations[place] = Operation(entry, expression, terms)
        return place


@cached(maxsize=MOST_CACHED)
def program_of(expression: Expr) -> Program:
    """Return an expression as a program."""
    return Program((), expression)
