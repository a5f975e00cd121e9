"""What a curve over cells shows: the lines that a page has, by formulas of the workbook."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor
from typing import TYPE_CHECKING

from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.report.pictures.curves import CHOSEN, curve_of, sides_of
from flopsheet.report.pictures.following import limits_beside
from flopsheet.report.workbook.blocks.rows import unit_of, value_at
from flopsheet.report.workbook.solved.way import FORM, boundary_of
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.pictures.curves import Curve
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Unit

PLACES, AT_ANSWER = 25, 6  # places of a curve, from a third of what moves to three times of it
MOST_BETWEEN = 400  # columns between what moves and what is drawn


@dataclass(frozen=True)
class Drawn:
    """A curve over cells: what moves, and what follows it.

    Args:
        moves: the unknown, or the input against which an answer is drawn.
        unit: that of the lines.
        lines: expressions by label, first the one that has the answer.
        forms: the formulas by which cells follow.
        between: the cells between what moves and the lines, in the order in which they are computed.
        limits: what must hold where there is a line.
    """

    moves: Cell
    unit: Unit
    lines: Mapping[str, Expr]
    forms: Mapping[str, Expr]
    between: Sequence[str]
    limits: Sequence[Relation]

    def values(self, model: Model, at: Number) -> dict[str, Number | str]:
        """Return the values of the model where what moves is at a number [base units]."""
        values: dict[str, Number | str] = {**model.live.values, self.moves.name: at}
        for name in self.between:
            value = value_at(self.forms[name], values)
            values.pop(name, None)
            values |= {} if value is None else {name: value}
        return values

    def heights(self, values: Mapping[str, Number | str]) -> list[Number | None]:
        """Return the lines at values of the model [base units]; none where a limit does not hold."""
        for own in self.limits:
            left, right = value_at(own.left, values), value_at(own.right, values)
            if left is None or right is None or not own.holds(left, right):
                return [None for _ in self.lines]
        return [value_at(line, values) for line in self.lines.values()]

    def inlined(self) -> Drawn:
        """Return the same with the formula of a cell as the line that it alone is, if nothing else needs the cell."""
        needing = [self.forms[name] for name in self.between]
        needing += [side for own in self.limits for side in (own.left, own.right)]
        needed = frozenset[str]().union(*map(cells_of, needing))
        alone = {line.name for line in self.lines.values() if line.is_Symbol} & {*self.between} - needed
        lines = {label: self.forms[line.name] if str(line) in alone else line for label, line in self.lines.items()}
        return replace(self, lines=lines, between=[name for name in self.between if name not in alone])

    def is_live(self, model: Model) -> bool:
        """Whether spreadsheet programs take all of its formulas."""
        cells, formulas = model.answer.question.sheet.cells, model.formulas
        texts = [formulas.formula(line, self.unit) for line in self.lines.values()]
        texts += [formulas.formula(self.forms[name], cells[name].unit) for name in self.between]
        texts += [formulas.holds(own.left, own.operator, own.right) for own in self.limits]
        return None not in texts

    def places(self, model: Model) -> list[Number]:
        """Return the numbers at which it is computed [base units]."""
        value, bounds = model.answer.cells[self.moves.name].si, self.moves.bounds
        numbers = [value * (3 + place) / 9 for place in range(PLACES)]
        numbers[AT_ANSWER] = value
        if self.moves.integer:
            numbers = [floor(number + 0.5) for number in numbers]
        return [max(min(number, bounds.upper), bounds.lower) for number in numbers]


def drawn_of(answer: Answer, model: Model) -> Drawn | None:
    """Return what pages draw of an answer as a curve over cells; None where they draw none, or cells cannot follow."""
    curve = None if model.tried or answer.ranking is not None else curve_of(answer)
    if curve is None or curve.x.name not in model.names or model.answer.cells[curve.x.name].si <= 0:
        return None
    drawn = (_bounded if curve.x.name in answer.outcomes else _against)(answer, model, curve)
    chosen = next((mark.at for mark in curve.marks if mark.kind == CHOSEN), None)
    if drawn is None or chosen is None or len(drawn.between) > MOST_BETWEEN:
        return None
    height = drawn.heights(drawn.values(model, model.answer.cells[curve.x.name].si))[0]
    return drawn if height is not None and close(height, chosen[1]) and drawn.is_live(model) else None


def _bounded(answer: Answer, model: Model, curve: Curve) -> Drawn | None:
    """Return the sides of the relation that decides an unknown against it."""
    live, outcome = model.live, answer.outcomes[curve.x.name]
    decided = sides_of(outcome, answer)
    if decided is None:
        return None
    relation, chain, left, _ = decided
    own = live.relations.get(relation.text, relation)
    sides = (own.left, own.right) if left == relation.left else (own.right, own.left)
    labels = [_label(side, model) for side in sides]
    limits = limits_beside(answer, chain, left)
    used = [*sides, *(side for limit in limits for side in (limit.left, limit.right))]
    between = _between(outcome.cell.name, used, live.formulas)
    lines = dict(zip(labels, sides, strict=True))
    drawn = Drawn(outcome.cell, unit_of(own, live), lines, live.formulas, between, limits).inlined()
    pairs = [(drawn.heights(drawn.values(model, at))[0], chain.at_or_none(at, left)) for at in drawn.places(model)]
    alike = all(close(own, other) for own, other in pairs if own is not None and other is not None)
    return drawn if alike else None


def _against(answer: Answer, model: Model, curve: Curve) -> Drawn | None:
    """Return an answer against an input."""
    cells, name = answer.question.sheet.cells, curve.y.name
    ways = {own: way for own, way in model.ways.items() if way.kind == FORM and not way.options}
    forms = {own: boundary_of(way) for own, way in ways.items()} | {**model.live.formulas}
    between = _between(curve.x.name, [cells[name].symbol], forms)
    lines = {name: cells[name].symbol}
    return Drawn(cells[curve.x.name], cells[name].unit, lines, forms, between, ()).inlined()


def _label(side: Expr, model: Model) -> str:
    """Return the text of a side, with the names of demands in place of their numbers."""
    text = in_text(side, tuple(model.answer.question.sheet.cells))
    for goal in model.live.goals:
        text = text.replace(goal.key, goal.label)
    return text


def _between(name: str, sides: Iterable[Expr], forms: Mapping[str, Expr]) -> list[str]:
    """Return the cells between one that moves and expressions, in the order in which they are computed."""
    moves, order = {name: True}, list[str]()

    def visit(cell: str) -> bool:
        if cell not in moves:
            moves[cell] = False  # ends cycles
            moves[cell] = any([visit(used) for used in sorted(cells_of(forms[cell]))] if cell in forms else [])
            order.extend([cell] if moves[cell] else [])
        return moves[cell]

    for side in sides:
        for cell in sorted(cells_of(side)):
            visit(cell)
    return order
