"""What a sheet leaves out of a model stands beside the answer."""

from __future__ import annotations

import re

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


def test_a_sheet_of_weights_and_caches_says_which_weights_it_leaves_out() -> None:
    warnings = solve("notebook_memory", (), ["model = gpt-oss-120b", "seq_len = 4096", "micro_batch = 1"]).warnings
    words = f"{VOCABULARY}, windows of attention, {GATE} and {EXPERTS}"
    assert f"notebook_memory leaves out what gpt-oss-120b has: {words}." in warnings


@pytest.mark.parametrize("sheet", ["ffn_memory", "compute_bound_batch", "notebook_memory", "transformer_words"])
@pytest.mark.parametrize(("model", "is_empty"), [("mixtral-8x22b", True), ("mamba-2.8b", True), ("llama-3-8b", False)])
def test_a_width_that_a_model_lacks_is_to_be_stated(sheet: str, model: str, is_empty: bool) -> None:
    """Its d_ff is 0, and so were the parameters of its feed-forward blocks, without a word."""
    text = f"d_ff of {model} is 0, as it has others instead: state d_ff."
    assert (text in solve(sheet, (), [f"model = {model}"]).warnings) is is_empty
    assert text not in solve(sheet, (), [f"model = {model}", "d_ff = 16384"]).warnings


@pytest.mark.parametrize("model", ["qwen3-next-80b-a3b", "mixtral-8x22b", "mamba-2.8b"])
def test_a_sheet_that_counts_experts_and_states_asks_for_no_width(model: str) -> None:
    assert not [text for text in solve("decode", (), [f"model = {model}"]).warnings if "instead" in text]


def test_the_cache_of_an_indexer_is_counted() -> None:
    warnings = solve("kv_cache", (), ["model = deepseek-v3.2", "seq_len = 4096", "n_sequences = 1"]).warnings
    assert not [text for text in warnings if "indexer" in text]


@pytest.mark.parametrize(
    ("sheet", "model", "named"),
    [
        ("kv_cache", "gemma-3-27b", []),
        ("kv_cache", "deepseek-v3", ["kv_cache leaves out what deepseek-v3 has: modules that predict further tokens."]),
        ("attention_span", "mixtral-8x7b", []),
    ],
)
def test_what_a_quantity_has_nothing_of_is_not_left_out(sheet: str, model: str, named: list[str]) -> None:
    """A cache holds no vocabulary and no experts; modules have caches of their own."""
    warnings = solve(sheet, (), [f"model = {model}", "seq_len = 4096"]).warnings
    assert [text for text in warnings if "leaves out" in text] == named


MODULES, ENCODERS = "modules that predict further tokens", "encoders of images or audio"
TRAINED = ("seq_len = 4096", "n_dp = 8", "chip = h200-sxm")
SERVED = ("seq_len = 4096", "n_sequences = 4", "chip = h200-sxm")


@pytest.mark.parametrize(
    ("sheet", "given", "words"),
    [
        ("training_memory", ("model = deepseek-v3", *TRAINED), MODULES),
        ("training_memory", ("model = deepseek-v3", "n_trained_mtp = 1", *TRAINED), ""),
        ("training_step", ("model = deepseek-v3", "batch = 64", *TRAINED), MODULES),
        ("training_step", ("model = deepseek-v3", "batch = 64", "mtp_counted = yes", *TRAINED), ""),
        ("transformer", ("model = deepseek-v3", "mtp_counted = yes"), ""),
        ("weight_format", ("model = deepseek-v3",), MODULES),
        ("decode", ("model = deepseek-v3", "mtp_counted = yes", *SERVED), MODULES),
        ("decode", ("model = gemma-3-27b", *SERVED), ENCODERS),
        ("training_memory", ("model = gemma-3-27b", *TRAINED), ENCODERS),
        ("kv_cache", ("model = gemma-3-27b", *SERVED[:2]), ""),
        ("transformer", ("model = gemma-3-27b",), ""),
        ("training_memory", ("model = llama-3-8b", *TRAINED), ""),
    ],
)
def test_what_a_choice_or_a_cell_has_off_is_left_out(sheet: str, given: tuple[str, ...], words: str) -> None:
    named = [text for text in solve(sheet, (), given).warnings if "leaves out" in text]
    assert named == ([f"{sheet} leaves out what {given[0][8:]} has: {words}."] if words else [])


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


