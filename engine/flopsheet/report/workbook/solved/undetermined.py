"""With which options no relation rests on an unknown: flopsheet takes no such question, so a workbook has no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Trait, nodes, taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live


def undetermining(live: Live, name: str) -> Iterator[tuple[str, str]]:
    """Yield the choices, each with an option, that leave no condition of an unknown which rests on it.

    The bandwidth of a link between sites, for instance, where these never synchronize.
    """
    sides = [side for own in live.conditions.get(name, ()) for side in (own.left, own.right)]
    options = live.question.options
    for choice in sorted(_deciding(live, name, sides) if sides else ()):
        for option in live.question.sheet.choices[choice].options:
            others = {**options, choice: option}
            if option != options[choice] and not any(_rests_on(live, name, side, others) for side in sides):
                yield choice, option


def _deciding(live: Live, name: str, sides: list[Expr]) -> set[str]:
    """Return the choices in expressions and in the cells between an unknown and these."""
    inside = [*sides, *(live.formulas[cell] for cell in live.between(name, *sides))]
    found = {node.args[0].name for side in inside for node in side.atoms(*nodes(Trait.CHOOSES))}
    return found & live.question.options.keys()


def _rests_on(live: Live, name: str, side: Expr, options: Mapping[str, str]) -> bool:
    """Whether an expression rests on a cell by the formulas, with some options."""
    seen, waiting = set[str](), [*cells_of(taken(side, options))]
    while waiting:
        cell = waiting.pop()
        if cell == name:
            return True
        if cell not in seen and cell in live.formulas:
            seen.add(cell)
            waiting += cells_of(taken(live.formulas[cell], options))
    return False
