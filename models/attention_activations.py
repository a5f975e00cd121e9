from flopsheet import choice, formula, given, indicator, max_, override, select
from flopsheet.builtin.models.layer_input import LayerInput


class AttentionActivations(LayerInput):
    """Activations of the attention of one layer that the backward pass needs, tensor by tensor."""

    model = override(example="deepseek-v3")

    # Queries, keys and values
    recompute_heads = choice(
        "no", "yes", doc="Whether latent attention computes queries, keys and values of heads again", default="no"
    )
    kept_heads = formula(
        1 - select(recompute_heads, no=0, yes=1) * indicator(kv_rank > 0),
        "",
        "1 if queries, keys and values of heads are kept, else 0",
    )
    local_kv_heads = formula(
        max_(n_kv_heads / n_tp, 1), "", "Key and value heads on one chip: at least one, copied if need be"
    )

    qkv_memory = formula(part_input_memory, "MiB", "Input of the query, key and value matrices")
    latent_memory = formula(
        stream_tokens
        * (
            (q_rank + kv_rank + d_rope) * bytes_per_activation
            + kept_norms * (q_rank + kv_rank) * bytes_per_matmul_input
        ),
        "MiB",
        "Latent queries, keys and values before and after their norms, and the rotary key",
    )
    query_key_memory = formula(
        kept_heads * local_tokens * (n_heads / n_tp + local_kv_heads) * d_head * bytes_per_activation,
        "MiB",
        "Queries and keys, for the scores",
    )
    head_norm_memory = formula((head_norm + wide_norm) * query_key_memory, "MiB", "Queries and keys before their norms")
    value_memory = formula(
        kept_heads * local_tokens * local_kv_heads * d_value * bytes_per_activation,
        "MiB",
        "Values, for attention over values",
    )
    indexer_memory = formula(
        local_tokens * (indexer.n_heads * (indexer.d_head + 1) + indexer.d_head) * bytes_per_activation,
        "MiB",
        "Queries, weights and key of the indexer",
    )

    # Scores: fused attention keeps one number a head and token, the logarithm of the sum of its exponents
    attention_kernel = choice(
        "flash", "unfused", doc="Whether attention is fused, or writes its scores", default="flash"
    )
    bytes_per_score = given("Bytes of the bf16 score of a pair of tokens", "byte/token^2", default=2, source="bfloat16")
    bytes_per_score_mask = given(
        "Bytes of the dropout mask of one score", "byte/token^2", default=1, source="korthikanti", minimum=0
    )
    bytes_per_logsumexp = given(
        "Bytes of the fp32 logarithm of a sum of exponents", "byte/token", default=4, source="flash-attention"
    )
    written_scores = formula(select(attention_kernel, flash=0, unfused=1), "", "1 if scores are written, else 0")

    scores = formula(
        written_scores * n_heads * micro_batch * seq_len**2 / (n_tp * n_cp),
        "token^2",
        "Attention scores that are written: one per head and pair of tokens",
    )
    softmax_memory = formula(scores * bytes_per_score, "MiB", "Output of the softmax")
    dropout_memory = formula(masks * scores * bytes_per_score_mask, "MiB", "Dropout mask of the scores")
    weighting_memory = formula(
        masks * scores * bytes_per_score, "MiB", "Scores after dropout, for attention over values"
    )
    score_memory = formula(
        softmax_memory + dropout_memory + weighting_memory, "MiB", "Activations that grow with pairs of tokens"
    )
    logsumexp_memory = formula(
        (1 - written_scores) * local_tokens * n_heads / n_tp * bytes_per_logsumexp,
        "MiB",
        "Logarithms of the sums of exponents, which fused attention keeps",
    )

    # Output
    bytes_per_head_output = given(
        "Bytes of an output of a head of one token: 1.5 where it is kept in 12 bits",
        "byte/token",
        inferred=bytes_per_activation,
        example=2,
    )
    projection_memory = formula(
        local_tokens * n_heads * d_value / n_tp * bytes_per_head_output,
        "MiB",
        "Output of the heads: input of the output matrix",
    )
    gate_memory = formula(2 * output_gate * projection_memory, "MiB", "Gate of the heads, and their output before it")
    attention_memory = formula(
        (qkv_memory + latent_memory + query_key_memory + head_norm_memory + value_memory + indexer_memory)
        + (logsumexp_memory + projection_memory + gate_memory + mask_memory),
        "MiB",
        "Activations of attention that grow with tokens",
        headline=True,
    )

    repeated_attention_memory = formula(
        (1 - kept_norms) * (norm_output_memory + stream_tokens * (q_rank + kv_rank) * bytes_per_matmul_input)
        + (1 - kept_heads)
        * local_tokens
        * ((1 + head_norm + wide_norm) * (n_heads / n_tp + local_kv_heads) * d_head + local_kv_heads * d_value)
        * bytes_per_activation,
        "MiB",
        "Activations of attention that are computed again, not kept: outputs of norms, and heads",
        headline=True,
    )

    assumptions = (
        "Rotary positions replace queries and keys, and keep nothing.",
        "Scores of windows are written in full where attention is not fused.",
        "The output of the heads is kept once, also where matrix products read fewer bytes.",
        "Blocks that reuse keys and values of earlier blocks count as others.",
    )
    sources = ("korthikanti", "flash-attention", "deepseek-v2")
