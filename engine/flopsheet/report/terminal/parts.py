"""Parts of a screen: lists of which some entries may be left out where the screen has too few lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flopsheet.report.terminal.console import MINOR, Line, paragraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass
class Part:
    """Lines of a screen under each other, some of which may be left out."""

    entries: list[list[Line]]  # each of one line or more
    head: list[Line] = field(default_factory=list)
    least: int | None = None  # how many entries stay at least; None for all
    noun: str = ""  # what an entry is
    where: str = ""  # what shows all of them
    last: Sequence[int] = ()  # the entries that are left out first, in this order
    note: list[Line] = field(default_factory=list)  # after the entries
    inline: bool = False  # whether those left out are counted where the first of them was, not after the last entry
    width: int = 0
    rank: int = 0  # parts of a lower rank are cut first
    rest: int = 0  # further ones, which are no entries
    hinted: bool = False  # whether another part names what shows all, so that nothing is said where none is shown

    def __post_init__(self) -> None:
        first = [place for place in self.last if place < len(self.entries)]
        others = [place for place in reversed(range(len(self.entries))) if place not in first]
        self._order, self._cut = [*first, *others], set[int]()

    @property
    def is_long(self) -> bool:
        """Whether an entry may be left out."""
        return self.least is not None and len(self.entries) - len(self._cut) > self.least

    def cut(self) -> None:
        """Leave out an entry."""
        self._cut.add(self._order[len(self._cut)])

    @property
    def lines(self) -> list[Line]:
        """The lines that are shown, with how many entries are left out."""
        count, shown = len(self._cut) + self.rest, list[Line]()
        others = f"more {self.noun}" if len(self._cut) < len(self.entries) else self.noun
        text = f"… {count} {others}{'' if count == 1 else 's'}: {self.where}."
        more = paragraph(text, self.width, MINOR) if count else []
        for place, entry in enumerate(self.entries):
            if place not in self._cut:
                shown += entry
            elif self.inline and place == min(self._cut, default=-1):
                shown += more
        after = [] if self.inline else more
        return [*self.head, *shown, *after, *self.note] if shown else [] if self.hinted else after


def screen(parts: Iterable[Part], most: int | None) -> list[Line]:
    """Return the lines of parts with a blank line between them; of at most so many lines where they may be cut."""
    parts = [part for part in parts if part.lines]
    while most is not None and sum(len(part.lines) + 1 for part in parts) - 1 > most:
        long = [part for part in parts if part.is_long]
        if not long:
            break
        min(long, key=lambda part: part.rank).cut()
        parts = [part for part in parts if part.lines]
    lines = list[Line]()
    for part in parts:
        lines += [Line(""), *part.lines] if lines else part.lines
    return lines


def texts_part(texts: Iterable[str], width: int, style: str = "", **how: Any) -> Part:
    """Return a part of paragraphs, with other fields of a part."""
    return Part([paragraph(text, width, style) for text in texts if text], width=width, **how)
