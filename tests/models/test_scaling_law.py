"""Scaling laws: the closed forms of the optima against minima that are searched, and against each other."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

from flopsheet import sheet, solve

BUDGET = 5.76e23
OWN = {"floor": 1.8, "size_factor": 480, "data_factor": 2000, "size_exponent": 0.35, "data_exponent": 0.36}
FITS = sheet("scaling_law").choices["loss_fit"].options
OPTIMA = sheet("scaling_law").choices["optimum"].options


def values(*relations: str, unknown: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    own = [f"own_{name} = {value}" for name, value in OWN.items()] if "loss_fit = own" in relations else []
    answer = solve("scaling_law", unknown, [*relations, *own])
    return {name: cell.si for name, cell in answer.cells.items()}


def loss(fit: str, params: float, tokens: float) -> float:
    """Return the loss of a fit as its paper states it."""
    if fit == "kaplan":
        return float(((6.4e13 / params) ** (0.076 / 0.103) + 1.8e13 / tokens) ** 0.103)
    floor, size, data, alpha, beta = {
        "epoch": (1.8172, 482.01, 2085.43, 0.3478, 0.3658),
        "chinchilla": (*map(math.exp, (0.5267228, 6.0073404, 6.0179186)), 0.33917084, 0.2849083),
        "chinchilla_rounded": (1.69, 406.4, 410.7, 0.34, 0.28),
        "own": (*OWN.values(),),
        "data_constrained": (*map(math.exp, (0.6254804, 6.255414, 7.3049974)), 0.3526596, 0.3526596),
    }[fit]
    return float(floor + size / params**alpha + data / tokens**beta)


@pytest.mark.parametrize("fit", FITS)
def test_the_loss_is_that_of_the_paper(fit: str) -> None:
    found = values(f"loss_fit = {fit}", "params = 70e9", "dataset_tokens = 1.4e12")
    assert found["loss"] == pytest.approx(loss(fit, 70e9, 1.4e12), rel=1e-6)


@pytest.mark.parametrize("fit", FITS)
def test_no_other_model_of_the_budget_has_a_lower_loss(fit: str) -> None:
    found = values(f"loss_fit = {fit}", f"total_work = {BUDGET} FLOP", unknown=("optimal_params", "optimal_tokens"))
    assert found["optimal_tokens"] == pytest.approx(BUDGET / 6 / found["optimal_params"], rel=1e-9)
    sizes = [found["optimal_params"] * 10 ** (step / 100) for step in range(-100, 101)]
    losses = [loss(fit, size, BUDGET / 6 / size) for size in sizes]
    assert all(before > after for before, after in pairwise(losses[:101]))
    assert all(before < after for before, after in pairwise(losses[100:]))


@pytest.mark.parametrize("fit", FITS)
def test_the_least_computation_reaches_the_same_loss(fit: str) -> None:
    found = values(f"loss_fit = {fit}", "params = 8e9", "dataset_tokens = 15e12")
    assert loss(fit, found["least_params"], found["least_tokens"]) == pytest.approx(found["loss"], rel=1e-6)
    least = values(
        f"loss_fit = {fit}", f"params = {found['least_params']}", f"dataset_tokens = {found['least_tokens']}"
    )
    assert least["overtraining"] == pytest.approx(1, rel=1e-9)
    assert least["work_excess"] == pytest.approx(1, rel=1e-9)
    assert found["work_excess"] == pytest.approx(6 * 8e9 * 15e12 / least["total_work"], rel=1e-9)
    assert found["work_excess"] > 1
    assert found["size_ratio"] == pytest.approx(8e9 / found["least_params"], rel=1e-9)
    assert found["data_excess"] == pytest.approx(15e12 / found["least_tokens"], rel=1e-9)


@pytest.mark.parametrize("law", OPTIMA)
def test_the_optimum_of_a_model_is_that_of_its_budget(law: str) -> None:
    law_of = f"optimum = {law}"
    model = values(law_of, "params = 70e9", "overtraining = 1", unknown=("dataset_tokens",))
    budget = values(law_of, f"total_work = {model['balanced_work']} FLOP", unknown=("optimal_params", "optimal_tokens"))
    assert budget["optimal_params"] == pytest.approx(70e9, rel=1e-9)
    assert budget["optimal_tokens"] == pytest.approx(model["dataset_tokens"], rel=1e-9)


@pytest.mark.parametrize("law", OPTIMA)
def test_a_budget_gives_parameters_and_tokens_together(law: str) -> None:
    relations = [f"optimum = {law}", f"total_work = {BUDGET} FLOP", "overtraining = 1"]
    found = values(*relations, unknown=("params", "dataset_tokens"))
    assert found["params"] == pytest.approx(found["optimal_params"], rel=1e-9)
    assert found["dataset_tokens"] == pytest.approx(found["optimal_tokens"], rel=1e-9)


@pytest.mark.parametrize(("unknown", "known"), [("params", "dataset_tokens"), ("dataset_tokens", "params")])
def test_a_loss_gives_one_of_parameters_and_tokens(unknown: str, known: str) -> None:
    run = values("params = 8e9", "dataset_tokens = 15e12")
    found = values(f"loss = {run['loss']!r}", f"{known} = {run[known]}", unknown=(unknown,))
    assert found[unknown] == pytest.approx(run[unknown], rel=1e-9)


def test_a_smaller_model_at_the_same_loss_costs_more_computation() -> None:
    excess = [
        values("loss = 1.95", f"size_ratio = {ratio}", unknown=("params", "dataset_tokens"))["work_excess"]
        for ratio in (1, 0.7, 0.5, 0.3)
    ]
    assert excess[0] == pytest.approx(1, rel=1e-9)
    assert all(before < after for before, after in pairwise(excess))


def test_idle_experts_take_no_computation_and_are_not_what_the_laws_were_fitted_to() -> None:
    answer = solve("scaling_law", "loss", ["model = deepseek-v3", "dataset_tokens = 14.8e12"])
    assert answer.cells["total_work"].si == pytest.approx(6 * 37e9 * 14.8e12)
    assert [limit.relation.name for limit in answer.limits if not limit.holds] == ["is_dense"]
