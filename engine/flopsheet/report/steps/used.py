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
from flopsheet.formulas.trees import symbol_names
from flopsheet.functions import Indicator, Trait, nodes
from flopsheet.functions.symbols import as_sympy, symbol
from flopsheet.inverse.method import Method
from flopsheet.report.headlines import summed_up
from flopsheet.report.steps.values import MOST_CACHED, value_of
from flopsheet.session import cached
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions.symbols import Expr
    from flopsheet.report import Extras


MOST_STEPS, SMALLEST_SHARE = 10, 1 / 1000
NEARER = 0.8  # what a value weighs that is one step farther from the answer, so that equal factors come nearest first


class Used(NamedTuple):
    """The steps that an answer uses, in order, and the names of the cells in them."""

    steps: list[Step]
    cells: frozenset[str]


def used_steps(answer: Answer, targets: Iterable[str], most: int = MOST_STEPS) -> Used:
    """Return the steps that cells need, each without what cannot change it: zeros, factors of one, second names.

    Of more than `most`, those whose values weigh most in the answer, the nearest first; never one whose value is less
    than a thousandth of a sum that it is part of, one that gives what the question gives, which is a check, nor one
    that gives a constant of the sheet.
    """
    shown = frozenset(targets)
    folded = _Folded(answer, shown)
    waiting = [(-1.0, place, name) for place, name in enumerate(folded.names) if name in shown]
    wanted, seen = dict[str, Step](), dict[str, Step]()
    heapq.heapify(waiting)
    while waiting and len(wanted) < most:
        weight, _, name = heapq.heappop(waiting)
        if name in seen:
            continue
        seen[name] = step = folded.step(name)
        if not (_is_given(name, answer) or (name not in shown and _is_constant(step))):
            wanted[name] = step
        for other, share in _shares_in(step, folded.values).items():
            if other in folded.names and other not in seen and share >= SMALLEST_SHARE:
                heapq.heappush(waiting, (weight * share * NEARER, len(waiting), other))
    cells = frozenset(name for name in shown if not folded.changes_nothing(name))
    cells = cells.union(*map(_cells_in, seen.values()))
    return Used([wanted[name] for name in folded.names if name in wanted], cells)


def _is_given(name: str, answer: Answer) -> bool:
    """Whether the question gives a cell, and what is computed is no other value."""
    if name not in answer.cells or answer.cells[name].origin != "given":
        return False
    pin = answer.question.pins.get(name)
    failing = (check.relation.text for check in answer.checks if not check.holds)
    return pin is None or pin.relation.text not in failing


def _is_constant(step: Step) -> bool:
    return step.how is Method.DIRECT and step.form is not None and not symbol_names(step.form)


def steps_for(answer: Answer, named: Iterable[str]) -> Used:
    """Return the steps that unknowns, relations and the limits that shape an answer need; without any, named cells."""
    question = answer.question
    limits = {name for outcome in answer.outcomes.values() for name in outcome.limits}
    broken = [check.relation for check in answer.broken]
    related = [*question.asked, *broken, *(question.sheet.limits[name] for name in limits)]
    ranking = [question.best.cell] if question.best is not None else []
    demanded = [] if answer.solved else [pin.cell for pin in question.demands]
    targets = [*question.unknowns, *demanded, *(cell for relation in related for cell in relation.cells), *ranking]
    shown = [name for name in question.shown if name in answer.cells] if question.unknowns else named
    return used_steps(answer, [*_computed(answer, targets, demanded), *shown])


def used_by(answer: Answer, extras: Extras) -> Used:
    """Return the steps that an answer uses; without an unknown and a table those of its headline, or every one."""
    if extras.all_steps:
        return Used(answer.steps, frozenset().union(*map(_cells_in, answer.steps)))
    is_summed = bool(answer.question.shown) or extras.table is None  # the cells of a table are in its columns
    named = is_summed and summed_up(answer)
    return steps_for(answer, named or ([*answer.cells] if extras.table is None else extras.table.shown))


