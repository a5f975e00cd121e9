"""LaTeX symbols of cells: a name with scripts and accents, and nothing that could end the formula that holds it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import NOWHERE, Place, ValueOutOfBoundsError
from flopsheet.formulas.domains import conditions
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import Expr, as_sympy, symbol
from flopsheet.layout.reader import SYMBOL_COMMANDS, LatexError, read
from flopsheet.numbers.sets import Interval
from flopsheet.registry.kinds import KINDS
from flopsheet.session import cached
from flopsheet.units import Number, Unit, format_all_distinct, format_between, format_quantity, is_finite, unit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from flopsheet.formulas.relation import Need
    from flopsheet.registry.records import Field

LONGEST_SYMBOL = 120
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[,;:! %_]|[A-Za-z0-9 .,+\-*/()=!:;{}_^']")


@cached(maxsize=65536)
def symbol_problem(latex: str) -> str:
    """Return what is wrong with a symbol in LaTeX; empty if nothing is."""
    rest = _TOKEN.sub("", latex)
    if rest:
        return f"A symbol cannot contain '{rest[0]}'."
    if not latex.strip() or len(latex) > LONGEST_SYMBOL:
        return f"A symbol has between 1 and {LONGEST_SYMBOL} characters."
    try:
        read(latex, SYMBOL_COMMANDS)
    except LatexError as error:
        return str(error)
    return ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values that a cell may take, in base units."""

    lower: Number = -math.inf  # smallest value, or minus infinity
    upper: Number = math.inf  # largest value, or infinity
    lower_closed: bool = True  # whether the smallest value itself is in bounds

    def __contains__(self, value: Number) -> bool:
        if type(value) is Fraction and type(self.lower) is int:  # integers compare much faster than ratios
            room = value.numerator - self.lower * value.denominator
            above = room >= 0 if self.lower_closed else room > 0
        else:
            above = value >= self.lower if self.lower_closed else value > self.lower
        return above and (self.upper == math.inf or value <= self.upper)

    @property
    def is_own(self) -> bool:
        """Whether there is a bound beside that of all computed quantities, which are zero or more."""
        return self not in (NOT_NEGATIVE, ANY)

    @property
    def interval(self) -> Interval:
        """The bounds as an interval."""
        lower_closed = self.lower_closed and self.lower != -math.inf
        return Interval(self.lower, self.upper, lower_closed, self.upper != math.inf)

    def within(self, other: Bounds) -> Bounds:
        """Return the intersection with other bounds."""
        tighter = max(self, other, key=lambda bounds: (bounds.lower, not bounds.lower_closed))
        return Bounds(tighter.lower, min(self.upper, other.upper), tighter.lower_closed)

    def text(self, shown: Unit, beside: Iterable[Number] = ()) -> str:
        """Return the bounds in words: `positive`, `at least 1`, `above 8`, `between 0 and 1`.

        `beside` are numbers of the same text, from which the digits of the ends tell them apart.
        """
        ends = [*filter(is_finite, (self.lower, self.upper, *beside))]
        texts = dict(zip(ends, format_all_distinct(ends, shown), strict=True))
        lower, upper = (texts.get(end, "") for end in (self.lower, self.upper))
        if self.upper != math.inf and self.lower != -math.inf:
            return f"between {lower} and {upper}" if self.lower_closed else f"above {lower} and at most {upper}"
        if self.upper != math.inf:
            return f"at most {upper}"
        if self.lower == 0:
            return "zero or more" if self.lower_closed else "positive"
        least = "at least" if self.lower_closed else "above"
        return f"{least} {lower}" if self.lower != -math.inf else "any number"


ANY = Bounds()
POSITIVE = Bounds(lower=0, lower_closed=False)
NOT_NEGATIVE = Bounds(lower=0)
FROM_ONE = Bounds(lower=1)


