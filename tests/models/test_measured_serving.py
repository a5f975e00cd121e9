"""Measured runs of several servers: the time of requests, of steps and of prompts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import KEY
from tests.models.measured_page import measured_page
from tests.models.test_decode import value
from tests.stored import compare, read_yaml

from flopsheet import solve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.cases import Record

FILE = Path(__file__).parent / "measured_serving.yaml"
PAGE = Path(__file__).parents[2] / "models/measured_serving.md"
GROUPS: list[dict[str, Any]] = read_yaml(FILE)
TIMED = [group for group in GROUPS if group["what"] != "misfits"]
MISFITS = [row for group in GROUPS if group["what"] == "misfits" for row in group["rows"]]
READ = 0.05  # largest error of a row that a setting is read off
MET = 0.12  # largest median error of a group that does not differ


def _time(group: Mapping[str, Any], row: Sequence[Any]) -> float:
    """Return the time of a measured row, in the unit of its table."""
    what, (model, chip, n_tp, tokens, n_sequences, _) = group["what"], row
    model_is = group.get("shape", [f"model = {model}"])
    known = (*group["given"], *model_is, f"chip = {chip}", f"n_tp = {n_tp}")
    context = tokens + group.get("answer", tokens) / 2
    step = value("decode", "token_time", *known, f"n_sequences = {n_sequences}", f"context = {context} token")
    if what == "steps":
        return 1000 * step
    first = value("prefill", "first_token_time", *known, f"n_prompts = {n_sequences}", f"prompt_len = {tokens} token")
    return 1000 * first if what == "prompts" else first + (tokens - 1) * step


@cache
def _errors(name: str) -> dict[tuple[Any, ...], float]:
    """Return the relative error of each row of a group that no setting is read off."""
    (group,) = (group for group in TIMED if group["id"] == name)
    every = {tuple(row): _time(group, row) / row[-1] - 1 for row in group["rows"]}
    read_off = [tuple(group["rows"][number]) for number in group.get("read_off", ())]
    assert all(abs(every[row]) <= READ for row in read_off)
    return {row: error for row, error in every.items() if row not in read_off}


@pytest.mark.parametrize("group", TIMED, ids=lambda group: group["id"])
def test_measured_runs(group: dict[str, Any], record_property: Record) -> None:
    errors = _errors(group["id"])
    error = median(map(abs, errors.values()))
    record_property(KEY, ["measured", sum(abs(e) <= MET for e in errors.values()), len(errors)])
    if "differs" in group:
        assert error > MET, "it is met, so drop 'differs'"
        assert group["differs"].startswith(f"{100 * error:.1f} %, as ")
        return
    assert error <= group["within"] <= MET, sorted(errors.items(), key=lambda pair: pair[1])
    assert not {row: error for row, error in errors.items() if abs(error) > group["worst"]}


@pytest.mark.parametrize("source", sorted({group["id"].partition("-")[0] for group in TIMED}))
def test_all_runs_of_a_source(source: str) -> None:
    groups = [group for group in TIMED if group["id"].startswith(source)]
    assert median(abs(error) for group in groups for error in _errors(group["id"]).values()) <= MET


@pytest.mark.slow
def test_the_page_lists_the_rows_that_are_missed(request: pytest.FixtureRequest) -> None:
    errors = {group["id"]: _errors(group["id"]) for group in TIMED}
    missed = {name for name, of_rows in errors.items() if max(map(abs, of_rows.values())) > MET}
    assert {group["id"] for group in TIMED if {"differs", "misses"} & {*group}} == missed
    compare(PAGE, measured_page(TIMED, errors, MET), request)


@pytest.mark.parametrize("row", MISFITS, ids=lambda row: "-".join(map(str, row[:5])))
def test_runs_that_waited_for_each_other_do_not_fit(row: Sequence[Any]) -> None:
    model, chip, n_tp, tokens, n_sequences, _ = row
    machine = (f"model = {model}", f"chip = {chip}", f"n_tp = {n_tp}")
    answer = solve("inference_memory", (), [*machine, f"seq_len = {2 * tokens}", f"n_sequences = {n_sequences}"])
    broken = [check.relation.name for check in answer.limits if not check.holds]
    assert broken in (["fits"], ["weights_fit", "fits"])
