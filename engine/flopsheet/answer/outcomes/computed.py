"""The outcome of an unknown that blocks of equations give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.neighbours import around
from flopsheet.answer.outcomes.outcome import Outcome
from flopsheet.answer.outcomes.told import Told
from flopsheet.answer.several import verdicts
from flopsheet.answer.verification.verify import broken_limits
from flopsheet.errors import joined
from flopsheet.graph.blocks import plan
from flopsheet.numbers.sets import point

if TYPE_CHECKING:
    from flopsheet.answer.execute import Execution
    from flopsheet.functions.symbols import Expr
    from flopsheet.graph.system import System


def computed(system: System, execution: Execution, name: str, why: str, *, binding: bool = True) -> Outcome:
    """Return the outcome of an unknown that blocks of equations give; the steps to it are added to the execution.

    If the limits are `binding`, a value at which one does not hold is none. They are not for a cell that its own
    formula gives: its value is asked for, whether limits hold or not.
    """
    question = system.question
    execution.run(system, plan(system.structure, [name], execution.names))
    cell, value = question.sheet.cells[name], execution.number(name)
    if value not in cell.bounds:
        shown, bounds = cell.beside_bounds(value)
        text = f"{why} But that makes it {shown}, and {name} is {bounds}."
        return Outcome(cell, "none", reason=Told(text))
    broken = broken_limits(question, system, execution, name) if binding else []
    if broken:
        limits, it = tuple(check.relation.name for check in broken), "it" if len(broken) == 1 else "them"
        failures = joined([check.failure for check in broken])
        text = f"{why} But at {name} = {cell.text(value)}, {failures}. Without {it}: {name} = {cell.text(value)}."
        return Outcome(cell, "none", reason=Told(text), limits=limits)

    def form() -> Expr | None:
        return next((step.form for step in execution.steps(of=(name,))), None)

    wholes, solutions = around(cell, value), point(value)
    if wholes and binding:
        return Outcome(cell, "none", boundary=value, neighbours=wholes, reason=Told(why), form=form)
    result = Outcome(
        cell, "value", solutions, solutions[0], value, value, neighbours=wholes, reason=Told(why), form=form
    )
    return verdicts.doubted(result, system, execution)
