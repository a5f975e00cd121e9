"""What is to be given for cells: inputs that nobody gave, records that nobody named, as texts to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import taken
from flopsheet.question.figures import absent_figures
from flopsheet.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.graph.structure import Structure
    from flopsheet.question.question import Question

MOST_LISTED = 6


def missing_inputs(question: Question, structure: Structure, cells: Iterable[str]) -> list[str]:
    """Return the cells without an equation on which these cells rest, in the order of declaration.

    In place of one whose default waits for a record that nobody named, or for a figure that its record lacks, what the
    last of its formulas rests on.
    """
    missing = {*structure.missing({*cells} - question.sheet.choices.keys())}
    waiting = [*missing]
    while waiting:
        name = waiting.pop()
        formula = next(iter(question.sheet.cells[name].inferred[::-1]), None)
        used = () if formula is None else cells_of(taken(formula, question.options)) & question.sheet.cells.keys()
        more = structure.missing(used)
        lacking = {*absent_figures(question, more)} - {*figures_of_default(question, name)}
        if lacking or any(_unnamed(question, own) for own in more):
            missing.remove(name)
            waiting += more - missing
            missing |= more
    return [name for name in question.sheet.cells if name in missing]


def figures_of_default(question: Question, cell: str) -> list[str]:
    """Return the figures of records from which the default of a cell is inferred."""
    cells = question.sheet.cells  # without choices, which formulas name too
    names = [name for formula in cells[cell].inferred for name in sorted(cells_of(formula))]
    return [name for name in names if name in cells and cells[name].part]


def are_not_given(question: Question, missing: Sequence[str]) -> str:
    """Return that cells, or the records whose figures they are, are not given, as a clause."""
    names = [*dict.fromkeys(repr(_unnamed(question, name) or name) for name in missing)]
    return f"{joined(names)} {'is' if len(names) == 1 else 'are'} not given"


def paste(question: Question, names: Sequence[str], conjunction: str = "and", most: int = MOST_LISTED) -> str:
    """Return cells with meaning and the text to paste: `d_ff=53248 (Width of ...)`."""
    texts, cells = dict[str, None](), question.sheet.cells
    for name in names:
        cell = cells[name]
        if _unnamed(question, name):
            part = question.sheet.parts[cell.part]
            texts[f"'{part.name} = {part.example or 'NAME'}' ({part.doc})"] = None
        else:
            example = cell.default if cell.example is None else cell.example
            open_value = f"... {cell.unit}".strip()
            value = open_value if example is None else format_quantity(example, cell.unit).replace(",", "")
            texts[f"'{name} = {value}' ({cell.doc})"] = None
    shown = [*texts]
    return joined([*shown[:most], "others"] if len(shown) > most else shown, conjunction)


def _unnamed(question: Question, name: str) -> str:
    """Return the part of which a cell is a figure, where the question names no record of it; else an empty text."""
    cells = question.sheet.cells
    part = question.sheet.parts.get(cells[name].part)
    if part is None or part.name in question.records:
        return ""
    named = (own for own in (*question.pins, *question.unknowns) if own in cells)
    by_hand = part.bare and any(cells[own].part == part.name for own in named)
    return "" if by_hand else part.name
