"""What a question lacks: the cells to be given so that an unknown is determined, or a relation can be checked."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from flopsheet.answer.inputs import MOST_LISTED, are_not_given, figures_of_default, missing_inputs, paste
from flopsheet.errors import UnderdeterminedError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import choices_in
from flopsheet.graph.structure import Structure, as_known
from flopsheet.graph.system import system_of
from flopsheet.question.figures import absence, absent_figures, other_options
from flopsheet.question.parts import asked_parts
from flopsheet.question.unused import why_unused
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from flopsheet.graph.system import System
    from flopsheet.question.question import Question

MOST_CANDIDATES, MOST_LIMITS = 60, 3


def check_names(question: Question) -> None:
    """Reject a question that asks for names and that no name would make complete, before any of them is tried.

    Every figure of an unknown part is taken as known, and every option of an unknown choice is tried.

    Raises:
        UnderdeterminedError: a number that is asked for cannot be found, a relation cannot be checked, the cell to rank
            by cannot be computed, or nothing decides among the names.
    """
    choices = [name for name in question.names if name in question.sheet.choices]
    errors: list[UnderdeterminedError] = []
    for options in product(*(question.sheet.choices[name].options for name in choices)):
        chosen = {**question.choices, **dict(zip(choices, options, strict=True))}
        error = _shortage(replace(question, choices=chosen))
        if error is None:
            return
        errors.append(error)
    raise errors[0]


def _shortage(question: Question) -> UnderdeterminedError | None:
    """Return the error for a question that lacks an input, whatever the figures of its unknown parts are."""
    figures = [*dict.fromkeys(_figures(question))]
    numbers = [name for name in question.unknowns if name not in question.names]
    system = system_of(question)
    for name in numbers:
        others = (other for other in numbers if other != name)
        structure = system.structure.with_known(*figures, *others)
        if name not in structure.determined and not _is_constrained(question, structure.with_known(name), name):
            return undetermined(replace(system, structure=structure), name)
    structure = system.structure.with_known(*figures, *numbers)
    error = uncheckable(question, structure) or _unranked(question, structure)
    if error is not None or _decides(question, structure):
        return error
    return _undecided(question, structure)


def _unranked(question: Question, structure: Structure) -> UnderdeterminedError | None:
    """Return the error for a cell to rank by that rests on cells that nobody gave, or None."""
    if question.best is None:
        return None
    if question.best.cell in structure.determined:
        return open_choice(question, structure, [question.best.cell])
    missing = missing_inputs(question, structure, [question.best.cell])
    problem = f"'{question.best.cell}', to rank by, cannot be computed: {are_not_given(question, missing)}."
    return UnderdeterminedError("question", problem, f"Add {paste(question, missing)}.")


def _figures(question: Question) -> Iterator[str]:
    """Yield the cells of unknown parts of which a record has the figure."""
    for part in asked_parts(question):
        for record in records(part.kind).values():
            yield from (part.cell_of(figure) for figure in record.values)


def _is_constrained(question: Question, structure: Structure, name: str) -> bool:
    """Whether a relation bounds a cell that the structure takes as known, or an equation gives it once more.

    Or a limit, which decides on a number alone where no relation does.
    """
    known = structure.determined | question.sheet.choices.keys()
    cells = [frozenset(structure.cells_of[key]) for key in structure.unmatched]
    cells += [relation.cells for relation in question.inequalities]
    if not question.inequalities and len(question.unknowns) == len(question.names) + 1:
        cells += [limit.cells for limit in question.limits if not limit.is_equation]
    return any(each <= known and name in structure.needed(each) for each in cells)


def uncheckable(question: Question, structure: Structure) -> UnderdeterminedError | None:
    """Return the error for relations of a question that rest on cells that nobody gave, or None."""
    choice = open_choice(question, structure, {cell for relation in question.asked for cell in relation.cells})
    if choice is not None:
        return choice
    known = structure.determined | question.sheet.choices.keys()
    short = [relation for relation in question.asked if not relation.cells <= known]
    if not short:
        return None
    texts = joined([f"'{relation.text}'" for relation in short])
    names = f" for any {joined(list(question.names), 'or')}" if question.names else ""
    missing = missing_inputs(question, structure, {cell for relation in short for cell in relation.cells})
    if absent := absent_figures(question, missing):
        return _without_figures(question, absent, absent[0])
    figures = [name for name in missing if question.sheet.cells[name].part in question.names]
    if figures:
        problem = f"{texts} cannot be checked{names}: there is no figure for {joined(figures)}."
        return UnderdeterminedError("question", problem, "Leave out the relation, or add the figure to a record.")
    problem = f"{texts} cannot be checked{names}: {are_not_given(question, missing)}."
    asked = f", or ask for {missing[0]} too" if len(missing) == 1 and not short[0].is_equation else ""
    return UnderdeterminedError("question", problem, f"Add {paste(question, missing)}{asked}.")


def open_choice(question: Question, structure: Structure, cells: Collection[str]) -> UnderdeterminedError | None:
    """Return the error for a choice on which these cells rest and that has no option, or None."""
    if question.options.keys() >= question.sheet.choices.keys():
        return None
    targets = (structure.equations[structure.of_cell[cell]].target for cell in structure.needed(cells))
    formulas = (question.formula(name) for name in targets if name in question.sheet.cells)
    names = {name for formula in formulas if formula is not None for name in choices_in(formula)} | {*cells}
    absent = (name for name in question.sheet.choices if name in names and name not in question.options)
    return next((choice_not_given(question, name) for name in absent), None)


def choice_not_given(question: Question, name: str) -> UnderdeterminedError:
    """Return the error for a choice that has no option."""
    options = question.sheet.choices[name].options
    fix = f"Add '{name} = {options[0]}', or another of {', '.join(options)}."
    return UnderdeterminedError(f"choice '{name}'", f"'{name}' is not given.", fix)


def _decides(question: Question, structure: Structure) -> bool:
    """Whether something in a question can tell names from each other: a number, a relation, a limit, or a ranking."""
    if question.best is not None or question.relations or len(question.unknowns) > len(question.names):
        return True
    known = structure.determined | question.sheet.choices.keys()
    figures = any(question.sheet.cells[name].part in question.names for name in question.pins)
    given = (cells_of(question.formula(pin.cell)) for pin in question.demands)
    return figures or any(cells <= known for cells in (*given, *(limit.cells for limit in question.limits)))


def _undecided(question: Question, structure: Structure) -> UnderdeterminedError:
    names = joined([f"'{name}'" for name in question.names])
    fix = "Add a relation that it must meet"
    if question.limits:
        limits = joined([f"'{limit.text}'" for limit in question.limits])
        missing = missing_inputs(question, structure, {cell for limit in question.limits for cell in limit.cells})
        fix = f"{fix}, or give {joined(missing)} for the limit {limits}"
    problem = f"Nothing decides among the values of {names}."
    return UnderdeterminedError(f"unknown {names}", problem, f"{fix}, or a cell to rank by (best = max:CELL).")


def undetermined(system: System, name: str) -> UnderdeterminedError:
    """Return the error for an unknown that the relations leave free, with what would decide it."""
    question, structure = system.question, system.structure
    missing = [cell for cell in missing_inputs(question, structure, [name]) if cell != name]
    if figures := absent_figures(question, missing):
        return _without_figures(question, figures, name)
    cells, known = question.sheet.cells, structure.with_known(name)
    if cells[name].formula is not None and [cells[cell].formula for cell in missing] == [None]:
        return not_given(question, missing, name)
    asked = [relation for relation in question.inequalities if name in known.needed(relation.cells)]
    missing = missing_inputs(question, known, {cell for relation in asked for cell in relation.cells})
    missing = [cell for cell in missing if cell not in question.unknowns] or missing
    if missing:
        return not_given(question, missing, name)
    free = [cell for cell in question.used_cells if cell != name and cell not in structure.determined]
    free.sort(key=lambda cell: (bool(cells[cell].inferred), cells[cell].formula is not None))  # what has neither first
    deciding = [cell for cell in free[:MOST_CANDIDATES] if name in structure.with_last(as_known(cell)).determined]
    where = f"unknown '{name}'"
    by_input = any(cells[cell].formula is None and not cells[cell].inferred for cell in deciding)
    if not by_input and (missing := [cell for cell in missing_inputs(question, structure, [name]) if cell != name]):
        return not_given(question, missing, name)
    headline = [cell for cell in question.sheet.rows.headline if cell != name and name in known.needed([cell])]
    is_beside = not by_input and bool(headline) and {*headline}.isdisjoint(deciding)  # no cell that people ask for
    if not deciding or is_beside:
        problem = f"'{name}' cannot be found: too little is given."
        fix = f"{_first_steps(question, known, name)}{_bound_to_rank(question, name)}"
        return UnderdeterminedError(where, problem, fix)
    deciding.sort(key=lambda cell: not by_input and cell not in headline)
    limits = _bounding_limits(question, known, name)
    needs = "It needs one of:" if len(deciding) + len(limits) > 1 else "It needs"
    ways = [paste(question, deciding, "or", MOST_LISTED - len(limits)), *limits]
    fix = f"{needs} {', or '.join(ways)}."
    if cells[name].formula is None and (promise := _promise(question, known, name)):
        fix = f"{promise} Otherwise it{fix.removeprefix('It')}"
    asked_too = [cell for cell in deciding[:MOST_LISTED] if cell in question.unknowns]
    fix += f" Where you give {joined(asked_too, 'or')}, do not ask for it." if asked_too else ""
    fix += _bound_to_rank(question, name)
    reason = _without_default(question, structure, name) or "too few relations"
    return UnderdeterminedError(where, f"'{name}' is not determined: {reason}.", fix)


def _bound_to_rank(question: Question, name: str) -> str:
    """Return that a whole number has to be bounded for its values to be ranked, where the question ranks them."""
    cell, best = question.sheet.cells[name], question.best
    if best is None or not cell.integer or len(question.unknowns) != 1:
        return ""
    return f" To rank its values by {best.cell}, bound it: '{name} <= 16'."


def _promise(question: Question, known: Structure, name: str) -> str:
    """Return what to add where the question gives a side of a limit that would bound an unknown, or an empty text."""
    for limit in question.limits:
        given = sorted(limit.cells & question.pins.keys())
        if given and name in known.needed(limit.cells) and not known.missing(limit.cells):
            return f"Add '{limit.text}', the limit that has {joined(given)}."
    return ""


def _bounding_limits(question: Question, known: Structure, name: str) -> list[str]:
    """Return the limits that would bound an unknown, many folded: inequalities that need few other cells first."""
    bounding = [(limit, known.missing(limit.cells)) for limit in question.limits if name in known.needed(limit.cells)]
    bounding.sort(key=lambda pair: (pair[0].is_equation, len(pair[1])))
    texts = [f"the limit '{limit.text}'{_and_what(question, missing)}" for limit, missing in bounding]
    rest = len(texts) - MOST_LIMITS
    return texts if rest <= 1 else [*texts[:MOST_LIMITS], f"one of {rest} other limits"]


def _without_default(question: Question, structure: Structure, name: str) -> str:
    """Return the clause that records lack the figures of defaults on which an unknown rests, or an empty text."""
    missing = [cell for cell in missing_inputs(question, structure, [name]) if cell != name]
    figures = {cell: figures_of_default(question, cell) for cell in missing}
    absent = absent_figures(question, [*dict.fromkeys(figure for group in figures.values() for figure in group)])
    if not absent:
        return ""
    cells = joined([cell for cell, group in figures.items() if not {*group}.isdisjoint(absent)])
    return f"{absence(question, absent)}, from which {cells} would follow"


def _and_what(question: Question, missing: frozenset[str]) -> str:
    """Return ` with n_blocks and chip`: what is to be given beside a limit."""
    cells = question.sheet.cells
    names = dict.fromkeys(cell.part or name for name, cell in cells.items() if name in missing)
    return f" with {joined(list(names))}" if names else ""


def lacking(system: System, name: str) -> UnderdeterminedError | None:
    """Return the error for a cell whose formula rests on cells that nobody gave, or None."""
    missing = [cell for cell in missing_inputs(system.question, system.structure, [name]) if cell != name]
    return not_given(system.question, missing, name) if missing else None


def _without_figures(question: Question, figures: list[str], name: str) -> UnderdeterminedError:
    """Return the error for figures that a record lacks, with the options for which it has them."""
    options = other_options(question, figures[0])
    choose = f"Choose {options}, for which it has one, or give" if options else "Give"
    problem = f"'{name}' cannot be found: {absence(question, figures)}."
    return UnderdeterminedError(f"unknown '{name}'", problem, f"{choose} {paste(question, figures)}.")


def not_given(question: Question, missing: list[str], name: str) -> UnderdeterminedError:
    """Return the error for an unknown that cannot be found as inputs are not given, or records lack figures."""
    if figures := absent_figures(question, missing):
        return _without_figures(question, figures, name)
    if asked := [cell for cell in missing if cell in question.unknowns]:
        if len(asked) == len(missing):
            return _short_of_conditions(question, [name, *asked])
        missing = [cell for cell in missing if cell not in asked]
    figures = [*dict.fromkeys(figure for cell in missing for figure in figures_of_default(question, cell))]
    absent = absent_figures(question, figures)
    because = f", and {absence(question, absent)}" if absent else ""
    problem = f"'{name}' cannot be found: {are_not_given(question, missing)}{because}."
    return UnderdeterminedError(f"unknown '{name}'", problem, f"Add {paste(question, missing)}.")


def _short_of_conditions(question: Question, unknowns: list[str]) -> UnderdeterminedError:
    """Return the error for unknowns that follow from each other, and of which nothing tells the last ones."""
    names, others = [name for name in question.unknowns if name in unknowns], unknowns[1:]
    which, several = joined([f"'{name}'" for name in names]), len(others) > 1
    fewer = f"{len(others)} equations" if several else "one equation"
    problem = f"The question ties {joined(names)} to each other, with {fewer} fewer than unknowns."
    it = "these" if several else "it"
    fix = f"Add a relation for one of them, or give {paste(question, others)} and do not ask for {it}."
    return UnderdeterminedError(f"unknown{'s' if len(names) > 1 else ''} {which}", problem, fix)


def _first_steps(question: Question, known: Structure, name: str) -> str:
    """Say what would lead to an unknown that no relation bounds: a cell that it decides, and what that rests on."""
    cells = question.sheet.cells
    computed = (cell for cell in (*question.sheet.rows.headline, *cells) if cells[cell].formula is not None)
    decided = next((cell for cell in computed if cell != name and name in known.needed([cell])), None)
    limit = next((limit for limit in question.limits if name in known.needed(limit.cells)), None)
    if decided is None and (options := why_unused(question, name)):
        return f"It is not used with {options}: choose another option."
    if decided is None:
        return f"No cell depends on it: give it, as in {paste(question, [name])}."
    missing = missing_inputs(question, known, limit.cells if limit else {decided})
    goal = f"with the limit '{limit.text}'" if limit else f"with a relation for {decided}"
    return f"Ask, for instance, {goal}" + (f", and give {paste(question, missing)}" if missing else "") + "."
