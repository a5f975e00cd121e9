"""Published equations, asked as a user asks them: every certified solution is found, none is false, nothing is open."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables
from tests.stored import read_yaml

from flopsheet import Answer, solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import whole_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

PROBLEMS: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "problems.yaml")
ROWS = [
    pytest.param(problem, id=problem["id"], marks=[pytest.mark.slow] * problem.get("slow", False))
    for problem in PROBLEMS
]


def answer_of(problem: dict[str, Any], folder: Path, *, by_relations: bool) -> Answer:
    """Return the answer to a problem whose domain is given by the bounds of the cells, or by relations."""
    integer = {"integer": problem.get("integer", False)}
    cells, relations = {}, [*problem["relations"]]
    for name, (low, high) in problem["unknowns"].items():
        cells[name] = {**integer, "signed": True} if by_relations else {**integer, "minimum": low, "maximum": high}
        relations += [f"{name} >= {low}", f"{name} <= {high}"] if by_relations else []
    return solve(variables(folder, cells), [*problem["unknowns"]], relations)


def is_same(point: Sequence[Any], root: Sequence[Any]) -> bool:
    pairs = zip(point, root, strict=True)
    return all(math.isclose(value, Fraction(other), rel_tol=1e-11, abs_tol=1e-14) for value, other in pairs)


def check_ranges(problem: dict[str, Any], answer: Answer) -> None:
    (outcome,) = answer.outcomes.values()
    if problem.get("integer"):
        runs = [whole_ends(part) for part in outcome.listed]
    else:
        runs = [(part.lower, part.upper) for part in outcome.listed]
        closed = [("[" if part.lower_closed else "(") + ("]" if part.upper_closed else ")") for part in outcome.listed]
        assert closed == [text[0] + text[-1] for text in problem["ranges"]]
    wanted = [text[1:-1].split(", ") for text in problem["ranges"]]
    assert len(runs) == len(wanted)
    assert all(is_same(run, ends) for run, ends in zip(runs, wanted, strict=True))


def found(problem: dict[str, Any], answer: Answer) -> list[tuple[Any, ...]]:
    """Return the tuples of an answer; of a whole number that an equation makes fractional, none."""
    if len(problem["unknowns"]) > 1:
        return [tuple(values.values()) for values in answer.tuples]
    (outcome,) = answer.outcomes.values()
    if problem.get("integer"):
        ends = [whole_ends(part) for part in outcome.listed]
        return [(whole,) for whole in chain(*(range(int(low), int(high) + 1) for low, high in ends))]
    assert all(part.is_point for part in outcome.listed)
    return [(part.lower,) for part in outcome.listed]


def check(problem: dict[str, Any], answer: Answer) -> None:
    is_open = any(outcome.proof is Proof.OPEN for outcome in answer.outcomes.values())
    if "ranges" in problem:
        assert not is_open
        check_ranges(problem, answer)
        return
    points = found(problem, answer)
    assert [point for point in points if not any(is_same(point, root) for root in problem["solutions"])] == []
    missed = [root for root in problem["solutions"] if not any(is_same(point, root) for point in points)]
    assert not missed or is_open
    assert missed == []
    assert not is_open or problem.get("open")
    assert len(points) == len(problem["solutions"])


@pytest.mark.parametrize("problem", ROWS)
def test_all_solutions_and_no_others_are_found(problem: dict[str, Any], tmp_path: Path) -> None:
    check(problem, answer_of(problem, tmp_path, by_relations=False))


@pytest.mark.slow
@pytest.mark.parametrize("problem", ROWS)
def test_a_domain_that_relations_give_is_the_same(problem: dict[str, Any], tmp_path: Path) -> None:
    check(problem, answer_of(problem, tmp_path, by_relations=True))
