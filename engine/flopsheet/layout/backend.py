"""What a format of formulas has to say: one method for each kind of node."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flopsheet.layout import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class BackEnd(ABC, Generic[T]):
    """Writes layouts in one format. A method left out is an error where the format is registered."""

    def __init__(self) -> None:
        self._ways: dict[type, Callable[[Any], T]] = {
            nodes.Blank: self.blank,
            nodes.Symbol: self.symbol,
            nodes.Sign: self.sign,
            nodes.Number: self.number,
            nodes.Unit: self.unit,
            nodes.Quantity: self.quantity,
            nodes.Words: self.words,
            nodes.Row: self.row,
            nodes.Style: self.style,
            nodes.Scripts: self.scripts,
            nodes.Fraction: self.fraction,
            nodes.Root: self.root,
            nodes.Fenced: self.fenced,
            nodes.Call: self.call,
            nodes.Chain: self.chain,
            nodes.Indented: self.indented,
            nodes.Rows: self.rows,
            nodes.Line: self.line,
        }

    def write(self, node: nodes.Node) -> T:
        """Return a node in this format."""
        return self._ways[type(node)](node)

    def blank(self, node: nodes.Blank) -> T:
        """Return the place of a symbol that has not been filled."""
        return self.words(nodes.Words(str(node.key)))

    def symbol(self, node: nodes.Symbol) -> T:
        """Return the symbol of a cell."""
        return self.write(node.body)

    @abstractmethod
    def sign(self, node: nodes.Sign) -> T:
        """Return a letter, operator, space or function name."""

    @abstractmethod
    def number(self, node: nodes.Number) -> T:
        """Return a number."""

    @abstractmethod
    def unit(self, node: nodes.Unit) -> T:
        """Return a unit."""

    @abstractmethod
    def quantity(self, node: nodes.Quantity) -> T:
        """Return a number with its unit."""

    @abstractmethod
    def words(self, node: nodes.Words) -> T:
        """Return upright text."""

    @abstractmethod
    def row(self, node: nodes.Row) -> T:
        """Return nodes side by side."""

    @abstractmethod
    def style(self, node: nodes.Style) -> T:
        """Return a node in a font or below an accent."""

    @abstractmethod
    def scripts(self, node: nodes.Scripts) -> T:
        """Return a base with index and exponent."""

    @abstractmethod
    def fraction(self, node: nodes.Fraction) -> T:
        """Return a fraction."""

    @abstractmethod
    def root(self, node: nodes.Root) -> T:
        """Return a root."""

    @abstractmethod
    def fenced(self, node: nodes.Fenced) -> T:
        """Return a node between delimiters."""

    @abstractmethod
    def call(self, node: nodes.Call) -> T:
        """Return a function of arguments."""

    @abstractmethod
    def chain(self, node: nodes.Chain) -> T:
        """Return a sum, product or relation."""

    @abstractmethod
    def indented(self, node: nodes.Indented) -> T:
        """Return the continuation of a line."""

    @abstractmethod
    def rows(self, node: nodes.Rows) -> T:
        """Return rows inside of a formula."""

    @abstractmethod
    def line(self, node: nodes.Line) -> T:
        """Return a line of several that are aligned."""
