"""Formulas as a spreadsheet program has them, over defined names whose cells hold values in their shown units.

All its numbers are floats, so the engine's rules for floats hold: what lies within 1e-12 of an integer is rounded as
that integer (2.0000000001 is not, and rounds up to 3), `<=`, `>=` and `=` allow for 1e-9 of the larger side, `<` and
`>` need more than 1e-12 of it. A scale [base units] is what a written expression is divided by; its natural scale is
the unit in which it comes out where cells stand in their shown units.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.printing import in_order
from flopsheet.functions import BY_NODE, Expr, Function, Trait, entry_of, exact
from flopsheet.functions.comparisons import excel_comparison
from flopsheet.functions.excel import excel_power
from flopsheet.layout.nodes import ATOM, POWER, PRODUCT, SUM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.units import Number, Unit

LONGEST_FORMULA, DEEPEST = 8000, 60  # programs take 8192 characters, and 64 functions one inside the other
LARGEST_EXPONENT = 9
MOST_DIGITS = 15  # programs read no more digits of a number in a formula
ONE = Fraction(1)
_CONSTANTS = {sympy.pi: "PI()", sympy.E: "EXP(1)"}
_MISSING = "NA()"


class NoFormulaError(Exception):
    """A formula uses a cell without a value, or what a spreadsheet program does not know."""


class ExcelFormulas:
    """Writes expressions as formulas of a spreadsheet.

    Args:
        names: the defined name of each cell and choice that has a value.
        units: the unit of each cell.
        literals: the quantities written in relations [base units].
        order: names of all cells, in the order in which terms are written.
    """

    def __init__(
        self, names: Mapping[str, str], units: Mapping[str, Unit], literals: Mapping[str, Number], order: Sequence[str]
    ) -> None:
        self.names, self._units, self._literals, self._order = names, units, literals, order

    def over(self, names: Mapping[str, str]) -> ExcelFormulas:
        """Return the same with other names of some cells, which may be places such as `F12`."""
        return ExcelFormulas({**self.names, **names}, self._units, self._literals, self._order)

    def beside(self, places: Mapping[str, str], units: Mapping[str, Unit]) -> ExcelFormulas:
        """Return the same with the places of more cells, which have these units."""
        return ExcelFormulas({**places, **self.names}, {**units, **self._units}, self._literals, self._order)

    def formula(self, expression: Expr, shown: Unit) -> str | None:
        """Return an expression in a unit as a formula with its `=`, or None where it cannot be one."""
        return _formula(lambda: self._at(expression, SUM, shown.factor))

    def holds(self, left: Expr, sign: str, right: Expr) -> str | None:
        """Return whether a comparison holds as a formula with its `=`, or None where it cannot be one."""
        scale = scale_of(left, self._units)
        return _formula(lambda: excel_comparison(self._at(left, PRODUCT, scale), sign, self._at(right, PRODUCT, scale)))

    def _at(self, expression: Expr, level: int, scale: Fraction = ONE) -> str:
        """Return an expression, in brackets where it holds together less than the level."""
        text, own = self._written(expression, scale)
        return text if own >= level else f"({text})"

    def _written(self, expression: Expr, scale: Fraction) -> tuple[str, int]:
        if expression.is_Rational or expression.is_Float:
            return _in_scale(exact(expression), scale)
        kinds = {"is_Symbol": self._symbol, "is_Add": self._sum, "is_Mul": self._product, "is_Pow": self._power}
        write = next((write for kind, write in kinds.items() if getattr(expression, kind)), self._function)
        return write(expression, scale)

    def _symbol(self, symbol: Expr, scale: Fraction) -> tuple[str, int]:
        name = symbol.name
        if name in self._literals and name not in self.names:
            return _in_scale(self._literals[name], scale)
        if name not in self.names or name not in self._units:
            raise NoFormulaError
        factor = self._units[name].factor / scale
        return scaled(self.names[name], factor), ATOM if factor == 1 else PRODUCT

    def _sum(self, expression: Expr, scale: Fraction) -> tuple[str, int]:
        """Return a sum; what begins with a minus is subtracted."""
        text = ""
        for term in in_order(expression, self._order):
            if text and term.could_extract_minus_sign():
                text += f"-{self._at(-term, PRODUCT, scale)}"
            else:
                text += ("+" if text else "") + self._at(term, PRODUCT, scale)
        return text, SUM

    def _product(self, expression: Expr, scale: Fraction) -> tuple[str, int]:
        """Return a product: the factors above the bar, a division for each below, one constant for all units."""
        above, below, constant = [], [], 1 / scale
        for factor in in_order(expression, self._order):
            if factor.is_Rational:
                constant *= Fraction(int(factor.p), int(factor.q))
                continue
            own = scale_of(factor, self._units)
            constant *= own
            if factor.is_Pow and factor.exp.could_extract_minus_sign():
                below.append(self._at(_inverse(factor), POWER, 1 / own))
            else:
                above.append(self._at(factor, PRODUCT, own))
        if above:
            return scaled("*".join(above), constant) + "".join(f"/{factor}" for factor in below), PRODUCT
        text, level = number_text(constant)
        return "/".join((text if level >= PRODUCT else f"({text})", *below)), PRODUCT

    def _power(self, expression: Expr, scale: Fraction) -> tuple[str, int]:
        """Return a power, in brackets throughout: programs take -x^2 as (-x)^2 and a^b^c as (a^b)^c."""
        base, exponent = expression.args
        if exponent.could_extract_minus_sign():
            return f"1/{self._at(_inverse(expression), POWER, 1 / scale)}", PRODUCT
        inner = scale_of(base, self._units)
        own = power_of(inner, exponent)
        if own is None:
            inner = own = ONE
        if exponent == sympy.S.Half:
            text, level = f"SQRT({self._at(base, SUM, inner)})", ATOM
        elif exponent.is_number:
            text, level = f"{self._at(base, ATOM, inner)}^{self._at(exponent, ATOM)}", POWER
        else:
            text, level = excel_power(self._at(base, ATOM, inner), self._at(exponent, ATOM)), ATOM
        return (text, level) if own == scale else (scaled(text, own / scale), PRODUCT)

    def _function(self, expression: Expr, scale: Fraction) -> tuple[str, int]:
        """Return a function by its entry, its terms in a unit that suits it."""
        if expression in _CONSTANTS:
            return _pure(_CONSTANTS[expression], scale)
        entry = BY_NODE.get(expression.func)
        if entry is None:
            raise NoFormulaError
        if entry.traits & (Trait.HOMOGENEOUS | Trait.GUARDS):
            return entry.excel(*self._terms(entry, expression, scale)), ATOM
        inner = scale_of(expression.args[0], self._units) if Trait.RELATIVE in entry.traits else ONE
        return _pure(entry.excel(*self._terms(entry, expression, inner)), scale)

    def _terms(self, entry: Function, expression: Expr, scale: Fraction) -> list[str]:
        if Trait.CHOOSES in entry.traits:
            return self._branches(expression, scale)
        if Trait.GUARDS in entry.traits:
            condition, *branches = expression.args
            return [self._at(condition, SUM, ONE), *(self._at(branch, entry.operand, scale) for branch in branches)]
        terms = in_order(expression, self._order) if Trait.EXTREME in entry.traits else expression.args
        return [self._at(term, entry.operand, scale) if isinstance(term, sympy.Expr) else str(term) for term in terms]

    def _branches(self, expression: Expr, scale: Fraction) -> list[str]:
        """Return the cell of a choice, and each option with its branch; one without values is not available."""
        choice = expression.args[0].name
        if choice not in self.names:
            raise NoFormulaError
        texts = [self.names[choice]]
        for option, branch in expression.branches.items():
            texts += [option, _MISSING]
            with suppress(NoFormulaError):
                texts[-1] = self._at(branch, SUM, scale)
        return texts


def _formula(write: Callable[[], str]) -> str | None:
    try:
        text = f"={write()}"
    except NoFormulaError:
        return None
    depth = max(accumulate((sign == "(") - (sign == ")") for sign in text))
    return text if len(text) <= LONGEST_FORMULA and depth <= DEEPEST else None


def _pure(text: str, scale: Fraction) -> tuple[str, int]:
    """Return the text of a pure number in a scale."""
    return (text, ATOM) if scale == 1 else (scaled(text, 1 / scale), PRODUCT)


def _inverse(power: Expr) -> Expr:
    return power.base if power.exp == -1 else sympy.Pow(power.base, -power.exp, evaluate=False)


def _in_scale(number: Number, scale: Fraction) -> tuple[str, int]:
    return number_text(number / float(scale) if isinstance(number, float) else Fraction(number) / scale)


def scaled(text: str, factor: Fraction) -> str:
    """Return a product times a factor: `a*3/4`; the text itself for 1."""
    if factor < 0:
        return f"(-1)*{scaled(text, -factor)}"
    above = "" if factor.numerator == 1 else f"*{_whole(factor.numerator)}"
    below = "" if factor.denominator == 1 else f"/{_whole(factor.denominator)}"
    return text + above + below


def number_text(number: Number) -> tuple[str, int]:
    """Return a number, and how strongly its parts bind; a negative one as little as a sum."""
    if isinstance(number, float):
        return repr(number).upper(), SUM if number < 0 else ATOM
    ratio = Fraction(number)
    sign, above = ("-" if ratio < 0 else ""), _whole(abs(ratio.numerator))
    if ratio.denominator != 1:
        return f"{sign}{above}/{_whole(ratio.denominator)}", SUM if sign else PRODUCT
    return sign + above, SUM if sign else ATOM


def _whole(number: int) -> str:
    """Return a whole number, a long one with a power of ten: programs drop all digits after the fifteenth."""
    text = str(number)
    if len(text) <= MOST_DIGITS:
        return text
    head, rest = text[:MOST_DIGITS], text[MOST_DIGITS : 2 * MOST_DIGITS]
    first = _powered(head, len(text) - MOST_DIGITS)
    return f"({first}+{_powered(rest, max(len(text) - 2 * MOST_DIGITS, 0))})" if int(rest) else first


def _powered(digits: str, power: int) -> str:
    """Return digits and a power of ten, without zeros at either end: `1E+18`."""
    short = digits.rstrip("0")
    return f"{int(short)}E+{power + len(digits) - len(short)}"


def scale_of(expression: Expr, units: Mapping[str, Unit]) -> Fraction:
    """Return a size [base units] in which an expression needs few constants: that of GiB for a sum of GiB."""
    if expression.is_Symbol:
        return units[expression.name].factor if expression.name in units else ONE
    if expression.is_Mul:
        return prod((scale_of(factor, units) for factor in expression.args), start=ONE)
    if expression.is_Pow:
        return power_of(scale_of(expression.base, units), expression.exp) or ONE
    traits = entry_of(expression).traits
    if expression.is_Add or traits & (Trait.HOMOGENEOUS | Trait.GUARDS):
        scales = (scale_of(term, units) for term in expression.args[Trait.GUARDS in traits :])
        return next((scale for scale in scales if scale != 1), ONE)
    return ONE


def power_of(scale: Fraction, exponent: Expr) -> Fraction | None:
    """Return a scale to an exponent where that is a ratio of numbers of some length, else None."""
    if scale == 1:
        return scale
    if not exponent.is_Rational or max(abs(exponent.p), exponent.q) > LARGEST_EXPONENT:
        return None
    above, whole_above = sympy.integer_nthroot(scale.numerator, int(exponent.q))
    below, whole_below = sympy.integer_nthroot(scale.denominator, int(exponent.q))
    return Fraction(int(above), int(below)) ** int(exponent.p) if whole_above and whole_below else None
