"""Formulas in LaTeX: the same tree once with symbols and once with numbers and units."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sympy.printing.latex import LatexPrinter

from flopsheet.sheets.angles import Acos, Asin, Atan, Cos, Sin, Tan
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.sheets.cell import marked
from flopsheet.sheets.order import ordered, ordered_terms
from flopsheet.solver.evaluate import evaluate
from flopsheet.solver.slopes import deciding_term, extremes
from flopsheet.solver.wording import unit_of
from flopsheet.units.text import format_input_latex, format_quantity_latex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Quantity

_ANGLES = {Sin: r"\sin", Cos: r"\cos", Tan: r"\tan", Asin: r"\arcsin", Acos: r"\arccos", Atan: r"\arctan"}
# What stands around a quantity that a relation writes: a dot, but where no factor stands before it, or none behind it.
_FACTOR = "\4"
_LOOSE_JOINT = re.compile("(^|[-+({\\[,] ?)\4|\4(?= ?(?:$|[-+)}\\],]|\\\\(?:right|bmod|le |ge )))")
_JOINT = re.compile(" ?\4(?: ?\4)? ?")
# A hole for the text of a symbol: signs that no formula holds, and whether an exponent stands behind it.
_PLAIN, _BASE, _END, _LOSING = "\0", "\1", "\2", "\3"
_HOLE = re.compile("(?P<mark>[\0\1\3])(?P<name>[^\2]*)\2")
MOST_KEPT = 4096  # formulas of a sheet
_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}


def cell_latex(cell: Cell) -> str:
    """Return the LaTeX symbol of a cell: its own, the nomenclature's, or its name upright."""
    return _cell_latex(cell, nomenclature())


def _cell_latex(cell: Cell, known: Mapping[str, Mapping[str, str]]) -> str:
    inner = cell.name.removeprefix(f"{cell.prefix}.") if cell.prefix else cell.name
    latex = cell.latex or (known[inner]["symbol"] if inner in known else _words(inner))
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
        is_input: tells whether a cell is shown with all of its digits.
    """

    def __init__(
        self,
        cells: Mapping[str, Cell],
        values: Mapping[str, Number | str],
        literals: Mapping[str, Quantity],
        is_input: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.names = tuple(cells)
        self._cells, self._values, self._literals = cells, values, literals
        self._known = {**values, **{name: each.si for name, each in literals.items()}}
        self._options = tuple((name, value) for name, value in values.items() if isinstance(value, str))
        self._kept = _kept(self.names, self._options)
        self._nomenclature, self._is_input = nomenclature(), is_input
        self._symbols, self._numbers = _Texts(self._symbol), _Texts(self._number)

    def symbol(self, name: str) -> str:
        """Return the LaTeX symbol of a cell; of a quantity that a relation writes, the quantity."""
        return self._symbols[name]

    def symbols(self, expression: Any) -> str:
        """Return an expression in symbols."""
        text = self._filled(expression, self._symbols, " ")
        return _JOINT.sub(r" \\cdot ", _LOOSE_JOINT.sub(r"\g<1>", text)) if _FACTOR in text else text

    def numbers(self, expression: Any) -> str:
        """Return an expression with each symbol as number and unit; of max and min, what does not decide as one."""
        return self._filled(expression, self._numbers, r" \cdot ", self._decided(expression))

    def _decided(self, expression: Any) -> tuple[int, ...]:
        """Return which term decides in each max and min, -1 where that is not known."""
        nodes = self._kept.extremes
        if expression not in nodes:
            nodes[expression] = extremes(expression, self.names)
        return tuple([deciding_term(each, self.names, self._known) for each in nodes[expression]])

    def _filled(self, expression: Any, texts: _Texts, times: str, decided: tuple[int, ...] = ()) -> str:
        """Return an expression with a text in the place of each symbol, in brackets where it would be misread."""
        key, patterns = (expression, times, decided), self._kept.patterns
        if key not in patterns:
            if len(patterns) >= MOST_KEPT:
                patterns.clear()
                self._kept.extremes.clear()
            patterns[key] = self._pattern(*key)
        pattern = patterns[key]
        shown = [texts[each] for each in pattern.holes]
        if pattern.raised or texts.negative:
            shown = [_fitted(text, *around) for text, around in zip(shown, pattern.around, strict=True)]
        return pattern.text % tuple(shown)

    def _pattern(self, expression: Any, times: str, decided: tuple[int, ...]) -> _Pattern:
        nodes = extremes(expression, self.names)
        chosen = dict(zip(nodes, decided, strict=True)) if decided else {}
        printer = _Printer(self.names, dict(self._options), times, chosen)
        return _pattern(printer.doprint(ordered(expression, self.names)), printer.losing)

    def _symbol(self, name: str) -> str:
        if name in self._literals:
            return f"{_FACTOR}{self._numbers[name]}{_FACTOR}"  # a number between symbols needs a sign
        return _cell_latex(self._cells[name], self._nomenclature) if name in self._cells else name

    def _number(self, name: Any) -> str:
        if not isinstance(name, str):
            return self._value(name)
        cell, value = self._cells.get(name), self._values.get(name)
        if cell is not None and value is not None and not isinstance(value, str):
            return (format_input_latex if self._is_input(name) else format_quantity_latex)(value, cell.unit)
        written = self._literals.get(name)
        if written is None:
            return self._symbols[name]
        return format_input_latex(written.si, written.unit)

    def _value(self, term: Any) -> str:
        """Return the value of a term."""
        return format_quantity_latex(evaluate(term, self._known), unit_of(term, self._cells, self._literals))


class _Texts(dict[Any, str]):
    """The texts of symbols and of terms that do not decide, made when they are first asked for."""

    def __init__(self, make: Callable[[Any], str]) -> None:
        super().__init__()
        self._make = make
        self.negative = False

    def __missing__(self, key: Any) -> str:
        text = self[key] = self._make(key)
        self.negative |= text.startswith("-")
        return text


class _Pattern(NamedTuple):
    """A formula with `%s` in the place of each symbol, and of each term that does not decide."""

    text: str
    holes: tuple[Any, ...]  # names of symbols, and terms
    raised: bool  # whether an exponent stands behind any
    around: tuple[tuple[bool, bool], ...]  # of each, whether an exponent stands behind it, and an operator before it


def _fitted(text: str, raised: bool, inside: bool) -> str:  # filled in by place
    """Return the text of a symbol, in brackets where it would be misread."""
    if (inside and text.startswith("-")) or (raised and (r"\mathrm" in text or "^" in text)):
        return rf"\left({text}\right)"
    return text


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was printed over the same cells: each formula is printed once, and filled on every page."""

    patterns: dict[Any, _Pattern] = field(default_factory=dict)
    extremes: dict[Any, tuple[Any, ...]] = field(default_factory=dict)


