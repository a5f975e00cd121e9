"""Questions in which only limits of the sheet decide on the unknown: they are asked for what these leave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.yielding import is_of_record, says_more
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.graph.structure import Equation, Structure
    from flopsheet.question.question import Question

TARGET = "_target"  # ends the names of what is promised
MOST_LACKED = 3  # inputs that are named at once


def asked_of_limits(question: Question, *, equations: bool = False) -> Question | None:
    """Return a question with the limits on its unknowns as what was asked; None if none decides.

    Limits that are equations, such as that heads divide evenly, bind as they do elsewhere; on demand they decide. What
    others leave would pass for what fits where one cannot be checked for want of an input: then none decides. A promise
    that nobody made, an input that only limits read, is no such input.
    """
    if not _may_be_bounded(question) or says_more(question):
        return None
    limits = _with_missing(question, equations=equations)
    if _lacked(question, limits):
        return None
    deciding = [replace(limit, name="", decides=limit.name) for limit, missing in limits if not missing]
    return replace(question, relations=[*question.relations, *deciding]) if deciding else None


def lacked_by_limits(question: Question) -> list[str]:
    """Return the few inputs with which limits would decide on the only unknown, an input of which nothing is asked."""
    cells = question.sheet.cells
    if len(question.unknowns) != 1 or question.stated or cells[question.unknowns[0]].formula is not None:
        return []
    names = _lacked(question, _with_missing(question))
    return sorted(names) if len(names) <= MOST_LACKED else []


def _may_be_bounded(question: Question) -> bool:
    """Whether there is one unknown, or no formula gives any."""
    cells = [question.sheet.cells.get(name) for name in question.unknowns]
    return len(cells) == 1 or all(own is not None and own.formula is None for own in cells)


def _with_missing(question: Question, *, equations: bool = False) -> list[tuple[Relation, frozenset[str]]]:
    """Return the limits that rest on the unknown, each with the cells that it lacks."""
    structure, choices = system_of(question).structure.with_known(*question.unknowns), question.sheet.choices.keys()
    resting = _resting(question, structure, equations=equations)
    return [(limit, structure.missing(limit.cells - choices)) for limit in resting]


def _lacked(question: Question, limits: Iterable[tuple[Relation, frozenset[str]]]) -> frozenset[str]:
    """Return the cells that limits lack, but for those of limits that lack a promise: nobody made it."""
    promised = _promises(question)
    return frozenset[str]().union(*(missing for _, missing in limits if promised.isdisjoint(missing)))


def decided_by_limits(question: Question) -> Question | None:
    """Return a question for an input that nothing determines with the limits on it as what was asked, or None."""
    names = [name for name in question.unknowns if name in question.sheet.cells]
    if not all(question.sheet.cells[name].formula is None for name in names):
        return None
    others = _with_missing(replace(question, without=()))  # equations decide where the sheet has nothing else
    return asked_of_limits(question, equations=not others)


def is_usual_number(answer: Answer) -> bool:
    """Whether the only unknown has a number that is inferred from nothing, though limits may leave others, or none."""
    equation = _own_equation(answer)
    return equation is not None and equation.is_usual_number


def breaks_by_default(answer: Answer) -> bool:
    """Whether a limit does not hold where the unknown has the value of its default, or is a count that a default gives.

    The number of chips follows from that of replicas, for instance, which is one unless something asks for more. Or
    whether it is what a record says, and the question makes a promise: what that needs is asked for.
    """
    question, structure, equation = answer.question, answer.system.structure, _own_equation(answer)
    if equation is None:
        return False
    (name,) = question.unknowns
    if equation.is_default and is_of_record(equation, question):
        targets = {own for own in question.pins if question.sheet.cells[own].default is None}
        resting = _resting(question, structure.with_known(name))
        return any(not targets.isdisjoint(limit.cells) for limit in resting)
    is_count = question.sheet.cells[name].integer
    inputs = [structure.equations[structure.of_cell[own]] for own in structure.inputs(name) if is_count]
    known = structure.with_known(name)
    breaks = any(name in known.needed(check.relation.cells) for check in answer.broken)
    return breaks and (equation.is_default or any(own.is_usual_number for own in inputs))


def _own_equation(answer: Answer) -> Equation | None:
    """Return the equation that gives the only unknown of a question without inequalities, or None."""
    question, structure = answer.question, answer.system.structure
    name = question.unknowns[0] if len(question.unknowns) == 1 else ""
    if name not in structure.of_cell or question.inequalities:
        return None
    equation = structure.equations[structure.of_cell[name]]
    return equation if equation.gives(name) else None


def _resting(question: Question, structure: Structure, *, equations: bool = False) -> Iterator[Relation]:
    """Yield the inequalities, or equations, among the limits that rest on an unknown; all are taken as known."""
    for limit in question.limits:
        if limit.is_equation is equations and not structure.needed(limit.cells).isdisjoint(question.unknowns):
            yield limit


def _promises(question: Question) -> frozenset[str]:
    """Return the targets that a question may leave out: inputs with such a name, and those that limits alone read."""
    cells = question.sheet.cells.values()
    read = frozenset[str]().union(*(cells_of(formula) for cell in cells for formula in cell.formulas))
    own = {name for limit in question.sheet.limits.values() for name in limit.cells - question.sheet.choices.keys()}
    targets = {cell.name for cell in cells if cell.name.endswith(TARGET)}
    return frozenset(name for name in (own - read) | targets if question.sheet.cells[name].formula is None)
