"""Prints formulas as LaTeX with a hole for each symbol, which is filled with a symbol or a number later."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE, precedence_traditional

from flopsheet.formulas.order import ordered, ordered_terms
from flopsheet.functions import Acos, Asin, Atan, Cos, Indicator, Sin, Tan
from flopsheet.functions.symbols import exact
from flopsheet.units.text import MOST_DIGITS, format_latex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ANGLES = {Sin: r"\sin", Cos: r"\cos", Tan: r"\tan", Asin: r"\arcsin", Acos: r"\arccos", Atan: r"\arctan"}
_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}
# A hole: signs that no formula holds, and whether an exponent stands behind it, an operator before it, or it is a term.
_PLAIN, _BASE, _INNER, _LOSING, _END, _DONE = "\0", "\1", "\5", "\3", "\2", "\6"
_HOLE = re.compile("(?P<mark>[\0\1\5\3])(?P<name>[^\2]*)\2")
LARGEST_FRACTION = 10  # of numerator and denominator: what is larger reads better as a decimal


def sign_latex(operator: str) -> str:
    """Return a relation's operator in LaTeX."""
    return _SIGNS[operator]


def words(name: str) -> str:
    """Return a name as upright words."""
    return rf"\text{{{name.replace('_', ' ')}}}"


class Pattern(NamedTuple):
    """A formula with `%s` in the place of each symbol, and of each term that does not decide."""

    text: str
    holes: tuple[Any, ...]  # names of symbols, and terms
    raised: bool  # whether an exponent stands behind any
    around: tuple[tuple[bool, bool], ...]  # of each, whether an exponent stands behind it, and an operator before it

    def filled(self, texts: Sequence[str], *, negative: bool) -> str:
        """Return the formula with a text in each hole, in brackets where it would be misread.

        Args:
            texts: the texts.
            negative: whether any may begin with a minus sign.
        """
        if self.raised or negative:
            texts = [_fitted(text, *around) for text, around in zip(texts, self.around, strict=True)]
        return self.text % tuple(texts)


def _fitted(text: str, raised: bool, inside: bool) -> str:
    if (text.startswith("-") and (inside or raised)) or (raised and (r"\mathrm" in text or "^" in text)):
        return rf"\left({text}\right)"
    return text


def pattern(
    expression: Any, names: tuple[str, ...], options: Mapping[str, str], times: str, decided: Mapping[Any, int]
) -> Pattern:
    """Return an expression as a pattern.

    Args:
        expression: the expression.
        names: the cells in the order of declaration.
        options: the option of each choice that has one.
        times: what stands between factors.
        decided: of max and min, the place of the term that decides; the others are holes.
    """
    printer = _Printer(names, options, times, decided)
    printed = str(printer.doprint(ordered(expression, names)))
    found = list(_HOLE.finditer(printed))
    around = tuple((hole["mark"] == _BASE, _is_inside(hole, printed[: hole.start()])) for hole in found)
    holes = tuple(printer.losing[int(hole["name"])] if hole["mark"] == _LOSING else hole["name"] for hole in found)
    text = _HOLE.sub("%s", printed.replace("%", "%%"))
    return Pattern(text, holes, any(raised for raised, _ in around), around)


def _is_inside(hole: re.Match[str], before: str) -> bool:
    """Whether a minus sign in a hole would stand behind an operator."""
    return hole["mark"] == _INNER or (bool(before) and not before.endswith(("{", "(", "[", "&", ", ")))


