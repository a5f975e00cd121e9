"""Several unknowns of which one has a range: each set holds at the values of the others that the answer names."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import Answer, solve
from flopsheet.inverse.method import Proof
from flopsheet.report.sentences import outcome_text
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from pathlib import Path

CELLS: dict[str, dict[str, Any]] = {
    "u": {},
    "v": {},
    "x": {"signed": True},
    "y": {"signed": True},
    "n": {"integer": True},
}


def asked(folder: Path, unknowns: str, relations: list[str]) -> Answer:
    return solve(variables(folder, CELLS), [*unknowns], relations)


@pytest.mark.parametrize(
    ("unknowns", "relations", "texts"),
    [
        ("uv", ["u <= 5", "u >= 3", "u + v = 10"], ["3 <= u <= 5", "v = 7 at u = 3"]),
        ("xy", ["x*x >= 4", "x + y = 10"], ["x <= -2 or x >= 2", "y = 12 at x = -2"]),
        ("nv", ["n <= 5", "n >= 3", "n + 2*v = 10"], ["3 <= n <= 5, so 3", "v = 3.5 at n = 3"]),
        ("uv", ["u <= 3", "v >= 1"], ["u <= 3", "v >= 1"]),
        ("uv", ["u + v <= 3", "u >= 1", "v >= 1"], ["1 <= u <= 2 at v = 1", "1 <= v <= 2 at u = 1"]),
        (
            "uvn",
            ["u + v <= 3", "u >= 1", "v >= 1", "n*u <= 7"],
            ["u = 1 at v = 1 and n = 7", "1 <= v <= 2 at u = 1", "n <= 7 at u = 1, so 7"],
        ),
        ("xy", ["x + y = 3", "2*x + 2*y = 6"], ["any x works (any number)", "y = 3 at x = 0"]),
    ],
)
def test_an_answer_names_the_values_at_which_it_holds(
    tmp_path: Path, unknowns: str, relations: list[str], texts: list[str]
) -> None:
    answer = asked(tmp_path, unknowns, relations)
    assert [outcome_text(outcome) for outcome in answer.outcomes.values()] == texts
    for outcome in answer.outcomes.values():
        values = [f"{cell.name} = {cell.text(value)}" for cell, value in outcome.at]
        assert outcome.why.startswith(f"At {' and '.join(values)}: " if values else "")


@pytest.mark.parametrize("total", [2, 2.5, 7])
def test_each_member_of_a_slice_works_beside_the_others_and_none_beside_it(tmp_path: Path, total: float) -> None:
    answer = asked(tmp_path, "uv", [f"u + v <= {total}", "u*v <= 3", "u >= 0.5", "v >= 0.25"])
    found = {name: float(outcome.si or 0) for name, outcome in answer.outcomes.items()}
    for name, outcome in answer.outcomes.items():
        for part, share in product(outcome.listed, (-0.01, 0, 0.5, 1, 1.01)):
            at = float(part.lower) + share * float(part.upper - part.lower)
            u, v = (at, found["v"]) if name == "u" else (found["u"], at)
            holds = u + v <= total + 1e-9 and u * v <= 3 + 1e-9 and u >= 0.5 - 1e-9 and v >= 0.25 - 1e-9
            assert holds == (0 <= share <= 1)


def test_the_values_of_others_are_in_the_json(tmp_path: Path) -> None:
    answers = asked(tmp_path, "uv", ["u <= 5", "u >= 3", "u + v = 10"]).as_dict()["answers"]
    assert "at" not in answers["u"]
    assert answers["v"]["at"] == {"u": 3}


def test_what_cannot_be_solved_again_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flopsheet.answer.several.slices.find", lambda *_: None)
    first = asked(tmp_path, "uv", ["u + v <= 3", "u >= 1", "v >= 1"]).outcomes["u"]
    assert (first.proof, first.si) == (Proof.OPEN, 1)


PLATEAUS: list[tuple[dict[str, Any], dict[str, Any], list[str], str, list[str]]] = [
    # one was solved at the end of the other's range
    (
        {"a": {}, "k": {}},
        {"c": "max(a, 12)", "rest": "a - k"},
        ["c = 12", "rest = -44"],
        "ka",
        ["44 < k <= 56", "a = 12 at k = 56"],
    ),
    # what bounds both was not looked at where the first was solved
    (
        {"a": {"maximum": 6}, "b": {"maximum": 6}},
        {"c": "ceil(a/2)", "area": {"formula": "a*b", "minimum": 7}},
        ["b <= 5", "c = 1"],
        "ba",
        ["3.5 <= b <= 5 at a = 2", "1.4 <= a <= 2 at b = 5"],
    ),
    (
        {"e": {"minimum": 0, "maximum": 50}, "k": {"integer": True, "maximum": 30}},
        {"c": "min(e, k)", "up": "ceil(c/2)"},
        ["up = 3", "c >= 6", "k < 7.9"],
        "ek",
        ["e = 6 at k = 7", "6 <= k < 7.9 at e = 6, so 7"],
    ),
]


@pytest.mark.parametrize(("inputs", "formulas", "relations", "unknowns", "texts"), PLATEAUS)
def test_a_plateau_determines_no_value(  # noqa: PLR0913, PLR0917  # one for each part of a question
    tmp_path: Path,
    inputs: dict[str, Any],
    formulas: dict[str, Any],
    relations: list[str],
    unknowns: str,
    texts: list[str],
) -> None:
    computed = {
        name: {"formula": own, "signed": True} if isinstance(own, str) else own for name, own in formulas.items()
    }
    answer = solve(variables(tmp_path, inputs | computed), [*unknowns], relations)
    assert [outcome_text(outcome) for outcome in answer.outcomes.values()] == texts


def test_a_later_unknown_that_no_method_inverts_makes_a_slice(tmp_path: Path) -> None:
    """What an inequality says of the first holds beside a value of the second only: a = 20 would need b = 2*b."""
    cells: dict[str, Any] = {"a": {}, "b": {}, "c": {"formula": "max(a*b, 1)"}, "share": {"formula": "b/c"}}
    answer = solve(variables(tmp_path, cells), ["b", "a"], ["share = 0.1", "a >= 5"])
    assert [outcome_text(outcome) for outcome in answer.outcomes.values()] == [
        "b = 0.1 at a = 5",
        "5 <= a <= 10 at b = 0.1",
    ]


def test_unknowns_that_are_found_with_others_are_taken_with_them(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"a": {}, "b": {"integer": True, "maximum": 6}, "f": {"integer": True, "maximum": 30}}
    cells |= {"c": {"formula": "ceil(a/2)*b"}, "up": {"formula": "ceil(3.9/f)", "maximum": 1.11}}
    cells |= {"share": {"formula": "a/up"}}
    answer = solve(variables(tmp_path, cells), ["b", "a", "f"], ["c = 18", "share = 5.604"])
    assert [(own["b"], float(own["a"]), own["f"]) for own in answer.tuples] == [(6, 5.604, f) for f in range(4, 31)]


def test_counts_that_are_found_together_name_the_range_that_they_rest_on(tmp_path: Path) -> None:
    cells: dict[str, Any] = {name: {"integer": True, "maximum": 30} for name in "ab"} | {"f": {}}
    cells |= {"w": {"formula": "ceil(f/3) + a"}}
    answer = solve(variables(tmp_path, cells), ["f", "a", "b"], ["f <= 18", "w = 31", "b >= a"])
    assert outcome_text(answer.outcomes["f"]) == "f <= 18"
    assert outcome_text(answer.outcomes["a"]) == "a = 25 at f = 18"


def test_what_no_slice_shows_is_open(tmp_path: Path) -> None:
    """With the second unknown held, an equation leaves the first one value; others have a second value of their own."""
    cells: dict[str, Any] = {"a": {"signed": True}, "b": {}, "most": {"formula": "max(a, b)", "signed": True}}
    cells |= {"c": {"formula": "1/most + 1/a", "signed": True}}
    outcome = solve(variables(tmp_path, cells), ["b", "a"], ["b <= 11", "c = -1/20"]).outcomes["b"]
    assert outcome.si == 11
    assert outcome.proof is Proof.OPEN


def test_conditions_that_are_constant_make_no_slice(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"a": {}, "f": {}, "c": {"formula": "f - a", "signed": True}}
    cells |= {"rest": {"formula": "7 - c", "signed": True}}
    answer = solve(variables(tmp_path, cells), ["f", "a"], ["rest = c + 17.4", "rest >= 12.2", "f < a"])
    assert answer.outcomes["f"].kind == "range"
    assert not answer.tuples


THREE = """sheet: three
title: Three numbers of which one has a range.
cells:
  x: {doc: X, minimum: 0.1, maximum: 20}
  y: {doc: Y, signed: true}
  z: {doc: Z}
