"""What a page leaves out, since it says nothing: zeros, limits of what is absent; and what it must not leave out."""

from __future__ import annotations

from flopsheet import solve


def test_inputs_of_a_question_that_lacks_others_are_no_zeros() -> None:
    page = solve("hardware_wish", []).derivation("page")
    rows = page.partition("## Inputs")[2].partition("##")[0].splitlines()[4:]
    values = [row.split(" | ")[1] for row in rows if row.startswith("| ")]
    assert len(values) > 10
    assert not {"0", "0 token", "0 block"} & {*values}


def test_what_a_conflict_is_computed_from_is_among_the_inputs() -> None:
    """The activations that are sharded are half of 5760 GiB: (560 + 5760/2) / 4 = 860 GiB."""
    stack = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 256", "seq_len = 4096", "chip = h100-sxm"]
    page = solve("ffn_memory", "n_fsdp", [*stack, "n_fsdp <= 4"]).derivation("page")
    inputs = page.partition("## Inputs")[2].partition("## Steps")[0]
    assert "device_memory is 860 GiB" in page
    assert "`sharded_activation_fraction` | 0.5 |" in inputs
    assert "`chip.memory` | 80 GiB |" in inputs


def test_limits_that_hold_since_something_is_absent_have_no_row() -> None:
    answer = solve("kv_cache", "total_cache", ["model = llama-3.1-70b", "seq_len = 8192", "n_sequences = 16"])
    short, every = (answer.derivation(form).partition("## Limits")[2] for form in ("page", "derivation"))
    assert "`state_heads_divide`" in every
    assert "`state_heads_divide`" not in short
    assert "`stages_have_layers`" in short
    split = solve(
        "kv_cache", "total_cache", ["model = llama-3.1-70b", "seq_len = 8192", "n_sequences = 16", "n_tp = 8"]
    )
    assert "`heads_divide`" in split.derivation("page").partition("## Limits")[2]


def test_what_decides_names_no_zero_that_it_decides_over() -> None:
    answer = solve(
        "decode", "user_token_rate", ["model = llama-3.1-8b", "chip = h100-sxm", "n_sequences = 1", "seq_len = 4096"]
    )
    page = answer.derivation("page")
    decides = [line for line in page.splitlines() if " decides over " in line]
    assert decides
    assert not [line for line in decides if "(0 ms)" in line.partition(" decides over ")[2]]