@dataclass(frozen=True)
class Cell:
    """One named quantity: given, or defined by a formula."""

    name: str  # identifier; dotted (`chip.memory`) for a cell of a part
    doc: str  # what it means, as a noun phrase
    unit: Unit = field(default_factory=lambda: unit(""))  # declared unit, in which it is also displayed
    formula: Expr | None = None  # expression over the symbols of other cells, or None for a given cell
    default: Number | None = None  # value [base units] that a question may override, or None
    # Formulas of the default: the first applies whose records have all of its figures, `default` where none does.
    inferred: tuple[Expr, ...] = ()
    fixed: bool = False  # whether other equations leave the default as it is: a definition, a constant of nature
    example: Number | None = None  # value [base units] for documentation and tests, or None
    source: str = ""  # key of `sources.yaml`, or text, that gives the origin of the value or law
    latex: str = ""  # LaTeX symbol; empty for that of the nomenclature
    integer: bool = False  # whether only whole numbers are valid
    headline: bool = False  # whether it sums up an answer that has no unknown
    bounds: Bounds = POSITIVE  # the valid values
    part: str = ""  # name of the record that it belongs to, or empty
    figure: str = ""  # name of the figure of that record
    prefix: str = ""  # name of the embedded sheet that it belongs to, or empty
    place: Place = NOWHERE  # where it was declared

    def __repr__(self) -> str:
        return f"<Cell {self.name}{f' [{self.unit}]' if self.unit.text else ''}: {self.doc}>"

    @cached_property
    def symbol(self) -> Expr:
        """The sympy symbol of this cell in formulas."""
        return symbol(self.name)

    @cached_property
    def bound_relations(self) -> tuple[Relation, ...]:
        """Its bounds as relations."""
        sides = ((">=" if self.bounds.lower_closed else ">", self.bounds.lower), ("<=", self.bounds.upper))
        return tuple(
            Relation(self.symbol, sign, as_sympy(end), f"{self.name} {sign} {format_quantity(end, self.unit)}")
            for sign, end in sides
            if is_finite(end)
        )

    @property
    def formulas(self) -> tuple[Expr, ...]:
        """Its formula, or those of its default."""
        return self.inferred if self.formula is None else (self.formula,)

    @property
    def stated_doc(self) -> str:
        """What it means where a question gives it or asks for it: what follows a colon tells of its own formula."""
        is_had = self.default is not None or self.formulas
        return self.doc.partition(": ")[0] if is_had else self.doc

    def text(self, value: Number) -> str:
        """Return a value [base units] for display; a fractional count does not read as an integer."""
        return format_between(value, self.unit) if self.integer else format_quantity(value, self.unit)

    def allows(self, value: Number) -> bool:
        """Whether a value [base units] is within the bounds, and whole for a whole-number cell."""
        fractional = self.integer and not isinstance(value, int) and (not is_finite(value) or value != int(value))
        return value in self.bounds and not fractional

    def beside_bounds(self, value: Number) -> tuple[str, str]:
        """Return the texts of a value [base units] and of the bounds, with digits that tell these apart."""
        is_fraction = is_finite(value) and value != math.floor(value)
        wholes = (math.floor(value), math.ceil(value)) if is_fraction else ()  # 1.000001 does not read as 1
        near = [value, *filter(is_finite, (self.bounds.lower, self.bounds.upper, *wholes))]
        return format_all_distinct(near, self.unit)[0], self.bounds.text(self.unit, near)

    def check(self, value: Number, where: str) -> None:
        """Raise a ValueOutOfBoundsError for a value [base units] that the cell does not allow."""
        if self.allows(value):
            return
        shown, bounds = self.beside_bounds(value)
        valid = "a whole number" if value in self.bounds else bounds
        problem = f"'{self.name}' cannot be {shown}: it must be {valid}."
        is_percent = not self.unit.text and self.bounds.upper <= 1 and value >= 2 and self.allows(Fraction(value) / 100)
        hints = [f"For percent, write {shown} %."] * is_percent + [f"Meaning of '{self.name}': {self.doc}."] * bool(
            self.doc
        )
        raise ValueOutOfBoundsError(where, problem, " ".join(hints))


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell whose value is one of a few named options."""

    name: str  # identifier
    options: tuple[str, ...]  # the names
    doc: str  # what is chosen
    default: str = ""  # the option that a question may override, or empty
    example: str = ""  # option for documentation and tests
    bound: bool = field(default=False, compare=False)  # whether a sheet that holds another one sets the default in it


@dataclass(frozen=True, slots=True)
class Part:
    """A registry record, or another sheet, used inside a sheet under a prefix."""

    name: str  # the prefix
    kind: str  # kind of record, or name of the sheet
    doc: str  # what it is for
    example: str = ""  # name of a record for documentation and tests; empty for a sheet
    of: str = ""  # name of the part whose record names this one: `system` of `chip`; or empty
    bare: bool = False  # whether its figures are cells without prefix: `d_model`, not `model.d_model`

    def takes_by_hand(self, figure: str) -> bool:
        """Whether a question may give a figure without a record, as a cell without prefix."""
        return self.bare and figure not in KINDS[self.kind].prefixed

    def cell_of(self, figure: str) -> str:
        """Return the name of the cell that is a figure of its record; some of a bare part keep the prefix."""
        if not self.takes_by_hand(figure):
            return f"{self.name}.{figure}"
        outside = self.name.rpartition(".")[0]
        return f"{outside}.{figure}" if outside else figure


class Origin(NamedTuple):
    """Where a row was first declared: the sheet, and the file with the line."""

    sheet: str
    place: Place | None


def part_cells(part: Part, fields: Collection[Field], place: Place, prefix: str = "") -> list[Cell]:
    """Return the cells of a record, one for each of its figures.

    The name of the part includes the prefix of the embedded sheet that it belongs to; symbols leave it out, as pages
    add it.
    """
    inner = part.name.removeprefix(f"{prefix}.")
    cells = [_part_cell(part, inner, figure, place, prefix) for figure in fields]
    return [_by_hand(part, cell, figure) for cell, figure in zip(cells, fields, strict=True)] if part.bare else cells


def figure_aliases(part: Part, cells: Iterable[Cell]) -> dict[str, Expr]:
    """Return the cells of a bare part by the names that they would have under its prefix."""
    inside = ((f"{part.name}.{cell.figure}", cell) for cell in cells)
    return {name: cell.symbol for name, cell in inside if name != cell.name}


def _by_hand(part: Part, cell: Cell, figure: Field) -> Cell:
    """Return the cell of a figure with what it is where a question names no record."""
    kind = KINDS[part.kind]
    if figure.name in (*kind.demanded, *kind.prefixed):
        return cell
    if figure.name in kind.derived:
        names = dict.fromkeys(kind.all_fields)
        formula = parse_formula(kind.derived[figure.name], names, part.kind)
        inner = {symbol(name): symbol(part.cell_of(name)) for name in names}
        return replace(cell, inferred=(formula.xreplace(inner),))
    return replace(cell, default=figure.absent)


def _part_cell(part: Part, inner: str, figure: Field, place: Place, prefix: str) -> Cell:
    positive = FROM_ONE if figure.integer else POSITIVE
    bounds = positive if figure.between is None else Bounds(*figure.between)
    # Two datacenters have two latitudes: a renamed part shows its name in its symbols; so does the chip of a system.
    by_hand = part.takes_by_hand(figure.name)
    is_marked = figure.latex and not by_hand and (part.bare or inner != part.kind or figure.of)
    latex = marked(figure.latex, inner) if is_marked else figure.latex
    cell = Cell(part.cell_of(figure.name), figure.doc, figure.unit, latex=latex, integer=figure.integer)
    return replace(cell, bounds=bounds, part=part.name, figure=figure.name, prefix=prefix, place=place)


def marked(latex: str, part: str) -> str:
    """Return a LaTeX symbol with the name of its part as a superscript, so that two parts differ."""
    inner = f"{{{latex}}}" if "^" in latex or "'" in latex else latex
    return rf"{inner}^{{\text{{{part.replace('.', ' ').replace('_', ' ')}}}}}"


def conditions_of(needs: Iterable[Need], cells: Mapping[str, Cell]) -> list[Relation]:
    """Return what formulas need to have a value, as relations, without those that the bounds of cells imply."""
    above = [cell.name for cell in cells.values() if cell.bounds.lower >= 0]
    positive = [name for name in above if 0 not in cells[name].bounds]
    return conditions(needs, positive, above, tuple(cells))


def left_out_of(relation: Relation, cells: Mapping[str, Cell]) -> list[Relation]:
    """Return what a relation needs besides to have a value: `x >= 0` for `sqrt(x)**2 = 4`, which holds as `x = 4`."""
    left_out = conditions_of(relation.needs, cells) if relation.needs else []
    name, doc, place, literals = relation.name, relation.doc, relation.place, relation.literals
    return [replace(own, name=name, doc=doc, place=place, literals=literals) for own in left_out]
