"""The past of a sequence: golden bytes of models with windows, latent attention and recurrent states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.stored import read_yaml

from flopsheet import records, sheet, solve

PASTS: dict[str, dict[str, int]] = read_yaml(Path(__file__).parent / "pasts.yaml")


def values(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    answer = solve(sheet("kv_cache"), (), ["n_sequences = 1", *relations])
    return {name: cell.si for name, cell in answer.cells.items()}


@pytest.mark.parametrize("name", PASTS)
def test_the_past_at_the_full_context(name: str) -> None:
    expected = PASTS[name]
    found = values(f"model = {name}", f"seq_len = {expected['context']} token")
    assert found["growth"] == expected["growth"]
    assert found["full_cache"] + found["window_cache"] == expected["full"]
    assert found["state_elements"] == expected["states"]
    assert found["conv_elements"] == expected["inputs"]


def test_every_kind_of_past_is_tested() -> None:
    used = {name for known in PASTS for name, value in records("architecture")[known].values.items() if value.si}
    kinds = {"n_window_blocks", "chunked", "kv_rank", "indexer.d_head", "n_shared_kv_blocks", "state.step_rank"}
    assert used >= {*kinds, "state.n_groups", "state.gate_rank", "n_attention_free_blocks"}


@pytest.mark.parametrize(("tokens", "share"), [(512, "growing"), (1024, "growing"), (2048, "full"), (131072, "full")])
def test_the_windows_of_gemma_3_stop_growing(tokens: int, share: str) -> None:
    found = values("model = gemma-3-27b", f"seq_len = {tokens} token")
    block = 2 * 16 * 128 * 2
    assert found["full_cache"] == 10 * block * tokens
    assert found["window_cache"] == 52 * block * (tokens if share == "growing" else 1024)


@pytest.mark.parametrize(("precision", "times"), [("bf16", 1), ("fp8", 0.5), ("int8", 0.5), ("fp32", 2)])
def test_a_precision_scales_keys_and_values(precision: str, times: float) -> None:
    plain = values("model = llama-3.1-8b", "seq_len = 1000 token")["sequence_cache"]
    assert plain == 32 * 2 * 8 * 128 * 2 * 1000
    assert values("model = llama-3.1-8b", "seq_len = 1000 token", f"cache_precision = {precision}")[
        "sequence_cache"
    ] == (plain * times)


def test_a_state_does_not_grow() -> None:
    short, long = (values("model = mamba-2.8b", f"seq_len = {tokens} token") for tokens in (1, 10**6))
    assert short["sequence_cache"] == long["sequence_cache"] == 64 * 5120 * (16 * 4 + 3 * 2)


def test_how_many_sequences_fit() -> None:
    given = ["model = gemma-3-27b", "seq_len = 131072 token", "total_cache <= 80 GiB"]
    answer = solve(sheet("kv_cache"), ["n_sequences"], given)
    assert answer.value == 7


@pytest.mark.parametrize(
    ("model", "degrees"),
    [
        ("llama-3-70b", [1, 2, 4, 8, 16, 32, 64]),  # 64 heads, 8 of keys and values
        ("qwen2.5-7b", [1, 2, 4, 28]),  # 28 heads and 4: seven ranks would share these unequally
        ("falcon-7b", [1, 71]),
        ("mamba-2-2.7b", [1, 2, 4, 5, 8, 10, 16, 20, 40, 80]),
    ],
)
def test_tensor_parallel_ranks_have_as_many_heads(model: str, degrees: list[int]) -> None:
    question = [f"model = {model}", "seq_len = 2048", "n_sequences = 1", "n_tp <= 128"]
    listed = solve("kv_cache", "n_tp", question).outcomes["n_tp"].listed
    assert [part.lower for part in listed if part.is_point] == degrees


def test_ranks_that_divide_sequences_need_no_heads() -> None:
    question = {"model": "llama-3-70b", "seq_len": "2048", "n_sequences": "6", "n_tp": "6", "cache_split": "sequences"}
    assert all(check.holds for check in solve("kv_cache", (), question).limits)


@pytest.mark.parametrize(
    ("model", "per_value", "block"),
    [
        (
            "deepseek-v3",
            "656/576",
            512 + 4 * 4 + 64 * 2,
        ),  # latents in fp8, a scale for 128 of them, the rotary key in bf16
        ("llama-3-70b", "17/16", 2 * 8 * 128 // 32 * (32 + 2)),  # q8_0: 32 bytes and an fp16 scale
        ("llama-3-70b", "9/16", 2 * 8 * 128 // 16 * (8 + 1)),  # NVFP4: 16 half bytes and an fp8 scale
    ],
)
def test_scales_of_blocks_are_given_with_the_bytes_of_a_value(model: str, per_value: str, block: int) -> None:
    found = values(f"model = {model}", "seq_len = 1000 token", f"bytes_per_cached = {per_value} byte/token")
    assert found["block_cache_per_token"] == block