def _computed(answer: Answer, targets: Iterable[str], unmet: Collection[str]) -> Iterator[str]:
    """Yield cells; of one without a value, or with one that is not met, as no unknown works, those in its formula."""
    question, waiting, seen = answer.question, [*targets], set[str]()
    while waiting:
        name = waiting.pop(0)
        formula = None if name in seen or name not in question.sheet.cells else question.formula(name)
        seen.add(name)
        if formula is None or (name in answer.cells and name not in unmet):
            yield name
        else:
            waiting += sorted(cells_of(formula) - seen)


def _shares_in(step: Step, values: Values) -> dict[str, float]:
    """Return the share that each cell has in a step: that of the sums it is a term of, 1 for a factor."""
    relation = () if step.how is Method.DIRECT else (step.condition.left, step.condition.right)
    shares = dict[str, float]()
    for side in (step.form, *relation):
        if side is not None:
            for name, share in _shares(side, 1.0, values) if _has_terms(side) else _factors(side):
                shares[name] = max(share, shares.get(name, 0.0))
    return shares


@cached(maxsize=MOST_CACHED)
def _has_terms(expression: Expr) -> bool:
    """Whether the shares of cells rest on values: in sums, and in extremes."""
    return bool(expression.atoms(sympy.Add, *nodes(Trait.EXTREME)))


@cached(maxsize=MOST_CACHED)
def _factors(expression: Expr) -> tuple[tuple[str, float], ...]:
    return tuple(_shares(expression, 1.0, {}))


def _shares(expression: Expr, share: float, values: Values) -> Iterator[tuple[str, float]]:
    if expression.is_Symbol:
        yield expression.name, share
        return
    parts: Iterable[Expr] = expression.args
    shares: Iterable[float] = repeat(share)
    if isinstance(expression, nodes(Trait.EXTREME)) and value_of(expression, values) is not None:
        parts = (binding_branch(expression, values),)
    elif expression.is_Add:
        sizes = [abs(float(value_of(part, values) or 0)) for part in parts]
        total = sum(sizes) or 1.0
        shares = [share * size / total for size in sizes]
    for part, own in zip(parts, shares, strict=False):
        yield from _shares(part, own, values)


def _cells_in(step: Step) -> frozenset[str]:
    form = frozenset[str]() if step.form is None else cells_of(step.form)
    return form if step.how is Method.DIRECT else form | step.condition.cells


class _Folded:
    """The steps of an answer, each without zeros, factors of one and second names once it is asked for.

    Args:
        answer: the answer that the steps are of.
        kept: names of cells that stay, also where they are second names.
    """

    def __init__(self, answer: Answer, kept: frozenset[str]) -> None:
        self.names = {step.cell.name: step for step in answer.steps}
        self.values: Values = {**{name: step.si for name, step in self.names.items()}, **answer.values}
        self._kept = kept
        self._cells, self._outcomes = answer.cells, answer.outcomes
        self._by: dict[str, Expr | None] = {}
        self._constants: dict[str, Expr | None] = {}

    def step(self, name: str) -> Step:
        """Return a step with its formula folded."""
        step = self.names[name]
        form = None if step.form is None else _decided(self._unfolded(self.fold(step.form)))
        condition = step.condition
        if step.how is not Method.DIRECT:
            sides = (_decided(self.fold(side)) for side in (condition.left, condition.right))
            condition = replace(condition, left=next(sides), right=next(sides))
        return Step(step.cell, step.how, step.si, lambda: (condition, form))

    def _unfolded(self, form: Expr) -> Expr:
        """Return the formula of a cell in place of the cell alone, of which the step is then no second name."""
        seen = set[str]()
        while form.is_Symbol and form.name in self.names and form.name not in self._kept | seen:
            step = self.names[form.name]
            if step.how is not Method.DIRECT or step.form is None:
                break
            seen.add(form.name)
            form = self.fold(step.form)
        return form

    def _in_place_of(self, name: str) -> Expr | None:
        """Return what replaces a cell: a zero, a one, of a second name the first; None where nothing does."""
        if name not in self._by:
            short = self._constant(name)
            step = self.names.get(name)
            if short is None and step and step.how is Method.DIRECT and name not in self._kept:
                short = self._first_name(step.form)
            self._by[name] = short
        return self._by[name]

    def _first_name(self, form: Expr | None) -> Expr | None:
        """Return the cell that a formula is but for its constants; None where it is more than one cell."""
        if form is None or len(symbol_names(self._without_constants(form))) != 1:
            return None
        short = self.fold(form)
        return short if short.is_Symbol else None

    def _constant(self, name: str) -> Expr | None:
        """Return the zero, or the one without a unit, that a cell is; None for others and for unknowns."""
        if name not in self._constants:
            value = None if name in self._outcomes else self._cells.get(name)
            is_zero = value is not None and value.si == 0
            is_one = value is not None and value.si == 1 and not value.cell.unit.dimension
            self._constants[name] = sympy.S.Zero if is_zero else sympy.S.One if is_one else None
        return self._constants[name]

    def changes_nothing(self, name: str) -> bool:
        """Whether an input is a zero, or a one, that the formulas of steps are shown without."""
        value = self._cells.get(name)
        return value is not None and value.is_input and self._constant(name) is not None

    def _without_constants(self, form: Expr) -> Expr:
        constants = tuple(
            [(symbol(name), part) for name in symbol_names(form) if (part := self._constant(name)) is not None]
        )
        return _replaced(form, constants) if constants else form

    def fold(self, expression: Expr) -> Expr:
        """Return an expression without what cannot change it, or as it is where that would give another value."""
        by = tuple(
            [
                (symbol(name), short)
                for name in symbol_names(expression)
                if (short := self._in_place_of(name)) is not None
            ]
        )
        if not by:
            return expression
        short = self._unrounded(_replaced(expression, by))
        before, after = value_of(expression, self.values), value_of(short, self.values)
        same = before is not None and after is not None and close(before, after)
        return short if same and (symbol_names(short) or not expression.is_Symbol) else expression

    def _unrounded(self, expression: Expr) -> Expr:
        """Return an expression without roundings of cells that are whole, of unknowns aside: `ceil(n_blocks)`."""
        whole = tuple([(node, node.args[0]) for node in _rounded(expression) if self._is_whole(node.args[0].name)])
        return _replaced(expression, whole) if whole else expression

    def _is_whole(self, name: str) -> bool:
        value = None if name in self._outcomes else self.values.get(name)
        return value is not None and not isinstance(value, str) and is_finite(value) and value == int(value)


