"""Formulas as a spreadsheet program has them, over defined names whose cells hold values in their shown units.

All its numbers are floats, so the engine's rules for floats hold: what lies within 1e-12 of a whole number is rounded
as that number (2.0000000001 is not, and rounds up to 3), `<=`, `>=` and `=` allow for 1e-9 of the larger side, and `<`
and `>` need more than 1e-12 of it. A scale [base units] is what a written expression is divided by.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.formulas.order import ordered, ordered_terms
from flopsheet.functions import Acos, Asin, Atan, Cos, Indicator, Select, Sin, Tan
from flopsheet.functions.symbols import exact
from flopsheet.report.workbook.numbers import ATOM, POWER, PRODUCT, SUM, number_text, quoted, scaled
from flopsheet.report.workbook.scale import power_of, scale_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.units import Number, Unit

LONGEST_FORMULA, DEEPEST = 8000, 60  # programs take 8192 characters, and 64 functions one inside the other
ONE = Fraction(1)
HALF = sympy.Rational(1, 2)


class NoFormulaError(Exception):
    """A formula uses a cell without a value, or what a spreadsheet program does not know."""


class ExcelFormulas:
    """Writes expressions as formulas of a spreadsheet.

    Args:
        names: the defined name of each cell and choice that has a value.
        units: the unit in which each cell stands in the workbook.
        literals: the quantities written in relations, by symbol name, in base units.
        order: names of all cells, in the order in which terms are written.
    """

    def __init__(
        self, names: Mapping[str, str], units: Mapping[str, Unit], literals: Mapping[str, Number], order: Sequence[str]
    ) -> None:
        self._names, self._units, self._literals, self._order = names, units, literals, order

    def formula(self, expression: Any, shown: Unit) -> str | None:
        """Return an expression in a unit as a formula with its `=`, or None where it cannot be one."""
        return _tried(lambda: self._at(ordered(expression, self._order), SUM, shown.factor))

    def holds(self, left: Any, sign: str, right: Any) -> str | None:
        """Return whether a comparison holds as a formula with its `=`, or None where it cannot be one."""
        return _tried(lambda: self._holds(left, sign, right))

    def _at(self, expression: Any, level: int, scale: Fraction = ONE) -> str:
        """Return an expression, in brackets where it binds less than the level."""
        text, own = self._written(expression, scale)
        return text if own >= level else f"({text})"

    def _written(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        if expression.is_Symbol:
            return self._symbol(expression.name, scale)
        if expression.is_Rational or expression.is_Float:
            return _number(exact(expression), scale)
        for kind, way in _SCALED.items():
            if isinstance(expression, kind):
                return way(self, expression, scale)
        for kind, pure in _PURE.items():
            if isinstance(expression, kind):
                text, level = pure(self, expression)
                return (text, level) if scale == 1 else (scaled(_inside(text, level), 1 / scale), PRODUCT)
        raise NoFormulaError

    def _symbol(self, name: str, scale: Fraction) -> tuple[str, int]:
        if name in self._literals:
            return _number(self._literals[name], scale)
        if name not in self._names or name not in self._units:
            raise NoFormulaError
        factor = self._units[name].factor / scale
        return scaled(self._names[name], factor), ATOM if factor == 1 else PRODUCT

    def sum(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return a sum; what begins with a minus is subtracted."""
        text = ""
        for term in expression.args:
            if text and term.could_extract_minus_sign():
                text += f"-{self._at(ordered(-term, self._order), PRODUCT, scale)}"
            else:
                text += ("+" if text else "") + self._at(term, PRODUCT, scale)
        return text, SUM

    def product(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return a product: the factors above the bar, a division for each below, one constant for all units."""
        above, below, constant = [], [], 1 / scale
        for factor in expression.args:
            if factor.is_Rational:
                constant *= Fraction(int(factor.p), int(factor.q))
                continue
            own = scale_of(factor, self._units)
            constant *= own
            if isinstance(factor, sympy.Pow) and factor.exp.could_extract_minus_sign():
                below.append(self._at(_inverse(factor), POWER, 1 / own))
            else:
                above.append(self._at(factor, PRODUCT, own))
        if above:
            return scaled("*".join(above), constant) + "".join(f"/{each}" for each in below), PRODUCT
        text, level = number_text(constant)
        return "/".join((text if level >= PRODUCT else f"({text})", *below)), PRODUCT

    def power(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return a power, in brackets throughout: programs take -x^2 as (-x)^2 and a^b^c as (a^b)^c."""
        base, exponent = expression.base, expression.exp
        if exponent.could_extract_minus_sign():
            return f"1/{self._at(_inverse(expression), POWER, 1 / scale)}", PRODUCT
        inner = scale_of(base, self._units)
        own = power_of(inner, exponent)
        if own is None:
            inner = own = ONE
        text, level = self._power(base, exponent, inner)
        return (text, level) if own == scale else (scaled(text, own / scale), PRODUCT)

    def _power(self, base: Any, exponent: Any, inner: Fraction) -> tuple[str, int]:
        if exponent == HALF:
            return f"SQRT({self._at(base, SUM, inner)})", ATOM
        if base is sympy.E:
            return f"EXP({self._at(exponent, SUM)})", ATOM
        return f"{self._at(base, ATOM, inner)}^{self._at(exponent, ATOM)}", POWER

    def extreme(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return a max or min."""
        terms = ordered_terms(expression, self._order)
        name = "MAX" if isinstance(expression, sympy.Max) else "MIN"
        return f"{name}({','.join(self._at(term, SUM, scale) for term in terms)})", ATOM

    def size(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return an absolute value."""
        return f"ABS({self._at(expression.args[0], SUM, scale)})", ATOM

    def remainder(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return a remainder with the sign of the divisor; MOD itself refuses large quotients."""
        term, divisor = (self._at(each, POWER, scale) for each in expression.args)
        quotient = f"{term}/{divisor}"
        return f"IF({_near_whole(quotient)},0,{term}-{divisor}*INT({quotient}))", ATOM

    def select(self, expression: Any, scale: Fraction) -> tuple[str, int]:
        """Return a case distinction over the cell of its choice; a branch without values is not available."""
        choice = expression.args[0].name
        if choice not in self._names:
            raise NoFormulaError
        text, branches = "NA()", expression.branches
        alike = len({option.casefold() for option in branches}) < len(branches)  # = takes capital letters as small ones
        for option, branch in reversed(branches.items()):
            here = (self._names[choice], quoted(option))
            made = f"EXACT({','.join(here)})" if alike else "=".join(here)
            text = f"IF({made},{self._branch(branch, scale)},{text})"
        return text, ATOM

    def _branch(self, branch: Any, scale: Fraction) -> str:
        try:
            return self._at(branch, SUM, scale)
        except NoFormulaError:
            return "NA()"

    def rounded(self, expression: Any) -> tuple[str, int]:
        """Return a rounding: INT goes down for negative numbers too."""
        term = self._at(expression.args[0], PRODUCT)
        near = f"IF({_near_whole(term)},ROUND({term},0),{term})"
        return (f"INT({near})", ATOM) if isinstance(expression, sympy.floor) else (f"-INT(-{near})", SUM)

    def indicator(self, expression: Any) -> tuple[str, int]:
        """Return 1 where a comparison holds, else 0."""
        left, _, right = expression.args
        return f"IF({self._holds(left, expression.sign, right)},1,0)", ATOM

    def _holds(self, left: Any, sign: str, right: Any) -> str:
        scale = scale_of(left, self._units)
        left, right = (self._at(ordered(each, self._order), PRODUCT, scale) for each in (left, right))
        larger = f"MAX(ABS({left}),ABS({right}))"
        if sign == "=":
            return f"ABS({left}-{right})<=1E-9*{larger}"
        small, large = (left, right) if sign in ("<", "<=") else (right, left)
        if sign in ("<=", ">="):
            return f"{small}-{large}<=1E-9*{larger}"
        return f"{large}-{small}>1E-12*{larger}"

    def arc(self, expression: Any) -> tuple[str, int]:
        """Return the angle of a sine or cosine, which may exceed 1 by rounding."""
        term = self._at(expression.args[0], PRODUCT)
        name = "ASIN" if isinstance(expression, Asin) else "ACOS"
        return f"DEGREES({name}(IF(ABS({term})-1<=1E-12,MAX(-1,MIN(1,{term})),{term})))", ATOM

    def called(self, before: str, expression: Any, after: str) -> tuple[str, int]:
        """Return a function of one pure number or angle."""
        return f"{before}({self._at(expression.args[0], SUM)}{after}", ATOM


def _tried(way: Callable[[], str]) -> str | None:
    try:
        text = f"={way()}"
    except NoFormulaError:
        return None
    return text if len(text) <= LONGEST_FORMULA and _depth(text) <= DEEPEST else None


def _depth(text: str) -> int:
    return max(accumulate((sign == "(") - (sign == ")") for sign in text))


def _inside(text: str, level: int) -> str:
    return text if level >= PRODUCT else f"({text})"


def _inverse(power: Any) -> Any:
    return power.base if power.exp == -1 else sympy.Pow(power.base, -power.exp, evaluate=False)


def _number(number: Number, scale: Fraction) -> tuple[str, int]:
    return number_text(number / float(scale) if isinstance(number, float) else Fraction(number) / scale)


def _near_whole(term: str) -> str:
    return f"ABS({term}-ROUND({term},0))<=1E-12*ABS({term})"


def _plainly(before: str, after: str = ")") -> Callable[[ExcelFormulas, Any], tuple[str, int]]:
    return lambda writer, expression: writer.called(before, expression, after)


_SCALED: dict[Any, Callable[[ExcelFormulas, Any, Fraction], tuple[str, int]]] = {
    sympy.Add: ExcelFormulas.sum,
    sympy.Mul: ExcelFormulas.product,
    sympy.Pow: ExcelFormulas.power,
    (sympy.Max, sympy.Min): ExcelFormulas.extreme,
    sympy.Abs: ExcelFormulas.size,
    sympy.Mod: ExcelFormulas.remainder,
    Select: ExcelFormulas.select,
}
_PURE: dict[Any, Callable[[ExcelFormulas, Any], tuple[str, int]]] = {
    (sympy.ceiling, sympy.floor): ExcelFormulas.rounded,
    Indicator: ExcelFormulas.indicator,
    (Asin, Acos): ExcelFormulas.arc,
    sympy.log: _plainly("LN"),
    sympy.exp: _plainly("EXP"),
    Sin: _plainly("SIN(RADIANS", "))"),
    Cos: _plainly("COS(RADIANS", "))"),
    Tan: _plainly("TAN(RADIANS", "))"),
    Atan: _plainly("DEGREES(ATAN", "))"),
    type(sympy.pi): lambda _writer, _expression: ("PI()", ATOM),
    type(sympy.E): lambda _writer, _expression: ("EXP(1)", ATOM),
}
