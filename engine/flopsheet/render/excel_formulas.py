"""Formulas as a spreadsheet program has them, over defined names whose cells hold values in their shown units.

All its numbers are floats, so the engine's rules for floats hold: what lies within 1e-12 of a whole number is rounded as
that number, `<=`, `>=` and `=` allow for 1e-9 of the larger side, and `<` and `>` need more than 1e-12 of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.sheets.angles import Acos, Asin, Atan, Cos, Sin, Tan
from flopsheet.sheets.cell import exact
from flopsheet.sheets.functions import Indicator, Select
from flopsheet.sheets.order import ordered, ordered_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.units import Number, Unit

LONGEST_FORMULA = 8000  # programs take 8192 characters
MOST_DIGITS = 15  # they read no more digits of a number in a formula
SUM, PRODUCT, POWER, ATOM = range(4)


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
        try:
            text = f"={self.text(expression, shown)}"
        except NoFormulaError:
            return None
        return text if len(text) <= LONGEST_FORMULA else None

    def holds(self, left: Any, sign: str, right: Any) -> str | None:
        """Return whether a comparison holds as a formula with its `=`, or None where it cannot be one."""
        try:
            text = f"={self._holds(left, sign, right)}"
        except NoFormulaError:
            return None
        return text if len(text) <= LONGEST_FORMULA else None

    def text(self, expression: Any, shown: Unit) -> str:
        """Return an expression in a unit, without `=`.

        Raises:
            NoFormulaError: it uses a cell without a value, or something unknown.
        """
        whole = ordered(expression, self._order)
        if whole.is_Symbol and whole.name in self._names and self._units[whole.name].factor == shown.factor:
            return self._names[whole.name]
        return self._at(whole, SUM if shown.factor == 1 else PRODUCT) + scaled(1 / shown.factor)

    def _at(self, expression: Any, level: int) -> str:
        """Return an expression, in brackets where it binds less than the level."""
        text, own = self._written(expression)
        return text if own >= level else f"({text})"

    def _written(self, expression: Any) -> tuple[str, int]:
        if expression.is_Symbol:
            return self._symbol(expression.name)
        if expression.is_Rational or expression.is_Float:
            return number_text(exact(expression))
        for kind, way in _WAYS.items():
            if isinstance(expression, kind):
                return way(self, expression)
        raise NoFormulaError

    def _symbol(self, name: str) -> tuple[str, int]:
        if name in self._literals:
            return number_text(self._literals[name])
        if name not in self._names or name not in self._units:
            raise NoFormulaError
        factor = self._units[name].factor
        return self._names[name] + scaled(factor), ATOM if factor == 1 else PRODUCT

    def sum(self, expression: Any) -> tuple[str, int]:
        """Return a sum; what begins with a minus is subtracted."""
        text = ""
        for term in expression.args:
            if text and term.could_extract_minus_sign():
                text += f"-{self._at(ordered(-term, self._order), PRODUCT)}"
            else:
                text += ("+" if text else "") + self._at(term, PRODUCT)
        return text, SUM

    def product(self, expression: Any) -> tuple[str, int]:
        """Return a product: the factors above the bar, then a division for each below."""
        above, below = [], []
        for factor in expression.args:
            if factor.is_Rational and factor.q != 1:
                above += [sympy.Integer(factor.p)] if factor.p != 1 else []
                below.append(sympy.Integer(factor.q))
            elif isinstance(factor, sympy.Pow) and factor.exp.could_extract_minus_sign():
                below.append(sympy.Pow(factor.base, -factor.exp, evaluate=factor.exp == -1))
            else:
                above.append(factor)
        text = "*".join(self._at(each, PRODUCT) for each in above) or "1"
        return text + "".join(f"/{self._at(each, POWER)}" for each in below), PRODUCT

    def power(self, expression: Any) -> tuple[str, int]:
        """Return a power, in brackets throughout: programs take -x^2 as (-x)^2 and a^b^c as (a^b)^c."""
        base, exponent = expression.base, expression.exp
        if exponent.could_extract_minus_sign():
            return f"1/{self._at(sympy.Pow(base, -exponent, evaluate=exponent == -1), POWER)}", PRODUCT
        if exponent == sympy.Rational(1, 2):
            return f"SQRT({self._at(base, SUM)})", ATOM
        if base is sympy.E:
            return f"EXP({self._at(exponent, SUM)})", ATOM
        return f"{self._at(base, ATOM)}^{self._at(exponent, ATOM)}", POWER

    def extreme(self, expression: Any) -> tuple[str, int]:
        """Return a max or min."""
        terms = ordered_terms(expression, self._order)
        name = "MAX" if isinstance(expression, sympy.Max) else "MIN"
        return f"{name}({','.join(self._at(term, SUM) for term in terms)})", ATOM

    def rounded(self, expression: Any) -> tuple[str, int]:
        """Return a rounding: INT goes down for negative numbers too."""
        term = self._at(expression.args[0], PRODUCT)
        near = f"IF({_near_whole(term)},ROUND({term},0),{term})"
        return (f"INT({near})", ATOM) if isinstance(expression, sympy.floor) else (f"-INT(-{near})", SUM)

    def remainder(self, expression: Any) -> tuple[str, int]:
        """Return a remainder with the sign of the divisor; MOD itself refuses large quotients."""
        term, divisor = (self._at(each, POWER) for each in expression.args)
        quotient = f"{term}/{divisor}"
        return f"IF({_near_whole(quotient)},0,{term}-{divisor}*INT({quotient}))", ATOM

    def indicator(self, expression: Any) -> tuple[str, int]:
        """Return 1 where a comparison holds, else 0."""
        left, _, right = expression.args
        return f"IF({self._holds(left, expression.sign, right)},1,0)", ATOM

    def _holds(self, left: Any, sign: str, right: Any) -> str:
        left, right = (self._at(ordered(each, self._order), PRODUCT) for each in (left, right))
        larger = f"MAX(ABS({left}),ABS({right}))"
        if sign == "=":
            return f"ABS({left}-{right})<=1E-9*{larger}"
        small, large = (left, right) if sign in ("<", "<=") else (right, left)
        if sign in ("<=", ">="):
            return f"{small}-{large}<=1E-9*{larger}"
        return f"{large}-{small}>1E-12*{larger}"

    def select(self, expression: Any) -> tuple[str, int]:
        """Return a case distinction over the cell of its choice; a branch without values is not available."""
        choice = expression.args[0].name
        if choice not in self._names:
            raise NoFormulaError
        text = "NA()"
        for option, branch in reversed(expression.branches.items()):
            text = f"IF({self._names[choice]}={quoted(option)},{self._branch(branch)},{text})"
        return text, ATOM

    def _branch(self, branch: Any) -> str:
        try:
            return self._at(branch, SUM)
        except NoFormulaError:
            return "NA()"

    def arc(self, expression: Any) -> tuple[str, int]:
        """Return the angle of a sine or cosine, which may exceed 1 by rounding."""
        term = self._at(expression.args[0], PRODUCT)
        name = "ASIN" if isinstance(expression, Asin) else "ACOS"
        return f"DEGREES({name}(IF(ABS({term})-1<=1E-12,MAX(-1,MIN(1,{term})),{term})))", ATOM

    def called(self, before: str, expression: Any, after: str) -> tuple[str, int]:
        """Return a function of one argument."""
        return f"{before}({self._at(expression.args[0], SUM)}{after}", ATOM


def _near_whole(term: str) -> str:
    return f"ABS({term}-ROUND({term},0))<=1E-12*ABS({term})"


def quoted(text: str) -> str:
    """Return a text as a constant of a formula."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def scaled(factor: Fraction) -> str:
    """Return what multiplies a term by a factor: `*3/4`; nothing for 1."""
    above = f"*{_whole(factor.numerator)}" if factor.numerator != 1 else ""
    return above + (f"/{_whole(factor.denominator)}" if factor.denominator != 1 else "")


