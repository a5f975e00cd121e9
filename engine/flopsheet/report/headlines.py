"""The first sentence of an answer, and the sentence that is all of it."""

from __future__ import annotations

import re
from textwrap import shorten
from typing import TYPE_CHECKING

from flopsheet.answer.inputs import figures_of_default
from flopsheet.answer.outcomes.bindings import bindings
from flopsheet.answer.outcomes.wording import in_one_sentence
from flopsheet.answer.verification.checks import with_room
from flopsheet.errors import joined
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.inverse.method import Method
from flopsheet.question.figures import absent_figures, other_options
from flopsheet.report.sentences import (
    broken_texts,
    cell_text,
    default_text,
    ranking_text,
    slack_text,
)
from flopsheet.report.steps.digits import LeastDigits
from flopsheet.report.tables import not_shown
from flopsheet.report.texts.asked import asked_for
from flopsheet.report.texts.outcomes import answer_lines, outcome_texts
from flopsheet.units import format_quantity
from flopsheet.units.text import DIGITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.answer.outcomes.bindings import Binding
    from flopsheet.answer.verification.checks import Check

MOST_HEADLINES, MOST_RESULTS, MOST_RISKS, LONGEST_LINE, LONGEST_DEFAULT = 4, 3, 3, 100, 40
MOST_GIVEN = 4  # cells that a headline without values asks for
COUNTS = (
    *("chip", "step", "sequence", "layer", "site", "token", "param", "request"),
    *("second", "minute", "hour", "day", "week", "month", "year"),
)
_COUNTED = re.compile(rf"(?<![\w.,])(\d[\d,.]*(?:e-?\d+|[MBT])?) ({'|'.join(COUNTS)})(?![\w/*^-])")
_QUOTED = re.compile(r"('[^']*')")


def in_plural(text: str) -> str:
    """Return a sentence with the plural of what it counts: `40 chips`; what is quoted can be typed, and stays."""
    parts = _QUOTED.split(text)
    parts[::2] = [
        _COUNTED.sub(lambda match: match[0] if match[1] == "1" else f"{match[0]}s", part) for part in parts[::2]
    ]
    return "".join(parts)


def summed_up(answer: Answer) -> list[str]:
    """Return the cells that a headline names: those that a question shows, else what the sheet marks, or results."""
    question = answer.question
    if question.shown or question.unknowns:
        return [name for name in question.shown if name in answer.cells]
    computed = (name for name in asked_for(question) if name in answer.cells and not answer.cells[name].is_input)
    return [*computed][:MOST_HEADLINES] if asked_for(question) else _main(results(answer), answer)[-MOST_RESULTS:]


def _main(names: Sequence[str], answer: Answer) -> list[str]:
    """Return the results that sum up most of a sheet: each rests on at least half as many cells as the one with most.

    A count that nothing uses, as the blocks without experts beside the parameters of a layer, is no headline.
    """
    structure = answer.system.structure
    sizes = {name: len(structure.needed([name])) for name in names}
    return [name for name in names if 2 * sizes[name] >= max(sizes.values())]


def results(answer: Answer) -> list[str]:
    """Return the computed cells from which no other is computed; all where each is used."""
    computed = [name for name, value in answer.cells.items() if not value.is_input]
    formulas = (answer.question.formula(name) for name in computed)
    used = frozenset[str]().union(*(cells_of(formula) for formula in formulas if formula is not None))
    return [name for name in computed if name not in used] or computed


def headline_text(answer: Answer) -> str:
    """Return the values of these cells as a sentence, and why others have none; an empty text for no such cell."""
    digits, cells = LeastDigits(answer), [answer.cells[name] for name in summed_up(answer)]
    texts = [
        f"{value.cell.stated_doc or value.cell.name} ({value.cell.name}): "
        f"{cell_text(value.si, value.cell, digits.of(value.cell.name) or DIGITS)}"
        for value in cells
    ]
    texts += _lacking(answer)
    return in_plural(f"{'; '.join(texts)}.") if texts else ""


def _lacking(answer: Answer) -> list[str]:
    """Return that cells which a headline would name have no value, and what to give for those of the sheet."""
    question = answer.question
    if question.shown or question.unknowns:
        return [f"{name} has no value" for name in not_shown(answer)]
    names = [name for name in asked_for(question) if name not in answer.cells][:MOST_HEADLINES]
    needs, cells = answer.system.structure.missing(names), question.sheet.cells
    absent = absent_figures(question, [name for name in cells if name in needs])
    if options := next(filter(None, (other_options(question, figure) for figure in absent)), ""):
        return [f"{joined(names)} cannot be computed: choose {options}"]
    parts = {name: question.sheet.parts.get(cells[name].part) for name in cells if name in needs}
    in_records = {cells[name].part for name in parts if cells[name].part}  # which give what is inferred of them too
    follow = {name for name in parts for own in figures_of_default(question, name) if cells[own].part in in_records}
    parts = {name: part for name, part in parts.items() if name not in follow}
    is_named = {name: part is None or part.bare or name in absent for name, part in parts.items()}
    shown = [*dict.fromkeys(name if own else cells[name].part for name, own in is_named.items())]
    more = [f"{len(shown) - MOST_GIVEN} more"] if len(shown) > MOST_GIVEN else []
    what = f": give {joined([*shown[:MOST_GIVEN], *more])}" if shown else ""
    return [f"{joined(names)} cannot be computed{what}"] if names else []