@lru_cache(maxsize=256)
def _kept(names: tuple[str, ...], options: tuple[tuple[str, str], ...]) -> _Kept:  # noqa: ARG001  # the key
    return _Kept()


def _pattern(printed: str, losing: list[Any]) -> _Pattern:
    """Return what was printed as a pattern."""
    found = list(_HOLE.finditer(printed))
    around = tuple((hole["mark"] == _BASE, printed[: hole.start()][-1:] not in "{([&") for hole in found)
    holes = tuple(losing[int(hole["name"])] if hole["mark"] == _LOSING else hole["name"] for hole in found)
    text = _HOLE.sub("%s", printed.replace("%", "%%"))
    return _Pattern(text, holes, any(raised for raised, _ in around), around)


class _Printer(LatexPrinter):  # type: ignore[misc]  # sympy is untyped
    """sympy's printer with our names, in the order of the tree, only the taken branch of a choice."""

    def __init__(
        self, names: tuple[str, ...], options: Mapping[str, str], times: str, decided: Mapping[Any, int]
    ) -> None:
        super().__init__({"order": "none", "mul_symbol": times, "fold_short_frac": False})
        self.names, self.options, self.decided = names, options, decided
        self.losing: list[Any] = []

    def _print_Symbol(self, expression: Any, style: str = "plain") -> str:  # noqa: ARG002  # the overridden signature
        return f"{_PLAIN}{expression.name}{_END}"

    def _print_Pow(self, expression: Any) -> str:
        base, exponent = expression.args
        rooted = exponent.is_Rational and exponent.p == 1
        if base.is_Symbol and not rooted and not exponent.could_extract_minus_sign():
            return rf"{_BASE}{base.name}{_END}^{{{self._print(exponent)}}}"
        return str(super()._print_Pow(expression))

    def _print_Max(self, expression: Any, exp: Any = None) -> str:  # noqa: ARG002  # the overridden signature
        return self._extreme(r"\max", expression)

    def _print_Min(self, expression: Any, exp: Any = None) -> str:  # noqa: ARG002  # the overridden signature
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