class _Printer(LatexPrinter):  # type: ignore[misc]  # sympy is untyped
    """sympy's printer with our names, in the order of the tree, only the taken branch of a choice."""

    def __init__(
        self, names: tuple[str, ...], options: Mapping[str, str], times: str, decided: Mapping[Any, int]
    ) -> None:
        super().__init__({"order": "none", "mul_symbol": times, "fold_short_frac": False})
        self.names, self.options, self.decided = names, options, decided
        self.losing: list[Any] = []

    def _print_Symbol(self, expression: Any, style: str = "plain") -> str:  # noqa: ARG002  # the overridden signature
        name = expression.name
        return str(name[1:]) if name.startswith(_DONE) else f"{_PLAIN}{name}{_END}"

    def _print_Integer(self, expression: Any) -> str:
        return format_latex(int(expression), MOST_DIGITS)

    def _print_Float(self, expression: Any) -> str:
        return format_latex(float(expression), MOST_DIGITS)

    def _print_Rational(self, expression: Any) -> str:
        if _reads_as_decimal(expression):
            return format_latex(exact(expression), MOST_DIGITS)
        return str(super()._print_Rational(expression))

    def _print_Mul(self, expression: Any) -> str:
        factors = expression.args if expression.is_Mul else ()  # sympy prints powers below a bar here too
        if factors and expression.could_extract_minus_sign() and (-expression).is_Add:
            return rf"- \left({self._print(-expression)}\right)"
        number = next((each for each in factors if each.is_Rational and _reads_as_decimal(each)), None)
        if number is None:
            return str(super()._print_Mul(expression))
        decimal = _done(format_latex(abs(exact(number)), MOST_DIGITS))
        shown = sympy.Mul(*(decimal if each is number else each for each in factors), evaluate=False)
        return f"{'- ' if number < 0 else ''}{super()._print_Mul(shown)}"

    def _print_Add(self, expression: Any, order: Any = None) -> str:
        if any(term.has(Asin, Acos, Atan) for term in expression.args):  # what is added to an angle is one
            terms = (_in_degree(term) if term.is_Rational else term for term in expression.args)
            expression = sympy.Add(*terms, evaluate=False)
        return str(super()._print_Add(expression, order))

    def _needs_add_brackets(self, expr: Any) -> bool:
        return bool(expr.is_Add or expr.is_Relational)

    def _needs_mul_brackets(self, expr: Any, first: bool = False, last: bool = False) -> bool:  # noqa: ARG002
        if expr.is_Mul:
            return not first and bool(expr.could_extract_minus_sign())
        return not isinstance(expr, sympy.Mod) and bool(precedence_traditional(expr) < PRECEDENCE["Mul"])

    def _print_Pow(self, expression: Any) -> str:
        base, exponent = expression.args
        if exponent.is_Rational and (exponent.is_negative or exponent.p == 1):  # a fraction or a root
            return str(super()._print_Pow(expression))
        raised = f"^{{{self._print(exponent)}}}"
        if base.is_Symbol and not base.name.startswith(_DONE):
            return f"{_BASE}{base.name}{_END}{raised}"
        if isinstance(base, sympy.Max | sympy.Min | sympy.Mod | Indicator):
            return f"{self._print(base)}{raised}"
        if base.is_Number and base.is_negative:
            return rf"\left({self._print(base)}\right){raised}"
        return str(super()._print_Pow(expression))

    def _print_Max(self, expression: Any) -> str:
        return self._extreme(r"\max", expression)

    def _print_Min(self, expression: Any) -> str:
        return self._extreme(r"\min", expression)

    def _extreme(self, name: str, expression: Any) -> str:
        decides = self.decided.get(expression, -1)
        terms = [
            self._print(term) if decides in (-1, place) or term.is_Symbol or term.is_number else self._lost(term)
            for place, term in enumerate(ordered_terms(expression, self.names))
        ]
        return rf"{name}\left({', '.join(terms)}\right)"

    def _lost(self, term: Any) -> str:
        """Return a hole for the value of a term that does not decide."""
        self.losing.append(term)
        return f"{_LOSING}{len(self.losing) - 1}{_END}"

    def _print_Mod(self, expression: Any) -> str:
        left, right = map(self._operand, expression.args)
        return rf"\left({left} \bmod {right}\right)"

    def _operand(self, term: Any) -> str:
        if term.is_Symbol:
            return f"{_INNER}{term.name}{_END}"
        bracketed = term.is_Add or term.is_Mul or (term.is_Number and term.is_negative)
        return rf"\left({self._print(term)}\right)" if bracketed else str(self._print(term))

    def _print_Indicator(self, expression: Any) -> str:
        left, sign, right = expression.args
        return rf"\left[{self._print(left)} {sign_latex(str(sign))} {self._print(right)}\right]"

    def _print_AngleBase(self, expression: Any, exp: Any = None) -> str:
        raised = "" if exp is None else f"^{{{exp}}}"
        name = _ANGLES[expression.func]
        return rf"{name}{raised}\left({self._print(expression.args[0])}\right)"

    def _print_Select(self, expression: Any, exp: Any = None) -> str:
        taken = self.options.get(expression.args[0].name)
        if taken:
            text, sums = str(self._print(expression.branches[taken])), expression.branches[taken].is_Add
        else:
            named = (rf"{words(option)} \colon {self._print(each)}" for option, each in expression.branches.items())
            text, sums = r"\left[" + r",\ ".join(named) + r"\right]", False
        return text if exp is None and not sums else rf"\left({text}\right)" + ("" if exp is None else f"^{{{exp}}}")


def _reads_as_decimal(number: Any) -> bool:
    """Whether a ratio is better written as a decimal: 0.897, but 1/3 and 3/2."""
    ratio = Fraction(int(number.p), int(number.q))
    short = max(abs(ratio.numerator), ratio.denominator) <= LARGEST_FRACTION
    return ratio.denominator != 1 and not short and (ratio * 10**MOST_DIGITS).denominator == 1


def _done(text: str) -> Any:
    """Return a symbol that is printed as this text."""
    return sympy.Symbol(f"{_DONE}{text}", positive=True)


def _in_degree(number: Any) -> Any:
    sign = -1 if number < 0 else 1
    return sign * _done(rf"{format_latex(abs(exact(number)), MOST_DIGITS)}\,\mathrm{{degree}}")
