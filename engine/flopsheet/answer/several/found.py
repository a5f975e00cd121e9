"""Values of several unknowns that were solved for together, and the steps to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.answer.execute import shown_by
from flopsheet.answer.several.substitution import composed, isolate
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.errors import UnderdeterminedError, joined
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.blocks import origin_of
from flopsheet.inverse.method import Method
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.several.counted import Counted
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System
    from flopsheet.search.several_unknowns import Point, Tuples
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


@dataclass(frozen=True)
class Together:
    """What relations leave of several unknowns."""

    result: Tuples
    sought: tuple[str, ...]  # the unknowns, and cells that they are tied to
    points: list[tuple[Number, ...]]  # the values of the unknowns alone
    relations: Sequence[Relation]  # on the unknowns
    formulas: Mapping[str, Expr]  # of the cells between
    used: frozenset[str]  # the equations on them, by key
    execution: Execution  # the values on which they rest
    stated: tuple[Equation, ...]  # of these, those that state the value of a cell that is tied to the unknowns
    checked: bool = False  # whether the limits of the sheet hold at these points, the first of which are ranked first
    limits: Sequence[Relation] = ()  # the limits, and bounds of other cells, that exclude other tuples
    excluded: Sequence[tuple[Number, ...]] = ()  # these tuples
    are_all: bool = True  # whether no other limit excludes some of these too
    beside: Mapping[Point, Mapping[str, Number]] = field(default_factory=dict)  # other unknowns, computed there
    counted: Counted | None = None  # the tuples that were tried as limits on each unknown alone leave few

    @property
    def names_of_limits(self) -> tuple[str, ...]:
        """The limits that exclude other tuples, by name."""
        return tuple(limit.name for limit in self.limits if limit.name)

    def chosen(self, names: tuple[str, ...]) -> tuple[Number, ...] | None:
        """Return the tuple that is followed, or None; raise a SeveralValuesError where each of several has to be."""
        assumed = tuple(self.execution.assumed.get(name) for name in names)
        if self.checked and len(self.points) > 1 and assumed not in self.points:
            opened = {name: self.execution.open[name] for name in names if name in self.execution.open}
            raise SeveralValuesError(
                names, self.points, opened, proven=True, limits=self.names_of_limits, beside=self.beside
            )
        return self.execution.chosen(names, self.points)

    def too_few(self, cells: Mapping[str, Cell]) -> UnderdeterminedError | None:
        """Return the error for unknowns that linear equations leave free, as some follow from others; None for none."""
        free = [self.sought[at] for at in self.result.free]
        if not free:
            return None
        names, several = joined([f"'{name}'" for name in self.sought]), len(free) > 1
        problem = "They are not determined: some of the equations on them follow from the others."
        given = joined([f"'{name} = ...' ({cells[name].doc})" for name in free])
        fix = f"Add {given}, and do not ask for {'these' if several else 'it'}."
        return UnderdeterminedError(f"unknowns {names}", problem, fix)

    def steps(self, values: Mapping[str, Number]) -> dict[str, tuple[Relation, Expr | None]]:
        """Return for each unknown a relation and its closed form, or None, in the order in which they are computed."""
        known = self._known(values)
        found = isolate(values, map(self._composed, self.relations), known)
        used = {own.relation.text for own in found.found}
        spare = [own for own in self.relations if own.text not in used] or self.relations
        on = {name: next((own for own in spare if name in own.cells), spare[0]) for name in found.waiting}
        return {name: (own, None) for name, own in on.items()} | {
            own.name: (own.relation, own.form) for own in found.found
        }

    def follow(self, values: Mapping[str, Number], system: System) -> System:
        """Take values of the unknowns with their steps; return the system in which they are known."""
        for equation in self.stated:
            self.execution.values[equation.target] = system.numbers[equation.target]
            self.execution.origins[equation.target] = origin_of(equation)
        cells = system.question.sheet.cells
        for name, (relation, form) in self.steps(values).items():
            self.execution.take(cells[name], Method.SIMULTANEOUS, values[name], partial(shown_by, relation, form))
            system = system.with_solved(name, values[name], self.used)
        self._note_reached(values, system)
        return system

    def _known(self, values: Mapping[str, Number]) -> dict[str, Number | str]:
        """Return the values of other cells with those of the unknowns, and what follows from these, in order."""
        tied = next(iter(self._tied(values)), {})
        known = {**self.execution.with_pins(), **tied, **values}
        for name, formula in self.formulas.items():
            value = known[name] if name in known else value_or_none(formula, known)
            if value is None:
                break
            known[name] = value
        return known

    def _tied(self, values: Mapping[str, Number]) -> list[dict[str, Number]]:
        """Return what the unknowns and those behind them are together, at values of some."""
        points = (dict(zip(self.sought, point, strict=True)) for point in self.result.points)
        return [point for point in points if all(close(point[name], values[name]) for name in values)]

    def _note_reached(self, values: Mapping[str, Number], system: System) -> None:
        """Note what other unknowns are at a tuple, by the formulas that were put into the relations."""
        known = self._known(values)
        tied = self._tied(values)  # where others have several values beside these, they are found later
        single = [name for name in self.sought if all(close(point[name], tied[0][name]) for point in tied)]
        others = (*single, *(name for name in self.formulas if name in system.question.unknowns))
        reached = {name: known[name] for name in others if name in known and name not in values}
        self.execution.reached |= {name: value for name, value in reached.items() if not isinstance(value, str)}

    def _composed(self, relation: Relation) -> Relation | None:
        """Return a relation on the unknowns alone; of one that gives a cell its number, the cell stands right."""
        own = composed(relation, self.formulas)
        if own is None or not relation.left.is_Symbol or cells_of(relation.right):
            return own
        return replace(own, right=relation.left) if relation.left.name in self.formulas else None
