"""What the sheet Scenarios says of its columns: remarks, relations as they are written, numbers of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.tables import remark
from flopsheet.report.workbook.live_texts import AS_ASKED
from flopsheet.report.workbook.model.inputs import is_any_outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.verification.checks import Check
    from flopsheet.formulas.relation import Relation
    from flopsheet.report.workbook.columns import Column
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.units import Number

LARGEST_PLAIN = 10**6  # labels of columns show larger numbers with a power of ten


def as_asked(column: Column) -> str:
    """Return the remark of a scenario that is not live, which is of the inputs as asked."""
    text = remark(column.row)
    return AS_ASKED + text if text else ""


def works_now(model: Model) -> bool:
    """Whether all holds in a scenario at the inputs of the question."""
    return model.all_hold and not is_any_outside(model)


def unvalued(model: Model) -> list[Outcome]:
    """Return the outcomes that are no single number or name, so that the sheet has no value for their cells."""
    return [outcome for name, outcome in model.answer.outcomes.items() if name not in model.names]


def broken_text(model: Model, relation: Relation) -> str:
    """Return that a relation does not hold, which stays true when the number of a demand changes."""
    return f"{relation.name or model.text_of(relation)} does not hold. "


def relation_text(row: Sequence[tuple[Column, Model, Check]]) -> str:
    """Return a relation as it is written, with the name of each demand in place of its number."""
    _, model, check = row[0]
    own = model.relation(check)
    text = model.text_of(own)
    return f"{own.name}: {text}" if own.name else text


def short(number: Number) -> str:
    """Return a number as the formula of a label shows it."""
    value = float(number)
    if abs(value) < LARGEST_PLAIN:
        return f"{value:.15g}"
    digits, power = f"{value:.3e}".split("e")
    digits = digits.rstrip("0")
    return f"{digits}0E+{int(power)}" if digits.endswith(".") else f"{digits}E+{int(power)}"
