"""Lines of formulas: one that is too wide is broken at its own sums, then inside of brackets, then at its products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from flopsheet.layout import nodes
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flopsheet.layout.nodes import Node

T = TypeVar("T")
WIDEST = 90  # letters that a page of a usual width holds
USUAL_LEFT = 6  # for which there is room beside these
NARROWEST = 30  # letters of a row inside a formula
MOST_CACHED = 16_384
LETTER, CAPITAL = 5, 7  # fifths of the width of a digit


def _text_width(text: str) -> int:
    return LETTER * len(text) + (CAPITAL - LETTER) * sum(map(str.isupper, text))


def _signs_width(node: nodes.Chain) -> int:
    signs = [{"": 0, " ": 1, "mod": 5}.get(sign, 3) for sign, _ in node.terms]
    return LETTER * (sum(signs) - bool(node.terms[0][0]))  # no space before the sign of the first


# What a node adds to the width of its parts, in fifths of the width of a digit; kinds that are not listed add none.
_OWN_WIDTH: dict[type[Node], Callable[[Any], int]] = {
    nodes.Blank: lambda node: _text_width(str(node.key)),
    nodes.Sign: lambda node: _text_width(node.text) if node.text.strip() else LETTER * node.text.count(nodes.WIDE),
    nodes.Words: lambda node: _text_width(node.text),
    nodes.Number: lambda node: (
        LETTER * len(node.text + node.letter + ("" if node.power is None else f" x 10{node.power}"))
    ),
    nodes.Unit: lambda node: _text_width("".join(node.parts)),
    nodes.Row: lambda node: LETTER * len(node.joint) * (len(node.parts) - 1),
    nodes.Root: lambda node: LETTER * (1 + len(node.degree)),
    nodes.Fenced: lambda _: LETTER * 2,
    nodes.Call: lambda node: LETTER * (len(node.name) + 2),
    nodes.Chain: _signs_width,
    nodes.Rows: lambda _node: 2 * LETTER,  # the room on both sides of a column
    nodes.Line: lambda node: LETTER * (node.before is not None),
}


@cached(maxsize=MOST_CACHED)
def _fifths(node: Node) -> int:
    parts = map(_fifths, node.children)
    own = _OWN_WIDTH.get(type(node))
    return (own(node) if own else 0) + (max(parts) if isinstance(node, nodes.Fraction | nodes.Rows) else sum(parts))


@cached(maxsize=MOST_CACHED)
def width(node: Node) -> int:
    """Return about how many digits wide a formula is: of a fraction, the wider of its parts; capitals are wider."""
    return _fifths(node) // LETTER


def broken(left: Node, sign: str, sides: Iterable[Node]) -> tuple[Node, ...]:
    """Return a chain of relations as aligned lines: the left side before the sign, equal sides behind it."""
    lines: list[Node] = []
    widest = WIDEST - max(width(left) - USUAL_LEFT, 0)
    for side in sides:
        first, *others = pieces(side, widest)
        lines.append(nodes.Line(None if lines else left, nodes.Chain((("=" if lines else sign, first),))))
        lines += [nodes.Line(None, nodes.indented(other)) for other in others]
    return tuple(lines)


def displayed(left: Node, sign: str, right: Node) -> tuple[Node, ...]:
    """Return a relation that stands alone as lines: one without columns if it fits, else several that are aligned."""
    (start, *more), (first, *others) = pieces(left), pieces(right)
    if not more and not others:
        return (nodes.relation(start, sign, first),)
    related, rest = nodes.Chain(((sign, first),)), [nodes.indented(other) for other in others]
    if width(left) + width(first) <= WIDEST:
        return (nodes.Line(start, related), *(nodes.Line(None, other) for other in rest))
    lines = [start, *map(nodes.indented, more), related, *rest]  # the right side begins a line of its own
    return tuple(nodes.Line(None, line) for line in lines)


@cached(maxsize=MOST_CACHED)
def pieces(side: Node, widest: int = WIDEST) -> tuple[Node, ...]:
    """Return a side in pieces no wider than a page: broken at its own sums, then in brackets, then at products.

    Lines are filled greedily. That is optimal in the number of lines, as the parts keep their order and each line only
    has to hold a run of them.
    """
    if width(side) <= widest:
        return (side,)
    parts = _parts(side, nodes.SUM)
    if len(parts) == 1:
        narrow = _narrowed(side, widest)
        parts = _parts(side, nodes.PRODUCT)
        if len(parts) == 1 or (narrow is not side and width(narrow) <= widest):
            return (narrow,)
    return tuple(_filled([(sign, _narrowed(part, widest)) for sign, part in parts], _chain, widest))


def _parts(node: Node, loosest: int) -> list[tuple[str, Node]]:
    """Return what operators up to this level join, each with the operator before it; a chain in a chain is opened."""
    if not isinstance(node, nodes.Chain) or nodes.level(node) > loosest:
        return [("", node)]
    parts: list[tuple[str, Node]] = []
    for sign, term in node.terms:
        if sign == " ":  # no dot, no place to break
            before, last = parts.pop()
            parts.append((before, nodes.Chain((("", last), (sign, term)))))
        else:
            (own, first), *others = _parts(term, loosest)
            # Behind an operator, a term keeps its minus sign: `a > -b`.
            parts += [(sign, nodes.Chain(((own, first),))) if sign and own else (sign or own, first), *others]
    return parts


def _chain(parts: list[tuple[str, Node]]) -> Node:
    return parts[0][1] if len(parts) == 1 and not parts[0][0] else nodes.Chain(tuple(parts))


def _filled(parts: list[T], join: Callable[[list[T]], Node], widest: int) -> list[Node]:
    """Return lines with as many parts on each as it holds."""
    lines: list[list[T]] = []
    for part in parts:
        if lines and width(join([*lines[-1], part])) <= widest:
            lines[-1].append(part)
        else:
            lines.append([part])
    return [join(line) for line in lines]


def _narrowed(node: Node, widest: int) -> Node:
    """Return a node with the sums and lists in its brackets and fractions over several rows, where it is too wide."""
    excess = width(node) - widest
    if excess <= 0:
        return node
    return _with_bodies(node, lambda body: _in_rows(body, max(width(body) - excess, NARROWEST)))


def _with_bodies(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return a node with what stands in its outermost brackets, roots and halves of fractions changed."""
    if isinstance(node, nodes.Fenced | nodes.Root | nodes.Call):
        return _changed(node, body=change(node.body))
    if isinstance(node, nodes.Fraction):
        return _changed(node, above=change(node.above), below=change(node.below))
    if isinstance(node, nodes.Scripts):
        return _changed(node, base=_with_bodies(node.base, change))
    if isinstance(node, nodes.Chain):
        terms = [(sign, _with_bodies(term, change)) for sign, term in node.terms]
        same = all(new is old for (_, new), (_, old) in zip(terms, node.terms, strict=True))
        return node if same else nodes.Chain(tuple(terms))
    return node


def _changed(node: Node, **parts: Node) -> Node:
    same = all(getattr(node, name) is part for name, part in parts.items())
    return node if same else type(node)(**{**vars(node), **parts})


def _in_rows(body: Node, widest: int) -> Node:
    """Return what stands in brackets or above a bar as rows: items of a list, and terms."""
    if width(body) <= widest:
        return body
    items = body.parts if isinstance(body, nodes.Row) and body.joint == ", " else (body,)
    parts: list[Node] = []
    for item in items:
        if parts:
            parts[-1] = nodes.Row((parts[-1], nodes.Sign(",")))
        first, *others = pieces(item, widest)
        parts += [first, *map(nodes.indented, others)]
    rows = _filled(parts, lambda row: row[0] if len(row) == 1 else nodes.Row(tuple(row), " "), widest)
    return rows[0] if len(rows) == 1 else nodes.Rows(tuple(rows))
