"""Several cells that depend on each other, at once: unknowns, and cells behind one unknown.

Solved one by one, each unknown would be given rounded values. Cells behind an unknown are functions of it, or of one of
them, where that gives the unknown too.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import bounds_of, whole
from flopsheet.answer.outcomes.refusals import not_listed
from flopsheet.answer.outcomes.wording import lack_of_time, wholes_in
from flopsheet.answer.several.behind import Behind, computed_at, ranked, within, within_defaults
from flopsheet.answer.several.counted import counted
from flopsheet.answer.several.found import Together
from flopsheet.answer.several.partners import binding, following
from flopsheet.answer.several.tuples import MOST_TUPLES, nearest_first
from flopsheet.answer.shortage import undetermined
from flopsheet.answer.verification.mending import all_hold
from flopsheet.budget import is_over, part
from flopsheet.errors import NotInvertibleError, UnderdeterminedError
from flopsheet.formulas.trees import put_in, symbol_names
from flopsheet.functions.symbols import symbol
from flopsheet.graph.rearranged import signs_of, unrolled
from flopsheet.inverse.simultaneous import simultaneous
from flopsheet.numbers.spans import between
from flopsheet.search.several_unknowns import Tuples
from flopsheet.units import tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.graph.blocks import Block
    from flopsheet.graph.system import System
    from flopsheet.numbers.spans import Span
    from flopsheet.search.several_unknowns import Point
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


class UnlistedError(UnderdeterminedError):
    """Too few relations leave whole numbers of which some were found, and others are not excluded."""

    def __init__(self, error: UnderdeterminedError, found: Together) -> None:
        super().__init__(error.where, error.problem, error.fix)
        self.found = found


MOST_LISTED = 1024  # tuples of whole numbers that have too few equations
MOST_PARAMETERS = 6  # cells of a cycle of which all others may be functions
LISTED = 1 / 2  # of the time, for the tuples of whole numbers that have too few equations


def find_together(system: System, names: Sequence[str], execution: Execution) -> Together:
    """Return the tuples of unknowns at which all relations on them hold, those of cells between included.

    Raises:
        NotInvertibleError: a cell on which the relations rest cannot be computed.
        UnderdeterminedError: too few relations leave more whole numbers than can be listed, or could be in time: it
            is an `UnlistedError` that has those that were found, where some were.
    """
    beyond = system.knowing(names)
    surplus, asked = _asked_of(system, beyond, names)
    used = frozenset(key for key, relation in surplus.items() if relation in asked)
    behind = Behind(beyond, names, execution.copy(), asked)
    if not behind.relations:
        raise undetermined(system, names[0])
    is_determined = system.structure.determined.issuperset(names)
    is_assumed = not execution.assumed.keys().isdisjoint(names)
    few = None if is_determined or is_assumed else counted(beyond, names, execution, behind, MOST_LISTED)
    equations = (beyond.structure.equations[key] for key in surplus if key in used)
    stated = tuple(own for own in equations if own.target in behind.free and not own.is_formula)

    def together(result: Tuples) -> Together:
        points = [*dict.fromkeys(tuple(map(tidy, point[: len(names)])) for point in result.points)]
        sought, known = (*names, *behind.free), behind.execution
        return Together(result, sought, points, behind.relations, behind.formulas, used, known, stated, counted=few)

    if few is not None and few.points:
        kept = _kept(together(Tuples(tuple(few.points))), beyond, names, are_followed=False)
        if kept.points:  # otherwise the answer says what lifting the limits would leave
            return kept
    result, error = _tuples(system, names, behind, is_determined=is_determined)
    if error is not None and few is not None:  # none of the tuples that limits leave, whatever else is open
        result, error = Tuples(tuple(few.points)), None
    elif error is not None and (result.endless or len(result.points) > MOST_LISTED):
        raise error
    found = together(result)
    if error is None and (behind.free or is_assumed or (is_determined and len(found.points) < 2)):
        return found
    are_followed = is_determined and len(found.points) <= MOST_TUPLES
    kept = _kept(found, beyond, names, are_followed=are_followed)
    if error is not None:
        raise UnlistedError(error, kept) if kept.points else error
    return kept


def _asked_of(system: System, beyond: System, names: Sequence[str]) -> tuple[dict[str, Relation], list[Relation]]:
    """Return the equations that are left where unknowns are known, and with inequalities those that constrain them."""
    surplus = {key: system.relation(beyond.structure.equations[key]) for key in beyond.structure.unmatched}
    return surplus, beyond.constraining([*surplus.values(), *system.question.inequalities], names)


def _tuples(
    system: System, names: Sequence[str], behind: Behind, *, is_determined: bool
) -> tuple[Tuples, UnderdeterminedError | None]:
    """Return the tuples of unknowns and of the cells behind them, and the error where too few relations leave more."""
    execution, sheet, free = behind.execution, system.question.sheet, (*names, *behind.free)
    assumed = [execution.assumed[name] for name in names if name in execution.assumed]
    if len(assumed) == len(free):  # one of the tuples that were found before
        return Tuples((tuple(assumed),)), None
    bounds = {name: sheet.cells[name].bounds.interval for name in behind.formulas}
    sought = [execution.bounded(name) for name in free]
    with part(1 if is_determined else LISTED):
        result = simultaneous(sought, behind.formulas, behind.relations, execution.with_pins(), bounds)
        late = is_over()
    if is_determined or not (result.open or len(result.points) > MOST_LISTED):
        return result, None
    many = len(result.points) > MOST_LISTED
    return result, not_listed(names, MOST_LISTED if many else 0) if late else undetermined(system, names[0])


def _kept(together: Together, beyond: System, names: Sequence[str], *, are_followed: bool) -> Together:
    """Return those tuples within the bounds of all cells, and unless all are followed, within limits."""
    question, rows, execution = beyond.question, beyond.question.sheet.rows, together.execution
    inputs = (cell for cell in following(beyond, names) if cell.formula is None)
    bounded = [*bounds_of(cell for cell in (*rows.bounded, *inputs) if cell.name not in together.formulas)]
    counted = whole(cell for cell in binding(rows) if cell.formula is not None)
    conditions = beyond.constraining([*([] if are_followed else question.limits), *bounded, *counted], names)
    if (own := within(beyond, names, execution, conditions, together.points, bounds=bounded)) is None:
        return together
    left, limits, are_all = own  # few are followed one by one, which shows what leaves its bounds
    left = within_defaults(beyond, names, execution, left) if len(left) > MOST_TUPLES else left
    if are_followed:
        return replace(together, points=left or together.points)
    beside = _beside(beyond, names, execution, left) if len(left) > MOST_TUPLES else {}
    left = [point for point in left if point in beside] if beside else left
    excluded = [point for point in together.points if point not in left]
    resting = beyond.structure.resting_on(names) | {*names}
    unchanged = [own for own in question.limits if resting.isdisjoint(own.cells)]
    are_all = are_all and all_hold(beyond, execution.copy(), unchanged)
    if left and together.counted is not None:
        own = within(beyond, names, execution, conditions, together.counted.beside(left), bounds=bounded)
        excluding = [*limits, *(own.limits if own else ())]
        limits = [limit for limit in conditions if limit in excluding]
    if question.best is not None:
        left = ranked(beyond, names, execution, question.best, left)
    elif question.is_left_to_limits:
        left = sorted(left, key=math.prod)
    elif question.near and len(left) > MOST_TUPLES:  # of many only the first are followed
        left = nearest_first(left, [question.near.get(name) for name in names])
    return replace(
        together, points=left, checked=True, limits=limits, excluded=excluded, are_all=are_all, beside=beside
    )


def _beside(
    beyond: System, names: Sequence[str], execution: Execution, points: list[Point]
) -> dict[Point, dict[str, Number]]:
    """Return what formulas give for the other unknowns at tuples of some; empty where one has no formula."""
    others = [beyond.question.sheet.cells[name] for name in beyond.question.unknowns if name not in names]
    are_computed = others and all(own.formula is not None for own in others)
    return computed_at(beyond, names, execution, others, points) if are_computed else {}


def breaks_in_run(system: System, execution: Execution, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether whole numbers of one unknown break a relation though the others are not said to rest on one of them."""
    runs = [own for own in outcomes.values() if own.cell.integer and own.interval and not own.interval.is_point]
    values = {own.cell.name: own.si for own in outcomes.values() if own.si is not None and not own.at}
    if len(outcomes) < 2 or len(runs) != 1 or len(values) < len(outcomes):
        return False
    names, beyond = (*outcomes,), system.knowing(outcomes)
    _, asked = _asked_of(system, beyond, names)
    points = [(*(values | {runs[0].cell.name: at}).values(),) for at in wholes_in(runs[0].listed, MOST_LISTED)[0]]
    checked = within(beyond, names, execution, asked, points)
    return checked is not None and len(checked.points) < len(points)


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
        composed = [
            replace(relation, left=put_in(relation.left, parts), right=put_in(relation.right, parts))
            for relation in relations.values()
        ]
        used = {name, *block.cells, *execution.values.keys()}
        signs, spans = signs_of(used, system.question.sheet.cells, execution.values), _spans(system, execution, used)
        inputs = [cell for cell in block.cells if system.question.sheet.cells[cell].formula is None]
        for cell in (inputs or block.cells)[:MOST_PARAMETERS]:
            plain, others = _as_they_stand(composed, {name, *block.cells} - {cell})
            left = [other for other in (name, *block.cells) if other != cell and other not in plain]
            forms = unrolled(dict(zip(left, others, strict=True)), execution.values, signs.through(plain), spans)
            if forms is not None:
                parameter, formulas = cell, {**plain, name: (plain | forms)[name], **formulas, **forms}
                break
        else:
            return None
    return (parameter, formulas) if parameter else None