def one_line(answer: Answer) -> str:
    """Return the answer as short as it can be told: `n_fsdp >= 45.76, so 46`."""
    parts = [] if answer.ranking is None else [ranking_text(answer.ranking)]
    parts += [text for text, _ in outcome_texts(answer)]
    text = "; ".join(parts) or headline_text(answer).removesuffix(".") or f"{len(answer.cells)} cells have a value"
    return shorten(text, LONGEST_LINE, placeholder=" ...")


def brief_text(answer: Answer, names: Sequence[str], table: str = "", first: str = "") -> str:
    """Return the answer, the names that it is for, what binds it and what breaks, in a sentence; or that of a table.

    Where names are asked for, numbers are those of the `first`.
    """
    if table:
        return f"{table} With {joined(list(names))}." if names else table
    parts = [] if answer.ranking is None else [ranking_text(answer.ranking)]
    parts += [f"with {first}: {line}" if first and answer.ranking else line for line in answer_lines(answer)]
    parts += [headline_text(answer) or ("" if parts else f"{len(answer.cells)} cells have a value")]
    parts += [f"with {joined(list(names))}"] if names else []
    broken = broken_texts(answer)
    parts += _what_binds(answer, is_broken=bool(broken))
    return in_plural(in_one_sentence([*parts, *(f"{text[:1].lower()}{text[1:]}" for text in broken)]))


def other_cautions(answer: Answer, *, brief: bool = False) -> list[str]:
    """Return the warnings but those of limits that `broken_texts` states; if `brief`, none that takes elasticities."""
    broken = answer.broken if answer.meets_question else []
    stated = {f"'{check.relation.text}' does not hold." for check in broken}
    return [text for text in (answer.warnings if brief else answer.cautions) if text not in stated]


def risks(answer: Answer) -> list[Check]:
    """Return the limits that do not hold, lifted ones included, then the few with the least room."""
    tightest = sorted(with_room(answer, answer.limits), key=lambda check: check.slack)
    return [*(check for check in answer.limits if not check.holds), *tightest[:MOST_RISKS]]


def dropped_defaults(answer: Answer) -> list[str]:
    """Return the defaults that the question overrides, each with its cell: `n_tp (1 by default)`."""
    texts = {name: default_text(answer.question.sheet.cells[name]) for name in answer.dropped_defaults}
    shown = {name: text if len(text) <= LONGEST_DEFAULT else "a formula" for name, text in texts.items()}
    return [f"{overridden(answer, name)} ({text} by default)" for name, text in shown.items()]


def overridden(answer: Answer, name: str) -> str:
    """Return a cell whose default a question overrides, with the number that follows where it states none."""
    value, question = answer.execution.values.get(name), answer.question
    if value is None or isinstance(value, str) or name in {*question.pins, *question.unknowns}:
        return name
    return f"{name} = {question.sheet.cells[name].text(value)}"


def decisions(answer: Answer, steps: Sequence[Step]) -> list[str]:
    """Return what decides each max and min of some steps, but for guards: counts that are at least 1, as always."""
    shown, names = {step.cell.name for step in steps}, tuple(answer.question.sheet.cells)
    return [_decides_text(binding, names) for binding in bindings(answer, shown) if not _is_guard(binding)]


def _is_guard(binding: Binding) -> bool:
    """Whether a decision tells nothing: the other terms are fixed numbers, or are zero beside a positive one."""
    others = binding.losing
    return (not binding.branch.is_number and all(term.is_number for term, _ in others)) or (
        binding.si > 0 and all(si == 0 for _, si in others)
    )


def _decides_text(binding: Binding, names: tuple[str, ...]) -> str:
    """Return which term decides a max or min: `step_time: memory_time (2 second) decides over work_time (1 second)`."""
    terms = [in_text(term, names) for term, _ in binding.losing]
    values = [format_quantity(si, binding.unit) for _, si in binding.losing]
    others = [value if text == value else f"{text} ({value})" for text, value in zip(terms, values, strict=True)]
    verb = "equals" if binding.tied and len(others) == 1 else "decides over"
    value, branch = format_quantity(binding.si, binding.unit), in_text(binding.branch, names)
    winner = value if branch == value else f"{branch} ({value})"
    return f"{binding.cell.name}: {winner} {verb} {joined(others)}"


def _what_binds(answer: Answer, *, is_broken: bool) -> Iterator[str]:
    """Yield the reason for no answer, else the relations that were inverted, else the limit with the least room.

    Beside a limit that does not hold, none of those that hold is the closest.
    """
    names = tuple(answer.question.sheet.cells)
    nothing = dict.fromkeys(own.why.partition(". ")[0] for own in answer.outcomes.values() if own.kind == "none")
    yield from (f"{text[:1].lower()}{text[1:]}" for text in nothing)
    if nothing:
        return
    inverted = [step for step in answer.steps if step.how is not Method.DIRECT and step.cell.name in answer.outcomes]
    if inverted:
        binding = dict.fromkeys(repr(step.relation(names)) for step in inverted)
        yield f"bound by {' and '.join(binding)}"
        asked = [repr(check.relation.text) for check in answer.checks if check.holds]
        others = [text for text in asked if text not in binding]
        yield f"{joined(others)} {'holds' if len(others) == 1 else 'hold'} too" if others else ""
    if (inequalities := with_room(answer, answer.limits)) and not inverted and not is_broken:
        closest = min(inequalities, key=lambda check: check.slack)
        yield f"the closest limit is {closest.relation.name}, with {slack_text(closest.slack)} left"
