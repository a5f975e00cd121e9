"""Blocks of the sheet Search that try the first whole numbers of a count, where relations may hold in several runs.

Of several ends of runs the engine takes the first one that what was asked sets. As all numbers below are tried, one
that is found here is that end.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.report.workbook.blocks.rows import LOWER, MARK, TRIED, UPPER, ConditionRows, all_of
from flopsheet.report.workbook.live_texts import LARGEST
from flopsheet.report.workbook.solved.way import SEARCH
from flopsheet.report.workbook.solved.ways import sides_of
from flopsheet.report.workbook.writer import NO_NUMBER, number_in
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number

MOST_ROWS, LEAST_ROWS, MOST_CELLS = 96, 16, 8000  # of a block; a scenario has its share of the cells


class Scanned(NamedTuple):
    """Where a block has its results."""

    place: str  # the number, #N/A where none of those tried is such an end
    smallest: str  # whether it is the smallest that works
    largest: str  # whether it is the largest that works of those tried
    is_found: bool  # whether there is one at the inputs of the question
    is_smallest: bool  # and whether it is the smallest that works
    is_largest: bool  # and the largest of those tried
    other: str = ""  # what is taken where a search ends at a bound of the cell: the end that limits set, else #N/A
    bound: str = ""  # a test that a search ends there, with the mark in place of its result


class Scan(ConditionRows):
    """Writes the block of the first whole numbers of a count."""

    @property
    def is_needed(self) -> bool:
        """Whether relations of a range of whole numbers may hold in several runs, one of which what was asked ends."""
        way, near = self.way, self.live.question.near
        if self.name in near or not is_finite(way.cell.bounds.lower):
            return False
        if self._is_set:
            return way.kind == SEARCH
        return bool(way.relations) and not sides_of(self.live, way)

    @property
    def _is_set(self) -> bool:
        """Whether an equation sets the count: of several numbers that meet it, the first is taken."""
        return not self.way.whole

    @property
    def _asked(self) -> list[int]:
        """The places of the relations that were asked, of all where only limits bind."""
        every = range(len(self.way.relations))
        return [at for at in every if not self.way.relations[at].name] or [*every]

    def write(self) -> Scanned:
        """Write a row for each number, and the first end that what was asked sets."""
        asked = self._asked
        bounds, scenario = self.way.cell.bounds, self.model.scenario
        cells = MOST_CELLS // (1 if scenario is None else scenario.total)
        count = min(max(cells // (5 + len(self.templates)), LEAST_ROWS), MOST_ROWS)
        low = math.ceil(bounds.lower)
        numbers = [number for number in range(low, low + count) if number <= bounds.upper]
        self._head(f"{self.subject}: the first end of a run of whole numbers that a relation of the question sets")
        self.writer.text(LOWER, "what was asked holds", "narrow")
        self.writer.text(UPPER, "end of a run", "narrow")
        first, last = self.writer.line + 2, self.writer.line + 1 + len(numbers)
        known = [self._at(number) for number in numbers]
        pairs = [
            all(self._holds(self.way.relations[at], own.sides[at]) for at in asked) and self.model.has_values
            for own in known
        ]
        holds, ends = [own.holds for own in known], list[bool]()
        for at, number in enumerate(numbers):
            self.writer.row()
            self._row(str(number), number, number)
            row, is_last = self.writer.line + 1, at + 1 == len(numbers)
            tests = super()._tests(str(row))
            self.writer.formula(LOWER, f"=IFERROR({all_of([tests[own] for own in asked])},FALSE)", pairs[at])
            beside = [f"NOT(B{row - 1})"] * (at > 0) + [f"NOT(B{row + 1})"] * (not is_last)
            around = [*pairs[max(at - 1, 0) : at], *pairs[at + 1 : at + 2]]
            ends.append(holds[at] and (self._is_set or not all(around)))
            text = f"=E{row}" if self._is_set else f"=AND(E{row},OR({','.join(beside) or 'FALSE'}))"
            self.writer.formula(UPPER, text, ends[-1])
        own = self._results(numbers, holds, ends)
        return own if self._is_set else self._with_bound(own, first, last)

    def _results(self, numbers: Sequence[int], holds: Sequence[bool], ends: Sequence[bool]) -> Scanned:
        """Write the first end among the rows of some numbers, and whether none that works is smaller or larger."""
        last = self.writer.line + 1
        first = last + 1 - len(numbers)
        place = next((at for at, is_end in enumerate(ends) if is_end), None)
        self.writer.row("result", style="head")
        text = f"=INDEX(D{first}:D{last},MATCH(TRUE,C{first}:C{last},0))"
        self.writer.formula(TRIED, text, NO_NUMBER if place is None else numbers[place])
        found = self._place(TRIED, self.writer.line + 1)
        self.writer.row("smallest", style="plain")
        line = self.writer.line
        is_smallest = place is not None and not any(holds[:place])
        text = f"=IFERROR(MATCH(TRUE,E{first}:E{last},0)=MATCH(TRUE,C{first}:C{last},0),FALSE)"
        self.writer.formula(TRIED, text, is_smallest)
        self.writer.row("largest of these", style="plain")
        is_largest = place is not None and not any(holds[place + 1 :])
        text = f"=IFERROR(SUMPRODUCT((D{first}:D{last}>{found.partition('!')[2]})*E{first}:E{last})=0,FALSE)"
        self.writer.formula(TRIED, text, is_largest)
        return Scanned(
            found,
            self._place(TRIED, line + 1),
            self._place(TRIED, line + 2),
            is_found=place is not None,
            is_smallest=is_smallest,
            is_largest=is_largest,
        )

    def _with_bound(self, scanned: Scanned, first: int, last: int) -> Scanned:
        """Write what is taken where a search ends at a bound of the cell, which nothing sets then.

        It is the bound itself where the largest number works as well, and else the end of the first run, which a limit
        sets. Rows are those of the numbers.
        """
        bounds, is_upper = self.way.cell.bounds, self.way.sign == "<"
        end = bounds.upper if is_upper else math.ceil(bounds.lower)
        if not is_finite(end):
            return scanned
        largest = min(bounds.upper, LARGEST)
        self.writer.row()
        works = self._row("largest", largest, largest).holds
        row, every, asked = self.writer.line + 1, f"E{first}:E{last}", f"B{first}:B{last}"
        length = f"MATCH(FALSE,{every},0)"
        is_run = f"AND({asked},E{first})"  # what was asked bounds nothing
        self.writer.row("at a bound", style="plain")
        own = number_in(end)
        kept = f"IF(AND({every},E{row}),{number_in(math.ceil(bounds.lower))},NA())"
        text = f"=IF(ISNUMBER({length}),IF({is_run},INDEX(D{first}:D{last},{length}-1),NA()),{kept})"
        known: Number | str = NO_NUMBER
        if self.model.has_values:
            known = self._known_other(works=works, last=last - first + 1)
        self.writer.formula(TRIED, text, known)
        place = self._place(TRIED, self.writer.line + 1)
        return scanned._replace(other=place, bound=f"{MARK}={own}")

    def _known_other(self, *, works: bool, last: int) -> Number | str:
        """Return what that is at the inputs of the question, of so many numbers."""
        low = math.ceil(self.way.cell.bounds.lower)
        rows = [self._at(number) for number in range(low, low + last)]
        holds = [own.holds for own in rows]
        if all(holds):
            return low if works else NO_NUMBER
        asked = [(own.sides[at], self.way.relations[at]) for own in rows for at in self._asked]
        is_run = holds[0] and all(self._holds(relation, sides) for sides, relation in asked)
        return low + holds.index(False) - 1 if is_run else NO_NUMBER
