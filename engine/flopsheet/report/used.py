"""The part of a derivation that an answer uses: terms that are zero, factors of one and second names are left out."""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.answer.execute import Step
from flopsheet.formulas.evaluate import binding_branch, value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Trait, nodes
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.method import Method
from flopsheet.session import cached
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions.symbols import Expr


MOST_STEPS, SMALLEST_SHARE = 10, 1 / 1000
NEARER = 0.8  # what a value weighs that is one step farther from the answer, so that equal factors come nearest first


class Used(NamedTuple):
    """The steps that an answer uses, in order, and the names of the cells in them."""

    steps: list[Step]
    cells: frozenset[str]


def used_steps(answer: Answer, targets: Iterable[str], most: int = MOST_STEPS) -> Used:
    """Return the steps that cells need, each without what cannot change it: zeros, factors of one, second names.

    Of more than `most`, those whose values weigh most in the answer, the nearest first; never one whose value is less
    than a thousandth of a sum that it is part of.
    """
    shown, folded = frozenset(targets), _Folded(answer)
    steps = {step.cell.name: folded.step(step, keep=step.cell.name in shown) for step in answer.steps}
    waiting = [(-1.0, place, name) for place, name in enumerate(steps) if name in shown]
    wanted = dict[str, Step]()
    heapq.heapify(waiting)
    while waiting and len(wanted) < most:
        weight, _, name = heapq.heappop(waiting)
        if name in wanted:
            continue
        wanted[name] = step = steps[name]
        for other, share in _shares_in(step, answer.values).items():
            if other in steps and other not in wanted and share >= SMALLEST_SHARE:
                heapq.heappush(waiting, (weight * share * NEARER, len(waiting), other))
    cells = shown.union(*map(_cells_in, wanted.values()))
    return Used([step for name, step in steps.items() if name in wanted], cells)


def _shares_in(step: Step, values: Values) -> dict[str, float]:
    """Return the share that each cell has in a step: that of the sums it is a term of, 1 for a factor."""
    relation = () if step.how is Method.DIRECT else (step.condition.left, step.condition.right)
    shares = dict[str, float]()
    for side in (step.form, *relation):
        for name, share in () if side is None else _shares(side, 1.0, values):
            shares[name] = max(share, shares.get(name, 0.0))
    return shares


def _shares(expression: Expr, share: float, values: Values) -> Iterator[tuple[str, float]]:
    if expression.is_Symbol:
        yield expression.name, share
        return
    parts: Iterable[Expr] = expression.args
    shares: Iterable[float] = repeat(share)
    if isinstance(expression, nodes(Trait.EXTREME)) and value_or_none(expression, values) is not None:
        parts = (binding_branch(expression, values),)
    elif expression.is_Add:
        sizes = [abs(float(value_or_none(part, values) or 0)) for part in parts]
        total = sum(sizes) or 1.0
        shares = [share * size / total for size in sizes]
    for part, own in zip(parts, shares, strict=False):
        yield from _shares(part, own, values)


def _cells_in(step: Step) -> frozenset[str]:
    form = frozenset[str]() if step.form is None else cells_of(step.form)
    return form if step.how is Method.DIRECT else form | step.condition.cells


class _Folded:
    """What replaces cells in the formulas of a derivation: 0, 1, or the cell whose second name they are."""

    def __init__(self, answer: Answer) -> None:
        self._values = answer.values
        plain = {name: value for name, value in answer.cells.items() if name not in answer.outcomes}
        ones = (name for name, value in plain.items() if value.cell.integer and value.si == 1)
        self._by: dict[Expr, Expr] = {symbol(name): sympy.S.Zero for name, value in plain.items() if value.si == 0}
        self._by |= {symbol(name): sympy.S.One for name in ones}

    def step(self, step: Step, *, keep: bool) -> Step:
        """Return a step with its formula folded; the cell of a second name is replaced from here on."""
        form = None if step.form is None else self.fold(step.form)
        if form is not None and form.is_Symbol and not keep and step.how is Method.DIRECT:
            self._by.setdefault(step.cell.symbol, form)
        condition = step.condition
        if step.how is not Method.DIRECT:
            condition = replace(condition, left=self.fold(condition.left), right=self.fold(condition.right))
        return Step(step.cell, step.how, step.si, lambda: (condition, form))

    def fold(self, expression: Expr) -> Expr:
        """Return an expression without what cannot change it, or as it is where that would give another value."""
        by = tuple((part, self._by[part]) for part in expression.free_symbols if part in self._by)
        if not by:
            return expression
        short = _replaced(expression, by)
        before, after = value_or_none(expression, self._values), value_or_none(short, self._values)
        same = before is not None and after is not None and close(before, after)
        return short if same and (short.free_symbols or not expression.is_Symbol) else expression


@cached(maxsize=4096)
def _replaced(expression: Expr, by: tuple[tuple[Expr, Expr], ...]) -> Expr:
    return expression.xreplace(dict(by))
