"""Answers for each of several values that cells have together, merged: the unknowns are then known as tuples."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, OverdeterminedError, QuestionError, joined
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import union, without_doubles
from flopsheet.units import size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.numbers.sets import RealSet
    from flopsheet.units import Number

MOST_FORKS, MOST_TUPLES, MOST_SHOWN = 6, 64, 8


class SeveralValuesError(Exception):
    """Cells that the answer needs have several values together [base units]; each is followed on its own.

    `open` is where cells may have more.
    """

    def __init__(
        self, names: Sequence[str], tuples: Sequence[tuple[Number, ...]], opened: Mapping[str, RealSet] | None = None
    ) -> None:
        super().__init__(*names)
        self.names, self.tuples, self.open = tuple(names), [*tuples], {**(opened or {})}


def each_followed(solve: Callable[[Mapping[str, Number]], Answer], assumed: Mapping[str, Number]) -> Answer:
    """Return an answer; where cells have several values together, follow each of them and merge the answers.

    Args:
        solve: answers the question where some cells are assumed to have values.
        assumed: these values, in base units.

    Raises:
        NotInvertibleError: there are too many values.
        QuestionError: no value leads to an answer.
    """
    try:
        answer = solve(assumed)
    except SeveralValuesError as several:
        names, tuples, opened = several.names, several.tuples, several.open
    else:
        answer.tuples = _own_tuples(answer)
        return answer
    if len(assumed) >= MOST_FORKS or len(tuples) > MOST_TUPLES:
        what = joined([f"'{name}'" for name in names])
        problem = f"Too many values are possible on the way: {len(tuples)} of {what} alone."
        raise NotInvertibleError(f"cell {what}", problem, f"Give {what}.")
    answers: list[Answer] = []
    errors: list[ArithmeticTrapError | QuestionError] = []
    for values in tuples:
        try:
            answers.append(each_followed(solve, {**assumed, **dict(zip(names, values, strict=True))}))
        except (ArithmeticTrapError, QuestionError) as error:
            errors.append(error)
    if not answers:
        raise errors[0]
    answer = _merged(names, answers)
    undecided = [error for error in errors if not isinstance(error, ArithmeticTrapError | OverdeterminedError)]
    if undecided or any(outcome.open for other in answers for outcome in other.outcomes.values()):
        _leave_open(answer, answers, everywhere=bool(undecided))
    for name, parts in opened.items():
        if name in answer.outcomes:
            outcome = answer.outcomes[name]
            answer.outcomes[name] = replace(outcome, proof=Proof.OPEN, open=union(outcome.open, parts))
    return answer


def _leave_open(answer: Answer, answers: Sequence[Answer], *, everywhere: bool) -> None:
    """Say of each unknown that it may have more values: what some of the answers leave open, or anything."""
    for name, outcome in answer.outcomes.items():
        parts = [other.outcomes[name].open for other in answers]
        opened = (outcome.cell.bounds.interval,) if everywhere else union(*parts)
        if opened:
            answer.outcomes[name] = replace(outcome, proof=Proof.OPEN, open=opened)


def _own_tuples(answer: Answer) -> list[dict[str, Number]]:
    """Return the tuples of an answer in which one unknown at most has several values; none where one has a range."""
    tuples: list[dict[str, Number]] = [] if answer.unfollowed else [{}]
    for name, outcome in answer.outcomes.items():
        points = [part.lower for part in outcome.listed] if outcome.kind in ("value", "values") else []
        values = points if len(tuples) == 1 else [] if outcome.si is None else [outcome.si]
        tuples = [{**earlier, name: value} for earlier in tuples for value in values]
    return tuples


def _merged(names: tuple[str, ...], answers: list[Answer]) -> Answer:
    """Return the answers for several values of cells as a single one, at the tuple that is nearest or comes last."""
    solved = [answer for answer in answers if answer.solved]
    near = answers[0].question.near
    asked = not {*answers[0].question.unknowns}.isdisjoint(names)
    base = (solved[-1] if asked else solved[0]) if solved else answers[0]
    if near and solved:
        base = min(solved, key=lambda answer: [_distance(answer, name, value) for name, value in near.items()])
    complete = all(answer.tuples for answer in solved)  # where one has a range, the others are not all
    base.tuples = list(chain.from_iterable(answer.tuples for answer in solved)) if complete else []
    for unknown, own in base.outcomes.items():
        solutions = without_doubles(union(*(answer.outcomes[unknown].listed for answer in solved)))
        if own.kind != "none" and len(solutions) > 1 and solutions != own.listed:
            more = tuple({part for answer in solved for part in answer.outcomes[unknown].progressions})
            kind = "values" if all(interval.is_point for interval in solutions) else own.kind
            why = f"The relations hold together for {len(base.tuples)} tuples of {joined([*base.outcomes])}."
            if len(base.tuples) < 2 or len(base.outcomes) < 2:
                why = f"{own.why} It has several values because {joined([*names])} {_have(names)}."
            base.outcomes[unknown] = replace(own, kind=kind, listed=solutions, progressions=more, why=why)
    shown = joined(
        [f"{name} = {base.cells[name].cell.text(base.cells[name].si)}" for name in names if name in base.cells]
    )
    others = f"; the other cells are those at {shown}" if shown else ""
    base.warnings = [*dict.fromkeys([*base.warnings, f"{joined([*names])} {_have(names)} several values{others}."])]
    return base


def _have(names: tuple[str, ...]) -> str:
    return "has" if len(names) == 1 else "have"


def _distance(answer: Answer, name: str, near: Number) -> Number:
    value = answer.outcomes[name].si if name in answer.outcomes else None
    return float("inf") if value is None else size(value - near)


def tuples_text(answer: Answer) -> str:
    """Return the tuples of several unknowns as a sentence; nothing where there is one, or they are not listed."""
    if len(answer.tuples) < 2 or len(answer.outcomes) < 2:
        return ""
    cells = {name: outcome.cell for name, outcome in answer.outcomes.items()}
    shown = [
        f"({', '.join(cells[name].text(value) for name, value in values.items())})"
        for values in answer.tuples[:MOST_SHOWN]
    ]
    more = " and others" if len(answer.tuples) > MOST_SHOWN else ""
    return f"Together, ({', '.join(cells)}) is {joined(shown, 'or')}{more}."
