"""A question: a sheet, the values and relations that a user adds, and the cells that are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from flopsheet.budget import DEFAULT
from flopsheet.displays import display
from flopsheet.formulas.relation import Relation, assignment, cells_of
from flopsheet.functions import Expr, choices_in, taken
from flopsheet.numbers.arithmetic import holds
from flopsheet.registry.records import BASES
from flopsheet.sheets.cell import left_out_of
from flopsheet.units import Number, Quantity, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from flopsheet.question.labels import Label
    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell

_Derived = TypeVar("_Derived")


@dataclass
class Pin:
    """A cell that the question sets to a value: `d_model = 16384`."""

    cell: str
    value: Number  # in base units
    text: str  # the relation as written
    written: Quantity | None = None  # the number and unit as written; None for a value that was worked out
    stated: Relation | None = None  # the relation, where it is more than a cell and a quantity

    @cached_property
    def relation(self) -> Relation:
        """The relation as the user wrote it; built on demand, since few questions need that of a given cell."""
        if self.stated is not None or self.written is None:
            return self.stated or assignment(self.cell, Quantity(self.value, unit("")), self.text)
        return assignment(self.cell, self.written, self.text)


@dataclass(frozen=True)
class Best:
    """How names that work are ranked: by a cell of their answers."""

    cell: str
    largest: bool  # whether the largest value comes first

    def __str__(self) -> str:
        return f"{self.cell}, the {'largest' if self.largest else 'smallest'} first"


@dataclass
class Question:
    """A sheet with the relations that a user adds, and the cells that are asked for."""

    sheet: Sheet
    unknowns: tuple[str, ...] = ()  # the cells asked for; with none, everything that can be computed is
    pins: dict[str, Pin] = field(default_factory=dict)  # cells set to a value
    relations: list[Relation] = field(default_factory=list)  # other equations and inequalities
    records: dict[str, Record] = field(default_factory=dict)  # the record of each part that has one
    choices: dict[str, str] = field(default_factory=dict)  # the option of each choice that the question sets
    labels: list[Label] = field(default_factory=list)  # texts that records must have: `chip.vendor = NVIDIA`
    near: dict[str, Number] = field(default_factory=dict)  # values [base units] that pick among several answers
    substituted: tuple[str, ...] = ()  # names that were asked for, and are substituted one after the other
    without: tuple[str, ...] = ()  # the limits of the sheet that the question lifts
    shown: tuple[str, ...] = ()  # the cells that the headline of the answer names
    best: Best | None = None  # how the question ranks names, if it says so
    figures: str = BASES[0]  # which figures of its records count: `nominal`, `usable` or `measured`
    budget: float = DEFAULT  # how long searches for the answer may take [s]
    yields_to_names: bool = False  # whether names are tried with the defaults dropped that what is given replaces
    defaults: Mapping[str, Expr] | None = None  # the inferred formulas in use, by cell, once they are known
    bounding: frozenset[str] = frozenset()  # computed cells whose default bound, zero or more, excludes values

    def __repr__(self) -> str:
        return f"<Question of {self.sheet.name} for {', '.join(self.unknowns) or 'all cells'}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The unknowns that are names: registry records and choices."""
        return tuple(name for name in self.unknowns if name not in self.sheet.cells)

    @cached_property
    def bounded(self) -> list[Cell]:
        """The computed cells that bind an unknown beside the way to it: with a bound of their own, or `bounding`."""
        return [*self.sheet.rows.bounded, *map(self.sheet.cells.__getitem__, sorted(self.bounding))]

    @cached_property
    def demands(self) -> list[Pin]:
        """The pins of cells that have a formula of their own."""
        cells = self.sheet.cells
        return [pin for name, pin in self.pins.items() if cells[name].formula is not None]

    @cached_property
    def asked(self) -> list[Relation]:
        """The relations, each case distinction as the branch taken."""
        return [*map(self._taken, self.relations)]

    @cached_property
    def recorded(self) -> dict[str, Number]:
        """The value of each cell that is a figure of a record [base units]."""
        parts = self.sheet.rows.parts
        values = ((parts[part], record.si_values) for part, record in self.records.items())
        return {part.cell_of(name): value for part, figures in values for name, value in figures.items()}

    @property
    def given(self) -> dict[str, Number]:
        """The values of pins; of a cell of a cycle that was printed the float, as what the cycle gives is one too."""
        values, tied = {name: pin.value for name, pin in self.pins.items()}, self.sheet.rows.tied
        printed = [name for name in tied & values.keys() if self.pins[name].relation.may_be_printed]
        return values | {name: float(values[name]) for name in printed} if printed else values

    @property
    def stated(self) -> list[Relation]:
        """The relations that an answer must meet: given values of cells with a formula, and what was added."""
        return [*(pin.relation for pin in self.demands), *self.asked]

    @property
    def limits(self) -> list[Relation]:
        """The limits of the sheet that bind: those that the question does not lift."""
        return [limit for limit in self.chosen_limits if limit.name not in self.without]

    @cached_property
    def chosen_limits(self) -> list[Relation]:
        """The limits of the sheet, and where they have a value, with the branches taken.

        Those are left out of which these leave what holds: `1 <= 1`.
        """
        chosen = self._by_options("limits", lambda: [*self._taken_limits()])
        if not any(limit.of for limit in chosen):
            return chosen
        binding = {name for name in (self._rested_on if self.unknowns else self.sheet.cells) if self._in_use(name)}
        return [limit for limit in chosen if not limit.of or limit.of in binding]

    def _taken_limits(self) -> Iterator[Relation]:
        """Yield the limits, and where they have a value, with the branches that options take."""
        for limit in self.sheet.limits.values():
            for stated in (limit, *left_out_of(limit, self.sheet.cells)):
                own = self._taken(stated)
                if own is stated or not _always_holds(own):
                    yield own

    @cached_property
    def _rested_on(self) -> frozenset[str]:
        """The cells that a question names, and those on which they rest by formulas."""
        cells, stated = self.sheet.cells, [relation.cells for relation in self.relations]
        seen, waiting = set[str](), [*self.pins, *self.unknowns, *frozenset().union(*stated)]
        while waiting:
            name = waiting.pop()
            if name not in seen and name in cells:
                seen.add(name)
                waiting += [own for formula in self._in_use(name) for own in cells_of(formula)]
        return frozenset(seen)

    def _in_use(self, name: str) -> Iterable[Expr]:
        """Return the formulas by which a cell may be computed: no inferred ones where something else gives it."""
        cell = self.sheet.cells[name]
        if cell.formula is not None or (self.defaults is None and name not in self.pins):
            return cell.formulas
        return () if self.defaults is None or name not in self.defaults else (self.defaults[name],)

    def _taken(self, relation: Relation) -> Relation:
        has_choices = choices_in(relation.left) or choices_in(relation.right)
        return relation.taken(self.options) if has_choices else relation

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
        return [relation for relation in self.asked if not relation.is_equation]

    @property
    def is_left_to_limits(self) -> bool:
        """Whether limits of the sheet alone decide on the unknowns."""
        return bool(self.inequalities) and all(own.decides for own in self.inequalities)

    @cached_property
    def used_cells(self) -> list[str]:
        """The cells that play a part, in the order of declaration; those of branches not taken too."""
        return self._with_stated(self.sheet.rows.used)

    @cached_property
    def shown_cells(self) -> list[str]:
        """The same without the figures of records that only branches not taken use."""
        return self._with_stated(self._taken_cells)

    @property
    def _taken_cells(self) -> frozenset[str]:
        """The cells of the sheet itself, and the figures that their formulas use with the options that are taken."""

        def cells() -> frozenset[str]:
            rows = self.sheet.rows.cells
            formulas = (taken(formula, self.options) for cell in rows.values() for formula in cell.formulas)
            return frozenset(name for name, cell in rows.items() if not cell.part).union(*map(cells_of, formulas))

        return self._by_options("taken", cells)

    def _by_options(self, key: str, derive: Callable[[], _Derived]) -> _Derived:
        """Return what follows from the sheet and the options that are taken, worked out once for all questions."""
        known: dict[tuple[tuple[str, str], ...], _Derived] = self.sheet.rows.derived.setdefault(key, {})
        options = tuple(self.options.items())
        if options not in known:
            known[options] = derive()
        return known[options]

    def figures_of(self, part: str) -> tuple[str, ...]:
        """Return the figures of the record of a part that count: where names are tried, those that are read.

        Names of which others have more figures then share the structure of their equations.
        """
        figures, own = tuple(self.records[part].values), self.sheet.parts[part]
        return tuple(name for name in figures if own.cell_of(name) not in self.unread) if self.unread else figures

    @cached_property
    def unread(self) -> frozenset[str]:
        """The figures of records that nothing reads, where names are tried; none elsewhere."""
        if not self.substituted:
            return frozenset()
        rows, taken_cells = self.sheet.rows, self._taken_cells
        known: dict[tuple[object, ...], frozenset[str]] = rows.derived.setdefault("unread", {})
        key = taken_cells, *self.records
        if key not in known:
            figures = (name for name, cell in rows.cells.items() if cell.part in self.records)
            known[key] = frozenset(figures) - taken_cells
        return known[key].difference(self._stated_names)

    def reads(self, name: str) -> bool:
        """Whether a cell is asked for, or a relation or a formula reads it; no default of a cell that is given."""
        derived, cells = self.sheet.rows.derived, self.sheet.rows.cells
        if "readers" not in derived:
            pairs = ((read, cell.name) for cell in cells.values() for used in cell.formulas for read in cells_of(used))
            derived["readers"] = readers = dict[str, set[str]]()
            for read, reader in pairs:
                readers.setdefault(read, set()).add(reader)
        relations = [*self.sheet.limits.values(), *self.relations]
        read_by = derived["readers"].get(name, ())
        return (
            name in self.unknowns
            or any(name in relation.cells for relation in relations)
            or any(reader not in self.pins or cells[reader].formula is not None for reader in read_by)
        )

    def _with_stated(self, used: frozenset[str]) -> list[str]:
        """Return cells and those that the question and the limits name, in the order of declaration."""
        names = used | self._stated_names
        return [name for name in self.sheet.cells if name in names]

    @property
    def _stated_names(self) -> set[str]:
        """The names in the question and in limits."""
        names = {*self.pins, *self.unknowns, *([self.best.cell] if self.best else [])}
        return names.union(*(own.cells for own in (*self.sheet.limits.values(), *self.relations)))

    def _repr_markdown_(self) -> str:
        return str(display("question_page", self))


def _always_holds(relation: Relation) -> bool:
    left, right = relation.left, relation.right
    return bool(left.is_number and right.is_number and holds(left, relation.operator, right))
