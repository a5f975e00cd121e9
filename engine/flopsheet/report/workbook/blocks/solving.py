"""The formulas of cells that were solved for, with the searches and proofs that they need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.report.workbook.blocks.proof import needs_proof
from flopsheet.report.workbook.blocks.rows import MARK
from flopsheet.report.workbook.solved.sides import is_free
from flopsheet.report.workbook.solved.undetermined import undetermining
from flopsheet.report.workbook.solved.way import FORM, LISTED, NONE, TRIALS, Way, boundary_of
from flopsheet.report.workbook.solved.ways import NO_CONDITION, far_way
from flopsheet.report.workbook.tried import value_of
from flopsheet.report.workbook.writer import quoted
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.report.workbook.blocks.proof import Proven
    from flopsheet.report.workbook.blocks.scan import Scanned
    from flopsheet.report.workbook.blocks.sheet import SearchSheet
    from flopsheet.report.workbook.formulas import ExcelFormulas
    from flopsheet.report.workbook.model.model import Model
    from flopsheet.units import Number


@dataclass
class Solving:
    """Gives each cell of a model that was solved for its formula."""

    model: Model
    sheet: SearchSheet
    _limits: str | None = None  # where it says whether the limits hold that no unknown can change

    def write(self, far: Mapping[str, Number] | None = None) -> None:
        """Write the searches that cells need, and give the model their formulas.

        Args:
            far: the other ends of ranges, at which the answer is not, by cell [base units].
        """
        if self.model.list is not None:
            self.model.list.write(self.sheet.book)
        ends = far or {}
        for name, way in self.model.ways.items():
            text = self._solved(way, ends.get(name))
            if text is not None:
                self.model.texts[name] = self._allowed(name, text)
            elif self.model.tried and name in self.model.answer.outcomes:
                self.model.texts[name] = "=NA()"  # at the inputs of the question it has none
        for name, end in ends.items():
            texts = self._far_end(name, end) if name in self.model.ways and name not in self.model.turned else None
            if texts is not None:
                self.model.far[name] = texts[0]

    def _allowed(self, name: str, text: str) -> str:
        """Return the formula of a cell that has no value where no relation rests on it, or where a limit is broken.

        That is a limit that no unknown can change.
        """
        model = self.model
        if name not in model.answer.outcomes:
            return text
        without = [f"{model.names[choice]}={quoted(option)}" for choice, option in undetermining(model.live, name)]
        if without:
            text = f"=IF(OR({','.join(without)}),NA(),{text[1:]})"
        if not model.independent:
            return text
        if self._limits is None:
            self._limits = self.sheet.limits(model)
        return f"=IF(NOT({self._limits}),NA(),{text[1:]})" if self._limits else text

    def _far_end(self, name: str, end: Number | None) -> tuple[str, str] | None:
        """Return the formula of the other end of a range, here and in other sheets; None where nothing gives it.

        Where a number is given, the range ends there now.
        """
        way = far_way(self.model.live, name, end) if self.model.ways[name].kind != NONE else None
        value = None if way is None or end is None else value_of(self.model.live, way)
        if way is None or (end is not None and (value is None or not close(value, end))):
            return None
        place = "" if way.kind == FORM else self.sheet.write(self.model, way, beside=False).result.place
        here, there = (self._candidate(way, place, own) for own in (self.model.formulas, self.model.outside))
        return None if here is None or there is None else (here, there)

    def _solved(self, way: Way, end: Number | None) -> str | None:
        """Return the formula of a cell that was solved for, and note that of another end of its range."""
        if way.kind == NONE or not self._is_told(way):
            return None
        if self.model.list is not None and way.kind == LISTED:
            return f"={self.model.list.places[way.cell.name]}"
        if way.kind != FORM or (way.whole and self.model.scenario is None):
            self.model.blocks[way.cell.name] = self.sheet.write(self.model, way)
        result = self.model.blocks[way.cell.name].result.place if way.kind != FORM else ""
        here, there = (self._candidate(way, result, own) for own in (self.model.formulas, self.model.outside))
        if here is None or there is None or not needs_proof(self.model.live, way):
            return here
        name, proof = way.cell.name, self.sheet.proof(self.model, way)
        scanned = self.sheet.scan(self.model, way)
        if scanned is not None:
            found = value_of(self.model.live, way)
            self.model.scanned[name] = scanned._replace(
                largest=f"AND({scanned.largest},{scanned.place}={here[1:]})",
                is_largest=scanned.is_largest and found == self.model.live.values[name],
            )
            here, there = (_scanned(scanned, own[1:]) for own in (here, there))
        is_alike = self.model.tried or proof.is_range is (end is not None)
        other = self._far_end(name, end) if proof.may_turn and is_alike else None
        beyond = other[1] if other is not None else "=NA()" if proof.may_turn else None
        proven = self.model.proven[name] = self.sheet.prove(proof, there, beyond)
        if proven.fraction and self.model.scenario is None:
            self.model.blocks[name] = self.sheet.beside(self.model, proof, proven, self.model.blocks.get(name))
        own = here[1:]
        if other is not None:
            own = f"IF({proven.turned},{other[0][1:]},{own})"
            self.model.turned.add(name)
            self.model.far |= {} if end is None else {name: f"=IF({proven.turned},{here[1:]},{other[0][1:]})"}
        elif proven.turned:
            own = f"IF({proven.turned},NA(),{own})"
        otherwise = self._at_roots(way, proven)
        return f"=IF(OR({proven.any},NOT({proven.holds})),{otherwise},{own})"

    def _at_roots(self, way: Way, proven: Proven) -> str:
        """Return what is taken where a closed form gives no value: what another boundary does, if not all do."""
        otherwise = proven.otherwise
        for root in reversed(way.roots):
            beside = replace(way, forms=(root,), roots=())
            here, there = (self._candidate(beside, "", own) for own in (self.model.formulas, self.model.outside))
            if here is not None and there is not None:
                works = self.sheet.prove(self.sheet.proof(self.model, beside), there).holds
                otherwise = f"IF(AND({works},NOT({proven.any})),{here[1:]},{otherwise})"
        return otherwise

    def _is_told(self, way: Way) -> bool:
        """Whether a way of an unknown of which every value works tells that, or tries one number after the other."""
        name = way.cell.name
        if way.kind == TRIALS or not is_free(self.model.answer.outcomes.get(name)):
            return True
        if not way.options and self.sheet.proof(self.model, way).ends.are_told:
            return True
        self.model.ways[name] = Way(way.cell, NONE, why=NO_CONDITION)
        return False

    def _candidate(self, way: Way, result: str, formulas: ExcelFormulas) -> str | None:
        """Return the formula of a cell by its closed form, or by the result of its search."""
        form = formulas.formula(boundary_of(way), way.cell.unit) if way.forms else None
        if form is None:
            return f"={result}" if result else None
        if not way.options:
            return form
        tests = ",".join(f'{formulas.names[choice]}="{option}"' for choice, option in way.options)
        return f"=IF({f'AND({tests})' if len(way.options) > 1 else tests},{form[1:]},{result or 'NA()'})"


def _scanned(scanned: Scanned, text: str) -> str:
    """Return the formula of a count: what a block of the first whole numbers gives, else what a search does."""
    if scanned.bound:
        text = f"IF({scanned.bound.replace(MARK, text)},{scanned.other},{text})"
    return f"=IF(ISNUMBER({scanned.place}),{scanned.place},{text})"
