"""The layout of a formula: immutable nodes that say what is where, in no format, and the protocol of formats.

Nodes compare by identity, so what is computed from one (width, lines, text) is cached by the node itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, dataclass_transform

from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Iterator

SUM_SIGNS, PRODUCT_SIGNS = ("+", "-"), (" ", "·")
THIN, WIDE = "\u2009", "\u2003"
LIST = ",\u00a0"  # a comma and a space that stays
RELATION, SUM, PRODUCT, POWER, ATOM = range(5)  # how tightly a node holds together: what is less needs brackets
KINDS: list[type[Node]] = []
T = TypeVar("T")


@dataclass_transform(eq_default=False, frozen_default=True)
class Node:
    """A part of a formula; its annotations are its fields, as those of a dataclass.

    `dataclass` itself compiles the methods of each class, which takes 10 ms of a cold start for these classes.
    """

    names: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        cls.names = tuple(cls.__annotations__)
        KINDS.append(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(self.names, values, strict=False), **named)

    @property
    def children(self) -> Iterator[Node]:
        """The nodes inside, from left to right."""
        for value in self.__dict__.values():
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                for part in value:
                    term = part[1] if isinstance(part, tuple) else part
                    if isinstance(term, Node):
                        yield term


class Blank(Node):
    """The place of a symbol, filled later: its key is the name, or a term that is shown as its value."""

    key: Any


class Symbol(Node):
    """The symbol of a cell: as its author wrote it in LaTeX, and its layout."""

    latex: str
    body: Node


class Sign(Node):
    """A letter, operator, space or function name in Unicode: `x`, `α`, `≤`, `min`."""

    text: str


class Number(Node):
    """A number with thousands separators, and a power of ten or a letter for one (M, B, T) behind it, if any."""

    text: str
    power: int | None = None
    letter: str = ""


class Unit(Node):
    """A unit, upright: text and exponents in turn, as `("FLOP/s", "2", "/m")`."""

    parts: tuple[str, ...]


class Quantity(Node):
    """A number and its unit."""

    number: Node
    unit: Node


class Words(Node):
    """Upright text."""

    text: str


class Row(Node):
    """Nodes side by side, with a joint between them: empty, `, ` in lists, a blank between rows that share a line."""

    parts: tuple[Node, ...]
    joint: str = ""


class Style(Node):
    """A node in another font or below an accent: `hat`, `mathcal`."""

    name: str
    body: Node


class Scripts(Node):
    """A base with an index and an exponent."""

    base: Node
    below: Node | None
    above: Node | None


class Fraction(Node):
    """A numerator over a denominator; without a bar, one over the other."""

    above: Node
    below: Node
    bar: bool = True


class Root(Node):
    """A root, the square root where no degree is named."""

    body: Node
    degree: str = ""


class Fenced(Node):
    """A node between delimiters that grow with it."""

    opening: str
    body: Node
    closing: str


class Call(Node):
    """A function by its name, with its arguments in brackets.

    Args:
        name: the name: `max`, `arcsin`.
        body: the arguments.
        above: its exponent, as in `sin²(x)`, or None.
        raised: whether an exponent is written at the name.
    """

    name: str
    body: Node
    above: Node | None = None
    raised: bool = False


class Chain(Node):
    """Terms with operators before them: a sum, a product, a relation; the first has none, or its sign."""

    terms: tuple[tuple[str, Node], ...]


class Rows(Node):
    """Rows one below the other, inside of a formula."""

    rows: tuple[Node, ...]


class Line(Node):
    """A line of several that are aligned: what is before the relation sign, if anything, and the rest."""

    before: Node | None
    behind: Node


class BackEnd(Generic[T]):
    """Writes layouts in one format.

    A subclass has a method for each kind of node, called as its class in small letters: it takes the node, and returns
    what it is in the format, with `write` for the nodes inside.

    Raises:
        TypeError: a method is missing.
    """

    def __init__(self) -> None:
        self._methods = {kind: getattr(self, kind.__name__.lower(), None) for kind in KINDS}
        missing = [kind.__name__.lower() for kind, method in self._methods.items() if method is None]
        if missing:
            raise TypeError(f"{type(self).__name__} has no method {', '.join(missing)}")

    def write(self, node: Node) -> T:
        """Return a node in this format."""
        method: Any = self._methods[type(node)]
        written: T = method(node)
        return written

    def blank(self, node: Blank) -> T:
        """Return the place of a symbol that has not been filled: its name."""
        return self.write(Words(str(node.key)))

    def symbol(self, node: Symbol) -> T:
        """Return the symbol of a cell."""
        return self.write(node.body)


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


def comma_separated(*items: Node) -> Node:
    """Return items with commas between them; a single one as it is."""
    return items[0] if len(items) == 1 else Row(items, ", ")


def indented(body: Node) -> Node:
    """Return the continuation of a line."""
    return Row((Sign(WIDE), body))


@cached(maxsize=4096)
def relation(left: Node, sign: str, right: Node) -> Chain:
    """Return a relation, the same object for the same sides: its lines are cached by it."""
    return Chain((("", left), (sign, right)))


def blanks(node: Node) -> Iterator[Any]:
    """Yield the keys of the blanks in a node, from left to right, each as often as it is there."""
    if isinstance(node, Blank):
        yield node.key
    for child in node.children:
        yield from blanks(child)
