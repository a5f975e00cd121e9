"""Intervals in words and units of relations, the same wherever an answer speaks of them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from flopsheet.answer.inputs import figures_of_default, missing_inputs
from flopsheet.budget import is_over, is_stopped, longer
from flopsheet.errors import joined
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import Interval, whole_ends
from flopsheet.question.figures import absence, absent_figures
from flopsheet.units import (
    Number,
    Quantity,
    Unit,
    base_unit,
    format_all_distinct,
    format_whole,
    is_finite,
    size,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.functions.symbols import Expr
    from flopsheet.numbers.progressions import Progression
    from flopsheet.sheets.cell import Cell

MOST_SHOWN, MOST_LISTED, MOST_RANGES = 20, 1000, 6
LONG_RUN = 6  # whole numbers in a row from which on they read better as a range
FLOAT_DIGITS = 15
MUST = {"=": "exactly", "<=": "at most", ">=": "at least", "<": "below", ">": "above"}


def texts_of(values: Iterable[Number], cell: Cell) -> dict[Number, str]:
    """Return values of a cell as text, all with more digits where two of them would read alike."""
    numbers = list(dict.fromkeys(value for value in values if is_finite(value)))
    texts = format_all_distinct(numbers, cell.unit)
    return {
        number: max(cell.text(number), text, key=len) if cell.integer else text
        for number, text in zip(numbers, texts, strict=True)
    }


def ends_of(intervals: Iterable[Interval]) -> list[Number]:
    """Return the ends of intervals."""
    return [end for interval in intervals for end in (interval.lower, interval.upper)]


def interval_text(interval: Interval, cell: Cell, texts: Mapping[Number, str] | None = None) -> str:
    """Return an interval of a cell's values: `n >= 45.76`, `720 GiB < m <= 800 GiB`, `n = 3`, `any n`.

    An end that is only the cell's own bound is left out. `texts` has the ends as text, where others are shown beside.
    """
    name, texts = cell.name, texts_of(ends_of([interval]), cell) if texts is None else texts
    if interval.is_point:
        return f"{name} = {texts[interval.lower]}"
    bounded = (interval.lower, interval.lower_closed) == (cell.bounds.lower, cell.bounds.lower_closed)
    low = "" if bounded or interval.lower == -math.inf else texts[interval.lower]
    at_most = interval.upper == math.inf or (interval.upper == cell.bounds.upper and interval.upper_closed)
    high = "" if at_most else texts[interval.upper]
    less, more = ("<=" if closed else "<" for closed in (interval.lower_closed, interval.upper_closed))
    if low and high:
        return f"{low} {less} {name} {more} {high}"
    if low:
        return f"{name} {'>=' if interval.lower_closed else '>'} {low}"
    return f"{name} {more} {high}" if high else f"any {name}"


def ranges_text(intervals: Iterable[Interval], cell: Cell, beside: Iterable[Interval] = ()) -> str:
    """Return several intervals of a cell's values: `x <= 1 or 2 <= x <= 3`; `beside` are others nearby in the text."""
    parts = list(intervals)
    ends = texts_of(ends_of([*parts[:MOST_RANGES], *beside]), cell)
    texts = [interval_text(interval, cell, ends) for interval in parts[:MOST_RANGES]]
    if all(interval.is_point for interval in parts):
        texts[1:] = [ends[interval.lower] for interval in parts[1:MOST_RANGES]]
    return either(texts, len(parts))


def from_to(first: str, last: str, before: str = "") -> str:
    """Return where a list of numbers begins and ends, behind a text; nothing where it does neither."""
    where = f"from {first} to {last}" if first and last else f"from {first} on" if first else f"up to {last}"
    return f"{before}{where}" if first or last else ""


def around_zero(parts: Sequence[Interval], most: int, progressions: Iterable[Progression]) -> Sequence[Interval]:
    """Return the parts of a set next to zero, from left to right, where progressions have no first member; else all."""
    if all(is_finite(part.lower) for part in progressions):
        return parts
    near = sorted(parts, key=lambda part: min(size(part.lower), size(part.upper)))
    return sorted(near[:most], key=lambda part: part.lower)


