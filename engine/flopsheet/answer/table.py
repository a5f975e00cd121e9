"""Several answers at once: one for each combination of values that cells take, or for each value of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, islice, product
from math import prod
from typing import TYPE_CHECKING, Any

from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.answer.solve import answer as answer_to
from flopsheet.budget import each
from flopsheet.displays import display
from flopsheet.errors import FlopsheetError, QuestionError, expect_text, find, public, shortened, wrong_argument
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import as_sympy
from flopsheet.question.arguments import as_names, as_text, as_texts
from flopsheet.question.ask import ask
from flopsheet.question.labels import Label, having, label_of
from flopsheet.question.question import Pin, Question
from flopsheet.registry.reading_time import paused
from flopsheet.session import fresh
from flopsheet.sheets.catalogue import as_sheet
from flopsheet.units import Number, decimal, in_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell

MOST_ROWS, MOST_VALUES, MOST_LISTED = 500, 50, 10_000


@dataclass(frozen=True)
class Row:
    """One row of a table."""

    values: tuple[str, ...]  # what each varied cell is set to, as written
    answer: Answer | None  # None where the question makes no sense with these values
    problem: str = ""  # why not; empty if it does


@dataclass(frozen=True)
class Table:
    """Answers to the same question at several values."""

    sheet: Sheet
    varied: tuple[str, ...]  # the cells, choices or parts that take several values
    shown: tuple[str, ...]  # the cells of a row, the unknowns first
    rows: tuple[Row, ...] = field(repr=False)  # one for each combination, the last varied cell changing fastest

    @property
    def first(self) -> list[str]:
        """What its first row gives, as relations: `chip = h100-sxm`."""
        return [f"{name} = {value}" for name, value in zip(self.varied, self.rows[0].values, strict=True)]

    @public
    def as_csv(self) -> str:
        """Return the rows as CSV: what varies as it is written, then the shown cells in their units."""
        return str(display("table_as_csv", self))

    @public
    def frame(self) -> Any:
        """Return the rows as a data frame of pandas; the units of its columns are in `frame.attrs["units"]`."""
        return display("table_frame", self)

    def _repr_html_(self) -> str:
        return str(display("html_table", self))

    def _repr_latex_(self) -> str:
        return str(display("latex_table", self))

    def _repr_markdown_(self) -> str:
        return str(display("markdown_table", self))


@fresh
def table(  # noqa: PLR0913  # one parameter for each part of a question
    sheet: Sheet | type[Sheet] | str,
    unknown: str | Sequence[str] | None = (),
    where: Mapping[str, object] | Iterable[str] | None = (),
    *,
    vary: Mapping[str, Iterable[object]],
    show: str | Iterable[str] | None = (),
    without: str | Iterable[str] | None = (),
    budget: object | None = None,
    best: str | None = None,
    figures: str | None = None,
) -> Table:
    """Return the answers to a question at each combination of several values of some cells.

    Args:
        sheet: a sheet, its class, or the name of one.
        unknown: the cells asked for in every row; with none, what is shown is computed.
        where: the relations that hold in every row, as in `solve`. A text such as `chip.kind = GPU` keeps the records
            of a list that have it; where `chip` is neither listed, given nor asked for, it takes all that have it.
        vary: by cell, choice or part the values that it takes: `{"tokens": ["1e6 token", "4e6 token"]}`.
        show: the cells to show beside the unknowns.
        without: the limits of the sheet to lift, as in `solve`.
        budget: how long each row may take, as in `solve`.
        best: how to rank names that work in a row, as in `solve`.
        figures: which figures of records count, as in `solve`.

    Raises:
        UnknownNameError: a name is no cell of the sheet; the message has the nearest.
        QuestionError: nothing is varied or shown, or the rows are too many.

    Example:
        >>> from flopsheet import table
        >>> stack = {"d_model": 8192, "d_ff": 28672, "n_blocks": 80, "seq_len": 4096, "n_fsdp": 64}
        >>> for row in table("ffn_memory", where=stack, vary={"batch": [128, 256]}, show="device_memory").rows:
        ...     device_memory = row.answer.cells["device_memory"]
        ...     print(*row.values, device_memory.cell.text(device_memory.si))
        128 31.25 GiB
        256 53.75 GiB
    """
    model, unknowns = as_sheet(sheet), as_names(unknown, "unknown")
    shown, fixed = tuple(dict.fromkeys((*unknowns, *as_names(show, "show")))), as_texts(where)
    filters = _filters(model, unknowns, fixed)
    varied = having(model, [*filters.values()], _values_of_cells(vary))
    for name in (*varied, *shown):
        find(name, [*model.cells, *model.parts, *model.choices], "cell", f"table of '{model.name}'")
    names, settled = tuple(varied), [text for text in fixed if text not in filters]
    cells = [name for name in shown if name in model.cells and name not in unknowns]
    given = ask(model, unknowns, settled, without=without, budget=budget, best=best, figures=figures, show=cells)
    combinations = _combinations(varied, shown, model)
    twice = [name for name in names if name in given.pins or name in given.records or name in given.choices]
    if twice:
        problem = f"'{twice[0]}' takes several values, and is given in every row too."
        raise QuestionError(f"table of '{model.name}'", problem, "Leave out one of the two.")
    with paused():
        rows = [_row(given, fixed, names, values) for values in each(combinations, "rows")]
    rest = combinations[len(rows) :]  # none, unless the user has stopped it: each row has its own budget
    rows += [Row(_written(_texts(names, values)), None, "Not tried: interrupted.") for values in rest]
    return Table(model, names, shown, tuple(rows))


def _filters(model: Sheet, unknowns: Sequence[str], fixed: Sequence[str]) -> dict[str, Label]:
    """Return the relations that demand a text of a record which is neither given nor asked for."""
    labels = {text: label for text in fixed if (label := label_of(text, model)) is not None}
    settled = {*unknowns, *ask(model, (), [text for text in fixed if text not in labels]).records} if labels else set()
    return {
        text: label
        for text, label in labels.items()
        if label.part not in settled and model.parts[label.part].of not in unknowns
    }


def _values_of_cells(vary: Any) -> dict[str, list[object]]:
    """Return the values that each cell takes; none where they are no list.

    Raises:
        ArgumentError: it is no mapping of cell to values.
    """
    if not isinstance(vary, Mapping):
        raise wrong_argument("vary", vary, "a mapping of cell to values", 'Write {"d_model": [4096, 8192]}.')
    lists: dict[str, list[object]] = {}
    for name, values in vary.items():
        cell = expect_text(name, "vary", "Write the name of a cell as a text.")
        try:
            lists[cell] = [] if isinstance(values, str | bytes) else list(islice(values, MOST_LISTED + 1))
        except TypeError:
            lists[cell] = []
        if len(lists[cell]) > MOST_LISTED:
            raise QuestionError("vary", f"'{cell}' has more than {MOST_LISTED:,} values.", "Vary fewer values.")
    return lists


def _combinations(vary: Mapping[str, Sequence[object]], shown: Sequence[str], model: Sheet) -> list[tuple[object, ...]]:
    where = f"table of '{model.name}'"
    empty = next((name for name, values in vary.items() if not values), None)
    if empty is not None or not vary:
        problem = f"'{empty}' has no list of values." if empty is not None else "No cell takes several values."
        raise QuestionError(where, problem, "Give a list of values: tokens: [1e6 token, 4e6 token].")
    for name, values in vary.items():
        written = next((text for text in values if isinstance(text, str) and ".." in text), None)
        if written is not None:
            first, _, last = written.partition(":")[0].partition("..")
            problem = f"'{shortened(written)}' is a range, and {name} takes values from a list."
            raise QuestionError(where, problem, f"List them: {name} = {shortened(first)}, ..., {shortened(last)}.")
    if not shown:
        raise QuestionError(where, "No cell is shown.", "Name an unknown, or the cells to show.")
    count = prod(len(values) for values in vary.values())
    if count > MOST_ROWS:
        raise QuestionError(where, f"It has {count:,} rows, more than {MOST_ROWS:,}.", "Vary fewer values.")
    return list(product(*vary.values()))


def _row(given: Question, fixed: list[str], names: tuple[str, ...], values: tuple[object, ...]) -> Row:
    texts = _texts(names, values)
    written = _written(texts)
    try:
        asked = ask(given.sheet, given.unknowns, [*fixed, *texts], without=given.without, figures=given.figures)
        return Row(written, answer_to(replace(asked, budget=given.budget, best=given.best, shown=given.shown)))
    except FlopsheetError as error:
        return Row(written, None, str(error))


def _texts(names: tuple[str, ...], values: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(as_text(name, value) for name, value in zip(names, values, strict=True))


def _written(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.partition("=")[2].strip() for text in texts)


def each_value(answer: Answer, most: int = MOST_VALUES) -> list[tuple[dict[str, str], Answer]]:
    """Return an answer for each single value of the unknowns, at most so many, with the values as text by unknown.

    A value is one of several roots, a whole number of a set or range, or a name; of a range of real numbers
    only its value counts. Where there are several unknowns, later ones are solved for each value of the first.
    """
    if answer.ranking is None:
        return list(islice(_of_numbers(answer, {}), most))
    ranked = [(candidate.answer, candidate.options) for candidate in answer.ranking.working]
    values = (_of_numbers(replace(named, ranking=None), options) for named, options in ranked if named is not None)
    return list(islice(chain.from_iterable(values), most))


def _of_numbers(answer: Answer, named: dict[str, str]) -> Iterator[tuple[dict[str, str], Answer]]:
    outcomes = [outcome for outcome in answer.outcomes.values() if outcome.kind != "none"]
    several = next((outcome for outcome in outcomes if len(_values(outcome)) > 1), None)
    texts = {outcome.cell.name: outcome.cell.text(outcome.si) for outcome in outcomes if outcome.si is not None}
    if several is None or not answer.meets_question:
        yield {**named, **texts}, answer
        return
    for value in _values(several):
        result = answer_to(_taking(answer.question, several.cell, value))
        yield from _of_numbers(result, {**named, several.cell.name: several.cell.text(value)})


def _values(outcome: Outcome) -> list[Number]:
    if outcome.kind == "values":
        return [interval.lower for interval in outcome.listed if interval.is_point]
    if outcome.whole is None:
        return [outcome.si] if outcome.si is not None else []
    numbers, more = wholes_in(outcome.listed, MOST_VALUES + 1)
    return [outcome.whole] if more and outcome.kind == "range" else [*numbers]


def _taking(question: Question, cell: Cell, value: Number) -> Question:
    """Return the question with one of its unknowns given, and no names asked for."""
    shown = in_unit(value, cell.unit)
    exact = Fraction(repr(shown)) if isinstance(shown, float) else Fraction(shown)
    text = f"{cell.name} = {decimal(exact)} {cell.unit.text}".strip()
    pin = Pin(cell.name, value, text, stated=Relation(cell.symbol, "=", as_sympy(value), text))
    unknowns = tuple(name for name in question.unknowns if name not in (*question.names, cell.name))
    return replace(question, unknowns=unknowns, pins={**question.pins, cell.name: pin})
