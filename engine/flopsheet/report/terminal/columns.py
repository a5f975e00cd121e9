"""Texts and tables that fit a width: lines break between words, tables drop columns, and numbers stay whole."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import joined, readable
from flopsheet.report.numeric import GAPS, has_numbers, is_number, is_numeric

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WIDTH, NARROWEST, WIDEST = 120, 40, 500
GAP, NARROW_GAP, MOST_NAMED = 3, 2, 4  # blanks between columns; names of columns in a note
NARROW_TEXT = 24  # a column of texts is not narrower, unless its texts are
_SPACE = re.compile(r"\s+")
# Blanks at which no line breaks: before a unit, after the sign of a relation, before a number with a sign.
_UNIT = re.compile(
    r"(?:(?<=[\d⁰-⁹¹²³])|(?<=\d[MBT])) (?=[^\s\d(=<>+*/-])"
    r"|(?<= [=<>]) (?=-?\d)|(?<= [<>]=) (?=-?\d)|(?<=\w) (?=[+-]\d)"
)
_PART = r"-?\d[^\s,()]*(?: [^\s\d,()]+)?"  # a number, with its unit
_TUPLE = re.compile(rf"\((?:{_PART}, )+{_PART}\)")  # no line breaks inside of (8, 1, 64)
_RELATION = re.compile(r"'[^']+'|[A-Za-z][\w.]* = -?\w[\w.,]*\w")  # nor in a relation that fits on half of a line
_SPLIT = re.compile(r"(?<=[^\d\s][/_.=&?)*,])(?=[^\s\d])")  # where a word breaks that is too long for its line
_CLAUSE = re.compile(r"[:;,] | [(]")
_NAMES = re.compile(
    r"(?:(?<=[ :])|^)(?P<first>(?:[A-Za-z][\w.-]*, ){3})(?P<more>(?:[A-Za-z][\w.-]*, )+[A-Za-z][\w.-]*) and "
)
_RELATIONS = re.compile(r"(?P<first>(?:'[^']*', ){2})(?P<more>(?:'[^']*', )+'[^']*') and (?=')")
_GLUE = "\0"


class Layout(NamedTuple):
    """A table as lines."""

    head: list[str]  # the names of the columns, and a rule
    rows: list[list[str]]  # the lines of each row
    left_out: list[str]  # the columns that do not fit

    @property
    def note(self) -> str:
        """How many columns are left out, as a sentence; empty for none."""
        count = len(self.left_out)
        names = folded(self.left_out, MOST_NAMED)
        return f"{count} column{'' if count == 1 else 's'} not shown at this width: {names}." if count else ""


def output_width(default: int | None = WIDTH) -> int | None:
    """Return the width of standard output: of its terminal, or as COLUMNS states; else the default."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and len(columns) < 10 else 0
    try:
        width = width or (os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0)
    except (OSError, ValueError):
        width = 0
    return min(max(width, NARROWEST), WIDEST) if width else default


def folded(names: Sequence[str], most: int) -> str:
    """Return names with commas between; of more than one too many only the first, and how many others."""
    if len(names) <= most + 1:
        return ", ".join(names)
    return joined([*names[:most], f"{len(names) - most} others"])


def brief(text: str) -> str:
    """Return a text in which long lists of names and of relations are folded: the first ones, how many, the last."""
    for pattern in (_NAMES, _RELATIONS):
        text = pattern.sub(_folded, text)
    return text


