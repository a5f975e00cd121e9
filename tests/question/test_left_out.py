"""What a sheet leaves out of a model stands beside the answer."""

from __future__ import annotations

import pytest

from flopsheet import solve

GIVEN = ["batch = 8", "seq_len = 1024", "n_fsdp = 8", "chip = h100-sxm"]
EXPERTS, GATE, VOCABULARY = "its experts", "the gate of its feed-forward blocks", "its vocabulary"


@pytest.mark.parametrize(
    ("model", "words", "absent"),
    [
        ("llama-3.1-8b", [VOCABULARY, "its attention", "heads that share keys and values", GATE], [EXPERTS]),
        ("deepseek-v3", ["latent attention", EXPERTS, "modules that predict further tokens"], ["windows"]),
        ("gemma-3-27b", ["windows of attention"], [EXPERTS]),
        ("gpt3-175b", ["its attention"], [GATE, "heads that share keys and values"]),
    ],
)
def test_a_sheet_says_what_it_does_not_count(model: str, words: list[str], absent: list[str]) -> None:
    warnings = solve("ffn_memory", (), [f"model = {model}", *GIVEN]).warnings
    text = next(text for text in warnings if text.startswith(f"ffn_memory leaves out what {model} has: "))
    assert all(word in text for word in words)
    assert not any(word in text for word in absent)


def test_counting_blocks_is_not_counting_what_is_in_them() -> None:
    warnings = solve("activation_estimates", (), ["model = mixtral-8x7b", "seq_len = 4096"]).warnings
    assert EXPERTS in next(text for text in warnings if "leaves out" in text)


def test_the_cache_of_an_indexer_is_counted() -> None:
    warnings = solve("kv_cache", (), ["model = deepseek-v3.2", "seq_len = 4096", "n_sequences = 1"]).warnings
    assert not [text for text in warnings if "indexer" in text]


def test_a_sheet_that_counts_everything_is_silent() -> None:
    answer = solve("model_size", (), ["model = deepseek-v3"])
    assert not [text for text in answer.warnings if "leaves out" in text]


def test_a_sheet_that_takes_the_published_parameters_counts_all_of_them() -> None:
    answer = solve("gradient_sync", "gradient_memory", ["model = deepseek-v3"])
    assert not [text for text in answer.warnings if "leaves out" in text]


def test_a_shape_by_hand_is_no_model_that_has_more() -> None:
    answer = solve("ffn_memory", (), ["d_model = 4096", "d_ff = 16384", "n_blocks = 32", *GIVEN])
    assert not [text for text in answer.warnings if "leaves out" in text]


def test_it_stands_in_the_write_up() -> None:
    page = solve("ffn_memory", "device_memory", ["model = deepseek-v3", *GIVEN]).derivation()
    assert "leaves out what deepseek-v3 has" in page
