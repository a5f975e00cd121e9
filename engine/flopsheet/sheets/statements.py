"""What a row states, made into a cell or a choice: the one reading of bounds, options and values for every syntax."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from flopsheet.errors import FlopsheetError, Place, SheetError, some_of, suggest
from flopsheet.registry.reading_time import check_time
from flopsheet.sheets.cell import ANY, FROM_ONE, NOT_NEGATIVE, POSITIVE, Bounds, Cell, Choice
from flopsheet.units import Number, Unit, as_number, quantity_in, tidy, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.functions.symbols import Expr

P = ParamSpec("P")
T = TypeVar("T")
LOWER_BOUNDS, VALUES = ("minimum", "above", "signed"), ("default", "example")


@dataclass(frozen=True)
class Row:
    """What a row of a class body states; its mistakes are raised with its line. `YamlRow` records them instead."""

    name: str  # the row's name
    place: Place  # file and line
    values: dict[str, Any]  # what it states under each key; None is nothing

    def has(self, key: str) -> bool:
        """Whether the row states something under a key."""
        return self.values.get(key) is not None

    def text(self, key: str) -> str:
        """Return the text under a key, or an empty one."""
        return self.values.get(key) or ""

    def number(self, key: str, shown: Unit) -> Number | None:
        """Return the value under a key in base units, or None."""
        return self.recover(key, None, read_number, self.values[key], shown, self.where(key)) if self.has(key) else None

    def where(self, key: str) -> str:  # noqa: ARG002  # a line holds the whole row
        """Return the place that a mistake under a key names."""
        return str(self.place)

    def recover(self, key: str, instead: T, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a call returns, or a default where it raises a mistake, which is reported under the key."""
        check_time()
        try:
            return read(*args, **kwargs)
        except FlopsheetError as error:
            self.report(key, error)
            return instead

    def report(self, key: str, error: FlopsheetError) -> None:  # noqa: ARG002  # the same
        """Raise or record a mistake under a key."""
        raise error

    def reject(self, key: str, problem: str, fix: str) -> None:
        """Report what the row states under a key as a mistake."""
        self.report(key, SheetError(self.where(key), problem, fix))


def make_cell(row: Row, *, computed: bool, prefix: str = "") -> Cell | None:
    """Return the cell that a row declares, without its formula; None where a recorded mistake leaves it no unit."""
    shown = row.recover("unit", None, unit, row.text("unit"), row.where("unit"))
    if computed:
        _reject_values(row)
    if shown is None:
        return None
    cell = Cell(
        row.name,
        row.text("doc"),
        shown,
        source=row.text("source"),
        latex=row.text("symbol"),
        integer=bool(row.values.get("integer")),
        headline=bool(row.values.get("headline")),
        fixed=bool(row.values.get("fixed")),
        prefix=prefix,
        place=row.place,
    )
    cell = replace(cell, bounds=_bounds(row, cell, computed=computed))
    if cell.fixed and (computed or not (row.has("default") or row.has("inferred"))):
        row.reject("fixed", "Only a default can be fixed.", "State a default, or remove 'fixed'.")
    return cell if computed else _with_values(row, cell)


def override_cell(row: Row, cell: Cell, formula: Expr | None, inferred: tuple[Expr, ...] = ()) -> Cell:
    """Return a cell of an extended sheet with what an override states; a new formula drops its value and source.

    A default drops the formulas of the default, unless the override has some of its own.
    """
    fields = (("doc", "doc"), ("source", "source"), ("symbol", "latex"))
    texts: dict[str, Any] = {field: row.text(key) for key, field in fields if row.has(key)}
    integer = row.values["integer"] if row.has("integer") else cell.integer
    headline = row.values["headline"] if row.has("headline") else cell.headline
    widened = cell.integer and not integer and cell.bounds == FROM_ONE
    cell = replace(cell, place=row.place, integer=integer, headline=headline, **texts)
    cell = replace(cell, bounds=POSITIVE if widened else cell.bounds)
    if formula is not None:
        cell = replace(
            cell, formula=formula, default=None, inferred=(), fixed=False, example=None, source=row.text("source")
        )
        cell = replace(cell, part="", figure="")  # no figure of a record any more
    if cell.formula is not None:
        _reject_values(row)
    if inferred or row.has("default"):
        cell = replace(cell, inferred=inferred, fixed=cell.fixed and not inferred)
    return _with_values(row, cell)


def _reject_values(row: Row) -> None:
    for key in filter(row.has, VALUES):
        row.reject(key, f"A cell with a formula has no {key}.", f"Remove '{key}' or the formula.")


def _with_values(row: Row, cell: Cell) -> Cell:
    """Return a cell with the default and the example that a row states; both must be within its bounds."""
    values: dict[str, Any] = {key: row.number(key, cell.unit) if row.has(key) else getattr(cell, key) for key in VALUES}
    for key, value in values.items():
        if value is not None:
            row.recover(key, None, cell.check, value, row.where(key))
    return replace(cell, **values)


def usual_bounds(*, computed: bool, integer: bool) -> Bounds:
    """Return the bounds of a cell that states none: computed ones may be zero, whole ones start at 1."""
    return NOT_NEGATIVE if computed else FROM_ONE if integer else POSITIVE


def _bounds(row: Row, cell: Cell, *, computed: bool) -> Bounds:
    stated = [key for key in LOWER_BOUNDS if row.has(key)]
    for key in stated[1:]:
        row.reject(key, f"The row has both '{stated[0]}' and '{key}'.", "Keep one of them.")
    bounds = usual_bounds(computed=computed, integer=cell.integer)
    if stated[:1] == ["signed"]:
        bounds = ANY if row.values["signed"] else bounds
    elif stated and (low := row.number(stated[0], cell.unit)) is not None:
        bounds = Bounds(lower=low, lower_closed=stated[0] == "minimum")
    high = row.number("maximum", cell.unit)
    if high is None:
        return bounds
    if bounds.lower > high or (bounds.lower == high and not bounds.lower_closed):
        row.reject("maximum", f"The maximum leaves no value: the cell is {bounds.text(cell.unit)}.", "Raise it.")
        return bounds
    return replace(bounds, upper=high)


def make_choice(row: Row, options: tuple[str, ...]) -> Choice:
    """Return the choice that a row declares between some options."""
    if len(set(options)) != len(options):
        row.reject("options", "An option is listed twice.", "List each option once.")
    choice = override_choice(row, Choice(row.name, options, ""))
    return replace(choice, example=choice.example or choice.default or options[0])


def override_choice(row: Row, choice: Choice) -> Choice:
    """Return a choice with what a row states of it."""
    texts: dict[str, Any] = {key: row.text(key) for key in ("doc", *VALUES) if row.has(key)}
    for key in filter(texts.get, VALUES):
        row.recover(key, None, check_option, texts[key], choice.options, row.where(key))
    return replace(choice, **texts)


def check_option(option: str, options: Sequence[str], where: str) -> None:
    """Raise a SheetError for a text that is not one of the options."""
    if option not in options:
        fix = suggest(option, options) or f"Known: {some_of(options)}."
        raise SheetError(where, f"There is no option '{option[:60]}'.", fix)


def read_number(value: object, shown: Unit, where: str) -> Number:
    """Return a number in the shown unit, or a text or quantity with a unit of its own, as an exact one in base units.

    Raises:
        ArgumentError, FormulaError: it is not a number.
        UnitsError: it has another dimension.
    """
    number = as_number(value)
    if number is None:
        return quantity_in(value, shown, where).si
    return tidy((Fraction(repr(number)) if isinstance(number, float) else number) * shown.factor)
