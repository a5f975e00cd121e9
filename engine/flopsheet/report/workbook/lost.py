"""What is said of an unknown that has no value with the inputs of a workbook: of a count, the fraction it would be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.report.workbook.live_texts import WHOLE, fraction_text, shown_fraction, shown_unit, unit_text
from flopsheet.report.workbook.writer import number_in, quoted
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from flopsheet.report.workbook.model.model import Model

LOST = "no value found with these inputs"
LACKING = "A cell of the sheet Model has no value with these inputs: ask flopsheet again."
FRACTION = "no whole number works: it would be "


def fraction_of(model: Model, name: str) -> tuple[str, str] | None:
    """Return what is said of a count that only a fraction satisfies, as a formula and as it is now."""
    proven, cell = model.proven.get(name), model.answer.cells[name].cell
    if proven is None or not proven.fraction:
        return None
    place, value = proven.candidate, model.live.values[name]
    numbers, shown = fraction_text(place), shown_fraction(0 if isinstance(value, str) else value)
    around = f'TEXT(INT({place}),"{WHOLE}")', f'TEXT(INT({place})+1,"{WHOLE}")'
    text = f"{quoted(FRACTION)}&{numbers}&{unit_text(numbers, cell.unit)}&{quoted(', ')}"
    low = math.floor(0 if isinstance(value, str) else value)
    between, known = (
        f"{quoted('between ')}&{around[0]}&{quoted(' and ')}&{around[1]}",
        f"between {low:,} and {low + 1:,}",
    )
    if is_finite(cell.bounds.lower):
        between = f"IF(INT({place})<{number_in(cell.bounds.lower)},{quoted('near ')}&{around[1]},{between})"
        known = f"near {low + 1:,}" if low < cell.bounds.lower else known
    return f"{text}&{between}", f"{FRACTION}{shown}{shown_unit(shown, cell.unit)}, {known}"


def valueless_test(model: Model, sheet: str) -> str:
    """Return the test that an unknown has no value, or any computed cell of a sheet of which nothing was asked for.

    There is none where only names were.
    """
    if model.answer.outcomes:
        return f"OR({','.join(f'ISERROR({model.names[name]})' for name in model.answer.outcomes)})"
    if model.answer.ranking is not None:
        return ""
    last = len(model.keys) + 1
    return f"SUMPRODUCT(ISERROR({sheet}!$B$2:$B${last})*({sheet}!$G$2:$G${last}={quoted('computed')}))>0"


def _lost_text(name: str) -> str:
    return f"{name}: {LOST}. "


def lost_formula(model: Model, name: str) -> str:
    """Return what is said of an unknown without a value as a formula: of a count, the fraction that it would be."""
    fraction, lost = fraction_of(model, name), quoted(_lost_text(name))
    if fraction is None:
        return lost
    return f"IF({model.proven[name].fraction},{quoted(f'{name}: ')}&{fraction[0]}&{quoted('. ')},{lost})"


def lost_now(model: Model, name: str) -> str:
    """Return that at the inputs of the question."""
    fraction = fraction_of(model, name)
    is_told = fraction is not None and model.proven[name].is_fraction
    return f"{name}: {fraction[1]}. " if fraction is not None and is_told else _lost_text(name)
