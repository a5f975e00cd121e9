from flopsheet import choice, formula, given, indicator, min_, select
from flopsheet.builtin.models.chip_peak import WIDTHS
from flopsheet.builtin.models.model_blocks import ModelBlocks


class KvCache(ModelBlocks):
    """Memory that inference keeps of the past: keys and values, and recurrent states.

    Blocks that attend to everything keep each token, blocks with a window only as many as it spans, and recurrent
    mixers one state however long the sequence. Latent attention keeps the rank that its heads share.
    """

    seq_len = given("Tokens in a sequence, those to come included", "token", example=131072, integer=True)
    n_sequences = given("Sequences that are served at once", example=8, integer=True)

    # Bytes of what is kept
    precision = choice(*WIDTHS, doc="Number format of keys and values", default="bf16")
    one_byte = given("Bytes of an 8-bit value", "byte/token", default=1, source="fp8-formats", symbol=r"\beta_{8}")
    bytes_per_cached = formula(
        one_byte * select(precision, **WIDTHS), "byte/token", "Bytes that hold one key or value of one token"
    )
    bytes_per_state_value = given("Bytes of a value of a recurrent state", "byte", default=4, source="ieee-754")
    bytes_per_past_input = given("Bytes of a past input of a convolution", "byte", default=2, source="bfloat16")

    # One token in one block
    latent = formula(indicator(kv_rank > 0), "", "1 if heads share latent keys and values, else 0")
    d_cached = formula(
        (1 - latent) * n_kv_heads * (d_head + d_value) + latent * (kv_rank + d_rope) + indexer.d_head,
        "",
        "Elements that a block keeps of a token, the key of the indexer included",
    )
    block_cache_per_token = formula(d_cached * bytes_per_cached, "byte/token", "Bytes that a block keeps of a token")

    # One sequence
    growth = formula(n_full_caches * block_cache_per_token, "KiB/token", "Bytes that a further token adds")
    full_cache = formula(growth * seq_len, "GiB", "Keys and values of blocks that keep all tokens")
    window_tokens = formula(min_(seq_len, window), "token", "Tokens that a block with a window keeps")
    window_cache = formula(
        n_window_caches * block_cache_per_token * window_tokens, "GiB", "Keys and values of blocks with a window"
    )
    state_elements = formula(
        state.n_blocks * state.n_heads * state.d_head * state.d_state,
        "",
        "Values of the recurrent states of a sequence",
    )
    conv_elements = formula(
        state.n_blocks
        * (2 * state.n_groups * state.d_state + state.n_heads * state.d_head)
        * (state.d_conv - indicator(state.d_conv > 0)),
        "",
        "Past inputs that the short convolutions keep of a sequence",
    )
    state_cache = formula(
        state_elements * bytes_per_state_value + conv_elements * bytes_per_past_input,
        "MiB",
        "Recurrent states and past inputs, however long the sequence",
    )
    sequence_cache = formula(full_cache + window_cache + state_cache, "GiB", "Memory of the past of one sequence")
    cache_per_token = formula(sequence_cache / seq_len, "KiB/token", "That memory over the tokens of the sequence")

    # All sequences
    total_cache = formula(n_sequences * sequence_cache, "GiB", "Memory of the past of all sequences")

    assumptions = ("A block with a window keeps no more than the window; a chunk takes as much once it is full.",)
    notes = ("Sparse attention reads fewer tokens and keeps them all.",)
    sources = ("gqa", "deepseek-v2", "gemma-3", "mamba-2")
