"""Questions, answers and values in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.spaced import progression_texts
from flopsheet.answer.outcomes.wording import (
    MOST_SHOWN,
    places_text,
    ranges_text,
    sentence,
    texts_of,
    unchecked_text,
    wholes_text,
)
from flopsheet.errors import joined
from flopsheet.formulas.printing import in_text
from flopsheet.numbers.members import whole_runs
from flopsheet.registry.records import BASES
from flopsheet.report.texts.rejections import names_text
from flopsheet.units import Quantity, format_number, format_quantity, format_whole
from flopsheet.units.text import DIGITS, exact_digits, format_input, shown_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Ranking
    from flopsheet.answer.outcomes.bindings import Binding
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.question.question import Question
    from flopsheet.report.steps.digits import LeastDigits
    from flopsheet.sheets.body import Sheet
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


MOST_RANKED, MOST_LIMITS, MOST_IN_HEADLINE = 8, 3, 8  # names and whole numbers in a headline
SLACK_PLACES = 4  # of percent: less is rounding where an end is exact, and nobody plans with it
_FIGURES = {
    "nominal": "Figures of records are nominal: as vendors state them.",
    "usable": "Figures of records are what software gets, where the registry has that, else nominal.",
    "measured": "Figures of records are measured where the registry has that, else what software gets, else nominal.",
}


def outcome_text(outcome: Outcome, most: int = MOST_SHOWN) -> str:
    """Return the answer for one unknown, `n_fsdp >= 45.76 (limit fits), so 46`, with `most` whole numbers."""
    cell, limits = outcome.cell, _limits_text(outcome)
    others = " and perhaps others" if outcome.open else ""
    if outcome.kind == "none":
        return _nothing_text(outcome)
    is_run = cell.integer and len(whole_runs(outcome.listed)) < len(outcome.listed)
    if (outcome.kind == "values" and not is_run) or outcome.progressions:
        return f"{cell.name} = {_values_text(outcome)}{others}{limits}"
    if outcome.kind in ("values", "whole"):
        return f"{_wholes_text(outcome, most)} {cell.unit.text}".strip() + others + limits
    value = "" if outcome.si is None else cell.text(outcome.si)
    if outcome.kind == "value":
        neighbours = joined([*map(format_whole, outcome.neighbours)])
        between = f", between the whole numbers {neighbours}" if outcome.neighbours else ""
        return f"{cell.name} = {value}{between}{others}{limits}"
    if outcome.boundary is None:
        return f"any {cell.name} works ({cell.bounds.text(cell.unit)})"
    bounds = ranges_text(outcome.listed, cell) + limits
    is_single = len(outcome.listed) == 1 and outcome.listed[0].is_point
    return bounds if outcome.whole is None or is_single else f"{bounds}, so {value}"


def _wholes_text(outcome: Outcome, most: int) -> str:
    """Return whole numbers, at most so many: `n is one of 2, 4, 8`, or `n is 7 to 80` where they follow each other."""
    wholes, more = wholes_text(outcome.listed, MOST_SHOWN)
    texts = wholes.split(", ")
    if more or len(texts) > most:
        folded = [*texts[:most], "..."] if more else [*texts[: most - 1], "...", texts[-1]]
        return f"{outcome.cell.name} is one of {', '.join(folded)}"
    below, above = ([text for text in texts if text.startswith(start)] for start in ("up to ", "from "))
    between = [text for text in texts if text not in (*below, *above)]
    listed = f"one of {', '.join(between)}" if len(between) > (1 if below or above else 2) else joined(between, "or")
    shown = joined([*below, *([listed] if between else []), *above], "or")
    return f"{outcome.cell.name} {'is' if ' ' in shown else '='} {shown}"


def answer_line(outcome: Outcome) -> str:
    """Return the answer for one unknown as a sentence: `Chips of the run (n_chips): at least 8192 chip.`."""
    cell, text = outcome.cell, outcome_text(outcome, MOST_IN_HEADLINE)
    words, value = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}, outcome.boundary
    sign = next((sign for sign in words if text.startswith(f"{cell.name} {sign} ")), "")
    if outcome.whole is not None:
        sign, value = sign and f"{sign[0]}=", outcome.whole
    if outcome.kind == "range" and len(outcome.listed) == 1 and sign and value is not None:
        text = f"{words[sign]} {cell.text(value)}{_limits_text(outcome)}"
    elif outcome.kind == "none":
        return sentence(f"{text[:1].upper()}{text[1:]}")
    text = text.removeprefix(f"{cell.name} = ").removeprefix(f"{cell.name} is ")
    if len(outcome.listed) == 1:
        text = text.replace(f" <= {cell.name} <= ", " to ")
    return sentence(f"{cell.stated_doc} ({cell.name}): {text}" if cell.doc else f"{cell.name}: {text}")


def left_out_text(number: int, shown: int) -> str:
    """Return how many steps of a derivation are shown, as a sentence; an empty text where all are."""
    if shown >= number:
        return ""
    few = f"{shown} of {number} steps are shown, those that count most" if shown else f"None of {number} steps is shown"
    few = f"1 of {number} steps is shown, the one that counts most" if shown == 1 else few
    return f"{few}; --template derivation shows all."


def _values_text(outcome: Outcome) -> str:
    """Return single values, and how those that are too many to list follow from each other."""
    begun = {member for many in outcome.progressions for member in many.begin.numbers()}  # thousands are looked up
    others = [part.lower for part in outcome.listed if part.lower not in begun]
    alone = [value for value in others if not any(value in many for many in outcome.progressions)]
    texts, rest = [*texts_of(alone[:MOST_SHOWN], outcome.cell).values()], len(alone) - MOST_SHOWN
    texts += [f"{rest} more"] if rest > 0 else []
    return joined([*texts, *progression_texts(outcome.progressions, outcome.cell)], "or")


def _nothing_text(outcome: Outcome) -> str:
    name, numbers = outcome.cell.name, joined([*map(format_whole, outcome.neighbours)])
    if outcome.boundary is not None and numbers:
        where = f"between {numbers}" if len(outcome.neighbours) > 1 else f"near {numbers}"
        return f"no whole {name} works: it would be {outcome.cell.text(outcome.boundary)}, {where}"
    verb = "was found" if outcome.open else "works"
    return f"no whole {name} {verb}" if numbers else f"no {name} {verb}"


def _limits_text(outcome: Outcome) -> str:
    names, at = outcome.limits, f" at {places_text(outcome.at)}" if outcome.at else ""
    shown = (
        [*names] if len(names) <= MOST_LIMITS else [*names[: MOST_LIMITS - 1], f"{len(names) - MOST_LIMITS + 1} others"]
    )
    return f" (limit{'' if len(names) == 1 else 's'} {joined(shown)}){at}" if names else at


def broken_texts(answer: Answer) -> list[str]:
    """Return what a reader must know before an answer: relations that could not be checked, limits that do not hold.

    Nothing where unknowns have no answer, which its own text explains; without an unknown, also what is asked in vain.
    """
    is_forward = not answer.outcomes and answer.ranking is None
    failing = [check for check in answer.checks if not check.holds] if is_forward else []
    broken = answer.broken if answer.meets_question or is_forward else []
    texts = [check.failure for check in [*failing, *broken]]
    unchecked = [unchecked_text(answer, relation) for relation in answer.unchecked]
    return unchecked + [f"{text[:1].upper()}{text[1:]}." for text in texts]


def slack_text(slack: Number) -> str:
    """Return the room that an inequality leaves, a share of its bound: `4.2 %`."""
    return f"{format_number(round(100 * slack, SLACK_PLACES))} %"


def ranking_text(ranking: Ranking, most: int | None = MOST_RANKED) -> str:
    """Return the names that work, best first: `chip: h200-sxm, tpu-v5p`; of many the first, and how many others.

    And that others may work, where not all were tried and decided in time.
    """
    return _ranked_text(" and ".join(ranking.names), ranking, most)


def ranking_sentence(ranking: Ranking) -> str:
    """Return the same as a sentence: `Chips that work (chip): h200-sxm, tpu-v5p.`."""
    text = _ranked_text(f"{ranking.kinds} that work ({' and '.join(ranking.names)})", ranking, MOST_RANKED)
    return sentence(f"{text[:1].upper()}{text[1:]}")


def _ranked_text(what: str, ranking: Ranking, most: int | None) -> str:
    if not ranking.working:
        return f"no {' and '.join(ranking.names)} {'works' if ranking.complete else 'was found'}"
    working = [names_text(candidate.text, ranking) for candidate in ranking.working]
    return f"{what}: {some_names(working, most)}{'' if ranking.complete else ' (not all were decided)'}"


def unlisted(answer: Answer, listed: int) -> str:
    """Return the names that work but for the first, in a sentence, `2 more: llama-3-8b, gpt2.`, of tuples how many."""
    ranking = answer.ranking
    if ranking is None:
        more = len(answer.tuples) - listed
        return f"{more} more {'work' if more > 1 else 'works'}; --as json has all." if more > 0 else ""
    names = [names_text(candidate.text, ranking) for candidate in ranking.working[listed:]]
    return f"{len(names)} more: {', '.join(names)}." if names else ""


def some_names(names: list[str], most: int | None) -> str:
    """Return names with commas between; of more than one too many only the first, and how many others."""
    if most is None or len(names) <= most + 1:
        return ", ".join(names)
    return joined([*names[:most], f"{len(names) - most} others"])


def binding_text(binding: Binding, names: tuple[str, ...]) -> str:
    """Return which term determines a max or min: `step_time: memory_time determines max(...) (2 second)`."""
    whole, branch = in_text(binding.expression, names), in_text(binding.branch, names)
    value = format_quantity(binding.si, binding.unit)
    tie = ", equal to another" if binding.tied else ""
    return f"{binding.cell.name}: {branch} determines {whole} ({value}{tie})"


def alternatives_text(binding: Binding, names: tuple[str, ...]) -> str:
    """Return the other terms of a max or min with their values: `the other term is memory_time (2 second)`."""
    terms = []
    for term, si in binding.losing:
        value = format_quantity(si, binding.unit)
        terms.append(value if term.is_number else f"{in_text(term, names)} ({value})")
    return f"the other term{' is' if len(terms) == 1 else 's are'} {joined(terms)}"


def answer_text(answer: Answer) -> str:
    """Return the whole answer in one paragraph."""
    parts = broken_texts(answer)
    parts += [f"{ranking_text(answer.ranking)}. {answer.ranking.why}"] if answer.ranking else []
    parts += [f"{sentence(outcome_text(outcome))} {outcome.why}".strip() for outcome in answer.outcomes.values()]
    return " ".join(parts) or f"{len(answer.cells)} cells of {answer.question.sheet.name} have a value."


def value_text(value: CellValue, digits: LeastDigits | None = None) -> str:
    """Return a value with its unit; an input with all its digits, up to nine, other cells with these digits."""
    if digits is None and value.is_input:
        return format_input(value.si, value.cell.unit)
    return format_quantity(value.si, value.cell.unit, (0 if digits is None else digits.of(value.cell.name)) or DIGITS)


def cell_text(si: Number, cell: Cell, digits: int) -> str:
    """Return a value of a cell [base units] with so many digits; of a count, as many as differ from whole numbers."""
    return cell.text(si) if cell.integer else format_quantity(si, cell.unit, digits)


def default_text(cell: Cell) -> str:
    """Return the default of a cell with its unit, or an empty text."""
    formulas = [in_text(formula, ()) for formula in cell.inferred]
    return " or ".join(formulas + ([] if cell.default is None else [format_quantity(cell.default, cell.unit)]))


def origin_text(value: CellValue) -> str:
    """Return the source of a value: `given`, `computed`, `default (FILE:LINE)`, or the record with file and line.

    A value given in a unit other than the one shown, or with more digits, is quoted: `given as 80 GB`.
    """
    place = value.cell.place
    if value.origin == "given" and value.written is not None:
        unit, shown = value.written.unit, shown_in(value.si, value.cell.unit)
        exact = isinstance(value.si, int) or exact_digits(value.si, value.cell.unit)
        if not exact or (unit.text not in ("", shown.text) and unit.factor != shown.factor):
            return f"given as {value.written}"
    if value.record is not None and value.figure is not None:
        record = f"{value.said_by} ({value.figure.spot.file}:{value.figure.spot.line}){basis_text(value)}"
        return record if value.figure.verified else f"{record}, not verified"
    return f"default ({place})" if value.origin == "default" and place.line else value.origin


def basis_text(value: CellValue) -> str:
    """Return that a figure is usable or measured, with the condition; an empty text for a nominal one."""
    figure = value.figure
    if figure is None or figure.basis == BASES[0]:
        return ""
    return f", {figure.basis}: {figure.condition}" if figure.condition else f", {figure.basis}"


def figures_text(question: Question) -> str:
    """Return which figures of records a question takes, as a sentence; an empty text where it has no record."""
    return _FIGURES[question.figures] if question.records else ""


def meaning_text(value: CellValue) -> str:
    """Return the meaning of a cell, with the note of its figure."""
    note = value.figure.note if value.figure is not None else ""
    doc = value.cell.stated_doc if value.origin in ("given", "solved") else value.cell.doc
    return f"{doc} ({note})" if note else doc


def sources_of(value: CellValue) -> tuple[str, ...]:
    """Return the keys of the sources of a value; a value given in the question has none."""
    if value.record is not None and value.figure is not None:
        return value.figure.sources
    return (value.cell.source,) if value.cell.source and value.origin != "given" else ()


def input_text(by: str, literals: Mapping[str, Quantity]) -> str:
    """Return the name of an input; a quantity written in the question is its own name."""
    return format_quantity(literals[by].si, literals[by].unit) if by in literals else by


def cycles_texts(sheet: Sheet) -> list[str]:
    """Return which cells of a sheet depend on each other, a sentence for each cycle."""
    many, alone = "depend on each other, and are solved together.", "depends on itself, and is solved for."
    return [f"{joined(list(cycle))} {many if cycle[1:] else alone}" for cycle in sheet.rows.cycles]


def partners_of(name: str, question: Question) -> list[str]:
    """Return the cells with which a cell is solved together, as they depend on each other; those given are none."""
    cycles = (cycle for cycle in question.sheet.rows.cycles if name in cycle)
    return [other for cycle in cycles for other in cycle if other != name and other not in question.pins]
