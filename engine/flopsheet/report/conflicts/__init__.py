"""Why a question has no answer: the values of its unknowns that come nearest to one, and the relation that fails."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.outcomes.wording import in_words, shown_unit
from flopsheet.errors import joined
from flopsheet.formulas.printing import in_text
from flopsheet.report.conflicts.nearest import Nearest, nearest
from flopsheet.report.conflicts.trial import answer_at
from flopsheet.report.conflicts.tuples import nearest_tuple
from flopsheet.report.entries import Line, lines_of
from flopsheet.report.steps.used import steps_for
from flopsheet.units import format_number, in_unit, size
from flopsheet.units.text import DIGITS, format_in, shown_in

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

MOST_DIGITS = 15
_WANTED = {"=": "exactly", "<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}


class Conflict(NamedTuple):
    """Where a question fails."""

    text: str  # the value of the unknown that comes nearest, what it gives, what is wanted, and the difference
    steps: list[Line]  # how that is computed from what the page shows
    inputs: frozenset[str] = frozenset()  # the cells in these steps


def conflict_of(answer: Answer) -> Conflict:
    """Return where an answer without a value fails; empty where it has one, or no value can be tried."""
    found = nearest(answer) or nearest_tuple(answer)
    if found is None:
        return Conflict("", [])
    trial = answer_at(answer, found.values)
    used = None if trial is None else steps_for(trial, [])
    steps = [] if used is None else used.steps
    shown = {step.cell.name for step in steps_for(answer, []).steps} | found.values.keys()
    new = [step for step in steps if step.cell.name not in shown]
    if trial is None or used is None or not new:
        return Conflict(_text(found, answer), [])
    return Conflict(_text(found, answer), lines_of(new, trial, short=True), used.cells)


def _text(found: Nearest, answer: Answer) -> str:
    relation, cells = found.relation, answer.question.sheet.cells
    unit = shown_in(max(found.left, found.right, key=size), shown_unit(relation, cells))
    left, right = _distinct(*(Fraction(in_unit(side, unit)) for side in (found.left, found.right)))
    texts = [f"{format_in(value, unit, digits)} {unit.text}".strip() for value, digits in (left, right)]
    gap = abs(left[0] - right[0])
    apart = f"{format_in(gap, unit, _significant(gap, _places(gap)))} {unit.text}".strip()
    farther = f", and hardly nearer {found.farther}" if found.farther else ""
    at = joined([f"{name} = {cells[name].text(value)}" for name, value in found.values.items()]) + farther
    what = in_text(relation.left, tuple(cells))
    what = f"{what} is" if relation.left.is_Symbol else f"'{what}' is"
    much = "much" if left[0] > right[0] else "little"
    wanted = f"{'limit ' * bool(relation.limit)}{in_words(relation)} wants {_WANTED[relation.operator]}"
    whole = "target" if relation.is_equation else "bound"
    share = f" ({format_number(100 * gap / right[0])} % of the {whole})" if right[0] > 0 else ""
    failing = joined([f"{'limit ' * bool(own.limit)}{in_words(own)}" for own in found.others])
    others = f" There {failing} {'fail' if len(found.others) > 1 else 'fails'} too." if failing else ""
    tried = "Nearest of the values tried," if len(found.values) > 1 else "Nearest at"
    return f"{tried} {at}: {what} {texts[0]}, and {wanted} {texts[1]}: {apart} too {much}{share}.{others}"


def _distinct(left: Fraction, right: Fraction) -> list[tuple[Fraction, int]]:
    """Return two numbers rounded so that their difference has four digits, each with the digits that it is shown with.

    The difference of what is printed is then what is printed as the difference.
    """
    places = _places(left - right)
    rounded = [round(side, places) for side in (left, right)]
    return [(value, _significant(value, places)) for value in rounded]


def _places(number: Fraction) -> int:
    """Return how many digits behind the point a number has, shown with four."""
    return DIGITS - 1 - math.floor(math.log10(size(number))) if number else 0


def _significant(number: Fraction, places: int) -> int:
    before = math.floor(math.log10(size(number))) + 1 if number else 1
    return min(max(before + places, 1), MOST_DIGITS)
