"""Blocks of the sheet Search that bisect: a cell without a closed form, row by row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.proof import FARTHEST
from flopsheet.report.workbook.blocks.rows import LOWER, UPPER, At, Result, Rows, all_of
from flopsheet.report.workbook.writer import column_name, number_in
from flopsheet.tolerances import WHOLE_BESIDE
from flopsheet.units import in_unit, is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.units import Number

RUNGS = 20  # parts of the range between the ends: the numbers between these are tried first
DEEPEST = 4.0**-40  # the smallest of them beside zero, as a share of the upper end
ROWS = 58  # halvings between two of them: to the last digit of a float, of 2^58 whole numbers to one


class Bisection(Rows):
    """Writes the block of a bisection."""

    _without = ""  # the verdict on a row without a value; by default that of its side
    _valid = "", ""  # the least and the largest number tried at which the relations have values
    _found, _known = "", False  # whether the relations hold at some number before the halvings, and now

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
        self._valid = f"$B${first + 2}", f"$C${first + 2}"
        for label, place, at in (("lower end", LOWER, ends[0]), ("upper end", UPPER, ends[1])):
            writer.row()
            self._end(place, at, is_upper=is_upper)
            known.append(self._row(label, f"={column_name(place)}{writer.line + 1}", at).holds)
        start, (low, high) = self._rungs(first, ends, is_upper=is_upper)
        for step in range(1, ROWS + 1):
            writer.row()
            row, above = writer.line + 1, writer.line
            tried = self._middle(low, high)
            if step == 1:
                texts = start
            elif is_upper:
                texts = f"=IF(E{above},D{above},B{above})", f"=IF(E{above},C{above},D{above})"
            else:
                texts = f"=IF(E{above},B{above},D{above})", f"=IF(E{above},D{above},C{above})"
            for column, text, end in zip((LOWER, UPPER), texts, (low, high), strict=True):
                writer.formula(column, text, in_unit(end, self.unit))
            holds = self._row(str(step), self._middle_text(row), tried).holds
            low, high = (tried, high) if holds is is_upper else (low, tried)
        return self._result(first, low if is_upper else high, is_upper=is_upper)

    def _rungs(
        self, first: int, ends: list[Number], *, is_upper: bool
    ) -> tuple[tuple[str, str], tuple[Number, Number]]:
        """Write numbers between the ends, from the failing one on: the first that holds and the one before it are left.

        So neither end has to be near the answer, nor to have a value.
        """
        begin, (low, high) = self.writer.line + 3, ends
        end, parts = begin + RUNGS - 2, [rung / RUNGS for rung in range(1, RUNGS)]
        rungs = [self._between(first, low, high, part) for part in (reversed(parts) if is_upper else parts)]
        numbers, known = [at for _, at in rungs], list[bool]()
        self._with_values(begin, end, numbers)
        for rung, (text, at) in enumerate(rungs, 1):
            self.writer.row()
            known.append(self._row(f"between {rung}", text, at).holds)
        place, tried = f"MATCH(TRUE,$E{begin}:$E{end},0)", f"$D{begin}:$D{end}"
        last, first_failing = (f"B{first}", f"C{first + 1}") if is_upper else (f"C{first + 1}", f"B{first}")
        holding = f"=IFERROR(INDEX({tried},{place}),{last})"
        failing = f"=IFERROR(IF({place}=1,{first_failing},INDEX({tried},{place}-1)),D{end})"
        at = known.index(True) if True in known else RUNGS - 1
        holds, fails = [*numbers, low if is_upper else high][at], [high if is_upper else low, *numbers][at]
        self._known = at < RUNGS - 1 or self._at(low if is_upper else high).holds
        self._found = f"OR(E{first if is_upper else first + 1},COUNTIF(E{begin}:E{end},TRUE)>0)"
        return ((holding, failing), (holds, fails)) if is_upper else ((failing, holding), (fails, holds))

    def _with_values(self, begin: int, end: int, numbers: Sequence[Number]) -> None:
        """Write the least and the largest of the numbers between at which the relations have values."""
        has, tried, shift = list[str](), f"D{begin}:D{end}", int(self.way.whole)  # zero may be tried of whole numbers
        for at, relation in enumerate(self.way.relations):
            for side in (0, 1):
                column = column_name(self._side(at) + side)
                place = f"{column}{begin}:{column}{end}"
                has.append(f"(1-ISERR({place}))" if relation.name else f"ISNUMBER({place})")
        count, valid = "*".join(["1", *has]), [at for at in numbers if self._has_value(at)]
        beside = number_in(in_unit(self.way.at, self.unit))
        texts = f"1/SUMPRODUCT(MAX({count}/({tried}+{shift})))-{shift}", f"SUMPRODUCT(MAX({count}*{tried}))"
        self.writer.row("with values", style="plain")
        for end_column, text, function in zip((LOWER, UPPER), texts, (min, max), strict=True):
            shown = in_unit(function(valid, default=self.way.at), self.unit)
            self.writer.formula(end_column, f"=IF(SUMPRODUCT({count})=0,{beside},{text})", shown)

    def _has_value(self, at: Number) -> bool:
        pairs = zip(self.way.relations, super()._at(at).sides, strict=True)
        return all(relation.name or (left is not None and right is not None) for relation, (left, right) in pairs)

    def _between(self, first: int, low: Number, high: Number, part: float) -> tuple[str, Number]:
        """Return a number between the ends as a formula, and as it is now [base units]."""
        below, above, shift = f"B{first}", f"C{first + 1}", WHOLE_BESIDE  # a logarithm loses last digits
        share = DEEPEST ** (1 - part)  # of the upper end, where the lower one is zero
        text = (
            f"IF({below}>0,EXP(LN({below})+{part!r}*LN({above}/{below})),{below}+({above}-{below})*{share!r})".upper()
        )
        if low > 0:
            at: Number = math.exp(math.log(low) + part * math.log(high / low))
        else:
            at = low + (high - low) * share
        return (f"=INT({text}+{shift})", math.floor(at + shift)) if self.way.whole else (f"={text}", at)

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

    def _verdict(self, row: str) -> str:
        """Return whether all relations hold in a row; without a value, what holds on its side of the numbers with one.

        A power of a search's end may be too large for programs, or a server busy at it. Between those with values, as
        at a difference of two numbers that is zero, it is what holds on its side of the answer as asked.
        """
        beside = f"D{row}{'<' if self.way.sign == '<' else '>'}{number_in(in_unit(self.way.at, self.unit))}"
        if self.way.ends[0] >= 0:
            (least, most), (below, above) = (
                self._valid,
                ("TRUE", "FALSE") if self.way.sign == "<" else ("FALSE", "TRUE"),
            )
            beside = f"IF(D{row}<{least},{below},IF(D{row}>{most},{above},{beside}))"
        return f"=IFERROR({all_of(self._tests(row))},{self._without or beside})"

    def _at(self, at: Number) -> At:
        known = super()._at(at)
        if self._without == "FALSE" or all(side is not None for pair in known.sides for side in pair):
            return known
        beside = at < self.way.at if self.way.sign == "<" else at > self.way.at
        return known._replace(holds=self._without == "TRUE" or beside)

    def _result(self, first: int, value: Number, *, is_upper: bool) -> Result:
        """Write the result, #N/A where the ends do not enclose it, and whether numbers beyond them may do."""
        writer, row, (low, high), bounds = self.writer, self.writer.line + 1, self.way.ends, self.way.cell.bounds
        holds_low, holds_high = f"E{first}", f"E{first + 1}"
        least, most = low == bounds.lower and low in bounds, high == bounds.upper
        if is_upper:  # the last row is one halving more
            beyond, is_open = f"C{first + 1}" if most else "NA()", not most
            text = f"IF({holds_high},{beyond},IF(E{row},D{row},B{row}))"
        else:
            beyond, is_open = f"B{first}" if least else "NA()", not least
            text = f"IF({holds_low},{beyond},IF(E{row},D{row},C{row}))"
        text, is_bound = f"=IF({self._found},{text},NA())", least if is_upper else most
        self._without = "FALSE"
        writer.row()
        self._row("checked", text, value, lost=not self.model.has_values)
        checked = writer.line + 1
        ended = [f"AND({self._found},E{checked}=FALSE)"]
        ended += [f"AND({holds_low},{holds_high})"] if is_open else []
        is_open = self._known
        if not is_bound:
            may, holds = self._farthest(is_upper=is_upper)
            ended.append(f"AND(NOT({self._found}),{may})")
            is_open = is_open or holds
        place = self._conclude(f"=IF(E{checked},D{checked},NA())", value)
        return self._ended(place, f"OR({','.join(ended)})", known=is_open)

    def _farthest(self, *, is_upper: bool) -> tuple[str, bool]:
        """Write a row beyond all that a search could be widened to, and return whether the relations may hold there."""
        bounds = self.way.cell.bounds
        lowest: Number = 1 / FARTHEST if bounds.lower == 0 else bounds.lower
        at: Number = lowest if is_upper else min(FARTHEST, bounds.upper)
        if not is_finite(at):
            return "TRUE", True
        self._without = "TRUE"
        self.writer.row()
        holds = self._row("farthest", at, at).holds
        return f"E{self.writer.line + 1}", holds
