"""Reads a question as a user puts it: names of cells, relations as texts, and values near which an answer is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flopsheet.budget import DEFAULT
from flopsheet.errors import (
    FormulaError,
    OverdeterminedError,
    QuestionError,
    UnknownNameError,
    expect_text,
    find,
    shortened,
    suggest,
)
from flopsheet.formulas.parser import parse_relation
from flopsheet.formulas.relation import Relation
from flopsheet.question.arguments import MOST_RELATIONS, as_names, as_text, as_texts
from flopsheet.question.labels import fitting, label_of
from flopsheet.question.parts import named_record, with_named
from flopsheet.question.question import Best, Pin, Question
from flopsheet.question.statements import Name, as_pin, checked, parsed_statement
from flopsheet.registry.records import BASES
from flopsheet.sheets.cell import left_out_of
from flopsheet.units import Number, format_quantity, is_unit_name, quantity, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.sheets.body import Sheet

MOST_STATEMENTS = 10_000
LONGEST = 10**9  # seconds: longer budgets end no search


def ask(  # noqa: PLR0913  # one parameter for each part of a question
    sheet: Sheet,
    unknown: str | Sequence[str] | None = (),
    where: Mapping[str, object] | Iterable[str] | None = (),
    *,
    without: str | Iterable[str] | None = (),
    budget: object | None = None,
    best: str | None = None,
    figures: str | None = None,
    show: str | Iterable[str] | None = (),
) -> Question:
    """Return the question that a user puts: cells asked for, relations, lifted limits, and the rest as for `solve`.

    Raises:
        UnknownNameError: a cell, or a limit to lift, is not in the sheet; the message has the nearest.
        UnknownNameError, FormulaError, UnitsError, ValueOutOfBoundsError: a relation is wrong by itself.
        OverdeterminedError: a cell is set twice, to different values.
    """
    unknowns, lifted = as_names(unknown, "unknown"), tuple(dict.fromkeys(as_names(without, "without")))
    for limit in lifted:
        find(limit, sheet.limits, "limit", f"without '{shortened(limit)}'")
    question = Question(sheet, tuple(map(sheet.rows.resolve, unknowns)), without=lifted, budget=_seconds(budget))
    for name in question.unknowns:
        place = f"unknown '{shortened(name)}'"
        names = [*sheet.cells, *sheet.parts, *sheet.choices]
        if name not in names and is_unit_name(name) and not suggest(name, names):
            fix = "A quantity with its unit is one argument: quote 'total_flop = 5e23 FLOP'."
            raise UnknownNameError(place, f"There is no cell '{name}', but a unit.", fix)
        find(name, names, "cell", place)
        if question.unknowns.count(name) > 1:
            raise QuestionError(place, "It is asked for twice.", "Name it once.")
    question.shown = shown_cells(sheet, show)
    question.best = _best(question, best)
    question.figures = expect_text(BASES[0] if figures is None else figures, "figures")
    find(question.figures, BASES, "basis of figures", "figures")
    texts = as_texts(where)
    if len(texts) > MOST_RELATIONS:
        raise QuestionError("question", f"It has {len(texts):,} relations, more than {MOST_RELATIONS:,}.")
    for text in texts:
        _add(question, text)
    question.records = fitting(question, with_named(question.sheet, question.records, question.figures))
    _free_unknowns(question)
    return question


def shown_cells(sheet: Sheet, show: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the cells that the headline of an answer names; raise an UnknownNameError for what is none."""
    names = tuple(sheet.rows.resolve(name) for name in dict.fromkeys(as_names(show, "show")))
    for name in names:
        find(name, sheet.cells, "cell", f"show '{shortened(name)}'")
    return names


def _free_unknowns(question: Question) -> None:
    """Take what a question says of an unknown as an equation; reject a question that gives all that it asks for."""
    plain = [name for name in question.unknowns if name in question.pins and question.pins[name].stated is None]
    for name in question.unknowns:
        key = question.choices.get(name) or (question.records[name].key if name in question.records else "")
        given = f"{name} = {key}" if key else question.pins[name].text if len(plain) == len(question.unknowns) else ""
        if given:
            fix = f"Leave out '{given}', or ask for another cell."
            raise QuestionError(f"unknown '{name}'", "It is asked for and given at once.", fix)
        if name in question.pins:
            question.relations.append(question.pins.pop(name).relation)


def _seconds(budget: object | None) -> float:
    """Return a budget of time in seconds: a number of them, or a text with a unit."""
    if budget is None:
        return DEFAULT
    time = quantity(budget, "budget")
    if (time.unit.text and time.dimension != unit("second").dimension) or time.exact <= 0:
        raise QuestionError("budget", f"'{shortened(str(budget))}' is no time above zero.", "Write 60 s.")
    return float(min(time.si, LONGEST))


