"""Inputs that nobody gave and that follow from an unknown bind it: they are within their bounds, counts are whole."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, exp, isclose, log, sqrt
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.answer.outcomes.wording import wholes_in
from flopsheet.errors import QuestionError
from flopsheet.inverse.method import Proof
from flopsheet.report.sentences import outcome_text
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flopsheet import Answer

FUNCTIONS: dict[str, Any] = {"max": max, "min": min, "log": log, "exp": exp, "sqrt": sqrt, "ceil": ceil, "abs": abs}
FUNCTIONS["mod"] = lambda value, by: value - by * (value // by)


def count(lower: int, upper: int) -> dict[str, Any]:
    """Return the bounds of a whole number."""
    return {"integer": True, "minimum": lower, "maximum": upper}


def asked(
    folder: Path,
    inputs: Mapping[str, Mapping[str, Any]],
    formulas: Mapping[str, str],
    relations: Sequence[str],
    unknowns: Sequence[str],
    **how: Any,
) -> Answer:
    cells = {**inputs} | {name: {"formula": formula, "signed": True} for name, formula in formulas.items()}
    return solve(variables(folder, cells), [*unknowns], [*relations], **how)


def _meets(text: str, values: Mapping[str, float]) -> bool:
    sign = next(sign for sign in ("<=", ">=", "=", "<", ">") if sign in text)
    left, right = (eval(side, {**FUNCTIONS, **values}) for side in text.split(sign))  # noqa: S307  # of this file
    if sign == "=":
        return isclose(left, right, rel_tol=1e-12)
    return bool({"<=": left <= right, ">=": left >= right, "<": left < right, ">": left > right}[sign])


def tuples_by_trial(
    inputs: Mapping[str, Mapping[str, Any]],
    formulas: Mapping[str, str],
    relations: Sequence[str],
    unknowns: Sequence[str],
) -> set[tuple[int, ...]]:
    """Return the tuples of unknowns beside which some whole numbers of the others meet all relations."""
    found: set[tuple[int, ...]] = set()
    ranges = [range(bounds["minimum"], bounds["maximum"] + 1) for bounds in inputs.values()]
    for point in product(*ranges):
        values: dict[str, float] = dict(zip(inputs, point, strict=True))
        try:
            for name, formula in formulas.items():
                values[name] = eval(formula, {**FUNCTIONS, **values})  # noqa: S307  # of this file
            if all(_meets(relation, values) for relation in relations):
                found.add(tuple(int(values[name]) for name in unknowns))
        except (ArithmeticError, ValueError):
            continue
    return found


@pytest.mark.parametrize(
    ("inputs", "formulas", "relations", "unknowns"),
    [
        ({"b": count(1, 200), "c": count(1, 200)}, {"y": "log(c) + b"}, ["y = 8.6094379124341", "b <= 9"], "b"),
        ({"b": count(1, 40), "c": count(1, 40)}, {"y": "c**0.3*b**0.6"}, ["y = 5.208945641245127", "b <= 9"], "b"),
        ({"b": count(1, 40), "c": count(1, 40)}, {"y": "c**0.5*b**0.5"}, ["y = 6", "b <= 9"], "b"),
        ({"b": count(1, 40), "c": count(1, 40)}, {"y": "c**2*b**1.5"}, ["y = 36", "b <= 9"], "b"),
        ({"b": count(1, 40), "c": count(1, 40)}, {"y": "c**0.3*b**0.6"}, ["y = 7", "b <= 9"], "b"),
        ({"a": count(1, 200), "b": count(1, 200)}, {"y": "max(5*a, b)"}, ["y = 750", "a >= 141"], "a"),
        ({"a": count(1, 200), "b": count(1, 200)}, {"y": "max(8.5*a, b)"}, ["y = 1411", "a <= 166"], "a"),
        ({"a": count(1, 12), "b": count(1, 12)}, {"y": "mod(4.97*a, b) + a"}, ["y = 6.94", "b >= 2"], "b"),
        (
            {"a": count(1, 99), "b": count(1, 99)},
            {"y": "sqrt(a**2+b**2)"},
            ["y = 93.637599285757", "b + a <= 124"],
            "b",
        ),
        ({"a": count(0, 14), "b": count(1, 14)}, {"y": "a*(b + 1)"}, ["y = 66", "b > 1.4"], "a"),
        ({"a": count(-3, 30), "b": count(2, 30)}, {"y": "a*b + a", "c": "exp(-a/b)"}, ["y = 140", "c <= 3"], "a"),
        ({"a": count(-3, 30), "b": count(2, 30)}, {"y": "a**2 + b**2"}, ["y = 146", "b > 4.6"], "b"),
        ({"a": count(-3, 30), "b": count(-3, 30)}, {"y": "b - a**2"}, ["y = 24", "a - b <= 2*a"], "b"),
        ({"a": count(1, 9), "b": count(1, 9), "e": count(1, 9)}, {"y": "e*a", "c": "a + b"}, ["y = 6", "c <= 7"], "ba"),
        (
            {"a": count(1, 9), "b": count(1, 9), "e": count(1, 9)},
            {"y": "e + a", "c": "a/(a + b)"},
            ["y = 5", "c <= 2*b"],
            "ba",
        ),
    ],
)
def test_counts_are_those_beside_which_others_are_whole(
    tmp_path: Path,
    inputs: dict[str, dict[str, Any]],
    formulas: dict[str, str],
    relations: list[str],
    unknowns: str,
) -> None:
    answer = asked(tmp_path, inputs, formulas, relations, unknowns)
    assert {outcome.proof for outcome in answer.outcomes.values()} == {Proof.PROVEN}
    found = [tuple(values[name] for name in unknowns) for values in answer.tuples]
    if not found:  # an unknown from which the others follow by formulas is solved alone
        found = [(number,) for number in wholes_in(answer.outcomes[unknowns].listed, 99)[0]]
    assert sorted(found) == sorted(tuples_by_trial(inputs, formulas, relations, unknowns))


POSITIVE = {"a": {"maximum": 200}, "b": {"maximum": 200}}


@pytest.mark.parametrize(
    ("inputs", "formula", "relations", "unknowns", "ends"),
    [
        (POSITIVE, "a*b", ["y = 20", "b < 9"], "ab", (20 / 9, 200)),
        (POSITIVE, "a*b", ["y = 20", "b < 9"], "ba", (0.1, 9)),
        (POSITIVE, "a**0.3*b**0.6", ["y = 20", "a <= 11"], "a", (20 ** (10 / 3) / 200**2, 11)),
        (POSITIVE, "max(8.5*a, b)", ["y = 1411", "a <= 166"], "a", (166, 166)),
        (POSITIVE, "a + b", ["y = 5", "a <= 7"], "a", (0, 5)),
        ({"a": count(1, 40), "b": {"minimum": 1, "maximum": 50}}, "a + b", ["y = 25", "a > 7.9"], "a", (7.9, 24)),
        ({"a": {"maximum": 200}, "b": {}}, "a*(b + 1)", ["y = 18", "a > 7"], "ab", (7, 18)),
        ({"a": count(1, 12), "b": {"minimum": 0, "maximum": 30}}, "a**2 + b**2", ["y = 25", "a <= 6.3"], "a", (1, 5)),
        ({"a": {"minimum": 0, "maximum": 30}, "b": count(1, 12)}, "a**2*b", ["y = 6", "b < 12"], "b", (1, 12)),
        ({"a": {"maximum": 9}, "b": {"minimum": 0}}, "a**2 + b**2", ["y = 12", "b > 3"], "a", (0, sqrt(3))),
        ({"a": {"maximum": 9}, "b": {"minimum": 0}}, "b**4 + 3*a", ["y = 12", "b < 1"], "a", (11 / 3, 4)),
        # a root is never negative, though its inverse has a value there
        (POSITIVE, "sqrt(b) - a + 100", ["y = 95", "b > 3"], "a", (5 + sqrt(3), 5 + sqrt(200))),
        (POSITIVE, "b**(-1/2) - a + 100", ["y = 95", "b > 4"], "a", (5 + 200**-0.5, 5.5)),
        (POSITIVE | {"k": {"default": 0.5}}, "b**k - a + 100", ["y = 95", "b > 3"], "a", (5 + sqrt(3), 5 + sqrt(200))),
    ],
)
def test_ranges_end_where_partners_reach_their_bounds(  # noqa: PLR0913, PLR0917  # one for each part of a question
    tmp_path: Path,
    inputs: dict[str, Any],
    formula: str,
    relations: list[str],
    unknowns: str,
    ends: tuple[float, float],
) -> None:
    outcome = asked(tmp_path, inputs, {"y": formula}, relations, unknowns).outcomes[unknowns[0]]
    assert outcome.proof is not Proof.OPEN
    (part,) = outcome.listed
    assert (float(part.lower), float(part.upper)) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize(
    ("formula", "relations", "unknown", "parts"),
    [
        ("exp(b) - a", ["y = -5", "a <= 10"], "a", [(5, 10)]),  # without a bound of its own, b still needs a value
        ("b**2 - a", ["y = -5", "a <= 10"], "a", [(5, 10)]),
        ("b**2 + a", ["y = 5", "a <= 10"], "a", [(0, 5)]),
        ("1/b + a", ["y = 5", "a <= 10"], "a", [(0, 5), (5, 10)]),
        ("b/a - 1", ["y = 5", "b <= 10"], "b", [(0, 10)]),
        ("a/b", ["y = 7/3", "a - b < 4"], "b", [(0, 3)]),
    ],
)
def test_partners_have_a_value(
    tmp_path: Path, formula: str, relations: list[str], unknown: str, parts: list[tuple[float, float]]
) -> None:
    cells: dict[str, dict[str, Any]] = {"a": {}, "b": {"signed": True}}
    outcome = asked(tmp_path, cells, {"y": formula}, relations, unknown).outcomes[unknown]
    assert outcome.proof is not Proof.OPEN
    ends = [(float(part.lower), float(part.upper)) for part in outcome.listed]
    assert [*sum(ends, ())] == pytest.approx([*sum(parts, ())], rel=1e-12)


def test_a_rearranged_equation_keeps_what_it_divides_by(tmp_path: Path) -> None:
    cells: dict[str, dict[str, Any]] = {"a": {"signed": True}, "b": {"minimum": -9}}
    outcome = asked(tmp_path, cells, {"y": "a/b"}, ["y = 7/3", "a - b < 4"], "b").outcomes["b"]
    assert [0 in part for part in outcome.listed] == [False, False]
    assert [(part.lower, part.upper) for part in outcome.listed] == [(-9, 0), (0, 3)]


def test_partners_that_no_method_inverts_leave_the_rest_open(tmp_path: Path) -> None:
    answer = asked(tmp_path, POSITIVE, {"y": "log(a)/log(b + 1)"}, ["y = 1.2", "a <= 11"], "a")
    outcome = answer.outcomes["a"]
    assert outcome.proof is Proof.OPEN
    assert [part.lower for part in outcome.listed] == [11]  # substitution proves it
    assert "b follows from a" in outcome.why


def test_a_value_at_which_a_partner_has_none_excludes_no_other(tmp_path: Path) -> None:
    inputs = {"a": {"maximum": 30}, "b": {"minimum": 1, "maximum": 30}}
    outcome = asked(tmp_path, inputs, {"y": "mod(a, b) + b"}, ["y = 5", "a <= 7"], "a").outcomes["a"]
    assert outcome.kind != "none" or outcome.open


def test_limits_over_two_unknowns_are_not_lost() -> None:
    sheet = """sheet: two
