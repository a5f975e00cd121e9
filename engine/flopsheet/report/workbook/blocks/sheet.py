"""The sheet Search: what is searched for, the proof of each answer, and the whole numbers beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.bisection import Bisection
from flopsheet.report.workbook.blocks.proof import Proof, Proven
from flopsheet.report.workbook.blocks.rows import HOLDS, NOWHERE, TRIED, Beside, Result, Rows
from flopsheet.report.workbook.blocks.scan import Scan, Scanned
from flopsheet.report.workbook.blocks.trials import Trials
from flopsheet.report.workbook.formulas import LONGEST_FORMULA
from flopsheet.report.workbook.solved.way import SEARCH, TRIALS, Way
from flopsheet.report.workbook.writer import WIDEST_NUMBER, SheetWriter

if TYPE_CHECKING:
    from xlsxwriter import Workbook

    from flopsheet.answer.verification.checks import Check
    from flopsheet.report.workbook.model.model import Model
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
            self._writer = SheetWriter(self.book, self._title, (14, *(WIDEST_NUMBER,) * 3, 9, *(WIDEST_NUMBER,) * 40))
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
            self._writer.print_columns()

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

    def beside(self, model: Model, proof: Proof, proven: Proven, known: Block | None) -> Block:
        """Write the whole numbers around a candidate that an equation sets, which may be a fraction."""
        at = model.live.values[proof.way.cell.name]
        beside = proof.around(proven.candidate, 0 if isinstance(at, str) else at)
        self.writer.line += 1
        return Block(proof.way, NOWHERE if known is None else known.result, beside, proof.units)

    def scan(self, model: Model, way: Way) -> Scanned | None:
        """Write the first whole numbers of a count, where relations may hold in several runs of them."""
        scan = Scan(self.writer, model, way, self._title) if way.cell.integer else None
        if scan is None or not scan.is_needed:
            return None
        scanned = scan.write()
        self.writer.line += 1
        return scanned

    def limits(self, model: Model) -> str:
        """Write whether what no unknown can change holds, and return its place; empty where it has no formula."""
        tests: list[tuple[Check, str]] = []
        for check in model.independent:
            own = model.relation(check)
            holds = model.outside.holds(own.left, own.operator, own.right)
            test = "" if holds is None else holds[1:]
            if own.name and test:
                test = f"IF(ISNA({test}),TRUE,{test})"  # not checked without its figure
            tests += [(check, test)] if 0 < len(test) < LONGEST_FORMULA else []
        if not tests:
            return ""
        where = "" if model.scenario is None else f" in {model.scenario.name}"
        self.writer.row(f"what no unknown can change{where}", style="title")
        first = self.writer.line + 2
        for check, test in tests:
            self.writer.row(model.text_of(model.relation(check)), style="plain")
            self.writer.formula(HOLDS, f"={test}", check.holds)
        last = self.writer.line + 1
        self.writer.row("all hold", style="head")
        allowed = all(check.holds for check, _ in tests)
        self.writer.formula(HOLDS, f"=IFERROR(AND(E{first}:E{last}),TRUE)", allowed)
        self.writer.line += 1
        return f"{self._title}!$E${self.writer.line}"

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
