"""A question: a sheet, what is said of its cells, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.errors import DimensionError, OverdeterminedError, QuestionError, find, suggest
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.parser import check_length, parse_relation, shortened, split_relation
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions.language import choices_in, taken
from flopsheet.functions.symbols import symbol
from flopsheet.question.pins import Pin, as_pin, plain_pin
from flopsheet.registry.store import record
from flopsheet.units import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.registry.records import Record
    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number

MOST_RELATIONS, MOST_KEPT = 1000, 10_000


_Parts: TypeAlias = "tuple[str, str, str]"  # left side, operator, right side
_Read: TypeAlias = "tuple[_Parts, Relation | None, Pin | None]"  # no relation where a name is given


@dataclass
class Question:
    """A sheet with the relations that a user adds, and the cells that are asked for.

    Args:
        sheet: the sheet.
        unknowns: names of the cells that are asked for; with none, everything that can be computed is.
        pins: cells set to a value, by name.
        relations: other equations and inequalities.
        records: the registry record of each part that has one.
        choices: the option of each choice that has one.
        near: values in base units, by unknown, that pick among several answers.
        tried: names that were asked for, and are put in one after the other.
    """

    sheet: Sheet
    unknowns: tuple[str, ...] = ()
    pins: dict[str, Pin] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    near: dict[str, Number] = field(default_factory=dict)
    tried: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The unknowns that are names: registry records and choices."""
        return tuple(name for name in self.unknowns if name not in self.sheet.cells)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """The quantities written in relations and limits, by symbol name."""
        pinned = [pin.relation for pin in self.pins.values()]
        stated = [*self.relations, *pinned, *self.sheet.limits.values()]
        return {name: quantity for relation in stated for name, quantity in relation.literals.items()}

    @cached_property
    def literals(self) -> dict[str, Number]:
        """The values of these quantities, in base units."""
        return {name: quantity.si for name, quantity in self.quantities.items()}

    @property
    def options(self) -> dict[str, str]:
        """The option of each choice that has one: given, or its default."""
        defaults = {name: choice.default for name, choice in self.sheet.choices.items() if choice.default}
        return {**defaults, **self.choices}

    def formula(self, name: str) -> Any:
        """Return the formula of a cell, each case distinction as the branch taken; None for a given cell."""
        formula = self.sheet.cells[name].formula
        return taken(formula, self.options) if formula is not None and choices_in(formula) else formula

    @property
    def inequalities(self) -> list[Relation]:
        """The relations that are no equations."""
        return [relation for relation in self.relations if not relation.is_equation]

    def _repr_markdown_(self) -> str:
        from flopsheet.report.notebook import question_page

        return question_page(self)


def ask(
    sheet: Sheet,
    unknown: str | Sequence[str] | None = (),
    where: Mapping[str, object] | Iterable[str] | None = (),
) -> Question:
    """Return the question that a user puts.

    Args:
        sheet: the sheet.
        unknown: the cell or cells asked for.
        where: relations as texts, or a mapping of cell to value (`{"d_model": 16384, "chip": "tpu-v5p"}`).

    Raises:
        UnknownNameError, FormulaError, UnitsError, ValueOutOfBoundsError: a relation is wrong by itself.
        OverdeterminedError: a cell is set twice, to different values.
    """
    unknowns = (unknown,) if isinstance(unknown, str) else tuple(unknown or ())
    question = Question(sheet, tuple(map(sheet.rows.called, unknowns)))
    for name in question.unknowns:
        _check_unknown(name, question)
    if isinstance(where, str):
        where = [where]
    where = where or ()
    texts = [as_text(name, value) for name, value in where.items()] if hasattr(where, "items") else list(where)
    if not all(isinstance(text, str) for text in texts):
        raise QuestionError("question", "A relation is not a text.", 'Write ["d_model = 16384"] or {"d_model": 16384}.')
    if len(texts) > MOST_RELATIONS:
        raise QuestionError("question", f"It has {len(texts):,} relations, more than {MOST_RELATIONS:,}.")
    for text in texts:
        _add(question, text)
    _check_asked(question)
    return question


def _check_asked(question: Question) -> None:
    for name in question.unknowns:
        given = question.pins[name].relation.text if name in question.pins else ""
        if name in question.records or name in question.choices:
            key = question.choices.get(name) or question.records[name].key
            given = f"{name} = {key}"
        if given:
            fix = f"Leave out '{given}', or ask for another cell."
            raise QuestionError(f"unknown '{name}'", "It is asked for and given at once.", fix)


def as_text(name: str, value: object) -> str:
    """Return the relation that gives a cell a value."""
    if isinstance(value, Quantity):
        if isinstance(value.value, float):
            return f"{name} = {value.value!r} {value.unit}"
        exact = Fraction(value.value)
        return f"{name} = {exact.numerator} {value.unit} / {exact.denominator}"
    return f"{name} = {value}"


