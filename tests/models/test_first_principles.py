"""Every model in odd places, against counts from its record: lengths around windows, degrees that divide nothing."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.models.first_principles import copied_past, forward_work, pairs, past, rank_params, shape

from flopsheet import records, solve

MODELS = tuple(records("architecture"))
LENGTHS = (1, 7, 511, 512, 1025, 2048, 4097, 8192, 9000)


def drawn(name: str) -> Random:
    """Return what draws places for a model, the same every time."""
    return Random(name)  # noqa: S311  # no secret


def cells(sheet: str, *relations: str) -> dict[str, Any]:
    """Return the cells of a sheet by name [base units], and its violated limits under `violated`."""
    answer = solve(sheet, (), relations)
    violated = {check.relation.name for check in answer.limits if check.holds is False}
    return {**{name: cell.si for name, cell in answer.cells.items()}, "violated": violated}


def degrees(name: str) -> list[int]:
    """Return tensor-parallel degrees that give each rank as many heads, or a copy of a key that as many ranks have."""
    a = shape(name)
    heads, keys, mixers = a["n_heads"] or 48, a["n_kv_heads"] or 1, a["state.n_heads"] or 48
    return [
        n for n in (1, 2, 3, 4, 8, 16) if heads % n == mixers % n == 0 and (keys % n == 0 or n > keys > n % keys == 0)
    ]


@pytest.mark.parametrize("name", MODELS)
def test_forward_flop_of_a_sequence(name: str) -> None:
    for tokens in drawn(name).sample(LENGTHS, 2):
        found = cells("transformer", f"model = {name}", f"seq_len = {tokens} token", "last_chunk = cut", "batch = 1")
        mixers = found["mixer_work_per_token"] * tokens
        assert found["sequence_forward_work"] == forward_work(name, tokens) + mixers, tokens


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_pairs_of_a_prompt_with_a_cached_prefix(name: str) -> None:
    draw = drawn(name)
    chunk = shape(name)["window"] if shape(name)["chunked"] else 1
    for length in draw.sample(LENGTHS, 2):
        tokens = length if length <= chunk else length * chunk
        cached = draw.choice([0, tokens - 1]) if tokens <= chunk else tokens // chunk // 2 * chunk
        known = (f"model = {name}", "chip = h200-sxm", f"prompt_len = {tokens} token", f"cached_len = {cached} token")
        found = cells("prefill", *known, "seq_len = 16384 token", "n_sequences = 1")
        everything, window = pairs(shape(name), tokens, cached)
        assert found["global_pairs"] == everything, (tokens, cached)
        assert found["window_pairs"] * min(1, window) == window, (tokens, cached)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_bytes_of_the_past(name: str) -> None:
    draw = drawn(name)
    for n_tp in (1, 2, 3, 4, 8, 16):
        tokens = draw.choice(LENGTHS)
        known = (f"model = {name}", f"seq_len = {tokens} token", "n_sequences = 1", f"n_tp = {n_tp}")
        found = cells("kv_cache", *known, "cache_block = 1 token")
        states = found["state_cache"]
        assert found["sequence_cache"] == past(name, tokens) + states, tokens
        assert bool(found["violated"]) is (n_tp not in degrees(name)), n_tp
        if n_tp in degrees(name):
            assert found["cache_memory"] == past(name, tokens, n_tp) + Fraction(states, n_tp) + copied_past(
                name, n_tp
            ), n_tp


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_parameters_of_the_most_loaded_chip(name: str) -> None:
    draw = drawn(name)
    for latent_inputs in ("copied", "divided"):
        n_tp, n_pp = draw.choice(degrees(name)), draw.choice([1, 2, 3, 5, 6])
        known = (f"model = {name}", f"n_tp = {n_tp}", f"n_pp = {n_pp}", "n_dp = 8", "seq_len = 4096 token")
        found = cells("training_memory", *known, f"latent_inputs = {latent_inputs}", "chip = h200-sxm")
        assert found["violated"] <= {"fits", "states_fit"}
        counted = rank_params(found["params"], name, n_tp, n_pp, copied=latent_inputs == "copied")
        assert found["rank_params"] == counted, (n_tp, n_pp)
