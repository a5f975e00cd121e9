"""The class-body syntax: each line of a sheet's class body is one row, and compiles to the kernel."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import cached_property
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.displays import display
from flopsheet.errors import SheetError, expect_text, find, joined, public
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.declarations import Declaration
from flopsheet.sheets.embedding import PartView
from flopsheet.sheets.joining import add_texts, join, lift_texts, reject_conflicts, sort_cells
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.source import check_class, place_of_caller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell, Choice, Part

TEXTS = ("assumptions", "notes", "sources")
LIFTED = "lifted"  # what a body sets to the texts of other sheets that do not hold in its own
IMPLICIT = "implicit"  # what a body sets to True to let formulas depend on each other
_INSTEAD = {"max": "max_(a, b)", "min": "min_(a, b)", "round": "floor(a) or ceil(a)", "int": "floor(a)"}


class ClassBody(dict[str, Any]):
    """The namespace of a sheet's class body: it adds rows, returns their symbols, and rejects what would be lost."""

    def __init__(self, rows: Rows, conflicts: Mapping[str, str], doc: str | None) -> None:
        super().__init__()
        self.rows = rows  # those of the extended sheets, to which it adds
        self.doc = doc  # docstring of the class, as Python drops it under `-OO`
        self._conflicts = conflicts  # the extended sheets that declare a row differently, by its name
        if rows.implicit:
            rows.allow_cycles()

    def close(self) -> Rows:
        """Return the rows of the whole body, in order, once no conflict is left that it does not override."""
        left = {name: sheets for name, sheets in self._conflicts.items() if name not in self}
        reject_conflicts(self.rows.name, left)
        self.rows.complete()
        self._close_texts()
        own = [name for name in self if name in self.rows.cells and self.rows.cells[name].headline]
        for name in self.rows.headline if own else ():
            if name not in own:  # what an extended sheet marks sums up that one
                self.rows.cells[name] = replace(self.rows.cells[name], headline=False)
        sort_cells(self.rows)
        return self.rows

    def _close_texts(self) -> None:
        """Take out the texts of other sheets that are lifted, then add those of the body."""
        said = [text for texts in self.rows.texts.values() for text in texts]
        for text in (lifted := self.get(LIFTED, ())):
            find(text, said, "inherited text", f"sheet {self.rows.name}, '{LIFTED}'")
        lift_texts(self.rows, (*self.rows.lifted, *lifted))  # a part may bring one again
        own = {kind: self.get(kind, ()) for kind in TEXTS}
        add_texts(self.rows, own)
        for text in (text for texts in own.values() for text in texts):
            self.rows.lifted.pop(text, None)  # what the body says itself holds again

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Declaration):
            if name in self:
                where = f"{place_of_caller(2)}, '{name}'"
                raise SheetError(where, "This name is declared twice.", "Rename one of the two.")
            value.declare(self.rows, name)
            value = None if name in self.rows.limits else self.__missing__(name)
        elif name == IMPLICIT and isinstance(value, bool):
            self._set_implicit(value)
        elif not name.startswith("__") and not self._is_text(name, value):
            raise _not_a_row(name, value)
        super().__setitem__(name, value)

    def __missing__(self, name: str) -> Any:
        if name in self.rows.cells or name in self.rows.choices:
            return symbol(name)
        if name in self.rows.parts or name in self.rows.sheets:
            return PartView(self.rows, name)
        if name in _INSTEAD:
            return _guard(name)
        if _is_outside(name):  # most names are functions, so this comes before what takes longer
            raise KeyError(name)
        if any(cell.startswith(f"{name}.") for cell in self.rows.cells):  # figures of a bare part: `state.n_heads`
            return PartView(self.rows, name)
        if self.rows.ahead is not None:
            return symbol(name)
        raise KeyError(name)

    def _set_implicit(self, value: bool) -> None:  # what a line of the body sets
        if value:
            self.rows.allow_cycles()
        else:
            self.rows.complete()
            self.rows.implicit = False

    @staticmethod
    def _is_text(name: str, value: Any) -> bool:
        return name in (*TEXTS, LIFTED) and isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def _is_outside(name: str) -> bool:
    """Whether a name in a class body is one of the code around the class, or of Python."""
    frame = sys._getframe(2)  # noqa: SLF001  # the class body; its own names are not looked up before
    return name in frame.f_globals or name in frame.f_builtins or name in frame.f_code.co_freevars


def _not_a_row(name: str, value: Any) -> SheetError:
    where = f"{place_of_caller(3)}, '{name}'"
    if name == IMPLICIT:
        fix = "Write implicit = True to let formulas depend on each other."
        return SheetError(where, "This is not True or False.", fix)
    if name in (*TEXTS, LIFTED):
        return SheetError(where, "This is not a tuple of texts.", f'Write {name} = ("...", "...").')
    if isinstance(value, bool | sympy.logic.boolalg.Boolean):
        fix = (
            "Wrap it in limit(a <= b); for equality write limit(equal(a, b)), since == between cells is False at once."
        )
        return SheetError(where, "A bare comparison is not a row of a sheet.", fix)
    if isinstance(value, sympy.Basic):
        fix = f"Write {name} = formula(..., unit, meaning)."
        return SheetError(where, "A bare expression is not a row of a sheet.", fix)
    fix = f"Write {name} = given(meaning, unit, default=...), so that the number has a unit and a source."
    return SheetError(where, f"A sheet holds rows, not a Python {type(value).__name__}.", fix)


