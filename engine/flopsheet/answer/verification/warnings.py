"""What to be wary of in an answer: cells out of their bounds, not computed, or from figures nobody verified."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.answer.cell_bounds import is_outside
from flopsheet.answer.outcomes.undecided import not_excluded
from flopsheet.answer.outcomes.value import CellValue
from flopsheet.answer.verification.mending import mended
from flopsheet.errors import joined
from flopsheet.question.figures import absence, absent_figures, other_options
from flopsheet.question.left_out import ceilings, exceeded, left_out, presumed
from flopsheet.question.unused import unused
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_UNVERIFIED = 3  # figures of a record that are named


def warnings_of(answered: Answer, system: System) -> list[str]:
    """Return what somebody who reads an answer should be wary of."""
    cells, execution = answered.question.sheet.cells, answered.execution
    wrong, without_value = answered.questionable, _resting_on_none(answered)
    outside = [_outside(cells[name], execution.number(name)) for name in wrong.outside if name not in without_value]
    fractional = [
        f"{name} came out at {cells[name].text(execution.number(name))}, which is no whole number."
        for name in wrong.fractional
        if name not in without_value
    ]
    read = _read(answered)
    checks = [*answered.checks, *answered.broken] if answered.meets_question else []
    failed = [f"'{check.relation.text}' does not hold." for check in checks if not check.holds]
    missing = [] if answered.question.unknowns else _missing(answered, system)
    question = answered.question
    bounded = tuple(relation.cells for relation in question.inequalities)
    told = "unused", tuple(question.shown), question.best, bounded  # with these, the structure says all that counts
    return [
        *left_out(question),
        *answered.system.structure.derived(told, lambda: unused(question)),
        *_idle(question, read),
        *exceeded(question, answered.execution.values, read),
        *presumed(question, answered.execution.values, read),
        *outside,
        *_open(answered),
        *fractional,
        *failed,
        *_mending(answered),
        *missing,
        *_unverified(answered, read),
    ]


def _resting_on_none(answered: Answer) -> frozenset[str]:
    """Return the cells that rest on an unknown without a value, whose outcome says what is wrong."""
    names = [name for name, outcome in answered.outcomes.items() if outcome.kind == "none"]
    return answered.system.structure.with_known(*names).resting_on(names) if names else frozenset()


def _idle(question: Question, read: frozenset[str]) -> list[str]:
    """Return which figures of records a question gives itself though nothing that it asks for rests on them."""
    parts = (name for name in question.pins if question.sheet.cells[name].part)
    names = [name for name in parts if name not in read and name not in question.unknowns]
    if not names:
        return []
    it, is_given = ("it", "is given") if len(names) == 1 else ("them", "are given")
    told = "answer" if question.unknowns else "headline"  # without an unknown, all that is computed is the answer
    return [f"{joined(names)} {is_given}, but the {told} does not rest on {it}."]


def _mending(answered: Answer) -> list[str]:
    """Return with which count the limits hold that do not, where a question left it at its default."""
    text = mended(answered.question, answered.broken, answered.dropped_defaults) if answered.broken else ""
    return [text] if text else []


def _outside(cell: Cell, value: Number) -> str:
    shown, bounds = cell.beside_bounds(value)
    return f"{cell.name} came out at {shown}, outside its bounds ({bounds})."


class Questionable(NamedTuple):
    """What is wrong with computed values, whatever was asked."""

    outside: list[str]  # the cells outside of their bounds
    fractional: list[str]  # the counts that are no whole numbers


def questionable(answered: Answer) -> Questionable:
    """Return which values are outside their bounds, and which counts are fractional."""
    question, origins, values = answered.question, answered.execution.origins, answered.execution.values
    cells, pins, outside, fractional = question.sheet.cells, question.pins, list[str](), list[str]()
    fine: dict[str, Number] = answered.system.structure.derived(("fine",), dict)  # values in which nothing is wrong
    for name in question.used_cells:
        value = values.get(name)
        if value is None or fine.get(name) is value:
            continue
        origin, cell = origins.get(name), cells[name]
        if origin is None or isinstance(value, str):
            continue
        told = len(outside), len(fractional)
        if origin in ("computed", "solved") and is_outside(cell, value) and name not in pins:
            outside.append(name)
        counted = cell.integer and not isinstance(value, int) and name not in answered.outcomes
        if counted and not close(value, round(value)):
            fractional.append(name)
        if told == (len(outside), len(fractional)):
            fine[name] = value
    return Questionable(outside, fractional)


def _unverified(answered: Answer, read: frozenset[str]) -> list[str]:
    """Return which figures of records that an answer reads nobody verified in their sources, a line for each record."""
    question, values, names = answered.question, answered.execution.values, dict[str, list[str]]()
    cells, origins, parts = question.sheet.cells, answered.execution.origins, question.sheet.parts
    figures = ((parts[part], figure) for part, record in question.records.items() for figure in record.unverified)
    unverified = {part.cell_of(figure) for part, figure in figures}
    for name in filter((unverified & read).__contains__, question.used_cells):
        value = values.get(name)
        is_figure = origins.get(name) == "record" and name not in question.pins
        if is_figure and value is not None and not isinstance(value, str) and question.reads(name):
            cell, record = cells[name], question.records[cells[name].part]
            said_by = CellValue(cell, value, "record", record.values[cell.figure], record).said_by
            names.setdefault(said_by, []).append(name)
    return [_of_record(record, own) for record, own in names.items()]


def _of_record(record: str, names: list[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} of {record} was not verified in its source."
    left = len(names) - MOST_UNVERIFIED
    figures = [*names[:MOST_UNVERIFIED], *([f"{left} more figure{'s' * (left > 1)}"] if left > 0 else [])]
    return f"{joined(figures)} of {record} were not verified in their sources."


def over_ceilings(working: Sequence[Answer]) -> list[str]:
    """Return how many answers with other names exceed a ceiling of their record, where several do, as sentences."""
    counts = Counter(over for own in working for over in ceilings(own.question, own.execution.values, _read(own)))
    return [
        f"{name} is more than {part}.{field} of {count} of these {len(working)}: add '{part}.{field} >= {name}' to "
        "leave them out."
        for (part, field, name), count in counts.items()
        if count > 1
    ]


def _read(answered: Answer) -> frozenset[str]:
    """Return the cells on which the answer rests: where nothing is asked for by name, headlines, or all."""
    question, structure, values = answered.question, answered.system.structure, answered.execution.values
    asked = _asked(question) or [name for name in question.sheet.rows.headline if name in values]
    if not asked:
        return frozenset(question.used_cells)
    return structure.needed([*asked, *(name for own in question.limits for name in own.cells)])


def _asked(question: Question) -> frozenset[str]:
    """Return the cells that a question asks for: unknown, shown, ranking names, or in its relations; none for all."""
    named = [*question.unknowns, *question.shown, *((question.best.cell,) if question.best else ())]
    if not (named or question.substituted):
        return frozenset()
    return frozenset([*named, *(name for own in question.stated for name in own.cells)])


def _open(answered: Answer) -> list[str]:
    """Return which values are not excluded, and which ranges have no first value."""
    warnings = []
    no_first = "No first value of {0} works, only those inside its range: give it to see the other cells."
    for name, result in answered.outcomes.items():
        warnings += (
            [not_excluded(result.open, result.cell, causes=result.causes)]
            if result.open and result.kind != "none"
            else []
        )
        warnings += [no_first.format(name)] if result.kind == "range" and result.si is None else []
    return warnings


def _missing(answered: Answer, system: System) -> list[str]:
    """Return which cells could not be computed, and which of those that nobody gave they rest on.

    Of what is asked for by name only these are named, with those on which they rest; others are counted.
    """
    question, known = answered.question, answered.execution.origins
    cells = question.sheet.cells.values()
    left_out = [cell.name for cell in cells if cell.formula is not None and cell.name not in known]
    asked, structure = _asked(question), system.structure
    used = structure.needed(asked) | structure.missing(asked) if asked else {*left_out}
    wanted = [name for name in left_out if name in used]
    if not wanted:
        return []
    lacking = {name: structure.missing([name]) for name in wanted}
    needs_of_all = frozenset().union(*lacking.values())
    missing = [cell.name for cell in question.sheet.rows.shown if cell.formula is None and cell.name in needs_of_all]
    named = (name for name, part in question.sheet.parts.items() if part.example and not part.bare)
    lacking_parts = {question.sheet.cells[name].part for name in structure.missing(wanted)}
    missing += [name for name in named if name not in question.records and (not asked or name in lacking_parts)]
    figures = absent_figures(question, sorted(needs_of_all))
    # A cell that waits for a figure and for something that can be given is named once, with what can be given.
    waiting = [name for name, needs in lacking.items() if missing and not (needs and needs <= {*figures})]
    others = len(left_out) - len(wanted)
    texts = [f"Not computed: {_counted(waiting, others)}. Not given: {joined(missing)}."] if waiting else []
    without = {name: needs for name, needs in lacking.items() if name not in waiting}
    return [*texts, *(_without_figure(question, without, figure) for figure in figures)]


def _counted(names: list[str], others: int) -> str:
    """Return names, and how many cells are left out besides that nothing asked for rests on."""
    return joined([*names, *([f"{others} other cell{'' if others == 1 else 's'}"] if others else [])])


def _without_figure(question: Question, lacking: Mapping[str, frozenset[str]], figure: str) -> str:
    """Return which cells a record leaves out for want of a figure, with the options for which it has one."""
    names = [name for name, needs in lacking.items() if figure in needs]
    options = other_options(question, figure)
    absent = f"{absence(question, [figure])}{f': choose {options}' if options else ''}."
    return f"Not computed: {joined(names)}. {absent}" if names else absent
