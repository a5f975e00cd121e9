"""The values in the lists of a write-up: each class is a kind of entry, each field with what it holds.

`templates/README.md` is generated from these classes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from flopsheet.answer.several.verdicts import TOGETHER
from flopsheet.errors import joined
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import Indicator
from flopsheet.functions.branches import Branched
from flopsheet.functions.spec import FunctionNode, entry_of
from flopsheet.inverse.method import Method
from flopsheet.layout import nodes
from flopsheet.layout.latex import latex
from flopsheet.registry.store import Source, sources
from flopsheet.report.conversions import converted
from flopsheet.report.formulas import Formulas, chain_of, formula_from, formula_of, line_of, range_of, relation_of
from flopsheet.report.headlines import in_plural
from flopsheet.report.sentences import answer_line, cell_text, outcome_text, partners_of, slack_text
from flopsheet.report.steps.digits import Digits, LeastDigits, carried, value_used
from flopsheet.report.steps.rounded import with_form
from flopsheet.report.steps.values import MOST_CACHED, at_whole, meaning_of
from flopsheet.report.texts.outcomes import answer_lines, has_two_ends, nothing_together
from flopsheet.session import cached
from flopsheet.units import close, format_number, format_quantity
from flopsheet.units.text import quantity_layout

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.verification.checks import Check
    from flopsheet.functions import Expr
    from flopsheet.units import Number, Unit

_ADDRESS = re.compile(r"https?://\S+")
_HEAD = re.compile(r"\\left\[|[^(]*")  # how a function begins that a definition defines


@dataclass(slots=True, unsafe_hash=True)
class Result:
    """The outcome for one unknown."""

    name: Annotated[str, "Name of the unknown."]
    line: Annotated[str, "The outcome as a sentence: `Devices that share the state (n_fsdp): at least 46.`."]
    text: Annotated[str, "The outcome in words: `n_fsdp >= 45.76, so 46`."]
    why: Annotated[str, "The reason."]
    which: Annotated[str, "Which of several values or bounds the closed form gives; empty where there is only one."]
    closed_form: Annotated[tuple[str, ...], "The closed form as LaTeX lines, with `&` where there are several."]
    inverted: Annotated[bool, "Whether a relation was inverted for it; else its own formula gives it."]
    is_empty: Annotated[bool, "Whether no value works, or none was found."]

    @classmethod
    def of(cls, outcome: Outcome, formulas: Formulas, *, inverted: bool) -> Result:
        """Return the outcome for an unknown, with its closed form where it has one."""
        name, form = outcome.cell.name, outcome.closed_form
        line, why = in_plural(answer_line(outcome)), in_plural(outcome.why)
        text, is_empty = outcome_text(outcome), outcome.kind == "none"
        if form is None:
            return cls(name, line, text, why, "", (), inverted, is_empty)
        sign, right, which = outcome.sign, formulas.symbols(form), ""
        if outcome.is_one_of_several and outcome.boundary is not None:
            value = quantity_layout(outcome.boundary, outcome.cell.unit)
            if has_two_ends(outcome):
                lines = range_of(formulas.symbol(name), (sign, right, value), outcome.listed[0], outcome.cell.unit)
                return cls(name, line, text, why, "", lines, inverted, is_empty)
            sign, right = "=", right if latex(right) == latex(value) else nodes.relation(right, "=", value)
            which = "The value used in the steps" if outcome.kind == "values" else "One bound of the solution"
        lines = relation_of(formulas.symbol(name), sign, right)
        return cls(name, line, text, why, which, lines, inverted, is_empty)


def results_of(answer: Answer, formulas: Formulas, direct: Container[str]) -> list[Result]:
    """Return the outcomes of an answer, those of unknowns without values together as one.

    A reason that several have is beside the last of these.
    """
    outcomes = answer.outcomes
    last = {outcome.why: name for name, outcome in outcomes.items()}
    results = {name: Result.of(own, formulas, inverted=name not in direct) for name, own in outcomes.items()}
    last |= {TOGETHER: ""} if answer.tuples else {}
    kept = [replace(own, why=own.why if last[outcomes[name].why] == name else "") for name, own in results.items()]
    if not (together := nothing_together(answer)):
        return kept
    why = " ".join([own.why for own in kept if own.why])
    return [replace(kept[-1], line=answer_lines(answer)[0], text=together, why=why, inverted=True)]


@dataclass(slots=True, unsafe_hash=True)
class Input:
    """A cell with a value: an input of the answer, or another cell that has been computed."""

    name: Annotated[str, "Name of the cell."]
    symbol: Annotated[str, "LaTeX symbol of the cell."]
    value: Annotated[str, "Number and unit."]
    doc: Annotated[str, "Meaning of the cell."]
    kind: Annotated[str, "`given`, `default` or `record`; `computed` or `solved` for other cells."]
    origin: Annotated[str, "Source of the value: `given`, or the default or record with file and line."]
    source: Annotated[str, "Numbers of its references: `1, 4–6`; empty for none."]


@dataclass(slots=True, unsafe_hash=True)
class Line:
    """A step of the derivation."""

    number: Annotated[int, "Number of the step."]
    name: Annotated[str, "The cell that the step computes."]
    doc: Annotated[str, "Meaning of the cell."]
    how: Annotated[str, "Solution method; empty where the cell's own formula is evaluated."]
    condition: Annotated[tuple[str, ...], "The relation that was inverted, as LaTeX lines; empty for a formula."]
    lines: Annotated[tuple[str, ...], "LaTeX lines, `&` before each relation sign: symbols, numbers, result."]
    value: Annotated[str, "The result with its unit."]
    symbol: Annotated[str, "LaTeX symbol of the cell."]
    formula: Annotated[str, "What gives it, as a formula in symbols; empty where there is none."]
    definitions: Annotated[
        tuple[str, ...], "LaTeX equations that define functions which no calculator has, where a step uses them first."
    ] = ()

    @classmethod
    def of(  # noqa: PLR0913  # what a step is printed with
        cls, number: int, step: Step, answer: Answer, formulas: Formulas, digits: Digits, *, short: bool = False
    ) -> Line:
        """Return a step of an answer: symbols, numbers, result; if `short`, on one line where it fits."""
        sign, method = "=", ""
        condition: tuple[str, ...] = ()
        if step.how is not Method.DIRECT:
            method = f"from '{step.relation(formulas.names)}', {_words(step, answer)}"
            partners = [] if step.how is Method.SIMULTANEOUS else partners_of(step.cell.name, answer.question)
            method += f", together with {joined(partners)}" if partners else ""
            condition = () if _says_it(step) else _condition(step.condition, answer, formulas)
            outcome = answer.outcomes.get(step.cell.name)
            is_end = outcome is not None and (has_two_ends(outcome) or not outcome.is_one_of_several)
            sign = outcome.sign if outcome is not None and is_end else "="
        sides, formula, used = [digits.result(step)], "", value_used(step, answer)
        if step.form is not None:
            numbers = formulas.numbers(step.form)
            typed = converted(numbers, sides[0])
            shown = [] if step.form.is_Symbol and typed is numbers else [typed]
            symbols = formulas.symbols(step.form)
            formula = formula_of(formulas.symbols(at_whole(step.form, step.si, used)))
            sides = [symbols, *shown, *sides] if step.form else sides  # zero is its own result
        symbol = formulas.symbol(step.cell.name)
        lines = (line_of if short else chain_of)(symbol, sign, tuple(sides))
        value = cell_text(used, step.cell, digits.of(step.cell.name))
        if used != step.si:  # the whole number at the end of a range
            lines += line_of(symbol, "=", (quantity_layout(used, step.cell.unit),))
        name, doc = step.cell.name, meaning_of(step)
        return cls(number, name, doc, method, condition, lines, value, formula_of(symbol), formula)


def lines_of(
    steps: Sequence[Step],
    answer: Answer,
    least: LeastDigits | None = None,
    like: Formulas | None = None,
    *,
    short: bool = False,
) -> list[Line]:
    """Return steps as lines, with as many digits as it takes for each of these lines to give its result."""
    values = {step.cell.name: step.si for step in answer.steps} | answer.values | answer.question.literals
    digits, formulas = carried(steps := [with_form(step, values) for step in steps], answer, least, like)
    lines = [Line.of(place, step, answer, formulas, digits, short=short) for place, step in enumerate(steps, 1)]
    defined: set[str] = set()
    for line, step in zip(lines, steps, strict=True):
        shown = "".join((*line.condition, *line.lines))
        new = [text for text in _definitions(step) if text not in defined and _HEAD.findall(text)[0] in shown]
        line.definitions = tuple(formula_from(text) for text in new)
        defined.update(new)
    return lines


def _definitions(step: Step) -> dict[str, None]:
    """Return the definitions of functions in a step that a calculator does not have, each once."""
    sides = () if step.condition is None else (step.condition.left, step.condition.right)
    sides = (*sides, *([] if step.form is None else [step.form]))
    return dict.fromkeys(text for side in sides for text in _definitions_in(side))


@cached(maxsize=MOST_CACHED)
def _definitions_in(side: Expr) -> tuple[str, ...]:
    conditions = {node.args[0] for node in side.atoms(Branched)}  # these are written without brackets
    functions = sorted(side.atoms(FunctionNode, Indicator) - conditions, key=str)
    return tuple(text for node in functions if (text := entry_of(node).definition))


@dataclass(slots=True, unsafe_hash=True)
class Verdict:
    """A relation evaluated at the answer."""

    name: Annotated[str, "Name of the limit; empty for a relation of the question."]
    relation: Annotated[str, "The relation as text."]
    left: Annotated[str, "Value of its left side."]
    sign: Annotated[str, "Its operator."]
    right: Annotated[str, "Value of its right side."]
    holds: Annotated[bool, "Whether the relation holds."]
    slack: Annotated[str, "Distance to the bound, in percent of the bound; `-` of an equation."]
    lifted: Annotated[bool, "Whether it is a limit that the question lifts."]

    @classmethod
    def of(cls, check: Check, digits: LeastDigits) -> Verdict:
        """Return a relation with the values of its sides in the unit that suits them, with these digits of cells."""
        sides = (check.relation.left, check.relation.right)
        most = [max(check.digits, digits.of(side.name) if side.is_Symbol else 0) for side in sides]
        texts = _compared(check.left, check.right, check.unit, *most)
        left, right = (_as_stated(side, text, check.relation) for side, text in zip(sides, texts, strict=True))
        relation = check.relation
        slack = "-" if relation.is_equation else slack_text(check.slack)
        return cls(relation.name, relation.text, left, relation.operator, right, check.holds, slack, check.lifted)


@cached(maxsize=MOST_CACHED, typed=True)
def _compared(left: Number, right: Number, unit: Unit, *most: int) -> tuple[str, str]:
    """Return two sides as text, each with its digits; equal ones with as many."""
    digits = [max(most)] * 2 if close(left, right) else most
    return format_quantity(left, unit, digits[0]), format_quantity(right, unit, digits[1])


def _as_stated(side: Expr, text: str, relation: Relation) -> str:
    """Return the value of a side; of a quantity that is written in another unit, that too: `200 GB = 186.3 GiB`."""
    stated = relation.literals.get(side.name) if side.is_Symbol else None
    if stated is None or not stated.unit.text or text.endswith(f" {stated.unit.text}"):
        return text
    return f"{format_number(stated.exact)} {stated.unit.text} = {text}"


@dataclass(slots=True, unsafe_hash=True)
class Driver:
    """The sensitivity of an unknown to an input."""

    name: Annotated[str, "Name of the unknown."]
    by: Annotated[str, "The input."]
    grown: Annotated[str, "Change of the input: `1 % more`, or `1 % above` for a quantity of the question."]
    elasticity: Annotated[str, "Percent change of the unknown for one percent more of the input, with sign."]
    text: Annotated[str, "Change of the unknown in words: `0.6 % less`."]
    length: Annotated[
        int,
        "Length of its bar in a picture, up to 100 for the strongest, or for 1 if that is more.",
    ]


@dataclass(slots=True, unsafe_hash=True)
class Reference:
    """An entry of the list of references."""

    number: Annotated[int, "Number of the entry."]
    title: Annotated[str, "Title of the source."]
    url: Annotated[str, "Address; empty for none."]
    read: Annotated[str, "Date on which it was read; empty where unknown."]


def references_of(keys: Iterable[str]) -> list[Reference]:
    """Return the list of references to sources by key, numbered from 1; a key that is no known source is its title."""
    known = sources()
    cited = [known.get(key) or Source(key, key if _ADDRESS.fullmatch(key) else "") for key in keys]
    return [Reference(number, source.title, source.url, source.read) for number, source in enumerate(cited, 1)]


def cited(numbers: Iterable[int]) -> str:
    """Return numbers of references in order, three or more in a row by the first and the last: `1, 4–6`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _condition(condition: Relation, answer: Answer, formulas: Formulas) -> tuple[str, ...]:
    own, (left, right) = condition.left, (formulas.symbols(side) for side in (condition.left, condition.right))
    pinned = own.is_Symbol and own.name in answer.question.pins and not cells_of(condition.right)
    right = formulas.numbers(own) if pinned and condition.right.is_Number else right  # with the unit of the cell
    formula = answer.question.formula(own.name) if pinned else None  # its value is given all the same
    if formula is not None:
        left = nodes.relation(left, "=", formulas.symbols(formula))
    return relation_of(left, condition.operator, right)


def _words(step: Step, answer: Answer) -> str:
    if step.how is Method.SIMULTANEOUS and step.form is None and step.cell.integer and answer.tuples:
        return "of the counts that meet the relations together"
    if step.how is Method.SIMULTANEOUS and step.form is not None:
        return "solved together with the other unknowns, by substitution"
    return step.how.words


def _says_it(step: Step) -> bool:
    """Whether the relation that a step uses is its formula: `f = 4 d`."""
    return bool(step.condition.left == step.cell.symbol and step.condition.right == step.form)


ENTRIES = (Result, Input, Line, Verdict, Driver, Reference)
