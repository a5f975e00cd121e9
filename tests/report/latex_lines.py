"""Takes apart the lines of LaTeX that write-ups print: terms of sums, and rows inside of brackets and fractions."""

from __future__ import annotations

import re

_ARRAY = re.compile(r"(?<!\\)\\begin\{array\}\{l\} ((?:(?!\\begin\{array\}).)*?) \\end\{array\}", re.DOTALL)
_ROWS = re.compile(r" \\\\\s+(?:\\quad )?")
_DELIMITER = re.compile(r"\\(left|right)(?![a-z])")


def in_one_row(latex: str) -> str:
    """Return a formula whose brackets and fractions hold no rows."""
    while rows := _ARRAY.search(latex):
        latex = f"{latex[: rows.start()]}{_ROWS.sub(' ', rows[1])}{latex[rows.end() :]}"
    return latex


def terms(side: str) -> list[str]:
    """Return the terms of a sum, each with the sign before it; signs inside brackets and braces stay."""
    depth, start, terms = 0, 0, []
    for place, letter in enumerate(side):
        depth += _opens(side, place)
        if depth == 0 and letter in "+-" and side[place - 1 : place + 2] == f" {letter} ":
            terms.append(side[start : place - 1])
            start = place
    return [*terms, side[start:]]


def _opens(side: str, place: int) -> int:
    r"""Return 1 where a brace or `\left` opens at a place, -1 where one closes, else 0."""
    if side[place] == "\\":
        match = _DELIMITER.match(side, place)
        return 0 if match is None else 1 if match[1] == "left" else -1
    if side[max(place - 1, 0)] == "\\":
        return 0
    return (side[place] == "{") - (side[place] == "}")
