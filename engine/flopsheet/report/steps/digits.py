"""Digits of the cells in a derivation: as many as it takes for each line to give its printed result."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.layout import nodes
from flopsheet.report.steps.values import value_of
from flopsheet.session import cached
from flopsheet.units import in_unit
from flopsheet.units.apart import between_layout
from flopsheet.units.quantities import SCALES
from flopsheet.units.text import DIGITS, exact_digits, layout_in, quantity_layout, shown_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Unit

MOST_DIGITS = 15  # that a float holds
MOST_PASSES = 4
MOST_CACHED = 16_384
LAST_BIT = Fraction(1, 2**50)  # of a float, and what computing it leaves


class Digits:
    """The digits of each cell, from the last step to the first: a result needs some, so its operands need as many.

    Args:
        cells: the cells by name.
        values: their values [base units], and those of what relations write; choices by their option.
        least: the digits of the cells that are shown with more than others: see `digits_of`.
        inputs: the names of the cells that are given; a step that computes one has no more digits than others.
    """

    def __init__(
        self,
        cells: Mapping[str, Cell],
        values: Mapping[str, Number | str],
        least: Mapping[str, int],
        inputs: frozenset[str] = frozenset(),
    ) -> None:
        self._cells, self._values, self._least, self._inputs = cells, values, least, inputs
        self._digits: dict[str, int] = {}
        self._typed = dict(values)  # with what is printed in place of what is rounded
        self._rounded: dict[str, bool] = {}

    def carry(self, steps: Sequence[Step]) -> None:
        """Take as many digits as these steps need."""
        shown = [
            (step, tuple(filter(self._is_rounded, cells_of(step.form)))) for step in steps if step.form is not None
        ]
        rounded = [(step, names) for step, names in reversed(shown) if names]
        checked: dict[str, tuple[int, ...]] = {}
        for _ in range(MOST_PASSES):
            for step, names in rounded:
                if checked.get(step.cell.name) != self._state(step, names):
                    self._check(step, names)
                    checked[step.cell.name] = self._state(step, names)
            if all(checked[step.cell.name] == self._state(step, names) for step, names in rounded):
                return

    def _state(self, step: Step, names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple([self._digits.get(name, 0) for name in (step.cell.name, *names)])

    def of(self, name: str) -> int:
        """Return how many digits a cell is shown with."""
        return self._digits.get(name) or self._least.get(name, DIGITS)

    def result(self, step: Step) -> nodes.Node:
        """Return the layout of the result of a step: for a count, between the integers beside it."""
        name, unit = step.cell.name, step.cell.unit
        if step.cell.integer and name not in self._digits:
            return between_layout(step.si, unit)
        return quantity_layout(step.si, unit, DIGITS if self._is_plain(name) else self.of(name))

    def _is_plain(self, name: str) -> bool:
        return name in self._inputs and name not in self._digits

    def _check(self, step: Step, rounded: tuple[str, ...]) -> None:
        """Raise the digits of the rounded cells that a step is computed from until they give its result."""
        before = {name: self._digits.get(name, 0) for name in rounded}
        shown, last = _typed(self.result(step))
        size = step.cell.unit if step.cell.integer else shown_in(step.si, step.cell.unit)
        while True:
            value = value_of(step.form, self._typed)
            if value is None or abs(Fraction(in_unit(value, size)) - shown) <= last / 2:
                return
            fewest = min(map(self.of, rounded))
            if fewest >= MOST_DIGITS:
                break
            for name in rounded:
                self._take(name, max(self.of(name), fewest + 1))
        for name, digits in before.items():  # no number of digits gives it
            self._take(name, digits)

    def _is_rounded(self, name: str) -> bool:
        if name not in self._rounded:
            self._rounded[name] = name in self._cells and self._has_more_digits(name)
        return self._rounded[name]

    def _has_more_digits(self, name: str) -> bool:
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return False
        self._typed[name] = self._printed(name, value)
        return _differs(value, self._cells[name].unit, self.of(name))

    def _take(self, name: str, digits: int) -> None:
        if digits:
            self._digits[name] = digits
        else:
            self._digits.pop(name, None)
        self._typed[name] = self._printed(name, self._values[name])  # type: ignore[arg-type]

    def _printed(self, name: str, value: Number) -> Fraction:
        return _printed(value, self._cells[name].unit, self.of(name))


@cached(maxsize=MOST_CACHED, typed=True)
def _printed(si: Number, declared: Unit, digits: int) -> Fraction:
    """Return what is printed of a value [base units], in base units."""
    unit = shown_in(si, declared)
    return _typed(layout_in(in_unit(si, unit), unit, digits))[0] * unit.factor


@cached(maxsize=MOST_CACHED, typed=True)
def _differs(si: Number, declared: Unit, digits: int) -> bool:
    """Whether what is printed of a value differs from it by more than a float holds."""
    printed = _printed(si, declared, digits)
    return abs(printed - Fraction(si)) > LAST_BIT * abs(printed) if isinstance(si, float) else printed != si


@cached(maxsize=MOST_CACHED)
def _typed(layout: nodes.Node) -> tuple[Fraction, Fraction]:
    """Return a printed number, and the size of its last digit: of the fourth where it is exact with fewer."""
    number = layout.number if isinstance(layout, nodes.Quantity) else layout
    if not isinstance(number, nodes.Number):
        return Fraction(0), Fraction(1)
    text, scale = number.text.replace(",", ""), Fraction(10) ** (number.power or 0) * SCALES.get(number.letter, 1)
    behind, significant = len(text.partition(".")[2]), len(text.replace(".", "").lstrip("-0"))
    behind = behind + max(DIGITS - significant, 0) if behind else max(DIGITS - len(text.lstrip("-")), 0)
    return Fraction(text) * scale, scale / 10**behind


def digits_of(answer: Answer) -> dict[str, int]:
    """Return the digits of the cells that a page prints with more than others.

    An input has all of its digits, up to nine, and so has a formula that is a number; what a relation compares, so many
    that its sides differ; what the reason of an answer gives of a cell, as many as there.
    """
    cells, formula = answer.question.sheet.cells, answer.question.formula
    inputs = [
        value for name, value in answer.cells.items() if value.is_input or getattr(formula(name), "is_Number", False)
    ]
    digits = {value.cell.name: exact_digits(value.si, value.cell.unit) or DIGITS for value in inputs}
    told = [(check.relation, check.digits) for check in (*answer.checks, *answer.limits)]
    decided = [(outcome.deciding, outcome.digits) for outcome in answer.outcomes.values()]
    for relation, most in (*told, *((relation, most) for relation, most in decided if relation is not None)):
        for name in (side.name for side in (relation.left, relation.right) if side.is_Symbol and side.name in cells):
            digits[name] = max(most, digits.get(name, DIGITS))
    return digits


def value_used(step: Step, answer: Answer) -> Number:
    """Return the value of a cell with which later steps compute: of a count the whole number, where a range ends."""
    outcome = answer.outcomes.get(step.cell.name)
    return step.si if outcome is None or outcome.si is None else outcome.si
