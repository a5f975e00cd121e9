"""What a question asks, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.question.question import Question
    from flopsheet.report import Extras
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Choice, Part

MOST_ASKED = 3


def question_text(question: Question, varied: Sequence[str] = ()) -> str:
    """Return a question as a sentence: its unknowns, its relations, and the names that a table varies."""
    sheet, names = question.sheet, asked_for(question) if not varied or question.shown else question.unknowns
    docs = {name: _meaning(name, sheet) for name in names}
    asked = [name if doc == name else f"{name} ({_lowered(doc)})" for name, doc in docs.items()]
    related = _related(question, varied)
    start = f"What is {joined(asked)}" if asked else "What can be computed"
    link = ", such that " if question.unknowns else ", given that "
    goal = f"{link}{joined(related)}" if related else ""
    table = f", for several values of {joined([_filtered(name, question) for name in varied])}" if varied else ""
    table += f", with {joined(given)}" if (given := _given(question, varied)) else ""
    more = [*_lifted(question), *([f"ranked by {question.best}"] if question.best is not None else [])]
    return f"{start}{goal}{table}{''.join(f', {text}' for text in more)}?"


def _filtered(name: str, question: Question) -> str:
    """Return a name that varies with the texts that its records have: `chip with vendor = AMD`."""
    texts = [label.about for label in question.labels if label.part == name]
    return f"{name} with {joined(texts)}" if texts else name


def goals(question: Question, varied: Sequence[str] = ()) -> list[str]:
    """Return what a question says beside its unknowns and inputs: relations, and the limits that it lifts."""
    return [*_related(question, varied), *_lifted(question)]


def _related(question: Question, varied: Sequence[str]) -> list[str]:
    """Return the relations of a question as texts, with values of cells that have a formula."""
    cells, pins = question.sheet.cells, question.pins
    given = [name for name in pins if cells[name].formula is not None and name not in varied]
    asked = [relation.text for relation in question.relations if not relation.decides]
    return [*asked, *(pins[name].relation.text for name in given)]


def _given(question: Question, varied: Sequence[str]) -> list[str]:
    """Return the records, options and inputs that a question gives all rows of a table, as texts; none without one."""
    cells, names = question.sheet.cells, {name: own.key for name, own in question.records.items()} | question.choices
    named = [f"{name} = {own}" for name, own in names.items() if name not in varied]
    pins = (pin for name, pin in question.pins.items() if cells[name].formula is None and name not in varied)
    return [*named, *(pin.text for pin in pins)] if varied else []


def _lifted(question: Question) -> list[str]:
    several = "" if len(question.without) == 1 else "s"
    return [f"without the limit{several} {joined(list(question.without))}"] if question.without else []


def asked_for(question: Question) -> tuple[str, ...]:
    """Return the names that are unknown; without any, the cells that the question shows or the sheet marks."""
    return question.unknowns or question.shown or tuple(question.sheet.rows.headline)


def title(question: Question, extras: Extras) -> str:
    """Return the headline of a page: as its file has it, else the default one."""
    return extras.title or headline(question, extras.varied)


def headline(question: Question, varied: Sequence[str] = ()) -> str:
    """Return the default headline of a question: `Devices that share the state: which values work?`; `...: by chip`.

    The meaning of a cell is a noun phrase, in the singular or the plural, so that no article and no verb is before it.
    """
    names = asked_for(question)
    if not names:
        return f"{question.sheet.title.rstrip('.')}: what can be computed?"
    docs = [_short(name, question.sheet) for name in names]
    more = [f"{len(docs) - MOST_ASKED} more"] if len(docs) > MOST_ASKED + 1 else []
    shown = docs[:1] + [_lowered(doc) for doc in docs[1 : MOST_ASKED if more else None]]
    several = len(names) > 1
    if varied:
        return f"{joined([*shown, *more])}: by {joined(list(varied))}"
    if question.names or (question.unknowns and (question.relations or question.demands)):
        kind = "" if question.names else "values "
        asked = f"which {kind}work{' together' if several else ''}?"
    else:
        asked = "what are their values?" if several else "what is the value?"
    return f"{joined([*shown, *more])}: {asked}"


def _short(name: str, sheet: Sheet) -> str:
    """Return what a name means; of a record or an option up to the first comma, behind which its use is described."""
    meaning = _meaning(name, sheet)
    return meaning if name in sheet.cells else meaning.partition(", ")[0]


def _meaning(name: str, sheet: Sheet) -> str:
    """Return what a name means, on one line; the name itself where nothing says so."""
    others: dict[str, Part | Choice] = {**sheet.parts, **sheet.choices}
    return (sheet.cells[name].stated_doc if name in sheet.cells else others[name].doc) or name


def _lowered(doc: str) -> str:
    """Return a text as it reads inside of a sentence: `Mean time` as `mean time`, `MFU` as it is."""
    return doc[:1].lower() + doc[1:] if doc[1:2].islower() else doc
