r"""Long formulas in LaTeX, broken at their own `+` and `-`, so that a page holds them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDEST = 90  # letters that a page of a usual width holds
NARROWEST = 30  # letters of a row inside a formula
COLUMN = re.compile(r"(?<!\\)&")
FRACTION, _ROW = r"\frac{", r" \\ "
_FRACTION = re.compile(re.escape(FRACTION))
_OPENING = re.compile(r"\\frac\{|\\sqrt\{|\\left(?![a-z])(?:\\[A-Za-z]+|.)")
_DELIMITER = re.compile(r"\\(left|right)(?![a-z])")
_ROWS = re.compile(r" \\\\ (?:\\quad )?")
_ARRAY = re.compile(r"(?<!\\)\\begin\{array\}\{l\} ((?:(?!\\begin\{array\}).)*?) \\end\{array\}")
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


def displayed(left: str, sign: str, right: str) -> tuple[str, ...]:
    """Return a relation that stands alone as lines; where there are several, they are aligned at `&`."""
    (start, *more), (first, *others) = pieces(left), pieces(right)
    if not more and not others:
        return (f"{start} {sign} {first}",)
    if width(left) + width(first) > WIDEST:  # the right side begins a line of its own
        lines = [start, *(rf"\quad {each}" for each in more), rf"{sign} {first}"]
        return tuple(f"&{each}" for each in (*lines, *(rf"\quad {other}" for other in others)))
    return (rf"{start} &{sign} {first}", *(rf"&\quad {other}" for other in others))


def aligned(lines: Iterable[str]) -> str:
    """Return lines one below the other, each with its `&` under that of the first; one alone as it is."""
    given = list(lines)
    return given[0] if stands_alone(given) else rf"\begin{{aligned}} {_ROW.join(given)} \end{{aligned}}"


def stands_alone(lines: list[str]) -> bool:
    """Whether lines are one only, without columns."""
    return len(lines) == 1 and not COLUMN.search(lines[0])


@lru_cache(maxsize=4096)
def pieces(side: str, widest: int = WIDEST) -> tuple[str, ...]:
    """Return a side in pieces no wider than a page: broken at its own sums, then in brackets, then at products."""
    if len(side) <= widest or width(side) <= widest:
        return (side,)
    parts = terms(side)
    if len(parts) == 1:
        narrow = _narrowed(side, widest)
        parts = factors(side) if narrow == side else [narrow]
    else:
        parts = [_narrowed(each, widest) for each in parts]
    return tuple(_filled(parts, " ", widest))


def _filled(parts: Iterable[str], joint: str, widest: int) -> list[str]:
    """Return lines with as many parts on each as it holds."""
    found: list[str] = []
    for part in parts:
        if found and width(f"{found[-1]}{joint}{part}") <= widest:
            found[-1] += f"{joint}{part}"
        else:
            found.append(part)
    return found


def _narrowed(term: str, widest: int) -> str:
    """Return a term with the sums and lists in its brackets and fractions over several rows, where it is too wide."""
    whole = width(term)
    if whole <= widest:
        return term
    for start, end in reversed(list(_bodies(term))):
        body = term[start:end]
        rows = _rows(body, max(widest - whole + width(body), NARROWEST))
        shown = rows[0] if len(rows) == 1 else rf"\begin{{array}}{{l}} {_ROW.join(rows)} \end{{array}}"
        term = f"{term[:start]}{shown}{term[end:]}"
    return term


def _rows(body: str, widest: int) -> list[str]:
    """Return what stands in brackets or above a bar as rows: items of a list, and terms."""
    if width(body) <= widest:
        return [body]
    parts: list[str] = []
    for item in _divided(body, ", "):
        first, *others = pieces(item, widest)
        parts = [*parts[:-1], *(f"{each}," for each in parts[-1:]), first, *(rf"\quad {other}" for other in others)]
    return _filled(parts, " ", widest)


def _bodies(side: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of what stands in the outermost brackets, roots and halves of fractions."""
    at = 0
    while found := _OPENING.search(side, at):
        start, at = found.end(), _end(side, found.end())
        braced = side[start] == "{" and _end(side, start + 1) == at - 1  # as a ceiling has
        yield start + braced, at - 1 - braced
        if found[0] == FRACTION:
            start, at = at + 1, _end(side, at + 1)
            yield start, at - 1


def factors(side: str) -> list[str]:
    r"""Return the factors of a product of numbers, each but the first with the `\cdot` before it."""
    first, *others = _divided(side, r" \cdot ")
    return [first, *(rf"\cdot {other}" for other in others)]


def _divided(side: str, joint: str) -> list[str]:
    """Return the parts of a text between joints that stand in no bracket or brace."""
    depth, start, found = 0, 0, []
    for place in range(len(side)):
        if depth == 0 and side.startswith(joint, place):
            found.append(side[start:place])
            start = place + len(joint)
        depth += _opens(side, place)
    return [*found, side[start:]]


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
        found = _DELIMITER.match(side, place)
        return 0 if found is None else 1 if found[1] == "left" else -1
    if side[max(place - 1, 0)] == "\\":
        return 0
    return (side[place] == "{") - (side[place] == "}")


def in_one_row(latex: str) -> str:
    """Return a formula whose brackets and fractions hold no rows."""
    while rows := _ARRAY.search(latex):
        latex = f"{latex[: rows.start()]}{_ROWS.sub(' ', rows[1])}{latex[rows.end() :]}"
    return latex


def width(latex: str) -> int:
    """Return about how many digits wide a formula is: of a fraction, the wider of its parts; capitals are wider."""
    flat = _flat(latex)
    return len(flat) + 2 * sum(map(str.isupper, flat)) // 5


def _flat(latex: str) -> str:
    """Return the letters that take up width: of rows, those of the widest."""
    while rows := _ARRAY.search(latex):
        latex = latex[: rows.start()] + max(map(_flat, rows[1].split(_ROW)), key=len) + latex[rows.end() :]
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
    while depth and start < len(latex):
        depth += _opens(latex, start)
        start += 1
    return start
