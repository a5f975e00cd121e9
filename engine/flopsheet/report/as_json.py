"""Answers and sheets as JSON objects with plain numbers and stable keys; the README documents those of an answer."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from flopsheet.answer.table import MOST_VALUES, each_value
from flopsheet.answer.wording import MOST_LISTED, wholes_of
from flopsheet.formulas.printing import in_text
from flopsheet.sheets.yaml_export import document
from flopsheet.units import Number, in_unit, is_finite, tidy

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer, CellValue, Check
    from flopsheet.answer.execute import Step
    from flopsheet.answer.names import Candidate, Ranking
    from flopsheet.answer.outcome import Outcome
    from flopsheet.answer.sensitivity import Binding
    from flopsheet.numbers.sets import Interval
    from flopsheet.sheets.body import Sheet

SECTIONS = ("sheets", "parts", "choices", "cells", "limits")
FLAGS = ("integer", "signed")
ALWAYS = ("formula", "unit", "doc", "default", "example", "source")


def as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer as a JSON object; the README documents its keys, and a test compares both."""
    names = tuple(answer.question.sheet.cells)
    numbers = {name: _outcome(outcome, names) | _drivers(answer, name) for name, outcome in answer.outcomes.items()}
    content: dict[str, Any] = {
        "sheet": answer.question.sheet.name,
        "unknown": list(answer.question.unknowns),
        "answers": {**(_named(answer.ranking) if answer.ranking else {}), **numbers},
        "cells": {name: _cell(value) for name, value in answer.cells.items()},
        "limits": [_limit(check) for check in answer.limits],
        "checks": [_check(check) for check in answer.checks],
        "dropped_defaults": list(answer.dropped_defaults),
        "steps": [_step(step, names) for step in answer.steps],
        "bindings": [_binding(binding, names) for binding in answer.bindings],
        "warnings": answer.cautions,
    }
    return content if answer.ranking is None else content | {"candidates": _candidates(answer.ranking)}


