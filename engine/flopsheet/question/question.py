"""A question: a sheet, the values and relations that a user adds, and the cells that are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.displays import display
from flopsheet.formulas.relation import Relation, assignment
from flopsheet.functions import choices_in, taken
from flopsheet.units import Quantity, unit

if TYPE_CHECKING:
    from flopsheet.functions.symbols import Expr
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number


@dataclass
class Pin:
    """A cell that the question sets to a value: `d_model = 16384`.

    Args:
        cell: its name.
        value: in base units.
        text: the relation as written.
        written: the number and unit as written; None for a value that was worked out.
        stated: the relation, where it is more than a cell and a quantity.
    """

    cell: str
    value: Number
    text: str
    written: Quantity | None = None
    stated: Relation | None = None

    @cached_property
    def relation(self) -> Relation:
        """The relation as the user wrote it; few questions need that of a given cell, so it is made on demand."""
        if self.stated is not None or self.written is None:
            return self.stated or assignment(self.cell, Quantity(self.value, unit("")), self.text)
        return assignment(self.cell, self.written, self.text)


@dataclass
class Question:
    """A sheet with the relations that a user adds, and the cells that are asked for.

    Args:
        sheet: the sheet.
        unknowns: names of the cells that are asked for; with none, everything that can be computed is.
        pins: cells set to a value, by name.
        relations: other equations and inequalities.
        records: the registry record of each part that has one.
        choices: the option of each choice that the question sets.
        near: values in base units, by unknown, that pick among several answers.
        substituted: names that were asked for, and are put in one after the other.
    """

    sheet: Sheet
    unknowns: tuple[str, ...] = ()
    pins: dict[str, Pin] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    near: dict[str, Number] = field(default_factory=dict)
    substituted: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The unknowns that are names: registry records and choices."""
        return tuple(name for name in self.unknowns if name not in self.sheet.cells)

    @cached_property
    def demands(self) -> list[Pin]:
        """The pins of cells that have a formula of their own."""
        cells = self.sheet.cells
        return [pin for name, pin in self.pins.items() if cells[name].formula is not None]

    @property
    def stated(self) -> list[Relation]:
        """The relations that an answer must meet: given values of cells with a formula, and what was added."""
        return [*(pin.relation for pin in self.demands), *self.relations]

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """The quantities written in relations, demands and limits, by symbol name."""
        relations = [*self.relations, *(pin.relation for pin in self.demands), *self.sheet.limits.values()]
        return {name: quantity for relation in relations for name, quantity in relation.literals.items()}

    @cached_property
    def literals(self) -> dict[str, Number]:
        """The values of these quantities, in base units."""
        return {name: quantity.si for name, quantity in self.quantities.items()}

    @cached_property
    def options(self) -> dict[str, str]:
        """The option of each choice that has one: given, or its default."""
        defaults = {name: choice.default for name, choice in self.sheet.choices.items() if choice.default}
        return {**defaults, **self.choices}

    def formula(self, name: str) -> Expr:
        """Return the formula of a cell, each case distinction as the branch taken; None for a given cell."""
        formula = self.sheet.cells[name].formula
        return taken(formula, self.options) if formula is not None and choices_in(formula) else formula

    @cached_property
    def inequalities(self) -> list[Relation]:
        """The relations that are no equations."""
        return [relation for relation in self.relations if not relation.is_equation]

    @cached_property
    def used_cells(self) -> list[str]:
        """The cells that play a part, in the order of declaration."""
        used = {*self.sheet.rows.used, *self.pins, *self.unknowns}
        for relation in [*self.sheet.limits.values(), *self.relations]:
            used |= relation.cells
        return [name for name in self.sheet.cells if name in used]

    def _repr_markdown_(self) -> str:
        return str(display("question_page", self))
