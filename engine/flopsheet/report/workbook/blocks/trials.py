"""Blocks of the sheet Search that try whole numbers one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.rows import HOLDS, TRIED, Result, Rows, all_of
from flopsheet.report.workbook.solved.way import first_tried, step_of
from flopsheet.report.workbook.writer import number_in
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.formulas.relation import Relation


class Trials(Rows):
    """Writes the block of whole numbers that are tried, in the order in which one is taken."""

    def write(self, starts: Sequence[Result]) -> Result:
        """Write a row for each number, and the first for which all relations hold; the results of searches begin it."""
        way = self.way
        goal = " and ".join(map(self.model.text_of, way.relations))
        which = {"<": "largest", ">": "smallest", "=": "nearest"}[way.sign]
        self._head(f"{self.subject}: the {which} of {len(way.offsets)} whole numbers for which {goal}, one by one")
        step, start = step_of(way, self.live.values), first_tried(way, self.live)
        by, at = self._step(step), self._start(starts, start)
        first, found, rows = self.writer.line + 2, None, dict[int, str]()
        for offset in way.offsets:
            self.writer.row()
            rows[offset] = str(self.writer.line + 1)
            number = start + offset * step
            text = f"={at}{offset:+}{by}" if offset else f"={at}"
            holds = self._row(str(number), text, number).holds and number in way.cell.bounds
            found = number if holds and found is None else found
        last = self.writer.line + 1
        text, ended = f"INDEX(D{first}:D{last},MATCH(TRUE,E{first}:E{last},0))", self._open(rows)
        other = self._other_side()
        if other:
            text, ended = f"IF({other},NA(),{text})", f"OR({other},{ended})"
        return self._ended(self._conclude(f"={text}", found or 0), ended)

    def _other_side(self) -> str:
        """Return a test that what was asked bounds the number on another side, whose end is wanted; empty where never.

        It bounds nothing on a side where it holds at the bound of the cell.
        """
        way, bounds = self.way, self.way.cell.bounds
        asked = way.asked
        if not way.by_side or not asked["<"] or not (asked[">"] or is_finite(bounds.upper)):
            return ""
        bites = {"<": "TRUE", ">": "FALSE"}
        for label, sign, end in (("largest", "<", bounds.upper), ("smallest", ">", bounds.lower)):
            if asked[sign] and is_finite(end):
                self.writer.row()
                at = math.floor(end) if sign == "<" else math.ceil(end)
                self._row(label, at, at)
                holds = self._beyond(str(self.writer.line + 1), asked[sign])
                bites[sign] = f"OR({','.join(f'NOT({test})' for test in holds[-len(asked[sign]) :])})"
        self.writer.row("other side", style="plain")
        is_above = "TRUE" if way.sign == "<" else "FALSE"
        text = f"=IFERROR(AND({bites['<']},NOT({bites['>']}))<>{is_above},TRUE)"
        self.writer.formula(HOLDS, text, False)
        return f"$E${self.writer.line + 1}"

    def _step(self, step: int) -> str:
        """Write what all numbers are multiples of, and return it as a factor."""
        texts = [self.outside.formula(divisor, self.unit) for divisor in self.way.steps]
        known = [text[1:] for text in texts if text is not None]
        if not known:
            return ""
        self.writer.row("multiples of", style="plain")
        self.writer.formula(TRIED, f"=LCM({','.join(known)})", step)
        return f"*$D${self.writer.line + 1}"

    def _start(self, starts: Sequence[Result], start: int) -> str:
        """Write the number that is tried first, and return its place."""
        way, text = self.way, number_in(self.way.ends[0])
        by = f"$D${self.writer.line + 1}"
        for search, result in zip(way.starts, starts, strict=True):
            function = "MAX" if search.sign == ">" else "MIN"
            text = f"{function}({text},IFERROR({result.place},{text}))" if way.sign == "=" else result.place
        if way.steps:
            text = f"INT({text}/{by})*{by}" if way.sign == "<" else f"-INT(-{text}/{by})*{by}"
        self.writer.row("first", style="plain")
        self.writer.formula(TRIED, f"={text}", start)
        return f"$D${self.writer.line + 1}"

    def _tests(self, row: str) -> list[str]:
        bounds = self.way.cell.bounds
        tests = [f"D{row}>={number_in(bounds.lower)}"] if is_finite(bounds.lower) else []
        tests += [f"D{row}<={number_in(bounds.upper)}"] if is_finite(bounds.upper) else []
        return [*tests, *super()._tests(row)]

    def _open(self, rows: dict[int, str]) -> str:
        """Return a test that numbers beyond the first or the last one are not excluded by a bound."""
        ends = [(max(rows), self.way.above)] if max(rows) > 0 else []
        ends += [(min(rows), self.way.below)] if min(rows) < 0 else []
        return f"OR({','.join(all_of(self._beyond(rows[at], relations)) for at, relations in ends)})"

    def _beyond(self, row: str, relations: Sequence[Relation]) -> list[str]:
        """Return tests that some relations and the bounds of the cell hold in a row."""
        tests = self._tests(row)
        first = len(tests) - len(self.way.relations)
        return tests[:first] + [tests[first + self.way.relations.index(own)] for own in relations]
