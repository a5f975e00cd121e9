"""Questions and answers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.alternatives import MOST_VALUES, each_value
from flopsheet.answer.wording import MOST_SHOWN, either, ranges_text, wholes_of
from flopsheet.errors import joined
from flopsheet.formulas.order import in_text
from flopsheet.units import format_number, format_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.results import Binding, Outcome, Ranking
    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell
    from flopsheet.sheets.pieces import Choice, Part

MOST_MOVING, MOST_COLUMNS = 6, 6
MOVE_DIGITS = 3
SMALLEST_MOVE = 0.0005


def question_text(question: Question, varied: Sequence[str] = ()) -> str:
    """Return a question as a sentence: what is asked, under which relations, and what it is asked at several values of.

    Args:
        question: the question.
        varied: the names that a table varies.
    """
    sheet = question.sheet
    docs: dict[str, Cell | Part | Choice] = {**sheet.cells, **sheet.parts, **sheet.choices}
    asked = [f"{name} ({_lower_first(docs[name].doc)})" for name in question.unknowns]
    goals = [relation.text for relation in question.relations]
    goals += [
        pin.relation.text
        for name, pin in question.pins.items()
        if sheet.cells[name].formula is not None and name not in varied
    ]
    what = f"What is {joined(asked)}" if asked else "What follows"
    at = f", at several values of {joined(list(varied))}" if varied else ""
    return f"{what}{f', so that {joined(goals)}' if goals else ''}{at}?"


def headline(question: Question) -> str:
    """Return the headline of a question that has none of its own."""
    return f"{', '.join(question.unknowns) or 'All cells'} by the sheet {question.sheet.name}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def outcome_text(outcome: Outcome) -> str:
    """Return the answer for one unknown: `n_fsdp >= 45.76, so 46`."""
    cell = outcome.cell
    if outcome.kind == "none":
        return f"no {cell.name} works"
    if outcome.kind == "values":
        shown = [format_quantity(each.lower, cell.unit) for each in outcome.solutions[:MOST_SHOWN]]
        return f"{cell.name} = {either(shown, len(outcome.solutions))}"
    if outcome.kind == "whole":
        numbers, more = wholes_of(outcome.solutions, MOST_SHOWN)
        listed = ", ".join(format_number(each) for each in numbers) + (", ..." if more or not outcome.complete else "")
        one_of = "is one of " if len(numbers) > 1 else "= "
        return f"{cell.name} {one_of}{listed} {cell.unit.text}".strip()
    value = "" if outcome.si is None else cell.text(outcome.si)
    if outcome.kind == "value":
        wholes = joined([format_number(each) for each in outcome.neighbours])
        between = f", between the whole numbers {wholes}" if outcome.neighbours else ""
        return f"{cell.name} = {value}{between}"
    if outcome.boundary is None:
        return f"any {cell.name} works ({cell.bounds.text(cell.unit)})"
    bounds = ranges_text(outcome.solutions, cell)
    return bounds if outcome.whole is None else f"{bounds}, so {value}"


def ranking_text(ranking: Ranking) -> str:
    """Return the names that work, the best first: `chip: h200-sxm, tpu-v5p`."""
    named = " and ".join(ranking.names)
    shown = [each.text if len(ranking.names) == 1 else f"({each.text})" for each in ranking.working]
    return f"{named}: {', '.join(shown)}" if shown else f"no {named} works"


def rejections(ranking: Ranking) -> list[str]:
    """Return the names that do not work, those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for each in ranking.rejected:
        by_reason.setdefault(each.why, []).append(each.text if len(ranking.names) == 1 else f"({each.text})")
    return [f"{', '.join(names)}: {why}" for why, names in by_reason.items()]


def strongest(elasticities: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return the inputs that move an answer most, each with its elasticity as text."""
    moving = [(name, _signed(value)) for name, value in elasticities.items() if abs(value) >= SMALLEST_MOVE]
    return moving[:MOST_MOVING]


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{format_number(abs(value), MOVE_DIGITS)}"


def move_text(elasticity: str, *, counted: bool = False, negative: bool = False) -> str:
    """Return an elasticity with its sign in words: `0.6 % less`; of what is counted, `0.6 % fewer`.

    What is below zero comes nearer to it, or goes farther.
    """
    falls = elasticity.startswith("-")
    if negative:
        return f"{elasticity[1:]} % {'nearer to' if falls else 'farther from'} zero:"
    less = "fewer" if counted else "less"
    return f"{elasticity[1:]} % {less if falls else 'more'}"


def binding_text(binding: Binding, names: tuple[str, ...]) -> str:
    """Return which term of a max or min decides: `step_time: memory_time decides in max(...)`."""
    whole, branch = in_text(binding.expression, names), in_text(binding.branch, names)
    shown = format_quantity(binding.si, binding.unit)
    tie = ", equal to another" if binding.tied else ""
    return f"{binding.cell.name}: {branch} decides in {whole} ({shown}{tie})"


def against_text(binding: Binding, names: tuple[str, ...]) -> str:
    """Return what the term that decides stands against: `against memory_time (2 second)`."""
    values = [format_quantity(si, binding.unit) for _, si in binding.losing]
    shown = [
        value if term.is_number else f"{in_text(term, names)} ({value})"
        for (term, _), value in zip(binding.losing, values, strict=True)
    ]
    return f"against {joined(shown)}"


def every_value(answer: Answer, most: int = MOST_COLUMNS) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table: a row for each value that works, a column for each cell that differs.

    Where the values are too many, the last row is one of dots.

    Args:
        answer: the answer.
        most: columns at most; cells that the question's relations and the limits speak of come first.
    """
    found = each_value(answer, MOST_VALUES + 1)
    more, found = len(found) > MOST_VALUES, found[:MOST_VALUES]
    names = list(dict.fromkeys(cell for _, each in found for cell in each.cells if cell not in answer.outcomes))
    shown = {name: [_shown_cell(each, name) for _, each in found] for name in names}
    spoken = {name for check in (*answer.checks, *answer.limits) for name in check.relation.cells}
    differing = [name for name in names if len(set(shown[name])) > 1]
    kept = sorted(sorted(differing, key=lambda name: name not in spoken)[:most], key=names.index)
    rows = [[*named.values(), *(shown[name][row] for name in kept)] for row, (named, _) in enumerate(found)]
    names = [*(found[0][0] if found else ()), *kept]
    return names, [*rows, ["..."] * len(names)] if more else rows


def _shown_cell(answer: Answer, name: str) -> str:
    value = answer.cells.get(name)
    return "-" if value is None else format_quantity(value.si, value.cell.unit)


def answer_text(answer: Answer) -> str:
    """Return the whole answer in one paragraph."""
    parts = [f"{ranking_text(answer.ranking)}. {answer.ranking.why}"] if answer.ranking else []
    parts += [f"{outcome_text(each)}. {each.why}".strip() for each in answer.outcomes.values()]
    return " ".join(parts) or f"{len(answer.cells)} cells of {answer.question.sheet.name} have a value."
