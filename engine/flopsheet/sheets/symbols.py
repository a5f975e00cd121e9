"""LaTeX symbols of cells: a name with scripts and accents, and nothing that could end the formula that holds it."""

from __future__ import annotations

import re

from flopsheet.layout.reader import SYMBOL_COMMANDS, LatexError, read
from flopsheet.session import cached

LONGEST_SYMBOL = 120
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[,;:! %_]|[A-Za-z0-9 .,+\-*/()=!:;{}_^']")


@cached(maxsize=65536)
def symbol_problem(latex: str) -> str:
    """Return what is wrong with a symbol in LaTeX; empty if nothing is."""
    rest = _TOKEN.sub("", latex)
    if rest:
        return f"A symbol cannot contain '{rest[0]}'."
    if not latex.strip() or len(latex) > LONGEST_SYMBOL:
        return f"A symbol has between 1 and {LONGEST_SYMBOL} characters."
    try:
        read(latex, SYMBOL_COMMANDS)
    except LatexError as error:
        return str(error)
    return ""
