"""Random sheets of every form that formulas may have, and what their cells are worth, without any help of the engine.

A formula is a tree: `("max", "in0", ("log", "out3"))`. `SYMBOLS` makes a formula of sympy of it, `NUMBERS` its value:
a ratio as long as that is exact, else a number of 50 digits.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import mpmath
import sympy

from flopsheet import Sheet, indicator, select, unit
from flopsheet.errors import Place
from flopsheet.functions import BY_NAME, taken, unknown_function
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import ANY, FROM_ONE, NOT_NEGATIVE, POSITIVE, Bounds, Cell, Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

Tree: TypeAlias = Any  # the name of a cell, a ratio, or (operation, tree, tree, ...)
Values: TypeAlias = dict[str, Any]

MP = mpmath.MPContext()
MP.dps = 50
EDGE = 1e-9
SMALLEST, LARGEST, MOST_BITS = 1e-5, 1e6, 160
SIZES = (3, 8, 20, 52)
OPTION = "low"
REPEATING = ("mod", "sin", "cos")


class NoValueError(ArithmeticError):
    """A formula has no value here, or one that rounding decides."""


def _mixed(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation on ratios and long numbers alike."""

    def of(*terms: Any) -> Any:
        exact = all(isinstance(term, Fraction) for term in terms)
        try:
            return operation(*(terms if exact else map(MP.convert, terms)))
        except ZeroDivisionError:
            raise NoValueError from None

    return of


def _long(operation: Callable[[Any], Any], low: float, high: float) -> Callable[[Any], Any]:
    """Return a function of one number, defined between two ends."""

    def of(term: Any) -> Any:
        if not low < term < high:
            raise NoValueError
        return operation(MP.convert(term))

    return of


def _power(base: Any, exponent: Any) -> Any:
    whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if (base == 0 and exponent <= 0) or (base < 0 and not whole) or abs(exponent) > 12:
        raise NoValueError
    if whole:
        return base ** int(exponent)
    return MP.power(MP.convert(base), MP.convert(exponent))


def _floor(term: Any) -> Any:
    if isinstance(term, Fraction):
        return Fraction(math.floor(term))
    if abs(term - MP.nint(term)) <= EDGE * max(1, abs(term)):
        raise NoValueError
    return Fraction(int(MP.floor(term)))


def _mod(term: Any, divisor: Any) -> Any:
    return NUMBERS["-"](term, NUMBERS["*"](divisor, _floor(NUMBERS["/"](term, divisor))))


def _above(left: Any, right: Any) -> Any:
    gap = NUMBERS["-"](left, right)
    if not isinstance(gap, Fraction) and abs(gap) <= EDGE * abs(left):
        raise NoValueError
    return Fraction(int(gap > 0))


_SAME = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
NUMBERS: dict[str, Callable[..., Any]] = {
    **{name: _mixed(operation) for name, operation in _SAME.items()},
    "max": _mixed(lambda *terms: max(terms)),
    "min": _mixed(lambda *terms: min(terms)),
    "number": lambda number: number,
    "power": _power,
    "log": _long(MP.log, 0, math.inf),
    "exp": _long(MP.exp, -40, 40),
    "floor": _floor,
    "ceil": lambda term: -_floor(-term),
    "mod": _mod,
    "abs": abs,
    ">": _above,
    "<=": lambda left, right: 1 - _above(left, right),
    "select": lambda low, _: low,
    "sin": _long(lambda angle: MP.sin(angle * MP.pi / 180), -math.inf, math.inf),
    "cos": _long(lambda angle: MP.cos(angle * MP.pi / 180), -math.inf, math.inf),
}
SYMBOLS: dict[str, Callable[..., Any]] = {
    **{name: entry.build for name, entry in BY_NAME.items()},
    **_SAME,
    "number": sympy.sympify,
    "power": operator.pow,
    ">": lambda left, right: indicator(left > right),
    "<=": lambda left, right: indicator(left <= right),
    "select": lambda low, high: select(symbol("mode"), low=low, high=high),
}


def read(tree: Tree, cells: Mapping[str, Any], operations: Mapping[str, Callable[..., Any]]) -> Any:
    """Return what a tree is over cells, which are symbols or numbers as the operations are."""
    if isinstance(tree, tuple):
        return operations[tree[0]](*(read(branch, cells, operations) for branch in tree[1:]))
    return cells[tree] if isinstance(tree, str) else operations["number"](tree)


