"""Fills the blanks of a layout with symbols or numbers, in brackets where these would be misread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.formulas.relation import is_literal
from flopsheet.layout import nodes
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.layout.nodes import Node

MOST_CACHED = 16_384


@cached(maxsize=MOST_CACHED)
def keys_of(layout: Node) -> tuple[Any, ...]:
    """Return the keys of the blanks of a layout, each once."""
    return tuple(dict.fromkeys(nodes.blanks(layout)))


@cached(maxsize=MOST_CACHED)
def filled(layout: Node, contents: tuple[Node, ...], *, dotted: bool) -> Node:
    """Return a layout with its blanks filled.

    Args:
        layout: the layout.
        contents: what fills the blank of each key, in the order of `keys_of`.
        dotted: whether every factor has a dot before it; otherwise only next to a quantity, and between two numbers.
    """
    return _Filler(dict(zip(keys_of(layout), contents, strict=True)), dotted=dotted).fill(layout, inside=False)


class _Filler:
    """Fills blanks. `inside` tells that an operator stands before a node, where a minus sign needs brackets."""

    def __init__(self, contents: Mapping[Any, Node], *, dotted: bool) -> None:
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

    def _apart(self, node: Any) -> Any:
        return self.fill(node, inside=False) if isinstance(node, nodes.Node) else node

    def _parts(self, node: Node) -> Node:
        """Return a node whose parts stand apart: in brackets, above a bar, as an argument."""
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


def _meet(before: Node, behind: Node) -> bool:
    """Whether two factors need a dot: one is a quantity, or a number follows on a number."""
    quantity = any(isinstance(each, nodes.Blank) and is_literal(each.key) for each in (before, behind))
    return quantity or (_ends_in_number(before) and _begins_with_number(behind))


def _ends_in_number(node: Node) -> bool:
    last = node.above if isinstance(node, nodes.Scripts) else node.below if isinstance(node, nodes.Fraction) else node
    return isinstance(last, nodes.Number) or (last is not node and last is not None and _ends_in_number(last))


def _begins_with_number(node: Node) -> bool:
    return isinstance(node.base if isinstance(node, nodes.Scripts) else node, nodes.Number)
