"""LaTeX symbols of cells: a name with scripts and accents, and nothing that could end the formula it stands in."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_SYMBOL = 120
_LETTERS = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho
    sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell
    hbar partial nabla infty aleph imath jmath Re Im wp prime dagger ddagger star ast circ bullet oplus ominus otimes
    odot cdot cdots ldots dots times div pm mp le leq ge geq ne neq approx equiv sim simeq propto to gets parallel perp
    leftarrow rightarrow Leftarrow Rightarrow leftrightarrow uparrow downarrow mapsto emptyset triangle square top bot
    angle wedge vee max min sup inf log ln lg exp sin cos tan arcsin arccos arctan
"""
LETTERS = frozenset(_LETTERS.split())
WORDS = frozenset(("text", "mathrm", "mathit", "mathbf", "mathsf", "mathtt", "mathcal", "mathbb", "operatorname"))
ACCENTS = frozenset(
    ("hat", "bar", "tilde", "dot", "ddot", "vec", "overline", "underline", "widehat", "widetilde", "acute", "grave")
)
_PARTS = {**dict.fromkeys((*WORDS, *ACCENTS, "sqrt"), 1), **dict.fromkeys(("frac", "dfrac", "tfrac", "binom"), 2)}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[,;:! %_]|'+|[A-Za-z0-9 .,+\-*/()=!:;{}_^]")


@lru_cache(maxsize=65536)
def symbol_problem(latex: str) -> str:
    """Return what is wrong with a symbol in LaTeX; empty if nothing is."""
    tokens = _TOKEN.findall(latex)
    if "".join(tokens) != latex:
        rest = _TOKEN.sub("", latex)[:1]
        return f"The sign '{rest}' has no place in a symbol."
    if not latex.strip() or len(latex) > LONGEST_SYMBOL:
        return f"A symbol has between 1 and {LONGEST_SYMBOL} characters."
    reader = _Reader(tokens)
    reader.row(closing=False)
    return reader.problem


class _Reader:
    """Reads tokens from left to right; stops at the first problem.

    Args:
        tokens: the tokens.
    """

    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens[::-1]
        self.problem = ""

    def row(self, *, closing: bool) -> None:
        """Read atoms with their scripts, up to the closing brace where one was opened."""
        scripts = ""
        while self.left and not self.problem:
            piece = self.left.pop()
            if piece == "}":
                self.problem = "" if closing else "A brace closes that was not opened."
                return
            if piece[0] in "_^'":
                sign = "^" if piece[0] == "'" else piece
                if sign in scripts:
                    self.problem = f"Two '{sign}' stand behind the same letter; put the first part in braces."
                scripts += sign
                if piece[0] != "'":
                    self._script(piece)
            else:
                scripts = ""
                self._atom(piece)
        if closing and not self.problem:
            self.problem = "A brace is not closed."

    def _script(self, piece: str) -> None:
        following = self.left.pop() if self.left else ""
        if following in ("", "}", "_", "^", " "):
            self.problem = f"Nothing stands behind '{piece}'."
        else:
            self._atom(following)

    def _atom(self, piece: str) -> None:
        name = piece[1:]
        if piece == "{":
            self.row(closing=True)
        elif piece.startswith("\\") and name.isalpha() and name not in LETTERS:
            self._command(name)

    def _command(self, name: str) -> None:
        if name not in _PARTS:
            self.problem = rf"The command '\{name}' has no place in a symbol."
        for _ in range(_PARTS.get(name, 0)):
            if not self.problem and (not self.left or self.left.pop() != "{"):
                self.problem = rf"The command '\{name}' needs braces behind it."
            elif not self.problem:
                self.row(closing=True)
