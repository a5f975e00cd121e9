"""Formulas in LaTeX: the same tree once with symbols and once with numbers and units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sympy.printing.latex import LatexPrinter

from flopsheet.sheets.angles import Acos, Asin, Atan, Cos, Sin, Tan
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.sheets.cell import marked
from flopsheet.sheets.order import ordered, ordered_terms
from flopsheet.units.text import format_quantity_latex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Quantity

_ANGLES = {Sin: r"\sin", Cos: r"\cos", Tan: r"\tan", Asin: r"\arcsin", Acos: r"\arccos", Atan: r"\arctan"}
# The space around a number that a relation writes, where no factor stands before it, or none behind it.
_LOOSE_SPACE = re.compile(
    r"(?:^|(?<=[-+({\[,] )|(?<=[-+({\[,]))\\,(?=\d)|\\,(?! ?(?:[A-Za-z\d{]|\\(?!right|bmod|cdot|le |ge )))"
)
_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}


def cell_latex(cell: Cell) -> str:
    """Return the LaTeX symbol of a cell: its own, the nomenclature's, or its name upright."""
    inner = cell.name.removeprefix(f"{cell.prefix}.")
    row = nomenclature().get(inner)
    latex = cell.latex or (row["symbol"] if row else _words(inner))
    return marked(latex, cell.prefix) if cell.prefix else latex


def sign_latex(operator: str) -> str:
    """Return a relation's operator in LaTeX."""
    return _SIGNS[operator]


class Formulas:
    """Prints expressions over the cells of a sheet.

    Args:
        cells: the cells by name, in the order of declaration.
        values: their values in base units, as far as they have one; choices by their option.
        literals: the quantities written in relations.
    """

    def __init__(
        self, cells: Mapping[str, Cell], values: Mapping[str, Number | str], literals: Mapping[str, Quantity]
    ) -> None:
        self.names = tuple(cells)
        self._symbols = {name: cell_latex(cell) for name, cell in cells.items()}
        self._numbers = {
            name: format_quantity_latex(values[name], cell.unit)  # type: ignore[arg-type]
            for name, cell in cells.items()
            if name in values
        }
        shown = {name: format_quantity_latex(quantity.si, quantity.unit) for name, quantity in literals.items()}
        self._numbers = {**self._symbols, **shown, **self._numbers}
        self._symbols |= {name: rf"\,{text}\," for name, text in shown.items()}  # a number between symbols stands apart
        self._options = {name: value for name, value in values.items() if isinstance(value, str)}

    def symbols(self, expression: Any) -> str:
        """Return an expression in symbols."""
        return _LOOSE_SPACE.sub("", self._print(expression, self._symbols, " "))

    def numbers(self, expression: Any) -> str:
        """Return an expression with each symbol replaced by its number and unit."""
        return self._print(expression, self._numbers, r" \cdot ")

    def _print(self, expression: Any, names: Mapping[str, str], times: str) -> str:
        return str(_Printer(names, self._options, times).doprint(ordered(expression, self.names)))


class _Printer(LatexPrinter):  # type: ignore[misc]  # sympy is untyped
    """sympy's printer with our names, in the order of the tree, only the taken branch of a choice."""

    def __init__(self, names: Mapping[str, str], options: Mapping[str, str], times: str) -> None:
        super().__init__({"order": "none", "mul_symbol": times, "fold_short_frac": False})
        self.names, self.options = names, options

    def _print_Symbol(self, expression: Any, style: str = "plain") -> str:  # noqa: ARG002  # the overridden signature
        return self.names.get(expression.name, expression.name)

    def _print_Pow(self, expression: Any) -> str:
        base, exponent = expression.args
        text = self.names.get(base.name, "") if base.is_Symbol else ""
        if (r"\mathrm" in text or "^" in text) and not exponent.could_extract_minus_sign():
            return rf"\left({text}\right)^{{{self._print(exponent)}}}"
        return str(super()._print_Pow(expression))

    def _print_Max(self, expression: Any, exp: Any = None) -> str:  # noqa: ARG002  # the overridden signature
        return self._extreme(r"\max", expression)

    def _print_Min(self, expression: Any, exp: Any = None) -> str:  # noqa: ARG002  # the overridden signature
        return self._extreme(r"\min", expression)

    def _extreme(self, name: str, expression: Any) -> str:
        terms = map(self._print, ordered_terms(expression, tuple(self.names)))
        return rf"{name}\left({', '.join(terms)}\right)"

    def _print_Mod(self, expression: Any, exp: Any = None) -> str:  # noqa: ARG002  # the overridden signature
        left, right = map(self._print, expression.args)
        return rf"\left({left} \bmod {right}\right)"

    def _print_Indicator(self, expression: Any) -> str:
        left, sign, right = expression.args
        return rf"\left[{self._print(left)} {sign_latex(str(sign))} {self._print(right)}\right]"

    def _print_AngleBase(self, expression: Any, exp: Any = None) -> str:
        raised = "" if exp is None else f"^{{{exp}}}"
        name = _ANGLES[expression.func]
        return rf"{name}{raised}\left({self._print(expression.args[0])}\right)"

    def _print_Select(self, expression: Any) -> str:
        taken = self.options.get(expression.args[0].name)
        if taken:
            return str(self._print(expression.branches[taken]))
        branches = [rf"{_words(option)} \colon {self._print(branch)}" for option, branch in expression.branches.items()]
        return r"\left[" + r",\ ".join(branches) + r"\right]"


def _words(name: str) -> str:
    return rf"\text{{{name.replace('_', ' ')}}}"
