"""Questions that an earlier solver answered falsely: all that works is found, and that nothing else does is proven."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables
from tests.stored import read_yaml

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.members import whole_runs
from flopsheet.numbers.sets import whole_ends

if TYPE_CHECKING:
    from flopsheet import Answer

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "reported.yaml")


def answer_of(case: dict[str, Any], folder: Path) -> Answer:
    unknowns = case.get("unknowns", ["x"])
    cell = {"signed": case.get("signed", False), "integer": case.get("integer", False), **case.get("bounds", {})}
    return solve(variables(folder, dict.fromkeys(unknowns, cell)), unknowns, case["relations"])


def listed(case: dict[str, Any], answer: Answer) -> list[Any]:
    """Return what an answer lists in the form of the case."""
    if len(answer.outcomes) > 1:
        return [[float(value) for value in values.values()] for values in answer.tuples]
    parts = answer.outcomes["x"].listed
    if "runs" in case:
        return [[*whole_ends(part)] for part in whole_runs(parts)]
    return [float(part.lower) if part.is_point else [float(part.lower), float(part.upper)] for part in parts]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_answer_is_true_and_whole(case: dict[str, Any], tmp_path: Path) -> None:
    answer = answer_of(case, tmp_path)
    expected: list[Any] = next(case[form] for form in ("values", "runs", "ranges") if form in case)
    exact = "runs" in case or case.get("integer", False)
    found = listed(case, answer)
    assert len(found) == len(expected)
    for mine, true in zip(found, expected, strict=True):
        assert mine == (true if exact else pytest.approx(true, rel=1e-14, abs=1e-14))
    assert not any(outcome.proof is Proof.OPEN or outcome.open for outcome in answer.outcomes.values())


def test_a_window_of_one_whole_number_is_found() -> None:
    assert solve("gpt_depth_law", "n_blocks", ["width_growth = 0.0535", "aspect_ratio <= 22.45"]).value == 19


def test_a_decimal_bound_beside_a_root_does_not_hide_it() -> None:
    where = ["batch_law = compute", "params = 70B", "dataset_tokens = 1.4T"]
    forward = solve("critical_batch", (), [*where, "work_per_param_token = 5.8 FLOP/token/param"])
    steps = f"n_steps = {forward.as_dict()['cells']['n_steps']['value']!r} step"
    answer = solve(
        "critical_batch", "work_per_param_token", [*where, steps, "work_per_param_token >= 5.8 FLOP/token/param"]
    )
    assert answer.value == pytest.approx(5.8, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("least", "proof"), [(1000, Proof.OPEN), (60_000, Proof.EXACT)])
def test_batches_that_drop_little_of_the_data_hold_and_others_fail(least: int, proof: Proof) -> None:
    where = [f"tokens >= {least} token", "last_batch = drop", "dataset_tokens = 1e6 token"]
    (outcome,) = solve("training_steps", "tokens", [*where, "trained_tokens >= 999990 token"]).outcomes.values()
    assert outcome.proof is proof
    for number in range(2 * least, 4_000_000, 37):
        tokens = Fraction(number, 2)
        works = math.floor(10**6 / tokens) * tokens >= 999_990
        assert works == any(tokens in part for part in outcome.solutions) or any(
            tokens in part for part in outcome.open
        )


def test_small_batches_drop_little_of_any_data() -> None:
    where = ["last_batch = drop", "dataset_tokens = 15T", "trained_tokens >= 14.999999e12 token"]
    (outcome,) = solve("training_steps", "tokens", where).outcomes.values()
    assert outcome.listed[0].lower == 0
    assert 0.99e6 <= outcome.listed[0].upper <= 1e6


def test_unknowns_without_values_have_no_elasticities() -> None:
    where = ["n_steps <= 38154", "n_steps = 76308", "dataset_tokens <= 1831400000000 token"]
    answer = solve("training_steps", ["tokens", "dataset_tokens", "trained_tokens"], where)
    assert {outcome.kind for outcome in answer.outcomes.values()} == {"none"}
    assert answer.elasticities("tokens") == {}
