"""The kernel: a sheet as an ordered set of cells, relations and parts. Solver, renderer and tests know only this."""

from __future__ import annotations

import keyword
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import SheetError, suggest
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions.language import FUNCTIONS, Select, has_no_value, unknown_function
from flopsheet.sheets.cell import Bounds, Cell, marked
from flopsheet.sheets.pieces import Choice, Field, Origin, Part
from flopsheet.sheets.symbols import symbol_problem
from flopsheet.units import is_unit_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.formulas.place import Place
    from flopsheet.units import Dimension

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*){0,4}")
RESERVED = frozenset((*FUNCTIONS, "select", "equal", "near", "pi"))


class Rows:
    """The content of a sheet: cells, limits, parts and choices in the order of declaration.

    Args:
        name: the sheet's name.

    `parts` are records, `sheets` other sheets that it holds; `aliases` what it calls by a name of those that is a row
    of its own. `origin` has the sheet that first declared a row, `changed` the rows that are not as there.
    `derived` holds what was worked out from the rows: a change of a row drops it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.cells: dict[str, Cell] = {}
        self.limits: dict[str, Relation] = {}
        self.parts: dict[str, Part] = {}
        self.choices: dict[str, Choice] = {}
        self.sheets: dict[str, Part] = {}
        self.aliases: dict[str, Any] = {}
        self.origin: dict[str, Origin] = {}
        self.changed: set[str] = set()
        self.dimensions: dict[str, Dimension] = {}
        self.derived: dict[str, Any] = {}
        self._used: frozenset[str] | None = None

    def copy(self) -> Rows:
        """Return rows that can be added to without changing these."""
        other = Rows(self.name)
        other.cells, other.limits = dict(self.cells), dict(self.limits)
        other.parts, other.choices = dict(self.parts), dict(self.choices)
        other.sheets, other.aliases = dict(self.sheets), dict(self.aliases)
        other.origin, other.changed = dict(self.origin), set(self.changed)
        other.dimensions = dict(self.dimensions)
        return other

    def __contains__(self, name: str) -> bool:
        return self.row(name) is not None

    def row(self, name: str) -> Any:
        """Return the cell, choice, limit, record or sheet of this name, or None."""
        groups: tuple[dict[str, Any], ...] = (self.cells, self.choices, self.limits, self.parts, self.sheets)
        return next((each[name] for each in groups if name in each), None)

    @property
    def names(self) -> list[str]:
        """Every name that a formula may use, those that are bound to other rows included."""
        bound = [name for name in self.aliases if self.called(name) not in self.parts]
        return [*self.cells, *self.choices, *bound]

    def called(self, name: str) -> str:
        """Return the row that a name means: its own, or the one that is bound to it: `d_model` for `layer.d_in`."""
        meant = self.aliases.get(name)
        return str(meant.name) if meant is not None and meant.is_Symbol else name

    @property
    def used(self) -> frozenset[str]:
        """The sheet's own cells, and those of records that a formula uses."""
        if self._used is None:
            own = {name for name, cell in self.cells.items() if not cell.part}
            formulas = (cell.formula for cell in self.cells.values() if cell.formula is not None)
            self._used = frozenset(own.union(*map(cells_of, formulas)))
        return self._used

    def add_cell(self, cell: Cell) -> None:
        """Add a cell, after checking its name, and its formula's names and dimensions.

        Raises:
            SheetError: the name is taken or cannot be used, or the formula holds a float or an unknown cell.
            DimensionError: the formula does not give the declared unit.
        """
        self._new_name(cell.name, self._where(cell.name, cell.place))
        self._check_symbol(cell)
        self._check_formula(cell)
        self._put(cell)

    def replace_cell(self, cell: Cell) -> None:
        """Put a cell in the place of the one with its name, after checking its formula as `add_cell` does."""
        self._check_symbol(cell)
        self._check_formula(cell)
        self._put(cell)
        self.changed.add(cell.name)

    def replace_choice(self, choice: Choice) -> None:
        """Put a choice in the place of the one with its name."""
        self.choices[choice.name], self.derived = choice, {}
        self.changed.add(choice.name)

    def _check_symbol(self, cell: Cell) -> None:
        problem = symbol_problem(cell.latex) if cell.latex else ""
        if problem:
            fix = r"Write a letter with scripts, as M_{\text{dev}}."
            raise SheetError(self._where(cell.name, cell.place), f"Symbol '{cell.latex[:60]}': {problem}", fix)

    def _check_formula(self, cell: Cell) -> None:
        if cell.formula is not None:
            where = self._where(cell.name, cell.place)
            self._known(cell.formula, where)
            UnitCheck(self.dimensions, where).cell(cell.name, cell.unit.dimension, cell.unit.text, cell.formula)

    def add_limit(self, limit: Relation) -> None:
        """Add a relation that must hold for a result to be acceptable.

        Raises:
            SheetError: the name is taken, or a cell is unknown.
            DimensionError: the two sides differ in dimension.
        """
        where = self._where(limit.name, limit.place)
        self._new_name(limit.name, where)
        for side in (limit.left, limit.right):
            self._known(side, where)
        UnitCheck(self.dimensions, where).sides(limit.left, limit.right)
        self.limits[limit.name] = limit
        self._declared(limit.name, limit.place)

    def add_part(self, part: Part, fields: Iterable[Field], place: Place) -> None:
        """Add a record of the registry under a prefix: each of its fields becomes a cell `prefix.field`."""
        self._new_name(part.name, self._where(part.name, place), unit_allowed=True)
        self.parts[part.name] = part
        self._declared(part.name, place)
        for each in fields:
            name = f"{part.name}.{each.name}"
            # Two datacenters have two latitudes: a part that has a name of its own bears it in its symbols.
            own = each.latex and part.name != part.kind
            latex = marked(each.latex, part.name) if own else each.latex
            cell = Cell(name, each.doc, each.unit, latex=latex, integer=each.integer, part=part.name, place=place)
            self._put(cell if each.between is None else replace(cell, bounds=Bounds(*each.between)))

    def add_choice(self, choice: Choice, place: Place) -> None:
        """Add a cell whose value is one of a few names."""
        self._new_name(choice.name, self._where(choice.name, place))
        self.choices[choice.name], self.derived = choice, {}
        self._declared(choice.name, place)

    def add_sheet(self, part: Part, aliases: dict[str, Any], place: Place) -> None:
        """Take note of another sheet under a prefix; its rows are added one by one.

        Args:
            part: the prefix and the sheet's name.
            aliases: what a name under the prefix means that is no row of its own there.
            place: where it is declared.
        """
        self._new_name(part.name, self._where(part.name, place), unit_allowed=True)
        self.sheets[part.name] = part
        self.aliases |= aliases
        self._declared(part.name, place)

    def _put(self, cell: Cell) -> None:
        self.derived, self._used = {}, None
        self.cells[cell.name] = cell
        self._declared(cell.name, cell.place)
        self.dimensions[cell.name] = cell.unit.dimension

    def _declared(self, name: str, place: Place | None) -> None:
        self.origin.setdefault(name, Origin(self.name, place))

    def _where(self, name: str, place: Place | None) -> str:
        return f"{place or self.name}, '{name}'"

    def _new_name(self, name: str, where: str, *, unit_allowed: bool = False) -> None:
        if name in self:
            fix, sheet = "Give one of the two another name.", self.origin[name].sheet
            if sheet != self.name and name not in self.limits and name not in self.sheets:
                fix = f"To change the row of {sheet}, write {name} = override(...)."
            raise SheetError(where, "This name is declared twice.", fix)
        if not _NAME.fullmatch(name) or name in RESERVED or keyword.iskeyword(name) or name.startswith("_"):
            raise SheetError(
                where, "This cannot be the name of a cell.", "Use letters, digits and _ that mean nothing else."
            )
        if is_unit_name(name) and name not in COUNTED_CELLS and not unit_allowed:
            raise SheetError(where, "This is also the name of a unit.", "Use a longer name: 'hidden_size', not 'h'.")

    def _known(self, expression: Any, where: str) -> None:
        for number in expression.atoms(sympy.Float):
            problem = f"The number {number} in the formula is a float: 1/3 is one before sympy sees it."
            raise SheetError(where, problem, "Make it a named cell, or write it exactly: ratio(1, 3).")
        for name in sorted(cells_of(expression)):
            if name not in self.cells and name not in self.choices:
                fix = suggest(name, [*self.cells, *self.choices]) or "Declare it above this line."
                raise SheetError(where, f"The formula uses '{name}', which is not declared.", fix)
        if has_no_value(expression):
            raise SheetError(where, "The formula divides by zero or has no real value.", "Check its numbers.")
        if name := unknown_function(expression):
            fix = f"Formulas know + - * / **, select and {', '.join(FUNCTIONS)}."
            raise SheetError(where, f"The formula uses the function {name}, which is not known here.", fix)
        self.check_choices(expression, where)

    def check_choices(self, expression: Any, where: str) -> None:
        """Refuse a choice that is used as a number, and a case distinction that lacks an option.

        Raises:
            SheetError: one of these is so.
        """
        for case in expression.atoms(Select):
            self._complete(case, where)
        numbers = expression.replace(Select, lambda *args: sympy.Add(*args[2::2]))
        for name in sorted(cells_of(numbers) & self.choices.keys()):
            fix = f"Write select({name}, {', '.join(f'{each}=...' for each in self.choices[name].options)})."
            raise SheetError(where, f"'{name}' is a name, and stands where a number belongs.", fix)

    def _complete(self, case: Select, where: str) -> None:
        choice = self.choices.get(case.args[0].name) if case.args[0].is_Symbol else None
        if choice is None:
            raise SheetError(where, "select() needs a choice as its first argument.", "Declare a choice for it.")
        if set(case.branches) != set(choice.options):
            problem = f"select() has {', '.join(case.branches)}, but '{choice.name}' is {', '.join(choice.options)}."
            raise SheetError(where, problem, "Give each option one branch.")


# Cells that count a unit of the same name; a number before the word is the unit, the word alone the cell.
COUNTED_CELLS = frozenset(("tokens", "params", "layers", "steps", "sites", "nodes", "devices", "sequences", "blocks"))
