"""A relation: an equation or inequality between two expressions over cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.errors import FlopsheetError, FormulaError
from flopsheet.functions.choose import taken
from flopsheet.functions.symbols import Expr, symbol, symbols_in
from flopsheet.numbers.arithmetic import holds, mirrored
from flopsheet.registry.reading_time import check_time
from flopsheet.session import cached
from flopsheet.tolerances import CLOSENESS, TYPED
from flopsheet.units import Quantity, scan_quantity

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from collections.abc import Set as AbstractSet

    from flopsheet.errors import Place
    from flopsheet.units import Number

LONGEST_FORMULA = 1000
# A name, an equals sign and the first digit of a number; no character that the full grammar translates first.
_ASSIGNMENT = re.compile(r"\s*([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\s*=\s*(?=\d[^×·−÷]*$)", re.ASCII)
_SIGN = re.compile(r"<=|>=|==|!=|=|<|>")
MOST_PRINTED = 17  # digits of a float as programs print it, from the first that is not zero
_POINT = re.compile(r"-?[\d_,]+\.\d[\d_,]*")
_MANTISSA = re.compile(r"[\d_,.]+")
# a whole number, or many digits
_DECIMAL = re.compile(r"(?<![\w.])-?(?:\d[\d_,]*\.0+(?![\d*/+^-])|(?=[\d_,.]{14})[\d_,]+\.\d)")
# A number with a unit right behind it; the letters of millions to trillions are part of the number: 70B.
_CLOSE_UNIT = re.compile(
    r"(?<![\w.])(\d[\d_,]*(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![eE][+-]?\d|[MBT](?![A-Za-z]))(?=[A-Za-zµμ%°])", re.ASCII
)
_INNERMOST = re.compile(r"[(\[][^()\[\]]*[)\]]")


class Need(NamedTuple):
    """A term that is not negative (`>=`), positive (`>`), not zero (`!=`) or has a value (``), and its function."""

    term: Expr
    sign: str
    node: type


@dataclass(frozen=True)
class Relation:
    """`left operator right`, each literal quantity as one symbol.

    Args:
        text: the text as written.
        name: the name of a limit, or empty.
        literals: the quantities with units in it, by symbol name.
        place: where it was declared, or None for one that a question adds.
        needs: what parts need that simplification took out of it: the root in `sqrt(x)**2`.
        of: the cell whose formula has a value only where a limit holds: it binds where that cell is used.
        decides: the name of the limit that it is, where nothing else was asked and limits alone decide.
    """

    left: Expr
    operator: str
    right: Expr
    text: str
    name: str = ""
    doc: str = ""
    literals: Mapping[str, Quantity] = field(default_factory=dict)
    place: Place | None = None
    needs: tuple[Need, ...] = ()
    of: str = ""
    decides: str = ""

    def __repr__(self) -> str:
        return f"<Relation {self.text!r}{f' of limit {self.name}' if self.name else ''}>"

    @property
    def limit(self) -> str:
        """The name of the limit that it is, whether it bounds what was asked or decides alone; else empty."""
        return self.name or self.decides

    @property
    def is_equation(self) -> bool:
        """Whether the two sides must be equal."""
        return self.operator == "="

    @property
    def is_decimal(self) -> bool:
        """Whether it asks for a decimal, which the formula may round to as answers print it."""
        number = _POINT.match(self.text.partition("=")[2].strip()) if self.is_equation else None
        return number is not None and _count_digits(number[0]) <= MOST_PRINTED

    @property
    def may_be_printed(self) -> bool:
        """Whether it asks for a decimal as answers print a float: 73.0, while a count is typed as 73."""
        left, _, right = self.text.partition("=")
        decimal = _DECIMAL.match(right.strip())
        if not decimal and not cells_of(self.right):  # as in `x - 73.0 = 0`
            others = [*_DECIMAL.finditer(left)]
            decimal = others[0] if len(others) == 1 else None
        if not self.is_equation or not decimal:
            return False
        return _count_digits(_MANTISSA.findall(decimal.string[decimal.start() :])[0]) <= MOST_PRINTED

    @property
    def room(self) -> Fraction:
        """How far exact sides of an equation may differ: by half the last digit of a decimal that it asks for.

        At least by what a float leaves of a number that was copied from an answer, and never by more than what checks
        take as equal.
        """
        number = _POINT.match(self.text.partition("=")[2].strip())
        if number is None:
            return TYPED
        value = Fraction(re.sub("[_,]", "", number[0]))
        last = Fraction(1, 10 ** len(re.sub("[_,]", "", number[0].partition(".")[2])))
        return min(max(TYPED, last / 2 / abs(value)), Fraction(1, CLOSENESS)) if value else TYPED

    @cached_property
    def cells(self) -> frozenset[str]:
        """Names of the cells on both sides."""
        return cells_of(self.left) | cells_of(self.right)

    def taken(self, options: Mapping[str, str]) -> Relation:
        """Return the same with the branches that choices take by their options."""
        left, right = taken(self.left, options), taken(self.right, options)
        return self if (left, right) == (self.left, self.right) else replace(self, left=left, right=right)

    def mapped(self, meaning: Mapping[Expr, Expr]) -> Relation:
        """Return the same with other expressions in place of symbols; the text stays."""
        needs = tuple(need._replace(term=need.term.xreplace(meaning)) for need in self.needs)
        return replace(self, left=self.left.xreplace(meaning), right=self.right.xreplace(meaning), needs=needs)

    def one_sided(self, unknowns: AbstractSet[Expr]) -> tuple[Expr, str, Expr]:
        """Return an expression that holds the unknowns, an operator, and an expression that does not."""
        left, sign, right = self.left, self.operator, self.right
        if unknowns.isdisjoint(symbols_in(left)):
            left, sign, right = right, mirrored(sign), left
        if not unknowns.isdisjoint(symbols_in(right)):
            left, right = left - right, sympy.Integer(0)
        return left, sign, right

    def holds(self, left: Number, right: Number) -> bool:
        """Whether the relation holds between two values [base units], equality within rounding of floats."""
        return holds(left, self.operator, right)


def _count_digits(number: str) -> int:
    """Return how many digits a number has from the first that is not zero."""
    return len("".join(filter(str.isdigit, number)).lstrip("0"))


def check_length(text: str, where: str) -> None:
    """Reject a text that is longer than any formula needs to be, and end the reading of a file that takes too long."""
    check_time()
    if len(text) > LONGEST_FORMULA:
        problem = f"It has {len(text):,} characters; a formula has at most {LONGEST_FORMULA:,}."
        raise FormulaError(where, problem, "Split it into several relations.")


def split_relation(text: str, where: str) -> tuple[str, str, str]:
    """Return left side, operator and right side of a relation, as written.

    Raises:
        FormulaError: the text is too long, or there is not exactly one operator with something on both sides.
    """
    check_length(text, where)
    text = text.replace("≤", "<=").replace("≥", ">=")
    if text.count("[") != text.count("]") or text.count("(") != text.count(")"):
        problem = "A bracket is opened and not closed, or closed and not opened."
        raise FormulaError(where, problem, "Write [k > 1], (a + b).")
    signs = list(_SIGN.finditer(_outside_brackets(text)))
    shape = "Write LEFT = RIGHT, or <=, >=, <, > in place of =: d_model = 16384, device_memory <= 95 GiB."
    if len(signs) != 1:
        count = "it has no operator" if not signs else f"it has {len(signs)} operators"
        raise FormulaError(where, f"This is not a relation: {count if text.strip() else 'it is empty'}.", shape)
    operator = signs[0].group()
    if operator in ("==", "!="):
        raise FormulaError(where, f"'{operator}' is not an operator of relations.", shape)
    left, right = text[: signs[0].start()].strip(), text[signs[0].end() :].strip()
    if not left or not right:
        raise FormulaError(where, f"The {'right' if left else 'left'} side is empty.", shape)
    return left, operator, right


def _outside_brackets(text: str) -> str:
    """Return a text with all brackets blanked out, and so the equals signs of `select(precision, bf16=...)`."""
    while (blanked := _INNERMOST.sub(lambda match: " " * len(match[0]), text)) != text:
        text = blanked
    return text


def parse_assignment(text: str, names: Container[str]) -> tuple[str, Quantity, str] | None:
    """Return cell, quantity and text of a relation such as `chip_memory = 95 GiB`; None for any other text.

    This is the shortcut of `parse_relation` for the commonest relation: it needs neither a syntax tree nor sympy, and
    leaves to the full grammar every text that it does not understand, mistakes included.
    """
    match = _ASSIGNMENT.match(text)
    if match is None:
        return None
    try:
        quantity, end = scan_quantity(text, match.end(), "", names)
    except FlopsheetError:
        return None
    if end != len(text) and not text[end:].isspace():
        return None
    return match[1], quantity, f"{match[1]} = {with_blanks(text[match.end() : end].rstrip())}"


def with_blanks(text: str) -> str:
    """Return a relation with a blank between each number and its unit: `10ms` as `10 ms`."""
    return _CLOSE_UNIT.sub(r"\1 ", text)


def assignment(cell: str, quantity: Quantity, text: str) -> Relation:
    """Return the relation that gives a cell a quantity."""
    literals: dict[str, Quantity] = {}
    return Relation(symbol(cell), "=", literal(quantity, literals), text, literals=literals)


def literal(quantity: Quantity, literals: dict[str, Quantity]) -> Expr:
    """Return an exact pure number as a sympy rational, any other quantity as a symbol that is added to the literals."""
    if not quantity.unit.text and not isinstance(quantity.exact, float):
        return sympy.Rational(quantity.exact)
    name = quantity.written
    literals[name] = quantity
    return symbol(name)


@cached(maxsize=65536)
def cells_of(expression: Expr) -> frozenset[str]:
    """Return the names of the cells in a sympy expression, literal quantities left out."""
    return frozenset(name for symbol in symbols_in(expression) if not is_literal(name := symbol.name))


def is_literal(symbol_name: str) -> bool:
    """Whether a symbol represents a quantity written in a formula, as `95 GiB`."""
    return not symbol_name[0].isalpha()


def with_level(relation: Relation) -> Relation:
    """Return an equation with a number that a program may have printed alone on its right: `x - 73.0 = 0` as x = 73."""
    left, right = relation.left, relation.right
    if not relation.is_equation or not _DECIMAL.search(relation.text) or bool(cells_of(left)) == bool(cells_of(right)):
        return relation
    cells, plain = (left, 2) if cells_of(left) else (right, 0)
    if _DECIMAL.match(relation.text.partition("=")[plain].strip()):
        return relation if cells == left else replace(relation, left=right, right=left)
    constants = sympy.Add(*(term for term in sympy.Add.make_args(cells) if not cells_of(term)))
    return replace(relation, left=left - constants, right=right - constants)
