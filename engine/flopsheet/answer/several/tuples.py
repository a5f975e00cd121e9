"""Answers for each of several values that cells have together, merged: the unknowns are then known as tuples."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from flopsheet.answer.limits import on_unknown
from flopsheet.answer.outcomes.undecided import not_excluded
from flopsheet.answer.outcomes.wording import are, lack_of_time, places_text
from flopsheet.answer.several.own_tuples import MOST_WHOLE, own_tuples
from flopsheet.answer.several.tuple_texts import have
from flopsheet.budget import is_over
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, OverdeterminedError, QuestionError, joined
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import complement, meet, point, union, without_doubles
from flopsheet.units import close, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.formulas.relation import Relation
    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Best, Question
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_FORKS, MOST_TUPLES = 16, 64
_TOGETHER = "The relations hold together for"


class SeveralValuesError(Exception):
    """Cells that the answer needs have several values together [base units]; each is followed on its own.

    Args:
        names: the cells.
        tuples: their values.
        opened: where cells may have more.
        proven: whether all that is asked holds at each tuple, and nowhere else, so that they need not all be followed.
        limits: the limits of the sheet that exclude other tuples.
        checked: the limits and bounds that have to be checked at each tuple.
        beside: what formulas give for all other unknowns at each tuple, where that is known.
    """

    def __init__(  # noqa: PLR0913  # one for each thing that is known of them
        self,
        names: Sequence[str],
        tuples: Sequence[tuple[Number, ...]],
        opened: Mapping[str, RealSet] | None = None,
        *,
        proven: bool = False,
        limits: Iterable[str] = (),
        checked: Sequence[Relation] = (),
        beside: Mapping[tuple[Number, ...], Mapping[str, Number]] = MappingProxyType({}),
    ) -> None:
        super().__init__(*names)
        self.names, self.tuples, self.open, self.limits = tuple(names), [*tuples], {**(opened or {})}, tuple(limits)
        self.proven, self.checked, self.beside = proven, checked, beside

    def told(self, values: tuple[Number, ...]) -> dict[str, Number]:
        """Return the cells at one of the tuples, with other unknowns where what they are is known."""
        return {**dict(zip(self.names, values, strict=True)), **self.beside.get(values, {})}


def excluded(cell: Cell, assumed: Number) -> OverdeterminedError:
    """Return the error for a value of a cell that relations exclude beside those of other cells."""
    problem = f"It is not {cell.text(assumed)} where the other relations hold."
    return OverdeterminedError(f"cell '{cell.name}'", problem, "Check the values that are given.")


def with_whole(cells: Sequence[Cell], tuples: Sequence[tuple[Number, ...]]) -> Sequence[tuple[Number, ...]]:
    """Return the tuples in which all counts among inputs are whole; all where there are none.

    Fractions then tell where equations would be met that no whole number meets.
    """
    counts = [at for at, cell in enumerate(cells) if cell.integer and cell.formula is None]
    return [values for values in tuples if all(values[at] == int(values[at]) for at in counts)] or tuples


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
        return _followed(solve, assumed, several)
    answer.tuples = own_tuples(answer)
    answer.alternatives = [answer] if len(answer.tuples) == 1 else []
    return answer


def _followed(
    solve: Callable[[Mapping[str, Number]], Answer], assumed: Mapping[str, Number], several: SeveralValuesError
) -> Answer:
    """Return the merged answers for values that cells have together; those for which time lacks are open."""
    names, tuples = several.names, several.tuples
    if len(assumed) >= MOST_FORKS or (len(tuples) > MOST_TUPLES and not several.proven):
        what, give = joined([f"'{name}'" for name in names]), "Give" if len(names) == 1 else "Give one of"
        problem = f"Too many values are possible on the way: {len(tuples)} of {what} alone."
        raise NotInvertibleError(f"cell {what}", problem, f"{give} {what}, or bound it.")
    found: dict[int, Answer] = {}
    errors: dict[int, ArithmeticTrapError | QuestionError] = {}
    waiting = [*range(len(tuples))]
    while waiting and len(found) + len(errors) < MOST_TUPLES and not (found and several.proven and is_over()):
        place = waiting.pop(0)
        own = {**assumed, **dict(zip(names, tuples[place], strict=True))}
        try:
            found[place] = each_followed(solve, own)
        except (ArithmeticTrapError, QuestionError) as error:
            errors[place] = error
            continue
        if len(found) == 1 and waiting and _shows_last(found[place].question):  # however long the others take
            waiting.insert(0, waiting.pop())
    unknown = [own for own in errors.values() if not isinstance(own, ArithmeticTrapError | OverdeterminedError)]
    if not found:  # a contradiction excludes a tuple only
        raise next(iter(unknown or errors.values()))
    followed = [(tuples[place], found[place]) for place in sorted(found)]
    answers = [answer for _, answer in followed]
    rest = [several.told(tuples[place]) for place in sorted(waiting)]
    is_proven = several.proven and any(own.solved for own in answers)  # else all of them may fail for one reason
    answer = _merged(names, answers, rest if is_proven else [])
    are_told = all(own.keys() >= answer.outcomes.keys() for own in rest)
    undecided = bool(unknown) or (bool(rest) and not (is_proven and are_told))
    undecided = undecided or (any(several.open.values()) and not any(own.solved for own in answers))
    if undecided or any(map(_is_open, answers)):
        _leave_open(answer, answers, everywhere=undecided)
    outcomes = answer.outcomes
    for name in (name for name in names if name in outcomes and several.limits):
        outcomes[name] = replace(outcomes[name], limits=on_unknown(several.limits, name, answers[0].system))
    if several.checked:
        count = sum(own.solved for own in answers)
        some = f"{count or 'none'} of {len(tuples)} {'works' if count < 2 else 'work'}"
        text = f"{are(several.checked)} checked at each value: {some}."
        outcomes |= {name: outcomes[name].telling(f"{outcomes[name].why} {text}") for name in names}
    _leave_tuples_open(answer, followed, several)
    return answer


def _leave_open(answer: Answer, answers: Sequence[Answer], *, everywhere: bool) -> None:
    """Say of each unknown that it may have more values: what some of the answers leave open, or anything."""
    for name, outcome in answer.outcomes.items():
        parts = [other.outcomes[name].open for other in answers]
        opened = meet((outcome.cell.bounds.interval,) if everywhere else union(*parts), complement(outcome.listed))
        if opened:
            why = not_excluded(opened, outcome.cell, "None that was tried works. Others of {} are")
            told = outcome if outcome.kind != "none" or outcome.open else outcome.telling(why)
            answer.outcomes[name] = replace(told, proof=Proof.OPEN, open=opened)


def _leave_tuples_open(
    answer: Answer, followed: Sequence[tuple[tuple[Number, ...], Answer]], several: SeveralValuesError
) -> None:
    """Say of cells that were followed where they may have more values: where others are open beside them, too."""
    undecided = [values for values, other in followed if not other.solved and _is_open(other)]
    opened = {**several.open}
    for at, name in enumerate(several.names):
        opened[name] = union(opened.get(name, ()), *(point(values[at]) for values in undecided))
    for name in opened.keys() & answer.outcomes.keys():
        own = answer.outcomes[name]
        parts = union(own.open, meet(opened[name], complement(own.listed)))
        if parts and (own.kind != "none" or own.open):
            answer.outcomes[name] = replace(own, proof=Proof.OPEN, open=parts)


def _is_open(answer: Answer) -> bool:
    return any(outcome.open for outcome in answer.outcomes.values())


def _merged(names: tuple[str, ...], answers: list[Answer], rest: Sequence[Mapping[str, Number]]) -> Answer:
    """Return the answers for several values of cells as a single one, at the tuple of `_first`.

    `rest` are tuples that work as well and were not followed.
    """
    solved = [answer for answer in answers if answer.solved]
    asked = not {*answers[0].question.unknowns}.isdisjoint(names)
    base = _first(solved, last=asked) if solved else next(filter(_is_open, answers), answers[0])
    _take_tuples(base, solved, [{name: own[name] for name in base.outcomes if name in own} for own in rest])
    more = {name: [point(own[name]) for own in rest if name in own] for name in base.outcomes}
    counted = solved or ([] if any(map(_is_open, answers)) else answers)  # where another unknown has no value, all
    for unknown, own in base.outcomes.items():
        parts = (*(answer.outcomes[unknown].listed for answer in counted), *more.get(unknown, ()))
        solutions = without_doubles(union(*parts))
        is_counted = own.why.startswith(_TOGETHER)  # by a merge before, of fewer tuples
        if own.at and own.kind == "range":
            continue  # it is told at one value of the others
        is_list = len(solutions) > 1 or base.outcomes.keys().isdisjoint(names)  # of cells not asked for
        if own.kind != "none" and is_list and (solutions != own.listed or is_counted):
            steps = tuple({part for answer in solved for part in answer.outcomes[unknown].progressions})
            kind = "values" if all(interval.is_point for interval in solutions) else own.kind
            why = f"{_TOGETHER} {len(base.tuples)} tuples of {joined([*base.outcomes])}."
            if len(base.tuples) < 2 or len(base.outcomes) < 2:
                because = f" It has several values because {joined([*names])} {have(names)}."
                why = own.why if names == (unknown,) else f"{own.why}{because}"
            at = tuple(place for place in own.at if all(_is_at(answer, *place) for answer in solved))
            base.outcomes[unknown] = replace(own.telling(why), kind=kind, listed=solutions, progressions=steps, at=at)
        elif unknown not in names and any(other.outcomes[unknown].listed != own.listed for other in solved):
            places = [base.outcomes[name] for name in names if name in base.outcomes]
            at = tuple((place.cell, place.si) for place in places if place.si is not None)
            base.outcomes[unknown] = replace(own.telling(f"At {places_text(at)}: {own.why}"), at=at) if at else own
    shown = joined(
        [f"{name} = {base.cells[name].cell.text(base.cells[name].si)}" for name in names if name in base.cells]
    )
    others = f"; the other cells are those at {shown}{_ranked(base)}" if shown else ""
    is_told = len(solved) == 1 and not rest and base.outcomes.keys() >= {*names}  # then one tuple is all there is
    if not is_told and (solved or not asked):
        base.remarks = [*dict.fromkeys([*base.remarks, f"{joined([*names])} {have(names)} several values{others}."])]
    if rest:
        tried = f"Other cells were computed for {len(answers)} of {len(rest) + len(answers)} tuples"
        base.remarks.append(f"{tried}, {f'as {lack_of_time()}' if is_over() else 'the first'}.")
    return base


def _is_at(answer: Answer, cell: Cell, value: Number) -> bool:
    """Whether an unknown has a value in an answer."""
    return cell.name not in answer.outcomes or answer.outcomes[cell.name].si == value


def _take_tuples(base: Answer, solved: Sequence[Answer], rest: Sequence[dict[str, Number]]) -> None:
    """Give an answer the tuples of others, and these where each has one tuple, in the order that the question ranks."""
    complete = all(answer.tuples for answer in solved)  # where one has a range, the others are not all
    complete = complete and all(values.keys() >= base.outcomes.keys() for values in rest)
    tuples = [*chain.from_iterable(answer.tuples for answer in solved)] if complete else []
    alternatives, best = [*chain.from_iterable(answer.alternatives for answer in solved)], base.question.best
    if len(alternatives) == len(tuples) and best is not None:
        pairs = sorted(zip(tuples, alternatives, strict=True), key=lambda pair: rank(best, pair[1]))
        tuples, alternatives = [values for values, _ in pairs], [answer for _, answer in pairs]
    kept = _distinct(tuples)
    base.alternatives = [alternatives[at] for at in kept] if len(alternatives) == len(tuples) else []
    tuples = [tuples[at] for at in kept]
    base.tuples = [*map(dict, dict.fromkeys(tuple(own.items()) for own in (*tuples, *rest)))] if complete else []


def _distinct(tuples: Sequence[Mapping[str, Number]]) -> list[int]:
    """Return the places of tuples that are not others but for rounding, as two values of another cell may leave."""
    if len(tuples) > MOST_WHOLE:
        return [*range(len(tuples))]
    kept: list[int] = []
    for at, own in enumerate(tuples):
        if not any(all(close(value, tuples[other][name]) for name, value in own.items()) for other in kept):
            kept.append(at)
    return kept


def _ranked(answer: Answer) -> str:
    """Return by what a question ranks tuples, in brackets, if by anything; a remark where that has no value."""
    best = answer.question.best
    if best is None:
        return ""
    return f": none has a value of {best.cell}" if rank(best, answer)[0] else f" ({best})"


def _first(answers: Sequence[Answer], *, last: bool) -> Answer:
    """Return the answer that the question ranks first, else the nearest to what it says, else the last or first."""
    question = answers[0].question
    if question.best is not None:
        return min(answers, key=partial(rank, question.best))
    if question.near:
        near = question.near.items()
        ordered = answers[::-1] if last else answers  # the first of those that are as near
        return min(ordered, key=lambda answer: [_distance(answer, name, value) for name, value in near])
    return answers[-1 if last and _shows_last(question) else 0]


def _shows_last(question: Question) -> bool:
    """Whether nothing that is asked puts another one of several values first than the last."""
    return question.best is None and not question.near and not question.is_left_to_limits


def rank(best: Best, answer: Answer | None) -> tuple[bool, Number]:
    """Return the sort key of an answer by the cell that ranks it; one without a value of that comes last."""
    cell = None if answer is None else answer.cells.get(best.cell)
    return (True, 0) if cell is None else (False, -cell.si if best.largest else cell.si)


def _distance(answer: Answer, name: str, near: Number) -> Number:
    value = answer.outcomes[name].si if name in answer.outcomes else None
    return float("inf") if value is None else size(value - near)


def nearest_first(points: Sequence[tuple[Number, ...]], near: Sequence[Number | None]) -> list[tuple[Number, ...]]:
    """Return tuples in the order of their distances from the numbers that a question names."""

    def distances(point: tuple[Number, ...]) -> list[Number]:
        return [size(value - own) for value, own in zip(point, near, strict=True) if own is not None]

    return sorted(points, key=distances)