def _best(question: Question, best: str | None) -> Best | None:
    """Return how a question ranks answers, from a text such as `max:params`.

    Raises:
        QuestionError: it is no direction with a cell, or nothing is asked for.
        UnknownNameError: there is no such direction or cell; the message has the nearest.
    """
    if best is None:
        return None
    where, sheet = f"best '{shortened(expect_text(best, 'best', 'Write max:CELL or min:CELL.'))}'", question.sheet
    direction, sign, name = (part.strip() for part in best.partition(":"))
    if not sign:
        name = direction if sheet.rows.resolve(direction) in sheet.cells else "CELL"
        raise QuestionError(where, "It has no direction.", f"Write max:{name} or min:{name}.")
    find(direction, ("max", "min"), "direction", where)
    cell = sheet.rows.resolve(name)
    if cell in sheet.parts or cell in sheet.choices:
        raise QuestionError(where, f"'{cell}' is a name: names are ranked by a number.", "Name a cell with a value.")
    find(cell, sheet.cells, "cell", where)
    if not question.unknowns:
        raise QuestionError(
            where, "Nothing is asked for, so there is nothing to rank.", "Name an unknown, or leave it out."
        )
    return Best(cell, direction == "max")


def _add(question: Question, text: str) -> None:
    """Add what a text states to a question; a text that was parsed before is not parsed again while its sheet lasts."""
    parsed: dict[str, Pin | Relation | Name] = question.sheet.rows.derived.setdefault("statements", {})
    statement = parsed.get(text)
    if statement is None:
        if (label := label_of(text, question.sheet)) is not None:
            question.labels.append(label)
            return
        if len(parsed) >= MOST_STATEMENTS:
            parsed.clear()
        statement = parsed[text] = parsed_statement(text, question.sheet)
    if isinstance(statement, Pin):
        before = question.pins.setdefault(statement.cell, statement)
        if before is not statement and before.value != statement.value:
            problem = f"'{statement.cell}' is already given by '{before.text}'."
            raise OverdeterminedError(f"relation '{shortened(text)}'", problem, "Leave out one of the two.")
    elif isinstance(statement, Relation):
        question.relations += [statement, *left_out_of(statement, question.sheet.cells)]
    else:
        _add_name(question, *statement, f"relation '{shortened(text)}'")


def _add_name(question: Question, name: str, value: str, where: str) -> None:
    if name in question.sheet.choices:
        options = question.sheet.choices[name].options
        if value not in options:
            fix = suggest(value, options) or f"It is one of {', '.join(options)}."
            raise QuestionError(where, f"'{name}' cannot be '{shortened(value)}'.", fix)
        if question.choices.setdefault(name, value) != value:
            problem = f"'{name}' is already given as {question.choices[name]}."
            raise OverdeterminedError(where, problem, "Leave out one of the two.")
        return
    named = named_record(question.sheet, question.sheet.parts[name], value, where)
    if question.records.setdefault(name, named) is not named:
        problem = f"'{name}' is already given as {question.records[name].key}."
        raise OverdeterminedError(where, problem, "Leave out one of the two.")


def near_values(question: Question, near: Any) -> dict[str, Number]:
    """Return the values near which answers are wanted [base units], from one for the single unknown or a mapping."""
    if not isinstance(near, Mapping):
        numbers = [name for name in question.unknowns if name not in question.names]
        if len(numbers) != 1:
            raise QuestionError("near", f"There are {len(numbers)} unknown numbers.", "Write near={'d_model': 4096}.")
        near = {numbers[0]: near}
    values = {}
    for name, value in near.items():
        where = f"near '{shortened(expect_text(name, 'near', 'Write the name of an unknown as a text.'))}'"
        find(name, question.unknowns, "unknown", where)
        if name in question.names:
            raise QuestionError(where, f"'{name}' is a name: no value is near it.", "Leave it out.")
        values[name] = _near_value(name, value, question.sheet, where)
    return values


def _near_value(name: str, value: object, sheet: Sheet, where: str) -> Number:
    cell = sheet.cells[name]
    text = as_text(name, value, where)
    try:
        relation = parse_relation(text, [name], where)
        pin = as_pin(relation)
    except (FormulaError, UnknownNameError):
        pin = None
    if pin is None:
        example = cell.default if cell.example is None else cell.example
        shown = format_quantity(example, cell.unit) if example is not None else f"12 {cell.unit}".strip()
        problem = f"'{shortened(text.partition('=')[2].strip())}' is no value of {name}."
        raise QuestionError(where, problem, f"Write {name} = {shown}.")
    checked(relation, sheet, where)
    return pin.value
