"""Formulas as plain text, in the language in which they are written: `(state + activations/2)/n_fsdp`."""

from __future__ import annotations

from flopsheet.layout import nodes
from flopsheet.layout.nodes import ATOM, POWER, PRODUCT, RELATION, SUM, level


class _Text(nodes.BackEnd[str]):
    """Writes formulas on one line: fractions as divisions, exponents behind `**`, square roots as `sqrt()`."""

    def sign(self, node: nodes.Sign) -> str:
        return node.text

    def number(self, node: nodes.Number) -> str:
        if node.power is not None and node.power < 0:
            return f"{node.text}×10^{node.power}"
        return f"{node.text}{node.letter}" if node.power is None else f"{node.text}e{node.power}"

    def unit(self, node: nodes.Unit) -> str:
        return "".join(f"^{part}" if place % 2 else part for place, part in enumerate(node.parts))

    def quantity(self, node: nodes.Quantity) -> str:
        return f"{self.write(node.number)} {self.write(node.unit)}"

    def words(self, node: nodes.Words) -> str:
        return node.text

    def row(self, node: nodes.Row) -> str:
        return node.joint.join(map(self.write, node.parts))

    def style(self, node: nodes.Style) -> str:
        return self.write(node.body)

    def scripts(self, node: nodes.Scripts) -> str:
        below = "" if node.below is None else f"_{self.write(node.below)}"
        above = "" if node.above is None else f"**{self._at(node.above, ATOM)}"
        return f"{self._at(node.base, ATOM)}{below}{above}"

    def fraction(self, node: nodes.Fraction) -> str:
        return f"{self._at(node.above, PRODUCT)}/{self._at(node.below, POWER)}"

    def root(self, node: nodes.Root) -> str:
        return f"{self._at(node.body, ATOM)}**(1/{node.degree})" if node.degree else f"sqrt({self.write(node.body)})"

    def fenced(self, node: nodes.Fenced) -> str:
        return f"{node.opening}{self.write(node.body)}{node.closing}"

    def call(self, node: nodes.Call) -> str:
        above = "" if node.above is None else f"**{self._at(node.above, ATOM)}"
        return f"{node.name}({self.write(node.body)}){above}"

    def chain(self, node: nodes.Chain) -> str:
        (sign, first), *others = node.terms
        text, least = sign + self._at(first, SUM if level(node) == RELATION else PRODUCT), level(node) + 1
        for sign, term in others:
            joint = "*" if sign in nodes.PRODUCT_SIGNS else f" {sign} "
            text += joint + self._at(term, least)
        return text

    def rows(self, node: nodes.Rows) -> str:
        return " ".join(map(self.write, node.rows))

    def line(self, node: nodes.Line) -> str:
        before = "" if node.before is None else f"{self.write(node.before)} "
        return before + self.write(node.behind)

    def _at(self, node: nodes.Node, least: int) -> str:
        """Return a node, in brackets where it holds together less than asked for; a division is a product here."""
        size = node.number if isinstance(node, nodes.Quantity) else node
        own = PRODUCT if isinstance(size, nodes.Fraction) else ATOM if _is_function(node) else level(node)
        return self.write(node) if own >= least else f"({self.write(node)})"


def _is_function(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Root) and not node.degree


_TEXT = _Text()


def plain(node: nodes.Node) -> str:
    """Return a layout as plain text."""
    return _TEXT.write(node)
