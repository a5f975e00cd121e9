"""From a question to its answer: equations, structure, blocks, one unknown after the other, verification."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.by_limits import (
    asked_of_limits,
    breaks_by_default,
    decided_by_limits,
    is_usual_number,
    lacked_by_limits,
)
from flopsheet.answer.names import ranked
from flopsheet.answer.outcomes.undecided import explained
from flopsheet.answer.several.elsewhere import elsewhere
from flopsheet.answer.several.lost import lost_by_choice
from flopsheet.answer.several.solver import Solver
from flopsheet.answer.several.tuple_texts import tuples_texts
from flopsheet.answer.several.tuples import each_followed
from flopsheet.answer.shortage import not_given
from flopsheet.answer.yielding import has_following, with_following
from flopsheet.budget import Allowance
from flopsheet.errors import QuestionError, UnderdeterminedError, joined
from flopsheet.question.ask import ask, near_values
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import as_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.question.question import Question
    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number


@fresh
def solve(  # noqa: PLR0913  # one parameter for each part of a question
    sheet: Sheet | type[Sheet] | str,
    unknown: str | Sequence[str] | None = (),
    where: Mapping[str, object] | Iterable[str] | None = (),
    near: Mapping[str, object] | object | None = None,
    *,
    without: str | Iterable[str] | None = (),
    budget: object | None = None,
    best: str | None = None,
    figures: str | None = None,
    show: str | Iterable[str] | None = (),
) -> Answer:
    """Return the answer to a question.

    Args:
        sheet: a sheet, its class, the name of one, or a YAML file: `"cooling.yaml"`.
        unknown: the cells asked for, numbers or names (a chip, an option); with none, all that can be computed is.
        where: relations as texts (`["d_model = 16384", "device_memory <= 95 GiB"]`), or a mapping of cell to value:
            a number of Python, numpy or decimal, a quantity, of pint too, or a text.
        near: of several answers, the one near this value is taken: `4096`, `"90 GiB"`, or by unknown `{"x": 3}`.
        without: the limits of the sheet to lift, by name: `"fits"`. All others are conditions on the unknowns.
        budget: how long the answer may take, `60` [s] or `"1 min"`; 2 s by default. What is not proven then is open,
            and of names that are asked for, those left are not tried.
        best: how to rank names and listed values that work: `"max:params"`, `"min:train_cost"`, by any cell.
        figures: which figures of records count where they have several: `"nominal"`, as vendors state them (default),
            `"usable"`, what software gets, or `"measured"`; without one, the next of these to the left.
        show: cells that the headline of the answer names; with no unknown, by default those that the sheet marks.

    Raises:
        FlopsheetError: the question is put wrongly; each subclass is one mistake. A question without a solution is
            no error: its answer has the kind `none` and says why.

    Example:
        >>> from flopsheet import solve
        >>> stack = {"d_model": 16384, "d_ff": 53248, "n_blocks": 126, "batch": 128, "seq_len": 1024}
        >>> given = [f"{cell} = {value}" for cell, value in stack.items()]
        >>> answer = solve("ffn_memory", "n_fsdp", [*given, "chip = tpu-v5p", "device_memory <= chip.memory"])
        >>> print(answer)
        n_fsdp >= 45.76, so 46. 'device_memory <= chip.memory' holds for n_fsdp >= 45.76. 46 gives device_memory
        94.5 GiB. 45 gives device_memory 96.6 GiB.
    """
    sheet = as_sheet(sheet)
    question = ask(sheet, unknown, where, without=without, budget=budget, best=best, figures=figures, show=show)
    question.near = question.near if near is None else near_values(question, near)
    return answer(question)


def answer(question: Question) -> Answer:
    """Return the answer to a question that was read before.

    Raises:
        QuestionError: it is under- or over-determined, or needs an inverse that is not there.
    """
    allowance = Allowance(question.budget)
    with allowance.used():
        result = ranked(question, answer) if question.names else _explained(_by_limits(with_following(question)))
    result.allowance = allowance
    return result


def _explained(result: Answer) -> Answer:
    """Return an answer with the reasons of what is open in it, and its tuples as remarks."""
    result.outcomes = {name: explained(own) for name, own in result.outcomes.items()}
    result.remarks = [*tuples_texts(result), *result.remarks]
    return result


def _by_limits(question: Question) -> Answer:
    """Return the answer to a question; where only limits of the sheet decide on the unknown, what these leave."""
    if has_following(question) and (bounded := asked_of_limits(question)) is not None:
        with suppress(QuestionError):
            return _told(bounded)
    try:
        result = _followed(question)
    except UnderdeterminedError:
        if (bounded := decided_by_limits(question)) is None:
            if lacking := lacked_by_limits(question):
                raise not_given(question, lacking, question.unknowns[0]) from None
            raise
        with suppress(QuestionError):
            other = _told(bounded)
            are_bounded = all(
                not own.open and own.listed != (own.cell.bounds.interval,) for own in other.outcomes.values()
            )
            is_told = other.tuples or not any(own.at for own in other.outcomes.values())
            if are_bounded and (is_told or not other.meets_question):
                return other
        raise
    is_usual = is_usual_number(result)
    bounded = asked_of_limits(question) if is_usual or breaks_by_default(result) else None
    if is_usual and bounded is None and result.broken:
        bounded = asked_of_limits(question, equations=True)
    if bounded is not None:
        usual = {name: own.si for name, own in result.outcomes.items() if own.si is not None} if is_usual else {}
        bounded = replace(bounded, near={**usual, **question.near})  # of what is left, the usual number
        with suppress(QuestionError):
            other = _told(bounded)
            return other if is_usual or other.meets_question else result
    return result


def _told(bounded: Question) -> Answer:
    """Return the answer to a question for what limits leave, with the remark that they decide."""
    result = _followed(bounded)
    result.checks = [check for check in result.checks if not check.relation.decides]  # they are limits
    if bounded.is_left_to_limits:
        first = "; the smallest product comes first" if len(result.tuples) > 1 < len(bounded.unknowns) else ""
        remark = f"Nothing that was asked decides on {joined([*bounded.unknowns])}: limits of the sheet do{first}."
        result.remarks = [remark, *result.remarks]
    return result


def _followed(question: Question) -> Answer:
    in_turn: dict[str, Outcome] = {}

    def solved(assumed: Mapping[str, Number]) -> Answer:
        solver = Solver(question, assumed)  # to build it may ask for a cell that has several values
        try:
            return solver.answer()
        finally:
            in_turn.update({} if assumed else solver.in_turn)

    result = each_followed(solved, {})
    outcomes = in_turn or result.outcomes
    is_lost = lost_by_choice(outcomes.values()) and not question.near
    return (elsewhere(question, outcomes, _followed) if is_lost else None) or result