title: Two unknowns, a limit over both.
cells:
  a: {doc: First, maximum: 6}
  b: {doc: Second, maximum: 6}
  gap: {formula: b - a, signed: true}
  more: {formula: a + 1}
limits:
  apart: {relation: "gap >= 3", doc: They are apart}
"""
    answer = solve(parse_sheet(sheet, "two"), ["a", "b"], ["b < 5.5", "more <= 10"])
    for outcome in answer.outcomes.values():
        assert outcome.proof is Proof.OPEN or outcome.at


def test_bounds_of_a_cell_of_two_counts_exclude_tuples(tmp_path: Path) -> None:
    inputs = {"a": count(-3, 6), "b": count(1, 6)}
    cells: dict[str, dict[str, Any]] = {**inputs, "gap": {"formula": "abs(b - a)", "minimum": 3}}
    answer = solve(variables(tmp_path, cells), ["a", "b"], ["b < 5.5", "a <= 10"])
    expected = {(a, b) for a in range(-3, 7) for b in range(1, 6) if abs(b - a) >= 3}
    assert {(own["a"], own["b"]) for own in answer.tuples} == expected


def test_the_nearest_of_many_tuples_is_taken(tmp_path: Path) -> None:
    inputs = {"a": count(1, 30), "b": count(1, 30)}
    answer = asked(tmp_path, inputs, {"y": "a + b"}, ["y >= 5"], "ba", near={"a": 20})
    assert answer.outcomes["a"].si == 20


def test_an_unknown_that_no_relation_reaches_is_an_error_where_tuples_are_ranked(tmp_path: Path) -> None:
    inputs = {name: count(1, 6) for name in "abe"}
    with pytest.raises(QuestionError, match="'e'"):
        asked(tmp_path, inputs, {"y": "a*b"}, ["y <= 12"], "eab", best="min:e")


@pytest.mark.parametrize("relations", [["k >= 2", "k <= 5"], ["n >= 8", "n <= 20"]])
def test_a_computed_count_is_whole(tmp_path: Path, relations: list[str]) -> None:
    cells: dict[str, dict[str, Any]] = {"n": count(1, 30), "k": {"formula": "n/4", "integer": True}}
    outcome = solve(variables(tmp_path, cells), "n", relations).outcomes["n"]
    assert [part.lower for part in outcome.listed] == [8, 12, 16, 20]


@pytest.mark.parametrize(("option", "text"), [("o1", "n = 4"), ("o2", "n <= 5, so 5")])
def test_an_input_without_its_default_keeps_its_bounds(option: str, text: str) -> None:
    """An input whose default was dropped follows from the equation, and stays within its own bounds."""
    cells = {
        "k": {"doc": "K"},
        "e": {"doc": "E", "minimum": 0, "inferred": "select(p, o1=k, o2=0)"},
        "n": {"doc": "N", "integer": True, "maximum": 100},
        "y": {"doc": "Y", "formula": "e + n"},
    }
    choices = {"p": {"options": ["o1", "o2"], "doc": "Options"}}
    sheet = parse_sheet(yaml.safe_dump({"sheet": "toy", "title": "Toy", "choices": choices, "cells": cells}), "toy")
    answer = solve(sheet, "n", ["y = 5", "n > 0.5", "k = 1", f"p = {option}"])
    assert outcome_text(answer.outcomes["n"]) == text


@pytest.mark.slow
def test_a_range_that_partners_may_narrow_is_said_of_where_they_have_values() -> None:
    """What is not excluded is not said to hold."""
    outcome = solve("goodput", "checkpoint_interval", ["params = 405e9", "lost_time <= 8 minute"]).outcomes
    own = outcome["checkpoint_interval"]
    assert (own.kind, own.proof, own.si) == ("value", Proof.OPEN, 2 * 8 * 60 - Fraction(405 * 14, 2000))
    why = "n_chips follows from checkpoint_interval, computed only at 15.95 minute: give it to see more. Where it has a"
    assert own.why == f"{why} value: 'lost_time <= 8 minute' holds for checkpoint_interval <= 15.95 minute."


@pytest.mark.slow
def test_a_partner_is_named_once() -> None:
    own = solve("goodput", "checkpoint_interval", ["params = 405e9", "goodput >= 90 %"]).outcomes["checkpoint_interval"]
    assert own.why.startswith("n_chips follows from checkpoint_interval, computed only at 3.528 minute: give it")
