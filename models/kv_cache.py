from flopsheet import ceil, choice, equal, formula, given, indicator, limit, max_, min_, mod, override, select
from flopsheet.builtin.models.chip_peak import WIDTHS
from flopsheet.builtin.models.serving_layout import ServingLayout
from flopsheet.builtin.models.state_share import StateShare


class KvCache(StateShare, ServingLayout):
    """Memory that inference keeps of the past: keys and values, and recurrent states, of all sequences and on one chip.

    Blocks that attend to everything keep each token, blocks with a window only as many as it spans, and recurrent
    mixers one state however long the sequence. Latent attention keeps the rank that its heads share. A chip has the
    heads, layers, tokens and sequences that its rank leaves it, in whole blocks of tokens.
    """

    seq_len = given(
        "Tokens in a sequence, those to come included", "token", example=131072, maximum=10**9, integer=True
    )
    n_sequences = given("Sequences that are served at once", example=8, integer=True)

    # Bytes of what is kept
    cache_precision = choice(*WIDTHS, doc="Number format of keys and values", default="bf16")
    one_byte = given(
        "Bytes of an 8-bit value", "byte/token", default=1, fixed=True, source="fp8-formats", symbol=r"\beta_{8}"
    )
    bytes_per_cached = given(
        "Bytes that hold one key or value of one token",
        "byte/token",
        inferred=one_byte * select(cache_precision, **WIDTHS),
        fixed=True,
    )
    bytes_per_state_value = given("Bytes of a value of a recurrent state", "byte", default=4, source="ieee-754")
    bytes_per_past_input = given("Bytes of a past input of a convolution", "byte", default=2, source="bfloat16")

    # One token in one block
    latent = formula(indicator(kv_rank > 0), "", "1 if heads share latent keys and values, else 0")
    d_latent_cached = formula(latent * (kv_rank + d_rope), "", "Elements that the heads of a block share of a token")
    d_cached = formula(
        (1 - latent) * n_kv_heads * (d_head + d_value) + d_latent_cached + indexer.d_head,
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
    cache_per_token = formula(sequence_cache / seq_len, "KiB/token", "Memory of the past of a sequence over its tokens")

    # All sequences
    total_cache = formula(n_sequences * sequence_cache, "GiB", "Memory of the past of all sequences", headline=True)

    # One chip, the most loaded one
    n_stage_blocks = given("Blocks of the most loaded stage", inferred=ceil(n_blocks / n_pp), example=62, integer=True)
    stages_have_layers = limit(n_pp <= n_blocks, "Each stage has a layer or more")
    stage_share = formula(n_stage_blocks / n_blocks, "", "Share of the blocks that this stage has")
    local_kv_heads = formula(
        max_(n_kv_heads / n_tp, 1), "", "Key and value heads on one chip: at least one, copied if need be"
    )
    cache_split = choice(
        "heads",
        "sequences",
        doc="What tensor-parallel ranks divide: heads, which they copy if there are fewer of them, or sequences",
        default="heads",
    )
    ranks_have_work = limit(
        n_tp <= select(cache_split, heads=max_(n_heads, state.n_heads), sequences=d_model),
        "Each tensor-parallel rank has a head or more",
    )
    heads_divide = limit(
        equal(mod(select(cache_split, heads=n_heads, sequences=0), n_tp), 0), "Each rank has as many heads"
    )
    state_heads_divide = limit(
        equal(mod(select(cache_split, heads=state.n_heads, sequences=0), n_tp), 0),
        "Each rank has as many heads of recurrent states",
    )
    key_heads_divide = limit(
        equal(mod(select(cache_split, heads=max_(n_kv_heads, n_tp), sequences=0), min_(max_(n_kv_heads, 1), n_tp)), 0),
        "Each rank has as many key and value heads, or a copy of one that as many ranks have",
    )
    local_d_cached = formula(
        select(
            cache_split,
            heads=(1 - latent) * local_kv_heads * (d_head + d_value) + d_latent_cached,
            sequences=((1 - latent) * n_kv_heads * (d_head + d_value) + d_latent_cached) / n_tp,
        ),
        "",
        "Elements that a block keeps of a token on one chip, those of the indexer aside; latent ones are copied",
    )
    local_state_groups = override(
        select(cache_split, heads=max_(state.n_groups / n_tp, min_(1, state.n_groups)), sequences=state.n_groups / n_tp)
    )
    rank_state_cache = formula(
        state_cache / n_tp
        + state.n_blocks * copied_state_keys * (state.d_conv - indicator(state.d_conv > 0)) * bytes_per_past_input,
        "MiB",
        "Recurrent states and past inputs of a sequence on the chips of a tensor-parallel rank, all stages together",
    )
    cache_block = given(
        "Tokens of a block in which the cache is allocated: 16 in vLLM",
        "token",
        default=16,
        maximum=1024,
        integer=True,
        source="vllm",
    )
    held_tokens = formula(
        cache_block * ceil(seq_len / (n_cp * cache_block)),
        "token",
        "Tokens of a sequence for which one chip has room: whole blocks",
    )
    held_window_tokens = formula(
        cache_block * ceil(window_tokens / (n_cp * cache_block)),
        "token",
        "Tokens of a sequence for which one chip has room in a block with a window",
    )
    rank_sequence_cache = formula(
        stage_share
        * (
            bytes_per_cached * (local_d_cached + indexer.d_head) * (n_full_caches * held_tokens)
            + bytes_per_cached * (local_d_cached + indexer.d_head) * (n_window_caches * held_window_tokens)
            + rank_state_cache
        ),
        "GiB",
        "Memory of the past of one sequence on one chip",
    )
    local_sequences = formula(ceil(n_sequences / n_adp), "", "Sequences whose past one chip keeps", integer=True)
    cache_memory = formula(
        local_sequences * rank_sequence_cache, "GiB", "Memory of the past on one chip", headline=True
    )

    assumptions = (
        "A block with a window keeps no more than the window; a chunk takes as much once it is full.",
        "Blocks of several kinds are spread evenly over the stages.",
        "Ranks that divide sequences have equally many.",
    )
    notes = (
        "Sparse attention reads fewer tokens and keeps them all.",
        (
            "Scales of blocks of keys and values are left out: with them bytes_per_cached is 9/16 byte/token in NVFP4, "
            "17/16 in q8_0 of llama.cpp, and 656/576 for the latents of DeepSeek-V3 in fp8 by FlashMLA."
        ),
        "Multi-query attention on many chips, as that of PaLM, divides sequences: cache_split = sequences.",
        "The past of all sequences counts tokens; that on one chip counts whole blocks, as a server allocates them.",
    )
    sources = ("gqa", "deepseek-v2", "gemma-3", "mamba-2", "vllm")
