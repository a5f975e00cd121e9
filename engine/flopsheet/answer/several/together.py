"""Several cells that depend on each other, at once: unknowns, and cells behind one unknown.

Solved one by one, each unknown would be given rounded values. Cells behind an unknown are functions of it, or of one of
them, where that gives the unknown too.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from sympy.utilities.iterables import connected_components

from flopsheet.answer.execute import Step
from flopsheet.answer.outcome import Outcome
from flopsheet.answer.several.found import Together
from flopsheet.answer.shortage import undetermined
from flopsheet.answer.wording import lack_of_time, not_excluded
from flopsheet.budget import is_over, part
from flopsheet.errors import NotInvertibleError, QuestionError, UndecidedError, joined
from flopsheet.formulas.trees import put_in
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import Block, Plan, plan
from flopsheet.graph.rearranged import unrolled
from flopsheet.inverse.method import Method, Proof
from flopsheet.inverse.simultaneous import simultaneous
from flopsheet.numbers.sets import union
from flopsheet.units import tidy

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.graph.structure import Structure
    from flopsheet.graph.system import System
    from flopsheet.numbers.sets import RealSet
    from flopsheet.sheets.cell import Cell


LISTED = 1 / 3  # of the time, for the tuples of whole numbers that have too few equations


def groups(system: System, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the unknowns in groups: those that equations tie to each other, and each other one alone.

    They are tied where one block of equations gives them, or where they are whole numbers that have too few equations,
    which list them nevertheless.
    """
    if len(names) < 2:
        return [(name,) for name in names]
    structure, cells = system.structure, system.question.sheet.cells
    determined = [name for name in names if name in structure.determined]
    tied = [
        [name for name in names if name in block.cells]
        for block in plan(structure, determined, cells, join=False)
        if not block.direct
    ]
    free = [cell for cell in structure.touching if cell not in structure.determined]
    edges = [(cell, other) for key, (cell, *others) in _touching(structure, free) for other in others]
    tied += [
        [name for name in names if name in component]
        for component in connected_components((free, edges))
        if _are_counts(structure, [name for name in names if name in component], component, cells)
    ]
    group = {name: tuple(members) for members in tied if len(members) > 1 for name in members}
    return list(dict.fromkeys(group.get(name, (name,)) for name in names))


def _are_counts(structure: Structure, names: Sequence[str], free: Sequence[str], cells: Mapping[str, Cell]) -> bool:
    """Whether unknowns are all that is free beside formulas, are whole numbers, and equations constrain them."""
    others = (cells[cell] for cell in free if cell not in names)
    if not all(cells[name].integer for name in names) or any(cell.formula is None for cell in others):
        return False
    return len(names) == len(free) or bool(structure.with_known(*names).unmatched)


