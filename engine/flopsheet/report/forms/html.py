"""HTML: texts are escaped automatically, formulas are MathML, which browsers draw without scripts."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING

from markupsafe import escape

from flopsheet.layout import mathml
from flopsheet.layout.reader import LatexError
from flopsheet.report.forms import TextForm
from flopsheet.report.formulas import is_single, layout_of_line, layout_of_text

if TYPE_CHECKING:
    from collections.abc import Iterable


def math(formula: str) -> str:
    """Return a formula as MathML inside a line, or the text itself where it is none."""
    try:
        return mathml.inline(layout_of_text(formula))
    except LatexError:
        return _code(formula)


def display(formula: str) -> str:
    """Return a formula as MathML on a line of its own."""
    try:
        return mathml.display(layout_of_text(formula))
    except LatexError:
        return _code(formula)


def aligned(lines: Iterable[str]) -> str:
    """Return lines as MathML, one below the other, each with its `&` under that of the first; one alone."""
    given = list(lines)
    if is_single(given):
        return display(given[0])
    try:
        return mathml.aligned([layout_of_line(line) for line in given])
    except LatexError:
        return _code("\n".join(given))


def breakable(name: str) -> str:
    """Return a name that may break behind its dots and underscores, escaped."""
    return re.sub(r"(?<=[._])(?=[^\W\d])", "<wbr>", str(escape(name)))


def _code(latex: str) -> str:
    return f'<code class="latex">{escape(str(latex))}</code>'


_FILTERS = {"math": math, "display": display, "aligned": aligned, "breakable": breakable}
FORM = TextForm(escape, {**_FILTERS, "graph": attrgetter("drawing"), "chart": attrgetter("chart")})
