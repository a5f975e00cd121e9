"""Formulas one after the other, as one function."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.code import Compiled, compiled
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions import symbol
from flopsheet.numbers.many_digits import is_same
from flopsheet.session import cached
from flopsheet.tolerances import ROUNDING
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.units import Number

MOST_KEPT, MOST_PARTS = 1024, 64
FEW_RUNS = 16  # after which a row of formulas is compiled as one function


class Row:
    """Formulas one after the other, each of which may use the cells before it.

    Most rows occur a few times, and compiling them costs more than to run the functions of their formulas.
    """

    def __init__(self, steps: Sequence[tuple[str, Expr]]) -> None:
        self.steps = steps
        self.names = frozenset(name for name, _ in steps)
        self._copies = frozenset(place for place, (_, formula) in enumerate(steps) if formula.is_Symbol)
        self._runs = 0

    @cached_property
    def _compiled(self) -> Compiled:
        return Compiled(self.steps, sympy.Tuple(*(symbol(name) for name, _ in self.steps)), tidied=True)

    @cached_property
    def _functions(self) -> list[tuple[str, Compiled]]:
        return [(name, compiled(formula)) for name, formula in self.steps]

    def values(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Any] | None:
        """Return the values of the cells [base units]; None where one is not finite, or lacks a value or choice.

        Values of other cells are `numbers`, or else `known`.
        """
        if not self.steps:
            return {}
        self._runs += 1
        try:
            values = (self._together if self._runs > FEW_RUNS else self._one_by_one)(known, numbers)
        except (ArithmeticError, KeyError, TypeError, ValueError):
            return None
        return values if all(is_finite(value) for value in values.values() if type(value) is not int) else None

    def _together(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Any]:
        code = self._compiled
        inputs = [numbers[name] if name in numbers else known[name] for name in code.inputs]
        result = code.exact(*inputs)
        computed: dict[str, Any] = dict(zip((name for name, _ in self.steps), result, strict=True))
        # other results were made values of cells by the code
        places = [place for place, value in enumerate(result) if type(value) is float or place in self._copies]
        if not places:
            return computed
        values = {**dict(zip(code.inputs, inputs, strict=True)), **computed}
        is_nearest = True  # what later cells were computed from
        for place in places:
            (name, own), value = self._functions[place], result[place]
            value = value if is_nearest else own.exact(*map(values.__getitem__, own.inputs))
            values[name] = computed[name] = own.of_cell(value, values, nearest=True)  # later cells start from it
            is_nearest &= values[name] == value
            if not math.isclose(values[name], value, rel_tol=ROUNDING):  # later cells have few digits
                return self._one_by_one(known, numbers)
        return computed

    def _one_by_one(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Any]:
        values: dict[str, Any] = {**known, **numbers}
        for name, code in self._functions:
            values[name] = code.of_cell(code.exact(*map(values.__getitem__, code.inputs)), values, nearest=True)
        return {name: values[name] for name, _ in self.steps}

    def some(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Any]:
        """Return the values of those cells that have one: finite, and of others that have one."""
        values: dict[str, Any] = {name: value for name, value in known.items() if name not in self.names}
        values, found = {**values, **numbers}, {}
        for name, formula in self.steps:
            try:
                code = compiled(formula)
                value = code.of_cell(code.exact(*map(values.__getitem__, code.inputs)), values, nearest=True)
            except (ArithmeticError, KeyError, TypeError, ValueError):
                continue
            if type(value) is int or is_finite(value):
                values[name] = found[name] = value
        return found

    def last(self, known: Values, numbers: Mapping[str, Number]) -> Number | None:
        """Return the value of the last cell, with the choices that are known; None where a cell has none."""
        values: dict[str, Any] | None = self.values(known, numbers)
        if values is None:
            values = {**known, **numbers}
            try:
                for name, formula in self.steps:
                    values[name] = evaluate(formula, values)
            except ArithmeticTrapError:
                return None
        return values[self.steps[-1][0]]  # type: ignore[no-any-return]


@cached(maxsize=MOST_KEPT)
def row_of(steps: tuple[tuple[str, Expr], ...]) -> Row:
    """Return formulas as a row, the same for all structures in which they stand in a row: it is compiled once."""
    return Row(steps)


class Recalculated:
    """Formulas one after the other, of which those are computed that rest on a number that changed since the last call.

    Questions that differ in few numbers thus cost what rests on these, as in a spreadsheet.
    """

    def __init__(self, steps: tuple[tuple[str, Expr], ...]) -> None:
        self._steps = steps
        own, used = {name for name, _ in steps}, (name for _, formula in steps for name in symbol_names(formula))
        self._inputs = [name for name in dict.fromkeys(used) if name not in own]
        self._parts: dict[frozenset[str], Row] = {}  # by the inputs that changed: what rests on them
        self._last: tuple[dict[str, Any], dict[str, Any]] | None = None  # inputs and values

    def values(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Any] | None:
        """Return the values of the cells, as those of a `Row`."""
        try:
            inputs: dict[str, Any] = {name: numbers[name] if name in numbers else known[name] for name in self._inputs}
        except KeyError:
            return None
        if self._last is None:
            values = row_of(self._steps).values(inputs, {})
        else:
            before, last = self._last
            changed = frozenset(name for name, value in inputs.items() if not is_same(value, before[name]))
            moved = self._part(changed).values(last, inputs) if changed else {}
            values = None if moved is None else last | moved
        if values is not None:
            self._last = inputs, values
        return values

    def some(self, known: Values, numbers: Mapping[str, Number]) -> dict[str, Any]:
        """Return the values of those cells that have one, as `Row.some` does."""
        values = {**known, **numbers}
        inputs: dict[str, Any] = {name: values[name] for name in self._inputs if name in values}
        if self._last is None or len(inputs) < len(self._inputs):
            return row_of(self._steps).some(inputs, {})
        before, last = self._last
        changed = frozenset(name for name, value in inputs.items() if not is_same(value, before[name]))
        part = self._part(changed)
        kept = {name: value for name, value in last.items() if name not in part.names}
        return kept | part.some({**inputs, **kept}, {})

    def _part(self, changed: frozenset[str]) -> Row:
        """Return the formulas that rest on some inputs, with those of others that mostly change with them.

        Records differ in some of their figures, each pair in others: one row for all of these is soon compiled.
        """
        if changed in self._parts:
            return self._parts[changed]
        alike = [key for key in self._parts if 2 * len(key & changed) > len(key | changed)]
        for key in alike:
            changed |= key
        if changed not in self._parts:
            if len(self._parts) >= MOST_PARTS:
                self._parts = {}
            moved = {*changed}
            for name, formula in self._steps:
                if not moved.isdisjoint(symbol_names(formula)):
                    moved.add(name)
            steps = tuple(step for step in self._steps if step[0] in moved)
            self._parts[changed] = row_of(self._steps if 2 * len(steps) > len(self._steps) else steps)
        return self._parts[changed]
