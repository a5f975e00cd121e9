"""The engine: from a question to its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.execute import SeveralValuesError
from flopsheet.answer.names import ranked
from flopsheet.answer.outcome import merged
from flopsheet.answer.solver import Solver
from flopsheet.errors import ArithmeticTrapError, NotInvertibleError, QuestionError
from flopsheet.question.ask import ask, near_values
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import sheet as sheet_by_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.question.question import Question
    from flopsheet.sheets.body import Sheet
    from flopsheet.units import Number

MOST_FORKS, MOST_VALUES = 3, 8


@fresh
def solve(
    sheet: Sheet | str,
    unknown: str | Sequence[str] | None = (),
    where: Mapping[str, object] | Iterable[str] | None = (),
    near: Mapping[str, object] | object | None = None,
) -> Answer:
    """Return the answer to a question.

    Args:
        sheet: a sheet, or the name of one.
        unknown: the cell or cells asked for, numbers or names (a chip, an option); with none, everything that can be
            computed is.
        where: relations as texts (`["d_model = 16384", "device_memory <= 95 GiB"]`), or a mapping of cell to value.
        near: of several answers, the one near this value is taken: `4096`, `"90 GiB"`, or by unknown `{"x": 3}`.

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
        >>> answer.value
        46
    """
    question = ask(sheet_by_name(sheet) if isinstance(sheet, str) else sheet, unknown, where)
    if near is not None:
        question.near = near_values(question, near)
    return answer(question)


def answer(question: Question) -> Answer:
    """Return the answer to a question that was read before.

    Raises:
        QuestionError: it is under- or over-determined, or needs an inverse that is not there.
    """
    if question.names:
        return ranked(question, answer)
    return _followed(question, {})


def _followed(question: Question, assumed: Mapping[str, Number]) -> Answer:
    """Return the answer; where a cell on the way has several values, follow each and put the answers together."""
    try:
        return Solver(question, assumed).answer()
    except SeveralValuesError as several:
        if len(assumed) >= MOST_FORKS or len(several.values) > MOST_VALUES:
            problem = f"Too many values are possible on the way: {len(several.values)} of '{several.name}' alone."
            raise NotInvertibleError(f"cell '{several.name}'", problem, f"Give '{several.name}'.") from None
        return merged(several.name, _each_followed(question, assumed, several))


def _each_followed(question: Question, assumed: Mapping[str, Number], several: SeveralValuesError) -> list[Answer]:
    """Return the answers for the values of a cell that lead to one.

    Raises:
        FlopsheetError: none does.
    """
    answers, refused = [], None
    for value in several.values:
        try:
            answers.append(_followed(question, {**assumed, several.name: value}))
        except (ArithmeticTrapError, QuestionError) as error:
            refused = refused or error
    if not answers and refused is not None:
        raise refused
    return answers