"""


def test_unknowns_that_are_found_together_beside_a_range_say_where() -> None:
    """They are tied to the range by an equation that no structure without it would take."""
    goals = ["(z - 2)*(x - 2) = 24.168", "ceil(z*x) = 49", "y**2 - 2*z = -8.525359"]
    outcomes = solve(parse_sheet(THREE, "three"), ["y", "x", "z"], goals).outcomes
    assert outcomes["y"].kind == "range"
    assert [[cell.name for cell, _ in outcomes[name].at] for name in "xz"] == [["y"], ["y"]]


RATE = """sheet: rate
title: Time of work at a rate.
cells:
  work: {doc: Work}
  share: {doc: Efficiency, maximum: 1}
  peak: {doc: Peak rate, default: 2}
  time: {doc: Time, formula: work/(peak*share)}
  spare: {doc: Rate for each piece of work, formula: peak*share/work}
"""


@pytest.mark.parametrize("unknowns", [("share", "work"), ("work", "share")])
def test_an_unknown_that_follows_from_another_takes_none_of_its_values_away(unknowns: tuple[str, ...]) -> None:
    """All shares work, each with one work; then the work was told at a share of 0.5, where it has one value only."""
    answer = solve(parse_sheet(RATE, "rate"), unknowns, ["time = 0.7", "spare <= 10"])
    texts = {name: outcome_text(own) for name, own in answer.outcomes.items()}
    assert texts["work"] == "work <= 1.4"
    assert all(own.proof is not Proof.OPEN for own in answer.outcomes.values())


TOGETHER = """sheet: together
title: Numbers of which some follow from others.
cells:
  x: {doc: Count, integer: true, minimum: 1, maximum: 8}
  y: {doc: Number, minimum: 2, maximum: 50}
  z: {doc: Number, minimum: 2, maximum: 500}
  w: {doc: Number, minimum: 1, maximum: 50}
"""


@pytest.mark.parametrize(
    ("unknowns", "relations"),
    [
        ("zywx", ["(x + y + z)/w <= y", "z <= 39", "z = 1330/y", "w*x = 72"]),
        ("xyz", ["mod(x, 2) = 0", "2*x - y = 4", "z >= y", "z <= 40"]),
        ("zy", ["z = 400/y", "z + y <= 60"]),
    ],
)
def test_a_set_holds_at_the_values_that_it_names_and_these_do_not_follow_from_it(
    unknowns: str, relations: list[str]
) -> None:
    """Z from 26.6 to 39 was told at y = 34.1, where z = 1330/y is 39."""
    model = parse_sheet(TOGETHER, "together")
    answer = solve(model, [*unknowns], relations)
    for name, own in answer.outcomes.items():
        beside = {cell.name: value for cell, value in own.at}
        for part in own.listed:
            for end in (part.lower, part.upper, part.inside()) if not own.cell.integer else (own.si,):
                rest = [other for other in unknowns if other not in beside and other != name]
                asked = [*relations, *(f"{other} = {value}" for other, value in {**beside, name: end}.items())]
                assert solve(model, rest, asked).meets_question, (name, end, beside)
