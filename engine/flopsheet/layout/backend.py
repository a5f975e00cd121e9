"""What a format of formulas has to say: one method for each kind of node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flopsheet.layout import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class BackEnd(Generic[T]):
    """Writes layouts in one format.

    A subclass has a method for each kind of node, called as its class in small letters: it takes the node, and returns
    what it is in the format, with `write` for the nodes inside.

    Raises:
        TypeError: a method is missing.
    """

    def __init__(self) -> None:
        missing = [kind.__name__.lower() for kind in nodes.KINDS if not hasattr(self, kind.__name__.lower())]
        if missing:
            raise TypeError(f"{type(self).__name__} has no method {', '.join(missing)}")
        self._ways: dict[type, Callable[[Any], T]] = {
            kind: getattr(self, kind.__name__.lower()) for kind in nodes.KINDS
        }

    def write(self, node: nodes.Node) -> T:
        """Return a node in this format."""
        return self._ways[type(node)](node)

    def blank(self, node: nodes.Blank) -> T:
        """Return the place of a symbol that has not been filled: its name."""
        return self.write(nodes.Words(str(node.key)))

    def symbol(self, node: nodes.Symbol) -> T:
        """Return the symbol of a cell."""
        return self.write(node.body)
