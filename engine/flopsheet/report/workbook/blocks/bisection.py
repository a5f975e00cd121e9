"""Blocks of the sheet Search that bisect: a cell without a closed form, row by row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.rows import LOWER, UPPER, Result, Rows
from flopsheet.report.workbook.writer import column_name, number_in
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from flopsheet.units import Number

ROWS = 64  # halvings: of a range of 20 powers of 4 to the last digit of a float, of 2^64 whole numbers to one


class Bisection(Rows):
    """Writes the block of a bisection."""

    def write(self) -> Result:
        """Write the rows of a bisection, and its result."""
        way, writer, is_upper = self.way, self.writer, self.way.sign == "<"
        goal = " and ".join(map(self.model.text_of, way.relations))
        number = "whole number" if way.whole else "value"
        size = "largest" if is_upper else "smallest"
        self._head(f"{self.subject}: the {size} {number} for which {goal}, by bisection")
        ends = [float(end) if not way.whole else end for end in way.ends]
        known = list[bool]()
        first = writer.line + 2
        for label, place, at in (("lower end", LOWER, ends[0]), ("upper end", UPPER, ends[1])):
            writer.row()
            self._end(place, at, is_upper=is_upper)
            known.append(self._row(label, f"={column_name(place)}{writer.line + 1}", at).holds)
        low, high = ends
        for step in range(1, ROWS + 1):
            writer.row()
            row, above = writer.line + 1, writer.line
            tried = self._middle(low, high)
            if step == 1:
                texts = f"=B{first}", f"=C{first + 1}"
            elif is_upper:
                texts = f"=IF(E{above},D{above},B{above})", f"=IF(E{above},C{above},D{above})"
            else:
                texts = f"=IF(E{above},B{above},D{above})", f"=IF(E{above},D{above},C{above})"
            for column, text, end in zip((LOWER, UPPER), texts, (low, high), strict=True):
                writer.formula(column, text, in_unit(end, self.unit))
            holds = self._row(str(step), self._middle_text(row), tried).holds
            low, high = (tried, high) if holds is is_upper else (low, tried)
        return self._result(first, low if is_upper else high, is_upper=is_upper)

    def _end(self, column: int, at: Number, *, is_upper: bool) -> None:
        """Write an end of a search: an input, and within what bounds the unknown from the other side."""
        others = [text[1:] for other in self.way.others if (text := self.outside.formula(other, self.unit))]
        if others and column == (LOWER if is_upper else UPPER):
            function, shown = "MAX" if is_upper else "MIN", number_in(in_unit(at, self.unit))
            self.writer.formula(column, f"={function}({','.join([shown, *others])})", in_unit(at, self.unit))
        else:
            self.writer.number(column, in_unit(at, self.unit))

    def _middle(self, low: Number, high: Number) -> Number:
        if self.way.whole:
            return math.floor((low + high) / 2)
        return math.sqrt(low) * math.sqrt(high) if self.way.geometric else (low + high) / 2

    def _middle_text(self, row: int) -> str:
        if self.way.whole:
            return f"=INT((B{row}+C{row})/2)"
        return f"=SQRT(B{row})*SQRT(C{row})" if self.way.geometric else f"=(B{row}+C{row})/2"

    def _result(self, first: int, value: Number, *, is_upper: bool) -> Result:
        """Write the result, #N/A where the ends do not enclose it, and whether numbers beyond them may do."""
        row, (low, high), bounds = self.writer.line + 1, self.way.ends, self.way.cell.bounds
        holds_low, holds_high = f"E{first}", f"E{first + 1}"
        least, most = low == bounds.lower and low in bounds, high == bounds.upper
        if is_upper:  # the last row is one halving more
            beyond = f"C{first + 1}" if most else "NA()"
            text = f"=IF({holds_low},IF({holds_high},{beyond},IF(E{row},D{row},B{row})),NA())"
            open_ends = (f"{holds_low}=FALSE", least), (f"AND({holds_low},{holds_high})", most)
        else:
            beyond = f"B{first}" if least else "NA()"
            text = f"=IF({holds_high},IF({holds_low},{beyond},IF(E{row},D{row},C{row})),NA())"
            open_ends = (f"{holds_high}=FALSE", most), (f"AND({holds_low},{holds_high})", least)
        ended = [test for test, is_bound in open_ends if not is_bound]
        place = self._conclude(text, value)
        return Result(place, self._ended(f"OR({','.join(ended)})" if ended else "FALSE"))
