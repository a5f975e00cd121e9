"""Says why: what is missing, what contradicts, what cannot be reached and which term stops it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import (
    AmbiguousDefaultError,
    ArithmeticTrapError,
    OverdeterminedError,
    QuestionError,
    UnderdeterminedError,
    joined,
)
from flopsheet.sheets.order import in_text
from flopsheet.sheets.relation import RELATIVE_TOLERANCE
from flopsheet.solver.closed_form import coefficients
from flopsheet.solver.condition import HIGHEST_DEGREE, poles_of, real_roots
from flopsheet.solver.evaluate import evaluate
from flopsheet.solver.structure import Equation, Structure
from flopsheet.solver.unknown import as_known
from flopsheet.solver.wording import interval_text
from flopsheet.units import Number, Unit, format_quantity, size, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.relation import Relation
    from flopsheet.solver.intervals import RealSet
    from flopsheet.solver.question import Question
    from flopsheet.solver.unknown import Condition, Found

MOST_LISTED = 6


def shown_unit(relation: Relation, cells: dict[str, Cell]) -> Unit:
    """Return the unit in which the sides of a relation read well: of a cell that stands alone, else of a literal."""
    for side in (relation.left, relation.right):
        if side.is_Symbol and side.name in cells:
            return cells[side.name].unit
    return next((quantity.unit for quantity in relation.literals.values()), unit(""))


def nothing(found: Found) -> str:
    """Return why no value of an unknown works."""
    empty = [condition for condition in found.conditions if not condition.solution.values]
    if not empty:
        return _contradiction(found)
    condition = empty[0]
    cells = found.execution.question.sheet.cells
    shown = shown_unit(condition.relation, cells)
    left, right = (_reach(found, side) for side in (condition.composed.left, condition.composed.right))
    text = f"No {found.cell.name} satisfies '{condition.relation.text}'"
    if left is None or right is None:
        return f"{text} within its bounds ({found.cell.bounds.text(found.cell.unit)})."
    low = left.low > right.high
    name = in_text(condition.relation.left, found.execution.names)
    extreme, at = (left.low, left.at_low) if low else (left.high, left.at_high)
    must = format_quantity(right.high if low else right.low, shown)
    verb, bound = ("fall below", "at most") if low else ("rise above", "at least")
    sentence = f"{text}: {name} cannot {verb} {format_quantity(extreme, shown)} {_however(found, at)}"
    stops = _what_stays(condition, found, extreme, shown)
    return f"{sentence}, and must be {bound if condition.relation.operator != '=' else 'exactly'} {must}.{stops}"


class Reach:
    """The smallest and largest value of an expression over the domain of the unknown, and where they lie."""

    def __init__(self, points: list[tuple[Number, Number]]) -> None:
        self.low, self.at_low = min(points)
        self.high, self.at_high = max(points)


def _reach(found: Found, expression: Any) -> Reach | None:
    """Return the smallest and largest value of an expression over the domain, or None where they are not certain."""
    turns = _turning_points(found, expression)
    if turns is None:
        return None
    points = []
    for at in [found.domain.lower, *(turn for turn in turns if turn in found.domain), found.domain.upper]:
        try:
            value = evaluate(expression, {**found.execution.values, found.cell.name: at})
        except ArithmeticTrapError:
            continue
        if value == value:  # noqa: PLR0124  # only "not a number" differs from itself
            points.append((value, at))
    return Reach(points) if points else None


def _turning_points(found: Found, expression: Any) -> list[Number] | None:
    """Return where an expression may turn inside the domain; None where that is not known, or it has a pole there."""
    unknown = found.cell.symbol
    if not expression.has(unknown):
        return []
    values = found.execution.values
    poles = poles_of(expression, unknown, values)
    if poles is None or any(found.domain.lower < pole < found.domain.upper for pole in poles):
        return None
    if sum(node == unknown for node in sympy.preorder_traversal(expression)) == 1:
        return [0] if found.domain.lower < 0 < found.domain.upper else []
    slope = coefficients(sympy.diff(expression, unknown), unknown, HIGHEST_DEGREE)
    return None if slope is None else real_roots([evaluate(each, values) for each in slope])


def _however(found: Found, at: Number) -> str:
    name = found.cell.name
    if at == math.inf:
        return f"however large {name} is"
    if at == found.domain.lower:
        return f"even at {name} = {format_quantity(at, found.cell.unit)}"
    return f"at any {name}"


def _what_stays(condition: Condition, found: Found, extreme: Number, shown: Unit) -> str:
    """Name the terms that do not depend on the unknown, where they make up the value that cannot be passed."""
    left = condition.composed.left
    terms = [term for term in left.args if not term.has(found.cell.symbol)] if left.is_Add else []
    if not terms:
        return ""
    stays = left.func(*terms)
    value = evaluate(stays, found.execution.values)
    if not extreme or size(value - extreme) > RELATIVE_TOLERANCE * size(extreme):
        return ""
    text = in_text(stays, found.execution.names)
    return f" {format_quantity(value, shown)} stay whatever {found.cell.name} is: {text} does not depend on it."


def _contradiction(found: Found) -> str:
    parts = []
    for condition in found.conditions:
        ranges = joined([interval_text(each, found.cell) for each in condition.solution.values], "or")
        parts.append(f"'{condition.relation.text}' needs {ranges}")
    return f"No {found.cell.name} meets all relations at once: {joined(parts)}."


def no_whole(cell: Cell, intervals: RealSet) -> str:
    """Return why ranges give a whole-number cell nothing."""
    ranges = joined([interval_text(each, cell) for each in intervals], "or")
    return f"No whole number lies in {ranges}, where {cell.name} would work."


def contradicted(question: Question, structure: Structure, key: str, sides: tuple[Number, Number]) -> QuestionError:
    """Return the error for an equation that contradicts the others."""
    equation = structure.equations[key]
    cells = question.sheet.cells
    others = [each for each in structure.conflict(key) if each.key != key]
    text = (
        equation.relation.text if equation.target not in question.pins else question.pins[equation.target].relation.text
    )
    name = equation.target or in_text(equation.relation.left, tuple(cells))
    shown = shown_unit(equation.relation, cells)
    first, second = (format_quantity(side, shown) for side in sides)
    problem = f"'{text}' needs {name} to be {second}, but the rest of the question makes it {first}."
    defaults = [each.target for each in others if each.kind == "default"]
    if len(defaults) > 1:
        fix = (
            f"More than one default could give way: ask for one of {joined(defaults, 'or')} as the unknown, or give it."
        )
        return AmbiguousDefaultError(f"relation '{text}'", problem, fix)
    given = [
        f"'{question.pins[each.target].relation.text}'"
        for each in others
        if each.kind in ("given", "demand") and each.target in question.pins
    ]
    given += [f"'{name} = {record.key}'" for name, record in question.records.items() if _uses(others, name)]
    fix = f"Leave out this relation or one of {joined(given, 'or')}." if given else "Leave out this relation."
    return OverdeterminedError(f"relation '{text}'", problem, fix)


def _uses(others: Iterable[Equation], part: str) -> bool:
    return any(each.kind == "record" and each.target.startswith(f"{part}.") for each in others)


def undetermined(question: Question, system: Sequence[Equation], name: str) -> UnderdeterminedError:
    """Return the error for an unknown that the relations leave free, with what would decide it."""
    cells = question.sheet.cells
    structure = Structure(list(system), question.sheet.choices)
    with_it = Structure([as_known(name), *system], question.sheet.choices)
    asked = [relation for relation in question.inequalities if name in with_it.needed(relation.cells)]
    missing = sorted(_missing(with_it, {cell for relation in asked for cell in relation.cells}), key=list(cells).index)
    where = f"unknown '{name}'"
    if missing:
        are = "is" if len(missing) == 1 else "are"
        problem = f"'{name}' cannot be found: {joined([repr(each) for each in missing])} {are} not given."
        return UnderdeterminedError(where, problem, f"Add {_paste(question, missing)}.")
    deciding = [
        each
        for each in cells
        if each != name and each not in structure.determined and _decides(system, each, name, question)
    ]
    if deciding:
        limits = [
            f"the limit '{each.text}'" for each in question.sheet.limits.values() if name in with_it.needed(each.cells)
        ]
        fix = f"It needs one of: {_paste(question, deciding)}" + "".join(f", or {each}" for each in limits) + "."
        return UnderdeterminedError(where, f"'{name}' can be anything: too few relations.", fix)
    problem = f"'{name}' cannot be found: too little is given."
    return UnderdeterminedError(where, problem, _first_steps(question, with_it, name))


def _first_steps(question: Question, with_it: Structure, name: str) -> str:
    """Say what would lead to an unknown that nothing is said of: a cell that it decides, and what that rests on."""
    cells = question.sheet.cells
    decided = [
        cell for cell in cells if cell != name and cells[cell].formula is not None and name in with_it.needed([cell])
    ]
    limits = [each for each in question.sheet.limits.values() if name in with_it.needed(each.cells)]
    if not decided:
        return f"No cell depends on it: give it, as in {_paste(question, [name])}."
    rests_on = limits[0].cells if limits else {decided[0]}
    missing = sorted(_missing(with_it, rests_on), key=list(cells).index)
    goal = f"with the limit '{limits[0].text}'" if limits else f"with a relation for {decided[0]}"
    return f"Ask, for instance, {goal}" + (f", and give {_paste(question, missing)}" if missing else "") + "."


def _decides(system: Sequence[Equation], other: str, name: str, question: Question) -> bool:
    trial = Structure([*system, as_known(other)], question.sheet.choices)
    return name in trial.determined


def _missing(structure: Structure, cells: Iterable[str]) -> set[str]:
    """Return the cells without an equation on which these cells rest."""
    seen: set[str] = set()
    waiting = list(cells)
    while waiting:
        cell = waiting.pop()
        if cell not in seen:
            seen.add(cell)
            waiting += structure.inputs(cell) if cell in structure.of_cell else []
    return {cell for cell in seen if cell not in structure.of_cell}


def _paste(question: Question, names: Sequence[str]) -> str:
    """Return cells with meaning and the text to paste: `d_ff=53248 (Width of ...)`."""
    shown = []
    for name in names[:MOST_LISTED]:
        cell = question.sheet.cells[name]
        part = question.sheet.parts.get(cell.part)
        if part is not None and cell.part not in question.records:
            text = f"'{part.name} = {part.example or 'NAME'}' ({cell.doc})"
        else:
            example = cell.default if cell.example is None else cell.example
            value = "..." if example is None else format_quantity(example, cell.unit).replace(",", "")
            text = f"'{name} = {f'{value} {cell.unit}'.strip() if value == '...' else value}' ({cell.doc})"
        if text not in shown:
            shown.append(text)
    more = len(names) - MOST_LISTED
    return joined(shown, "or" if len(shown) < 2 else "and") + (f" and {more} more" if more > 0 else "")
