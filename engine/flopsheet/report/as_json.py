"""Answers and sheets as JSON objects with plain numbers and stable keys; the README documents those of an answer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.answer.outcomes.wording import MOST_LISTED, unchecked_text, wholes_of
from flopsheet.answer.table import MOST_VALUES, each_value
from flopsheet.formulas.printing import in_text
from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import Interval, whole_ends
from flopsheet.registry.records import BASES
from flopsheet.sheets.yaml_export import document
from flopsheet.units import Number, in_unit, is_finite, machine_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.execute import Step
    from flopsheet.answer.names import Candidate, Ranking
    from flopsheet.answer.outcomes.bindings import Binding
    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.answer.outcomes.value import CellValue
    from flopsheet.answer.verification.checks import Check
    from flopsheet.formulas.relation import Relation
    from flopsheet.numbers.progressions import Progression
    from flopsheet.sheets.body import Sheet

Json: TypeAlias = dict[str, Any]  # an object of JSON: what its values are depends on the key
SECTIONS = ("sheets", "parts", "choices", "cells", "limits")
FLAGS = ("integer", "signed", "fixed")
ALWAYS = ("formula", "unit", "doc", "default", "example", "source")


def as_dict(answer: Answer) -> Json:
    """Return an answer as a JSON object; the README documents its keys, and a test compares both."""
    names = tuple(answer.question.sheet.cells)
    ranking, answers = answer.ranking, {} if answer.ranking is None else _names(answer.ranking)
    for name, outcome in answer.outcomes.items():
        drivers = {"condition": answer.condition(name), "elasticities": answer.elasticities(name)}
        answers[name] = _outcome(outcome, names) | drivers
    content: Json = {
        "sheet": answer.question.sheet.name,
        "unknown": list(answer.question.unknowns),
        "answers": answers,
        "tuples": [
            {name: _in_unit(value, answer.outcomes[name]) for name, value in values.items()}
            for values in answer.tuples[: MOST_LISTED if len(answer.outcomes) > 1 else 0]
        ],
        "cells": {name: _cell(value) for name, value in answer.cells.items()},
        "limits": [
            {
                "name": limit.relation.name,
                "relation": limit.relation.text,
                "holds": limit.holds,
                "slack": limit.slack,
                "lifted": limit.lifted,
            }
            for limit in answer.limits
        ]
        + [_undefined(limit) for limit in answer.unchecked if limit.name],
        "lifted": list(answer.question.without),
        "figures": answer.question.figures,
        "checks": [*map(_check, answer.checks), *(_unchecked(own) for own in answer.unchecked if not own.name)],
        "dropped_defaults": list(answer.dropped_defaults),
        "steps": [_step(step, names) for step in answer.steps],
        "bindings": [_binding(binding, names) for binding in answer.bindings],
        "warnings": [*(unchecked_text(answer, relation) for relation in answer.unchecked), *answer.cautions],
    }
    return (
        content
        if ranking is None
        else content | {"candidates": [_candidate(candidate) for candidate in (*ranking.working, *ranking.rejected)]}
    )


def all_as_dict(answer: Answer) -> Json:
    """Return an answer with the cells at every value that works under `all`; `more` says whether there are others."""
    answers = each_value(answer, MOST_VALUES + 1)
    values = []
    for unknowns, at in answers[:MOST_VALUES]:
        content = as_dict(at)
        values.append({"answers": unknowns} | {key: content[key] for key in ("cells", "limits", "checks", "warnings")})
    return as_dict(answer) | {"all": values, "more": len(answers) > MOST_VALUES}


def _names(ranking: Ranking) -> Json:
    content = {}
    for name in ranking.names:
        options = ranking.options(name)
        kind, best = ("names", options[0]) if options else ("none", None)
        content[name] = {"kind": kind, "value": best, "values": options, "by": ranking.by, "why": ranking.why}
        content[name]["proof"] = "proven" if ranking.complete else "open"
    return content


def _candidate(candidate: Candidate) -> Json:
    """Return a candidate with the values of the other unknowns, and of the cell that ranks it."""
    answer, values = candidate.answer, dict[str, int | float | None]()
    if answer is not None:
        values = {name: _in_unit(outcome.si, outcome) for name, outcome in answer.outcomes.items()}
        best = "" if answer.question.best is None else answer.question.best.cell
        values |= {best: number(answer.cells[best].value)} if best in answer.cells else {}
    return {"names": candidate.options, "works": not candidate.why, "why": candidate.why, "values": values}


def _binding(binding: Binding, names: tuple[str, ...]) -> Json:
    return {
        "cell": binding.cell.name,
        "expression": in_text(binding.expression, names),
        "branch": in_text(binding.branch, names),
        "si": number(binding.si),
        "tied": binding.tied,
    }


def number(value: Number | None) -> int | float | None:
    """Return a number for JSON, which pasted into a question is the same value; None for None and for infinity."""
    return None if value is None or not is_finite(value) else machine_number(value)


def _in_unit(si: Number | None, outcome: Outcome) -> int | float | None:
    return None if si is None else number(in_unit(si, outcome.cell.unit))


def _ends(interval: Interval, outcome: Outcome) -> Json:
    return {"lower": _in_unit(interval.lower, outcome), "upper": _in_unit(interval.upper, outcome)}


def _intervals(parts: Iterable[Interval], outcome: Outcome) -> list[Json]:
    """Return intervals with their ends; those of whole numbers with others where floats would hold other ones."""
    return [
        {**_ends(part, outcome), "lower_closed": part.lower_closed, "upper_closed": part.upper_closed}
        for part in (_as_printed(part, outcome) for part in parts)
    ]


def _as_printed(part: Interval, outcome: Outcome) -> Interval:
    """Return an interval: of whole numbers from the first to the last where ends as floats would say others."""
    cell = outcome.cell
    if not cell.integer or cell.unit.factor != 1:
        return part
    ends = [Fraction(machine_number(end)) if is_finite(end) else end for end in (part.lower, part.upper)]
    first, last = whole_ends(part)
    is_kept = whole_ends(replace(part, lower=ends[0], upper=ends[1])) == (first, last)
    is_rounded = any(
        end != shown == round(shown)
        for end, shown in zip((part.lower, part.upper), ends, strict=True)
        if is_finite(end)
    )
    if first > last or (is_kept and not is_rounded):
        return part
    return Interval(first, last, is_finite(first), is_finite(last))


def _progression(part: Progression, outcome: Outcome) -> Json:
    """Return the terms of `offset + factor*k`, or with a shift `offset + factor/(k + shift)`, and the integers k.

    Of numbers at which a curve has such values, where they lie: their terms have no unit of the cell.
    """
    integers = {"first": number(part.first), "last": number(part.last)}
    if part.curve is not None:
        return _ends(part.hull, outcome) | integers
    return {
        "offset": _in_unit(part.offset, outcome),
        "factor": _in_unit(part.factor, outcome),
        "shift": number(part.shift),
        **integers,
    }


def _outcome(outcome: Outcome, names: tuple[str, ...]) -> Json:
    content: Json = {"kind": outcome.kind}
    if outcome.interval is not None and outcome.kind == "range":
        content |= _ends(_as_printed(outcome.interval, outcome), outcome) | {"whole": outcome.whole}
        content["intervals"] = _intervals(outcome.listed, outcome)
    if outcome.kind == "whole":
        numbers, more = wholes_of(outcome.listed, MOST_LISTED)
        complete = not (more or outcome.open or outcome.progressions)
        content |= {"values": numbers, "whole": outcome.whole, "complete": complete}
        content |= {"intervals": _intervals(whole_runs(outcome.listed), outcome)} if more else {}
    if outcome.kind == "values":
        content["values"] = [_in_unit(point.lower, outcome) for point in outcome.listed]
    if outcome.progressions:
        content["progressions"] = [_progression(part, outcome) for part in outcome.progressions]
    content |= {"value": _in_unit(outcome.si, outcome), "unit": outcome.cell.unit.text, "si": number(outcome.si)}
    content["proof"] = outcome.proof
    if outcome.at:
        content["at"] = {cell.name: number(in_unit(value, cell.unit)) for cell, value in outcome.at}
    if outcome.limits:
        content["limits"] = list(outcome.limits)
    if outcome.open:
        causes: dict[Interval, Json] = {cause.part: {"why": cause.why} for cause in outcome.causes}
        content["open"] = [_ends(part, outcome) | causes.get(part, {}) for part in outcome.open[:MOST_LISTED]]
    if outcome.neighbours:
        content["neighbours"] = list(outcome.neighbours)
    if outcome.kind == "none" and outcome.boundary is not None:
        content["fractional"] = _in_unit(outcome.boundary, outcome)
    form = outcome.closed_form
    return content | {"closed_form": None if form is None else in_text(form, names), "why": outcome.why}


def _cell(value: CellValue) -> Json:
    cell, figure = value.cell, value.figure
    content = {"value": number(value.value), "unit": cell.unit.text, "si": number(value.si), "origin": value.origin}
    if figure is not None and value.record is not None:
        content |= {"record": value.said_by, "file": figure.spot.file, "line": figure.spot.line}
        content |= {} if figure.basis == BASES[0] else {"basis": figure.basis, "condition": figure.condition}
        content |= {"source": figure.source, "verified": figure.verified}
        return content | ({"note": figure.note} if figure.note else {})
    if value.origin == "default":
        file = "/".join(PurePath(cell.place.file).parts[-2:])
        content |= {"file": file, "line": cell.place.line, "source": cell.source}
    return content


def _check(check: Check) -> Json:
    left, right = (number(in_unit(side, check.unit)) for side in (check.left, check.right))
    content = {"relation": check.relation.text, "left": left, "right": right, "unit": check.unit.text}
    return content | {"holds": check.holds, "residual": check.residual}


def _unchecked(relation: Relation) -> Json:
    return {"relation": relation.text, **dict.fromkeys(("left", "right", "unit", "holds", "residual"))}


def _undefined(limit: Relation) -> Json:
    return {"name": limit.name, "relation": limit.text, "holds": None, "slack": None, "lifted": False}


def _step(step: Step, names: tuple[str, ...]) -> Json:
    return {
        "cell": step.cell.name,
        "relation": step.relation(names),
        "form": None if step.form is None else in_text(step.form, names),
        "how": step.how.value,
        "value": number(in_unit(step.si, step.cell.unit)),
        "unit": step.cell.unit.text,
    }


def sheet_as_dict(sheet: Sheet) -> Json:
    """Return the declarations of a sheet as a JSON object: lists of rows, values as exact texts with their units.

    Raises:
        SheetError: a value of the sheet cannot be written as text.
    """
    content = document(sheet)
    texts = {key: content.get(key, "") for key in ("sheet", "title", "about")}
    rows = {}
    for section in SECTIONS:
        absent = {**dict.fromkeys(ALWAYS), "integer": False} if section == "cells" else {}
        rows[section] = [
            {"name": name, **absent, **{key: value == "true" if key in FLAGS else value for key, value in row.items()}}
            for name, row in content.get(section, {}).items()
        ]
    lists = {key: content.get(key, []) for key in ("assumptions", "notes", "sources")}
    return {**texts, **rows, "aliases": content.get("aliases", {}), **lists}
