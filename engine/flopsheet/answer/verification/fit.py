"""Whether a name that was substituted in a question fits: if not, why, and else with which room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.cell_bounds import bound_by_default, is_outside
from flopsheet.answer.inputs import missing_inputs
from flopsheet.answer.outcomes.wording import unchecked_text
from flopsheet.answer.verification.checks import with_room
from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.trees import symbol_names
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Candidate
    from flopsheet.formulas.relation import Relation
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record
    from flopsheet.sheets.cell import Cell


def misfit(question: Question, named: Mapping[str, Record]) -> str:
    """Return which figure of a record is not the one that the question gives; nothing if all are."""
    for name, pin in question.pins.items():
        cell = question.sheet.cells[name]
        if cell.part in named:
            figure = named[cell.part].values.get(cell.figure)
            if figure is None:
                return f"'{pin.relation.text}' asks for a figure that it has not."
            if not close(figure.quantity.si, pin.value):
                return f"'{pin.relation.text}' does not hold: it is {cell.text(figure.quantity.si)}."
    return ""


def failure(answer: Answer) -> str:
    """Return why an answer with substituted names does not work; nothing if it does."""
    failing = next((check for check in answer.checks if not check.holds), None)
    for outcome in answer.outcomes.values():
        if outcome.kind == "none":  # what fails whatever the unknown is comes first
            return outcome.why if failing is None else f"{failing.failure}."
    if without := next(_without_figure(answer), "") or next(_without_default(answer), ""):
        return without
    failing = failing or next((check for check in answer.broken if not check.holds), None)
    if failing is not None:
        return f"{failing.failure}."
    return next((unchecked_text(answer, own) for own in answer.unchecked if own.name), "") or next(_outside(answer), "")


def has_no_value(answer: Answer, relation: Relation) -> bool:
    """Whether a side of a relation has no value though all inputs behind it have: then it does not hold."""
    absent = relation.cells - answer.cells.keys()
    return bool(absent) and not missing_inputs(answer.question, answer.system.structure, absent)


def rooms(answer: Answer) -> dict[str, float]:
    """Return the room in each inequality that an answer meets, by its text; nothing where it breaks a limit.

    A limit counts where it rests on what the question gives or asks: of defaults and figures alone, it is not asked.
    """
    if answer.broken:
        return {}
    structure, asked = answer.system.structure, {*answer.question.pins, *answer.outcomes}
    checks = with_room(answer, answer.binding)
    reached = [own for own in checks if not own.relation.name or structure.needed(own.relation.cells) & asked]
    return {check.relation.text: check.slack for check in reached}


def _without_figure(answer: Answer) -> Iterator[str]:
    """Yield which figures a name lacks where a relation cannot be checked: it only tells what they would have to be."""
    question, structure, cells = answer.question, answer.system.structure, answer.question.sheet.cells
    absent = {*_lacking(_figures(question), question)}
    inferred = [own.name for own in question.sheet.rows.inferred if not absent.isdisjoint(_inferred_from(own))]
    affected = absent.union(inferred)
    for cell in (cells[name] for name in question.used_cells if name in affected) if affected else ():
        if cell.name in answer.outcomes or not _is_found(cell, answer):
            continue
        # none gives it in the structure where what a condition decides, then gives it by a relation
        equation = structure.equations.get(structure.of_cell.get(cell.name, ""))
        from_default = equation is not None and equation.kind == "inferred"
        figures = [] if from_default else _lacking([cell.name, *_inferred_from(cell)], question)
        if figures:
            must = "it" if figures == [cell.name] else cell.name
            value = cell.text(answer.execution.number(cell.name))
            yield f"There is no figure for {joined(figures)}: {must} would have to be {value}."
    for pin in question.demands if absent else ():
        if lacking := _lacking(_without_value(pin.cell, answer), question):
            yield f"There is no figure for {joined(lacking)}, so '{pin.relation.text}' cannot be checked."


def _without_default(answer: Answer) -> Iterator[str]:
    """Yield which default what is given replaces by a value that the cell cannot have: a utilization above 1."""
    question, known = answer.question, answer.execution.values.keys()
    lacking = (name for name in answer.dropped_defaults if name not in known) if question.yields_to_names else ()
    for name in lacking:
        cell = question.sheet.cells[name]
        yield f"No {name} within its bounds ({cell.bounds.text(cell.unit)}) meets what is given."


def _without_value(name: str, answer: Answer) -> list[str]:
    """Return the cells without a value on which a cell rests by formulas."""
    question, known = answer.question, answer.execution.values.keys()
    found, waiting = dict[str, None](), [name]
    while waiting:
        cell = question.sheet.cells[waiting.pop()]
        formula = question.formula(cell.name)
        inputs = _inferred_from(cell) if formula is None else cells_of(formula)
        more = [own for own in sorted(inputs) if own not in known and own not in found and own in question.sheet.cells]
        found |= dict.fromkeys(more)
        waiting += more
    return [own for own in found if question.sheet.cells[own].formula is None]


def _inferred_from(cell: Cell) -> list[str]:
    return [name for formula in cell.inferred for name in sorted(cells_of(formula))]


def _figures(question: Question) -> list[str]:
    """Return the cells that are figures of the names that are tried."""
    rows, names = question.sheet.rows, question.substituted
    figures: dict[tuple[str, ...], list[str]] = rows.derived.setdefault("figures of names", {})
    if names not in figures:
        figures[names] = [cell.name for cell in rows.cells.values() if cell.part in names]
    return figures[names]


def _lacking(cells: Iterable[str], question: Question) -> list[str]:
    """Return which of some cells are figures that a substituted name does not have."""
    figures = (question.sheet.cells[name] for name in cells if name in question.sheet.cells)
    own = (cell for cell in figures if cell.part in question.substituted and cell.part in question.records)
    return [cell.name for cell in own if cell.figure not in question.records[cell.part].values]


def _outside(answer: Answer) -> Iterator[str]:
    """Yield which computed cells are outside of bounds that their sheet states, or rest on names and are negative."""
    question = answer.question
    used, bounded = {*question.used_cells}, question.sheet.rows.bounded
    for cell in (cell for cell in (*bounded, *_resting(answer)) if cell.name in used and _is_found(cell, answer)):
        if is_outside(cell, si := answer.execution.number(cell.name)):
            shown, bounds = cell.beside_bounds(si)
            yield f"{cell.name} is {shown}, outside its bounds ({bounds})."


def _resting(answer: Answer) -> list[Cell]:
    """Return the computed cells that rest on substituted names, and that their default bound alone binds."""
    names, structure, rows = answer.question.substituted, answer.system.structure, answer.question.sheet.rows

    def resting() -> list[Cell]:
        own = (cell.name for cell in rows.cells.values() if cell.part in names or _has_choice(cell, names))
        over = structure.resting_on(own)
        return [cell for cell in bound_by_default(rows) if cell.name in over]

    return structure.derived(("resting on names", names), resting)


def _has_choice(cell: Cell, names: Iterable[str]) -> bool:
    return cell.formula is not None and not symbol_names(cell.formula).isdisjoint(names)


def _is_found(cell: Cell, answer: Answer) -> bool:
    """Whether a cell was computed or solved for."""
    return answer.execution.origins.get(cell.name) in ("computed", "solved") and cell.name not in answer.question.pins


def with_rooms(working: list[Candidate]) -> list[Candidate]:
    """Return candidates with the least room of each; an inequality with the same room in all of them says nothing."""
    all_rooms = [{} if candidate.answer is None else rooms(candidate.answer) for candidate in working]
    same = set.intersection(*({*own.items()} for own in all_rooms)) if len(all_rooms) > 1 else set[tuple[str, float]]()
    least = [min((room for text, room in own.items() if (text, room) not in same), default=None) for own in all_rooms]
    return [replace(candidate, room=room) for candidate, room in zip(working, least, strict=True)]
