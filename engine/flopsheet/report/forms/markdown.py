"""Markdown: what would be markup in a text is escaped; formulas are LaTeX in a form that GitHub leaves as it is.

GitHub parses Markdown before maths: what is between dollar signs loses backslashes before punctuation, and `_` and `*`
become emphasis. Code is not parsed, so formulas are code: blocks of the language `math`, and $`x`$ inside a line.
GitLab and VS Code read both forms; notebooks read dollar signs alone, without parsing what is between them.
"""

from __future__ import annotations

import re
from textwrap import indent
from typing import TYPE_CHECKING
from urllib.parse import quote

from flopsheet.report.forms import TextForm
from flopsheet.report.formulas import Formula, is_formula, is_single
from flopsheet.report.numeric import markdown_rule
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_CACHED, LONGEST_CACHED = 4096, 1000  # docs, sources and numbers recur on each page
# What Markdown would read as markup: some signs anywhere, others only before a tag or at the edge of a word or line.
_MARKUP = re.compile(r"[\\`*|$~\[\]]|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])|^[#>+-]|&(?=#?\w+;)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
_BLOCK = re.compile(r"^( *)```math\n(.*?)\n *```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!\\)\$`([^`\n]+)`\$")
_PUNCTUATION = re.compile(r"\\?[^A-Za-z0-9\s]")
_IN_LETTERS = {
    r"\,": r"\thinspace ", r"\:": r"\medspace ", r"\;": r"\thickspace ", r"\!": r"\negthinspace ", r"\{": r"\lbrace ",
    r"\}": r"\rbrace ", "|": r"\vert ", r"\|": r"\vert ",
}  # fmt: skip
_BREAK = " \\\\\n"
_NOT_IN_ADDRESS = re.compile(r"[^A-Za-z0-9/:?=.,;@+!()*'%&#-]")


def escaped(text: object) -> str:
    """Return a text so that Markdown prints it as it is, on one line."""
    shown = str(text)
    return _cached(shown) if len(shown) <= LONGEST_CACHED else _escaped(shown)


def _escaped(text: str) -> str:
    line = _MARKUP.sub(lambda sign: f"\\{sign[0]}", " ".join(text.split()))
    return _NUMBERED.sub(r"\1\\\2", line)


_cached = cached(maxsize=MOST_CACHED)(_escaped)


def md_url(url: object) -> str:
    """Return an address for Markdown's `<...>`: what could end it is written as its code."""
    return _NOT_IN_ADDRESS.sub(lambda sign: quote(sign[0], safe=""), str(url))


def math(formula: object) -> str:
    """Return a formula inside a line, or the text itself as code where it is none."""
    return _inline(str(formula)) if isinstance(formula, Formula) or is_formula(str(formula)) else code(formula)


@cached(maxsize=MOST_CACHED)
def _inline(latex: str) -> str:
    r"""Return LaTeX as code between dollar signs, with commands in letters, which survive without it as well.

    A percent sign has no command in letters that MathJax and KaTeX know, so `\%` stays: code keeps its backslash.
    """
    shown = _PUNCTUATION.sub(lambda command: _IN_LETTERS.get(command[0], command[0]), latex)
    return f"$`{shown}`$"


def code(text: object) -> str:
    """Return a text as code on one line, also in a table."""
    return f"`{' '.join(str(text).split()).replace('`', chr(39)).replace('|', ' ')}`"


def display(formula: object, margin: int = 0) -> str:
    """Return a formula in a block of its own, inside a list behind a margin of so many blanks."""
    return aligned([str(formula)], margin)


def aligned(lines: Iterable[str], margin: int = 0) -> str:
    """Return lines in a block, one below the other, each with its `&` under that of the first; one alone as it is."""
    return _aligned(tuple(map(str, lines)), margin)


@cached(maxsize=MOST_CACHED)
def _aligned(lines: tuple[str, ...], margin: int) -> str:
    given = [line.replace(" \\\\ ", _BREAK) for line in lines]
    shown = given[0] if is_single(given) else f"\\begin{{aligned}}\n{_BREAK.join(given)}\n\\end{{aligned}}"
    return indent(f"```math\n{shown}\n```", " " * margin)


def in_dollars(page: str) -> str:
    """Return a page with its formulas between dollar signs, as notebooks read them."""
    return _INLINE.sub(r"$\1$", _BLOCK.sub(r"\1$$\n\2\n\1$$", page))


_FILTERS: dict[str, Callable[..., str]] = {
    "md": escaped, "url": md_url, "rule": markdown_rule, "math": math, "display": display, "aligned": aligned,
}  # fmt: skip
FORM = TextForm(escaped, _FILTERS, automatic=False)
