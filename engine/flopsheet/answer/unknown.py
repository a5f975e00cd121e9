"""Solves for one unknown: all conditions that depend on it, as functions of it alone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet import budget
from flopsheet.answer.cell_bounds import OWN_BOUND, bounds_of, valued
from flopsheet.answer.conditions.condition import followed
from flopsheet.answer.conditions.images import mapped
from flopsheet.answer.conditions.implied import divided, divisors_in, implied_bounds
from flopsheet.answer.conditions.solver import ConditionSolver
from flopsheet.answer.limits import ranged
from flopsheet.answer.several.partners import Partners, following, hidden_counts, within_reach
from flopsheet.answer.several.together import definitions, parametrized
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.solution_set import SolutionSet
from flopsheet.budget import is_over, works_on
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, QuestionError
from flopsheet.formulas.links import links
from flopsheet.graph.blocks import split
from flopsheet.graph.structure import VALUES
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.method import Method
from flopsheet.inverse.solution import Solution, combined
from flopsheet.numbers.sets import RealSet, meet_all
from flopsheet.search.known import seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions.symbols import Expr
    from flopsheet.graph.system import System
    from flopsheet.units import Number

MOST_ORDERS = 12
FOR_ASKED = 0.9  # of the time; the rest is for bounds of other cells: an open one would leave all values open


def find(system: System, name: str, execution: Execution) -> SolutionSet | None:
    """Return what a question's equations and inequalities leave of an unknown, or None if they say nothing of it.

    Several pinned cells may each serve to find what else depends on the unknown; where one cannot be inverted it
    becomes the condition, and another one is inverted. The values so far are added to in a copy, held by the result.

    Raises:
        NotInvertibleError: no condition can be inverted.
    """
    works_on(name)
    refused: NotInvertibleError | ArithmeticTrapError | None = None
    for ordered in _orders(system, name):
        try:
            return _find(ordered, name, execution.copy())
        except (NotInvertibleError, ArithmeticTrapError) as error:  # inverted, a formula may divide by zero
            refused = refused or error
            if is_over():
                break
    solutions = None if is_over() else _by_parameter(system, name, execution.copy())
    if solutions is not None:
        return solutions
    raise refused or NotInvertibleError(f"unknown '{name}'", "It cannot be inverted.")


def _orders(system: System, name: str) -> Iterator[System]:
    """Yield the system, and the same with one of the equations that over-determine it as the last to claim a cell."""
    yield system
    structure = system.structure.with_known(name)
    keys = {conflicting.key for key in structure.unmatched for conflicting in structure.conflict(key)}
    equations = system.structure.equations.values()
    movable = [equation for equation in equations if equation.key in keys and equation.kind not in VALUES]
    for last in movable[:MOST_ORDERS]:
        yield replace(system, structure=system.structure.with_last(last))


def _find(system: System, name: str, execution: Execution) -> SolutionSet | None:
    system = system.knowing((name,))
    question, structure, cell = system.question, system.structure, system.question.sheet.cells[name]
    surplus = {key: system.worded(structure.equations[key]) for key in structure.unmatched}
    asked = system.constraining([*surplus.values(), *question.inequalities], (name,))
    if not asked:
        return None
    leading = formulas_behind(system, execution, asked, name)
    stated = {(relation.left, relation.operator, relation.right) for relation in asked}
    others = [limit for limit in question.limits if (limit.left, limit.operator, limit.right) not in stated]
    binding = system.constraining(others, (name,))
    partners = following(system, (name,))
    bounded = [own for own in (*question.bounded, *partners) if own.name not in leading]
    present = {own: valued(own.symbol, own.name) for own in partners}
    more = system.constraining((*bounds_of(bounded), *present.values()), (name,))
    limits: list[Relation] = []
    formulas, values = leading, execution.with_pins()
    if binding or more:
        limits, formulas, values = _with_limits(system, execution, asked, [*binding, *more], name)
    beside = [own for own in bounded if own.name in formulas]
    bounds = system.constraining(bounds_of(question.bounded), (name,))
    lost = tuple(own for own in bounds if own.cells - {name, *formulas} and own.cells <= structure.determined)
    limits = [limit for limit in limits if limit.name]  # bounds have none
    domain = cell.bounds.interval
    known = seen(links(name, tuple(formulas.items())), values)
    within = [*map(question.sheet.cells.__getitem__, leading), *beside]
    solver = ConditionSolver(Chain(name, domain, formulas, values, cell.integer, known), execution, within)
    with budget.part(FOR_ASKED):
        conditions = ranged(solver.solve(asked, limits)) if cell.integer else solver.solve(asked, limits)
    shaping = [condition.relation for condition in conditions]
    if any(relation in limits for relation in shaping):
        within = [*map(question.sheet.cells.__getitem__, formulas_behind(system, execution, shaping, name)), *beside]
    behind = [own for own in partners if own in within]
    needed = [*map(present.__getitem__, behind), *divided(system, [own.name for own in within])]
    conditions += implied_bounds(solver.one, within, conditions, behind, needed, beside=beside)
    beyond = [own for own in partners if own not in within]
    reached, unchecked = within_reach(system, execution, solver.chain, conditions, beyond)
    unsolved = (*(limit for limit in binding if limit not in limits or limit in solver.unsolved), *lost)
    used = frozenset(key for key, relation in surplus.items() if relation in asked)
    own = Partners(hidden_counts(system, solver.chain, within, unchecked), unchecked)
    applied = frozenset(relation.text for relation in (*asked, *limits, *bounds_of(within)))
    conditions += [*reached, *followed(solver.chain, [*conditions, *reached], execution.beside(name))]
    conditions = [own for own in conditions if own.relation.decides != OWN_BOUND] or conditions
    unexamined = tuple(solver.unexamined)
    return SolutionSet(cell, domain, tuple(conditions), execution, used, "", unsolved, unexamined, own, applied)


def _by_parameter(system: System, name: str, execution: Execution) -> SolutionSet | None:
    """Return what inequalities leave of an unknown by a cell of the cycle behind it, which gives all other cells.

    The values of that cell are found instead, and mapped to those of the unknown. None where no cell gives it smoothly.
    Limits that cannot be taken with them are left to the check.
    """
    system = system.knowing((name,))
    asked = system.constraining(system.question.inequalities, (name,))
    limits = system.constraining(system.question.limits, (name,))
    if system.structure.unmatched or not asked:
        return None
    with suppress(NotInvertibleError, ArithmeticTrapError, SeveralValuesError):
        if limits and (solutions := _mapped(system, name, execution.copy(), asked, limits)) is not None:
            return solutions
    without = _mapped(system, name, execution, asked, [])
    return None if without is None else replace(without, unsolved=tuple(limits))


def _mapped(
    system: System, name: str, execution: Execution, asked: list[Relation], limits: list[Relation]
) -> SolutionSet | None:
    structure, cells, relations = system.structure, system.question.sheet.cells, [*asked, *limits]
    before, behind = split(structure, {cell for own in relations for cell in own.cells}, execution.names, name)
    execution.run(system, before)
    found = parametrized(system, behind, name, execution)
    if found is None:
        return None
    parameter, formulas = found
    chain = Chain(parameter, cells[parameter].bounds.interval, formulas, execution.with_pins())
    solver = ConditionSolver(chain, execution)
    conditions = solver.solve(asked, limits)
    if solver.unsolved:
        return None
    tied = [execution.resolved(system.worded(structure.equations[key])) for block in behind for key in block.keys]
    implied = implied_bounds(solver.one, map(cells.__getitem__, formulas), conditions, present=divisors_in(tied))
    bounds = [condition.solution for condition in implied]
    left = combined(chain.domain, [*(condition.solution for condition in conditions), *bounds])
    within = cells[name].bounds.interval
    image = None if left.progressions or left.open else mapped(chain, name, left.values, within)
    if image is None:
        return None
    if not image:
        none = tuple(replace(condition, solution=Solution(image, Method.SEARCH)) for condition in conditions)
        return SolutionSet(cells[name], within, none, execution)
    execution.branches[parameter] = left.values
    alone = [combined(chain.domain, [condition.solution, *bounds]).values for condition in conditions]
    images = [mapped(chain, name, values, within) or image for values in alone]
    if meet_all(images) != image:  # relations that hold on branches of their own hold together at fewer values
        images = [image] * len(conditions)
    own = Chain(name, within, {}, execution.with_pins(), cells[name].integer)
    images_of = zip(conditions, images, strict=True)
    mapped_to = tuple(replace(one, chain=own, solution=_image(own, one.relation, values)) for one, values in images_of)
    partners = following(system, (name,))
    unchecked = tuple(cell for cell in partners if cell.integer or cell.name not in {parameter, *formulas})
    return SolutionSet(
        cells[name],
        within,
        mapped_to,
        execution,
        followed=parameter,
        partners=Partners(tuple(cell for cell in partners if cell.integer), unchecked),
        applied=frozenset(relation.text for relation in relations),
    )


def _image(chain: Chain, relation: Relation, values: RealSet) -> Solution:
    """Return the values of an unknown to which those of another cell are mapped; of itself as it is: nothing rounds."""
    own = chain.solve(relation) if relation.cells == {chain.unknown} else None
    return own or Solution(values, Method.SEARCH)


def _with_limits(
    system: System, execution: Execution, asked: list[Relation], limits: list[Relation], name: str
) -> tuple[list[Relation], dict[str, Expr], dict[str, Number | str]]:
    """Return the limits that can be computed from an unknown, with the formulas and values for them and what is asked.

    The values of cells that only limits need are no steps to the answer, so the execution does not get them.
    """

    def computed(limits: list[Relation]) -> tuple[list[Relation], dict[str, Expr], dict[str, Number | str]]:
        wide = execution.copy()
        return limits, formulas_behind(system, wide, [*asked, *limits], name), wide.with_pins()

    computable: list[Relation] = []
    for trial in (limits, *([limit] for limit in limits)):
        try:
            result = computed(trial)
        except (QuestionError, ArithmeticTrapError, SeveralValuesError):
            continue
        if trial is limits:
            return result
        computable += trial
    return computed(computable)


def formulas_behind(system: System, execution: Execution, asked: Iterable[Relation], name: str) -> dict[str, Expr]:
    """Compute what does not depend on the unknown; return the formulas of what does, in their order."""
    cells = {cell for relation in asked for cell in relation.cells}
    before, behind = split(system.structure, cells, execution.names, name)
    execution.run(system, before)
    formulas: dict[str, Expr] = {}
    for block in behind:
        formulas |= definitions(system, block, name, execution)
    return formulas
