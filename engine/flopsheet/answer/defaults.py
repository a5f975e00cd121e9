"""Defaults that a question overrides: stated otherwise, or contradicted by the other equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.checks import met
from flopsheet.answer.reasons import contradicted
from flopsheet.errors import NotInvertibleError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.graph.blocks import plan
from flopsheet.graph.system import System, stated_equations, system_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Execution
    from flopsheet.question.question import Question


def consistent(
    question: Question, execution: Execution, given_way: Iterable[str] = ()
) -> tuple[System, tuple[str, ...]]:
    """Return the equations without contradictions, and the cells whose default is dropped.

    Args:
        question: the question.
        execution: the values known so far.
        given_way: cells whose default is dropped in any case.

    Raises:
        OverdeterminedError: equations contradict each other, and no single default could be dropped.
    """
    dropped = tuple(given_way)
    while True:
        system = system_of(question, dropped)
        default = _contradicting_default(system, execution)
        if default is None:
            return system, (*_overridden(question), *dropped)
        dropped = (*dropped, default)


def _contradicting_default(system: System, execution: Execution) -> str | None:
    """Return a default to be dropped because other equations contradict it, or None; raise other contradictions."""
    structure = system.structure
    for key in structure.unmatched:
        conflict = structure.conflict(key)
        defaults = [equation.target for equation in conflict if equation.is_default]
        inferred = [equation.target for equation in conflict if equation.kind == "inferred"]
        asked = {name for equation in conflict for name in equation.cells}.intersection(system.question.unknowns)
        if asked and not defaults:
            continue  # it is one more condition on the unknown
        relation, trial = system.relation(structure.equations[key]), execution.copy()
        try:
            trial.run(system, plan(structure, relation.cells, trial.names))
        except NotInvertibleError:
            continue  # another order of the equations may show it; the answer is checked against all of them
        sides = (evaluate(relation.left, trial.values), evaluate(relation.right, trial.values))
        if met(relation, sides, trial):
            continue
        for yielding in (defaults, inferred):  # what follows from other cells gives way before a number of its own
            if len(yielding) == 1:
                return yielding[0]
        raise contradicted(system, key, sides)
    return None


def giving_way(answer: Answer) -> tuple[str, ...]:
    """Return the default that excludes all values of an unknown, where it is the only one that follows from others.

    It contradicts an equation that was asked, whatever the unknown: it says nothing of it, and gives way.
    """
    if all(outcome.kind != "none" or outcome.open for outcome in answer.outcomes.values()):
        return ()
    structure = answer.system.structure.with_known(*answer.question.unknowns)
    surplus = (structure.conflict(key) for key in structure.unmatched)
    inferred = {equation.target for conflict in surplus for equation in conflict if equation.kind == "inferred"}
    return tuple(inferred) if len(inferred) == 1 else ()


def _overridden(question: Question) -> tuple[str, ...]:
    """Return the cells whose default the question itself overrides: asked for, given, or stated by an equation."""
    cells, pins = question.sheet.cells, question.pins
    stated = [equation.target for equation in stated_equations(question)]
    names = dict.fromkeys((*pins, *question.unknowns, *stated))
    own = (name for name in names if name in cells and not cells[name].part)  # any model may differ from the usual one
    defaults = {name: cells[name].default for name in own if cells[name].default is not None}
    return tuple(name for name, default in defaults.items() if name not in pins or pins[name].value != default)
