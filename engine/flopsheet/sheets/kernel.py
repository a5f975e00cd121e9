"""The kernel: a sheet as ordered rows. Each syntax compiles to it, and it is all that solver, report and tests use."""

from __future__ import annotations

import keyword
import re
from copy import copy
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import Place, SheetError, suggest
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.evaluate import lacks_value
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import BY_NAME, Select, unknown_function
from flopsheet.registry.kinds import KINDS
from flopsheet.sheets.cell import Cell, Choice, Origin, Part, figure_aliases, part_cells, symbol_problem
from flopsheet.sheets.joining import in_order, needed
from flopsheet.units import Dimension, is_unit_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from flopsheet.functions.symbols import Expr
    from flopsheet.registry.records import Field

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*){0,4}")
RESERVED = frozenset(("equal", "near", "pi"))  # and the names of functions
# Cells that count a unit of the same name: `3 steps` is the unit, `steps` alone the cell.
COUNTED_CELLS = frozenset(("tokens", "params", "layers", "steps", "sites", "nodes", "devices", "sequences", "blocks"))


class Rows:
    """The rows of a sheet in the order of declaration; each is checked when it is added."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cells: dict[str, Cell] = {}
        self.limits: dict[str, Relation] = {}
        self.parts: dict[str, Part] = {}  # registry records, by prefix
        self.choices: dict[str, Choice] = {}
        self.sheets: dict[str, Part] = {}  # embedded sheets, by prefix
        self.texts: dict[str, tuple[str, ...]] = {}  # assumptions, notes and sources, those of extended sheets too
        self.lifted: dict[str, None] = {}  # texts of other sheets that do not hold here
        self.aliases: dict[str, Expr] = {}  # the meaning of a name under a prefix that is not a row itself
        self.origin: dict[str, Origin] = {}  # the sheet and place that first declared each row
        self.changed: set[str] = set()  # names of the rows that differ from their first declaration
        self.dimensions: dict[str, Dimension] = {}  # of each cell
        self.implicit = False  # whether formulas may form cycles, whose cells are solved together
        self.ahead: dict[str, None] | None = None  # cells whose formulas use some that are still to come, if they may
        self.derived: dict[str, Any] = {}  # what questions computed from the rows; dropped when a row changes
        self._used: frozenset[str] | None = None

    def copy(self) -> Rows:
        """Return rows that can be added to without changing these."""
        other = Rows(self.name)
        for attribute, value in vars(self).items():
            if attribute not in ("derived", "_used"):
                setattr(other, attribute, copy(value))
        return other

    @property
    def groups(self) -> tuple[dict[str, Any], ...]:
        """The rows by kind and name: records, choices, cells, limits and embedded sheets."""
        return self.parts, self.choices, self.cells, self.limits, self.sheets

    @property
    def headline(self) -> list[str]:
        """The cells that sum up an answer without an unknown, in the order of declaration."""
        return [name for name, cell in self.cells.items() if cell.headline]

    @property
    def inferred(self) -> list[Cell]:
        """The cells with formulas of a default."""
        if "inferred" not in self.derived:
            self.derived["inferred"] = [cell for cell in self.cells.values() if cell.inferred]
        cells: list[Cell] = self.derived["inferred"]
        return cells

    def __contains__(self, name: str) -> bool:
        return any(name in group for group in self.groups)

    def row(self, name: str) -> Any:
        """Return the cell, choice, limit, record or sheet of this name, or None."""
        return next((group[name] for group in self.groups if name in group), None)

    @property
    def names(self) -> list[str]:
        """Every name that a formula may use, aliases included."""
        aliases = [name for name in self.aliases if self.resolve(name) not in self.parts]
        return [*self.cells, *self.choices, *aliases]

    def resolve(self, name: str) -> str:
        """Return the row that a name refers to: itself, or the row bound to it, such as `d_model` for `layer.d_in`."""
        bound = self.aliases.get(name)
        return str(bound.name) if bound is not None and bound.is_Symbol else name

    @property
    def used(self) -> frozenset[str]:
        """Names of the sheet's own cells, and of record figures that a formula uses."""
        if self._used is None:
            used = {name for name, cell in self.cells.items() if not cell.part}
            new = frozenset(used)
            while new:  # a figure that is given by hand may rest on others
                new = frozenset[str]().union(*(needed(self.cells[name]) for name in new if name in self.cells)) - used
                used |= new
            self._used = frozenset(used)
        return self._used

    @property
    def shown(self) -> list[Cell]:
        """The cells that a list of the sheet shows: its own ones, and figures of bare parts that a formula uses."""
        used = self.used
        return [
            cell for cell in self.cells.values() if not cell.part or (self.parts[cell.part].bare and cell.name in used)
        ]

    @property
    def bounded(self) -> list[Cell]:
        """The computed cells with a bound of their own, beside that of all quantities at zero."""
        if "bounded" not in self.derived:
            computed = (cell for cell in self.cells.values() if cell.formula is not None)
            self.derived["bounded"] = [own for own in computed if own.bounds.is_own]
        bounded: list[Cell] = self.derived["bounded"]
        return bounded

    @property
    def cycles(self) -> list[tuple[str, ...]]:
        """The cells that depend on each other, cycle by cycle: these are solved together, each within its bounds."""
        if self.implicit and "cycles" not in self.derived:
            self.derived["cycles"] = [tuple(cycle) for cycle in in_order(self.cells)[1]]
        return self.derived["cycles"] if self.implicit else []

    @property
    def tied(self) -> frozenset[str]:
        """Names of the cells on a cycle."""
        return frozenset().union(*self.cycles)

    def add_cell(self, cell: Cell, *, checked: bool = False) -> None:
        """Add a cell, after checking its name, and its formulas' names and dimensions if these were not `checked`.

        Raises:
            SheetError: the name is taken or not valid, or the formula holds a float or an unknown cell.
            DimensionError: the formula does not have the declared unit.
        """
        self._check_name(cell.name, cell.place)
        if not checked or self.ahead is not None:
            self._check_cell(cell)
        self._put_cell(cell)

    def replace_cell(self, cell: Cell) -> None:
        """Replace the cell of the same name, and domains of its formula, after checking the new one as `add_cell`."""
        self._check_cell(cell)
        if self.cells[cell.name].formulas != cell.formulas:
            self.limits = {name: limit for name, limit in self.limits.items() if limit.of != cell.name}
        self._put_cell(cell)
        self.changed.add(cell.name)

    def allow_cycles(self) -> None:
        """Let formulas depend on each other, so that they may use cells declared below them."""
        self.implicit, self.ahead = True, self.ahead or {}

    def complete(self) -> None:
        """Check the formulas that used cells declared below them, now that no more are to come."""
        names, self.ahead = self.ahead or (), None
        for name in names:
            self._check_cell(self.cells[name])

    def replace_choice(self, choice: Choice) -> None:
        """Replace the choice of the same name."""
        self.choices[choice.name] = choice
        self._touch(choice.name, None)
        self.changed.add(choice.name)

    def add_limit(self, limit: Relation, *, instead: bool = False) -> None:
        """Add a relation that must hold for a result to be acceptable; `instead` of that of its name, if so.

        Raises:
            SheetError: the name is taken, or a cell is unknown.
            DimensionError: the two sides differ in dimension.
        """
        where = self._where(limit.name, limit.place) if instead else self._check_name(limit.name, limit.place)
        self.changed.update([limit.name] if instead else [])
        for side in (limit.left, limit.right):
            self._check_expression(side, where)
        UnitCheck(self.dimensions, where).sides(limit.left, limit.right)
        self.limits[limit.name] = limit
        self._touch(limit.name, limit.place)

    def add_domain(self, limit: Relation) -> None:
        """Add where a formula has a value as a limit: a comparison with zero, in whatever unit."""
        where = self._check_name(limit.name, limit.place)
        for side in (limit.left, limit.right):
            self.check_choices(side, where)
        self.limits[limit.name] = limit
        self._touch(limit.name, limit.place)

    def add_part(self, part: Part, fields: Collection[Field], place: Place) -> None:
        """Add a registry record: each of its fields becomes a cell `prefix.field`, or `field` of a bare part."""
        where = self._check_name(part.name, place, unit_allowed=True)
        owner = self.parts.get(part.of)
        if part.of and (owner is None or not KINDS[owner.kind].key_of(part.kind)):
            problem = f"'{part.of}' is no record above that names a {part.kind}."
            raise SheetError(where, problem, "Leave out 'of', or declare a system above: of = system.")
        self.parts[part.name] = part
        self._touch(part.name, place)
        cells = part_cells(part, fields, place)
        for cell in cells:
            if part.bare:
                self._check_name(cell.name, place)
            self._put_cell(cell)
        self.aliases |= figure_aliases(part, cells)

    def add_choice(self, choice: Choice, place: Place) -> None:
        """Add a cell whose value is one of a few names."""
        self._check_name(choice.name, place)
        self.choices[choice.name] = choice
        self._touch(choice.name, place)

    def add_sheet(self, part: Part, aliases: dict[str, Expr], place: Place) -> None:
        """Register an embedded sheet and its aliases under a prefix; its rows are added one by one."""
        self._check_name(part.name, place, unit_allowed=True)
        self.sheets[part.name] = part
        self.aliases |= aliases
        self._touch(part.name, place)

    def _put_cell(self, cell: Cell) -> None:
        self.cells[cell.name] = cell
        self._touch(cell.name, cell.place)
        self.dimensions[cell.name] = cell.unit.dimension

    def _touch(self, name: str, place: Place | None) -> None:
        """Record where a row was first declared, and drop what was derived from the rows."""
        self.derived, self._used = {}, None
        self.origin.setdefault(name, Origin(self.name, place))

    def _where(self, name: str, place: Place | None) -> str:
        return f"{place or self.name}, '{name}'"

    def _check_name(self, name: str, place: Place | None, *, unit_allowed: bool = False) -> str:
        """Reject a name that is taken or cannot be one of a row; return how errors name the row."""
        where = self._where(name, place)
        if name in self:
            fix, sheet = "Rename one of the two.", self.origin[name].sheet
            if sheet != self.name and name not in self.sheets:
                fix = f"To change the row of {sheet}, write {name} = override(...)."
            raise SheetError(where, "This name is declared twice.", fix)
        if not NAME.fullmatch(name) or name in RESERVED or name in BY_NAME or keyword.iskeyword(name):
            fix = "Use letters, digits and _, a letter first, and no word of Python or of formulas."
            raise SheetError(where, "This cannot be the name of a cell.", fix)
        if is_unit_name(name) and name not in COUNTED_CELLS and not unit_allowed:
            raise SheetError(where, "This is also the name of a unit.", f"Use another name, such as '{name}_value'.")
        return where

    def _check_cell(self, cell: Cell) -> None:
        where = self._where(cell.name, cell.place)
        if problem := symbol_problem(cell.latex) if cell.latex else "":
            fix = r"Write a letter with scripts, as M_{\text{dev}}."
            raise SheetError(where, f"Symbol '{cell.latex[:60]}': {problem}", fix)
        if self.ahead is not None and not needed(cell) <= self.cells.keys() | self.choices.keys():
            self.ahead[cell.name] = None
            return
        for formula in cell.formulas:
            self._check_expression(formula, where)
            UnitCheck(self.dimensions, where).cell(cell.name, cell.unit.dimension, cell.unit.text, formula)

    def _check_expression(self, expression: Expr, where: str) -> None:
        for number in expression.atoms(sympy.Float):
            problem = f"The formula contains the float {number}: Python evaluates 1/3 before sympy sees it."
            raise SheetError(where, problem, "Declare the number as a cell, or write it exactly: ratio(1, 3).")
        for name in sorted(cells_of(expression)):
            if name not in self.cells and name not in self.choices:
                fix = suggest(name, [*self.cells, *self.choices]) or "Declare it above this line."
                raise SheetError(where, f"The formula uses '{name}', which is not declared.", fix)
        if lacks_value(expression):
            raise SheetError(where, "The formula divides by zero or has no real value.", "Check its numbers.")
        if name := unknown_function(expression):
            fix = f"Formulas may use + - * / ** and {', '.join(sorted(BY_NAME))}."
            raise SheetError(where, f"The formula uses the unknown function {name}.", fix)
        self.check_choices(expression, where)

    def check_choices(self, expression: Expr, where: str) -> None:
        """Raise a SheetError for a choice used as a number, and for a `select` whose branches are not the options."""
        for select in expression.atoms(Select):
            self._check_branches(select, where)
        # A sum of its branches replaces each select, so that what remains is numbers.
        numbers = expression.replace(Select, lambda *args: sympy.Add(*args[2::2]))
        for name in sorted(cells_of(numbers) & self.choices.keys()):
            fix = f"Write select({name}, {', '.join(f'{option}=...' for option in self.choices[name].options)})."
            raise SheetError(where, f"'{name}' is a choice, not a number.", fix)

    def _check_branches(self, select: Select, where: str) -> None:
        choice = self.choices.get(select.args[0].name) if select.args[0].is_Symbol else None
        if choice is None:
            raise SheetError(where, "select() needs a choice as its first argument.", "Declare a choice for it.")
        if set(select.branches) != set(choice.options):
            problem = f"select() has {', '.join(select.branches)}, but '{choice.name}' is {', '.join(choice.options)}."
            raise SheetError(where, problem, "Give each option one branch.")
