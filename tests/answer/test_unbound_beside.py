"""Bounds of computed cells in systems: they bind without being stated, and a cell without a value breaks none."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from tests.published.variables import variables

from flopsheet import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Row: TypeAlias = "dict[str, Any]"


def asked(folder: Path, cells: Mapping[str, Row], unknowns: list[str], relations: list[str]) -> Any:
    return solve(variables(folder, cells), unknowns, relations)


def count(most: int) -> Row:
    return {"integer": True, "maximum": most}


@pytest.mark.parametrize("most", [8, 9, 12, 20])
def test_many_tuples_of_which_some_leave_a_bound_that_nobody_stated(most: int, tmp_path: Path) -> None:
    cells = dict.fromkeys(("x1", "x2"), count(most))
    cells |= {"y1": {"formula": "x1 + x2"}, "y3": {"formula": "2*x2 - x1"}}
    answer = asked(tmp_path, cells, ["x1", "x2"], ["y1 >= 2"])
    expected = {(x, y) for x, y in product(range(1, most + 1), repeat=2) if 2 * y >= x}
    assert {(int(own["x1"]), int(own["x2"])) for own in answer.tuples} == expected


@pytest.mark.parametrize(
    ("kinds", "formula", "relations", "works"),
    [
        (({"maximum": 9}, {"maximum": 6}), "x2 - 12/x1", ["x1 >= 4", "x2 <= 6"], lambda x, y: x >= 4 and y * x >= 12),
        ((count(9), count(6)), "x2 - 12/x1", ["x1 >= 4", "x2 <= 6"], lambda x, y: x >= 4 and y * x >= 12),
        ((count(13), count(9)), "3*x1 - (x2 + 12)", ["x2*x2 < 16", "x1 < 10"], lambda x, y: 3 * x - y >= 12),
    ],
)
def test_a_range_holds_beside_the_value_of_the_other_that_it_names(
    kinds: tuple[Row, Row], formula: str, relations: list[str], works: Callable[[float, float], bool], tmp_path: Path
) -> None:
    cells = dict(zip(("x1", "x2"), kinds, strict=True)) | {"y2": {"formula": formula}}
    outcomes = asked(tmp_path, cells, ["x1", "x2"], relations).outcomes
    for name, own in outcomes.items():
        ((other, value),) = own.at
        for at in (0.25 * step for step in range(1, 60)):
            point = {name: at, other.name: float(value)}
            if any(at in part for part in own.solutions):
                assert works(point["x1"], point["x2"])


def test_a_bounded_cell_without_a_value_breaks_no_bound_of_one_unknown_or_of_two(tmp_path: Path) -> None:
    cells = {"x1": count(5), "x2": count(4), "y0": {"formula": "mod(x1, 2)"}, "y1": {"formula": "x2*x2"}}
    cells |= {"y2": {"formula": "ceil(y1/y0)", "maximum": 21}}
    one = asked(tmp_path, cells, ["x1"], ["y0 <= 1", "x2 = 4"]).outcomes["x1"]
    two = asked(tmp_path, cells, ["x1", "x2"], ["y0 <= 1", "y1 >= 16"]).tuples
    works = [at for at in range(1, 6) if any(at in part for part in one.solutions)]
    assert works == [int(own["x1"]) for own in two] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("relation", "works"),
    [
        ("y3 < 1.5", True),
        ("y3 < 1", False),
        ("y3 > 1", False),
        ("y3 >= 1", True),
        ("y3 < x1", True),
        ("2*y3 < 3", True),
        ("ceil(x2/3)*x1 < 2.5", True),
        ("floor(x2/3) > 1/2", True),
        ("floor(x2/3) > 1", False),
        ("ceil(x2/max(x2, 2)) < 1.5", True),
        ("x1*x1 > 4", False),
    ],
)
@pytest.mark.parametrize("kind", [{}, count(100)])
def test_a_cell_that_jumps_at_the_only_tuple(relation: str, works: bool, kind: Row, tmp_path: Path) -> None:
    cells = {"x1": kind, "x2": kind, "y3": {"formula": "ceil(x2/3)"}}
    outcomes = asked(tmp_path, cells, ["x1", "x2"], [relation, "x1 + x2 = 5", "x1 + 1 = x2"]).outcomes
    assert [own.si for own in outcomes.values()] == ([2, 3] if works else [None, None])


@pytest.mark.parametrize(
    ("formula", "most", "relation", "numbers"),
    [
        ("x1 + 12", 1100, "y2 <= 1100", range(1, 1089)),
        ("x1 + 12", 1000, "y2 <= 1000", range(1, 989)),
        ("x1", 40, "y2 >= 2.5", range(3, 41)),
    ],
)
def test_a_whole_cell_of_a_real_unknown(formula: str, most: int, relation: str, numbers: range, tmp_path: Path) -> None:
    cells = {"x1": {}, "y2": {"formula": formula, "integer": True, "maximum": most}}
    own = asked(tmp_path, cells, ["x1"], [relation]).outcomes["x1"]
    tried = [step / 4 for step in range(1, 8 * most)]
    assert [at for at in tried if any(at in part for part in own.solutions)] == [*numbers]


@pytest.mark.parametrize(
    ("cells", "relation", "inside", "outside"),
    [
        (
            {"y0": {"formula": "ceil(x1*670)*1000000"}, "y1": {"formula": "3*y0", "integer": True}},
            "y0 <= 5000000",
            0.007,
            0.008,
        ),
        ({"y1": {"formula": "1000*(1 + indicator(x1 > 0.37))", "integer": True}}, "y1 >= 1800", 0.38, 0.36),
    ],
)
def test_a_cell_that_is_always_whole_binds_nothing(
    cells: dict[str, Row], relation: str, inside: float, outside: float, tmp_path: Path
) -> None:
    own = asked(tmp_path, {"x1": {}, **cells}, ["x1"], [relation]).outcomes["x1"]
    assert not own.open
    assert [any(at in part for part in own.solutions) for at in (inside, outside)] == [True, False]


def test_no_tuples_are_listed_where_a_relation_fails_whatever_they_are(tmp_path: Path) -> None:
    cells = {"x1": count(9), "x2": count(9), "k": {"default": 3}, "y1": {"formula": "x1*x2"}}
    answer = asked(tmp_path, cells, ["x1", "x2"], ["y1 >= 4", "k > 4"])
    assert {own.kind for own in answer.outcomes.values()} == {"none"}
    assert not answer.tuples
    assert not any(text.startswith("Together") for text in answer.warnings)
