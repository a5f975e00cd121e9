"""Why a question has no answer: no value of an unknown works, or relations contradict each other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.answer.extremes import BESIDE_SHOWN, Extremes, extremes, is_proven, samples
from flopsheet.answer.outcomes.options import unstated
from flopsheet.answer.outcomes.wording import MOST_RANGES, MUST, cut_short, in_words, ranges_text, shown_unit
from flopsheet.errors import AmbiguousDefaultError, OverdeterminedError, QuestionError, joined
from flopsheet.formulas.evaluate import value_or_none
from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Expr, Trait, nodes
from flopsheet.inverse.method import Method
from flopsheet.numbers.arithmetic import mirrored
from flopsheet.numbers.spans import is_exact
from flopsheet.units import (
    Number,
    Unit,
    close,
    format_all_distinct,
    format_apart,
    format_distinct,
    format_quantity,
    size,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.answer.conditions.condition import Condition
    from flopsheet.answer.solution_set import SolutionSet
    from flopsheet.graph.structure import Equation
    from flopsheet.graph.system import System
    from flopsheet.question.question import Question

FAR = 10**14
MOST_TERMS, LONGEST_TERM, MOST_NAMED = 500, 200, 6
MOST_CHOICES, MOST_KEPT = 4, 256


def nothing(solved: SolutionSet) -> str:
    """Return why no value of an unknown works."""
    if any(condition.chain.unknown != solved.cell.name for condition in solved.conditions):
        texts = joined(list(dict.fromkeys(f"'{condition.relation.text}'" for condition in solved.asked)))
        return f"No {solved.cell.name} satisfies {texts} while the cells between are within their bounds."
    empty = [condition for condition in solved.conditions if _is_empty_alone(condition, solved)]
    if not empty:
        return _contradiction(solved)
    relation = (condition := _dependent_left(empty[0])).relation
    try:
        left, right = extremes(solved, condition, "left"), extremes(solved, condition, "right")
    except TimeoutError:
        left = right = None
    text = f"No {solved.cell.name} satisfies {'limit ' * bool(relation.limit)}{in_words(relation)}"
    within = f"{text} within its bounds ({solved.cell.bounds.text(solved.cell.unit)})."
    if left is None or right is None:
        return within + cut_short("The reason")
    shown = shown_unit(relation, solved.execution.question.sheet.cells)
    name = in_text(relation.left, solved.execution.names)
    if relation.operator in ("<", "<=", "=") and math.inf != left.low >= right.high:
        must, is_low = right.high, True
    elif relation.operator in (">", ">=", "=") and left.high <= right.low:
        must, is_low = right.low, False
    elif relation.operator == "=" and not condition.depends(relation.right):  # of a bound, one side is rounding
        beside = _jump(solved, condition, right.low) if solved.cell.integer else ""
        return f"{within}{beside or _nearest([*left.values, *_tried(solved, condition, left)], right.low, name, shown)}"
    else:
        return within
    reached = _reached(solved, condition, left, must, is_low=is_low)
    extreme = left.low if is_low else left.high
    choices = _unstated_choices(solved.execution.question, relation.cells)
    return f"{text}: {reached}.{_remaining(condition, solved, (extreme, must), shown)}{choices}"


def _reached(solved: SolutionSet, condition: Condition, left: Extremes, must: Number, *, is_low: bool) -> str:
    """Return how far the left side of a condition comes, and what it must be, as a clause."""
    name = in_text(condition.relation.left, solved.execution.names)
    extreme, at, end = (left.low, left.at_low, "smallest") if is_low else (left.high, left.at_high, "largest")
    relation, is_limit = condition.relation, at >= FAR
    shown = shown_unit(relation, solved.execution.question.sheet.cells)
    is_known = is_exact(extreme) and is_exact(must) and not is_limit
    verb, beyond = ("fall", "below") if is_low else ("rise", "above")
    reached, needed = (format_all_distinct if is_known else format_distinct)([extreme, must], shown)
    if not is_known and extreme != must and size(extreme - must) <= BESIDE_SHOWN * size(must):
        passes = f"{verb}s {beyond}" if relation.operator in ("<", ">") else "reaches"
        near = f" as {solved.cell.name} grows" if is_limit else ""
        level = format_all_distinct([extreme, must], shown)[1] if is_exact(must) else needed
        return f"{name} comes near {level}{near} and never {passes} it"
    meets = (extreme == must if is_known else close(extreme, must)) and relation.operator not in ("<", ">")
    ends = f", and must be {MUST[relation.operator]} {needed}"
    search = not solved.execution.question.substituted  # of many names, the reason of few is shown
    if left.low == left.high and all(is_proven(condition, left, is_low=end, search=search) for end in (True, False)):
        return f"{name} is always {reached}{' but for less than floats tell' * meets}{ends}"
    if is_proven(condition, left, is_low=is_low, search=search):
        return f"{name} cannot {verb} {'to' if meets else beyond} {reached} {_however(solved, at, meets=meets)}{ends}"
    return f"the {end} value of {name} that was found is {reached}{ends}"


def _is_empty_alone(condition: Condition, solved: SolutionSet) -> bool:
    """Whether a condition excludes every value, not only those that the other conditions leave."""
    if condition.solution.values or len(solved.conditions) == 1:
        return not condition.solution.values
    whole = condition.chain.domain == solved.domain and condition.solution.how is not Method.TRIAL
    return whole and not condition.repeats


def _tried(solved: SolutionSet, condition: Condition, left: Extremes) -> list[Number]:
    """Return values of the left side at many places, where these are not known; none once the time is over."""
    try:
        return [] if left.sampled else [value for value, _ in samples(solved, condition, condition.relation.left)]
    except TimeoutError:
        return []


def _jump(solved: SolutionSet, condition: Condition, must: Number) -> str:
    """Return between which neighbouring whole numbers the left side passes what it must be; nothing if it does not."""
    left, cell = condition.relation.left, solved.cell
    try:
        pairs = samples(solved, condition, left)
    except TimeoutError:
        return ""
    sides = [[(value, at) for value, at in pairs if (value > must) is above] for above in (False, True)]
    if not all(sides) or not math.isfinite(must):
        return ""
    low: tuple[Number, Number] = max(sides[0])  # with its value
    high: tuple[Number, Number] = min(sides[1])
    while size(high[1] - low[1]) > 1:
        middle = int(low[1] + high[1]) // 2
        value = condition.chain.at_or_none(middle, left)
        if value is None:
            return ""
        low, high = (low, (value, middle)) if value > must else ((value, middle), high)
    if not low[0] < must:
        return ""
    shown = shown_unit(condition.relation, solved.execution.question.sheet.cells)
    below, above, _ = format_distinct([low[0], high[0], must], shown)
    name = in_text(left, solved.execution.names)
    return f" {cell.name} = {cell.text(low[1])} gives {name} {below}, and {cell.text(high[1])} gives {above}."


def _nearest(values: Sequence[Number], must: Number, name: str, shown: Unit) -> str:
    """Return the values of a side on either side of what it must be, a sentence; nothing where it has none."""
    below, above = [own for own in values if -math.inf < own < must], [own for own in values if must < own < math.inf]
    if not (below and above and math.isfinite(must)) or any(close(own, must) for own in (max(below), min(above))):
        return ""
    first, last, needed = format_distinct([max(below), min(above), must], shown)
    return f" Of the values of {name} that were tried, {first} and {last} are nearest to {needed}."


def _contradiction(solved: SolutionSet) -> str:
    met = [condition for condition in solved.conditions if condition.solution.values and not condition.solution.open]
    parts = [part for condition in met for part in condition.solution.values[:MOST_RANGES]]
    needs = [f"'{one.relation.text}' needs {ranges_text(one.solution.values, solved.cell, parts)}" for one in met]
    never = [f"'{empty.relation.text}'" for empty in solved.conditions if empty not in met]
    if not needs:
        return f"No {solved.cell.name} meets {joined(never)}."
    within = f", and {joined(never)} {'holds' if len(never) == 1 else 'hold'} nowhere within that" if never else ""
    return f"No {solved.cell.name} meets all relations at once: {joined(needs)}{within}."


def _dependent_left(condition: Condition) -> Condition:
    """Return a condition with the side that depends on the unknown on the left."""
    relation = condition.relation
    if condition.depends(relation.left) or not condition.depends(relation.right):
        return condition
    sides = {"left": relation.right, "right": relation.left, "operator": mirrored(relation.operator)}
    return replace(condition, relation=replace(relation, **sides), shown_right=None)


def _however(solved: SolutionSet, at: Number, *, meets: bool) -> str:
    name = solved.cell.name
    if at >= FAR:
        return f"however large {name} is"
    if at == solved.domain.lower:
        least = format_quantity(at, solved.cell.unit)
        return (
            f"at any {name} above {least}" if meets and not solved.domain.lower_closed else f"even at {name} = {least}"
        )
    return f"at any {name}"


def _remaining(condition: Condition, solved: SolutionSet, ends: tuple[Number, Number], shown: Unit) -> str:
    """Name the terms that do not depend on the unknown, where they alone are what cannot be passed, or too much."""
    (extreme, must), left = ends, condition.composed.left
    left = sympy.expand_mul(left) if _expanded_terms(left) <= MOST_TERMS else left
    terms = [term for term in left.args if not condition.depends(term)]
    if terms and left.is_Add:
        terms = [left.func(*terms)]
    elif left.func not in nodes(Trait.EXTREME):
        terms = []
    for term in terms:
        value = value_or_none(term, condition.chain.values)  # what only bounds need is in no step
        if not value or not cells_of(term):
            continue
        if (whole := close(value, extreme)) or must < value < extreme:
            much = format_quantity(value, shown) + ("" if whole else " of it")
            return f" {much} remain for every {solved.cell.name}: {_named(term, solved)} not depend on it."
    return ""


def _named(term: Expr, solved: SolutionSet) -> str:
    """Return a term as a subject with its verb; of a long sum, the largest part alone."""
    names, text = solved.execution.names, in_text(term, solved.execution.names)
    if len(text) <= LONGEST_TERM or not term.is_Add:
        return f"{text} does"
    largest = max(term.args, key=lambda part: value_or_none(part, solved.execution.values) or 0)
    return f"{in_text(largest, names)} and {len(term.args) - 1} smaller terms do"


def _expanded_terms(expression: Expr) -> int:
    """Return how many terms an expression may have once its products are expanded: sympy writes out all of them."""
    counts = [_expanded_terms(arg) for arg in expression.args]
    return math.prod(counts) if expression.is_Mul else sum(counts) or 1


def _unstated_choices(question: Question, cells: Iterable[str]) -> str:
    """Return the choices at their default on which cells rest, as a sentence; those of most formulas first.

    Those of parts are left out: the sheet sets most of them.
    """
    texts: dict[tuple[Any, ...], str] = question.sheet.rows.derived.setdefault("unstated choices", {})
    key = frozenset(cells), frozenset(question.choices), *question.options.items()
    if key not in texts:
        if len(texts) >= MOST_KEPT:
            texts.clear()
        return texts.setdefault(key, _choices_sentence(question, key[0]))
    return texts[key]


def _choices_sentence(question: Question, cells: Iterable[str]) -> str:
    names = [name for name in unstated(question, cells) if "." not in name]
    if not names:
        return ""
    most = MOST_CHOICES if len(names) > MOST_CHOICES + 1 else len(names)
    shown = [f"{name} = {question.options[name]}" for name in names[:most]]
    shown += [f"{len(names) - most} others"] * (len(names) > most)
    return f" It rests on choices at their default: {joined(shown)}."


def rests_on_name(conflict: Iterable[Equation], question: Question) -> bool:
    """Whether equations hold a figure of a name that is tried, and decide on it: it fits where they agree.

    Where inequalities or a ranking decide, what equations give is given, as with that name alone.
    """
    if question.inequalities or question.best:
        return False
    cells = question.sheet.cells
    figures = (equation.target for equation in conflict if equation.kind == "record")
    return any(cells[figure].part in question.substituted for figure in figures)


def contradicted(system: System, key: str, sides: tuple[Number, Number]) -> QuestionError:
    """Return the error for an equation that contradicts the others."""
    question, structure = system.question, system.structure
    equation, cells = structure.equations[key], question.sheet.cells
    relation, conflict = system.relation(equation), structure.conflict(key)
    source = _source(equation, system)
    where = f"relation '{source}'" if source else f"default of '{equation.target}'"
    name = equation.target or in_text(relation.left, tuple(cells))
    first, second = format_apart(list(sides), shown_unit(relation, cells))
    problem = f"It needs {name} to be {second}, but the rest of the question makes it {first}."
    defaults = [other.target for other in conflict if other.is_default]
    error: QuestionError
    if len(defaults) > 1 and not rests_on_name(conflict, question):
        several = defaults[:MOST_NAMED] + [f"{len(defaults) - MOST_NAMED} others"] * (len(defaults) > MOST_NAMED)
        fix = f"Several defaults may be overridden: ask for one of {joined(several, 'or')} as the unknown, or give it."
        error = AmbiguousDefaultError(where, problem, fix)
    else:
        error = OverdeterminedError(where, problem, _left_out(equation, conflict, system))
    quoted = f"'{source}'" if source else f"the {where}"
    error.clause = f"{quoted} does not hold: {first} is not {second}"
    return error


def _left_out(equation: Equation, conflict: Iterable[Equation], system: System) -> str:
    """Return which of the relations that contradict each other may be left out, as a sentence."""
    cells, question = system.question.sheet.cells, system.question
    others = [other for other in conflict if other.key != equation.key]
    given = [f"'{text}'" for other in others if (text := _source(other, system))]
    figures = [other.target for other in others if other.kind == "record"]
    conflicting = {cells[figure].part for figure in figures}
    given += [f"'{part} = {record.key}'" for part, record in question.records.items() if part in conflicting]
    others_too = f", or {'one of ' if len(given) > 1 else ''}{joined(given, 'or')}" if given else ""
    return f"Leave out this relation{others_too}."


def _source(equation: Equation, system: System) -> str:
    """Return an equation as the question writes it; nothing for a formula of the sheet, a default or a record."""
    if equation.key in system.stated:
        return system.stated[equation.key].text
    return system.question.pins[equation.target].text if equation.kind == "given" else ""
