"""The steps of a derivation as text: formula, numbers, result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.layout.text import plain
from flopsheet.report.conversions import converted
from flopsheet.report.formulas import Formulas
from flopsheet.report.sentences import cell_text
from flopsheet.report.steps.digits import Digits, LeastDigits, inputs_in, value_used
from flopsheet.report.steps.values import meaning_of
from flopsheet.report.terminal.console import Line, paragraph
from flopsheet.report.terminal.listings import spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.layout.nodes import Node


def step_entries(answer: Answer, steps: Sequence[Step], width: int) -> list[list[Line]]:
    """Return steps as lines: what each computes, its formula, the same with numbers, the result."""
    question, cells = answer.question, answer.question.sheet.cells
    written = {name: quantity.si for name, quantity in question.quantities.items()}
    digits = Digits(cells, {**answer.values, **written}, LeastDigits(answer), inputs_in(answer.steps, answer))
    digits.carry(answer.steps)
    formulas, names, entries = Formulas(cells, answer.values, question.quantities, digits.of), tuple(cells), []
    for number, step in enumerate(steps, 1):
        lines = paragraph(f"{number}. {step.cell.name}: {meaning_of(step)}", width, indent="   ")
        texts = [] if step.form is None else [spaced(step.form, names)]
        texts += dict.fromkeys(f"= {plain(side)}" for side in _sides(step, formulas, digits))
        used = value_used(step, answer)
        texts += (
            [f"so {cell_text(used, step.cell, digits.of(step.cell.name))}"] if used != step.si else []
        )  # the whole number at the end of a range
        for text in texts:
            lines += paragraph(f"   {text}", width, indent="     ")
        entries.append(lines)
    return entries


def _sides(step: Step, formulas: Formulas, digits: Digits) -> list[Node]:
    """Return what the cell of a step equals: the numbers of its formula, unless it is another cell, and the result."""
    result = digits.result(step)
    return [result] if step.form is None else [converted(formulas.numbers(step.form), result), result]
