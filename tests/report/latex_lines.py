"""Takes apart the lines of LaTeX that write-ups print: terms of sums, and rows inside of brackets and fractions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARRAY = re.compile(r"(?<!\\)\\begin\{array\}\{l\} ((?:(?!\\begin\{array\}).)*?) \\end\{array\}", re.DOTALL)
_ROWS = re.compile(r" \\\\\s+(?:\\quad )?")
_RELATIONS = ("= ", r"\ge ", r"\le ", "< ", "> ")
_DELIMITER = re.compile(r"\\(left|right)(?![a-z])")


def lines_of(page: str) -> Iterator[str]:
    """Yield the lines of a page, those of an array together."""
    whole = ""
    for line in page.splitlines():
        whole = f"{whole} {line.strip()}" if whole else line
        if whole.count(r"\begin{array}") == whole.count(r"\end{array}"):
            yield whole
            whole = ""


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


def relations(line: str) -> list[str]:
    """Return a line of several relations as one line for each: the first with the left side, others with their sign."""
    depth, start, lines = 0, 0, []
    for place in range(len(line)):
        depth += _opens(line, place)
        if depth == 0 and line[place - 1 : place] == " " and line.startswith(_RELATIONS, place) and "&" in line[:place]:
            lines.append(line[start:place].strip())
            start = place
    first, *others = [*lines, line[start:].strip()]
    return [first, *(f"&{other}" for other in others)]


def _opens(side: str, place: int) -> int:
    r"""Return 1 where a brace or `\left` opens at a place, -1 where one closes, else 0."""
    if side[place] == "\\":
        match = _DELIMITER.match(side, place)
        return 0 if match is None else 1 if match[1] == "left" else -1
    if side[max(place - 1, 0)] == "\\":
        return 0
    return (side[place] == "{") - (side[place] == "}")
