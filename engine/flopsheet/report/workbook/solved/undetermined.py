"""With which options no relation rests on an unknown: flopsheet takes no such question, so a workbook has no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.functions import Trait, nodes
from flopsheet.report.workbook.solved.behind import resting_on

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            if option != options[choice] and not any(name in resting_on(live, side, {name}, others) for side in sides):
                yield choice, option


def _deciding(live: Live, name: str, sides: list[Expr]) -> set[str]:
    """Return the choices in expressions and in the cells between an unknown and these."""
    inside = [*sides, *(live.formulas[cell] for cell in live.between(name, *sides))]
    found = {node.args[0].name for side in inside for node in side.atoms(*nodes(Trait.CHOOSES))}
    return found & live.question.options.keys()
