"""Digits of the cells in a derivation: as many as it takes for each line to give its printed result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.formulas.trees import symbol_names
from flopsheet.layout import nodes
from flopsheet.report.formulas import Formulas
from flopsheet.report.steps.values import value_of
from flopsheet.session import cached
from flopsheet.units import exceeds_floats, in_unit
from flopsheet.units.apart import between_layout
from flopsheet.units.quantities import SCALES
from flopsheet.units.text import DIGITS, input_digits, layout_in, quantity_layout, shown_in, telling_digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Quantity, Unit

MOST_DIGITS = 15  # that a float holds
MOST_PASSES = 16
MOST_CACHED = 16_384
NEAR = 10.0**-DIGITS  # share of a result
LAST_BIT = 2.0**-50  # of a float, and what computing it leaves


class Digits:
    """The digits of each cell, from the last step to the first: a result needs some, so its operands need as many.

    Args:
        measured: the cells, and the quantities that relations write, by name: each has a unit.
        values: their values [base units]; choices by their option.
        least: the digits of the cells that are shown with more than others: see `LeastDigits`.
        inputs: the names of the cells that are given; a step that computes one has no more digits than others.
    """

    def __init__(
        self,
        measured: Mapping[str, Cell | Quantity],
        values: Mapping[str, Number | str],
        least: LeastDigits,
        inputs: frozenset[str] = frozenset(),
    ) -> None:
        self._measured, self._values, self._least, self._inputs = measured, values, least, inputs
        self._digits: dict[str, int] = {}
        self._typed = dict(values)  # with what is printed in place of what is rounded
        self._rounded: dict[str, bool] = {}

    def carry(self, steps: Sequence[Step]) -> None:
        """Take as many digits as these steps need."""
        shown = [
            (step, tuple(sorted(filter(self._is_rounded, symbol_names(step.form)))))
            for step in steps
            if step.form is not None
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
        return self._digits.get(name) or self._own(name)

    def _own(self, name: str) -> int:
        """Return how many digits a cell is shown with where no result needs more."""
        return self._least.of(name) or DIGITS

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
        result = self.result(step)
        size = step.cell.unit if step.cell.integer else shown_in(step.si, step.cell.unit)
        while True:
            if self._gives(step, size, result):
                return self._take_back(step, before, size, result)
            fewest = min(map(self.of, rounded))
            if fewest >= MOST_DIGITS:
                break
            for name in rounded:
                self._take(name, max(self.of(name), fewest + 1))
        self._take_least(step, before)
        return None

    def _take_least(self, step: Step, before: Mapping[str, int]) -> None:
        """Return to the digits before, as not even those of a float give a result; unless only these come near it."""
        all_digits, is_near = {name: self.of(name) for name in before}, self._is_near(step)
        for name, digits in before.items():
            self._take(name, digits)
        if is_near and not self._is_near(step):
            for name, digits in all_digits.items():
                self._take(name, digits)

    def _is_near(self, step: Step) -> bool:
        """Whether a step gives about its result from what is printed of its operands."""
        value = value_of(step.form, self._typed)
        if value is None or exceeds_floats(value):
            return False
        return abs(float(value) - float(step.si)) <= NEAR * abs(float(step.si))

    def _gives(self, step: Step, size: Unit, result: nodes.Node) -> bool:
        """Whether a step gives its printed result from what is printed of its operands, or cannot be computed again."""
        value = value_of(step.form, self._typed)
        if value is None:  # few digits may leave nothing under a fraction, or less under a root
            return value_of(step.form, self._values) is None
        return exceeds_floats(value) or _is_printed_as(value, size, result)

    def _take_back(self, step: Step, before: Mapping[str, int], size: Unit, result: nodes.Node) -> None:
        """Lower the digits of one cell after another while the result stays: a small term of a sum needs fewer."""
        for name, least in before.items():
            while (raised := self._digits.get(name, 0)) > least:
                fewer = raised - 1
                self._take(name, fewer if fewer > (least or self._own(name)) else least)
                if not self._gives(step, size, result):
                    self._take(name, raised)
                    break

    def _is_rounded(self, name: str) -> bool:
        if name not in self._rounded:
            self._rounded[name] = name in self._measured and self._has_more_digits(name)
        return self._rounded[name]

    def _has_more_digits(self, name: str) -> bool:
        value = self._values.get(name)
        if value is None or isinstance(value, str) or exceeds_floats(value):
            return False
        self._typed[name], is_rounded = _printed(value, self._measured[name].unit, self.of(name))
        return is_rounded

    def _take(self, name: str, digits: int) -> None:
        if digits:
            self._digits[name] = digits
        else:
            self._digits.pop(name, None)
        value: Any = self._values[name]
        self._typed[name] = _printed(value, self._measured[name].unit, self.of(name))[0]


@cached(maxsize=MOST_CACHED, typed=True)
def _printed(si: Number, declared: Unit, digits: int) -> tuple[float, bool]:
    """Return what is printed of a value, both in base units, and whether it differs by more than a float holds."""
    unit = shown_in(si, declared)
    printed = _typed(layout_in(in_unit(si, unit), unit, digits))[0] * float(unit.factor)
    return printed, abs(printed - float(si)) > LAST_BIT * abs(printed)


def _is_printed_as(si: Number, unit: Unit, result: nodes.Node) -> bool:
    """Whether a value [base units] is rounded to a result that is printed in a unit."""
    shown, last = _typed(result)
    return abs(float(si) / float(unit.factor) - shown) <= last / 2 + LAST_BIT * abs(shown)


@cached(maxsize=MOST_CACHED)
def _typed(layout: nodes.Node) -> tuple[float, float]:
    """Return a printed number, and the size of its last digit: of the fourth where it is exact with fewer."""
    number = layout.number if isinstance(layout, nodes.Quantity) else layout
    if not isinstance(number, nodes.Number):
        return 0.0, 1.0
    text, power, scale = number.text.replace(",", ""), number.power or 0, SCALES.get(number.letter, 1)
    behind, significant = len(text.partition(".")[2]), len(text.replace(".", "").lstrip("-0"))
    behind = behind + max(DIGITS - significant, 0) if behind else max(DIGITS - len(text.lstrip("-")), 0)
    return float(f"{text}e{power}") * scale, float(f"1e{power - behind}") * scale


class LeastDigits(dict[str, int]):
    """The digits of cells that a page prints with more than others, each worked out when it is asked for.

    An input has all of its digits, up to nine, and so have a formula that is a number and a quantity that a relation
    writes; what a relation compares, so many that its sides differ; what the reason of an answer gives of a cell, as
    many as there; what is near a round number, so many that it differs from that. Most cells are on no page.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer, cells = answer, answer.question.sheet.cells
        told = [(check.relation, check.digits) for check in (*answer.checks, *answer.limits)]
        told += [(own.deciding, own.digits) for own in answer.outcomes.values() if own.deciding is not None]
        self._told = dict[str, int]()
        for relation, most in told:
            for name in (side.name for side in (relation.left, relation.right) if side.is_Symbol):
                if name in cells:
                    self._told[name] = max(most, self._told.get(name, DIGITS))

    def of(self, name: str) -> int:
        """Return the digits of a cell or quantity; 0 of one that has no more than others."""
        return self[name]

    def __missing__(self, name: str) -> int:
        answer, digits = self._answer, self._told.get(name, 0)
        value, written = answer.cells.get(name), answer.question.quantities.get(name)
        if value is not None and (value.is_input or getattr(answer.question.formula(name), "is_Number", False)):
            digits = max(digits, input_digits(value.si, value.cell.unit))
        elif value is not None:
            digits = max(digits, telling_digits(value.si, value.cell.unit))
        elif written is not None:
            digits = input_digits(written.si, written.unit)
        self[name] = digits
        return digits


