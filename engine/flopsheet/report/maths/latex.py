"""Formulas in LaTeX: the same tree once with symbols and once with numbers and units."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flopsheet.answer.wording import unit_of
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.relation import cells_of
from flopsheet.formulas.slopes import deciding_term, extremes
from flopsheet.registry.packs import packs
from flopsheet.report.maths.printer import pattern, words
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.sheets.cell import marked
from flopsheet.units.text import format_input_latex, format_quantity_latex

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from flopsheet.report.maths.printer import Pattern
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Quantity

# What stands around a quantity that a relation writes: a dot, but where no factor stands before it, or none behind it.
_FACTOR = "\4"
_LOOSE_JOINT = re.compile(
    "(^|(?:[-+({\\[,<>=]|\\\\(?:le|ge|bmod|colon)) ?)\4|\4(?= ?(?:$|[-+)}\\],<>=]|\\\\(?:right|bmod|cdot|le |ge )))"
)
_JOINT = re.compile(" ?\4(?: ?\4)? ?")
_WORD = r"\text{"
MOST_KEPT = 4096  # formulas of a sheet


def cell_latex(cell: Cell) -> str:
    """Return the LaTeX symbol of a cell: its own, the nomenclature's, or its name upright."""
    return _cell_latex(cell, nomenclature())


def _cell_latex(cell: Cell, known: Mapping[str, Mapping[str, str]]) -> str:
    inner = cell.name.removeprefix(f"{cell.prefix}.") if cell.prefix else cell.name
    latex = cell.latex or (known[inner]["symbol"] if inner in known else words(inner))
    return marked(latex, cell.prefix) if cell.prefix else latex


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
        marks = tuple([(cell.latex, cell.prefix) for cell in cells.values()])
        self._kept = _kept(self.names, marks, self._options, packs())
        self._nomenclature, self._is_input = nomenclature(), is_input
        self._symbols, self._numbers = _Texts(self._symbol, self._kept.cells), _Texts(self._number)

    def symbol(self, name: str) -> str:
        """Return the LaTeX symbol of a cell; of a quantity that a relation writes, the quantity."""
        return self._symbols[name]

    def symbols(self, expression: Any) -> str:
        """Return an expression in symbols; words have a dot between them."""
        kept = self._kept.symbols
        if expression in kept:
            return kept[expression]
        wordy = any(self._symbols[name].startswith(_WORD) for name in cells_of(expression))
        text = self._filled(expression, self._symbols, r" \cdot " if wordy else " ")
        if _FACTOR in text:  # it holds a quantity of the question
            return _JOINT.sub(r" \\cdot ", _LOOSE_JOINT.sub(r"\g<1>", text))
        kept[expression] = text
        return text

    def numbers(self, expression: Any) -> str:
        """Return an expression with each symbol as number and unit; of max and min, what does not decide as one."""
        kept = self._kept.extremes
        if expression not in kept:
            kept[expression] = extremes(expression, self.names)
        nodes = kept[expression]
        decided = tuple([deciding_term(each, self.names, self._known) for each in nodes])
        return self._filled(expression, self._numbers, r" \cdot ", nodes, decided)

    def _filled(
        self, expression: Any, texts: _Texts, times: str, nodes: tuple[Any, ...] = (), decided: tuple[int, ...] = ()
    ) -> str:
        """Return an expression with a text in the place of each symbol, in brackets where it would be misread."""
        key, patterns = (expression, times, decided), self._kept.patterns
        if key not in patterns:
            if len(patterns) >= MOST_KEPT:
                self._kept.clear()
            chosen = dict(zip(nodes, decided, strict=True))
            patterns[key] = pattern(expression, self.names, dict(self._options), times, chosen)
        found = patterns[key]
        return found.filled([texts[each] for each in found.holes], negative=texts.negative)

    def _symbol(self, name: str) -> str:
        if name in self._literals:
            return f"{_FACTOR}{self._numbers[name]}{_FACTOR}"  # a number between symbols needs a sign
        if name not in self._cells:
            return name
        text = self._kept.cells[name] = _cell_latex(self._cells[name], self._nomenclature)
        return text

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

    def __init__(self, make: Callable[[Any], str], known: Mapping[Any, str] | None = None) -> None:
        super().__init__(known or {})
        self._make = make
        self.negative = False

    def __missing__(self, key: Any) -> str:
        text = self[key] = self._make(key)
        self.negative |= text.startswith("-")
        return text


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was printed over the same cells: each formula is printed once, and filled with numbers on every page."""

    cells: dict[str, str] = field(default_factory=dict)
    symbols: dict[Any, str] = field(default_factory=dict)
    patterns: dict[Any, Pattern] = field(default_factory=dict)
    extremes: dict[Any, tuple[Any, ...]] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget the formulas; there are as many symbols of cells as cells."""
        for each in (self.symbols, self.patterns, self.extremes):
            each.clear()


@lru_cache(maxsize=64)
def _kept(*_: Hashable) -> _Kept:
    """Return what is kept for these names, symbols, options and packs: all that printing symbols depends on."""
    return _Kept()
