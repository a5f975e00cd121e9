"""One of the many values of an unknown, beside which another has none, does not exclude all others."""

from __future__ import annotations

from itertools import permutations

import pytest

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.sheets.yaml_sheet import parse_sheet

STAGES = """sheet: stages
title: Memory of the first and the last of several stages.
cells:
  n_stages: {example: 16, integer: true}
  vocab: {example: 1000, maximum: 2000}
  in_flight: {formula: "min(n_stages, 64)"}
  first: {formula: in_flight*960/n_stages}
  last: {formula: 960/n_stages + vocab/100}
  largest: {formula: "max(first, last)"}
"""


@pytest.mark.parametrize(("stages", "vocab"), [(16, 1000), (2, 100), (40, 1999)])
def test_both_unknowns_are_found_as_tuples(stages: int, vocab: int) -> None:
    model = parse_sheet(STAGES, "stages")
    there = solve(model, (), [f"n_stages = {stages}", f"vocab = {vocab}"])
    goals = [f"{name} = {there.cells[name].value!r}" for name in ("largest", "last")]
    answer = solve(model, ["n_stages", "vocab"], goals)
    for name, value in (("n_stages", stages), ("vocab", vocab)):
        outcome = answer.outcomes[name]
        beside = any(cell.name == "n_stages" and at != stages for cell, at in outcome.at)  # a slice of the tuples
        assert beside or outcome.proof is Proof.OPEN or any(value in part for part in outcome.listed), name
        assert outcome.kind != "none" or outcome.open, outcome.why
    alone = solve(model, "vocab", [*goals, f"n_stages = {stages}"]).outcomes["vocab"]
    assert any(vocab in part for part in alone.listed)


RANKED = """sheet: ranked
title: A count of which one mode leaves a range, and another a list.
choices:
  mode: {options: [lo, mid], doc: Mode, default: lo}
cells:
  n: {doc: N, integer: true, minimum: 1, maximum: 100}
  y: {formula: "select(mode, lo=34*n - 30, mid=781/(n + 1))", signed: true}
  z: {formula: "mod(y, 5)", signed: true}
"""
PAIR = """sheet: pair
title: Two counts.
cells:
  a: {doc: A, integer: true, maximum: 64}
  b: {doc: B, integer: true, maximum: 40}
"""


@pytest.mark.parametrize("least", [2, 4, 12])
def test_another_of_many_values_is_followed_where_the_first_leaves_nothing(least: int) -> None:
    """The first b, 1, leaves no a; b then had values from 1 on, as proven, that no a goes with."""
    answer = solve(parse_sheet(PAIR, "pair"), ["a", "b"], [f"min(a, b) >= {least}", "mod(80, b) < 17"])
    first, second = (answer.outcomes[name] for name in "ab")
    assert [(part.lower, part.upper) for part in first.listed] == [(least, 64)]
    assert [other for other in range(1, 41) if any(other in part for part in second.listed)] == [
        other for other in range(least, 41) if 80 % other < 17
    ]
    assert (first.open, second.open) == ((), ())


def test_a_rank_by_one_of_many_values_says_so() -> None:
    """The rank of `lo` is that of its first count, 1, though others of its range have a smaller z."""
    ranking = solve(parse_sheet(RANKED, "ranked"), ["mode", "n"], ["y*3 >= n"], best="min:z").ranking
    assert ranking is not None
    assert ranking.why.endswith("smallest first: where n has a range, z is that at the value shown: bound n.")
    alone = solve(parse_sheet(RANKED, "ranked"), "n", ["mod(n, 9) >= 1", "mode = lo"], best="max:y")
    assert "y ranks names and listed values, and n has a range: bound it." in alone.warnings


COUNTS, REALS = "integer: true, minimum: 1, maximum: 500", "minimum: 1, maximum: 500"
# The names and what they are, what is asked, and whether something is found.
SHARED = [
    ("xy", COUNTS, ["x + y <= 300", "y <= 400"], True),
    ("xy", REALS, ["x + y <= 300", "y <= 400"], True),
    ("xy", REALS, ["x + y**2 <= 1000", "y <= 100"], True),
    ("xy", REALS, ["x*y >= 200000", "y >= 300"], True),
    ("xy", REALS, ["x**2 + y**2 >= 500", "x >= 1"], True),
    ("xy", REALS, ["x <= 3*y", "x >= 2*y", "y <= 400"], True),
    ("xyz", REALS, ["x + y + z = 300", "y <= 400", "z <= 450"], True),
    ("xy", COUNTS, ["x/y >= 3.14159", "x/y <= 3.1416", "y <= 120"], True),
]


@pytest.mark.parametrize(("names", "bounds", "relations", "is_found"), SHARED, ids=lambda own: str(own)[:30])
def test_no_range_is_told_beside_which_another_unknown_has_no_value(
    names: str, bounds: str, relations: list[str], is_found: bool
) -> None:
    """The first range ended at 400, where no x is left, and stood as proven."""
    cells = "".join(f"  {name}: {{doc: Number, {bounds}}}\n" for name in names)
    model = parse_sheet(f"sheet: shared\ntitle: Shared.\ncells:\n{cells}", "shared")
    outcomes = solve(model, [*names], relations).outcomes
    assert [(own.kind != "none", not own.open) for own in outcomes.values()] == [(is_found, is_found)] * len(names)
    for name, own in outcomes.items():
        beside = {cell.name: value for cell, value in own.at}
        for end in (end for part in own.listed for end, closed in part.ends if closed):
            asked = [*relations, *(f"{other} = {value}" for other, value in {**beside, name: end}.items())]
            rest = [other for other in names if other not in beside and other != name]
            assert solve(model, rest, asked).meets_question, (name, end)


@pytest.mark.parametrize(
    ("asked", "tuples"),
    [
        (["y = 3 - x", "z = x*y", "z = 2"], [(1, 2, 2), (2, 1, 2)]),
        (["x + y = 5", "z = x*y", "z = 6"], [(2, 3, 6), (3, 2, 6)]),
        (["x + y = 38", "z = max(x, y)*min(x, y)", "z = 360"], [(18, 20, 360), (20, 18, 360)]),
    ],
)
def test_an_unknown_may_be_given_that_an_equation_states_too(asked: list[str], tuples: list[tuple[int, ...]]) -> None:
    """The steps to the others lacked its value."""
    cells = "".join(f"  {name}: {{doc: Number, {COUNTS}}}\n" for name in "xyz")
    answer = solve(parse_sheet(f"sheet: given\ntitle: Given.\ncells:\n{cells}", "given"), [*"xyz"], asked)
    assert [(*own.values(),) for own in answer.tuples] == tuples
    assert "z" in answer.derivation("page")


@pytest.mark.parametrize("bounds", [COUNTS.replace("500", "6"), REALS])
@pytest.mark.parametrize("lost", ["x**2 = 12.5", "x >= 600"])
def test_no_other_unknown_has_values_where_one_has_none_whatever_they_are(bounds: str, lost: str) -> None:
    """Solved before x in some orders, y and z listed all their values, or all were open."""
    others = "".join(f"  {name}: {{doc: Number, {bounds}}}\n" for name in "yz")
    model = parse_sheet(f"sheet: lost\ntitle: Lost.\ncells:\n  x: {{doc: Number, {COUNTS}}}\n{others}", "lost")
    for order in permutations("xyz"):
        outcomes = solve(model, order, ["y <= z", lost]).outcomes
        assert [(own.kind, own.open) for own in outcomes.values()] == [("none", ())] * 3, order
