"""Says what is wrong with the structure of a question: what is missing, what is said too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.unknown import as_known
from flopsheet.answer.wording import shown_unit
from flopsheet.errors import AmbiguousDefaultError, OverdeterminedError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.order import in_text
from flopsheet.graph.structure import Equation, Structure
from flopsheet.units import Number, format_apart, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.question.question import Question

MOST_LISTED, MOST_TRIED = 6, 60


def contradicted(question: Question, structure: Structure, key: str, sides: tuple[Number, Number]) -> QuestionError:
    """Return the error for an equation that contradicts the others."""
    equation = structure.equations[key]
    cells = question.sheet.cells
    conflict = structure.conflict(key)
    others = [each for each in conflict if each.key != key]
    said = _said(equation, question)
    where = f"relation '{said}'" if said else f"default of '{equation.target}'"
    name = equation.target or in_text(equation.relation.left, tuple(cells))
    shown = shown_unit(equation.relation, cells)
    first, second = format_apart(list(sides), shown)
    problem = f"It needs {name} to be {second}, but the rest of the question makes it {first}."
    defaults = [each.target for each in conflict if each.kind == "default"]
    if len(defaults) > 1:
        fix = (
            f"More than one default could give way: ask for one of {joined(defaults, 'or')} as the unknown, or give it."
        )
        return AmbiguousDefaultError(where, problem, fix)
    given = [f"'{text}'" for each in others if (text := _said(each, question))]
    given += [f"'{name} = {record.key}'" for name, record in question.records.items() if _uses(others, name)]
    others_too = f", or {'one of ' if len(given) > 1 else ''}{joined(given, 'or')}" if given else ""
    return OverdeterminedError(where, problem, f"Leave out this relation{others_too}.")


def _said(equation: Equation, question: Question) -> str:
    """Return an equation as the question writes it; nothing for a formula of the sheet, a default or a record."""
    if equation.stated is not None:
        return equation.stated.text
    return question.pins[equation.target].relation.text if equation.kind == "given" else ""


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
        return _not_given(question, missing, name)
    loose = [each for each in cells if each != name and each not in structure.determined]
    loose.sort(key=lambda each: cells[each].formula is not None)  # what is given by nature first
    deciding = [each for each in loose[:MOST_TRIED] if _decides(system, each, name, question)]
    if deciding:
        limits = [
            f"the limit '{each.text}'{_and_what(question, _missing(with_it, each.cells))}"
            for each in question.sheet.limits.values()
            if name in with_it.needed(each.cells)
        ]
        needs = "It needs one of:" if len(deciding) + len(limits) > 1 else "It needs"
        fix = f"{needs} {_paste(question, deciding, 'or')}" + "".join(f", or {each}" for each in limits) + "."
        asked_too = [each for each in deciding[:MOST_LISTED] if each in question.unknowns]
        fix += f" Where you give {joined(asked_too, 'or')}, do not ask for it." if asked_too else ""
        return UnderdeterminedError(where, f"'{name}' can be anything: too few relations.", fix)
    problem = f"'{name}' cannot be found: too little is given."
    return UnderdeterminedError(where, problem, _first_steps(question, with_it, name))


def _and_what(question: Question, missing: set[str]) -> str:
    """Return ` with n_blocks and chip`: what is to be given beside a limit."""
    cells = question.sheet.cells
    names = dict.fromkeys(cell.part or name for name, cell in cells.items() if name in missing)
    return f" with {joined(list(names))}" if names else ""


def lacking(question: Question, structure: Structure, name: str) -> UnderdeterminedError | None:
    """Return the error for a cell whose formula rests on cells that nobody gave, or None."""
    cells = question.sheet.cells
    missing = sorted(_missing(structure, [name]) - {name}, key=list(cells).index)
    return _not_given(question, missing, name) if missing else None


def _not_given(question: Question, missing: list[str], name: str) -> UnderdeterminedError:
    are = "is" if len(missing) == 1 else "are"
    problem = f"'{name}' cannot be found: {joined([repr(each) for each in missing])} {are} not given."
    return UnderdeterminedError(f"unknown '{name}'", problem, f"Add {_paste(question, missing)}.")


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