def _check_unknown(name: str, question: Question) -> None:
    sheet = question.sheet
    where = f"unknown '{shortened(name)}'"
    find(name, [*sheet.cells, *sheet.parts, *sheet.choices], "cell", where)
    if question.unknowns.count(name) > 1:
        raise QuestionError(where, "It is asked for twice.", "Name it once.")


def _add(question: Question, text: str) -> None:
    where = f"relation '{shortened(text)}'"
    sheet = question.sheet
    parts, relation, pin = _read(text, question, where)
    if relation is None:
        left, sign, right = parts
        if sign != "=":
            raise QuestionError(where, f"'{left}' is a name: it cannot be compared.", f"Write {left} = NAME.")
        _add_name(question, left, right.strip("'\""), where)
        return
    if pin is None:
        question.relations.append(relation)
        return
    sheet.cells[pin.cell].check(pin.value, where)
    known = question.pins.setdefault(pin.cell, pin)
    if known.value != pin.value:
        problem = f"'{pin.cell}' is already given by '{known.relation.text}'."
        raise OverdeterminedError(where, problem, "Leave out one of the two.")


def _read(text: str, question: Question, where: str) -> _Read:
    """Return what a text says of a sheet; what was read before is kept as long as the sheet."""
    known: dict[str, _Read] = question.sheet.rows.read
    if text not in known:
        check_length(text, where)
        if len(known) >= MOST_KEPT:
            known.clear()
        left, sign, right = split_relation(text, where)
        parts = (question.sheet.rows.called(left), sign, right)
        named = parts[0] in question.sheet.parts or parts[0] in question.sheet.choices
        known[text] = (parts, *((None, None) if named else _parsed(text, parts, question, where)))
    return known[text]


def _parsed(text: str, parts: _Parts, question: Question, where: str) -> tuple[Relation, Pin | None]:
    """Return a relation and the pin that it is, or None."""
    sheet = question.sheet
    plain = plain_pin(*parts, sheet, where)
    if plain is not None:
        return plain.relation, plain
    relation = parse_relation(text, sheet.rows.names, where)
    relation = replace(relation, left=_meant(relation.left, sheet), right=_meant(relation.right, sheet))
    for each in (relation.left, relation.right):
        sheet.rows.check_choices(each, where)
    check_units(relation, question, where)
    pin = as_pin(relation)
    if pin is None:
        _check_constant(relation, where)
    return relation, pin


def _meant(side: Any, sheet: Sheet) -> Any:
    """Return a side of a relation with the rows that its names mean."""
    aliases = sheet.rows.aliases
    return side.xreplace({symbol(name): aliases[name] for name in cells_of(side) if name in aliases})


def _add_name(question: Question, name: str, value: str, where: str) -> None:
    if name in question.sheet.choices:
        options = question.sheet.choices[name].options
        if value not in options:
            problem = f"'{name}' cannot be '{shortened(value)}'."
            fix = suggest(value, options) or f"It is one of {', '.join(options)}."
            raise QuestionError(where, problem, fix)
        if question.choices.setdefault(name, value) != value:
            problem = f"'{name}' is already given as {question.choices[name]}."
            raise OverdeterminedError(where, problem, "Leave out one of the two.")
        return
    found = record(question.sheet.parts[name].kind, value, where)
    if question.records.setdefault(name, found) is not found:
        problem = f"'{name}' is already given as {question.records[name].key}."
        raise OverdeterminedError(where, problem, "Leave out one of the two.")


def check_units(relation: Relation, question: Question, where: str) -> None:
    """Refuse a relation whose sides differ in dimension, or that lacks a unit.

    Raises:
        DimensionError: one of these is so.
    """
    cells = question.sheet.cells
    literals = {name: quantity.dimension for name, quantity in relation.literals.items()}
    check = UnitCheck({**question.sheet.rows.dimensions, **literals}, where)
    for side, other in ((relation.left, relation.right), (relation.right, relation.left)):
        if side.is_Symbol and side.name in cells and not other.free_symbols:
            needed = cells[side.name].unit
            if needed.dimension and not needed.dimension.is_count:
                problem = f"'{side.name}' is {needed.dimension}, and {other} has no unit."
                raise DimensionError(where, problem, f"Write a unit behind the number, {needed.text} for example.")
    check.sides(relation.left, relation.right)


def _check_constant(relation: Relation, where: str) -> None:
    if not relation.cells:
        raise QuestionError(
            where, "No cell in it decides anything.", "Name a cell on one side: device_memory <= 95 GiB."
        )
