"""Texts made harmless: what would be markup in Markdown or in LaTeX is shown as it is."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from flopsheet.report.maths.breaking import COLUMN, in_one_row, stands_alone
from flopsheet.sheets.symbols import ACCENTS, LETTERS, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT, LONGEST_KEPT = 4096, 1000  # docs, sources and numbers come again on each page
# What Markdown would read as markup: some signs anywhere, others only before a tag or at the edge of a word or line.
_MARKUP = re.compile(r"[\\`*|$~\[\]]|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])|^[#>+-]|&(?=#?\w+;)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
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
_GREEK = """
    alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon varphi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
"""
_MATHS = {
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "×": r"\times", "−": "-", "·": r"\cdot", "±": r"\pm",
    "÷": r"\div", "∞": r"\infty", "√": r"\surd", "∑": r"\sum", "→": r"\to", "←": r"\gets", "⇒": r"\Rightarrow",
    "°": r"^{\circ}", "²": "^{2}", "³": "^{3}", "¹": "^{1}", "µ": r"\mu", "…": r"\ldots", "∈": r"\in",
    **{sign: f"^{{{'-' if sign == '⁻' else unicodedata.normalize('NFKC', sign)}}}" for sign in "⁰⁴⁵⁶⁷⁸⁹⁻"},
    **{sign: f"_{{{unicodedata.normalize('NFKC', sign)}}}" for sign in "₀₁₂₃₄₅₆₇₈₉"},
    **dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", (f"\\{name}" for name in _GREEK.split()), strict=True)),
}  # fmt: skip
_DASHES = {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "€": r"\texteuro{}", "•": r"\textbullet{}"}
# The commands that a formula may use: what reads files, defines, or leaves the formula is none of them.
_ALLOWED = """
    ll gg in notin subset subseteq cup cap forall exists neg land lor mid colon mod bmod pmod frac dfrac tfrac binom
    sqrt sum prod int lim cot sec csc sinh cosh tanh det gcd left right big Big bigl bigr Bigl Bigr lceil rceil lfloor
    rfloor langle rangle lvert rvert vert lbrace rbrace quad qquad displaystyle textstyle limits nolimits
    Leftrightarrow longrightarrow hookrightarrow setminus circledast
"""
_COMMANDS = LETTERS | WORDS | ACCENTS | frozenset(_ALLOWED.split())
_TOKEN = re.compile(r"\\(?:([A-Za-z]+)|(.))|\$|%|#|~|\^\^|\n\s*\n", re.DOTALL)
_SIGNS = ",;:!%_#&|{} >"
_NOT_IN_ADDRESS = re.compile(r"[^A-Za-z0-9/:?=.,;@+!()*'%&#-]")
_NEXT = " \\\\\n"


def escaped(text: object) -> str:
    """Return a text so that Markdown prints it as it is, on one line."""
    shown = str(text)
    return _kept(shown) if len(shown) <= LONGEST_KEPT else _escaped(shown)


@lru_cache(maxsize=KEPT)
def _kept(text: str) -> str:
    return _escaped(text)


def _escaped(text: str) -> str:
    line = _MARKUP.sub(lambda sign: f"\\{sign[0]}", " ".join(text.split()))
    return _NUMBERED.sub(r"\1\\\2", line)


def md_url(url: object) -> str:
    """Return an address for Markdown's `<...>`: what could end it is written as its code."""
    return _NOT_IN_ADDRESS.sub(lambda sign: quote(sign[0], safe=""), str(url))


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


def tex_url(url: object) -> str:
    r"""Return an address for the first argument of LaTeX's `\\href`: what is special there is written as its code."""
    return re.sub("[%&#]", r"\\\g<0>", md_url(url))


def tex_math(latex: str) -> str:
    """Return a formula for LaTeX, or as plain text where it holds more than a formula does."""
    text = str(latex)
    if not is_formula(text):
        return rf"\text{{\texttt{{{tex(text)}}}}}"
    return "".join(
        f"{{{_MATHS[sign]}}}" if sign in _MATHS else sign if sign.isascii() else _worded(sign) for sign in text
    )


def _worded(sign: str) -> str:
    return rf"\text{{{_sign(sign)}}}"


def is_formula(text: str) -> bool:
    """Return whether a LaTeX text is a formula and nothing else: known commands, brackets that close."""
    text, depth = in_one_row(text), 0
    for each in re.finditer(r"(?<!\\)(?:\\\\)*([{}])", text):
        depth += 1 if each[1] == "{" else -1
        if depth < 0:
            return False
    return depth == 0 and all(each[1] in _COMMANDS or (each[2] or "-") in _SIGNS for each in _TOKEN.finditer(text))


def tex_display(latex: str) -> str:
    """Return a formula for LaTeX on a line of its own, shrunk where it is wider than the page."""
    return rf"\formula{{{tex_math(latex)}}}"


def tex_aligned(lines: Iterable[str]) -> str:
    """Return lines for LaTeX one below the other, each with its `&` under that of the first; one alone as it is."""
    given = [str(line) for line in lines]
    if stands_alone(given):
        return tex_display(given[0])
    shown = ["&".join(map(tex_math, COLUMN.split(line, maxsplit=1))) for line in given]
    return rf"\formula{{\begin{{aligned}}{_NEXT.join(shown)}\end{{aligned}}}}"
