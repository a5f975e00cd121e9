"""The outcome of an unknown that blocks of equations give, and its value to all digits where a form tells these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.limits import failing_at
from flopsheet.answer.outcomes.neighbours import around
from flopsheet.answer.outcomes.outcome import Outcome
from flopsheet.answer.outcomes.told import Told
from flopsheet.answer.several import verdicts
from flopsheet.answer.verification.verify import broken_limits
from flopsheet.formulas.by_digits import with_digits
from flopsheet.formulas.trees import symbol_names
from flopsheet.graph.blocks import plan
from flopsheet.numbers.sets import point
from flopsheet.units import close

if TYPE_CHECKING:
    from flopsheet.answer.execute import Execution
    from flopsheet.functions.symbols import Expr
    from flopsheet.graph.system import System
    from flopsheet.units import Number


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
        limits = tuple(check.relation.name for check in broken)
        return Outcome(cell, "none", reason=Told(failing_at(why, cell, value, broken)), limits=limits)

    def form() -> Expr | None:
        return next((step.form for step in execution.steps(of=(name,))), None)

    wholes, solutions = around(cell, value), point(value)
    if wholes and binding:
        return Outcome(cell, "none", boundary=value, neighbours=wholes, reason=Told(why), form=form)
    result = Outcome(
        cell, "value", solutions, solutions[0], value, value, neighbours=wholes, reason=Told(why), form=form
    )
    return verdicts.doubted(result, system, execution)


def in_digits(outcome: Outcome, value: Number, execution: Execution) -> Number:
    """Return the value of an unknown as a number that is known to all digits, where its closed form tells them."""
    equation = None if outcome.deciding is None or not outcome.deciding.is_equation else outcome.deciding
    if type(value) is not float or outcome.kind != "value" or equation is None or equation.may_be_printed:
        return value
    form, known = outcome.closed_form, execution.with_pins()
    if form is None or not known.keys() >= (names := symbol_names(form)):
        return value
    told = with_digits(value, form, {name: known[name] for name in names}, nearest=True)
    return told if close(told, value) else value
