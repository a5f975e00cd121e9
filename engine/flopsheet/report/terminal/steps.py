"""The steps of a derivation as text: formula, numbers, result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.layout.text import plain
from flopsheet.report.conversions import converted
from flopsheet.report.sentences import cell_text
from flopsheet.report.steps.digits import carried, value_used
from flopsheet.report.steps.values import meaning_of
from flopsheet.report.terminal.console import Line, paragraph
from flopsheet.report.terminal.listings import spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.layout.nodes import Node
    from flopsheet.report.formulas import Formulas
    from flopsheet.report.steps.digits import Digits


def step_entries(answer: Answer, steps: Sequence[Step], width: int) -> list[list[Line]]:
    """Return steps as lines: what each computes, its formula, the same with numbers, the result."""
    digits, formulas = carried(steps, answer)
    entries = []
    for number, step in enumerate(steps, 1):
        lines = paragraph(f"{number}. {step.cell.name}: {meaning_of(step)}", width, indent="   ")
        texts = [] if step.form is None else [spaced(step.form, formulas.names)]
        texts += dict.fromkeys(f"= {plain(side)}" for side in _sides(step, formulas, digits))
        used = value_used(step, answer)
        if used != step.si:  # the whole number at the end of a range
            texts.append(f"so {cell_text(used, step.cell, digits.of(step.cell.name))}")
        for text in texts:
            lines += paragraph(f"   {text}", width, indent="     ")
        entries.append(lines)
    return entries


def _sides(step: Step, formulas: Formulas, digits: Digits) -> list[Node]:
    """Return what the cell of a step equals: the numbers of its formula, unless it is another cell, and the result."""
    result = digits.result(step)
    return [result] if step.form is None else [converted(formulas.numbers(step.form), result), result]
