"""Unknown names: every record of the registry, every option of a choice, is substituted; those that work are ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from flopsheet.answer.answer import Answer
from flopsheet.answer.execute import Execution
from flopsheet.answer.outcomes.refusals import clause_of
from flopsheet.answer.outcomes.wording import lack_of_time, unchecked_text, undecided_text
from flopsheet.answer.several.idle import without_idle
from flopsheet.answer.several.tuples import rank
from flopsheet.answer.shortage import check_names
from flopsheet.answer.verification.fit import failure, has_no_value, misfit, with_rooms
from flopsheet.answer.verification.warnings import over_ceilings
from flopsheet.answer.yielding import replaces_default
from flopsheet.budget import each, is_over, part
from flopsheet.errors import ArithmeticTrapError, OverdeterminedError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.relation import cells_of
from flopsheet.graph.system import system_of
from flopsheet.question.parts import dates_of, fitting_records, with_named
from flopsheet.question.question import Best
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flopsheet.numbers.sets import RealSet
    from flopsheet.question.question import Question
    from flopsheet.units import Number

MOST_CANDIDATES = 10_000
NAME_SHARE = 0.25  # of the time that is left: a name that takes long leaves some to those after it


@dataclass(frozen=True)
class Candidate:
    """A name, or several together, substituted for the unknown names of a question."""

    options: dict[str, str]  # the option or record of each unknown name
    answer: Answer | None  # None where the question makes no sense with them
    why: str = ""  # why they do not work; empty if they do
    room: float | None = None  # the least share of a bound that is left, of inequalities in which the names differ
    is_open: bool = False  # whether it may work: it was not decided in time

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
    by: str  # by what they are ranked, in words; empty for the order in which they are declared
    why: str  # the reason, in a sentence
    kinds: str  # what they name, in the plural: `chips`
    complete: bool = True  # whether all names were tried, and decided

    def options(self, name: str) -> list[str]:
        """Return the options of one name that work, the best first."""
        return list(dict.fromkeys(candidate.options[name] for candidate in self.working))


def ranked(question: Question, answer: Callable[[Question], Answer]) -> Answer:
    """Return the answer to a question that asks for names: the best candidate's, with all of them ranked.

    A candidate works if every other unknown has a value, and every relation and every limit that can be checked holds.
    Where equations alone decide, it has to agree with the defaults. If none does, what is given replaces the default
    from which it would follow, as with the name alone: `dataset_tokens = 2T` the 20 tokens for each parameter.
    `answer` answers a question without unknown names.

    Raises:
        QuestionError: the question is wrong or incomplete whatever the candidate is, or nothing decides among them.
    """
    check_names(question)
    result = _ranked(question, answer)
    ranking = result.ranking
    fails = ranking is not None and ranking.complete and not ranking.working
    others = question.inequalities or question.best or len(question.unknowns) > len(question.names)
    if fails and not others and not is_over() and replaces_default(question):
        return _ranked(replace(question, yields_to_names=True), answer)
    return result


def _ranked(question: Question, answer: Callable[[Question], Answer]) -> Answer:
    """Return the answer to a question that asks for names, each tried once."""
    combinations = _combinations(question)
    newest = sorted(enumerate(combinations), key=lambda pair: dates_of(question, pair[1]), reverse=True)
    found = {place: _substituted(question, options, answer) for place, options in each(newest, _kinds(question))}
    results = [found[place] for place in sorted(found)]
    errors = [error for _, error in results if error is not None]
    if errors and len(errors) == len(results) and len({*map(str, errors)}) == 1:
        raise errors[0]
    answers = [candidate.answer for candidate, _ in results if candidate.answer is not None]
    working = with_rooms([candidate for candidate, _ in results if not candidate.why])
    rejected = tuple(candidate for candidate, _ in results if candidate.why)
    key, by, reason, listed = _order(question, working)
    working.sort(key=key)
    if listed is not None:
        working = with_rooms([_as_ranked(candidate, listed, answer) for candidate in working])
    goals = joined(_goals(question, answers)) or "what is given"
    why = f"{len(working)} of {len(results)} {_kinds(question)} {'meets' if len(working) == 1 else 'meet'} {goals}"
    order = f"ranked by {by}" if by else "in the order of declaration"
    why = f"{why}, {order}{f': {reason}' if reason else ''}." if len(working) > 1 else f"{why}."
    undecided = [candidate for candidate in rejected if candidate.is_open]
    if undecided:
        why = f"{why} {undecided_text([candidate.why for candidate in undecided])}"
    complete = len(results) == len(combinations) and not undecided
    if len(results) < len(combinations):
        first = ", the newest first" if results and any(dates_of(question, combinations[0])) else ""
        tried = f"{len(results)} of {len(combinations)} {_kinds(question)} were tried{first}: {lack_of_time()}."
        why = f"{why} Only {tried}" if results else tried
    ranking = Ranking(question.names, tuple(working), rejected, by, why, _kinds(question), complete)
    best = working[0].answer if working else None
    if best is None:
        return Answer(question, system_of(question), Execution(question), ranking=ranking)
    best.warnings += over_ceilings([own.answer for own in working if own.answer is not None])
    best.question = replace(best.question, unknowns=question.unknowns)
    best.ranking = ranking
    return best


def _goals(question: Question, answers: Sequence[Answer]) -> list[str]:
    """Return what names have to meet, in words: the relations of the question, and the limits of its sheet."""
    relations = [check.relation for result in answers for check in result.binding] or [*question.relations]
    goals = [f"'{relation.text}'" for relation in relations if not relation.name]
    limits = [f"limit {relation.name} ('{relation.text}')" for relation in relations if relation.name]
    named = [*dict.fromkeys(limits)]
    return [*dict.fromkeys(goals), *(named if len(named) < 2 else [f"{len(named)} limits of the sheet"])]


def _combinations(question: Question) -> list[dict[str, str]]:
    sheet = question.sheet
    options = [
        sheet.choices[name].options if name in sheet.choices else fitting_records(question, name)
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
    try:
        given = with_named(sheet, {**question.records, **named}, question.figures)
    except OverdeterminedError as error:
        return Candidate(options, None, error.problem), None
    differing = misfit(question, {name: given[name] for name in given.keys() - question.records.keys()})
    if differing:
        return Candidate(options, None, differing), None
    asked = replace(
        question,
        unknowns=tuple(name for name in question.unknowns if name not in options),
        pins={name: pin for name, pin in question.pins.items() if sheet.cells[name].part not in named},
        records=given,
        choices={**question.choices, **chosen},
        substituted=tuple(options),
    )
    try:
        with part(NAME_SHARE):
            result = without_idle(asked, answer)
            late = _late(result)
    except (QuestionError, ArithmeticTrapError) as error:
        lacks = isinstance(error, UnderdeterminedError)
        why = f"{error.problem} {error.fix}" if lacks else clause_of(error)
        excluded = isinstance(error, ArithmeticTrapError | OverdeterminedError)
        return Candidate(options, None, why, is_open=not excluded), error if isinstance(error, QuestionError) else None
    why = late or failure(result)
    opened = bool(late) or any(outcome.kind == "none" and outcome.open for outcome in result.outcomes.values())
    unchecked = [] if why else result.unchecked[:1]
    why = why or next((unchecked_text(result, relation) for relation in unchecked), "")
    is_open = opened or any(not has_no_value(result, relation) for relation in unchecked)
    return Candidate(options, result, why, is_open=is_open), None


def _late(result: Answer) -> str:
    """Return that values beside a name were not all found in time: a first one may not be the best."""
    if not is_over():
        return ""
    opened = [name for name, own in result.outcomes.items() if own.open and own.kind != "none"]
    question, known = result.question, result.execution.values.keys()
    opened += [own for pin in question.demands for own in sorted(cells_of(question.formula(pin.cell)) - known)]
    return f"Not all values of {joined(opened)} were found: {lack_of_time()}." if opened else ""


def _kinds(question: Question) -> str:
    kinds = {name: f"{part.kind}s" for name, part in question.sheet.parts.items()}
    for label in question.labels:
        joint = "and" if " with " in kinds[label.part] else "with"
        kinds[label.part] += f" {joint} {label.about}"
    return " and ".join(kinds.get(name) or f"options of {name}" for name in question.names)


_Key: TypeAlias = "Callable[[Candidate], tuple[bool, Number]]"


def _order(question: Question, working: list[Candidate]) -> tuple[_Key, str, str, Best | None]:
    """Return the sort key of candidates, its name, the reason for it or a remark, and the order of listed numbers.

    Without a direction in the question, the names come first that allow most: the smallest number where relations bound
    it from below, the largest where they bound it from above. Of a number that equations set, nothing says which is
    better: then the names stay in the order in which they are declared.
    """
    if question.best is not None:
        best = question.best
        lacking = sum(rank(best, candidate.answer)[0] for candidate in working)
        if lacking == len(working):
            return lambda _: (False, 0), "", f"none has a value of {best.cell}", None
        last = f"the last{'' if lacking == 1 else f' {lacking}'} without a value" if lacking else ""
        remarks = "; ".join(filter(None, [last, _at_first(best, working)]))
        return lambda candidate: rank(best, candidate.answer), str(best), remarks, None
    answers = [candidate.answer for candidate in working if candidate.answer is not None]
    first = next((name for name in question.unknowns if name not in question.names), "CELL")
    bounds = {answer.outcomes[first].bound for answer in answers if first in answer.outcomes}
    if bounds - {""} in ({">"}, {"<"}):
        best = Best(first, largest="<" in bounds)
        return _by_bound(best), str(best), f"the relations bound it from {'above' if best.largest else 'below'}", None
    is_near = first in question.near  # the number nearest to this is taken, and not the first or last
    if bounds == {"="} and not is_near and (listed := _listed(question, first, answers)):
        lows, highs = ({part[end].lower for part in listed} for end in (0, -1))
        if len(lows) > 1 or len(highs) > 1:
            best = Best(first, largest=len(lows) == 1)
            order = "last" if best.largest else "first"
            return _by_listed(best), str(best), f"the {order} of the whole numbers that work", best
    if not bounds and any(candidate.room is not None for candidate in working):
        return _by_room, "the room that they leave", "the slack of the tightest relation, most first", None
    return lambda _: (False, 0), "", f"best = max:{first} or min:{first} would rank them", None


def _at_first(best: Best, working: Iterable[Candidate]) -> str:
    """Return that a cell which ranks names is at one of many values of an unknown, where it rests on such a one."""
    names: dict[str, None] = {}
    for answer in (candidate.answer for candidate in working if candidate.answer is not None):
        many = [name for name, own in answer.outcomes.items() if own.kind in ("range", "whole") and not answer.tuples]
        needed = answer.system.structure.with_known(*many).needed([best.cell]) if many and best.cell not in many else ()
        names |= dict.fromkeys(name for name in many if name in needed)
    shown = joined([*names], "or")
    return f"where {shown} has a range, {best.cell} is that at the value shown: bound {shown}" if names else ""


def _by_bound(best: Best) -> _Key:
    """Return the sort key by the bound of an unknown; where every value works there is none, and that comes first."""

    def key(candidate: Candidate) -> tuple[bool, Number]:
        outcome = None if candidate.answer is None else candidate.answer.outcomes[best.cell]
        if outcome is None or outcome.boundary is None:
            return False, 0
        value = outcome.boundary if outcome.si is None else outcome.si
        return True, -value if best.largest else value

    return key


def _listed(question: Question, first: str, answers: Sequence[Answer]) -> list[RealSet]:
    """Return the whole numbers that inequalities leave of an unknown, of each answer; none where equations set it."""
    outcomes = [answer.outcomes[first] for answer in answers if first in answer.outcomes]
    equations = all(relation.operator == "=" for relation in question.relations if not relation.name)
    whole = all(outcome.kind == "whole" and outcome.listed for outcome in outcomes)
    return [] if equations or not whole else [outcome.listed for outcome in outcomes]


def _by_listed(best: Best) -> _Key:
    """Return the sort key by the first or the last of the whole numbers that work."""

    def key(candidate: Candidate) -> tuple[bool, Number]:
        listed = () if candidate.answer is None else candidate.answer.outcomes[best.cell].listed
        return (False, -listed[-1].upper if best.largest else listed[0].lower) if listed else (True, 0)

    return key


def _as_ranked(candidate: Candidate, best: Best, answer: Callable[[Question], Answer]) -> Candidate:
    """Return a candidate at the number by which it is ranked: all its cells are those beside that."""
    listed = () if candidate.answer is None else candidate.answer.outcomes[best.cell].listed
    number = listed[-1 if best.largest else 0].ends[-1 if best.largest else 0][0] if listed else None
    if candidate.answer is None or number in (None, candidate.answer.outcomes[best.cell].si):
        return candidate
    question = candidate.answer.question
    again = answer(replace(question, near={**question.near, best.cell: number}))
    return replace(candidate, answer=again) if again.meets_question else candidate  # time may be over


def _by_room(candidate: Candidate) -> tuple[bool, Number]:
    return candidate.room is None, -(candidate.room or 0.0)
