"""Reads a question as a user puts it: names of cells, relations as texts, and values near which an answer is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.budget import DEFAULT
from flopsheet.errors import (
    DimensionError,
    FormulaError,
    OverdeterminedError,
    QuestionError,
    UnknownNameError,
    expect_text,
    find,
    joined,
    shortened,
    suggest,
)
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.parser import parse_relation, relation_between
from flopsheet.formulas.relation import Relation, parse_assignment, split_relation
from flopsheet.functions.symbols import Expr, exact, symbol
from flopsheet.question.arguments import MOST_RELATIONS, as_names, as_text, as_texts
from flopsheet.question.labels import fitting, label_of
from flopsheet.question.parts import named_record, with_named
from flopsheet.question.question import Best, Pin, Question
from flopsheet.registry.records import BASES
from flopsheet.units import Number, Quantity, ambiguity, format_quantity, quantity, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.sheets.body import Sheet

MOST_STATEMENTS = 10_000
LONGEST = 10**9  # seconds: longer budgets end no search

_Name: TypeAlias = "tuple[str, str]"  # a choice or part, and its option or record


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
        find(name, [*sheet.cells, *sheet.parts, *sheet.choices], "cell", place)
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
    """Return how a question ranks names, from a text such as `max:params`.

    Raises:
        QuestionError: it is no direction with a cell, or no name is asked for.
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
    if not question.names:
        names = joined([*sheet.parts, *sheet.choices], "or")
        fix = f"Leave it out, or ask for {names}." if names else "Leave it out."
        raise QuestionError(where, "No name is asked for, so there is nothing to rank.", fix)
    return Best(cell, direction == "max")


def _add(question: Question, text: str) -> None:
    """Add what a text states to a question; a text that was parsed before is not parsed again while its sheet lasts."""
    parsed: dict[str, Pin | Relation | _Name] = question.sheet.rows.derived.setdefault("statements", {})
    statement = parsed.get(text)
    if statement is None:
        if (label := label_of(text, question.sheet)) is not None:
            question.labels.append(label)
            return
        if len(parsed) >= MOST_STATEMENTS:
            parsed.clear()
        statement = parsed[text] = _parsed(text, question.sheet)
    if isinstance(statement, Pin):
        before = question.pins.setdefault(statement.cell, statement)
        if before.value != statement.value:
            problem = f"'{statement.cell}' is already given by '{before.text}'."
            raise OverdeterminedError(f"relation '{shortened(text)}'", problem, "Leave out one of the two.")
    elif isinstance(statement, Relation):
        question.relations.append(statement)
    else:
        _add_name(question, *statement, f"relation '{shortened(text)}'")


def _parsed(text: str, sheet: Sheet) -> Pin | Relation | _Name:
    """Return what a text states of a sheet: the value of a cell, a relation, or the name of a record or option."""
    derived = sheet.rows.derived
    names: dict[str, None] = derived.get("names") or derived.setdefault("names", dict.fromkeys(sheet.rows.names))
    given = parse_assignment(text, names)
    pin = None if given is None else _given(*given, sheet)
    if pin is not None and sheet.cells[pin.cell].allows(pin.value):
        return pin
    where = f"relation '{shortened(text)}'"
    parts = split_relation(text, where)
    name = sheet.rows.resolve(parts[0])
    if name in sheet.parts or name in sheet.choices:
        if parts[1] != "=":
            raise QuestionError(where, f"'{name}' is a name: it cannot be compared.", f"Write {name} = NAME.")
        return name, parts[2].strip("'\"")
    if parts[0].isidentifier() and parts[2][:1].isalpha():  # `gpu = h100`
        find(name, names, "cell", where, aliases=sheet.parts)
    relation = _checked(relation_between(parts, names, where), sheet, where)
    pin = pin or _as_pin(relation)
    if pin is not None:
        sheet.cells[pin.cell].check(pin.value, where)
    elif not relation.cells:
        raise QuestionError(where, "No cell in it decides anything.", "Name a cell on one side: n_tp <= 8.")
    return pin or relation


def _given(written: str, quantity: Quantity, text: str, sheet: Sheet) -> Pin | None:
    """Return the pin of a cell that is given a quantity; None where the unit does not fit, or it is no cell."""
    name = sheet.rows.resolve(written)
    cell = sheet.cells.get(name)
    if cell is None:
        return None
    needed = cell.unit.dimension
    bare = not quantity.unit.text and (not needed or needed.is_count)
    same = quantity.unit is cell.unit or (quantity.unit.text and quantity.dimension == needed)
    if not bare and not same:
        return None
    return Pin(name, quantity.si, text if name == written else f"{name}{text.removeprefix(written)}", quantity)


def _checked(relation: Relation, sheet: Sheet, where: str) -> Relation:
    """Return a relation with its aliases resolved, after checking its units and its case distinctions."""
    try:
        return _resolved(relation, sheet, where)
    except DimensionError:
        if problem := ambiguity(relation.text):
            raise DimensionError(where, *problem) from None
        raise


def _resolved(relation: Relation, sheet: Sheet, where: str) -> Relation:
    names = relation.cells
    aliases = {symbol(name): row for name, row in sheet.rows.aliases.items() if name in names}
    sides = relation.left.xreplace(aliases), relation.right.xreplace(aliases)
    literals = {name: quantity.dimension for name, quantity in relation.literals.items()}
    for side in sides:
        sheet.rows.check_choices(side, where)
    for side, other in (sides, sides[::-1]):
        if side.is_Symbol and side.name in sheet.cells and not other.free_symbols:
            needed = sheet.cells[side.name].unit
            if needed.dimension and not needed.dimension.is_count:
                problem = f"'{side.name}' is {needed.dimension}, and {other} has no unit."
                raise DimensionError(where, problem, f"Write a unit behind the number, {needed.text} for example.")
    UnitCheck({**sheet.rows.dimensions, **literals}, where).sides(*sides)
    return replace(relation, left=sides[0], right=sides[1])


def _as_pin(relation: Relation) -> Pin | None:
    """Return the pin that a relation `cell = number or quantity` is, or None."""
    literals = {name: quantity.si for name, quantity in relation.literals.items()}
    for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
        single = side.is_Symbol and side.name in relation.cells
        if relation.is_equation and single and {term.name for term in other.free_symbols} <= literals.keys():
            value, written = evaluate(other, literals), _written(other, relation.literals)
            return Pin(side.name, value, relation.text, written, relation)
    return None


def _written(side: Expr, literals: Mapping[str, Quantity]) -> Quantity | None:
    """Return a side that is a number or a quantity, with or without a minus sign; None for anything else."""
    sign = -1 if side.could_extract_minus_sign() else 1
    unsigned = sign * side
    if unsigned.is_Number:
        return Quantity(sign * exact(unsigned), unit(""))
    quantity = literals.get(str(unsigned))
    return None if quantity is None else Quantity(sign * quantity.exact, quantity.unit)


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
        pin = _as_pin(relation)
    except (FormulaError, UnknownNameError):
        pin = None
    if pin is None:
        example = cell.default if cell.example is None else cell.example
        shown = format_quantity(example, cell.unit) if example is not None else f"12 {cell.unit}".strip()
        problem = f"'{shortened(text.partition('=')[2].strip())}' is no value of {name}."
        raise QuestionError(where, problem, f"Write {name} = {shown}.")
    _checked(relation, sheet, where)
    return pin.value
