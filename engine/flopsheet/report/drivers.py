"""Sensitivities in words: the inputs that change an answer most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.entries import Driver
from flopsheet.units import format_number, format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.units import Quantity

MOST_DRIVERS = 6
_DIGITS = 3
SMALLEST_ELASTICITY = 0.0005  # printed with three digits, a smaller one reads as zero


def drivers_of(answer: Answer) -> list[Driver]:
    """Return the strongest drivers of the unknowns; several unknowns share the places equally."""
    strongest = {name: _strongest(answer.elasticities(name)) for name in answer.outcomes}
    driven = [name for name, elasticities in strongest.items() if elasticities]
    share = max(MOST_DRIVERS // max(len(driven), 1), 1)
    rows = [_driver(name, *row, answer) for name in driven for row in strongest[name][:share]]
    return rows[:MOST_DRIVERS]


def drivers_text(answer: Answer, name: str) -> str:
    """Return the strongest drivers of a cell with their elasticities: `d_ff +0.94, chip.memory -1`."""
    literals = answer.question.quantities
    return ", ".join(f"{_input_text(by, literals)} {value}" for by, value in _strongest(answer.elasticities(name)))


def _strongest(elasticities: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return the inputs with the largest elasticities, each with its elasticity as text; they come sorted by size."""
    large = [(by, _signed(value)) for by, value in elasticities.items() if abs(value) >= SMALLEST_ELASTICITY]
    return large[:MOST_DRIVERS]


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{format_number(abs(value), _DIGITS)}"


def _driver(name: str, by: str, elasticity: str, answer: Answer) -> Driver:
    literals, cell = answer.question.quantities, answer.question.sheet.cells[name]
    change = "1 % more than" if by in literals else "1 % farther from zero:" if _is_negative(by, answer) else "1 % more"
    effect = _effect_text(elasticity, counted=cell.integer, negative=_is_negative(name, answer))
    return Driver(name, _input_text(by, literals), change, elasticity, effect)


def _effect_text(elasticity: str, *, counted: bool, negative: bool) -> str:
    """Return a signed elasticity in words: `0.6 % less`, `0.6 % fewer` of a count, `0.6 % nearer to zero:`."""
    falls = elasticity.startswith("-")
    if negative:
        return f"{elasticity[1:]} % {'nearer to' if falls else 'farther from'} zero:"
    less = "fewer" if counted else "less"
    return f"{elasticity[1:]} % {less if falls else 'more'}"


def _is_negative(name: str, answer: Answer) -> bool:
    return name in answer.cells and answer.cells[name].si < 0


def _input_text(by: str, literals: Mapping[str, Quantity]) -> str:
    """Return the name of an input; a quantity written in the question is its own name."""
    return format_quantity(literals[by].si, literals[by].unit) if by in literals else by
