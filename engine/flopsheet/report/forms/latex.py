"""LaTeX documents: texts are escaped automatically, whichever engine reads them."""

from __future__ import annotations

import re
import unicodedata
from operator import attrgetter
from typing import TYPE_CHECKING

from flopsheet.layout.latex import COMMANDS, SPACES, Latex
from flopsheet.report.forms import TextForm
from flopsheet.report.forms.markdown import md_url
from flopsheet.report.formulas import COLUMN, Formula, is_formula, is_single

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.layout import nodes

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#{}"},
    "_": r"\_\allowbreak{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "-{}",
    "/": r"/\allowbreak{}",
    "[": "{[}",
    "]": "{]}",
}
_BLANKS = frozenset("".join(SPACES.values()))  # which formulas write as commands
_RAISED = {sign: unicodedata.normalize("NFKC", sign) for sign in "⁰¹²³⁴⁵⁶⁷⁸⁹"} | {"⁻": "-"}
_MATHS = {
    **{sign: f"\\{command}" for sign, command in COMMANDS.items() if not sign.isascii()},
    **{sign: f"^{{{plain}}}" for sign, plain in _RAISED.items()},
    **{sign: f"_{{{unicodedata.normalize('NFKC', sign)}}}" for sign in "₀₁₂₃₄₅₆₇₈₉"},
    "−": "-",
    "°": r"^{\circ}",
    "µ": r"\mu",
}
_DASHES = {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "€": r"\texteuro{}", "•": r"\textbullet{}"}


def tex(text: object) -> str:
    """Return a text so that LaTeX prints it as it is, on one line, whichever engine reads it."""
    return "".join(map(_sign, " ".join(str(text).split())))


def _sign(sign: str) -> str:
    plain = _SPECIAL.get(sign) or _DASHES.get(sign)
    if plain:
        return plain
    if sign in _MATHS:
        return rf"\ensuremath{{{_MATHS[sign]}}}"
    if " " <= sign < "\x7f" or "\xa1" <= sign <= "\u017e":
        return sign
    if unicodedata.category(sign)[0] == "C":
        return ""
    # An engine that reads Unicode prints the sign, as far as its font has it; pdflatex would stop, and names its code.
    return rf"\ifdefined\Umathcode {sign}\else {{[}}U+{ord(sign):04X}{{]}}\fi{{}}"


def tex_address(url: object) -> str:
    """Return an address or a relation for LaTeX, which may break it behind its signs, but not within a number."""
    return re.sub(r"(-\{\}|(?<!\d)\.|\.(?!\d)|[=?+:,~*(]|\\[&%#])", r"\1\\allowbreak{}", tex(url))


def tex_url(url: object) -> str:
    r"""Return an address for the first argument of LaTeX's `\\href`: what is special there is written as its code."""
    return re.sub("[%&#]", r"\\\g<0>", md_url(url))


class _Document(Latex):
    """Writes formulas for LaTeX documents: signs beyond ASCII by their command, whichever engine reads them."""

    def sign(self, node: nodes.Sign) -> str:
        return super().sign(node) if node.text.isascii() else _in_ascii(super().sign(node))

    def escape(self, text: str) -> str:
        signs = ((sign, sign.isascii() or sign in _BLANKS) for sign in text)
        return "".join(super(_Document, self).escape(sign) if is_known else _sign(sign) for sign, is_known in signs)


_DOCUMENT = _Document()
_WORDS = re.compile(r"^\\text\{([\w ]{20,})\}$")  # a symbol of words alone


def math(formula: str) -> str:
    """Return a formula for LaTeX, or as plain text where it holds more than a formula does.

    A symbol that is a long name breaks between its words.
    """
    if isinstance(formula, Formula):
        return _WORDS.sub(_broken, _DOCUMENT.write(formula.layout))
    text = str(formula)
    return _in_ascii(text) if is_formula(text) else rf"\text{{\texttt{{{tex(text)}}}}}"


def _broken(name: re.Match[str]) -> str:
    return r"\allowbreak".join(rf"\text{{{word}}}" for word in re.findall(r"\S+ ?", name[1]))


def _in_ascii(latex: str) -> str:
    """Return the LaTeX of a formula with its signs beyond ASCII as commands."""
    commands = {sign: f"{{{_MATHS[sign]}}}" if sign in _MATHS else rf"\text{{{_sign(sign)}}}" for sign in set(latex)}
    return "".join(sign if sign.isascii() else commands[sign] for sign in latex)


def display(formula: str) -> str:
    """Return a formula for LaTeX on a line of its own, shrunk where it is wider than the page."""
    return rf"\formula{{{math(formula)}}}"


def aligned(lines: Iterable[str]) -> str:
    """Return lines for LaTeX one below the other, each with its `&` under that of the first; one alone as it is."""
    given = list(lines)
    if is_single(given):
        return display(given[0])
    parts = ([line] if isinstance(line, Formula) else COLUMN.split(line, maxsplit=1) for line in given)
    shown = " \\\\\n".join("&".join(map(math, line)) for line in parts)
    return rf"\formula{{\begin{{aligned}}{shown}\end{{aligned}}}}"


_FILTERS = {"tex": tex, "url": tex_url, "address": tex_address, "math": math, "display": display, "aligned": aligned}
FORM = TextForm(tex, {**_FILTERS, "chart": attrgetter("chart_tikz")})
