"""A model of how GitHub shows Markdown: a CommonMark parser with tables first, then maths in what it leaves.

The parser is markdown-it-py: the tests have it already, through rich. In 54 pages with 19,130 formulas it finds the
same ones as cmark-gfm, the parser of GitHub (Python package cmarkgfm 2025.10.22).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from textwrap import dedent
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from tests.report.latex_lines import in_one_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it.token import Token

_CODE, _MARKUP = 0xE000, "\0"  # letters that stand for a piece of code and for a tag in a line of text
_IN_CODE = re.compile(r"\$([\ue000-\uf8ff])\$")
_DISPLAY = re.compile(r"\$\$([^$\0\ue000-\uf8ff]+)\$\$")
_IN_TEXT = re.compile(r"(?<![\w$])\$(?=\S)([^$\0\ue000-\uf8ff]+?)(?<=\S)\$(?![\w$])")
_FENCE = re.compile(r" *(`{3,}|\$\$)(\w*)")
_SOURCE = re.compile(r"(?<![\\`$])\$`([^`\n]+)`\$|`[^`\n]*`|(?<![\\$])\$([^$`\n]+)\$")


@dataclass
class Shown:
    """What reaches the engine that sets maths, in order, and the text around it."""

    blocks: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def dollars(self) -> list[str]:
        """The texts in which a dollar sign is left."""
        return [text for text in self.texts if "$" in text]


def shown(page: str) -> Shown:
    """Return what a page shows."""
    seen = Shown()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page):
        if token.type == "fence" and token.info.strip() == "math":
            seen.blocks.append(token.content.rstrip("\n"))
        elif token.type == "inline":
            _inline(token.children or [], seen)
    return seen


def _inline(tokens: Iterable[Token], seen: Shown) -> None:
    codes, text = list[str](), ""
    for token in tokens:
        if token.type == "code_inline":
            text += chr(_CODE + len(codes))
            codes.append(token.content)
        else:
            text += {"text": token.content, "softbreak": "\n"}.get(token.type, _MARKUP)

    def take(formulas: list[str], latex: str) -> str:
        formulas.append(latex)
        return ""

    text = _IN_CODE.sub(lambda found: take(seen.inline, codes[ord(found[1]) - _CODE]), text)
    text = _DISPLAY.sub(lambda found: take(seen.blocks, found[1].strip("\n")), text)
    seen.texts.append(_IN_TEXT.sub(lambda found: take(seen.inline, found[1]), text))


def meant(page: str) -> Shown:
    """Return the formulas that the source of a page holds, whichever signs they are between; no Markdown is parsed."""
    written, lines = Shown(), iter(page.splitlines())
    for line in lines:
        opening = _FENCE.match(line)
        if opening is None:
            pairs = _SOURCE.findall(line)
            written.inline += [in_code or in_text for in_code, in_text in pairs if in_code or in_text]
            continue
        block: list[str] = []
        while (inner := next(lines)).strip() != opening[1]:
            block.append(inner)
        if opening[2] == "math" or opening[1] == "$$":
            written.blocks.append(dedent("\n".join(block)))
    return written


def rows_of(latex: str) -> list[str]:
    r"""Return the lines of a block, one row each: without the environment, and without rows inside of brackets."""
    inner = in_one_row(latex).removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    return re.split(r" \\\\\n", inner)
