r"""Reads formulas that people write in LaTeX: symbols of cells, and formulas of templates.

The commands are listed: none of them reads files, defines others, or ends the formula that it stands in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.layout import nodes
from flopsheet.layout.latex import ACCENTS, DELIMITERS, FONTS, FRACTIONS, SIGNS, SIZES, SPACES, SYMBOL_SIGNS
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.layout.nodes import Node

DEEPEST, MOST_CACHED = 40, 16_384
SYMBOL_COMMANDS = frozenset((*",;:! ", *SYMBOL_SIGNS, *FONTS, *ACCENTS, *FRACTIONS, "sqrt"))
COMMANDS = frozenset((*SIGNS, *SIZES, *SPACES, *SYMBOL_COMMANDS, "left", "right"))
_PIECE = re.compile(r"\\(?:[A-Za-z]+|.)|\d+(?:\{,\}\d{3})*(?:\.\d+)?|'+|.", re.DOTALL)
_REFUSED = frozenset("$%#~\\`")  # beside what TeX reserves, the sign that ends code in Markdown
_ESCAPED = frozenset("%_#&{}|")


class LatexError(ValueError):
    """A LaTeX text is no formula; the message tells why."""


@cached(maxsize=MOST_CACHED)
def read(latex: str, commands: frozenset[str] = COMMANDS) -> Node:
    """Return the layout of a formula in LaTeX that uses some of these commands.

    Raises:
        LatexError: it is no formula, or uses another command.
    """
    if re.search(r"\n\s*\n", latex):
        raise LatexError("A formula has no empty lines.")
    reader = _Reader(latex, commands)
    node = reader.row("")
    if reader.left:
        raise LatexError("A brace closes that was not opened.")
    return node


class _Reader:
    """Reads pieces from left to right."""

    def __init__(self, latex: str, commands: frozenset[str]) -> None:
        self.left, self._commands, self._depth = _PIECE.findall(latex)[::-1], commands, 0

    def row(self, closing: str) -> Node:
        """Return atoms with their scripts, up to the piece that closes what was opened."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise LatexError(f"Braces and brackets are nested more than {DEEPEST} deep.")
        parts: list[Node] = []
        while self.left and self.left[-1] not in ("}", r"\right"):
            piece = self.left.pop()
            if piece[0] in "_^'":
                parts.append(self._scripted(piece, parts.pop() if parts else nodes.Row(())))
            elif not piece.isspace():
                parts.append(self._atom(piece))
        if closing:
            self._close(closing)
        self._depth -= 1
        if len(parts) == 1:
            return parts[0]
        return nodes.Row(tuple(part for part in parts if not isinstance(part, nodes.Sign) or part.text))

    def _close(self, closing: str) -> None:
        if not self.left or self.left.pop() != closing:
            raise LatexError("A brace is not closed." if closing == "}" else rf"'{closing}' is missing.")

    def _scripted(self, piece: str, base: Node) -> Node:
        """Return a base with a script; one that has this script already would have it twice."""
        above = piece[0] in "^'"
        below_now, above_now = (base.below, base.above) if isinstance(base, nodes.Scripts) else (None, None)
        if (above_now if above else below_now) is not None:
            sign = "^" if above else "_"
            raise LatexError(f"Two '{sign}' follow the same letter; put the first part in braces.")
        script = nodes.Sign("′" * len(piece)) if piece[0] == "'" else self._script(piece)
        inner = base.base if isinstance(base, nodes.Scripts) else base
        return nodes.Scripts(inner, below_now if above else script, script if above else above_now)

    def _script(self, sign: str) -> Node:
        following = self.left.pop() if self.left else ""
        if following in ("", "}", "_", "^") or following.isspace():
            raise LatexError(f"Nothing follows '{sign}'.")
        return self._atom(following)

    def _atom(self, piece: str) -> Node:
        if piece == "{":
            group = self.row("}")  # a row of one keeps the scripts inside of the braces apart from those behind them
            return nodes.Row((group,)) if isinstance(group, nodes.Scripts) else group
        if piece in _REFUSED or piece == "&":
            raise LatexError(f"The sign '{piece}' is not allowed.")
        if not piece.startswith("\\"):
            return nodes.Number(piece.replace("{,}", ",")) if piece[0].isdigit() else nodes.Sign(piece)
        name = piece[1:]
        if name in _ESCAPED:
            return nodes.Sign(name)
        if name not in self._commands:
            raise LatexError(rf"The command '\{name}' is not allowed.")
        method = _METHODS.get(name)
        return method(self, name) if method else nodes.Sign(SPACES.get(name, SIGNS.get(name, "")))

    def _group(self, name: str) -> Node:
        self._open(name)
        return self.row("}")

    def _open(self, name: str) -> None:
        if not self.left or self.left.pop() != "{":
            raise LatexError(rf"The command '\{name}' needs braces behind it.")

    def fraction(self, name: str) -> Node:
        return nodes.Fraction(self._group(name), self._group(name), bar=name != "binom")

    def root(self, name: str) -> Node:
        degree = ""
        if self.left and self.left[-1] == "[":
            self.left.pop()
            while self.left and self.left[-1].isalnum():
                degree += self.left.pop()
            self._close("]")
        return nodes.Root(self._group(name), degree)

    def fenced(self, _: str) -> Node:
        opening = self._delimiter()
        return nodes.Fenced(opening, self.row(r"\right"), self._delimiter())

    def _delimiter(self) -> str:
        piece = self.left.pop() if self.left else ""
        if piece not in DELIMITERS:
            raise LatexError(f"'{piece}' is not a delimiter.")
        return DELIMITERS[piece]

    def style(self, name: str) -> Node:
        return nodes.Style(name, self._group(name))

    def words(self, name: str) -> nodes.Words:
        self._open(name)
        depth, text = 1, ""
        while self.left:
            piece = self.left.pop()
            depth += {"{": 1, "}": -1}.get(piece, 0)
            if depth == 0:
                return nodes.Words(text)
            if piece in _REFUSED or (piece.startswith("\\") and piece[1:] not in (*_ESCAPED, *SPACES)):
                raise LatexError(f"'{piece}' is not allowed in a text.")
            text += SPACES.get(piece[1:], piece[1:]) if piece.startswith("\\") else piece.strip("{}")
        raise LatexError("A brace is not closed.")

    def upright(self, name: str) -> Node:
        """Return a word or a unit, which are no products of their letters, or else a formula in upright letters."""
        left = list(self.left)
        body = self._group(name)
        parts = body.parts if isinstance(body, nodes.Row) else (body,)
        if not all(isinstance(part, nodes.Sign | nodes.Number) for part in parts):
            return nodes.Style(name, body)
        self.left = left
        return nodes.Unit((self.words(name).text,))


_METHODS: dict[str, Callable[[_Reader, str], Node]] = {
    **dict.fromkeys(FRACTIONS, _Reader.fraction),
    **dict.fromkeys((*FONTS, *ACCENTS), _Reader.style),
    "sqrt": _Reader.root,
    "left": _Reader.fenced,
    "text": _Reader.words,
    "mathrm": _Reader.upright,
}
