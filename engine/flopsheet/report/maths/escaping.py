"""Texts made harmless: what would be markup in Markdown or in LaTeX is shown as it is."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote

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
MATHS = {
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "×": r"\times", "−": "-", "·": r"\cdot", "±": r"\pm",
    "÷": r"\div", "∞": r"\infty", "√": r"\surd", "∑": r"\sum", "→": r"\to", "←": r"\gets", "⇒": r"\Rightarrow",
    "°": r"^{\circ}", "²": "^{2}", "³": "^{3}", "¹": "^{1}", "µ": r"\mu", "…": r"\ldots", "∈": r"\in",
    **{sign: f"^{{{'-' if sign == '⁻' else unicodedata.normalize('NFKC', sign)}}}" for sign in "⁰⁴⁵⁶⁷⁸⁹⁻"},
    **{sign: f"_{{{unicodedata.normalize('NFKC', sign)}}}" for sign in "₀₁₂₃₄₅₆₇₈₉"},
    **dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", (f"\\{name}" for name in _GREEK.split()), strict=True)),
}  # fmt: skip
_DASHES = {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "€": r"\texteuro{}", "•": r"\textbullet{}"}
_NOT_IN_ADDRESS = re.compile(r"[^A-Za-z0-9/:?=.,;@+!()*'%&#-]")


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
    return "".join(map(tex_sign, " ".join(str(text).split())))


def tex_sign(sign: str) -> str:
    """Return one sign of a text so that LaTeX prints it."""
    plain = _SPECIAL.get(sign) or _DASHES.get(sign)
    if plain:
        return plain
    if sign in MATHS:
        return rf"\ensuremath{{{MATHS[sign]}}}"
    if " " <= sign < "\x7f" or "\xa1" <= sign <= "\u017e":
        return sign
    if unicodedata.category(sign)[0] == "C":
        return ""
    # An engine that reads Unicode prints the sign, as far as its font has it; pdflatex would stop, and names its code.
    return rf"\ifdefined\Umathcode {sign}\else {{[}}U+{ord(sign):04X}{{]}}\fi{{}}"


def tex_url(url: object) -> str:
    r"""Return an address for the first argument of LaTeX's `\\href`: what is special there is written as its code."""
    return re.sub("[%&#]", r"\\\g<0>", md_url(url))
