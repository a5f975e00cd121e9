"""How one cell that was solved for follows the inputs of a workbook."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.trees import is_whole
from flopsheet.functions.choose import max_, min_
from flopsheet.functions.rounding import Mod, ceil, floor
from flopsheet.functions.symbols import as_sympy, symbol
from flopsheet.inverse.method import Method
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.live import Live
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

FORM, SEARCH, TRIALS, LISTED, NONE = "form", "search", "trials", "listed", "none"
FOLLOWS = {
    FORM: "solved, in closed form",
    SEARCH: "solved, by the sheet Search",
    TRIALS: "solved, by trials",
    LISTED: "solved, the best that works in the sheet Tuples",
}
UNIQUE = (Method.PEEL, Method.LINEAR)
FEWEST, MOST = 64, 512
_UP, _DOWN = tuple(range(MOST)), tuple(range(0, -MOST, -1))
_BOTH = tuple(sorted(range(-MOST // 2, MOST // 2), key=lambda offset: (abs(offset), offset)))
NO_NUMBERS = "no relation alone determines it"
TOO_FAR = "its value is not among the numbers that are tried"
RANKED = "several numbers work, and it is neither the smallest nor the largest"
BESIDE = "its values are those beside a value of another unknown, which follows from it"


@dataclass(frozen=True)
class Way:
    """How one cell follows the inputs."""

    cell: Cell
    kind: str  # `form`, `search`, `trials`, `listed` or `none`
    sign: str = "="  # the operator between cell and boundary: `<`, `>` or `=`
    relations: tuple[Relation, ...] = ()  # that set it, the deciding one first
    columns: tuple[str, ...] = ()  # the cells between it and these relations
    forms: tuple[Expr, ...] = ()  # closed forms, a boundary for each relation
    ends: tuple[Number, Number] = (0, 0)  # of a search [base units]; of trials the first and the last number
    at: Number = 0  # the answer as asked, which a search encloses [base units]
    others: tuple[Expr, ...] = ()  # expressions that bound it from the other side
    geometric: bool = False  # whether a search halves ratios instead of differences
    why: str = ""  # why there is none
    options: tuple[tuple[str, str], ...] = ()  # the choices with the options for which the closed forms hold
    whole: bool = False  # whether the next whole number that meets the relations is taken
    starts: tuple[Way, ...] = ()  # of trials: searches of the first and the last number that bounds leave
    steps: tuple[Expr, ...] = ()  # of trials: what the number is a multiple of
    offsets: tuple[int, ...] = ()  # of trials: the numbers in their order, in steps from the first one
    above: tuple[Relation, ...] = ()  # of trials: the relations that bound the number from above, all alike
    below: tuple[Relation, ...] = ()  # and from below
    by_side: bool = False  # of trials: whether the end that what was asked bounds is taken
    roots: tuple[Expr, ...] = ()  # other boundaries of a single relation, for where that one does not work

    @property
    def asked(self) -> tuple[Relation, ...]:
        """Of trials, the inequalities of the question."""
        return tuple(own for own in self.relations if not (own.name or own.is_equation))

    def excludes_unknown(self, relation: Relation, sign: str) -> bool:
        """Whether a relation of trials without a value at a bound of the cell excludes that: not on its other side."""
        return relation not in (self.below if sign == "<" else self.above)


def boundary_of(way: Way) -> Expr:
    """Return the boundary that closed forms set together, of a whole number the first that works."""
    if not way.whole:
        return way.forms[0] if way.sign == "=" else (max_ if way.sign == ">" else min_)(*way.forms)
    signs = [relation.operator for relation in way.relations]
    lower, forms = way.cell.bounds.lower, []
    for form, sign in zip(way.forms, signs, strict=True):
        if way.sign == ">":
            forms.append(ceil(form) if "=" in sign else floor(form) + 1)
        else:
            forms.append(floor(form) if "=" in sign else ceil(form) - 1)
    if way.sign == ">" and is_finite(lower):
        forms.append(as_sympy(-int(-lower // 1)))
    return (max_ if way.sign == ">" else min_)(*forms)


def is_from_above(live: Live, way: Way) -> bool:
    """Whether what was asked bounds trials from above alone, within the bounds of their cell: the largest is taken."""
    bounds = way.cell.bounds
    bites = {"<": any(own in way.above for own in way.asked), ">": False}
    for sign, end in (("<", bounds.upper), (">", bounds.lower)):
        if is_finite(end):
            at = math.floor(end) if sign == "<" else math.ceil(end)
            bites[sign] = any(not _allows(live, way, own, at, sign) for own in way.asked)
    return bites["<"] and not bites[">"]


def _allows(live: Live, way: Way, relation: Relation, at: int, sign: str) -> bool:
    """Whether a relation of trials holds at a bound of the cell, which is on the side of a sign."""
    holds = _holds(live, replace(way, relations=(relation,)), at)
    return not way.excludes_unknown(relation, sign) if holds is None else holds


def trials(live: Live, way: Way, near: Number | None, *, first: bool = True) -> Way:
    """Return the whole numbers to try for a cell, in an order in which its value is the first that works.

    Args:
        live: what follows what.
        way: what is known of them, with the searches that bound them.
        near: the value near which the question wants one.
        first: whether it is known which end of those that work is its value; else that may be either.
    """
    cell, lower, value = way.cell, way.cell.bounds.lower, live.values[way.cell.name]
    if not cell.integer or not is_finite(lower) or isinstance(value, str):
        return Way(cell, NONE, why=NO_NUMBERS)
    low = math.ceil(lower)
    if near is not None:
        orders = [replace(way, sign="=", ends=(round(near), round(near)), offsets=_BOTH, steps=())]
    else:
        orders = [replace(way, sign=">", ends=(low, low), offsets=_UP)]
        if first and way.by_side and is_from_above(live, way):
            is_smallest = len(live.answer.outcomes[cell.name].listed) > 1  # of several, the engine has said which
            orders = [replace(own, by_side=False) for own in orders] if is_smallest else []
            orders = [*([replace(way, sign="<", offsets=_DOWN)] if _starts(way, "<") else []), *orders]
        orders += [] if first or not _starts(way, "<") else [replace(way, sign="<", offsets=_DOWN)]
        orders += [] if first else [replace(way, sign="<", ends=(low + MOST - 1,) * 2, offsets=_DOWN)]
    near_by = [own for own in map(_with_starts, orders) if _place(live, own, int(value)) is not None]
    if not near_by:
        return Way(cell, NONE, why=TOO_FAR)
    for order in near_by:
        place, start, step = _place(live, order, int(value)) or 0, first_tried(order, live), step_of(order, live.values)
        before = (start + offset * step for offset in order.offsets[:place])
        if not any(number in cell.bounds and _meets(live, way, number) for number in before):
            count = min(max(FEWEST, 2 * place), MOST)
            return replace(
                order,
                kind=TRIALS,
                offsets=order.offsets[:count],
                whole=True,
                by_side=order.by_side and first and near is None,
            )
    return Way(cell, NONE, why=RANKED if not first or near is not None else BESIDE)


def multiples_of(live: Live, name: str, relations: Sequence[Relation]) -> tuple[Expr, ...]:
    """Return what a cell is a multiple of by some relations: `n_dp` of `mod(batch, n_dp) = 0`."""
    counts = frozenset(cell.name for cell in live.question.sheet.cells.values() if cell.integer)
    parts = [own.left for own in relations if own.is_equation and own.right.is_zero]
    divisors = [left.args[1] for left in parts if isinstance(left, Mod) and left.args[0] == symbol(name)]
    return tuple(own for own in divisors if is_whole(own, counts) and not live.on(own))


def direct_bound(live: Live, name: str, relation: Relation) -> Expr | None:
    """Return what bounds a cell itself: `prompt_len` of `cached_len < prompt_len`."""
    for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
        if side == symbol(name) and name not in live.on(other):
            return other
    return None


def _starts(way: Way, sign: str) -> tuple[Way, ...]:
    return tuple(start for start in way.starts if start.sign == sign)


def _with_starts(way: Way) -> Way:
    """Return trials with the searches that begin them: near a value, those of both of its bounds."""
    return way if way.sign == "=" else replace(way, starts=_starts(way, way.sign))


def _place(live: Live, way: Way, value: int) -> int | None:
    """Return the place of a number among those that are tried; None where it is not one of them."""
    offset, rest = divmod(value - first_tried(way, live), step_of(way, live.values))
    return None if rest or offset not in way.offsets else way.offsets.index(offset)


def step_of(way: Way, values: Values) -> int:
    """Return what the numbers of trials are multiples of."""
    return math.lcm(*(int(evaluate(step, values)) for step in way.steps)) or 1


def first_tried(way: Way, live: Live) -> int:
    """Return the number that trials begin with."""
    number, step = int(way.ends[0]), step_of(way, live.values)
    for start in way.starts:
        end = _bisected(live, start)
        if end is not None:
            number = end if way.sign != "=" else max(number, end) if start.sign == ">" else min(number, end)
    return number // step * step if way.sign == "<" else -(-number // step) * step


def _bisected(live: Live, way: Way) -> int | None:
    """Return the end that a search of a whole number finds; None where its ends do not enclose it."""
    (low, high), is_upper = map(int, way.ends), way.sign == "<"
    if not _meets(live, way, low if is_upper else high):
        return None
    if _meets(live, way, high if is_upper else low):
        bound = way.cell.bounds.upper if is_upper else way.cell.bounds.lower
        return (high if is_upper else low) if bound in (low, high) else None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _meets(live, way, middle) is is_upper else (low, middle)
    return low if is_upper else high


def _meets(live: Live, way: Way, number: int) -> bool:
    return bool(_holds(live, way, number))


def _holds(live: Live, way: Way, number: int) -> bool | None:
    """Whether the relations of a way hold at a number; None where one has no value there."""
    values = {**live.values, way.cell.name: number}
    try:
        for column in way.columns:
            values[column] = evaluate(live.formulas[column], values)
        return all(own.holds(evaluate(own.left, values), evaluate(own.right, values)) for own in way.relations)
    except (ArithmeticTrapError, ArithmeticError, KeyError, TypeError):
        return None