@cached(maxsize=MOST_CACHED)
def _rounded(expression: Expr) -> tuple[Expr, ...]:
    """Return the roundings of single cells in an expression."""
    found = expression.atoms(*nodes(Trait.STEPPED))
    return tuple(node for node in found if len(node.args) == 1 and node.args[0].is_Symbol)


@cached(maxsize=MOST_CACHED)
def _replaced(expression: Expr, by: tuple[tuple[Expr, Expr], ...]) -> Expr:
    return expression.xreplace(dict(by))


@cached(maxsize=MOST_CACHED)
def _decided(expression: Expr) -> Expr:
    """Return an expression in which comparisons of numbers alone are 1 or 0, if cells are left: `[1 > 1]`."""
    values = {own: value_or_none(own, {}) for own in expression.atoms(Indicator) if not symbol_names(own)}
    known = {own: as_sympy(value) for own, value in values.items() if value is not None}
    decided = expression.xreplace(known) if known else expression
    return decided if symbol_names(decided) else expression


def needed_inputs(answer: Answer) -> list[CellValue]:
    """Return the given values, and the inputs in steps, in relations, and in the formulas of cells in relations."""
    question = answer.question
    names = set().union(*[cells_of(form) for step in answer.steps if (form := step.form) is not None])
    inverted = [step.condition for step in answer.steps if step.how is not Method.DIRECT]
    broken = [check.relation for check in answer.broken]
    shaping = [question.sheet.limits[name] for outcome in answer.outcomes.values() for name in outcome.limits]
    related = {cell for relation in (*question.asked, *inverted, *broken, *shaping) for cell in relation.cells}
    formulas = (question.formula(name) for name in related | question.pins.keys() if name in question.sheet.cells)
    names |= related | {name for formula in formulas if formula is not None for name in cells_of(formula)}
    cells_in = answer.cells.items()
    return [value for name, value in cells_in if value.origin == "given" or (name in names and value.is_input)]


def used_inputs(inputs: Iterable[CellValue], names: Container[str]) -> list[CellValue]:
    """Return the inputs that are given, and those with these names."""
    return [value for value in inputs if value.origin == "given" or value.cell.name in names]
