"""The class-body syntax: each line of a sheet's class body is one row, and compiles to the kernel."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import SheetError, joined
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.declarations import Declaration
from flopsheet.sheets.joining import join, refuse_disputed, settle
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.source import refuse_silent_traps
from flopsheet.sheets.views import PartView, place_of_caller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.formulas.relation import Relation
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.pieces import Choice, Part

TEXTS = ("assumptions", "notes", "sources")
_INSTEAD = {
    "max": "max_(a, b)",
    "min": "min_(a, b)",
    "round": "floor(a) or ceil(a)",
    "int": "floor(a)",
}


class Body(dict[str, Any]):
    """The namespace of a sheet's class body: takes rows, hands back their symbols, refuses Python's silent traps.

    Args:
        rows: those of the sheets that are extended.
        disputed: the sheets that disagree on a row of these, by its name.
    """

    def __init__(self, rows: Rows, disputed: Mapping[str, str]) -> None:
        super().__init__()
        self.rows, self._disputed = rows, disputed

    def close(self) -> Rows:
        """Return the rows of the whole body, in order.

        Raises:
            SheetError: sheets that are extended disagree on a row, or formulas need each other.
        """
        left = {name: sheets for name, sheets in self._disputed.items() if name not in self}
        refuse_disputed(self.rows.name, left)
        settle(self.rows)
        return self.rows

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Declaration):
            if name in self:
                where = f"{place_of_caller(2)}, '{name}'"
                raise SheetError(where, "This name is declared twice.", "Give one of the two another name.")
            value.declare(self.rows, name)
            value = None if name in self.rows.limits else self.__missing__(name)
        elif not name.startswith("__") and not self._is_text(name, value):
            raise _refuse(name, value)
        super().__setitem__(name, value)

    def __missing__(self, name: str) -> Any:
        if name in self.rows.cells or name in self.rows.choices:
            return symbol(name)
        if name in self.rows.parts or name in self.rows.sheets:
            return PartView(self.rows, name)
        if name in _INSTEAD:
            return _guard(name)
        raise KeyError(name)

    @staticmethod
    def _is_text(name: str, value: Any) -> bool:
        return name in TEXTS and isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def _refuse(name: str, value: Any) -> SheetError:
    where = f"{place_of_caller(3)}, '{name}'"
    if name in TEXTS:
        return SheetError(where, "This is not a tuple of texts.", f'Write {name} = ("...", "...").')
    if isinstance(value, bool | sympy.logic.boolalg.Boolean):
        fix = (
            "Wrap it in limit(a <= b); for equality write limit(equal(a, b)), since == between cells is False at once."
        )
        return SheetError(where, "A bare comparison is no row of a sheet.", fix)
    if isinstance(value, sympy.Basic):
        return SheetError(
            where, "A bare expression is no row of a sheet.", f"Write {name} = formula(..., unit, meaning)."
        )
    fix = f"Write {name} = given(meaning, unit, default=...), so that the number has a unit and a source."
    return SheetError(where, f"A sheet holds rows, not a Python {type(value).__name__}.", fix)


def _guard(name: str) -> Callable[..., Any]:
    def refused(*_: Any, **__: Any) -> Any:
        place = place_of_caller(2)
        raise SheetError(
            f"{place}", f"Python's {name}() decides before the numbers are known.", f"Write {_INSTEAD[name]}."
        )

    return refused


class SheetType(type):
    """Turns the class body of a sheet into rows."""

    rows: Rows

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: Any) -> dict[str, Any]:
        """Return the namespace: it starts with the rows of the sheets that are extended."""
        if not bases:
            return {}
        refuse_silent_traps(sys._getframe(1).f_code.co_filename, name)  # noqa: SLF001  # where the class stands
        for base in bases:
            if not isinstance(base, SheetType):
                raise SheetError(f"sheet {snake_case(name)}", f"{base.__name__} is no sheet.", "Extend sheets only.")
        first, *others = (base.rows for base in bases)  # type: ignore[attr-defined]  # sheets have rows
        rows = first.copy()
        rows.name = snake_case(name)
        disputed: dict[str, str] = {}
        for before, other in enumerate(others, 1):
            earlier = joined([base.__name__ for base in bases[:before]], "or")
            disputed |= dict.fromkeys(join(rows, other), f"{earlier} and {bases[before].__name__}")
        return Body(rows, disputed)

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> SheetType:
        """Make the class, its rows beside it."""
        if not isinstance(body, Body):
            made = super().__new__(cls, name, bases, body)
            made.rows = Rows(snake_case(name))
            return made
        kept = {key: value for key, value in body.items() if key.startswith("__") or key in TEXTS}
        for texts in TEXTS:  # a sheet that says nothing has what all those say that it extends
            every = [text for base in bases for text in getattr(base, texts)]
            kept.setdefault(texts, tuple(dict.fromkeys(every)))
        made = super().__new__(cls, name, bases, kept)
        made.rows = body.close()
        return made


def snake_case(name: str) -> str:
    """Return the name of a sheet whose class has this name: `FfnMemory` is `ffn_memory`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def class_name(name: str) -> str:
    """Return the name of the class of a sheet: `ffn_memory` is `FfnMemory`."""
    return "".join(word.title() for word in name.split("_"))


class Sheet(metaclass=SheetType):
    """A named set of cells, relations and limits: one model.

    Declare one as a class whose body holds `given`, `formula`, `limit`, `part`, `choice` and `override` rows, or build
    one by code: `Sheet("name")` and its `rows.add_cell`, `rows.add_limit`.

    Args:
        name: another name than the class's own; for sheets built by code.
    """

    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def __init__(self, name: str = "") -> None:
        self.rows = type(self).rows.copy()
        self.name = name or self.rows.name
        self.rows.name = self.name

    @property
    def title(self) -> str:
        """First line of the sheet's docstring."""
        return (type(self).__doc__ or "").strip().partition("\n")[0]

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
        """The other sheets that the sheet holds, by prefix."""
        return self.rows.sheets

    @property
    def choices(self) -> dict[str, Choice]:
        """The choices by name."""
        return self.rows.choices

    def _repr_markdown_(self) -> str:
        from flopsheet.report.pages import sheet_page

        return sheet_page(self)

    def __repr__(self) -> str:
        return f"<Sheet {self.name}: {len(self.cells)} cells>"