def number_text(number: Number) -> tuple[str, int]:
    """Return a number and how strongly its parts bind."""
    if isinstance(number, float):
        return repr(number).upper(), SUM if number < 0 else ATOM
    ratio = Fraction(number)
    sign, above = ("-" if ratio < 0 else ""), _whole(abs(ratio.numerator))
    if ratio.denominator != 1:
        return f"{sign}{above}/{_whole(ratio.denominator)}", SUM if sign else PRODUCT
    return sign + above, SUM if sign else ATOM


def _whole(number: int) -> str:
    """Return a whole number, a long one as a sum in brackets: programs drop all digits behind the fifteenth."""
    text = str(number)
    if len(text) <= MOST_DIGITS:
        return text
    head, zeros = text[:MOST_DIGITS], len(text) - MOST_DIGITS
    rest = text[MOST_DIGITS : 2 * MOST_DIGITS].lstrip("0")
    more = f"+{rest}E{max(zeros - MOST_DIGITS, 0)}" if rest else ""
    return f"({head}E{zeros}{more})"


def _plainly(before: str, after: str = ")") -> Callable[[ExcelFormulas, Any], tuple[str, int]]:
    return lambda writer, expression: writer.called(before, expression, after)


_WAYS: dict[Any, Callable[[ExcelFormulas, Any], tuple[str, int]]] = {
    sympy.Add: ExcelFormulas.sum,
    sympy.Mul: ExcelFormulas.product,
    sympy.Pow: ExcelFormulas.power,
    (sympy.Max, sympy.Min): ExcelFormulas.extreme,
    (sympy.ceiling, sympy.floor): ExcelFormulas.rounded,
    sympy.Mod: ExcelFormulas.remainder,
    Indicator: ExcelFormulas.indicator,
    Select: ExcelFormulas.select,
    (Asin, Acos): ExcelFormulas.arc,
    sympy.Abs: _plainly("ABS"),
    sympy.log: _plainly("LN"),
    sympy.exp: _plainly("EXP"),
    Sin: _plainly("SIN(RADIANS", "))"),
    Cos: _plainly("COS(RADIANS", "))"),
    Tan: _plainly("TAN(RADIANS", "))"),
    Atan: _plainly("DEGREES(ATAN", "))"),
    type(sympy.pi): lambda _writer, _expression: ("PI()", ATOM),
    type(sympy.E): lambda _writer, _expression: ("EXP(1)", ATOM),
}
