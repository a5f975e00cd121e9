"""Points of a sheet: values of its given cells, at its example or at random, and every other cell there."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from tests.models.independent import as_digits, extend, values_at

from flopsheet import Answer, sheet, solve
from flopsheet.errors import FlopsheetError
from flopsheet.formulas.relation import LONGEST_FORMULA, cells_of
from flopsheet.functions import taken
from flopsheet.sheets.catalogue import sheet_files
from flopsheet.units import in_unit, is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet import Sheet
    from flopsheet.functions import Expr
    from flopsheet.sheets.cell import Bounds, Cell
    from flopsheet.units import Number

SHEETS = sorted(sheet_files())
FACTOR = 10  # how far a cell is drawn from its example, either way
MOST_DIGITS = 40  # of a decimal
MOST_MOVED = 64  # values of inputs at which what was computed is kept
MOST_DRAWN = 60  # draws, each nearer to the example than the one before, until one is within all bounds
LAST_DIGITS = Fraction(1, 2**51)  # of a float
DIGITS = 2, 3, 4, 6, None  # of what is drawn; None for a float


def pin(cell: Cell, si: Number, sign: str = "=") -> str:
    """Return the relation of a cell and a value [base units], exactly."""
    shown = in_unit(si, cell.unit)
    ratio = Fraction(repr(shown)) if isinstance(shown, float) else Fraction(shown)
    if (decimal := _decimal(ratio)) is not None:
        return f"{cell.name} {sign} {decimal} {cell.unit.text or ''}"
    above, below = ratio.as_integer_ratio()
    return f"{cell.name} {sign} {above} {cell.unit.text or ''} / {below}"


def _decimal(ratio: Fraction) -> str | None:
    """Return a ratio as a decimal of few digits, which is read sooner than a division; None where it is none."""
    text = f"{Context(prec=MOST_DIGITS).divide(*map(Decimal, ratio.as_integer_ratio())):f}"
    return text if Fraction(text) == ratio else None


def named(model: Sheet) -> list[str]:
    """Return the relations that set parts and choices to their examples."""
    parts = [f"{part.name} = {part.example}" for part in model.parts.values() if part.example]
    return parts + [f"{choice.name} = {choice.example}" for choice in model.choices.values()]


def example_cells(cells: Iterable[Cell]) -> dict[str, Number]:
    """Return the example value of each given cell, its default where it has no example."""
    values = {cell.name: cell.default if cell.example is None else cell.example for cell in cells}
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Point:
    """A sheet at values of its given cells: the answer that computes every other cell there."""

    answer: Answer

    @property
    def sheet(self) -> Sheet:
        """The sheet."""
        return self.answer.question.sheet

    def value(self, name: str) -> Number:
        """Return the value of a cell [base units]."""
        return self.answer.cells[name].si

    @cached_property
    def formulas(self) -> Mapping[str, Expr]:
        """The formula of each cell, or of its default, with the options that are chosen, in order of computation."""
        options = self.answer.question.options
        equations = self.answer.system.structure.equations.values()
        defaults = {equation.target for equation in equations if equation.kind == "inferred"} & self.answer.cells.keys()
        cells = {name: cell for name, cell in self.sheet.cells.items() if cell.formula is not None or name in defaults}
        known = {*self.answer.cells, *options}
        formulas = {name: (taken(formula, options) for formula in cell.formulas) for name, cell in cells.items()}
        return {
            name: next(formula for formula in several if name not in defaults or cells_of(formula) <= known)
            for name, several in formulas.items()
        }

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """The cells that depend on each cell, with the options that are chosen."""
        above = dict[str, set[str]]()
        for name in self.sheet.cells:
            inputs = {*cells_of(self.formulas[name])} & {*self.sheet.cells} if name in self.formulas else set[str]()
            above[name] = inputs.union(*(above.get(name, ()) for name in inputs))
        for cycle in self.sheet.rows.cycles:
            above |= dict.fromkeys(cycle, set[str]().union(*(above[name] for name in cycle)))
        for name in self.sheet.cells:
            above[name] = above[name].union(*(above[name] for name in above[name]))
        return {name: {other for other, inputs in above.items() if name in inputs} for name in self.sheet.cells}

    @cached_property
    def independent(self) -> Mapping[str, Any]:
        """The values of all cells [base units], evaluated without the engine."""
        given = {name: cell.si for name, cell in self.answer.cells.items() if name not in self.formulas}
        return values_at(self.formulas, given, self._tied)

    @property
    def _tied(self) -> Mapping[str, Any]:
        """The values of cells that depend on each other."""
        return {name: self.value(name) for name in self.sheet.rows.tied}

    def values_at(self, free: str, at: Number, output: str) -> Mapping[str, Any]:
        """Return an output, and each cell between it and an input, where that has another value [base units]."""
        needed, values = self._between(free, output), self._moved(free, Fraction(at))
        extend(values, {name: self.formulas[name] for name in needed if name not in values}, self._tied)
        return {name: values[name] for name in needed}

    @cache  # noqa: B019  # points live as long as the tests
    def _between(self, free: str, output: str) -> Sequence[str]:
        """Return the cells between an input and an output, and the output, in order of computation."""
        users = self.users[free]
        return [name for name in self.formulas if name in users and (name == output or output in self.users[name])]

    @lru_cache(MOST_MOVED)  # noqa: B019
    def _moved(self, free: str, at: Fraction) -> dict[str, Any]:
        """Return the values that are known where an input has another value, to which `values_at` adds others."""
        return {**{name: value for name, value in self.independent.items() if name not in self.users[free]}, free: at}

    def output_at(self, free: str, at: Number, output: str) -> Any:
        """Return an output where an input has another value [base units], evaluated without the engine."""
        return self.values_at(free, at, output)[output]

    def outputs_beside(self, free: str, at: Number, output: str) -> Iterator[Any]:
        """Yield an output where an input has another value and a float between them is off by its last digits."""
        between, known = self._between(free, output), self._moved(free, Fraction(at))
        for name in (name for name in between if isinstance(self.answer.cells[name].si, float)):
            for way in (-1, 1):
                values = {key: value for key, value in known.items() if key not in between}
                values[name] = self.values_at(free, at, name)[name] * as_digits(1 + way * LAST_DIGITS)
                extend(values, {other: self.formulas[other] for other in between}, self._tied)
                yield values[output]

    def bounds_allow(self, free: str, at: Number, output: str) -> bool:
        """Whether an output, and every other computed cell that depends on an input, stay within their bounds."""
        values = dict(self.values_at(free, at, output))
        for name in (name for name in self.formulas if name in self.users[free] and name in self.answer.cells):
            with suppress(ArithmeticError, ValueError):  # what has no value there excludes nothing
                values[name] = self.values_at(free, at, name)[name]
        cells = self.sheet.cells
        return all(_is_within(value, cells[name].bounds) for name, value in values.items() if name in self.users[free])

    @cached_property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """(input, output) for every given cell and record figure, and every cell with a formula that depends on it."""
        cells = self.sheet.cells
        inputs = [cell.name for cell in cells.values() if cell.formula is None]
        computed = {name for name, cell in cells.items() if cell.formula is not None}
        users = {free: sorted(self.users[free] & computed) for free in inputs}
        return [(free, output) for free, outputs in users.items() for output in outputs]

    def relations_back(self, free: Sequence[str], goals: Iterable[str]) -> list[str]:
        """Return the relations of the question when inputs are the unknowns, with goals for other cells."""
        question = self.answer.question
        records = {name: record.key for name, record in question.records.items()}
        names = [f"{name} = {key}" for name, key in {**question.choices, **records}.items()]
        return [*names, *(pin.text for name, pin in question.pins.items() if name not in free), *goals]

    def asked_back(self, free: Sequence[str], goals: Iterable[str], *, limits: bool = True) -> Answer:
        """Return the answer when inputs are the unknowns, with goals for other cells; limits that break are lifted."""
        lifted = [check.relation.name for check in self.answer.limits if not (limits and check.holds)]
        return solve(self.sheet, free, self.relations_back(free, goals), without=lifted)

    def exactly(self, output: str, sign: str = "=") -> str:
        """Return the goal that an output has its value here, to the last digit: a ratio, or the float that it is.

        A ratio that is longer than a formula may be is pasted, as it has to be.
        """
        cell, si = self.sheet.cells[output], self.value(output)
        if isinstance(si, float):
            return f"{output} {sign} {in_unit(si, cell.unit)!r} {cell.unit}"
        goal = pin(cell, si, sign)
        return goal if len(goal) <= LONGEST_FORMULA else self.pasted(output, sign)

    def pasted(self, output: str, sign: str = "=") -> str:
        """Return the same goal with the number that JSON has for the value."""
        cell = self._json[output]
        return f"{output} {sign} {cell['value']!r} {cell['unit']}"

    @cached_property
    def _json(self) -> Mapping[str, Any]:
        cells: Mapping[str, Any] = self.answer.as_dict()["cells"]
        return cells


def _is_within(value: Any, bounds: Bounds) -> bool:
    """Whether a ratio, or a number of 60 digits, is within bounds."""
    low, high = (as_digits(Fraction(end)) if is_finite(end) else end for end in (bounds.lower, bounds.upper))
    digits = as_digits(value)
    return bool((digits >= low if bounds.lower_closed else digits > low) and digits <= high)


@cache
def example(name: str) -> Point:
    """Return a sheet at its example."""
    model = sheet(name)
    return Point(solve(model, (), [*named(model), *(pin(model.cells[cell], si) for cell, si in given(model).items())]))


@cache
def drawn(name: str, draw: int) -> Point:
    """Return a sheet at a random point within the bounds of its cells, always the same one for a number of the draw."""
    chance, model = Random(f"{name} {draw}"), sheet(name)  # noqa: S311  # the same each time
    parts = [f"{part.name} = {part.example}" for part in model.parts.values() if part.example]
    for trial in range(MOST_DRAWN):
        spread, by_halves = FACTOR ** (1 - trial / MOST_DRAWN), trial % 3 > 0
        options = [f"{choice.name} = {chance.choice(choice.options)}" for choice in model.choices.values()]
        values = {cell: _drawn(model.cells[cell], si, chance, spread, by_halves) for cell, si in given(model).items()}
        try:
            answer = solve(model, (), [*parts, *options, *(pin(model.cells[cell], si) for cell, si in values.items())])
        except FlopsheetError:  # a draw outside of bounds, or at which a formula has no value
            continue
        if _is_within_bounds(point := Point(answer)):
            return point
    return example(name)


def given(model: Sheet) -> dict[str, Number]:
    """Return the cells that a question gives, each with its example [base units]."""
    by_hand = {"", *(part.name for part in model.parts.values() if part.bare and not part.example)}
    return example_cells(cell for cell in model.cells.values() if cell.formula is None and cell.part in by_hand)


def _drawn(cell: Cell, si: Number, chance: Random, spread: float, by_halves: bool) -> Number:
    """Return a value [base units] near an example: of a few digits, or of all that a float has.

    A count may be drawn by halves and doubles only: degrees and batches then divide each other as they do there.
    """
    size: float = spread ** chance.uniform(-1, 1)
    shown, digits = float(in_unit(si, cell.unit) * size), chance.choice(DIGITS)
    factor = cell.unit.factor
    value: Number = shown * float(factor) if digits is None else Fraction(f"{shown:.{digits}g}") * factor
    if cell.integer:
        value = Fraction(si) * Fraction(2) ** round(math.log2(size)) if by_halves else round(shown)
    return value if value in cell.bounds and (not cell.integer or value == int(value)) else si


def _is_within_bounds(point: Point) -> bool:
    """Whether all cells are within their bounds, and none is too small for floats, which then have it as zero."""
    answer = point.answer
    computed = [cell for cell in answer.question.sheet.cells.values() if cell.formula is not None]
    values = {cell: answer.cells[cell.name].si for cell in computed if cell.name in answer.cells}
    if len(values) < len(computed) or not all(cell.allows(si) for cell, si in values.items()):
        return False
    zeros = [cell.name for cell, si in values.items() if isinstance(si, float) and si == 0]
    return not any(point.independent[name] for name in zeros)