def _as_they_stand(relations: Sequence[Relation], cells: set[str]) -> tuple[dict[str, Expr], list[Relation]]:
    """Return the formulas among relations that give cells one after the other, and the relations that are left.

    That leaves less to rearrange, and formulas of a few cells each.
    """
    plain: dict[str, Expr] = {}
    waiting = [*relations]

    def is_ready(relation: Relation) -> bool:
        left, sought = relation.left, cells - plain.keys()
        return bool(left.is_Symbol) and left.name in sought and sought.isdisjoint(symbol_names(relation.right))

    while ready := next(filter(is_ready, waiting), None):
        plain[ready.left.name] = ready.right
        waiting.remove(ready)
    return plain, waiting


def _relations(system: System, block: Block, execution: Execution) -> dict[str, Relation]:
    """Return the relation of each cell of a block, each case distinction as the branch that is taken."""
    equations = (system.structure.equations[key] for key in block.keys)
    relations = (execution.resolved(system.relation(equation)) for equation in equations)
    return dict(zip(block.cells, relations, strict=True))


def definitions(system: System, block: Block, name: str, execution: Execution) -> dict[str, Expr]:
    """Return the formulas of cells that depend on the unknown, their equations inverted where they must be."""
    key = block.keys[0]
    if block.direct and key not in system.stated and system.structure.equations[key].is_formula:
        known: dict[str, dict[str, Expr]] = system.structure.derived(("definitions",), dict)
        if key not in known:
            known[key] = {block.cells[0]: _relations(system, block, execution)[block.cells[0]].right}
        return known[key]
    relations = _relations(system, block, execution)
    if block.direct:
        return {cell: relation.right for cell, relation in relations.items()}
    names = {cell for relation in relations.values() for cell in relation.cells}
    signs = signs_of(names, system.question.sheet.cells, execution.values)
    formulas = unrolled(relations, execution.values, signs, _spans(system, execution, names))
    if formulas is None:
        cells = ", ".join(block.cells)
        why = f"was not inverted: {lack_of_time()}" if is_over() else "cannot be inverted"
        problem = f"'{name}' decides {cells} in a way that {why}."
        equation = "Ask with = for the end of a range, or give" if system.question.inequalities else "Give"
        raise NotInvertibleError(f"unknown '{name}'", problem, f"{equation} one of {cells}.")
    return formulas


def _spans(system: System, execution: Execution, names: Iterable[str]) -> dict[Expr, Span]:
    """Return the bounds of numbers, of those with a value these alone."""
    question, given = system.question, {**system.question.given, **execution.values}

    def ends(cell: Cell) -> tuple[Number, Number]:
        value = given.get(cell.name)
        return (cell.bounds.lower, cell.bounds.upper) if value is None or isinstance(value, str) else (value, value)

    cells = (question.sheet.cells[name] for name in names if name in question.sheet.cells)
    return {cell.symbol: between(*ends(cell)) for cell in cells}