@dataclass(frozen=True, repr=False)
class Case:
    """A sheet and a point at which all of its cells have values.

    Args:
        sheet: the sheet.
        point: the value of each cell.
        trees: the formula of each cell that has one.
        above: the inputs that decide each cell.
        before: the cells that stand in the formulas behind each cell, and itself.
        repeating: the cells whose formulas rest on functions that repeat themselves without end.
    """

    sheet: Sheet
    point: Values = field(default_factory=dict)
    trees: dict[str, Tree] = field(default_factory=dict)
    above: dict[str, frozenset[str]] = field(default_factory=dict)
    before: dict[str, frozenset[str]] = field(default_factory=dict)
    repeating: set[str] = field(default_factory=set)

    def __repr__(self) -> str:
        inputs = (f"{self.text(name, '=')} ({self.sheet.cells[name].bounds})" for name in self.inputs)
        return "\n".join(["", *inputs, *(f"{name} = {tree}" for name, tree in self.trees.items())])

    @property
    def inputs(self) -> list[str]:
        """The cells without a formula."""
        return [name for name in self.point if name not in self.trees]

    def text(self, name: str, sign: str, value: Any = None) -> str:
        """Return a relation of a cell and a value, its own unless another is given."""
        value = self.point[name] if value is None else value
        unit = self.sheet.cells[name].unit.text
        if not isinstance(value, Fraction):
            return f"{name} {sign} {float(value)!r} {unit}"
        above, below = value.as_integer_ratio()
        return f"{name} {sign} {above} {unit} / {below}"

    def at(self, output: str, changes: Values, noise: Mapping[str, Fraction] | None = None) -> Values:
        """Return the values up to a cell where some inputs are changed, and others off by a share of their size.

        Raises:
            NoValueError: a formula has none there.
        """
        values = {name: changes.get(name, self.point[name]) for name in self.inputs}
        for name in self.trees:
            if name not in self.before[output]:
                continue
            value = read(self.trees[name], values, NUMBERS)
            if noise and name in noise:
                value = NUMBERS["*"](value, 1 + noise[name])
            values[name] = value if _bits(value) < 10 * MOST_BITS else MP.convert(value)
        return values

    def add_input(self, cell: Cell, value: Fraction) -> None:
        """Add a cell that is given."""
        self.sheet.rows.add_cell(cell)
        self.point[cell.name] = value
        self.before[cell.name] = self.above[cell.name] = frozenset((cell.name,))

    def add_formula(self, name: str, tree: Tree, shown: str = "") -> None:
        """Add a cell with a formula.

        Raises:
            NoValueError: it has no value, or one too large or small for a sheet of moderate numbers.
        """
        value = read(tree, self.point, NUMBERS)
        if (value and not SMALLEST < abs(value) < LARGEST) or _bits(value) > MOST_BITS:
            raise NoValueError
        symbols = {cell_name: cell.symbol for cell_name, cell in self.sheet.cells.items()}
        formula = read(tree, symbols, SYMBOLS)
        if unknown_function(formula):  # sympy takes the size of a power apart into real parts
            raise NoValueError
        self.sheet.rows.add_cell(Cell(name, "A formula", unit(shown), formula=formula, bounds=ANY))
        self.point[name], self.trees[name] = value, tree
        used = taken(formula, {"mode": OPTION}).free_symbols
        self.above[name] = frozenset().union(*(self.above[used_cell.name] for used_cell in used))
        names = _leaves(tree)
        self.before[name] = frozenset((name,)).union(*(self.before[used_name] for used_name in names))
        if names & self.repeating or any(operation in REPEATING for operation in _operations(tree)):
            self.repeating.add(name)


def _operations(tree: Tree) -> list[str]:
    if not isinstance(tree, tuple):
        return []
    return [tree[0], *(name for branch in tree[1:] for name in _operations(branch))]


def _leaves(tree: Tree) -> set[str]:
    if isinstance(tree, tuple):
        return {name for branch in tree[1:] for name in _leaves(branch)}
    return {tree} if isinstance(tree, str) else set()


