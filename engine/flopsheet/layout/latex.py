r"""Formulas in LaTeX, as GitHub's Markdown and KaTeX take it: `\frac{M}{n_{\text{dev}}}`."""

from __future__ import annotations

import re

from flopsheet.layout import nodes
from flopsheet.layout.backend import BackEnd
from flopsheet.layout.signs import COMMANDS, NAMES
from flopsheet.session import cached

MOST_CACHED = 16_384
_SIGNS = {"<=": r"\le", ">=": r"\ge", "·": r"\cdot", "mod": r"\bmod", ":": r"\colon"}
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "\u2009": r"\,", "\u2005": r"\;", "\u00a0": r"\ ", "\u2003": r"\quad ",
}  # fmt: skip
_DELIMITERS = {"{": r"\{", "}": r"\}", **{sign: f"\\{COMMANDS[sign]}" for sign in "⌈⌉⌊⌋⟨⟩"}}
_BRACED = "⌈⌊|"


class Latex(BackEnd[str]):
    """Writes formulas in LaTeX."""

    def symbol(self, node: nodes.Symbol) -> str:
        """Return the symbol of a cell as its author wrote it: it was read."""
        return node.latex

    def sign(self, node: nodes.Sign) -> str:
        """Return a sign by its command, if it has one."""
        if node.text in COMMANDS:
            return f"\\{COMMANDS[node.text]}"
        return "".join(f"\\{COMMANDS[letter]}" if letter in COMMANDS else self.escape(letter) for letter in node.text)

    def number(self, node: nodes.Number) -> str:
        """Return a number; braces keep its commas from being read as those of a list."""
        text = node.text.replace(",", "{,}").replace("∞", r"\infty")
        return text if node.power is None else rf"{text} \times 10^{{{node.power}}}"

    def unit(self, node: nodes.Unit) -> str:
        """Return a unit in upright letters."""
        text = "".join(f"^{{{part}}}" if place % 2 else self._unit_text(part) for place, part in enumerate(node.parts))
        return rf"\mathrm{{{text}}}"

    @staticmethod
    def _unit_text(text: str) -> str:
        for plain, written in (("%", r"\%"), ("_", r"\_"), ("*", r"\,"), (" ", ""), ("°", r"^{\circ}")):
            text = text.replace(plain, written)
        return text

    def quantity(self, node: nodes.Quantity) -> str:
        """Return a number, a thin space and a unit."""
        return rf"{self.write(node.number)}\,{self.write(node.unit)}"

    def words(self, node: nodes.Words) -> str:
        """Return upright text."""
        return rf"\text{{{self.escape(node.text)}}}"

    def escape(self, text: str) -> str:
        """Return a text without commands."""
        return "".join(_SPECIAL.get(letter, letter) for letter in text)

    def row(self, node: nodes.Row) -> str:
        """Return nodes side by side; a blank keeps a command apart from a letter."""
        text = ""
        for part in map(self.write, node.parts):
            joint = self.escape(node.joint) if text else ""
            apart = not joint and part[:1].isalpha() and re.search(r"\\[A-Za-z]+$", text)
            text += f"{' ' if apart else joint}{part}"
        return text

    def style(self, node: nodes.Style) -> str:
        """Return a command with its argument."""
        return rf"\{node.name}{{{self.write(node.body)}}}"

    def scripts(self, node: nodes.Scripts) -> str:
        """Return a base with scripts; braces hold a base together that has scripts itself."""
        base = self.write(node.base)
        scripted = isinstance(node.base, nodes.Scripts) and (node.base.above is not None or node.below is not None)
        if scripted or isinstance(node.base, nodes.Row):
            base = f"{{{base}}}"
        below = "" if node.below is None else f"_{{{self.write(node.below)}}}"
        above = "" if node.above is None else f"^{{{self.write(node.above)}}}"
        return f"{base}{below}{above}"

    def fraction(self, node: nodes.Fraction) -> str:
        """Return a fraction."""
        return rf"\{'frac' if node.bar else 'binom'}{{{self.write(node.above)}}}{{{self.write(node.below)}}}"

    def root(self, node: nodes.Root) -> str:
        """Return a root."""
        degree = f"[{node.degree}]" if node.degree else ""
        return rf"\sqrt{degree}{{{self.write(node.body)}}}"

    def fenced(self, node: nodes.Fenced) -> str:
        """Return a node between delimiters."""
        opening, closing = (_DELIMITERS.get(sign, sign) for sign in (node.opening, node.closing))
        body = self.write(node.body)
        return (
            rf"\left{opening}{{{body}}}\right{closing}"
            if node.opening in _BRACED
            else (rf"\left{opening}{body}\right{closing}")
        )

    def call(self, node: nodes.Call) -> str:
        """Return a function: those that LaTeX knows by its command."""
        name = f"\\{node.name}" if node.name in NAMES else rf"\operatorname{{{node.name}}}"
        above = "" if node.above is None else f"^{{{self.write(node.above)}}}"
        return rf"{name}{above}\left({self.write(node.body)}\right)"

    def chain(self, node: nodes.Chain) -> str:
        """Return terms with their operators."""
        parts = (self._term(sign, term) for sign, term in node.terms)
        return " ".join(parts)

    def _term(self, sign: str, term: nodes.Node) -> str:
        text = self.write(term)
        return text if sign in ("", " ") else f"{_SIGNS.get(sign, sign)} {text}"

    def rows(self, node: nodes.Rows) -> str:
        """Return rows as an array."""
        return rf"\begin{{array}}{{l}} {self._lines(node.rows)} \end{{array}}"

    def _lines(self, lines: tuple[nodes.Node, ...]) -> str:
        return r" \\ ".join(map(self.write, lines))

    def line(self, node: nodes.Line) -> str:
        """Return a line with the mark of its column."""
        return f"{'' if node.before is None else f'{self.write(node.before)} '}&{self.write(node.behind)}"


_LATEX = Latex()


@cached(maxsize=MOST_CACHED)
def latex(node: nodes.Node) -> str:
    """Return a layout in LaTeX."""
    return _LATEX.write(node)
