"""Says what is wrong with the structure of a question: what is missing, what is said too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.wording import shown_unit
from flopsheet.errors import AmbiguousDefaultError, OverdeterminedError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.printing import in_text
from flopsheet.graph.structure import Equation, Structure, as_known
from flopsheet.units import Number, format_apart, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.graph.system import System
    from flopsheet.question.question import Question

MOST_LISTED, MOST_CANDIDATES = 6, 60


def contradicted(system: System, key: str, sides: tuple[Number, Number]) -> QuestionError:
    """Return the error for an equation that contradicts the others."""
    question, structure = system.question, system.structure
    equation, cells = structure.equations[key], question.sheet.cells
    relation = system.relation(equation)
    conflict = structure.conflict(key)
    others = [other for other in conflict if other.key != key]
    source = _source(equation, system)
    where = f"relation '{source}'" if source else f"default of '{equation.target}'"
    name = equation.target or in_text(relation.left, tuple(cells))
    shown = shown_unit(relation, cells)
    first, second = format_apart(list(sides), shown)
    problem = f"It needs {name} to be {second}, but the rest of the question makes it {first}."
    defaults = [other.target for other in conflict if other.kind == "default"]
    if len(defaults) > 1:
        either = joined(defaults, "or")
        fix = f"More than one default could be overridden: ask for one of {either} as the unknown, or give it."
        return AmbiguousDefaultError(where, problem, fix)
    given = [f"'{text}'" for other in others if (text := _source(other, system))]
    given += [f"'{name} = {record.key}'" for name, record in question.records.items() if _uses(others, name)]
    others_too = f", or {'one of ' if len(given) > 1 else ''}{joined(given, 'or')}" if given else ""
    return OverdeterminedError(where, problem, f"Leave out this relation{others_too}.")


def _source(equation: Equation, system: System) -> str:
    """Return an equation as the question writes it; nothing for a formula of the sheet, a default or a record."""
    if equation.key in system.stated:
        return system.stated[equation.key].text
    return system.question.pins[equation.target].text if equation.kind == "given" else ""


def _uses(others: Iterable[Equation], part: str) -> bool:
    return any(other.kind == "record" and other.target.startswith(f"{part}.") for other in others)


def undetermined(system: System, name: str) -> UnderdeterminedError:
    """Return the error for an unknown that the relations leave free, with what would decide it."""
    question, structure = system.question, system.structure
    cells, known = question.sheet.cells, structure.with_known(name)
    asked = [relation for relation in question.inequalities if name in known.needed(relation.cells)]
    missing = sorted(known.missing({cell for relation in asked for cell in relation.cells}), key=list(cells).index)
    where = f"unknown '{name}'"
    if missing:
        return _not_given(question, missing, name)
    free = [cell for cell in cells if cell != name and cell not in structure.determined]
    free.sort(key=lambda cell: cells[cell].formula is not None)  # cells without a formula first
    deciding = [cell for cell in free[:MOST_CANDIDATES] if name in structure.with_last(as_known(cell)).determined]
    if deciding:
        limits = [
            f"the limit '{limit.text}'{_and_what(question, known.missing(limit.cells))}"
            for limit in question.sheet.limits.values()
            if name in known.needed(limit.cells)
        ]
        needs = "It needs one of:" if len(deciding) + len(limits) > 1 else "It needs"
        fix = f"{needs} {_paste(question, deciding, 'or')}" + "".join(f", or {limit}" for limit in limits) + "."
        asked_too = [cell for cell in deciding[:MOST_LISTED] if cell in question.unknowns]
        fix += f" Where you give {joined(asked_too, 'or')}, do not ask for it." if asked_too else ""
        return UnderdeterminedError(where, f"'{name}' can be anything: too few relations.", fix)
    problem = f"'{name}' cannot be found: too little is given."
    return UnderdeterminedError(where, problem, _first_steps(question, known, name))


def _and_what(question: Question, missing: set[str]) -> str:
    """Return ` with n_blocks and chip`: what is to be given beside a limit."""
    cells = question.sheet.cells
    names = dict.fromkeys(cell.part or name for name, cell in cells.items() if name in missing)
    return f" with {joined(list(names))}" if names else ""


def lacking(system: System, name: str) -> UnderdeterminedError | None:
    """Return the error for a cell whose formula rests on cells that nobody gave, or None."""
    cells = system.question.sheet.cells
    missing = sorted(system.structure.missing([name]) - {name}, key=list(cells).index)
    return _not_given(system.question, missing, name) if missing else None


def _not_given(question: Question, missing: list[str], name: str) -> UnderdeterminedError:
    are = "is" if len(missing) == 1 else "are"
    problem = f"'{name}' cannot be found: {joined(list(map(repr, missing)))} {are} not given."
    return UnderdeterminedError(f"unknown '{name}'", problem, f"Add {_paste(question, missing)}.")


def _first_steps(question: Question, known: Structure, name: str) -> str:
    """Say what would lead to an unknown that no relation bounds: a cell that it decides, and what that rests on."""
    cells = question.sheet.cells
    decided = [
        cell for cell in cells if cell != name and cells[cell].formula is not None and name in known.needed([cell])
    ]
    limits = [limit for limit in question.sheet.limits.values() if name in known.needed(limit.cells)]
    if not decided:
        return f"No cell depends on it: give it, as in {_paste(question, [name])}."
    rests_on = limits[0].cells if limits else {decided[0]}
    missing = sorted(known.missing(rests_on), key=list(cells).index)
    goal = f"with the limit '{limits[0].text}'" if limits else f"with a relation for {decided[0]}"
    return f"Ask, for instance, {goal}" + (f", and give {_paste(question, missing)}" if missing else "") + "."


def _paste(question: Question, names: Sequence[str], conjunction: str = "and") -> str:
    """Return cells with meaning and the text to paste: `d_ff=53248 (Width of ...)`."""
    shown = []
    for name in names[:MOST_LISTED]:
        cell = question.sheet.cells[name]
        part = question.sheet.parts.get(cell.part)
        if part is not None and cell.part not in question.records:
            text = f"'{part.name} = {part.example or 'NAME'}' ({cell.doc})"
        else:
            example = cell.default if cell.example is None else cell.example
            open_value = f"... {cell.unit}".strip()
            value = open_value if example is None else format_quantity(example, cell.unit).replace(",", "")
            text = f"'{name} = {value}' ({cell.doc})"
        if text not in shown:
            shown.append(text)
    return joined([*shown, "others"] if len(names) > MOST_LISTED else shown, conjunction)
