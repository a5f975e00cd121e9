"""Unknown names: every record of the registry, every option of a choice, is substituted; those that work are ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from flopsheet.answer.answer import Answer, Check
from flopsheet.answer.execute import Execution
from flopsheet.errors import ArithmeticTrapError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of
from flopsheet.registry.store import records
from flopsheet.units import close

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record

MOST_CANDIDATES = 10_000


@dataclass(frozen=True)
class Candidate:
    """A name, or several together, substituted for the unknown names of a question."""

    options: dict[str, str]  # the option or record of each unknown name
    answer: Answer | None  # None where the question makes no sense with them
    why: str = ""  # why they do not work; empty if they do

    @property
    def text(self) -> str:
        """The names as text."""
        return ", ".join(self.options.values())


@dataclass(frozen=True)
class Ranking:
    """The names that answer a question, the best first, and those that do not."""

    names: tuple[str, ...]  # the unknown names
    working: tuple[Candidate, ...]  # the best first
    rejected: tuple[Candidate, ...]
    by: str  # by what they are ranked, in words
    why: str  # the reason, in a sentence

    def options(self, name: str) -> list[str]:
        """Return the options of one name that work, the best first."""
        return list(dict.fromkeys(candidate.options[name] for candidate in self.working))


def ranked(question: Question, answer: Callable[[Question], Answer]) -> Answer:
    """Return the answer to a question that asks for names: the best candidate's, with all of them ranked.

    A candidate works if every other unknown has a value, and every relation and every limit that can be checked holds.
    `answer` answers a question without unknown names.

    Raises:
        QuestionError: the question makes sense with no candidate, or nothing in it decides among them.
    """
    results = [_substituted(question, options, answer) for options in _combinations(question)]
    errors = [error for _, error in results if error is not None]
    if errors and len(errors) == len(results):
        raise errors[0]
    answers = [candidate.answer for candidate, _ in results if candidate.answer is not None]
    _check_decided(question, answers)
    working = [candidate for candidate, _ in results if not candidate.why]
    rejected = tuple(candidate for candidate, _ in results if candidate.why)
    key, by = _order(working)
    working.sort(key=key)
    checks = (check for result in answers for check in (*result.checks, *_binding(result)))
    relations = [check.relation.text for check in checks] or [relation.text for relation in question.relations]
    goals = joined([f"'{text}'" for text in dict.fromkeys(relations)]) or "what is given"
    why = f"{len(working)} of {len(results)} {_kinds(question)} {'meets' if len(working) == 1 else 'meet'} {goals}"
    why = f"{why}, ranked by {by}." if len(working) > 1 else f"{why}."
    ranking = Ranking(question.names, tuple(working), rejected, by, why)
    best = working[0].answer if working else None
    if best is None:
        return Answer(question, system_of(question), Execution(question), ranking=ranking)
    best.question = replace(best.question, unknowns=question.unknowns)
    best.ranking = ranking
    return best


def _combinations(question: Question) -> list[dict[str, str]]:
    sheet = question.sheet
    options = [
        sheet.choices[name].options if name in sheet.choices else [*records(sheet.parts[name].kind)]
        for name in question.names
    ]
    count = math.prod(map(len, options))
    if count > MOST_CANDIDATES:
        raise QuestionError("question", f"It has {count:,} combinations of names.", "Give some of the names.")
    return [dict(zip(question.names, values, strict=True)) for values in product(*options)]


def _substituted(
    question: Question, options: dict[str, str], answer: Callable[[Question], Answer]
) -> tuple[Candidate, QuestionError | None]:
    """Return a candidate with the answer or why there is none, and the error where the question itself is wrong."""
    sheet = question.sheet
    named = {name: records(sheet.parts[name].kind)[key] for name, key in options.items() if name in sheet.parts}
    chosen = {name: option for name, option in options.items() if name in sheet.choices}
    misfit = _misfit(question, named)
    if misfit:
        return Candidate(options, None, misfit), None
    asked = replace(
        question,
        unknowns=tuple(name for name in question.unknowns if name not in options),
        pins={name: pin for name, pin in question.pins.items() if sheet.cells[name].part not in named},
        records={**question.records, **named},
        choices={**question.choices, **chosen},
        substituted=tuple(options),
    )
    try:
        result = answer(asked)
    except (QuestionError, ArithmeticTrapError) as error:
        return Candidate(options, None, str(error)), error if isinstance(error, QuestionError) else None
    return Candidate(options, result, _failure(result)), None


def _misfit(question: Question, named: dict[str, Record]) -> str:
    """Return which figure of a record is not the one that the question gives; nothing if all are."""
    for name, pin in question.pins.items():
        cell = question.sheet.cells[name]
        if cell.part in named:
            figure = named[cell.part].values.get(name.removeprefix(f"{cell.part}."))
            if figure is None:
                return f"'{pin.relation.text}' asks for a figure that it has not."
            if not close(figure.quantity.si, pin.value):
                return f"'{pin.relation.text}' does not hold: it is {cell.text(figure.quantity.si)}."
    return ""


def _failure(answer: Answer) -> str:
    """Return why an answer does not work; nothing if it does."""
    for outcome in answer.outcomes.values():
        if outcome.kind == "none":
            return outcome.why
    failing = next((check for check in [*answer.checks, *answer.broken] if not check.holds), None)
    if failing is not None:
        return f"{failing.failure}."
    checked = {check.relation.text for check in answer.checks}
    missing = next((relation for relation in answer.question.relations if relation.text not in checked), None)
    if missing is None:
        return ""
    unknown = joined(sorted(missing.cells - answer.cells.keys()))
    return f"'{missing.text}' cannot be checked: there is no figure for {unknown}."


def _binding(answer: Answer) -> list[Check]:
    return [check for check in answer.limits if not check.lifted]


def _check_decided(question: Question, answers: list[Answer]) -> None:
    """Reject a question in which nothing decides among the names."""
    if not answers or any(answer.outcomes or answer.checks or _binding(answer) for answer in answers):
        return
    names = joined([f"'{name}'" for name in question.names])
    must_hold = [*question.relations, *question.limits]
    lacking = dict.fromkeys(
        name for relation in must_hold for name in _missing(question, relation.cells, answers[0].cells)
    )
    if question.relations:
        problem, fix = f"No relation can be checked for any of {names}.", f"Give {joined([*lacking])}."
    else:
        problem = f"Nothing decides among the values of {names}."
        limits = joined([f"'{limit.text}'" for limit in question.limits])
        needs = f", or give {joined([*lacking])} for the limit {limits}" if limits and lacking else ""
        fix = f"Add a relation that it must meet{needs}."
    raise UnderdeterminedError(f"unknown {names}", problem, fix)


def _missing(question: Question, cells: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the cells that would have to be given to know these ones."""
    missing: set[str] = set()
    waiting = list(cells)
    while waiting:
        cell = question.sheet.cells.get(waiting.pop())
        if cell is None or cell.name in known or cell.part in question.names or cell.name in missing:
            continue
        if cell.formula is None:
            missing.add(cell.name)
        else:
            waiting += cells_of(cell.formula)
    return [name for name in question.sheet.cells if name in missing]


def _kinds(question: Question) -> str:
    return " and ".join(
        question.sheet.parts[name].kind + "s" if name in question.sheet.parts else f"options of {name}"
        for name in question.names
    )


def _order(working: list[Candidate]) -> tuple[Callable[[Candidate], float], str]:
    """Return the sort key of candidates, and its name: the first unknown number, else the room that they leave."""
    outcomes = [[*candidate.answer.outcomes.values()] for candidate in working if candidate.answer is not None]
    if not outcomes or not outcomes[0]:
        return _used_room, "the room that they leave"
    first = outcomes[0][0]
    name, downwards = first.cell.name, first.sign.startswith("<")

    def key(candidate: Candidate) -> float:
        value = None if candidate.answer is None else candidate.answer.outcomes[name].si
        return (-1 if downwards else 1) * (math.inf if value is None else float(value))

    return key, f"{name}, the {'largest' if downwards else 'smallest'} first"


def _used_room(candidate: Candidate) -> float:
    checks = [] if candidate.answer is None else [*candidate.answer.checks, *_binding(candidate.answer)]
    return -min((check.slack for check in checks if not check.relation.is_equation), default=0.0)
