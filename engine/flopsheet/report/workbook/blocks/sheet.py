"""The sheet Search: what is searched for, the proof of each answer, and the whole numbers beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.bisection import Bisection
from flopsheet.report.workbook.blocks.proof import Proof, Proven
from flopsheet.report.workbook.blocks.rows import NOWHERE, TRIED, Beside, Result, Rows
from flopsheet.report.workbook.blocks.trials import Trials
from flopsheet.report.workbook.solved.way import SEARCH, TRIALS, Way
from flopsheet.report.workbook.writer import SheetWriter

if TYPE_CHECKING:
    from xlsxwriter import Workbook

    from flopsheet.report.workbook.model import Model
    from flopsheet.units import Unit

TITLE = "Search"


@dataclass
class Block:
    """Where a block stands."""

    way: Way
    result: Result = NOWHERE
    beside: list[Beside] = field(default_factory=list)
    units: tuple[Unit, ...] = ()  # of both sides of each relation


class SearchSheet:
    """Writes blocks one below the other; the sheet is made with the first one."""

    def __init__(self, book: Workbook, title: str = TITLE) -> None:
        self.book, self._title = book, title
        self._writer: SheetWriter | None = None

    @property
    def writer(self) -> SheetWriter:
        """The sheet, from its first block on."""
        if self._writer is None:
            self._writer = SheetWriter(self.book, self._title, (14, 16, 16, 16, 9, *(14,) * 40))
            self._writer.row(
                "Computed row by row from the sheet Model; only the ends in blue are inputs: widen them where a search "
                "gives #N/A. An error in grey has no value at the number that its row tries.",
                style="plain",
            )
        return self._writer

    def shade(self) -> None:
        """Show errors in grey: at some numbers that are tried, a formula has no value."""
        if self._writer is not None:
            self._writer.shade_errors(TRIED)

    def write(self, model: Model, way: Way, *, beside: bool = True) -> Block:
        """Write what a cell needs: a search or trials, and for a whole number of the sheet Model those beside it."""
        block = Block(way)
        if way.kind == SEARCH:
            block.result = self._bisected(model, way)
        elif way.kind == TRIALS:
            starts = [self._bisected(model, start) for start in way.starts]
            block.result = Trials(self.writer, model, way, self._title).write(starts)
            self.writer.line += 1
        if beside and way.whole and model.scenario is None:
            rows = Rows(self.writer, model, way, self._title)
            block.beside = rows.beside(model.names[way.cell.name], model.answer.cells[way.cell.name].si)
            block.units = rows.units
            self.writer.line += 1
        return block

    def _bisected(self, model: Model, way: Way) -> Result:
        result = Bisection(self.writer, model, way, self._title).write()
        self.writer.line += 1
        return result

    def proof(self, model: Model, way: Way) -> Proof:
        """Return the block that tells whether all relations hold at a candidate."""
        return Proof(self.writer, model, way, self._title)

    def prove(self, proof: Proof, candidate: str, other: str | None = None) -> Proven:
        """Write that block of a candidate, and of another one on the other side; both are formulas with their `=`."""
        proven = proof.write(candidate, other)
        self.writer.line += 1
        return proven