def sentence(text: str) -> str:
    """Return a text with a full stop, unless it ends in dots already."""
    return text if text.endswith("...") else f"{text}."


def in_one_sentence(texts: Iterable[str]) -> str:
    """Return sentences as clauses of one; an empty text for none."""
    clauses = [text if text.endswith("...") else text.removesuffix(".") for text in texts if text]
    return sentence("; ".join(clauses)) if clauses else ""


def cut_short(what: str) -> str:
    """Return that something was not searched for lack of time, as a sentence with a blank before; else nothing."""
    return f" {what} was not searched: {lack_of_time()}." if is_over() else ""


def lack_of_time() -> str:
    """Return why something was left out: the user stopped it, or its time is over."""
    return "interrupted" if is_stopped() else f"the time is over, and --budget {longer()}s allows more"


def either(shown: list[str], number: int) -> str:
    """Return texts joined by "or", with how many more there are."""
    return joined([*shown, *([f"{number - len(shown)} more"] if number > len(shown) else [])], "or")


def wholes_in(parts: Iterable[Interval], most: int) -> tuple[list[int], bool]:
    """Return the whole numbers of a set, as `wholes_of` does: its parts may end between them."""
    return wholes_of([Interval(first, last) for first, last in map(whole_ends, parts) if first <= last], most)


def wholes_of(runs: Iterable[Interval], most: int) -> tuple[list[int], bool]:
    """Return the whole numbers of closed intervals from left to right, at most so many, and whether there are more.

    Of those up to a number there is no first one: the last stands for them, and zero for all.
    """
    numbers: list[int] = []
    endless = False
    for interval in runs:
        if not is_finite(interval.lower) and not is_finite(interval.upper):
            return [0], True
        endless |= not is_finite(interval.lower)
        number = int(next(filter(is_finite, (interval.lower, interval.upper))))
        while number <= interval.upper:
            if len(numbers) == most:
                return numbers, True
            numbers.append(number)
            number += 1
    return numbers, endless


def wholes_text(runs: Iterable[Interval], most: int) -> tuple[str, bool]:
    """Return the whole numbers of closed intervals as text, and whether there are more: `1, 2, 4 to 12`."""
    texts: list[str] = []
    for run in whole_runs(runs):
        is_long = run.upper - run.lower >= LONG_RUN - 1
        wholes = () if is_long else range(int(run.lower), int(run.upper) + 1)
        some = [*map(format_whole, wholes)] if wholes else [_run_text(run.lower, run.upper)]
        if len(texts) + len(some) > most:
            return ", ".join([*texts, *some][:most]), True
        texts += some
    return ", ".join(texts), False


def some_wholes(runs: Iterable[Interval], cell: Cell, most: int, rest: str = "") -> str:
    """Return the whole numbers of closed intervals as values of a cell, at most so many: `n = 2, 4 or 8`."""
    listed, more = wholes_text(runs, most)
    rest = rest or (", ..." if more else "")
    listed = f"{listed}{rest}" if rest else joined(listed.split(", "), "or")
    sign = " " if listed[:1].isalpha() else " = "  # `n from 3 on`
    return f"{cell.name}{sign}{listed} {cell.unit.text}".strip()


def _run_text(first: Number, last: Number) -> str:
    ends = [format_whole(end) if is_finite(end) else "" for end in (first, last)]
    return f"{ends[0]} to {ends[1]}" if all(ends) else from_to(*ends)


def places_text(values: Iterable[tuple[Cell, Number]]) -> str:
    """Return the values of some cells in a sentence: `x = 1 and y = 3`."""
    return joined([f"{cell.name} = {cell.text(value)}" for cell, value in values])


def quoted(relation: Relation) -> str:
    """Return a relation in quotes, a limit with its name before: `tp_bound ('n_tp <= max_n_tp')`."""
    return f"{relation.limit} ('{relation.text}')" if relation.limit else f"'{relation.text}'"