def _bits(value: Any) -> int:
    return max(abs(part).bit_length() for part in value.as_integer_ratio()) if isinstance(value, Fraction) else 0


CONSTANTS = [Fraction(text) for text in ("1", "2", "3", "1/2", "5/3", "10")]
ONE_TERM = ("log", "exp", "ceil", "floor", "abs")
POWERS = [Fraction(text) for text in ("2", "3", "-1", "-2", "1/2", "-1/2", "17/50", "3/2")]
ARITHMETIC = ("+", "-", "*", "/", "power")
OTHERS = ("log", "exp", "max", "min", "ceil", "floor", "mod", "abs", ">", "<=", "select", "sin", "cos")
# Bounds of an input, whether it counts, and between which values it lies, with the largest denominator.
KINDS: list[tuple[Bounds, bool, tuple[Fraction, Fraction, int]]] = [
    (POSITIVE, False, (Fraction(1, 4), Fraction(20), 6)),
    (NOT_NEGATIVE, False, (Fraction(1, 4), Fraction(20), 6)),
    (ANY, False, (Fraction(-12), Fraction(12), 6)),
    (Bounds(lower=0, upper=1), False, (Fraction(1, 20), Fraction(1), 20)),
    (FROM_ONE, True, (Fraction(1), Fraction(60), 1)),
]


def ratio_between(chance: Random, low: Fraction, high: Fraction, most: int) -> Fraction:
    """Return a ratio other than zero with a small denominator."""
    below = chance.randint(1, most)
    above = chance.randint(math.ceil(low * below), math.floor(high * below))
    return Fraction(above, below) or high


def tree(  # noqa: PLR0911  # one for each form
    chance: Random, names: list[str], angles: list[str], depth: int = 2
) -> Tree:
    """Return a formula over some of the names, nested as deep as is said."""
    if depth < 2 and chance.randint(0, 2 - depth):
        return chance.choice([*names[-8:], *names]) if chance.randint(0, 3) else chance.choice(CONSTANTS)
    name = chance.choice(ARITHMETIC * 3 + OTHERS)

    def inner() -> Tree:
        return tree(chance, names, angles, depth - 1)

    if name in (">", "<="):
        return ("+", inner(), ("*", (name, inner(), inner()), inner()))
    if name in ("sin", "cos"):
        angle = chance.choice(angles)
        return (name, ("*", angle, inner()) if chance.randint(0, 1) else angle)
    if name in ONE_TERM:
        return (name, ("/", inner(), chance.choice(CONSTANTS)) if name == "exp" else inner())
    more = [inner()] if name in ("max", "min") and chance.randint(0, 1) else []
    inputs = [name for name in names if name.startswith("in")]
    if name == "power":
        return (name, inner(), chance.choice(POWERS) if chance.randint(0, 2) else inner())
    if name == "mod":
        return (name, inner(), chance.choice(CONSTANTS if chance.randint(0, 1) else inputs))
    return (name, inner(), inner(), *more)


def random_sheet(chance: Random) -> Case:
    """Return a sheet of up to 60 cells."""
    case = Case(Sheet("random"))
    case.sheet.rows.add_choice(Choice("mode", (OPTION, "high"), "A choice"), Place("", 0))
    angles = ["turn"]
    case.add_input(Cell("turn", "An angle", unit("degree")), ratio_between(chance, Fraction(1), Fraction(300), 2))
    for place in range(chance.randint(1, 6)):
        bounds, integer, between = chance.choice(KINDS)
        cell = Cell(f"in{place}", "An input", bounds=bounds, integer=integer)
        case.add_input(cell, ratio_between(chance, *between))
    for place in range(chance.randint(1, chance.choice(SIZES))):
        names = [name for name in case.point if name not in angles]
        if chance.randint(0, 15) == 15:
            product = ("*", chance.choice(angles), chance.choice(names))
            _add(case, f"angle{place}", product, ("max", angles[0], angles[-1]), "degree")
            angles.append(f"angle{place}")
        else:
            _add(case, f"out{place}", tree(chance, names, angles), ("max", chance.choice(names), names[-1]))
    return case


def _add(case: Case, name: str, tree: Tree, instead: Tree, shown: str = "") -> None:
    try:
        case.add_formula(name, tree, shown)
    except NoValueError:
        case.add_formula(name, instead, shown)
