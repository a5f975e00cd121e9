"""The rows that a class body is made of: `given`, `formula`, `limit`, `choice` and `override`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import SheetError, suggest
from flopsheet.formulas.order import relation_text
from flopsheet.formulas.relation import Relation
from flopsheet.functions.language import COMPARISONS
from flopsheet.sheets.cell import FROM_ONE, NOT_NEGATIVE, POSITIVE, Bounds, Cell
from flopsheet.sheets.pieces import Choice
from flopsheet.sheets.views import place_of_caller
from flopsheet.units import Number, Unit, quantity_in, tidy, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.formulas.place import Place
    from flopsheet.sheets.kernel import Rows


class Declaration(ABC):
    """What the right-hand side of a row gives; the namespace tells it its name."""

    @abstractmethod
    def declare(self, rows: Rows, name: str) -> None:
        """Add the row to the sheet under this name."""


@dataclass(frozen=True)
class Row(Declaration):
    """A cell to be: everything but its name."""

    cell: Cell

    def declare(self, rows: Rows, name: str) -> None:
        """Add the cell."""
        cell = replace(self.cell, name=name)
        _check_values(cell)
        rows.add_cell(cell)


@dataclass(frozen=True)
class _LimitRow(Declaration):
    comparison: Any
    doc: str
    place: Place

    def declare(self, rows: Rows, name: str) -> None:
        where = f"{self.place}, '{name}'"
        sign = COMPARISONS.get(getattr(self.comparison, "func", None))
        if sign is None:
            fix = "Write limit(a <= b); for equality limit(equal(a, b)), since == between cells is False at once."
            raise SheetError(where, "This is not a comparison of cells.", fix)
        left, right = self.comparison.args
        text = relation_text(left, sign, right, tuple(rows.cells))
        rows.add_limit(Relation(left, sign, right, text, name, self.doc, place=self.place))


@dataclass(frozen=True)
class _ChoiceRow(Declaration):
    choice: Choice
    place: Place

    def declare(self, rows: Rows, name: str) -> None:
        rows.add_choice(replace(self.choice, name=name), self.place)


@dataclass(frozen=True)
class _OverrideRow(Declaration):
    """What is said anew of a row that another sheet declared."""

    expression: Any
    said: dict[str, Any]
    place: Place

    def declare(self, rows: Rows, name: str) -> None:
        where = f"{self.place}, '{name}'"
        if name in rows.cells:
            self._declare_cell(rows, rows.cells[name], where)
        elif name in rows.choices:
            self._refuse_all_but(("doc", "default", "example"), "choice", where)
            self._declare_choice(rows, name, where)
        elif name in rows.parts:
            self._refuse_all_but(("doc", "example"), "record", where)
            rows.parts[name] = replace(rows.parts[name], **self.said)
            rows.changed.add(name)
        else:
            if name in rows:
                raise SheetError(where, "Limits and sheets inside a sheet cannot be changed.", "Give it another name.")
            known = [*rows.cells, *rows.choices, *rows.parts]
            fix = suggest(name, known) or "Declare it: given(), formula(), choice()."
            raise SheetError(where, "No sheet that is extended has this row.", fix)

    def _refuse_all_but(self, allowed: tuple[str, ...], kind: str, where: str) -> None:
        wrong = "formula" if self.expression is not None else next((key for key in self.said if key not in allowed), "")
        if wrong:
            raise SheetError(where, f"A {kind} has no {wrong}.", f"It has {', '.join(allowed)}.")

    def _declare_choice(self, rows: Rows, name: str, where: str) -> None:
        known = rows.choices[name]
        _check_options((self.said.get("default", ""), self.said.get("example", "")), known.options, where)
        rows.replace_choice(replace(known, **self.said))

    def _declare_cell(self, rows: Rows, known: Cell, where: str) -> None:
        said = dict(self.said)
        for each in ("default", "example"):
            if each in said:
                if self.expression is not None or known.formula is not None:
                    raise SheetError(where, f"A formula gives this row: it has no {each}.", "Give what it is made of.")
                said[each] = value_in(said[each], known.unit, self.place)
        cell = replace(known, place=self.place, **said)
        if self.expression is not None:
            made, source = tree(self.expression, self.place), said.get("source", "")
            cell = replace(cell, formula=made, default=None, example=None, source=source)
        if known.integer and not cell.integer and cell.bounds == FROM_ONE:
            cell = replace(cell, bounds=POSITIVE)
        _check_values(cell)
        rows.replace_cell(cell)


def _check_values(cell: Cell) -> None:
    for value in (cell.default, cell.example):
        if value is not None:
            cell.check(value, str(cell.place))


def _check_options(said: Iterable[str], options: Sequence[str], where: str) -> None:
    for value in filter(None, said):
        if value not in options:
            raise SheetError(where, f"'{value}' is not among the options.", suggest(value, options))


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
    place = place_of_caller()
    shown = unit(unit_text, str(place))
    low, high, usual, instance = (
        None if each is None else value_in(each, shown, place) for each in (minimum, maximum, default, example)
    )
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
        default=usual,
        example=instance,
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
    place = place_of_caller()
    bounds = Bounds() if signed else NOT_NEGATIVE
    made = tree(expression, place)
    cell = Cell("", doc, unit(unit_text, str(place)), made, None, None, source, symbol, integer, bounds, place=place)
    return Row(cell)


def override(  # noqa: PLR0913  # the same
    expression: Any = None,
    doc: str = "",
    *,
    default: float | str | None = None,
    example: float | str | None = None,
    source: str | None = None,
    symbol: str | None = None,
    integer: bool | None = None,
) -> Any:
    """Change a row of a sheet that is extended: its formula, or what it says; everything else stays.

    Args:
        expression: a formula for it in this sheet, in place of a given value or of the formula there.
        doc: what it means here.
        default: another default; of a choice, one of its options.
        example: another example.
        source: another source.
        symbol: another LaTeX symbol.
        integer: whether only whole numbers make sense here.
    """
    said: dict[str, Any] = {"doc": doc or None, "source": source, "latex": symbol, "integer": integer}
    said |= {"default": default, "example": example}
    changes = {key: each for key, each in said.items() if each is not None}
    return _OverrideRow(expression, changes, place_of_caller())


def tree(expression: Any, place: Place) -> Any:
    """Return the sympy expression of a formula.

    Raises:
        SheetError: it is none.
    """
    if isinstance(expression, bool) or not isinstance(expression, sympy.Expr | int):
        fix = "Write formula(2 * a * b, unit, meaning); a comparison belongs into limit()."
        raise SheetError(str(place), f"formula() needs an expression over cells, not {expression!r}.", fix)
    return sympy.sympify(expression)


def limit(comparison: Any, doc: str = "") -> Any:
    """Declare a relation that must hold for the result to be acceptable: `limit(device_memory <= chip.memory)`."""
    return _LimitRow(comparison, doc, place_of_caller())


def choice(*options: str, doc: str = "", default: str = "", example: str = "") -> Any:
    """Declare a cell whose value is one of a few names, as a precision is `bf16` or `fp8`."""
    place = place_of_caller()
    if not options or len(set(options)) != len(options):
        raise SheetError(str(place), "A choice needs options, each named once.", 'Write choice("bf16", "fp8").')
    _check_options((default, example), options, str(place))
    return _ChoiceRow(Choice("", options, doc, default, example or default or options[0]), place)


def value_in(value: float | str, shown: Unit, place: Place) -> Number:
    """Return a value as an exact number in base units.

    Args:
        value: a number in the unit that is shown, or a text with a unit of its own.
        shown: that unit.
        place: where it stands.

    Raises:
        SheetError, UnitsError: it is no number, or has another dimension.
    """
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
