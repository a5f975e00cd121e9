"""Defaults in place of which a question gives a cell: they give nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of

if TYPE_CHECKING:
    from flopsheet.graph.system import System


def replaced_default(system: System, dropped: tuple[str, ...]) -> str | None:
    """Return the formula to infer in place of which the question gives a cell, where an inequality bounds the unknown.

    `n_chips = 16` gives the replicas. Those of a usual load would give the unknown rate, whatever latency is asked for.
    """
    question, structure = system.question, system.structure
    if len(question.unknowns) != 1 or not question.inequalities:
        return None
    for pin in question.demands:
        for name in sorted(cells_of(question.formula(pin.cell)) - {*dropped}):
            equation = structure.equations.get(f"inferred {name}")
            if equation is None or len(equation.cells) == 1:
                continue
            without = system_of(question, (*dropped, name)).structure
            known = without.with_known(*question.unknowns)
            bounded = (own.cells - question.sheet.choices.keys() for own in question.inequalities)
            is_open = question.unknowns[0] not in without.determined
            if is_open and name in without.determined and not any(map(known.missing, bounded)):
                return name
    return None
