"""A format of pages as somebody would add it: formulas in AsciiMath, between backticks. Its test registers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.layout.nodes import BackEnd
from flopsheet.report.forms import TextForm
from flopsheet.report.formulas import layout_of_line, layout_of_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.layout import nodes

_SIGNS = {"·": "*", "<=": "<=", ">=": ">=", "mod": "mod", " ": ""}
_FENCES = {"⌈": "|~", "⌉": "~|", "⌊": "|__", "⌋": "__|"}


class AsciiMath(BackEnd[str]):
    """Writes formulas in AsciiMath."""

    def sign(self, node: nodes.Sign) -> str:
        """Return the sign itself: AsciiMath reads Unicode."""
        return node.text

    def number(self, node: nodes.Number) -> str:
        """Return a number, its thousands joined."""
        text = f"{node.text.replace(',', '')}{node.letter}"
        return text if node.power is None else f"{text} xx 10^({node.power})"

    def unit(self, node: nodes.Unit) -> str:
        """Return a unit as text."""
        return '" ' + "".join(f"^{part}" if place % 2 else part for place, part in enumerate(node.parts)) + '"'

    def quantity(self, node: nodes.Quantity) -> str:
        """Return a number and its unit."""
        return f"{self.write(node.number)}{self.write(node.unit)}"

    def words(self, node: nodes.Words) -> str:
        """Return a text, without what would end it."""
        return '"' + node.text.translate(str.maketrans('"`', "  ")) + '"'

    def row(self, node: nodes.Row) -> str:
        """Return nodes side by side."""
        return (node.joint or " ").join(map(self.write, node.parts))

    def style(self, node: nodes.Style) -> str:
        """Return a node below an accent."""
        return f"{node.name}({self.write(node.body)})"

    def scripts(self, node: nodes.Scripts) -> str:
        """Return a base with its scripts."""
        below = "" if node.below is None else f"_({self.write(node.below)})"
        above = "" if node.above is None else f"^({self.write(node.above)})"
        return f"{self.write(node.base)}{below}{above}"

    def fraction(self, node: nodes.Fraction) -> str:
        """Return a fraction."""
        return f"({self.write(node.above)})/({self.write(node.below)})"

    def root(self, node: nodes.Root) -> str:
        """Return a root."""
        body = f"({self.write(node.body)})"
        return f"root({node.degree}){body}" if node.degree else f"sqrt{body}"

    def fenced(self, node: nodes.Fenced) -> str:
        """Return a node between delimiters."""
        opening, closing = (_FENCES.get(sign, sign) for sign in (node.opening, node.closing))
        return f"{opening}{self.write(node.body)}{closing}"

    def call(self, node: nodes.Call) -> str:
        """Return a function of arguments."""
        above = "" if node.above is None else f"^({self.write(node.above)})"
        return f"{node.name}{above}({self.write(node.body)})"

    def chain(self, node: nodes.Chain) -> str:
        """Return terms with their operators."""
        parts = (f"{_SIGNS.get(sign, sign)} {self.write(term)}".strip() for sign, term in node.terms)
        return " ".join(parts)

    def rows(self, node: nodes.Rows) -> str:
        """Return rows inside of a formula."""
        return " ".join(map(self.write, node.rows))

    def line(self, node: nodes.Line) -> str:
        """Return a line."""
        before = "" if node.before is None else f"{self.write(node.before)} "
        return before + self.write(node.behind)


_BACK_END = AsciiMath()


def escaped(text: object) -> str:
    """Return a text without what would begin a formula."""
    return str(text).replace("`", "'")


def math(formula: str) -> str:
    """Return a formula inside a line."""
    return f"`{_BACK_END.write(layout_of_text(formula))}`"


def aligned(lines: Iterable[str]) -> str:
    """Return lines one below the other."""
    return "\n".join(f"`{_BACK_END.write(layout_of_line(line))}`" for line in lines)


FORM = TextForm(escaped, {"math": math, "aligned": aligned})
