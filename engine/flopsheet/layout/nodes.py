"""The layout of a formula: immutable nodes that say what stands where, in no format.

Nodes compare by identity, so what is computed from one (width, lines, text) is cached by the node itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SUM_SIGNS, PRODUCT_SIGNS = ("+", "-"), (" ", "·")
THIN, WIDE = "\u2009", "\u2003"
LIST = ",\u00a0"  # a comma and a space that stays
RELATION, SUM, PRODUCT, POWER, ATOM = range(5)  # how tightly a node holds together: what is less needs brackets


class Node:
    """A part of a formula."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Blank(Node):
    """The place of a symbol, filled with a symbol or a number later.

    Args:
        key: the name of the symbol; of a term that is shown as its value, the term.
    """

    key: Any


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(Node):
    """The symbol of a cell.

    Args:
        latex: how its author wrote it in LaTeX.
        body: its layout.
    """

    latex: str
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Sign(Node):
    """A letter, operator, space or function name in Unicode: `x`, `α`, `≤`, `min`."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    """A number with thousands separators, and a power of ten behind it where there is one."""

    text: str
    power: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Unit(Node):
    """A unit, upright: text and exponents in turn, as `("FLOP/s", "2", "/m")`."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Quantity(Node):
    """A number and its unit."""

    number: Node
    unit: Node


@dataclass(frozen=True, slots=True, eq=False)
class Words(Node):
    """Upright text."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Row(Node):
    """Nodes side by side, with a joint between them: empty, `, ` in lists, a blank between rows that share a line."""

    parts: tuple[Node, ...]
    joint: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Style(Node):
    """A node in another font or below an accent: `hat`, `mathcal`."""

    name: str
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Scripts(Node):
    """A base with what stands below and above at its right: an index, an exponent."""

    base: Node
    below: Node | None
    above: Node | None


@dataclass(frozen=True, slots=True, eq=False)
class Fraction(Node):
    """A numerator over a denominator; without a bar, one over the other."""

    above: Node
    below: Node
    bar: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Root(Node):
    """A root, the square root where no degree is named."""

    body: Node
    degree: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Fenced(Node):
    """A node between delimiters that grow with it."""

    opening: str
    body: Node
    closing: str


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A function by its name, with its arguments in brackets.

    Args:
        name: the name: `max`, `arcsin`.
        body: the arguments.
        above: an exponent that stands at the name, as in `sin²(x)`, or None.
        raised: whether that is the place of an exponent.
    """

    name: str
    body: Node
    above: Node | None = None
    raised: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Chain(Node):
    """Nodes with operators between them: a sum, a product, a relation.

    Args:
        terms: each operator with the node behind it; the operator of the first is empty, or its sign.
    """

    terms: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rows(Node):
    """Rows one below the other, inside of a formula."""

    rows: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Line(Node):
    """A line of several that are aligned: what stands before the relation sign, if anything, and the rest."""

    before: Node | None
    behind: Node


KINDS = (
    *(Blank, Symbol, Sign, Number, Unit, Quantity, Words, Row, Style, Scripts, Fraction, Root, Fenced, Call, Chain),
    *(Rows, Line),
)


def level(node: Node) -> int:
    """Return how tightly a node holds together on paper."""
    if isinstance(node, Chain):
        signs = {sign for sign, _ in node.terms if sign}
        return PRODUCT if signs <= {*PRODUCT_SIGNS} else SUM if signs <= {*SUM_SIGNS} else RELATION
    if isinstance(node, Number):
        return SUM if node.text.startswith("-") else ATOM if node.power is None else POWER
    if isinstance(node, Scripts) and node.above is None:
        return ATOM
    return POWER if isinstance(node, Fraction | Root | Scripts) else ATOM


def bracketed(node: Node, least: int) -> Node:
    """Return a node, in brackets where it holds together less than asked for."""
    return node if level(node) >= least else in_brackets(node)


def in_brackets(node: Node) -> Node:
    """Return a node in round brackets."""
    return Fenced("(", node, ")")


def listed(*items: Node) -> Node:
    """Return items with commas between them; a single one as it is."""
    return items[0] if len(items) == 1 else Row(items, ", ")


def indented(body: Node) -> Node:
    """Return the continuation of a line."""
    return Row((Sign(WIDE), body))


def relation(left: Node, sign: str, right: Node) -> Chain:
    """Return a relation."""
    return Chain((("", left), (sign, right)))


def fields(node: Node) -> tuple[str, ...]:
    """Return the names of the parts of a node, in the order in which its class takes them."""
    names: tuple[str, ...] = type(node).__slots__
    return names


def blanks(node: Node) -> Iterator[Any]:
    """Yield the keys of the blanks in a node, from left to right, each as often as it is there."""
    if isinstance(node, Blank):
        yield node.key
        return
    for name in fields(node):
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            term = part[1] if isinstance(part, tuple) else part
            if isinstance(term, Node):
                yield from blanks(term)
