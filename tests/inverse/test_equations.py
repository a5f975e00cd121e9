"""Published equations: every certified solution is parts, none is false, and nothing stays open."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import sympy
import yaml

from flopsheet.errors import FormulaError
from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.numbers.sets import Interval, RealSet, meet_all, whole_ends

PROBLEMS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "equations.yaml").read_text())
REFUSED = {"annuity": "The exponent -360 is larger than 16"}
_DECIMAL = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+")
_SIGN = re.compile(r" (<=|>=|=) (?![^()]*\))")


def as_ratio(decimal: re.Match[str]) -> str:
    above, below = Fraction(decimal[0]).as_integer_ratio()
    return f"({above}/{below})"


def solved(problem: dict[str, Any]) -> tuple[RealSet, bool]:
    """Return the solutions of all relations of a problem, and whether they are proven to be all."""
    unknown = symbol(problem["unknown"])
    domain = Interval(Fraction(problem["lower"]), Fraction(problem["upper"]))
    sets: list[RealSet] = [(domain,)]
    complete = True
    for relation in problem["relations"]:
        *_, last = _SIGN.finditer(relation)
        left, right = (
            parse_formula(_DECIMAL.sub(as_ratio, text), [unknown.name])
            for text in (relation[: last.start()], relation[last.end() :])
        )
        solution = Chain(unknown.name, domain, {}, {}, integer=problem.get("integer", False)).solve(
            Relation(left - right, last[1], sympy.Integer(0), relation)
        )
        assert solution is not None
        sets.append(solution.values)
        complete &= not solution.open
    return meet_all(sets), complete


def bounds(text: str) -> tuple[Any, Any, bool, bool]:
    """Return the ends of a range that is written as `[0, 1)`, and whether they belong to it."""
    low, high = text[1:-1].split(", ")
    return pytest.approx(float(low), rel=1e-12), pytest.approx(float(high), rel=1e-12), text[0] == "[", text[-1] == "]"


@pytest.mark.parametrize("problem", [pytest.param(row, id=row["id"]) for row in PROBLEMS if row["id"] not in REFUSED])
def test_all_solutions_are_proven(problem: dict[str, Any]) -> None:
    values, complete = solved(problem)
    assert complete
    if problem.get("integer"):
        wholes = [range(int(first), int(last) + 1) for first, last in map(whole_ends, values) if first <= last]
        ranges = [
            range(int(low), int(high) + 1)
            for low, high in (text[1:-1].split(", ") for text in problem.get("ranges", ()))
        ]
        assert {*chain(*wholes)} == {*map(int, problem.get("values", ())), *chain(*ranges)}
    elif "ranges" in problem:
        parts = [(float(part.lower), float(part.upper), part.lower_closed, part.upper_closed) for part in values]
        assert parts == [bounds(text) for text in problem["ranges"]]
    else:
        assert all(part.is_point for part in values)
        assert [float(part.lower) for part in values] == pytest.approx(
            [float(value) for value in problem["values"]], rel=1e-12, abs=1e-300
        )


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_language_refuses_is_said(name: str) -> None:
    (problem,) = (row for row in PROBLEMS if row["id"] == name)
    with pytest.raises(FormulaError, match=REFUSED[name]):
        solved(problem)