@pytest.mark.parametrize(
    ("sheet", "unknown", "given", "text"),
    [
        ("kv_cache", "sequence_cache", ["seq_len = 4097"], "seq_len is 4097 token"),
        ("kv_cache", "seq_len", ["sequence_cache = 4 GiB"], "seq_len is 8192 token"),
        ("kv_cache", (), ["seq_len = 5000"], "seq_len is 5000 token"),
        (
            "prefill",
            "first_token_time",
            ["chip = h100-sxm", "n_tp = 1", "prompt_len = 9000"],
            "prompt_len is 9000 token",
        ),
        ("serving", "seq_len", ["prompt_len = 3000", "output_len = 4000"], "seq_len is 7000 token"),
        ("transformer", "train_work_per_token", ["seq_len = 8192"], "seq_len is 8192 token"),
    ],
)
def test_a_sequence_longer_than_a_model_was_made_for_is_named(
    sheet: str, unknown: str | tuple[()], given: list[str], text: str
) -> None:
    warnings = solve(sheet, unknown, ["model = llama-2-7b", *given]).warnings
    assert f"{text}, but llama-2-7b was made for 4096 token (model.context_len)." in warnings


@pytest.mark.parametrize(
    ("unknown", "given"),
    [
        ("sequence_cache", ["model = llama-2-7b", "seq_len = 4096"]),
        ("growth", ["model = llama-2-7b", "seq_len = 5000"]),  # which no length of a sequence changes
        ("sequence_cache", ["d_model = 4096", "n_heads = 32", "n_blocks = 32", "seq_len = 10**6"]),
    ],
)
def test_other_sequences_are_not(unknown: str, given: list[str]) -> None:
    assert not [text for text in solve("kv_cache", unknown, given).warnings if "was made for" in text]


@pytest.mark.parametrize("given", [(), ("n_rows = 5",), ("n_rows = 5", "d_in = 5", "d_out = 6")])
def test_a_cell_that_was_not_computed_is_named_once(given: tuple[str, ...]) -> None:
    answer = solve("roofline", (), ["chip = v100", *given])
    paragraphs = [text for text in answer.warnings if text.startswith("Not computed: ")]
    named = [name for text in paragraphs for name in re.split(", | and ", text[14:].partition(". ")[0])]
    assert sorted(named) == sorted({*named})
    formulas = (name for name, cell in answer.cells.items() if cell.cell.formula is not None)
    computed = {name for name in formulas if answer.cells[name].si is not None}
    assert not computed & {*named}
    assert [text for text in answer.warnings if "v100-sxm2-16gb has no chip.flops.bf16" in text]


SHARED = ["model = llama-3.2-1b", "batch = 32", "seq_len = 4096", "n_dp = 4"]


@pytest.mark.parametrize(
    ("given", "is_told"),
    [
        ([*SHARED, "chip = apple-m3-ultra"], True),
        ([*SHARED, "chip = apple-m3-ultra", "scale_up_bandwidth = 10 GB/s"], False),
        ([*SHARED[:3], "chip = apple-m3-ultra"], False),  # one chip sends nothing
        ([*SHARED, "chip = h100-sxm"], False),
    ],
)
def test_a_bandwidth_that_no_record_has_is_told(given: list[str], *, is_told: bool) -> None:
    told = "apple-m3-ultra has no chip.link.bandwidth: scale_up_bandwidth is presumed to be 50 GB/s."
    warnings = solve("training_step", "step_time", given).warnings
    assert any(text.startswith(told) for text in warnings) == is_told


@pytest.mark.parametrize(("chip", "sent"), [("rtx-4090", 32e9), ("h100-sxm", 50e9), ("apple-m3-ultra", 50e9)])
def test_a_network_card_is_no_faster_than_the_links_of_its_chip(chip: str, sent: float) -> None:
    """Four cards in a PC send over PCIe."""
    answer = solve("training_step", "scale_out_bandwidth", [*SHARED, f"chip = {chip}"])
    assert answer.cells["scale_out_bandwidth"].si == sent
