"""Formulas of a sheet as people read them: once with symbols, once with numbers and units, each filled into blanks."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from flopsheet.answer.outcomes.wording import unit_of
from flopsheet.formulas.evaluate import deciding_term, evaluate, extremes
from flopsheet.formulas.printing import Order, layout_of, order_of
from flopsheet.formulas.relation import cells_of, is_literal
from flopsheet.layout import nodes
from flopsheet.layout.breaking import WIDEST, broken, displayed, width
from flopsheet.layout.latex import latex
from flopsheet.layout.reader import LatexError, read
from flopsheet.session import cached
from flopsheet.sheets.catalogue import nomenclature
from flopsheet.sheets.cell import Cell, marked
from flopsheet.units.text import DIGITS, input_digits, quantity_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.functions.symbols import Expr
    from flopsheet.layout.nodes import Node
    from flopsheet.numbers.sets import Interval
    from flopsheet.units import Number, Quantity, Unit

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
    """Return a relation with equal sides behind it as aligned lines; of sides that are printed alike, one."""
    different = {latex(side): side for side in sides}
    return tuple(map(Formula, broken(left, sign, different.values())))


@cached(MOST_CACHED)
def line_of(left: Node, sign: str, sides: tuple[Node, ...]) -> tuple[Formula, ...]:
    """Return the same on one line where it fits."""
    different = tuple({latex(side): side for side in sides}.values())
    signs = [sign, *["="] * (len(different) - 1)]
    line = nodes.Line(left, nodes.Chain(tuple(zip(signs, different, strict=True))))
    return (Formula(line),) if width(line) <= WIDEST else chain_of(left, sign, sides)


@cached(MOST_CACHED)
def relation_of(left: Node, sign: str, right: Node) -> tuple[Formula, ...]:
    """Return a single relation, as one line or several."""
    return tuple(map(Formula, displayed(left, sign, right)))


def range_of(left: Node, end: tuple[str, Node, Node], values: Interval, unit: Unit) -> tuple[Formula, ...]:
    """Return a range as aligned lines: the relation of the end that has a formula, with its value, then both ends."""
    sign, right, value = end
    lower, upper = (quantity_layout(own, unit) for own in (values.lower, values.upper))
    signs = ("<=" if closed else "<" for closed in (values.lower_closed, values.upper_closed))
    between = nodes.Line(lower, nodes.Chain(tuple(zip(signs, (left, upper), strict=True))))
    shown = () if latex(right) == latex(value) else line_of(left, sign, (right, value))
    return *shown, Formula(between)


def layout_of_text(formula: str) -> Node:
    """Return the layout of a formula, one of ours or one that a template writes in LaTeX; else raise `LatexError`."""
    return formula.layout if isinstance(formula, Formula) else read(str(formula))


def layout_of_line(line: str) -> Node:
    """Return the layout of a line with its parts before and after the column, or raise `LatexError`."""
    if isinstance(line, Formula):
        return line.layout
    *before, after = COLUMN.split(str(line), maxsplit=1)
    return nodes.Line(read(before[0]) if before else None, read(after))


@cached(MOST_CACHED)
def formula_from(text: str) -> Formula:
    """Return a formula that is written in LaTeX, with its layout."""
    return Formula(read(text))


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


def symbol_of(cell: Cell, known: Mapping[str, Mapping[str, str]] | None = None) -> Node:
    """Return the symbol of a cell: its own, that of the nomenclature (`known`, to save reading it), or its name."""
    known = nomenclature() if known is None else known
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
    """Lays out expressions over the cells of a sheet, in the order of their declaration.

    Args:
        cells: the cells by name.
        values: their values [base units] as far as they have one; choices by their option.
        literals: the quantities written in relations.
        digits: how many digits a cell is shown with.
        like: formulas of the same cells, options and literals, whose symbols are used.
    """

    def __init__(
        self,
        cells: Mapping[str, Cell],
        values: Mapping[str, Number | str],
        literals: Mapping[str, Quantity],
        digits: Callable[[str], int] = lambda _: DIGITS,
        like: Formulas | None = None,
    ) -> None:
        self.names: tuple[str, ...] = tuple(cells) if like is None else like.names
        self._cells, self._values, self._literals, self._digits = cells, values, literals, digits
        self._nomenclature = nomenclature()
        self.order: Order = _order_of(self.names, values) if like is None else like.order
        self.symbol: Callable[[str], Node] = _Made(self._symbol).__getitem__ if like is None else like.symbol
        self._number = _Made(self._number_of).__getitem__

    @cached_property
    def _known(self) -> Mapping[str, Number | str]:
        return {**self._values, **{name: quantity.si for name, quantity in self._literals.items()}}

    def symbols(self, expression: Expr) -> Node:
        """Return an expression in symbols; where one is a word, with dots between all factors."""
        layout = layout_of(expression, self.order)
        return filled(layout, tuple(map(self._symbol_or_quantity, keys_of(layout))))

    def numbers(self, expression: Expr) -> Node:
        """Return an expression with each symbol as number and unit; of max and min, what does not decide as one."""
        choosing = extremes(expression)
        decided = tuple([(node, deciding_term(node, self.names, self._known)) for node in choosing])
        layout = layout_of(expression, self.order, decided)
        return filled(layout, tuple(map(self._number, keys_of(layout))), dotted=True)

    def _symbol_or_quantity(self, name: str) -> Node:
        """Return the symbol of a cell; a quantity that a relation writes, with the digits that it has here."""
        return (self._number if name in self._literals else self.symbol)(name)

    def _symbol(self, name: str) -> Node:
        return symbol_of(self._cells[name], self._nomenclature) if name in self._cells else nodes.Words(name)

    def _number_of(self, key: str | Expr) -> Node:
        if not isinstance(key, str):
            digits = max((self._digits(name) for name in cells_of(key) if name in self._cells), default=DIGITS)
            return quantity_layout(evaluate(key, self._known), unit_of(key, self._cells, self._literals), digits)
        cell, value = self._cells.get(key), self._values.get(key)
        if cell is not None and value is not None and not isinstance(value, str):
            return quantity_layout(value, cell.unit, self._digits(key))
        written = self._literals.get(key)
        if written is None:
            return self.symbol(key)
        digits = max(self._digits(key), input_digits(written.si, written.unit))
        return quantity_layout(written.si, written.unit, digits)


def _order_of(names: tuple[str, ...], values: Mapping[str, Number | str]) -> Order:
    return order_of(names, tuple([(name, value) for name, value in values.items() if isinstance(value, str)]))


class _Made(dict[Any, "Node"]):
    """Layouts by name or term, each made when it is first needed; a write-up has two of these, so no cache of ours."""

    def __init__(self, make: Callable[[Any], Node]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Node:
        layout = self[key] = self._make(key)
        return layout


@cached(maxsize=MOST_CACHED)
def keys_of(layout: Node) -> tuple[str | Expr, ...]:
    """Return the keys of the blanks of a layout, each once."""
    return tuple(dict.fromkeys(nodes.blanks(layout)))


@cached(maxsize=MOST_CACHED)
def filled(layout: Node, contents: tuple[Node, ...], *, dotted: bool = False) -> Node:
    """Return a layout with its blanks filled by contents, in the order of `keys_of`; in brackets if else misread.

    Every factor is `dotted`, also where a content is a word, or only one next to a quantity or between two numbers.
    """
    bases = (content.base if isinstance(content, nodes.Scripts) else content for content in contents)
    dotted = dotted or any(isinstance(base, nodes.Words) for base in bases)
    return _Filler(dict(zip(keys_of(layout), contents, strict=True)), dotted=dotted).fill(layout, inside=False)


class _Filler:
    """Fills blanks. `inside` tells that an operator comes before a node, so that a minus sign needs brackets."""

    def __init__(self, contents: Mapping[str | Expr, Node], *, dotted: bool) -> None:
        self._contents, self._dotted = contents, dotted

    def fill(self, node: Node, *, inside: bool) -> Node:
        """Return a node with its blanks filled."""
        if isinstance(node, nodes.Blank):
            content = self._contents[node.key]
            return nodes.in_brackets(content) if inside and _is_negative(content) else content
        if isinstance(node, nodes.Chain):
            return self._chain(node, inside=inside)
        if isinstance(node, nodes.Scripts) and isinstance(node.base, nodes.Blank):
            return nodes.Scripts(self._raised(self._contents[node.base.key]), None, self._apart(node.above))
        return self._parts(node)

    def _apart(self, part: Any) -> Any:
        """Return a part in brackets, above a bar or as an argument: a node filled, any other value as it is."""
        return self.fill(part, inside=False) if isinstance(part, nodes.Node) else part

    def _parts(self, node: Node) -> Node:
        values = (getattr(node, name) for name in node.names)
        parts = (tuple(map(self._apart, part)) if isinstance(part, tuple) else self._apart(part) for part in values)
        return type(node)(*parts)

    def _raised(self, base: Node) -> Node:
        """Return the base of an exponent, in brackets where it has a sign, a unit or a script of its own."""
        shown = base.body if isinstance(base, nodes.Symbol) else base
        scripted = isinstance(shown, nodes.Scripts) and shown.above is not None
        if scripted or isinstance(base, nodes.Quantity):
            return nodes.in_brackets(base)
        return nodes.bracketed(base, nodes.ATOM)

    def _chain(self, node: nodes.Chain, *, inside: bool) -> Node:
        (first_sign, before), *others = node.terms
        remainder = any(sign == "mod" for sign, _ in others)
        terms = [(first_sign, self.fill(before, inside=inside or first_sign == "-" or remainder))]
        for sign, term in others:
            dot = sign == " " and (self._dotted or _meet(before, term))
            terms.append(("·" if dot else sign, self.fill(term, inside=True)))
            before = term
        return nodes.Chain(tuple(terms))


def _is_negative(node: Node) -> bool:
    number = node.number if isinstance(node, nodes.Quantity) else node
    return isinstance(number, nodes.Number) and number.text.startswith("-")


def _meet(before: Node, after: Node) -> bool:
    """Whether two factors need a dot: one is a quantity, or a number follows on a number."""
    quantity = any(isinstance(factor, nodes.Blank) and is_literal(factor.key) for factor in (before, after))
    first = after.base if isinstance(after, nodes.Scripts) else after
    return quantity or (isinstance(first, nodes.Number) and _ends_in_number(before))


def _ends_in_number(node: Node) -> bool:
    last = node.above if isinstance(node, nodes.Scripts) else node.below if isinstance(node, nodes.Fraction) else node
    return isinstance(last, nodes.Number) or (last is not node and last is not None and _ends_in_number(last))
