"""Cells that a record gives in one of several ways: its figure, or the first formula over figures that it has.

A record that is picked later may have other figures than the one that was asked about: all ways are written, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.formulas.relation import cells_of
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.functions import Expr
    from flopsheet.report.workbook.formulas import ExcelFormulas
    from flopsheet.report.workbook.records import Records
    from flopsheet.sheets.cell import Cell

MISSING = "NA()"


def figures_of(answer: Answer) -> Iterator[Cell]:
    """Yield the figures of the records of an answer that give a cell of it, or would if they had them."""
    cells, records = answer.question.sheet.cells, answer.question.records
    for name in answer.cells:
        ways = (name, *(own for formula in cells[name].inferred for own in sorted(cells_of(formula))))
        yield from (cells[own] for own in ways if own in cells and cells[own].part in records)


def chosen_ways(answer: Answer, records: Records, formulas: ExcelFormulas) -> dict[str, str]:
    """Return the formulas of the cells of an answer that picked records give in several ways, by cell.

    Args:
        answer: the answer.
        records: the sheets of records.
        formulas: writes expressions, over the rows of cells.
    """
    structure, question = answer.system.structure, answer.question
    texts: dict[str, str] = {}
    for name, value in answer.cells.items():
        is_inferred = name in structure.of_cell and structure.of_cell[name] == f"inferred {name}"
        stated = name in question.pins or name in answer.outcomes or name in answer.dropped_defaults
        if stated or not (is_inferred or value.origin in ("record", "default")):
            continue
        ways = [*_ways(value.cell, answer, records, formulas)]
        if any(test for test, _ in ways) and len(ways) > 1:
            last = MISSING
            for test, text in reversed(ways):
                last = f"IF({test},{text},{last})" if test else text
            texts[name] = f"={last}"
    return texts


def _ways(cell: Cell, answer: Answer, records: Records, formulas: ExcelFormulas) -> Iterator[tuple[str, str]]:
    """Yield what gives a cell, each with the test that the picked records have it; no test where nothing is needed."""
    cells, known = answer.question.sheet.cells, answer.question.records
    found = records.lookup(cell, formulas.names) if cell.part in known else None
    if found is not None:
        yield f'{found}<>""', found
    for formula in cell.inferred:
        figures = [cells[name] for name in sorted(cells_of(formula)) if name in cells and cells[name].part]
        places = {own.name: records.lookup(own, formulas.names) for own in figures if own.part in known}
        if all(places.get(own.name) or own.name in formulas.names for own in figures):
            there = {name: place for name, place in places.items() if place is not None}
            yield _all_there(there.values()), _written(formula, cell, formulas, there, figures)
    if cell.default is not None:
        yield "", repr(float(in_unit(cell.default, cell.unit)))


def _all_there(places: Iterable[str]) -> str:
    tests = [f'{place}<>""' for place in places]
    return f"AND({','.join(tests)})" if len(tests) > 1 else "".join(tests)


def _written(
    formula: Expr, cell: Cell, formulas: ExcelFormulas, places: Mapping[str, str], figures: Sequence[Cell]
) -> str:
    text = formulas.beside(places, {own.name: own.unit for own in figures}).formula(formula, cell.unit)
    return MISSING if text is None else text[1:]
