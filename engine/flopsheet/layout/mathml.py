"""Formulas in MathML, which browsers draw without scripts and without fonts of the page."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from html import escape

from flopsheet.layout import nodes
from flopsheet.layout.latex import ACCENTS, OPERATORS

_START = '<math xmlns="http://www.w3.org/1998/Math/MathML"'
_LETTER = re.compile("<mi>(.)<")
_FIXED = "\u00a0"
_EMS = {nodes.THIN: 0.17, nodes.WIDE: 1}
_SIGNS = {"<=": "≤", ">=": "≥", "-": "−"}
_FONTS = {
    "mathit": "ITALIC", "mathbf": "BOLD", "mathsf": "SANS-SERIF", "mathtt": "MONOSPACE", "mathcal": "SCRIPT",
    "mathbb": "DOUBLE-STRUCK",
}  # fmt: skip


class _MathML(nodes.BackEnd[str]):
    """Writes formulas in MathML; a node may become several elements side by side."""

    def sign(self, node: nodes.Sign) -> str:
        if not node.text.strip():
            return _space(sum(_EMS.get(space, 0.25) for space in node.text))
        return _operator(node.text) if node.text in OPERATORS else f"<mi>{escape(node.text)}</mi>"

    def number(self, node: nodes.Number) -> str:
        """Return a number as one element, so that its comma has no space behind it and it is copied as one."""
        sign, digits = ("<mo>−</mo>", node.text[1:]) if node.text.startswith("-") else ("", node.text)
        number = f"{sign}<mn>{digits}{node.letter}</mn>"
        return number if node.power is None else f"{number}<mo>×</mo>{_powered('<mn>10</mn>', str(node.power))}"

    def unit(self, node: nodes.Unit) -> str:
        texts, exponents = (node.parts[::2], (*node.parts[1::2], ""))
        parts = [_unit_text(text, exponent) for text, exponent in zip(texts, exponents, strict=True)]
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def quantity(self, node: nodes.Quantity) -> str:
        return f"<mrow>{self.write(node.number)}{_space(0.17)}{self.write(node.unit)}</mrow>"

    def words(self, node: nodes.Words) -> str:
        return f"<mtext>{escape(node.text.replace(' ', _FIXED))}</mtext>"

    def row(self, node: nodes.Row) -> str:
        joint = _operator(",") if node.joint.startswith(",") else _space(0.5) if node.joint else ""
        return f"<mrow>{joint.join(map(self.write, node.parts))}</mrow>"

    def style(self, node: nodes.Style) -> str:
        body = self._whole(node.body)
        if node.name in ACCENTS:
            tag, mark = ("munder", "_") if node.name == "underline" else ("mover", ACCENTS[node.name])
            return f'<{tag} accent="true">{body}<mo stretchy="false">{escape(mark)}</mo></{tag}>'
        return _LETTER.sub(lambda letter: f'<mi mathvariant="normal">{_in_font(letter[1], node.name)}<', body)

    def scripts(self, node: nodes.Scripts) -> str:
        parts = [self._whole(part) for part in (node.base, node.below, node.above) if part is not None]
        tag = "msubsup" if len(parts) == 3 else "msub" if node.above is None else "msup"
        return f"<{tag}>{''.join(parts)}</{tag}>"

    def fraction(self, node: nodes.Fraction) -> str:
        bar = "" if node.bar else ' linethickness="0"'
        return f"<mfrac{bar}>{self._whole(node.above)}{self._whole(node.below)}</mfrac>"

    def root(self, node: nodes.Root) -> str:
        body = self._whole(node.body)
        return f"<mroot>{body}<mn>{escape(node.degree)}</mn></mroot>" if node.degree else f"<msqrt>{body}</msqrt>"

    def fenced(self, node: nodes.Fenced) -> str:
        fences = (node.opening, "prefix"), (node.closing, "postfix")
        opening, closing = ("" if sign == "." else f'<mo form="{form}">{escape(sign)}</mo>' for sign, form in fences)
        return f"<mrow>{opening}{self._whole(node.body)}{closing}</mrow>"

    def call(self, node: nodes.Call) -> str:
        name = f"<mi>{escape(node.name)}</mi>"
        above = name if node.above is None else f"<msup>{name}{self._whole(node.above)}</msup>"
        return f"<mrow>{above}{self.fenced(nodes.Fenced('(', node.body, ')'))}</mrow>"

    def chain(self, node: nodes.Chain) -> str:
        first, *others = node.terms
        parts = [self._term(first, ' form="prefix"' if first[0] in ("+", "-") else "")]
        return "".join((*parts, *map(self._term, others)))

    def _term(self, part: tuple[str, nodes.Node], form: str = "") -> str:
        sign, term = part
        operator = "" if sign in ("", " ") else f"<mo{form}>{escape(_SIGNS.get(sign, sign))}</mo>"
        return operator + self.write(term)

    def rows(self, node: nodes.Rows) -> str:
        return f'<mtable columnalign="left">{"".join(f"<mtr>{self._cell(row)}</mtr>" for row in node.rows)}</mtable>'

    def line(self, node: nodes.Line) -> str:
        before = "<mtd></mtd>" if node.before is None else self._cell(node.before)
        return f"<mtr>{before}{self._cell(node.behind)}</mtr>"

    def _cell(self, node: nodes.Node) -> str:
        return f"<mtd><mrow>{self.write(node)}</mrow></mtd>"

    def _whole(self, node: nodes.Node) -> str:
        """Return a node as one element."""
        text = self.write(node)
        return f"<mrow>{text}</mrow>" if isinstance(node, nodes.Chain | nodes.Number) else text


def _in_font(letter: str, font: str) -> str:
    """Return a letter in a font: browsers know fonts by letters of their own, upright ones apart."""
    if font not in _FONTS or not letter.isascii():
        return letter
    name = f"{_FONTS[font]} {'CAPITAL' if letter.isupper() else 'SMALL'} {letter}"
    for prefix in ("MATHEMATICAL ", ""):  # some are older than the rest: the double-struck C, the script B
        with suppress(KeyError):
            return unicodedata.lookup(f"{prefix}{name}")
    return letter


def _space(ems: float) -> str:
    return f'<mspace width="{ems:.3g}em"></mspace>'


def _operator(sign: str) -> str:
    return f"<mo>{escape(_SIGNS.get(sign, sign))}</mo>"


def _unit_text(text: str, exponent: str) -> str:
    shown = f"<mtext>{escape(text.replace('*', nodes.THIN))}</mtext>"
    return _powered(shown, exponent) if exponent else shown if text else ""


def _powered(base: str, exponent: str) -> str:
    sign, digits = ("<mo>−</mo>", exponent[1:]) if exponent.startswith("-") else ("", exponent)
    return f"<msup>{base}<mrow>{sign}<mn>{escape(digits)}</mn></mrow></msup>"


_MATHML = _MathML()


def inline(node: nodes.Node) -> str:
    """Return a layout as MathML inside a line."""
    return f'{_START} display="inline">{_MATHML.write(node)}</math>'


def display(node: nodes.Node) -> str:
    """Return a layout as MathML on a line of its own."""
    return f'{_START} display="block">{_MATHML.write(node)}</math>'


def aligned(lines: list[nodes.Node]) -> str:
    """Return lines as MathML, one below the other, their relation signs aligned."""
    rows = "".join(map(_MATHML.write, lines))
    table = f'<mtable class="aligned" displaystyle="true" columnalign="right left">{rows}</mtable>'
    return f'{_START} display="block">{table}</math>'
