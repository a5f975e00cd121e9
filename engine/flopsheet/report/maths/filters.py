"""Filters that write formulas in the formats of pages, a formula of ours as well as LaTeX that a template holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import escape

from flopsheet.layout import mathml, nodes
from flopsheet.layout.latex import Latex
from flopsheet.layout.reader import LatexError, read
from flopsheet.report.maths.escaping import MATHS, tex, tex_sign
from flopsheet.report.maths.formulas import Formula

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.layout.nodes import Node

_COLUMN = re.compile(r"(?<!\\)&")


def _layout(formula: str) -> Node:
    return formula.layout if isinstance(formula, Formula) else read(str(formula))


def _line(line: str) -> Node:
    """Return the layout of a line of several: what stands before and behind its column."""
    if isinstance(line, Formula):
        return line.layout
    *before, behind = _COLUMN.split(str(line), maxsplit=1)
    return nodes.Line(read(before[0]) if before else None, read(behind))


def is_formula(text: str) -> bool:
    """Return whether a LaTeX text is a formula and nothing else: known commands, brackets that close."""
    try:
        read(text)
    except LatexError:
        return False
    return True


def markdown_aligned(lines: Iterable[str]) -> str:
    """Return lines for Markdown one below the other, each with its `&` under that of the first; one alone as it is."""
    given = [str(line) for line in lines]
    if _is_single(given):
        return given[0]
    shown = r" \\ ".join(given)
    return rf"\begin{{aligned}} {shown} \end{{aligned}}"


def _is_single(lines: list[str]) -> bool:
    return len(lines) == 1 and not _COLUMN.search(lines[0])


def html_math(formula: str) -> str:
    """Return a formula as MathML inside a line, or the text itself where it is none."""
    try:
        return mathml.inline(_layout(formula))
    except LatexError:
        return _code(formula)


def html_display(formula: str) -> str:
    """Return a formula as MathML on a line of its own."""
    try:
        return mathml.display(_layout(formula))
    except LatexError:
        return _code(formula)


def html_aligned(lines: Iterable[str]) -> str:
    """Return lines as MathML, one below the other, each with its `&` under that of the first; one alone."""
    given = list(lines)
    if _is_single(given):
        return html_display(given[0])
    try:
        return mathml.aligned([_line(line) for line in given])
    except LatexError:
        return _code("\n".join(given))


def _code(latex: str) -> str:
    return f'<code class="latex">{escape(str(latex))}</code>'


class _Document(Latex):
    """Writes formulas for LaTeX documents: signs beyond ASCII by their command, whichever engine reads them."""

    def sign(self, node: nodes.Sign) -> str:
        return super().sign(node) if node.text.isascii() else tex_formula(super().sign(node))

    def escape(self, text: str) -> str:
        return "".join(super(_Document, self).escape(sign) if sign.isascii() else tex_sign(sign) for sign in text)


_DOCUMENT = _Document()


def tex_math(formula: str) -> str:
    """Return a formula for LaTeX, or as plain text where it holds more than a formula does."""
    if isinstance(formula, Formula):
        return _DOCUMENT.write(formula.layout)
    text = str(formula)
    return tex_formula(text) if is_formula(text) else rf"\text{{\texttt{{{tex(text)}}}}}"


def tex_formula(latex: str) -> str:
    """Return the LaTeX of a formula with its signs beyond ASCII as commands."""
    return "".join(sign if sign.isascii() else _worded(sign) for sign in latex)


def _worded(sign: str) -> str:
    return f"{{{MATHS[sign]}}}" if sign in MATHS else rf"\text{{{tex_sign(sign)}}}"


def tex_display(formula: str) -> str:
    """Return a formula for LaTeX on a line of its own, shrunk where it is wider than the page."""
    return rf"\formula{{{tex_math(formula)}}}"


def tex_aligned(lines: Iterable[str]) -> str:
    """Return lines for LaTeX one below the other, each with its `&` under that of the first; one alone as it is."""
    given = list(lines)
    if _is_single(given):
        return tex_display(given[0])
    shown = " \\\\\n".join(map(_tex_line, given))
    return rf"\formula{{\begin{{aligned}}{shown}\end{{aligned}}}}"


def _tex_line(line: str) -> str:
    return tex_math(line) if isinstance(line, Formula) else "&".join(map(tex_math, _COLUMN.split(line, maxsplit=1)))
