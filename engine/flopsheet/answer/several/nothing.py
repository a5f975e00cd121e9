"""Why several unknowns have no values together: what excludes all tuples, or which whole numbers come nearest."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.outcome import Outcome
from flopsheet.answer.outcomes.told import Told
from flopsheet.answer.outcomes.wording import MUST, in_words, quoted, shown_unit
from flopsheet.answer.several.lost import no_tuple
from flopsheet.answer.several.tuple_texts import tuples_shown
from flopsheet.answer.verification.checks import Check
from flopsheet.budget import in_time
from flopsheet.errors import joined
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.rows import row_of
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import whole_ends
from flopsheet.numbers.spans import NoValueError
from flopsheet.search.joint import Joint, span_of
from flopsheet.units import format_distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.several.counted import Counted
    from flopsheet.answer.several.found import Together
    from flopsheet.formulas.relation import Relation
    from flopsheet.formulas.rows import Row
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_WORDED = 2  # limits that are shown with their meaning
MOST_TRIED = 200  # tuples; each takes about a millisecond
LARGEST = 2**16  # of a number that is tried where its cell has no bound


def nothing(
    cells: Mapping[str, Cell], names: Sequence[str], found: Together, opened: Mapping[str, RealSet]
) -> dict[str, Outcome]:
    """Return the outcomes of unknowns that have no tuple of values, or of whose tuples limits leave none."""
    if not found.excluded and found.counted is not None:
        return _none_of(cells, names, found, found.counted)
    if not found.excluded:
        none = {name: no_tuple(cells[name], names, opened.get(name, ())) for name in names}
        is_open = any(own.open for own in none.values())
        nearest = "" if is_open else _beyond_reach(cells, names, found) or _closest(cells, names, found)
        return {name: own.telling(f"{own.why}{nearest}") for name, own in none.items()} if nearest else none
    limits, several = found.names_of_limits, len(found.limits) > 1
    kind = f"{'Limit' if limits else 'Bound'}{'s' if several else ''}"
    which = f"{kind} {joined([in_words(limit) for limit in found.limits])} exclude{'' if several else 's'}"
    shown = tuples_shown([cells[name] for name in names], found.excluded)
    lifted = ("them" if several else "it") if found.are_all else "limits and bounds"
    why = f"{which} all values of {joined([*names])}. Without {lifted}: {shown}."
    return {name: Outcome(cells[name], "none", reason=Told(why), proof=Proof.PROVEN, limits=limits) for name in names}


def _none_of(cells: Mapping[str, Cell], names: Sequence[str], found: Together, few: Counted) -> dict[str, Outcome]:
    """Return the outcomes where relations hold at none of the tuples that limits on each unknown alone leave."""
    hold = "holds" if len(found.relations) == 1 else "hold"
    shown = [limit.name if len(few.limits) > MOST_WORDED else in_words(limit) for limit in few.limits]
    left = f"that limit{'' if len(shown) == 1 else 's'} {joined(shown)} leave{'s' if len(shown) == 1 else ''}"
    left = left if shown else "within their bounds"
    relations = joined([quoted(own) for own in found.relations])
    why = f"{relations} {hold} at none of the {few.tried} combinations of {joined([*names])} {left}."
    why += _closest(cells, names, found)
    excluding = tuple(limit.name for limit in few.limits)
    return {
        name: Outcome(cells[name], "none", reason=Told(why), proof=Proof.PROVEN, limits=excluding) for name in names
    }


def _beyond_reach(cells: Mapping[str, Cell], names: Sequence[str], found: Together) -> str:
    """Return the first relation that bounds alone exclude, in a sentence with a blank before; nothing without one."""
    domains = [found.execution.bounded(name).bounds for name in found.sought]
    joint = Joint(found.sought, [*found.formulas.items()], found.relations, found.execution.with_pins(), {})
    try:
        spans = joint.over([span_of(own.lower, own.upper) for own in domains])
    except NoValueError:
        return ""
    sides = [spans[place] for place in joint.program.results]  # the left and the right one of each relation
    for relation, low, high in zip(found.relations, sides[::2], sides[1::2], strict=True):
        is_above = low.low > high.high and not relation.operator.startswith(">")
        if is_above or (low.high < high.low and not relation.operator.startswith("<")):
            reached, must = (low.low, high.high) if is_above else (low.high, high.low)
            shown, needed = format_distinct([reached, must], shown_unit(relation, cells))
            side, bound = in_text(relation.left, tuple(cells)), "at least" if is_above else "at most"
            whatever = f"whatever {joined([*names])} are"
            return f" {side} is {bound} {shown}, {whatever}, and must be {MUST[relation.operator]} {needed}."
    return ""


def _closest(cells: Mapping[str, Cell], names: Sequence[str], found: Together) -> str:
    """Return with which whole numbers the fewest relations fail, and by the least, in a sentence with a blank before.

    It speaks of the numbers that were tried alone. Nothing is returned where unknowns are no whole numbers, or rest on
    others.
    """
    if tuple(names) != found.sought or not all(cells[name].integer for name in names):
        return ""
    sizes = [_sizes(found.execution.bounded(name), int(MOST_TRIED ** (1 / len(names)))) for name in names]
    tried, known = list[tuple[list[Check], tuple[int, ...]]](), found.execution.with_pins()
    row = row_of(tuple(found.formulas.items()))
    with suppress(TimeoutError):
        for at in in_time(product(*sizes)):
            numbers = dict(zip(names, at, strict=True))
            failing = _failing(cells, found.relations, {**known, **numbers}, row)
            tried += [] if failing is None else [(failing, at)]
    if not tried:
        return ""
    failing, at = min(tried, key=lambda one: (len(one[0]), sum(abs(check.slack) for check in one[0])))
    shown = joined([f"{name} = {cells[name].text(number)}" for name, number in zip(names, at, strict=True)])
    is_told = failing and not any(check.relation.is_equation for check in failing)  # sizes say little of equations
    return f" Of those that were tried, {shown} come nearest: {failing[0].failure}." if is_told else ""


def _sizes(cell: Cell, most: int) -> list[int]:
    """Return whole numbers of a cell, each about twice the one before, with its ends; at most so many."""
    first, last = whole_ends(cell.bounds.interval)
    low, high = int(max(first, -LARGEST)), int(min(last, LARGEST))
    steps = (2**power for power in range(LARGEST.bit_length()))
    between = [number for number in steps if low < number < high]
    return [*dict.fromkeys([low, *between[: max(most - 2, 0)], high])]


def _failing(
    cells: Mapping[str, Cell], relations: Sequence[Relation], known: Mapping[str, Number | str], row: Row
) -> list[Check] | None:
    """Return the relations that fail at known values; None where one has no value, or a cell is out of bounds."""
    computed = row.values(known, {})
    if computed is None or any(value not in cells[name].bounds for name, value in computed.items()):
        return None
    values, failing = {**known, **computed}, list[Check]()
    for relation in relations:
        left, right = (value_or_none(side, values, rounded=True) for side in (relation.left, relation.right))
        if left is None or right is None:
            return None
        if not relation.holds(left, right):
            failing.append(Check(relation, left, right, cells, holds=False))
    return failing