def are(relations: Sequence[Relation]) -> str:
    """Return limits and bounds as the beginning of a sentence: `Limit fits ('n <= 3') is`."""
    text = joined([f"{'limit' if own.limit else 'bound'} {quoted(own)}" for own in relations])
    return f"{text[:1].upper()}{text[1:]} {'is' if len(relations) == 1 else 'are'}"


def in_words(relation: Relation) -> str:
    """Return a relation in quotes, a limit of formulas with its meaning: `pairs ('mod(n, 2) = 0': All have one)`."""
    meaning = relation.doc.partition(": ")[0] if relation.limit else ""
    plain = all(side.is_Symbol or side.is_number for side in (relation.left, relation.right))
    if not meaning or (plain and "(" not in relation.text):  # a branch that was taken may be a cell
        return quoted(relation)
    return f"{relation.limit} ('{relation.text}': {meaning})"


def unchecked_text(answer: Answer, relation: Relation) -> str:
    """Return that a relation has a side without a value, in a sentence."""
    if relation.name in answer.undefined:
        return f"Limit {relation.name} cannot be checked: {answer.undefined[relation.name]}"
    absent = relation.cells - answer.cells.keys()
    values = joined([name for name in answer.question.sheet.cells if name in absent])
    question, missing = answer.question, missing_inputs(answer.question, answer.system.structure, absent)
    behind = (figure for cell in missing for figure in figures_of_default(question, cell))
    figures = absent_figures(question, dict.fromkeys([*missing, *behind]))
    lack = f", as {absence(question, figures)}" if absent.isdisjoint(figures) and figures else ""
    what = f"{values}{lack}" if values else "one of its sides, beyond floats"
    return f"{quoted(relation)} cannot be checked: there is no value for {what}."


def shown_unit(relation: Relation, cells: Mapping[str, Cell]) -> Unit:
    """Return the unit in which the sides of a relation read well: of a cell that is a whole side, else of a literal."""
    sides = relation.left, relation.right
    for side in sides:
        if side.is_Symbol and side.name in cells:
            return cells[side.name].unit
    return _unit(sides, cells, relation.literals, [quantity.unit for quantity in relation.literals.values()])


def unit_of(expression: Expr, cells: Mapping[str, Cell], literals: Mapping[str, Quantity]) -> Unit:
    """Return the unit in which the value of an expression reads well: that of a cell in it, else in base units."""
    return _unit((expression,), cells, literals, [])


def _unit(
    sides: tuple[Expr, ...], cells: Mapping[str, Cell], literals: Mapping[str, Quantity], units: list[Unit]
) -> Unit:
    """Return the first of some units, or else of those of the cells in some sides, that fits the sides."""
    used = set[str]().union(*map(cells_of, sides))
    named = (cell.unit for name, cell in cells.items() if name in used)
    dimensions = {name: cells[name].unit.dimension for name in used if name in cells}
    check = UnitCheck({**dimensions, **{name: quantity.dimension for name, quantity in literals.items()}}, "")
    needed = next(filter(None, map(check.dimension, sides)), None) or check.dimension(sides[-1])
    candidates = chain(units, named) if needed else units
    return next((unit for unit in candidates if unit.dimension == needed), base_unit(needed))


def undecided_text(reasons: Sequence[str]) -> str:
    """Return how many names were not decided, with the first sentence of the reason that most have, or of two."""
    (reason, count), *others = Counter(map(first_sentence, reasons)).most_common()
    text = f"{len(reasons)} {'was' if len(reasons) == 1 else 'were'} not decided: "
    if not others:
        return f"{text}{reason}"
    text = f"{text}{count} since {reason.removesuffix('.')}, and "
    other, more = others[0]
    return f"{text}{more} since {other}" if len(others) == 1 else f"{text}{len(reasons) - count} for other reasons."


def first_sentence(text: str) -> str:
    """Return the first sentence of a reason."""
    return f"{text.partition('. ')[0].removesuffix('.')}."