def carried(
    steps: Sequence[Step], answer: Answer, least: LeastDigits | None = None, like: Formulas | None = None
) -> tuple[Digits, Formulas]:
    """Return the digits that these steps of an answer need, and formulas that print numbers with them.

    `least` and `like` are the digits and formulas of the answer, where its page has them already.
    """
    cells, quantities = answer.question.sheet.cells, answer.question.quantities
    values = {step.cell.name: value_used(step, answer) for step in steps} | answer.values
    measured: dict[str, Cell | Quantity] = {**cells, **quantities}
    least = LeastDigits(answer) if least is None else least
    digits = Digits(measured, {**values, **answer.question.literals}, least, _inputs_in(steps, answer))
    digits.carry(steps)
    return digits, Formulas(cells, values, quantities, digits.of, like)


def _inputs_in(steps: Sequence[Step], answer: Answer) -> frozenset[str]:
    """Return the cells that are given although a step computes them."""
    cells = answer.cells
    return frozenset([name for step in steps if (name := step.cell.name) in cells and cells[name].is_input])


def value_used(step: Step, answer: Answer) -> Number:
    """Return the value of a cell with which later steps compute: of a count the whole number, where a range ends."""
    outcome = answer.outcomes.get(step.cell.name)
    return step.si if outcome is None or outcome.si is None else outcome.si
