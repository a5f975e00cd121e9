"""What moves an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.entries import Move
from flopsheet.report.sentences import MOST_MOVING, move_text, strongest
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.units import Quantity


def moves_of(answer: Answer) -> list[Move]:
    """Return the strongest moves, of several unknowns an equal share each."""
    found = {name: strongest(answer.elasticities(name)) for name in answer.outcomes}
    moved = [name for name, moves in found.items() if moves]
    share = max(MOST_MOVING // max(len(moved), 1), 1)
    return [_move(name, *each, answer) for name in moved for each in found[name][:share]][:MOST_MOVING]


def moves_text(answer: Answer, name: str) -> str:
    """Return the inputs that move a cell most, each with its elasticity: `d_ff +0.94, chip.memory -1`."""
    written = answer.question.quantities
    return ", ".join(f"{_called(by, written)} {value}" for by, value in strongest(answer.elasticities(name)))


def _move(name: str, by: str, elasticity: str, answer: Answer) -> Move:
    written, cell = answer.question.quantities, answer.question.sheet.cells[name]
    grown = "1 % more than" if by in written else "1 % farther from zero:" if _is_negative(by, answer) else "1 % more"
    text = move_text(elasticity, counted=cell.integer, negative=_is_negative(name, answer))
    return Move(name, _called(by, written), grown, elasticity, text)


def _is_negative(name: str, answer: Answer) -> bool:
    return name in answer.cells and answer.cells[name].si < 0


def _called(by: str, written: Mapping[str, Quantity]) -> str:
    """Return how an input is called: by the name of its cell, or as the quantity that the question writes."""
    return format_quantity(written[by].si, written[by].unit) if by in written else by
