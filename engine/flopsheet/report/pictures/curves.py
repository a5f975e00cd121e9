"""Curves of an answer: a relation's sides against the unknown that it bounds, or an answer against one input.

They are sampled along the formulas that the answer has already used, so that a curve costs less than solving again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.outcomes.wording import shown_unit
from flopsheet.errors import QuestionError, find
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.numbers.sets import is_in
from flopsheet.report.drivers import drivers
from flopsheet.report.headlines import summed_up
from flopsheet.report.pictures.following import chain_from, limits_beside, unbroken
from flopsheet.report.pictures.lacking import lacking
from flopsheet.report.pictures.scales import SEVERAL, places_around, several_of, thinned
from flopsheet.report.pictures.traced import traced
from flopsheet.report.steps.digits import LeastDigits
from flopsheet.units import Number, Unit, digits_distinct, format_quantity, is_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.sheets.cell import Cell

CHOSEN, WORKS, FAILS = "chosen", "works", "fails"

Points = tuple[tuple[float, float], ...]  # in base units, from left to right


class Axis(NamedTuple):
    """What an axis shows."""

    name: str
    unit: Unit  # in which it is printed
    whole: bool = False  # whether it counts


class Line(NamedTuple):
    """A line of a chart; a gap in it begins another line of the same name."""

    name: str
    points: Points
    is_limit: bool = False
    word: str = "limit"  # before the name of a limit: `target` where an equation sets it


class Mark(NamedTuple):
    """A point of a chart: the answer, or a value beside it."""

    at: tuple[float, float]
    kind: str  # `chosen`, `works`, on lines after the first `works2` to `works4`, or `fails`
    text: str  # empty where the legend does not name it


@dataclass(frozen=True)
class Curve:
    """A chart of numbers in base units."""

    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...] = ()

    @property
    def title(self) -> str:
        """What is drawn against what."""
        return f"{self.y.name} against {self.x.name}"


def curve(answer: Answer, by: str = "") -> Curve:
    """Return the curve of an answer, or of the answer against an input by name.

    Raises:
        UnknownNameError: there is no such cell.
        QuestionError: there is nothing to draw.
    """
    if by:
        by = answer.question.sheet.rows.resolve(by)
        find(by, answer.question.sheet.cells, "cell", "curve")
    drawn = against(answer, by) if by else curve_of(answer)
    if drawn is None:
        target = _target(answer)
        strongest = _strongest(answer, target) if target in answer.cells else ""
        raise QuestionError("picture curve", *lacking(answer, by, target, strongest))
    return drawn


def curve_of(answer: Answer) -> Curve | None:
    """Return the sides of the relation that decides an unknown against it; without one, of an answer its main driver.

    None where there is nothing to draw.
    """
    for outcome in answer.outcomes.values():
        if (bound := _bounded(outcome, answer)) is not None:
            return bound
    return against(answer, "")


def _bounded(outcome: Outcome, answer: Answer) -> Curve | None:
    """Return the sides of the relation that decides an unknown, the limit, the answer and the values beside it."""
    decided = sides_of(outcome, answer)
    centre = outcome.boundary if outcome.si is None else outcome.si
    if decided is None or centre is None:
        return None
    relation, chain, left, right = decided
    places = places_around(float(centre), outcome.cell, several_of(outcome))

    def side(expression: Expr) -> Callable[[Number], Number | None]:
        return lambda value: chain.at_or_none(value, expression)

    names, cells = tuple(answer.question.sheet.cells), answer.question.sheet.cells
    x, y = _axis(outcome.cell), Axis(in_text(left, names), shown_unit(relation, cells))
    height = _within(side(left), cells.get(y.name))
    bound = limit_text(right, side(right)(centre), y.unit, names)
    limits = limits_beside(answer, chain, left)
    height = unbroken(height, limits, chain, outcome.si)
    most = LeastDigits(answer).of(y.name)
    drawn = _lines(y.name, places, height)
    near = _lines(y.name, places_around(float(centre), outcome.cell), height)
    if not near and outcome.kind == "whole":  # limits that only every other number keeps: a line through those
        drawn = _lines(y.name, [at for at in places if height(at) is not None], height)
    if not drawn:
        return None
    first, last = drawn[0].points[0][0], drawn[-1].points[-1][0]  # the limit ends where the curve does
    ends = [at for at in places if first <= at <= last] if _depends(right, chain) else (first, last)
    bounds = _lines(bound, ends, side(right), is_limit=True)
    bounds = [line._replace(word="target") for line in bounds] if relation.is_equation else bounds
    lines = [*drawn, *bounds]
    return Curve(x, y, tuple(lines), tuple(_marks(outcome, height, (x, y), (places[0], places[-1]), most)))


def sides_of(outcome: Outcome, answer: Answer) -> tuple[Relation, Chain, Expr, Expr] | None:
    """Return what decides an unknown, its chain, the side that follows the unknown, and the other side."""
    decided = _decided(outcome, answer)
    if decided is None:
        return None
    relation, chain = decided
    left, right = relation.left, relation.right
    if not _depends(left, chain):
        left, right = right, left
    if outcome.cell.name in (str(left), str(right)) or not _depends(left, chain):
        return None
    return relation, chain, left, right


def _decided(outcome: Outcome, answer: Answer) -> tuple[Relation, Chain] | None:
    """Return what decides an unknown, of several whole numbers the first inequality that is asked, and its chain."""
    if outcome.condition is not None and outcome.deciding is not None:
        return outcome.deciding, outcome.condition.chain
    asked = [own.relation for own in answer.checks if not own.relation.is_equation and outcome.kind == "whole"]
    sides = ((relation, side) for relation in asked for side in (relation.left, relation.right) if side.is_Symbol)
    chains = ((own, chain_from(answer, outcome.cell.name, side.name, own.left, own.right)) for own, side in sides)
    return next(((relation, chain) for relation, chain in chains if chain is not None), None)


def _depends(side: Expr, chain: Chain) -> bool:
    return not cells_of(side).isdisjoint({chain.unknown, *chain.formulas})


def _axis(cell: Cell) -> Axis:
    return Axis(cell.name, cell.unit, cell.integer)


def _within(height: Callable[[Number], Number | None], cell: Cell | None) -> Callable[[Number], Number | None]:
    """Return a function without the values that its cell cannot have: a formula may give them far from the answer."""

    def bounded(at: Number) -> Number | None:
        value = height(at)
        return None if value is None or (cell is not None and value not in cell.bounds) else value

    return bounded


def limit_text(side: Expr, value: Number | None, unit: Unit, names: tuple[str, ...]) -> str:
    """Return the side of a relation that bounds the other, with its value: `chip.memory, 95 GiB`."""
    shown = "" if value is None or not is_finite(value) else format_quantity(value, unit)
    return ", ".join(filter(None, [in_text(side, names) if cells_of(side) else "", shown])) or in_text(side, names)


def _marks(
    outcome: Outcome,
    height: Callable[[Number], Number | None],
    axes: tuple[Axis, Axis],
    ends: tuple[Number, Number],
    most: int,
) -> list[Mark]:
    """Return the answer and the whole numbers beside it, or the other values that work, with what each gives.

    What they give has the digits of a page, or so many that it differs.
    """
    kinds: dict[Number, str] = {}
    if outcome.si is not None:
        kinds[outcome.si] = CHOSEN
    if outcome.whole is not None and outcome.kind == "range" and outcome.bound:
        beyond = outcome.whole - (1 if outcome.bound == ">" else -1)
        kinds |= {} if is_in(beyond, outcome.open) else {beyond: FAILS}
    if outcome.kind in SEVERAL:
        listed = [end for end in several_of(outcome) if ends[0] <= end <= ends[1]]
        kinds = {**dict.fromkeys(listed, WORKS), **kinds}
    kinds |= dict.fromkeys(outcome.neighbours, FAILS)
    heights = {value: at for value in kinds if (at := height(value)) is not None and is_finite(at)}
    most = max(most, digits_distinct([*heights.values()], axes[1].unit))
    texts = {value: format_quantity(at, axes[1].unit, most) for value, at in heights.items()}
    return [
        Mark(
            (float(value), float(at)),
            kinds[value],
            "" if kinds[value] == WORKS else f"{format_quantity(value, axes[0].unit)}: {texts[value]}",
        )
        for value, at in heights.items()
    ]


def against(answer: Answer, by: str) -> Curve | None:
    """Return the answer against an input: by its formula or closed form, all other inputs as they are.

    Without a name, the input is the one to which the answer is most sensitive. None where the formula cannot be
    followed, or the input is no positive number.
    """
    target = _target(answer)
    value = answer.cells.get(target)
    by = by or (_strongest(answer, target) if value is not None else "")
    given = answer.cells.get(by)
    if value is None or given is None or not given.is_input or not (is_finite(given.si) and given.si > 0):
        return None
    chain = chain_from(answer, by, target)
    outcome, places = answer.outcomes.get(target), places_around(float(given.si), given.cell)
    if chain is None:
        heights = traced(answer, by, target, places) if outcome is None or outcome.kind == "value" else {}
        lines = _lines(target, heights, heights.get)
    else:
        rounded = _rounding(outcome)

        def height(at: Number) -> Number | None:
            result = chain.at_or_none(at, value.cell.symbol)
            return None if result is None or not is_finite(result) else rounded(result)

        lines = [*_lines(target, places, height), *_limit_of(answer, chain, value.cell, places)]
    x, y = _axis(given.cell), _axis(value.cell)
    text = f"{format_quantity(given.si, x.unit)}: {format_quantity(value.si, y.unit)}"
    return Curve(x, y, tuple(lines), (Mark((float(given.si), float(value.si)), CHOSEN, text),)) if lines else None


def _target(answer: Answer) -> str:
    """Return the first number of an answer; empty where it has none."""
    return next(iter([*answer.outcomes, *summed_up(answer)]), "")


def _limit_of(answer: Answer, chain: Chain, cell: Cell, places: Sequence[Number]) -> list[Line]:
    """Return the limit of the sheet that a cell does not keep; no line where it keeps all."""
    for check in answer.broken:
        left, right = check.relation.left, check.relation.right
        if check.has_room and cell.symbol in (left, right):
            other, si = (right, check.right) if left == cell.symbol else (left, check.left)
            name = limit_text(other, si, cell.unit, tuple(answer.question.sheet.cells))
            heights = {at: chain.at_or_none(at, other) for at in places}
            return _lines(name, places, heights.get, is_limit=True)
    return []


def _strongest(answer: Answer, target: str) -> str:
    """Return the strongest driver of a cell, given ones first; empty where it has none."""
    inputs = [name for name, _ in drivers(answer, target) if name in answer.cells]
    return next((name for name in inputs if answer.cells[name].origin == "given"), next(iter(inputs), ""))


def _rounding(outcome: Outcome | None) -> Callable[[Number], Number]:
    """Return how the boundary of an unknown becomes its whole number."""
    if outcome is None or outcome.whole is None or outcome.kind != "range":
        return lambda value: value
    return math.ceil if outcome.bound == ">" else math.floor


def _lines(
    name: str, places: Iterable[Number], height: Callable[[Number], Number | None], *, is_limit: bool = False
) -> list[Line]:
    """Return the lines through the values that a function has at some places."""
    runs: list[list[tuple[float, float]]] = [[]]
    for place in places:
        value = height(place)
        if value is not None and is_finite(value):
            runs[-1].append((float(place), float(value)))
        elif runs[-1]:
            runs.append([])
    return [Line(name, tuple(thinned(run)), is_limit) for run in runs if len(run) > 1]
