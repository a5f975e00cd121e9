"""What lies between unknowns and relations on them, and which of their tuples the limits of a sheet leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.cell_bounds import bound_by_default, bounds_of
from flopsheet.errors import ArithmeticTrapError, QuestionError
from flopsheet.formulas.relation import Relation
from flopsheet.formulas.rows import row_of
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import Plan, plan
from flopsheet.search.joint import Joint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.functions import Expr
    from flopsheet.graph.system import System
    from flopsheet.question.question import Best
    from flopsheet.search.several_unknowns import Point
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


class Behind:
    """The `formulas` from unknowns to relations on them, and these with the equations that have to be solved as well.

    Args:
        system: in which the unknowns are known.
        names: the unknowns.
        execution: to which the cells are added that do not depend on the unknowns.
        asked: the relations.

    Raises:
        QuestionError: a cell that they rest on cannot be computed.
    """

    def __init__(self, system: System, names: Sequence[str], execution: Execution, asked: Sequence[Relation]) -> None:
        before, depending, relations = Plan(()), {*names}, [*asked]
        formulas: dict[str, Expr] = {}
        self.free: list[str] = []  # cells that depend on the unknowns and that no formula gives
        cells = set[str]().union(*(relation.cells for relation in asked))
        for block in plan(system.structure, cells, execution.names, join=False):
            if depending.issuperset(block.cells):
                continue
            if not block.inputs & depending:
                before.append(block)
                continue
            depending.update(block.cells)
            equations = [system.relation(system.structure.equations[key]) for key in block.keys]
            if block.direct:
                formulas[block.cells[0]] = equations[0].right
            else:
                self.free += block.cells
                relations += equations
        execution.run(system, before)
        self.execution = execution
        self.relations = [execution.resolved(relation) for relation in relations]
        self.formulas = {name: execution.branch(formula) for name, formula in formulas.items()}


class Kept(NamedTuple):
    """The tuples that limits leave, and the limits that exclude all others."""

    points: list[Point]
    limits: list[Relation]  # none of which excludes only what others among them exclude
    are_all: bool  # whether no other limit excludes some of these too


def within(  # noqa: PLR0913  # what a joint is made of, and what it is asked
    system: System,
    names: Sequence[str],
    execution: Execution,
    limits: Sequence[Relation],
    points: list[Point],
    *,
    bounds: Sequence[Relation] = (),
) -> Kept | None:
    """Return the tuples at which limits hold, and limits that exclude all others; None where one is not computed.

    Bounds of cells that are among them hold at a
    tuple where the cell has no value.
    """
    joint = _joint(system, names, execution, limits)
    if joint is None:
        return None if limits else Kept(points, [], are_all=True)
    broken = {point: joint.broken(point) for point in points}
    all_broken = [point for point, own in broken.items() if bounds and len(own) == len(limits)]
    gaps = [point for point in all_broken if joint.values_at(point) is None]
    if gaps:  # each bound may have a value where another has none
        free = {id(own) for own in bounds}
        stated = _joint(system, names, execution, [own for own in limits if id(own) not in free])
        alone = (_joint(system, names, execution, [own]) for own in limits if id(own) in free)
        single = [own for own in alone if own is not None]
        for point in gaps:
            parts = [stated, *(own for own in single if own.values_at(point) is not None)]
            broken[point] = [relation for own in parts if own is not None for relation in own.broken(point)]
    excluded = [{relation.text for relation in own} for own in broken.values() if own]
    every = {text for own in excluded for text in own}
    for limit in reversed(limits):
        if all(own != {limit.text} for own in excluded):
            excluded = [own - {limit.text} for own in excluded]
    excluding = {text for own in excluded for text in own}
    left = [point for point, own in broken.items() if not own]
    return Kept(left, [one for one in limits if one.text in excluding], are_all=excluding == every)


def within_defaults(system: System, names: Sequence[str], execution: Execution, points: list[Point]) -> list[Point]:
    """Return the tuples at which no computed cell is negative that may not be by default."""
    defaults = system.constraining([*bounds_of(bound_by_default(system.question.sheet.rows))], names)
    kept = within(system, names, execution, defaults, points, bounds=defaults)
    return points if kept is None else kept.points


def ranked(system: System, names: Sequence[str], execution: Execution, best: Best, points: list[Point]) -> list[Point]:
    """Return tuples in the order of a cell of their answers, where formulas give it."""
    joint = _joint(system, names, execution, [Relation(symbol(best.cell), "=", symbol(best.cell), "")])
    if joint is None:
        return points
    values = {point: joint.values_at(point) for point in points}
    sign, place = -1 if best.largest else 1, joint.program.result
    return sorted(points, key=lambda point: (0, sign * own[place]) if (own := values[point]) else (1, 0))


def computed_at(
    system: System, names: Sequence[str], execution: Execution, cells: Sequence[Cell], points: list[Point]
) -> dict[Point, dict[str, Number]]:
    """Return what formulas give for other cells at tuples of unknowns, without those at which one has no value.

    Empty where formulas do not lead there.
    """
    relations = [Relation(cell.symbol, "=", cell.symbol, "") for cell in cells]
    behind = _behind(system, names, execution, relations)
    if behind is None:
        return {}
    row, known = row_of(tuple(behind.formulas.items())), behind.execution.with_pins()
    found: dict[Point, dict[str, Number]] = {}
    for point in points:
        values = row.values(known, dict(zip(names, point, strict=True)))
        if values is not None and all(values[cell.name] in cell.bounds for cell in cells):
            found[point] = {cell.name: values[cell.name] for cell in cells}
    return found


def _joint(system: System, names: Sequence[str], execution: Execution, relations: Sequence[Relation]) -> Joint | None:
    """Return relations over unknowns, where formulas lead to them; None where they do not, or there are none."""
    behind = _behind(system, names, execution, relations)
    if behind is None:
        return None
    values = behind.execution.with_pins()
    return Joint(names, [*behind.formulas.items()], behind.relations, values, {})


def _behind(system: System, names: Sequence[str], execution: Execution, relations: Sequence[Relation]) -> Behind | None:
    """Return what leads from unknowns to relations where formulas do, and that there are any; None otherwise."""
    cells = frozenset[str]().union(*(relation.cells for relation in relations))
    if not cells - system.question.sheet.choices.keys() <= system.structure.determined:
        return None
    try:
        behind = Behind(system, names, execution.copy(), relations)
    except (ArithmeticTrapError, QuestionError):
        return None
    if behind.free or not relations:
        return None
    rested_on = {name for relation in behind.relations for name in relation.cells}
    return behind if rested_on <= {*names, *behind.formulas, *behind.execution.with_pins()} else None
