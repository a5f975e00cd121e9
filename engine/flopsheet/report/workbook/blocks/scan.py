"""Blocks of the sheet Search that try the first whole numbers of a count, where relations may hold in several runs.

Of several ends of runs the engine takes the first one that what was asked sets. As all numbers below are tried, one
that is found here is that end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flopsheet.report.workbook.blocks.rows import LOWER, TRIED, UPPER, ConditionRows, all_of
from flopsheet.report.workbook.solved.way import SEARCH
from flopsheet.report.workbook.solved.ways import sides_of
from flopsheet.report.workbook.writer import NO_NUMBER
from flopsheet.units import is_finite

MOST_ROWS, LEAST_ROWS, MOST_CELLS = 96, 16, 8000  # of a block; a scenario has its share of the cells


class Scanned(NamedTuple):
    """Where a block has its results."""

    place: str  # the number, #N/A where none of those tried is such an end
    smallest: str  # whether it is the smallest that works
    is_found: bool  # whether there is one at the inputs of the question


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
        return any(not own.name for own in way.relations) and not sides_of(self.live, way)

    @property
    def _is_set(self) -> bool:
        """Whether an equation sets the count: of several numbers that meet it, the first is taken."""
        return not self.way.whole

    def write(self) -> Scanned:
        """Write a row for each number, and the first end that what was asked sets."""
        asked = [at for at, own in enumerate(self.way.relations) if not own.name]
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
        return Scanned(found, self._place(TRIED, line + 1), place is not None)