def _folded(match: re.Match[str]) -> str:
    joint = "', " if match["more"].startswith("'") else ", "
    return f"{match['first']}{match['more'].count(joint) + 1} others and "


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return a text as lines, later ones indented; no number is broken, or parted from its unit."""
    lines, line = list[str](), ""
    for word in _words(text, width - len(indent)):
        longer = f"{line} {word.text}" if line.strip() and word.spaced else line + word.text
        if len(longer) > width and line.strip():
            lines.append(line)
            longer = indent + word.text
        line = longer
    return [part.replace(_GLUE, " ") for part in (*lines, line)]


def shortened(text: str, width: int) -> list[str]:
    """Return a text where it fits on one line, else its first clause, on as many lines as that takes."""
    lines = wrapped(text, width)
    return lines if len(lines) == 1 else wrapped(_CLAUSE.split(text)[0], width)


class _Word(NamedTuple):
    text: str
    spaced: bool  # whether a blank comes before it


def _words(text: str, width: int) -> Iterator[_Word]:
    """Yield the parts of a text between which a line may break: a number and its unit are one."""
    whole = _TUPLE.sub(_glued, _SPACE.sub(" ", text.strip()))
    whole = _RELATION.sub(lambda found: _glued(found) if 2 * len(found[0]) <= width else found[0], whole)
    for word in _UNIT.sub(_GLUE, whole).split(" "):
        parts = _SPLIT.split(word) if len(word) > width else [word]
        yield from (_Word(part, spaced=place == 0) for place, part in enumerate(parts))


def _glued(found: re.Match[str]) -> str:
    return found[0].replace(" ", _GLUE)


def layout(  # noqa: PLR0913  # how a table may be fitted
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    least: Iterable[str] = (),
    *,
    keep: int = 1,
    short: bool = False,
    narrow: int = NARROW_TEXT,
) -> Layout:
    """Return a table that fits a width: texts are wrapped, or `short`ened to a clause; columns that do not fit dropped.

    Args:
        head: the names of the columns.
        rows: a text for each column.
        width: the width; None for any.
        least: the columns that are dropped first, in this order; then the last ones.
        keep: how many columns at the start are never dropped.
        short: whether texts that do not fit on a line end with their first clause.
        narrow: how narrow a column of texts may become.
    """
    texts = [[readable(_SPACE.sub(" ", cell)) for cell in row] for row in (head, *rows)]
    columns = list(zip(*texts, strict=True))
    numeric = [is_numeric(column[1:]) for column in columns]
    right = [has_numbers(column[1:]) for column in columns]
    shown, left_out = list(range(len(columns))), list[int]()
    order = [place for name in least for place in shown if head[place] == name]
    order += [place for place in reversed(shown) if place not in order]
    order = [place for place in order if place >= keep]

    natural = sum(max(map(len, column)) + GAP for column in columns) - GAP
    gap = GAP if width is None or natural <= width else NARROW_GAP

    def widths_of(shown: Sequence[int]) -> list[int] | None:
        room = None if width is None else width - gap * (len(shown) - 1)
        sides = [numeric[place] for place in shown]
        return _widths([columns[place] for place in shown], sides, room, narrow, evenly=not short)

    while widths_of(shown) is None and order:
        left_out.append(order.pop(0))
        shown.remove(left_out[-1])
    for place in left_out[-2::-1]:  # what has been dropped before a wider column may fit after all
        if widths_of(sorted([*shown, place])) is not None:
            shown = sorted([*shown, place])
            left_out.remove(place)
    widths = widths_of(shown) or [max(map(len, columns[place])) for place in shown]
    joint, (head_texts, *cells) = " " * gap, [[row[place] for place in shown] for row in texts]
    first = _row(head_texts, widths, [right[place] for place in shown], joint)
    sides = [
        [numeric[place] or (right[place] and (row[place] in GAPS or is_number(row[place]))) for place in shown]
        for row in texts[1:]
    ]
    others = [_row(row, widths, side, joint, short=short) for row, side in zip(cells, sides, strict=True)]
    rule = "─" * (sum(widths) + gap * (len(widths) - 1))
    return Layout([*first, rule], others, [texts[0][place] for place in left_out])


def _widths(
    columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None, narrow: int, *, evenly: bool
) -> list[int] | None:
    """Return the widths of columns; None where they do not fit.

    Those of texts are narrowed from the last one, or where texts are wrapped, `evenly`: always the widest.
    """
    widths, narrowest = [max(map(len, column)) for column in columns], list[int]()
    for place, (name, *cells) in enumerate(columns):
        widest = map(len, cells) if numeric[place] else [narrow, *(_longest_word(cell, narrow) for cell in cells)]
        narrowest.append(min(widths[place], max(_longest_word(name, NARROW_TEXT), *widest, 1)))
    surplus = 0 if width is None else sum(widths) - width
    while surplus > 0:
        wide = [place for place in range(len(widths)) if widths[place] > narrowest[place]]
        if not wide:
            return None
        place = max(wide, key=lambda place: (widths[place], place)) if evenly else wide[-1]
        step = 1 if evenly else min(surplus, widths[place] - narrowest[place])
        widths[place], surplus = widths[place] - step, surplus - step
    return widths


def _longest_word(text: str, width: int) -> int:
    return max((len(word.text) for word in _words(text, width)), default=0)


def _row(
    cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], joint: str, *, short: bool = False
) -> list[str]:
    """Return the lines of a row, its numbers at the right of their columns."""
    parts = [(shortened if short else wrapped)(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = list[str]()
    for place in range(max(map(len, parts))):
        line = [part[place] if place < len(part) else "" for part in parts]
        aligned = [
            text.rjust(width) if numeric else text.ljust(width)
            for text, width, numeric in zip(line, widths, right, strict=True)
        ]
        lines.append(joint.join(aligned).rstrip())
    return lines