def all_as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer with the cells at every value that works under `all`; `more` says whether there are others."""
    answers = each_value(answer, MOST_VALUES + 1)
    values = [{"answers": unknowns} | _at(at) for unknowns, at in answers[:MOST_VALUES]]
    return as_dict(answer) | {"all": values, "more": len(answers) > MOST_VALUES}


def _at(answer: Answer) -> dict[str, Any]:
    content = as_dict(answer)
    return {key: content[key] for key in ("cells", "limits", "checks", "warnings")}


def _drivers(answer: Answer, name: str) -> dict[str, Any]:
    return {"condition": answer.condition(name), "elasticities": answer.elasticities(name)}


def _named(ranking: Ranking) -> dict[str, Any]:
    return {name: _name(ranking, ranking.options(name)) for name in ranking.names}


def _name(ranking: Ranking, options: list[str]) -> dict[str, Any]:
    best = options[0] if options else None
    return {"kind": "names" if options else "none", "value": best, "values": options, "why": ranking.why}


def _candidates(ranking: Ranking) -> list[dict[str, Any]]:
    return [_candidate(candidate) for candidate in (*ranking.working, *ranking.rejected)]


def _candidate(candidate: Candidate) -> dict[str, Any]:
    outcomes = {} if candidate.answer is None else candidate.answer.outcomes
    values = {name: _in_unit(outcome.si, outcome) for name, outcome in outcomes.items()}
    return {"names": candidate.options, "works": not candidate.why, "why": candidate.why, "values": values}


def _binding(binding: Binding, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "cell": binding.cell.name,
        "expression": in_text(binding.expression, names),
        "branch": in_text(binding.branch, names),
        "si": _base(binding.si),
        "tied": binding.tied,
    }


def number(value: Number | None) -> int | float | None:
    """Return a number for JSON: an int where it is whole, else a float; None for None and for infinity."""
    if value is None or (not is_finite(value)):
        return None
    value = tidy(value)
    return value if isinstance(value, int) else float(value)


def _in_unit(si: Number | None, outcome: Outcome) -> int | float | None:
    return None if si is None or abs(si) == math.inf else number(in_unit(si, outcome.cell.unit))


def _interval(interval: Interval, outcome: Outcome) -> dict[str, Any]:
    ends: dict[str, Any] = {"lower": _in_unit(interval.lower, outcome), "upper": _in_unit(interval.upper, outcome)}
    return ends | {"lower_closed": interval.lower_closed, "upper_closed": interval.upper_closed}


def _outcome(outcome: Outcome, names: tuple[str, ...]) -> dict[str, Any]:
    content: dict[str, Any] = {"kind": outcome.kind}
    if outcome.interval is not None and outcome.kind == "range":
        content |= {end: _in_unit(getattr(outcome.interval, end), outcome) for end in ("lower", "upper")}
        content["whole"] = outcome.whole
        content["intervals"] = [_interval(interval, outcome) for interval in outcome.solutions]
    if outcome.kind == "whole":
        numbers, more = wholes_of(outcome.solutions, MOST_LISTED)
        content |= {"values": numbers, "whole": outcome.whole, "complete": outcome.complete and not more}
    if outcome.kind == "values":
        content["values"] = [_in_unit(point.lower, outcome) for point in outcome.solutions]
    content |= {"value": _in_unit(outcome.si, outcome), "unit": outcome.cell.unit.text, "si": _base(outcome.si)}
    if outcome.neighbours:
        content["neighbours"] = list(outcome.neighbours)
    form = outcome.closed_form
    return content | {"closed_form": None if form is None else in_text(form, names), "why": outcome.why}


def _base(si: Number | None) -> float | None:
    return None if si is None or abs(si) == math.inf else float(si)


def _cell(value: CellValue) -> dict[str, Any]:
    cell, figure = value.cell, value.figure
    content = {"value": number(value.value), "unit": cell.unit.text, "si": _base(value.si), "origin": value.origin}
    if figure is not None and value.record is not None:
        content |= {"record": value.said_by, "file": figure.spot.file, "line": figure.spot.line}
        content |= {"source": figure.source, "verified": figure.verified}
        return content | ({"note": figure.note} if figure.note else {})
    if value.origin == "default":
        file = "/".join(PurePath(cell.place.file).parts[-2:])
        content |= {"file": file, "line": cell.place.line, "source": cell.source}
    return content


def _limit(check: Check) -> dict[str, Any]:
    relation = check.relation
    return {"name": relation.name, "relation": relation.text, "holds": check.holds, "slack": check.slack}


def _check(check: Check) -> dict[str, Any]:
    left, right = (number(in_unit(side, check.unit)) for side in (check.left, check.right))
    content = {"relation": check.relation.text, "left": left, "right": right, "unit": check.unit.text}
    return content | {"holds": check.holds, "residual": check.residual}


def _step(step: Step, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "cell": step.cell.name,
        "relation": step.relation(names),
        "form": None if step.form is None else in_text(step.form, names),
        "how": step.how.value,
        "value": number(in_unit(step.si, step.cell.unit)),
        "unit": step.cell.unit.text,
    }


def sheet_as_dict(sheet: Sheet) -> dict[str, Any]:
    """Return the declarations of a sheet as a JSON object: lists of rows, values as exact texts with their units.

    Raises:
        SheetError: a value of the sheet cannot be written as text.
    """
    content = document(sheet)
    texts = {key: content.get(key, "") for key in ("sheet", "title", "about")}
    rows = {key: [{"name": name, **_row(key, row)} for name, row in content.get(key, {}).items()] for key in SECTIONS}
    lists = {key: content.get(key, []) for key in ("assumptions", "notes", "sources")}
    return {**texts, **rows, "aliases": content.get("aliases", {}), **lists}


def _row(section: str, row: dict[str, Any]) -> dict[str, Any]:
    typed = {key: value == "true" if key in FLAGS else value for key, value in row.items()}
    return {**dict.fromkeys(ALWAYS), "integer": False, **typed} if section == "cells" else typed
