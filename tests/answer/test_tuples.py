"""Cells on the way to an answer that have several values: each is followed on its own."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, floor, sqrt
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.answer.execute import Execution
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from pathlib import Path


def test_values_next_to_each_other_are_followed_to_an_end() -> None:
    """Two values that a relation gives, and that are as good as equal, are each followed once."""
    execution = Execution(solve("ffn_memory", (), {"d_model": 4}).question, {"bytes_per_moment": 10.0})
    near = [(10.000000000000002,), (10.0,)]
    assert execution.chosen(("bytes_per_moment",), near) == (10.0,)
    with pytest.raises(SeveralValuesError):
        Execution(execution.question).chosen(("bytes_per_moment",), near)


def test_bounds_of_other_cells_exclude_values_on_the_way(tmp_path: Path) -> None:
    """Of two values that a cell on the way has, one puts a third cell outside of its bounds."""
    cells: dict[str, Any] = {"b": {}, "f": {}, "area": {"formula": "b*(12 - b)", "signed": True}}
    cells |= {"double": {"formula": "2*b", "minimum": 9}, "share": {"formula": "(1 + b)/f"}}
    for unknowns in ("f", "fb", "bf"):
        answer = solve(variables(tmp_path, cells), [*unknowns], ["area = 32", "share = 3"])
        assert [outcome.si for outcome in answer.outcomes.values()] == [{"f": 3, "b": 8}[name] for name in unknowns]
        assert len(answer.tuples) == 1
    cells["double"]["minimum"] = 29
    lost = solve(variables(tmp_path, cells), "f", ["area = 32", "share = 3"])
    assert lost.outcomes["f"].kind == "none"


def test_counts_on_the_way_are_whole(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"b": {"integer": True, "maximum": 12}, "e": {}}
    cells |= {"c": {"formula": "b/(e + 1)"}, "rest": {"formula": "mod(b, c)"}}
    answer = solve(variables(tmp_path, cells), ["e", "b"], ["3*rest = 48/47", "3*c = 60/47"])
    assert answer.tuples == [{"e": Fraction(89, 5), "b": 8}]


def test_each_value_of_a_count_is_followed_where_another_count_rests_on_it(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"a": {"integer": True, "maximum": 30}, "b": {"integer": True, "minimum": -5, "maximum": 6}}
    cells |= {"c": {"formula": "ceil(a/b/2)*b", "signed": True}, "z": {"formula": "floor(sqrt(a*4*c)/2)"}}
    answer = solve(variables(tmp_path, cells), ["a", "b"], ["c + 1 = z", "z = 5"])
    pairs = product(range(1, 31), (b for b in range(-5, 7) if b))
    expected = [(a, b) for a, b in pairs if ceil(Fraction(a, 2 * b)) * b == 4 and floor(sqrt(16 * a) / 2) == 5]
    assert sorted((own["a"], own["b"]) for own in answer.tuples) == expected


def test_what_one_tuple_leaves_open_excludes_no_other(tmp_path: Path) -> None:
    """Each true value is listed or open, and the answer says so."""
    cells: dict[str, Any] = {"a": {"integer": True, "maximum": 6}, "b": {"integer": True, "maximum": 40}, "e": {}}
    cells |= {"c": {"formula": "floor(e*b)"}, "least": {"formula": "min(c, b)"}, "share": {"formula": "a/(c + 1)"}}
    answer = solve(variables(tmp_path, cells), ["b", "e", "a"], ["least = 32", "share = 2/50"])
    assert answer.outcomes["b"].si == 32
    for name, value in {"e": 1.54, "a": 2}.items():
        outcome = answer.outcomes[name]
        assert is_in(value, (*outcome.listed, *outcome.open))
        assert outcome.proof is Proof.OPEN
