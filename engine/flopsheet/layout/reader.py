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
_REFUSED = frozenset("$%#~\\")
_ESCAPED = frozenset("%_#&{}|")


class LatexError(ValueError):
    """A LaTeX text is no formula; the message tells why."""


@cached(maxsize=MOST_CACHED)
def read(latex: str, commands: frozenset[str] = COMMANDS) -> Node:
    """Return the layout of a formula in LaTeX.

    Args:
        latex: the text.
        commands: the commands that it may use.

    Raises:
        LatexError: it is no formula, or uses another command.
    """
    if re.search(r"\n\s*\n", latex):
        raise LatexError("A formula has no empty lines.")
    return _Reader(latex, commands).all()


class _Reader:
    """Reads pieces from left to right."""

    def __init__(self, latex: str, commands: frozenset[str]) -> None:
        self._left, self._commands, self._depth = _PIECE.findall(latex)[::-1], commands, 0

    def all(self) -> Node:
        """Return the whole formula."""
        node = self._row("")
        if self._left:
            raise LatexError("A brace closes that was not opened.")
        return node

    def _row(self, closing: str) -> Node:
        """Return atoms with their scripts, up to the piece that closes what was opened."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise LatexError(f"Braces and brackets are nested more than {DEEPEST} deep.")
        parts: list[Node] = []
        while self._left and self._left[-1] not in ("}", r"\right"):
            piece = self._left.pop()
            if piece[0] in "_^'":
                parts.append(self._scripted(piece, parts.pop() if parts else nodes.Row(())))
            elif not piece.isspace():
                parts.append(self._atom(piece))
        if closing:
            self._close(closing)
        self._depth -= 1
        return parts[0] if len(parts) == 1 else nodes.Row(tuple(part for part in parts if not _is_empty(part)))

    def _close(self, closing: str) -> None:
        if not self._left or self._left.pop() != closing:
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
        following = self._left.pop() if self._left else ""
        if following in ("", "}", "_", "^") or following.isspace():
            raise LatexError(f"Nothing follows '{sign}'.")
        return self._atom(following)

    def _atom(self, piece: str) -> Node:
        if piece == "{":
            group = self._row("}")  # a row of one keeps the scripts inside of the braces apart from those behind them
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
        way = _WAYS.get(name)
        return nodes.Sign(SPACES.get(name, SIGNS.get(name, ""))) if way is None else way(self, name)

    def group(self, name: str) -> Node:
        """Return what the braces behind a command hold."""
        self._open(name)
        return self._row("}")

    def _open(self, name: str) -> None:
        if not self._left or self._left.pop() != "{":
            raise LatexError(rf"The command '\{name}' needs braces behind it.")

    def fraction(self, name: str) -> Node:
        """Return a fraction."""
        return nodes.Fraction(self.group(name), self.group(name), bar=name != "binom")

    def root(self, name: str) -> Node:
        """Return a root with its degree."""
        degree = ""
        if self._left and self._left[-1] == "[":
            self._left.pop()
            while self._left and self._left[-1].isalnum():
                degree += self._left.pop()
            self._close("]")
        return nodes.Root(self.group(name), degree)

    def fenced(self, _: str) -> Node:
        """Return what stands between delimiters."""
        opening = self._delimiter()
        body = self._row(r"\right")
        return nodes.Fenced(opening, body, self._delimiter())

    def _delimiter(self) -> str:
        piece = self._left.pop() if self._left else ""
        if piece not in DELIMITERS:
            raise LatexError(f"'{piece}' is not a delimiter.")
        return DELIMITERS[piece]

    def style(self, name: str) -> Node:
        """Return a formula below an accent or in another font."""
        return nodes.Style(name, self.group(name))

    def words(self, name: str) -> nodes.Words:
        """Return upright text."""
        self._open(name)
        depth, text = 1, ""
        while self._left:
            piece = self._left.pop()
            depth += {"{": 1, "}": -1}.get(piece, 0)
            if depth == 0:
                return nodes.Words(text)
            if piece in _REFUSED or (piece.startswith("\\") and piece[1:] not in (*_ESCAPED, *SPACES)):
                raise LatexError(f"'{piece}' is not allowed in a text.")
            text += SPACES.get(piece[1:], piece[1:]) if piece.startswith("\\") else piece.strip("{}")
        raise LatexError("A brace is not closed.")

    def upright(self, name: str) -> Node:
        """Return a word or a unit, which are no products of their letters, or else a formula in upright letters."""
        left = list(self._left)
        body = self.group(name)
        parts = body.parts if isinstance(body, nodes.Row) else (body,)
        if not all(isinstance(part, nodes.Sign | nodes.Number) for part in parts):
            return nodes.Style(name, body)
        self._left = left
        return nodes.Unit((self.words(name).text,))


_WAYS: dict[str, Callable[[_Reader, str], Node]] = {
    **dict.fromkeys(FRACTIONS, _Reader.fraction),
    **dict.fromkeys((*FONTS, *ACCENTS), _Reader.style),
    "sqrt": _Reader.root,
    "left": _Reader.fenced,
    "text": _Reader.words,
    "mathrm": _Reader.upright,
}


def _is_empty(node: Node) -> bool:
    return isinstance(node, nodes.Sign) and not node.text