def _guard(name: str) -> Callable[..., Any]:
    def reject(*_: Any, **__: Any) -> Any:
        problem = f"Python's {name}() decides before the numbers are known."
        raise SheetError(str(place_of_caller()), problem, f"Write {_INSTEAD[name]}.")

    return reject


class _Texts:
    """The texts of one kind, of a sheet or its class: those of the sheets that it extends or embeds come first."""

    def __init__(self, kind: str, doc: str) -> None:
        self.kind, self.__doc__ = kind, doc

    def __get__(self, sheet: Sheet | None, owner: type[Sheet]) -> tuple[str, ...]:
        return (sheet or owner).rows.texts.get(self.kind, ())


class SheetType(type):
    """Metaclass of sheets: turns a class body into rows."""

    rows: Rows

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: Any) -> dict[str, Any]:
        """Return the namespace of the class body, which starts with the rows of the extended sheets."""
        if not bases:
            return {}
        doc = check_class(place_of_caller(), name)
        for base in bases:
            if not isinstance(base, SheetType):
                raise SheetError(f"sheet {snake_case(name)}", f"{base.__name__} is not a sheet.", "Extend sheets only.")
        first, *others = (base.rows for base in bases)  # type: ignore[attr-defined]  # sheets have rows
        rows = first.copy()
        rows.name = snake_case(name)
        conflicts: dict[str, str] = {}
        for position, other in enumerate(others, 1):
            earlier = joined([base.__name__ for base in bases[:position]], "or")
            conflicts |= dict.fromkeys(join(rows, other), f"{earlier} and {bases[position].__name__}")
        return ClassBody(rows, conflicts, doc)

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> SheetType:
        """Make the class, with its rows and texts as attributes."""
        if not isinstance(body, ClassBody):
            sheet_type = super().__new__(cls, name, bases, body)
            sheet_type.rows = Rows(snake_case(name))
            return sheet_type
        attributes = {key: value for key, value in body.items() if key.startswith("__")}
        attributes.setdefault("__doc__", body.doc)
        sheet_type = super().__new__(cls, name, bases, attributes)
        sheet_type.rows = body.close()
        return sheet_type


def snake_case(name: str) -> str:
    """Return the name of the sheet of a class: `ffn_memory` for `FfnMemory`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def class_name(name: str) -> str:
    """Return the name of the class of a sheet: `FfnMemory` for `ffn_memory`."""
    return "".join(word.title() for word in name.split("_"))


class Sheet(metaclass=SheetType):
    """A named set of cells, relations and limits: one model.

    Declare one as a class whose body holds `given`, `formula`, `limit`, `part`, `choice` and `override` rows, or build
    one by code: `Sheet("name")` and its `rows.add_cell`, `rows.add_limit`. A row uses rows above it; under a line
    `implicit = True` formulas may also use cells below, and so depend on each other: such cells are solved together.
    Sheets that extend or embed such a sheet are like it.

    `assumptions`, `notes` and `sources` are tuples of texts. They follow those of the sheets that this one extends, and
    assumptions and sources of those that it embeds; `lifted` has the inherited texts that do not hold here,
    nor in sheets that extend this one, whatever else they extend.

    Args:
        name: another name than that of the class; for sheets built by code.

    Example:
        >>> from flopsheet import Chip, Sheet, formula, given, limit, part, solve
        >>> class Weights(Sheet):
        ...     '''Memory for the weights of a model on one chip.'''
        ...
        ...     params = given("Parameters", "param", example=7_000_000_000)
        ...     bytes_per_param = given("Bytes of a parameter", "byte/param", default=2, source="bf16")
        ...     chip = part(Chip, "Chip that holds the weights", example="h100-sxm")
        ...     weights = formula(params * bytes_per_param, "GiB", "Memory of the weights")
        ...     fits = limit(weights <= chip.memory, "One chip holds the weights")
        >>> print(solve(Weights(), "params", ["chip = h100-sxm", "weights <= chip.memory"]))
        params <= 42.95B param. 'weights <= chip.memory' holds for params <= 42.95B param.
    """

    assumptions = _Texts("assumptions", "What the sheet takes for granted.")
    notes = _Texts("notes", "Hints for the reader.")
    sources = _Texts("sources", "Keys of `sources.yaml`, or texts.")

    @public
    def __init__(self, name: str = "") -> None:
        expect_text(name, "sheet", 'Write Sheet("name").')
        self.rows = type(self).rows.copy()
        self.name = name or self.rows.name
        self.rows.name = self.name

    @property
    def title(self) -> str:
        """First line of the class docstring, which a YAML sheet has from its `title`."""
        return self._doc[0]

    @property
    def about(self) -> str:
        """The docstring below its first line."""
        return self._doc[2].strip()

    @cached_property
    def _doc(self) -> tuple[str, str, str]:
        return cleandoc(type(self).__doc__ or "").strip().partition("\n")

    @property
    def cells(self) -> dict[str, Cell]:
        """The cells by name, in the order of declaration."""
        return self.rows.cells

    @property
    def limits(self) -> dict[str, Relation]:
        """The limits by name."""
        return self.rows.limits

    @property
    def parts(self) -> dict[str, Part]:
        """The registry records that the sheet uses, by prefix."""
        return self.rows.parts

    @property
    def sheets(self) -> dict[str, Part]:
        """The embedded sheets, by prefix."""
        return self.rows.sheets

    @property
    def choices(self) -> dict[str, Choice]:
        """The choices by name."""
        return self.rows.choices

    def _repr_markdown_(self) -> str:
        return str(display("notebook_sheet", self))

    def __repr__(self) -> str:
        return f"<Sheet {self.name}: {len(self.cells)} cells>"
