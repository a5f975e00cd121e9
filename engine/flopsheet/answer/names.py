"""Unknown names: every record of the registry, every option of a choice, is put in; those that work are ranked."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from flopsheet.answer.answer import Answer
from flopsheet.answer.execute import Execution
from flopsheet.answer.results import Candidate, Check, Ranking
from flopsheet.errors import ArithmeticTrapError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of
from flopsheet.registry.store import records
from flopsheet.units import close, format_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from flopsheet.formulas.relation import Relation
    from flopsheet.question.question import Question
    from flopsheet.registry.records import Record

MOST_CANDIDATES = 10_000


def ranked(question: Question, answer: Callable[[Question], Answer]) -> Answer:
    """Return the answer to a question that asks for names: the best candidate's, with all of them ranked.

    A candidate works if every other unknown has a value, and every relation and every limit that can be checked holds.

    Args:
        question: asks for at least one name.
        answer: answers a question without unknown names.

    Raises:
        QuestionError: the question makes sense with no candidate, or nothing in it decides among them.
    """
    names = question.names
    tried = [_tried(question, options, answer) for options in _combinations(question)]
    answered = [each for each, error in tried if error is None and each.answer is not None]
    errors = [error for _, error in tried if error is not None]
    if errors and not answered and len(errors) == len(tried):
        raise errors[0]
    _check_decided(question, answered)
    working = [each for each, _ in tried if not each.why]
    rejected = tuple(each for each, _ in tried if each.why)
    by = _sort(working)
    goals = joined(_goals(answered) or [f"'{each.text}'" for each in question.relations]) or "what is given"
    why = f"{len(working)} of {len(tried)} {_kinds(question)} {'meets' if len(working) == 1 else 'meet'} {goals}"
    ranking = Ranking(names, tuple(working), rejected, by, f"{why}, ranked by {by}." if len(working) > 1 else f"{why}.")
    best = next((each.answer for each in [*working, *answered] if each.answer is not None), None)
    if best is None or not working:
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
    count = 1
    for each in options:
        count *= len(each)
    if count > MOST_CANDIDATES:
        raise QuestionError("question", f"It has {count:,} combinations of names.", "Give some of the names.")
    return [dict(zip(question.names, each, strict=True)) for each in product(*options)]


def _tried(
    question: Question, options: dict[str, str], answer: Callable[[Question], Answer]
) -> tuple[Candidate, QuestionError | None]:
    sheet = question.sheet
    found = {name: records(sheet.parts[name].kind)[key] for name, key in options.items() if name in sheet.parts}
    chosen = {name: option for name, option in options.items() if name in sheet.choices}
    misfit = _misfit(question, found)
    if misfit:
        return Candidate(options, None, misfit), None
    asked = replace(
        question,
        unknowns=tuple(name for name in question.unknowns if name not in options),
        pins={name: pin for name, pin in question.pins.items() if sheet.cells[name].part not in found},
        records={**question.records, **found},
        choices={**question.choices, **chosen},
        substituted=tuple(options),
    )
    try:
        result = answer(asked)
    except (QuestionError, ArithmeticTrapError) as error:
        return Candidate(options, None, str(error)), error if isinstance(error, QuestionError) else None
    return Candidate(options, result, _broken(result)), None


def _misfit(question: Question, found: dict[str, Record]) -> str:
    """Say which figure of a record is not the one that the question gives; nothing if all are."""
    for name, pin in question.pins.items():
        cell = question.sheet.cells[name]
        if cell.part in found:
            figure = found[cell.part].values.get(name.removeprefix(f"{cell.part}."))
            if figure is None:
                return f"'{pin.relation.text}' asks for a figure that it has not."
            if not close(figure.quantity.si, pin.value):
                return f"'{pin.relation.text}' does not hold: it is {cell.text(figure.quantity.si)}."
    return ""


def _broken(answer: Answer) -> str:
    """Say why an answer does not work; nothing if it does."""
    for outcome in answer.outcomes.values():
        if outcome.kind == "none":
            return outcome.why
    failing = next((each for each in [*answer.checks, *answer.limits] if not each.holds), None)
    if failing is not None:
        left, right = (format_quantity(side, failing.unit) for side in (failing.left, failing.right))
        return f"'{failing.relation.text}' does not hold: {left} stands against {right}."
    checked = {each.relation.text for each in answer.checks}
    missing = next((each for each in answer.question.relations if each.text not in checked), None)
    if missing is None:
        return ""
    unknown = joined(sorted(missing.cells - answer.cells.keys()))
    return f"'{missing.text}' cannot be checked: there is no figure for {unknown}."


def _check_decided(question: Question, answered: list[Candidate]) -> None:
    decided = not answered or any(
        each.answer and (each.answer.outcomes or each.answer.checks or each.answer.limits) for each in answered
    )
    if not decided:
        names = joined([f"'{name}'" for name in question.names])
        known: Collection[str] = next((each.answer.cells for each in answered if each.answer is not None), ())
        lacking = {name: None for each in _must_hold(question) for name in _missing(question, each.cells, known)}
        if question.relations:
            problem, fix = f"No relation can be checked for any of {names}.", f"Give {joined([*lacking])}."
        else:
            problem = f"Nothing decides among the values of {names}."
            limits = joined([f"'{each.text}'" for each in question.sheet.limits.values()])
            needs = f", or give {joined([*lacking])} for the limit {limits}" if limits and lacking else ""
            fix = f"Add a relation that it must meet{needs}."
        raise UnderdeterminedError(f"unknown {names}", problem, fix)


def _must_hold(question: Question) -> list[Relation]:
    return [*question.relations, *question.sheet.limits.values()]


def _missing(question: Question, cells: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the cells that would have to be given to know these ones."""
    found: list[str] = []
    waiting = list(cells)
    while waiting:
        cell = question.sheet.cells.get(waiting.pop())
        if cell is None or cell.name in known or cell.part in question.names or cell.name in found:
            continue
        if cell.formula is None:
            found.append(cell.name)
        else:
            waiting += cells_of(cell.formula)
    return sorted(found, key=list(question.sheet.cells).index)


def _goals(answered: list[Candidate]) -> list[str]:
    checks = [check for each in answered if each.answer for check in (*each.answer.checks, *each.answer.limits)]
    return list(dict.fromkeys(f"'{each.relation.text}'" for each in checks))


def _kinds(question: Question) -> str:
    return " and ".join(
        question.sheet.parts[name].kind + "s" if name in question.sheet.parts else f"options of {name}"
        for name in question.names
    )


def _sort(working: list[Candidate]) -> str:
    """Rank candidates by the first unknown number, the modest one first, else by the room they leave; say by which."""
    outcomes = [[*each.answer.outcomes.values()] for each in working if each.answer is not None]
    if outcomes and outcomes[0]:
        first = outcomes[0][0]
        downwards = first.sign.startswith("<")
        name, sign = first.cell.name, -1 if downwards else 1
        working.sort(key=lambda each: sign * float(_value(each, name)))
        return f"{name}, the {'largest' if downwards else 'smallest'} first"
    working.sort(key=lambda each: -_room(each))
    return "the room that they leave"


def _value(candidate: Candidate, name: str) -> float:
    value = None if candidate.answer is None else candidate.answer.outcomes[name].si
    return float("inf") if value is None else float(value)


def _room(candidate: Candidate) -> float:
    """Return the smallest slack of the inequalities that a candidate meets."""
    checks: list[Check] = [] if candidate.answer is None else [*candidate.answer.checks, *candidate.answer.limits]
    return min((each.slack for each in checks if not each.relation.is_equation), default=0.0)