def _touching(structure: Structure, free: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the equations of cells that are not determined, with these cells."""
    touched = {key: [cell for cell in cells if cell in free] for key, cells in structure.cells_of.items()}
    return [(key, cells) for key, cells in touched.items() if cells]


def find_together(system: System, names: Sequence[str], execution: Execution) -> Together:
    """Return the tuples of unknowns at which all relations on them hold, those of cells between included.

    Raises:
        NotInvertibleError: a cell on which the relations rest cannot be computed.
        UnderdeterminedError: too few relations leave more whole numbers than can be listed.
    """
    question, order = system.question, execution.names
    structure = system.structure.with_known(*names)
    known = structure.determined | question.sheet.choices.keys()

    def constrains(relation: Relation) -> bool:
        return relation.cells <= known and not structure.needed(relation.cells).isdisjoint(names)

    surplus = {key: system.relation(structure.equations[key]) for key in structure.unmatched}
    surplus = {key: relation for key, relation in surplus.items() if constrains(relation)}
    asked = [*surplus.values(), *filter(constrains, question.inequalities)]
    execution, depending = execution.copy(), {*names}
    before, free, relations = Plan(()), [*names], [*asked]
    formulas: dict[str, Expr] = {}
    cells = set[str]().union(*(relation.cells for relation in asked))
    for block in plan(structure, cells, order, join=False):
        if depending.issuperset(block.cells):
            continue
        if not block.inputs & depending:
            before.append(block)
            continue
        depending.update(block.cells)
        equations = [system.relation(structure.equations[key]) for key in block.keys]
        if block.direct:
            formulas[block.cells[0]] = equations[0].right
        else:
            free += block.cells
            relations += equations
    execution.run(replace(system, structure=structure), before)
    relations = [execution.resolved(relation) for relation in relations]
    formulas = {name: execution.branch(formula) for name, formula in formulas.items()}
    sheet, count = question.sheet.cells, len(names)
    bounds = {name: sheet[name].bounds.interval for name in formulas if sheet[name].formula is None}
    sought = [execution.bounded(name) for name in free]
    is_determined = system.structure.determined.issuperset(names)
    with part(1 if is_determined else LISTED):
        result = simultaneous(sought, formulas, relations, execution.with_pins(), bounds)
    if result.open and not is_determined:
        raise undetermined(system, names[0])
    points = [*dict.fromkeys(tuple(map(tidy, point[:count])) for point in result.points)]
    tied = {*free}.difference(names)
    stated = tuple(structure.equations[key] for key in surplus if structure.equations[key].target in tied)
    stated = tuple(equation for equation in stated if not equation.is_formula)
    return Together(result, tuple(free), points, relations, formulas, frozenset(surplus), execution, stated)


def has_few_tuples(system: System, names: Sequence[str], execution: Execution, most: int) -> bool:
    """Whether all tuples of unknowns are found at once, and are at most so many."""
    try:
        result = find_together(system, names, execution).result
    except QuestionError:
        return False
    return 0 < len(result.points) <= most and not result.open


def no_tuple(cell: Cell, names: Sequence[str], opened: RealSet) -> Outcome:
    """Return the outcome of one of several unknowns for which no values were found, or for which there are none."""
    why = f"No values of {joined([*names])} meet all relations at once."
    if opened:
        why = not_excluded(opened, cell, f"No values of {joined([*names])} were found, but some of {{}} are")
    return Outcome(cell, "none", why=why, proof=Proof.OPEN if opened else Proof.PROVEN, open=opened)


def doubted(result: Outcome, system: System, execution: Execution) -> Outcome:
    """Return an outcome with how sure it is that the cells that it rests on have no other values."""
    name = result.cell.name
    steps = [step for step in execution.log if isinstance(step, Step) and step.how is Method.SIMULTANEOUS]
    if not steps and not execution.open:
        return result
    needed = system.structure.needed([name])
    searched, others = any(step.cell.name in needed for step in steps), execution.open.keys() & needed
    if not others:
        return replace(result, proof=Proof.PROVEN) if searched and result.proof is Proof.EXACT else result
    more = execution.open[name] if name in others else (result.cell.bounds.interval,)
    return replace(result, proof=Proof.OPEN, open=union(result.open, more))


def left_open(
    cells: Mapping[str, Cell], groups: Iterable[Sequence[str]], errors: Sequence[QuestionError]
) -> dict[str, Outcome]:
    """Return the outcomes of unknowns of which no value was found in time; raise the first error if none says so."""
    if not any(isinstance(error, UndecidedError) for error in errors):
        raise errors[0]
    names = tuple(chain(*groups))
    return {name: no_tuple(cells[name], names, (cells[name].bounds.interval,)) for name in names}


def lost_by_choice(outcomes: Iterable[Outcome]) -> bool:
    """Whether an unknown has no value beside one of the many of another one, which says nothing of the others."""
    kinds = {outcome.kind for outcome in outcomes}
    return "none" in kinds and not kinds.isdisjoint(("range", "values", "whole"))


def not_excluding(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return outcomes of which those without a value, beside one of many of another unknown, exclude none."""
    return {
        name: no_tuple(own.cell, [*outcomes], (own.cell.bounds.interval,)) if own.kind == "none" else own
        for name, own in outcomes.items()
    }


def lost_with(cell: Cell, outcomes: Iterable[Outcome], needed: Container[str]) -> Outcome | None:
    """Return the outcome of an unknown that needs one without a value, or None; limits exclude no cell."""
    nothing = (outcome for outcome in outcomes if outcome.kind == "none")
    lost = next((outcome for outcome in nothing if outcome.cell.name in needed and not outcome.limits), None)
    return None if lost is None else _resting_on(lost, cell)


def _resting_on(lost: Outcome, cell: Cell) -> Outcome:
    """Return the outcome of an unknown that rests on one that has no value."""
    opened = (cell.bounds.interval,) if lost.open else ()
    return Outcome(cell, "none", why=f"It rests on {lost.cell.name}. {lost.why}", proof=lost.proof, open=opened)


def refuse_dependents(outcomes: dict[str, Outcome], structure: Structure) -> None:
    """Turn outcomes into "none" that rest on an unknown for which no value works."""
    empty = [name for name, result in outcomes.items() if result.kind == "none"]
    for name, result in outcomes.items():
        needed = structure.with_known(*empty).needed([name])
        lost = next((other for other in empty if other in needed), None)
        if lost is not None and result.kind != "none":
            outcomes[name] = _resting_on(outcomes[lost], result.cell)


def parametrized(
    system: System, blocks: Iterable[Block], name: str, execution: Execution
) -> tuple[str, dict[str, Expr]] | None:
    """Return a cell that gives an unknown and all cells behind it, and the formulas of these, in order."""
    parameter = ""
    formulas: dict[str, Expr] = {}
    for block in blocks:
        relations = _relations(system, block, execution)
        try:
            formulas |= definitions(system, block, name, execution)
        except NotInvertibleError:
            if parameter:
                return None
        else:
            continue
        parts: dict[Expr, Expr] = {}
        for cell, formula in formulas.items():
            parts[symbol(cell)] = put_in(formula, parts)
        composed = {
            cell: replace(relation, left=put_in(relation.left, parts), right=put_in(relation.right, parts))
            for cell, relation in relations.items()
        }
        positive = execution.positive({name, *block.cells, *execution.values.keys()})
        for cell in block.cells:
            others = {name if other == cell else other: relation for other, relation in composed.items()}
            forms = unrolled(others, execution.values, positive)
            if forms is not None:
                parameter, formulas = cell, {name: forms[name], **formulas, **forms}
                break
        else:
            return None
    return (parameter, formulas) if parameter else None


def _relations(system: System, block: Block, execution: Execution) -> dict[str, Relation]:
    """Return the relation of each cell of a block, each case distinction as the branch that is taken."""
    equations = (system.structure.equations[key] for key in block.keys)
    relations = (execution.resolved(system.relation(equation)) for equation in equations)
    return dict(zip(block.cells, relations, strict=True))


def definitions(system: System, block: Block, name: str, execution: Execution) -> dict[str, Expr]:
    """Return the formulas of cells that depend on the unknown, their equations inverted where they must be."""
    relations = _relations(system, block, execution)
    if block.direct:
        return {cell: relation.right for cell, relation in relations.items()}
    positive = execution.positive({cell for relation in relations.values() for cell in relation.cells})
    formulas = unrolled(relations, execution.values, positive)
    if formulas is None:
        cells = ", ".join(block.cells)
        why = f"was not inverted: {lack_of_time()}" if is_over() else "cannot be inverted"
        problem = f"'{name}' decides {cells} in a way that {why}."
        equation = "Ask with = for the end of a range, or give" if system.question.inequalities else "Give"
        raise NotInvertibleError(f"unknown '{name}'", problem, f"{equation} one of {cells}.")
    return formulas
