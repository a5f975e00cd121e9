"""The answer as the documented JSON object: plain numbers, stable keys."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from flopsheet.answer.alternatives import MOST_VALUES, each_value
from flopsheet.answer.wording import MOST_LISTED, wholes_of
from flopsheet.formulas.order import in_text
from flopsheet.units import Number, in_unit, is_finite, tidy

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.results import Binding, CellValue, Check, Outcome, Ranking, Step
    from flopsheet.numbers.sets import Interval


def as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer as a JSON object; its keys are documented in the README."""
    names = tuple(answer.question.sheet.cells)
    numbers = {name: _outcome(each, names) | _moves(answer, name) for name, each in answer.outcomes.items()}
    shown: dict[str, Any] = {
        "sheet": answer.question.sheet.name,
        "unknown": list(answer.question.unknowns),
        "answers": {**(_named(answer.ranking) if answer.ranking else {}), **numbers},
        "cells": {name: _cell(value) for name, value in answer.cells.items()},
        "limits": [_limit(check) for check in answer.limits],
        "checks": [_check(check) for check in answer.checks],
        "dropped_defaults": list(answer.dropped_defaults),
        "steps": [_step(step, names) for step in answer.steps],
        "bindings": [_binding(each, names) for each in answer.bindings],
        "warnings": answer.cautions,
    }
    return shown if answer.ranking is None else shown | {"candidates": _candidates(answer.ranking)}


def all_as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer with the cells at every single value that works under `all`; `more` says if there are others."""
    found = each_value(answer, MOST_VALUES + 1)
    values = [{"answers": named} | _at(each) for named, each in found[:MOST_VALUES]]
    return as_dict(answer) | {"all": values, "more": len(found) > MOST_VALUES}


def _at(answer: Answer) -> dict[str, Any]:
    shown = as_dict(answer)
    return {key: shown[key] for key in ("cells", "limits", "checks", "warnings")}


def _moves(answer: Answer, name: str) -> dict[str, Any]:
    return {"condition": answer.condition(name), "elasticities": answer.elasticities(name)}


def _named(ranking: Ranking) -> dict[str, Any]:
    return {name: _name(ranking, ranking.options(name)) for name in ranking.names}


def _name(ranking: Ranking, options: list[str]) -> dict[str, Any]:
    best = options[0] if options else None
    return {"kind": "names" if options else "none", "value": best, "values": options, "why": ranking.why}


def _candidates(ranking: Ranking) -> list[dict[str, Any]]:
    return [
        {"names": each.options, "works": not each.why, "why": each.why}
        | {
            "values": {}
            if each.answer is None
            else {name: _shown(one.si, one) for name, one in each.answer.outcomes.items()}
        }
        for each in (*ranking.working, *ranking.rejected)
    ]


def _binding(binding: Binding, names: tuple[str, ...]) -> dict[str, Any]:
    shown = {"cell": binding.cell.name, "expression": in_text(binding.expression, names)}
    return shown | {"branch": in_text(binding.branch, names), "si": _base(binding.si), "tied": binding.tied}


def number(value: Number | None) -> int | float | None:
    """Return a number as JSON has it: an int where it is whole, else a float; None for none and for infinity."""
    if value is None or (not is_finite(value)):
        return None
    value = tidy(value)
    return value if isinstance(value, int) else float(value)


def _shown(si: Number | None, outcome: Outcome) -> int | float | None:
    return None if si is None or abs(si) == math.inf else number(in_unit(si, outcome.cell.unit))


def _interval(each: Interval, outcome: Outcome) -> dict[str, Any]:
    shown: dict[str, Any] = {"lower": _shown(each.lower, outcome), "upper": _shown(each.upper, outcome)}
    return shown | {"lower_closed": each.lower_closed, "upper_closed": each.upper_closed}


def _outcome(outcome: Outcome, names: tuple[str, ...]) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": outcome.kind}
    if outcome.interval is not None and outcome.kind == "range":
        shown |= {"lower": _shown(outcome.interval.lower, outcome), "upper": _shown(outcome.interval.upper, outcome)}
        shown["whole"] = outcome.whole
        shown["intervals"] = [_interval(each, outcome) for each in outcome.solutions]
    if outcome.kind == "whole":
        numbers, more = wholes_of(outcome.solutions, MOST_LISTED)
        shown |= {"values": numbers, "whole": outcome.whole, "complete": outcome.complete and not more}
    if outcome.kind == "values":
        shown["values"] = [_shown(each.lower, outcome) for each in outcome.solutions]
    shown |= {"value": _shown(outcome.si, outcome), "unit": outcome.cell.unit.text, "si": _base(outcome.si)}
    if outcome.neighbours:
        shown["neighbours"] = list(outcome.neighbours)
    form = outcome.closed_form
    return shown | {"closed_form": None if form is None else in_text(form, names), "why": outcome.why}


def _base(si: Number | None) -> float | None:
    return None if si is None or abs(si) == math.inf else float(si)


def _cell(value: CellValue) -> dict[str, Any]:
    shown = {"value": number(value.value), "unit": value.cell.unit.text, "si": _base(value.si), "origin": value.origin}
    if value.figure is not None and value.record is not None:
        spot = value.figure.spot
        shown |= {"record": value.said_by, "file": spot.file, "line": spot.line, "source": value.figure.source}
        shown |= {"verified": value.figure.verified} | ({"note": value.figure.note} if value.figure.note else {})
    elif value.origin == "default":
        place, cell = value.cell.place, value.cell
        shown |= {"file": "/".join(PurePath(place.file).parts[-2:]), "line": place.line, "source": cell.source}
    return shown


def _limit(check: Check) -> dict[str, Any]:
    relation = check.relation
    return {"name": relation.name, "relation": relation.text, "holds": check.holds, "slack": check.slack}


def _check(check: Check) -> dict[str, Any]:
    left, right = (number(in_unit(side, check.unit)) for side in (check.left, check.right))
    shown = {"relation": check.relation.text, "left": left, "right": right, "unit": check.unit.text}
    return shown | {"holds": check.holds, "residual": check.residual}


def _step(step: Step, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "cell": step.cell.name,
        "relation": step.relation(names),
        "form": None if step.form is None else in_text(step.form, names),
        "how": step.how,
        "value": number(in_unit(step.si, step.cell.unit)),
        "unit": step.cell.unit.text,
    }
