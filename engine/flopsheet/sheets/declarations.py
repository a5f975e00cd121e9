"""The rows that a class body is made of: `given`, `formula`, `limit`, `part` and `choice`."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import SheetError, suggest
from flopsheet.sheets.cell import FROM_ONE, NOT_NEGATIVE, POSITIVE, Bounds, Cell, Place, symbol
from flopsheet.sheets.functions import COMPARISONS
from flopsheet.sheets.kernel import Choice, Part, RecordType, Rows
from flopsheet.sheets.order import in_text
from flopsheet.sheets.relation import Relation
from flopsheet.units import Number, Unit, quantity_in, tidy, unit

if TYPE_CHECKING:
    from collections.abc import Iterable


class Declaration(ABC):
    """What the right-hand side of a row gives; the namespace tells it its name."""

    @abstractmethod
    def declare(self, rows: Rows, name: str) -> Any:
        """Add the row to the sheet, and return what later lines use under this name."""


@dataclass(frozen=True)
class Row(Declaration):
    """A cell to be: everything but its name."""

    cell: Cell

    def declare(self, rows: Rows, name: str) -> Any:
        """Add the cell, and return its symbol."""
        cell = replace(self.cell, name=name)
        for value in (cell.default, cell.example):
            if value is not None:
                cell.check(value, str(cell.place))
        rows.add_cell(cell)
        return symbol(name)

    @staticmethod
    def place_of_caller(depth: int = 2) -> Place:
        """Return the file and line of the row that is being declared."""
        frame = sys._getframe(depth)  # noqa: SLF001  # the only way to a caller's line without a traceback
        return Place(frame.f_code.co_filename, frame.f_lineno)


@dataclass(frozen=True)
class _LimitRow(Declaration):
    comparison: Any
    doc: str
    place: Place

    def declare(self, rows: Rows, name: str) -> Any:
        where = f"{self.place}, '{name}'"
        sign = COMPARISONS.get(getattr(self.comparison, "func", None))
        if sign is None:
            fix = "Write limit(a <= b); for equality limit(equal(a, b)), since == between cells is False at once."
            raise SheetError(where, "This is not a comparison of cells.", fix)
        left, right = self.comparison.args
        text = f"{in_text(left, tuple(rows.cells))} {sign} {in_text(right, tuple(rows.cells))}"
        rows.add_limit(Relation(left, sign, right, text, name, self.doc, place=self.place))
        return None


@dataclass(frozen=True)
class _PartRow(Declaration):
    record_type: RecordType
    doc: str
    example: str
    place: Place

    def declare(self, rows: Rows, name: str) -> PartView:
        part = Part(name, self.record_type.kind, self.doc, self.example)
        rows.add_part(part, self.record_type.fields, self.place)
        return PartView(rows, name)


@dataclass(frozen=True)
class _ChoiceRow(Declaration):
    choice: Choice
    place: Place

    def declare(self, rows: Rows, name: str) -> Any:
        rows.add_choice(replace(self.choice, name=name), self.place)
        return symbol(name)


class PartView:
    """The cells of a part inside a class body: `chip.memory`, `chip.flops.bf16`."""

    def __init__(self, rows: Rows, prefix: str) -> None:
        self._rows, self._prefix = rows, prefix

    def __getattr__(self, field: str) -> Any:
        name = f"{self._prefix}.{field}"
        if name in self._rows.cells:
            return symbol(name)
        if any(cell.startswith(name + ".") for cell in self._rows.cells):
            return PartView(self._rows, name)
        fields = [
            cell.removeprefix(self._prefix + ".") for cell in self._rows.cells if cell.startswith(self._prefix + ".")
        ]
        fix = suggest(field, fields) or f"It has {', '.join(fields)}."
        raise SheetError(str(Row.place_of_caller()), f"'{self._prefix}' has no '{field}'.", fix)


def _as_number(view: PartView, *_: Any) -> Any:
    problem = f"'{view._prefix}' is a record, not a number."  # noqa: SLF001  # a method in all but place
    raise SheetError(str(Row.place_of_caller()), problem, f"Name one of its fields, as {view._prefix}.memory.")  # noqa: SLF001


for _operator in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg"):
    setattr(PartView, f"__{_operator}__", _as_number)


def given(  # noqa: PLR0913  # one keyword for each thing that can be said of a row
    doc: str,
    unit_text: str = "",
    *,
    default: float | str | None = None,
    example: float | str | None = None,
    integer: bool = False,
    symbol: str = "",
    source: str = "",
    minimum: float | str | None = None,
    maximum: float | str | None = None,
) -> Any:
    """Declare a cell that a question gives, or asks for.

    Args:
        doc: what it means, one sentence without a full stop.
        unit_text: its unit, empty for a pure number.
        default: the value it has unless a question says otherwise; needs a source or a reason in `doc`.
        example: a value for documentation and tests; with neither, the default serves.
        integer: whether only whole numbers make sense.
        symbol: LaTeX symbol, where the nomenclature has none.
        source: key in `sources.yaml` or a text that says where the value comes from.
        minimum: smallest value; unless said, a cell is positive, and a whole number at least 1.
        maximum: largest value.

    A number is taken in the cell's unit; a text carries its own: `default="8 byte/param"`.
    """
    place = Row.place_of_caller()
    shown = unit(unit_text, str(place))
    low, high = (_value(each, shown, place) for each in (minimum, maximum))
    bounds = FROM_ONE if integer else POSITIVE
    if low is not None:
        bounds = Bounds(lower=low)
    if high is not None:
        bounds = replace(bounds, upper=high)
    if bounds.lower > bounds.upper:
        raise SheetError(str(place), "The minimum is larger than the maximum.", "Exchange them.")
    cell = Cell(
        name="",
        doc=doc,
        unit=shown,
        default=_value(default, shown, place),
        example=_value(example, shown, place),
        source=source,
        latex=symbol,
        integer=integer,
        bounds=bounds,
        place=place,
    )
    return Row(cell)


def formula(  # noqa: PLR0913  # the same
    expression: Any,
    unit_text: str = "",
    doc: str = "",
    *,
    integer: bool = False,
    symbol: str = "",
    source: str = "",
    signed: bool = False,
) -> Any:
    """Declare a cell that a formula defines.

    Args:
        expression: the formula, over cells declared above.
        unit_text: its unit; the formula must give it.
        doc: what it means, one sentence without a full stop.
        integer: whether only whole numbers make sense.
        symbol: LaTeX symbol, where the nomenclature has none.
        source: key in `sources.yaml` or a text that says where the law comes from.
        signed: whether it may be negative.
    """
    place = Row.place_of_caller()
    if isinstance(expression, bool) or not isinstance(expression, sympy.Expr | int):
        fix = "Write formula(2 * a * b, unit, meaning); a comparison belongs into limit()."
        raise SheetError(str(place), f"formula() needs an expression over cells, not {expression!r}.", fix)
    bounds = Bounds() if signed else NOT_NEGATIVE
    tree = sympy.sympify(expression)
    cell = Cell("", doc, unit(unit_text, str(place)), tree, None, None, source, symbol, integer, bounds, place=place)
    return Row(cell)


def limit(comparison: Any, doc: str = "") -> Any:
    """Declare a relation that must hold for the result to be acceptable: `limit(device_memory <= chip.memory)`."""
    return _LimitRow(comparison, doc, Row.place_of_caller())


def part(record_type: RecordType, doc: str = "", *, example: str = "") -> Any:
    """Declare a registry record whose fields become cells under its name, as `chip.memory`."""
    return _PartRow(record_type, doc, example, Row.place_of_caller())


def choice(*options: str, doc: str = "", default: str = "", example: str = "") -> Any:
    """Declare a cell whose value is one of a few names, as a precision is `bf16` or `fp8`."""
    place = Row.place_of_caller()
    if not options or len(set(options)) != len(options):
        raise SheetError(str(place), "A choice needs options, each named once.", 'Write choice("bf16", "fp8").')
    for value in filter(None, (default, example)):
        if value not in options:
            raise SheetError(str(place), f"'{value}' is not among the options.", suggest(value, options))
    return _ChoiceRow(Choice("", options, doc, default, example or default or options[0]), place)


def _value(value: float | str | None, shown: Unit, place: Place) -> Number | None:
    """Return a value as an exact number in base units."""
    if value is None:
        return None
    if isinstance(value, str):
        return quantity_in(value, shown, str(place)).si
    try:
        exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, TypeError):
        raise SheetError(str(place), f"{value!r} is not a number.", "Write a number, or a text with a unit.") from None
    return tidy(exact * shown.factor)


def example_cells(cells: Iterable[Cell]) -> dict[str, Number]:
    """Return the example value of each given cell, its default where it has no example."""
    values = {cell.name: cell.default if cell.example is None else cell.example for cell in cells}
    return {name: value for name, value in values.items() if value is not None}
