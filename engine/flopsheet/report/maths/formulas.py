"""Formulas of a sheet as people read them: once with symbols, once with numbers and units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

from flopsheet.answer.wording import unit_of
from flopsheet.formulas.evaluate import deciding_term, evaluate, extremes
from flopsheet.formulas.printing import layout_of
from flopsheet.layout import nodes
from flopsheet.layout.breaking import broken, displayed
from flopsheet.layout.latex import latex
from flopsheet.layout.reader import LatexError, read
from flopsheet.report.maths.filling import filled, keys_of
from flopsheet.session import cached
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.sheets.cell import marked
from flopsheet.units.text import input_layout, quantity_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.functions.symbols import Expr
    from flopsheet.layout.nodes import Node
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number, Quantity

COLUMN = re.compile(r"(?<!\\)&")
MOST_CACHED = 16_384


class Formula(str):
    """A formula in LaTeX, as templates for Markdown print it, with the layout that other formats are made of."""

    __slots__ = ("layout",)
    layout: Node

    def __new__(cls, layout: Node) -> Self:
        """Return the formula of a layout."""
        formula = super().__new__(cls, latex(layout))
        formula.layout = layout
        return formula


formula_of = cached(MOST_CACHED)(Formula)


@cached(MOST_CACHED)
def chain_of(left: Node, sign: str, sides: tuple[Node, ...]) -> tuple[Formula, ...]:
    """Return a chain of relations as aligned lines; a side that is printed like one before it is left out."""
    different = {latex(side): side for side in sides}
    return tuple(map(Formula, broken(left, sign, different.values())))


@cached(MOST_CACHED)
def relation_of(left: Node, sign: str, right: Node) -> tuple[Formula, ...]:
    """Return a relation that stands alone, as one line or several."""
    return tuple(map(Formula, displayed(left, sign, right)))


def layout_of_text(formula: str) -> Node:
    """Return the layout of a formula, one of ours or one that a template writes in LaTeX.

    Raises:
        LatexError: it is a text that is no formula.
    """
    return formula.layout if isinstance(formula, Formula) else read(str(formula))


def layout_of_line(line: str) -> Node:
    """Return the layout of a line of several: what stands before and behind its column.

    Raises:
        LatexError: it is a text that is no formula.
    """
    if isinstance(line, Formula):
        return line.layout
    *before, behind = COLUMN.split(str(line), maxsplit=1)
    return nodes.Line(read(before[0]) if before else None, read(behind))


def is_formula(text: str) -> bool:
    """Return whether a LaTeX text is a formula and nothing else: known commands, brackets that close."""
    try:
        read(text)
    except LatexError:
        return False
    return True


def is_single(lines: list[str]) -> bool:
    """Return whether lines are one only, without columns."""
    return len(lines) == 1 and not COLUMN.search(lines[0])


def symbol_of(cell: Cell) -> Node:
    """Return the symbol of a cell: its own, the nomenclature's, or its name upright."""
    return _symbol_of(cell, nomenclature())


def _symbol_of(cell: Cell, known: Mapping[str, Mapping[str, str]]) -> Node:
    inner = cell.name.removeprefix(f"{cell.prefix}.") if cell.prefix else cell.name
    return _symbol(cell.latex or (known[inner]["symbol"] if inner in known else ""), inner, cell.prefix)


@cached(maxsize=MOST_CACHED)
def _symbol(text: str, name: str, prefix: str) -> Node:
    if text:
        written = marked(text, prefix) if prefix else text
        return nodes.Symbol(written, read(written))
    words = nodes.Words(name.replace("_", " "))
    return nodes.Scripts(words, None, nodes.Words(prefix.replace(".", " ").replace("_", " "))) if prefix else words


class Formulas:
    """Lays out expressions over the cells of a sheet.

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
        self._cells, self._values, self._literals, self._is_input = cells, values, literals, is_input
        self._known = {**values, **{name: quantity.si for name, quantity in literals.items()}}
        self._nomenclature = nomenclature()
        self._options = tuple((name, value) for name, value in values.items() if isinstance(value, str))
        self._symbols, self._numbers = _Contents(self._symbol), _Contents(self._number)

    def symbol(self, name: str) -> Node:
        """Return the symbol of a cell; of a quantity that a relation writes, the quantity."""
        return self._symbols[name]

    def symbols(self, expression: Expr) -> Node:
        """Return an expression in symbols; where one is a word, with dots between all factors."""
        layout = layout_of(expression, self.names, self._options)
        contents = tuple([self._symbols[key] for key in keys_of(layout)])
        return filled(layout, contents, dotted=any(map(_is_word, contents)))

    def numbers(self, expression: Expr) -> Node:
        """Return an expression with each symbol as number and unit; of max and min, what does not decide as one."""
        choosing = extremes(expression)
        decided = tuple([(node, deciding_term(node, self.names, self._known)) for node in choosing])
        layout = layout_of(expression, self.names, self._options, decided)
        return filled(layout, tuple([self._numbers[key] for key in keys_of(layout)]), dotted=True)

    def _symbol(self, name: str) -> Node:
        if name in self._literals:
            return self._numbers[name]
        return _symbol_of(self._cells[name], self._nomenclature) if name in self._cells else nodes.Words(name)

    def _number(self, key: Any) -> Node:
        if not isinstance(key, str):
            return quantity_layout(evaluate(key, self._known), unit_of(key, self._cells, self._literals))
        cell, value = self._cells.get(key), self._values.get(key)
        if cell is not None and value is not None and not isinstance(value, str):
            return (input_layout if self._is_input(key) else quantity_layout)(value, cell.unit)
        written = self._literals.get(key)
        return self._symbols[key] if written is None else input_layout(written.si, written.unit)


class _Contents(dict[Any, "Node"]):
    """What fills the blanks of a page, made when it is first asked for."""

    def __init__(self, make: Callable[[Any], Node]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Node:
        content = self[key] = self._make(key)
        return content


def _is_word(symbol: Node) -> bool:
    return isinstance(symbol.base if isinstance(symbol, nodes.Scripts) else symbol, nodes.Words)
