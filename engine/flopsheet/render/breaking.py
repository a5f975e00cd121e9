r"""Long formulas in LaTeX, broken at their own `+` and `-`, so that a page holds them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDEST = 90  # letters that a page of a usual width holds
_FRACTION = re.compile(r"\\frac\{")
_UPRIGHT = re.compile(r"\\(?:text|mathrm)\{")
_COMMAND = re.compile(r"\\(?:left|right|,|\s)|\\(?=[%_$])")
_WORD = re.compile(r"\\(?=max|min|arc|sin|cos|tan|log|bmod)")
_LETTER = re.compile(r"\\[A-Za-z]+ ?")


def broken(sides: Iterable[str], sign: str) -> list[str]:
    """Return the sides of a chain of relations as aligned lines, `&` before each sign, long ones over several lines.

    Args:
        sides: the right-hand sides in LaTeX, one under the other.
        sign: the relation's sign in LaTeX.
    """
    lines = []
    for side in sides:
        first, *others = pieces(side)
        lines += [f"&{sign} {first}", *(rf"&\quad {other}" for other in others)]
    return lines


def displayed(left: str, sign: str, right: str) -> str:
    """Return a relation that stands alone, a long right side over several lines."""
    first, *others = pieces(right)
    if not others:
        return f"{left} {sign} {right}"
    lines = [rf"{left} &{sign} {first}", *(rf"&\quad {other}" for other in others)]
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


@lru_cache(maxsize=4096)
def pieces(side: str, widest: int = WIDEST) -> tuple[str, ...]:
    """Return a side in pieces no wider than a page where its own sums allow, each but the first from its sign on."""
    if len(side) <= widest or width(side) <= widest:
        return (side,)
    found: list[str] = []
    for term in terms(side):
        if found and width(f"{found[-1]} {term}") <= widest:
            found[-1] += f" {term}"
        else:
            found.append(term)
    return tuple(found)


def terms(side: str) -> list[str]:
    """Return the terms of a sum, each with the sign before it; signs inside brackets and braces stay."""
    depth, start, found = 0, 0, []
    for place, letter in enumerate(side):
        depth += _opens(side, place)
        if depth == 0 and letter in "+-" and side[place - 1 : place + 2] == f" {letter} ":
            found.append(side[start : place - 1])
            start = place
    return [*found, side[start:]]


def _opens(side: str, place: int) -> int:
    r"""Return 1 where a brace or `\left` opens at a place, -1 where one closes, else 0."""
    if side[place] == "\\":
        return side.startswith(r"\left", place) - side.startswith(r"\right", place)
    return (side[place] == "{") - (side[place] == "}")


def width(latex: str) -> int:
    """Return about how many letters wide a formula is: of a fraction, the wider of its parts."""
    return len(_flat(latex))


def _flat(latex: str) -> str:
    """Return the letters that take up width."""
    while match := _FRACTION.search(latex):
        middle = _end(latex, match.end())
        last = _end(latex, middle + 1)
        parts = _flat(latex[match.end() : middle - 1]), _flat(latex[middle + 1 : last - 1])
        latex = latex[: match.start()] + max(parts, key=len) + latex[last:]
    latex = _COMMAND.sub("", _UPRIGHT.sub("{", _WORD.sub("", latex)))
    return re.sub(r"[{}^_]", "", _LETTER.sub("x", latex))


def _end(latex: str, start: int) -> int:
    """Return the place behind the brace that closes the one before a place."""
    depth = 1
    while depth:
        depth += _opens(latex, start)
        start += 1
    return start
