"""Which inputs move an answer most, among those that one can turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Trait, nodes
from flopsheet.units import format_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.answer import Answer, CellValue
    from flopsheet.sheets.body import Sheet

MOST_DRIVERS = 6
SMALLEST_ELASTICITY = 0.0005  # printed with three digits, a smaller one reads as zero
_DIGITS = 3
_CONSTANT, LARGEST_CONSTANT = ("byte", "bit", "FLOP"), 16


def strongest(answer: Answer, name: str) -> list[tuple[str, str]]:
    """Return the inputs with the largest elasticities of a cell, each with its elasticity as text, sorted by size."""
    large = drivers(answer, name)[:MOST_DRIVERS]
    return [(by, f"{'-' if value < 0 else '+'}{format_number(abs(value), _DIGITS)}") for by, value in large]


def drivers(answer: Answer, name: str) -> list[tuple[str, float]]:
    """Return the inputs that can be turned, each with the elasticity of a cell, sorted by size; none that is zero."""
    varied = _varied(answer.elasticities(name), answer)
    return [(by, value) for by, value in varied.items() if abs(value) >= SMALLEST_ELASTICITY]


def _varied(elasticities: Mapping[str, float], answer: Answer) -> Mapping[str, float]:
    """Return elasticities without those by constants, as bytes per number or FLOP per parameter, unless all are.

    Nor by counts that a formula rounds, as the stages in `ceil(n_blocks/n_pp)`: the next one is not on the same slope.
    Nor by the shape of a model that the question names.
    """
    fixed = _stepped(answer.question.sheet) | {name for name in elasticities if _is_of_model(answer.cells.get(name))}
    moved = {by: value for by, value in elasticities.items() if by not in fixed}
    varied = {by: value for by, value in moved.items() if not _is_constant(answer.cells.get(by))}
    return varied or moved or elasticities


def _is_of_model(value: CellValue | None) -> bool:
    return value is not None and value.record is not None and value.record.kind == "architecture"


def _stepped(sheet: Sheet) -> frozenset[str]:
    """Return the counts of a sheet that stand inside of a rounding."""
    derived = sheet.rows.derived
    if "stepped" not in derived:
        rounded = (
            part for cell in sheet.cells.values() for own in cell.formulas for part in own.atoms(*nodes(Trait.STEPPED))
        )
        names = frozenset(name for part in rounded for name in cells_of(part))
        derived["stepped"] = frozenset(name for name in names if name in sheet.cells and sheet.cells[name].integer)
    counts: frozenset[str] = derived["stepped"]
    return counts


def _is_constant(value: CellValue | None) -> bool:
    """Whether a value is a default of one, or a small whole one with a source of bytes, bits, FLOP or a count."""
    if value is None or value.origin != "default":
        return False
    if value.exact == 1 or not value.cell.source:
        return value.exact == 1
    unit, counts = value.cell.unit.text.partition("/")[0], value.cell.integer and value.si != 1
    return (unit in _CONSTANT or (not unit and counts)) and value.exact in range(LARGEST_CONSTANT + 1)
