"""The rows of a class body: `given`, `formula`, `limit`, `choice`, `override` and `part`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from flopsheet.errors import Place, SheetError, expect_text, find, public, wrong_argument
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.records import RecordType
from flopsheet.sheets.cell import Part
from flopsheet.sheets.embedding import PartView, embed
from flopsheet.sheets.kernel import Rows
from flopsheet.sheets.overriding import as_formula, as_formulas, make_limit, override_row
from flopsheet.sheets.source import place_of_caller
from flopsheet.sheets.statements import Row, make_cell, make_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.functions.symbols import Expr
    from flopsheet.sheets.body import SheetType


@dataclass(frozen=True)
class Declaration:
    """The right-hand side of a row; the class body calls `declare` with its rows and the name on the left."""

    row: Row  # what it states, still without a name
    add: Callable[[Rows, Row], None]  # adds the row to others

    def declare(self, rows: Rows, name: str) -> None:
        """Add the row under a name."""
        self.add(rows, replace(self.row, name=name))


def _stated(**values: Any) -> Row:
    """Return the row that the caller of a public function states, once its texts are texts and its flags flags."""
    place = place_of_caller(4)
    for key, value in values.items():
        if key in ("integer", "signed", "headline", "fixed") and not isinstance(value, bool | None):
            raise wrong_argument(f"{place}, {key}", value, "True or False")
        if key in ("doc", "unit", "symbol", "source"):
            expect_text("" if value is None else value, f"{place}, {key}")
    return Row("", place, values)


def _names(place: Place, *names: object) -> None:
    """Raise an ArgumentError unless all names are texts."""
    for name in names:
        expect_text(name, f"{place}, name", 'Write a name as a text: "bf16".')


def _add_cell(formula: Expr | None, inferred: tuple[Expr, ...], rows: Rows, row: Row) -> None:
    cell = make_cell(row, computed=formula is not None)
    if cell is not None:  # a class body raises instead
        rows.add_cell(replace(cell, formula=formula, inferred=inferred))


def _add_limit(comparison: Expr, rows: Rows, row: Row) -> None:
    rows.add_limit(make_limit(row, comparison, rows))


def _embed(other: Rows, bound: Mapping[str, Any], rows: Rows, row: Row) -> None:
    """Add the rows of another sheet, then change those that are overridden."""
    meanings = {name: value for name, value in bound.items() if not isinstance(value, Declaration)}
    embed(rows, other, Part(row.name, other.name, row.text("doc")), meanings, row.place)
    for name, value in bound.items():
        if isinstance(value, Declaration):
            value.declare(rows, f"{row.name}.{name}")


@public
def given(  # noqa: PLR0913  # one keyword for each thing that a row may state
    doc: str,
    unit_text: str = "",
    *,
    default: float | str | None = None,
    inferred: Expr | tuple[Expr, ...] = (),
    fixed: bool = False,
    example: float | str | None = None,
    integer: bool = False,
    headline: bool = False,
    symbol: str = "",
    source: str = "",
    minimum: float | str | None = None,
    maximum: float | str | None = None,
) -> Any:
    """Declare a cell that a question gives, or asks for.

    Args:
        doc: what it means, as a noun phrase without a full stop.
        unit_text: its unit, empty for a pure number.
        default: value that a question may override; needs a source, or a reason in `doc`.
        inferred: formula of the default, or several: the first applies whose records have all of its figures, and
            `default` where none does. `inferred=chip.hourly_price` is the price that the chip's record states.
        fixed: whether the default is a definition or a constant of nature: a question may give the cell or ask for it,
            but other equations never override it.
        example: value for documentation and tests; falls back to the default.
        integer: whether only whole numbers are valid.
        headline: whether an answer without an unknown names it first.
        symbol: LaTeX symbol, where the nomenclature has none.
        source: key in `sources.yaml`, or text, that gives the origin of the value.
        minimum: smallest value; without it a cell is positive, and a whole number at least 1.
        maximum: largest value.

    A number is in the cell's unit; a text carries its own: `default="8 byte/param"`.
    """
    values = {"default": default, "example": example, "minimum": minimum, "maximum": maximum}
    texts = {"doc": doc, "unit": unit_text, "symbol": symbol, "source": source}
    row = _stated(**texts, integer=integer, headline=headline, fixed=fixed, **values)
    formulas = as_formulas(inferred, row.place)
    return Declaration(
        replace(row, values={**row.values, "inferred": formulas or None}), partial(_add_cell, None, formulas)
    )


@public
def formula(  # noqa: PLR0913  # the same
    expression: Expr,
    unit_text: str = "",
    doc: str = "",
    *,
    integer: bool = False,
    headline: bool = False,
    symbol: str = "",
    source: str = "",
    signed: bool = False,
) -> Any:
    """Declare a cell that a formula defines.

    sympy simplifies an expression before it is declared: `sqrt(x)**2` is `x`, which has a value below zero too. State
    as a limit what such a formula needs of a signed cell. A YAML sheet, whose formulas are texts, keeps it by itself.

    Args:
        expression: the formula, over cells declared above.
        unit_text: its unit, which must be that of the formula.
        doc: what it means, as a noun phrase without a full stop.
        integer: whether only whole numbers are valid.
        headline: whether an answer without an unknown names it first.
        symbol: LaTeX symbol, where the nomenclature has none.
        source: key in `sources.yaml`, or text, that gives the origin of the law.
        signed: whether it may be negative.
    """
    texts = {"doc": doc, "unit": unit_text, "symbol": symbol, "source": source}
    row = _stated(**texts, integer=integer, headline=headline, signed=signed or None)
    return Declaration(row, partial(_add_cell, as_formula(expression, row.place), ()))


@public
def limit(comparison: Expr, doc: str = "") -> Any:
    """Declare a relation that must hold for the result to be acceptable: `limit(device_memory <= chip.memory)`."""
    return Declaration(_stated(doc=doc), partial(_add_limit, comparison))


@public
def choice(*options: str, doc: str = "", default: str = "", example: str = "") -> Any:
    """Declare a cell whose value is one of a few names: a precision is `bf16` or `fp8`."""
    row = _stated(doc=doc, default=default or None, example=example or None)
    if not options:
        raise SheetError(str(row.place), "A choice needs options.", 'Write choice("bf16", "fp8").')
    _names(row.place, *options, default, example)
    return Declaration(row, lambda rows, row: rows.add_choice(make_choice(row, options), row.place))


@public
def override(  # noqa: PLR0913  # the same
    expression: Expr | None = None,
    doc: str = "",
    *,
    default: float | str | None = None,
    inferred: Expr | tuple[Expr, ...] = (),
    example: float | str | None = None,
    source: str | None = None,
    symbol: str | None = None,
    integer: bool | None = None,
    headline: bool | None = None,
) -> Any:
    """Change what an extended sheet states of a row; what is not passed remains.

    Args:
        expression: formula of the cell in this sheet, in place of its given value or its formula there; the comparison
            of a limit.
        doc: its meaning here.
        default: its default; of a choice, one of its options.
        inferred: formula of its default, or several; see `given`.
        example: its example.
        source: its source.
        symbol: its LaTeX symbol.
        integer: whether only whole numbers are valid here.
        headline: whether an answer without an unknown names it first.
    """
    texts = {"doc": doc or None, "source": source, "symbol": symbol}
    row = _stated(**texts, integer=integer, headline=headline, default=default, example=example)
    return Declaration(row, partial(override_row, expression, as_formulas(inferred, row.place)))


@public
def part(
    kind: RecordType | SheetType | str,
    doc: str = "",
    /,
    *,
    example: str = "",
    of: Any = None,
    bare: bool = False,
    **bound: Any,
) -> Any:
    """Declare a registry record, or another sheet, whose cells are reached under its name: `chip.memory`.

    A row that this sheet and the other both inherit from a third is shared, not repeated under the prefix.

    Args:
        kind: kind of record (`Chip`, or its name `"chip"`), or a sheet.
        doc: what it is for.
        example: name of a record for documentation and tests; a record without one is optional.
        of: a record declared above that names this one, as a system names its chip.
        bare: whether the figures of the record are cells of the sheet without prefix: `d_model`, not `model.d_model`.
            A question may then give them one by one, without a record. Totals keep the prefix: `model.params`.
        bound: the meaning of rows of the other sheet here, by their name there: a cell, an expression or a choice of
            this sheet, a number or text as another default, or `override(inferred=...)` to change the row.
    """
    row = _stated(doc=doc, example=example)
    _names(row.place, example)
    if isinstance(other := getattr(kind, "rows", None), Rows):
        return Declaration(row, partial(_embed, other, bound))
    if bound:
        problem = f"Rows of a record cannot be bound, and {next(iter(bound))} is."
        raise SheetError(str(row.place), problem, "Give figures of a record in the question.")
    if isinstance(kind, str):
        find(kind, KINDS, "kind of records", str(row.place))
    record = KINDS[kind] if isinstance(kind, str) else kind
    if not isinstance(record, RecordType):
        raise wrong_argument(str(row.place), kind, "a kind of records or a sheet", "Write part(Chip, meaning).")
    if not isinstance(of, PartView | None):
        raise wrong_argument(str(row.place), of, "a record of this sheet", "Write of=system.")
    figures = [*record.all_fields.values()]
    declared = Part("", record.kind, doc, example, "" if of is None else of.prefix, bare)
    return Declaration(row, lambda rows, row: rows.add_part(replace(declared, name=row.name), figures, row.place))
