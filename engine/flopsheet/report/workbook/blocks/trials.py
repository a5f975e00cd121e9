"""Blocks of the sheet Search that try whole numbers one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.rows import HOLDS, LOWER, TRIED, At, Result, Rows, all_of
from flopsheet.report.workbook.solved.way import first_tried, step_of
from flopsheet.report.workbook.writer import number_in
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.formulas.relation import Relation
    from flopsheet.units import Number


class Trials(Rows):
    """Writes the block of whole numbers that are tried, in the order in which one is taken."""

    def write(self, starts: Sequence[Result]) -> Result:
        """Write a row for each number, and the first for which all relations hold; the results of searches begin it.

        Where the number at the other end is wanted for other inputs, the last of them is taken.
        """
        way = self.way
        goal = " and ".join(map(self.model.text_of, way.relations))
        which = {"<": "largest", ">": "smallest", "=": "nearest"}[way.sign]
        self._head(f"{self.subject}: the {which} of {len(way.offsets)} whole numbers for which {goal}, one by one")
        step, start = step_of(way, self.live.values), first_tried(way, self.live)
        by, at = self._step(step), self._start(starts, start)
        first, works, rows = self.writer.line + 2, list[int](), dict[int, str]()
        may_turn = way.by_side and bool(way.asked) and is_finite(way.cell.bounds.upper)
        if may_turn:
            self.writer.text(LOWER, "asked alone excludes", "narrow")
        for offset in way.offsets:
            self.writer.row()
            rows[offset] = str(self.writer.line + 1)
            number = start + offset * step
            text = f"={at}{offset:+}{by}" if offset else f"={at}"
            known = self._row(str(number), text, number)
            works += [number] if known.holds else []
            if may_turn:
                self._write_excluded(rows[offset], known)
        last, turned = self.writer.line + 1, ""
        text, ended = f"INDEX(D{first}:D{last},MATCH(TRUE,E{first}:E{last},0))", self._open(rows)
        if may_turn:
            turned, is_unbounded = self._turned()
            other, is_wanted = self._other_end(first, last, works[-1] if works else start)
            is_unproven = f"AND(NOT({is_unbounded}),NOT({is_wanted}))"
            text = f"IF({turned},IF(OR({ended},{is_unproven}),NA(),{other}),{text})"
            ended = f"OR({ended},AND({turned},{is_unproven}))"
        result = self._ended(self._conclude(f"={text}", works[0] if works else 0), ended)
        return result._replace(turned=turned)

    def _write_excluded(self, row: str, known: At) -> None:
        """Write whether what was asked excludes the number of a row, as known, which limits on the far side leave."""
        way = self.way
        limits = [own for own in (way.above if way.sign == ">" else way.below) if own.name]
        holds = [own for own, sides in zip(way.relations, known.sides, strict=True) if self._holds(own, sides)]
        asked, left = (all_of(self._tests_of(row, own)) for own in (way.asked, limits))
        is_excluded = all(own in holds for own in limits) and not all(own in holds for own in way.asked)
        self.writer.formula(LOWER, f"=IFERROR(AND(NOT({asked}),{left}),FALSE)", is_excluded)

    def _turned(self) -> tuple[str, str]:
        """Return tests that the end is wanted which is not that of the question, and that nothing asked bounds numbers.

        The largest number is wanted where what was asked excludes that of the cell, but not the smallest of the cell.
        """
        way, bounds = self.way, self.way.cell.bounds
        for label, sign, end in (("largest", "<", bounds.upper), ("smallest", ">", bounds.lower)):
            self.writer.row()
            at = math.floor(end) if sign == "<" else math.ceil(end)
            self._row(label, at, at)
        row = self.writer.line + 1
        above, below = self._excludes(str(row - 1), "<"), self._excludes(str(row), ">")
        self.writer.row("other side", style="plain")
        is_above = "TRUE" if way.sign == "<" else "FALSE"
        self.writer.formula(HOLDS, f"=IFERROR(AND({above},NOT({below}))<>{is_above},TRUE)", False)
        return self._place(HOLDS, self.writer.line + 1), f"NOT({above})"

    def _excludes(self, row: str, sign: str) -> str:
        """Return a test that something that was asked does not hold in the row of a bound, on the side of a sign."""
        unknown = ("TRUE" if self.way.excludes_unknown(own, sign) else "FALSE" for own in self.way.asked)
        pairs = zip(self._tests_of(row, self.way.asked), unknown, strict=True)
        return f"OR({','.join(f'IFERROR(NOT({test}),{missing})' for test, missing in pairs)})"

    def _other_end(self, first: int, last: int, known: int) -> tuple[str, str]:
        """Return the last number of some rows that works, and a test that what was asked bounds the numbers there.

        Where a limit leaves nothing beyond it, what was asked has to exclude the next number, or it may bound nothing.
        """
        holds, step = f"E{first}:E{last}", 1 if self.way.sign == ">" else -1
        ordinal = f"ROW({holds})-{first - 1}"
        place = f"SUMPRODUCT(MAX({holds}*({ordinal})))"
        other = f"IF(COUNTIF({holds},TRUE)=0,NA(),INDEX(D{first}:D{last},{place}))"
        self.writer.row()
        self._row("beyond", f"={other}{step:+}", known + step)
        tests = [f"NOT({test})" for test in self._tests_of(str(self.writer.line + 1), self.way.asked)]
        is_excluded = f"SUMPRODUCT(B{first}:B{last}*({ordinal}>{place}))>0"
        return other, f"IFERROR(OR({is_excluded},{','.join(tests)}),FALSE)"

    def _tests_of(self, row: str, relations: Sequence[Relation]) -> list[str]:
        tests = zip(self.way.relations, self._relations(row), strict=True)
        return [test for own, test in tests if own in relations]

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

    def _at(self, at: Number) -> At:
        known = super()._at(at)
        return known._replace(holds=known.holds and at in self.way.cell.bounds)

    def _relations(self, row: str) -> list[str]:
        return super()._tests(row)

    def _tests(self, row: str) -> list[str]:
        bounds = self.way.cell.bounds
        tests = [f"D{row}>={number_in(bounds.lower)}"] if is_finite(bounds.lower) else []
        tests += [f"D{row}<={number_in(bounds.upper)}"] if is_finite(bounds.upper) else []
        return [*tests, *self._relations(row)]

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
