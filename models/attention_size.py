from flopsheet import formula, indicator, override
from flopsheet.builtin.models.model_blocks import ModelBlocks


class AttentionSize(ModelBlocks):
    """Parameters of the attention of one layer: heads, latent attention, norms, gates, sinks and an indexer."""

    model = override(example="deepseek-v3")

    # Widths of all heads together
    d_attn = formula(n_heads * d_head, "", "Width of the queries of all heads")
    d_keys = formula(n_kv_heads * d_head, "", "Width of the keys of all heads")
    d_values = formula(n_kv_heads * d_value, "", "Width of the values of all heads")
    d_mixed = formula(n_heads * d_value, "", "Width of the mixed values of all heads")

    # Queries: one matrix, or a rank between two
    direct_queries = formula(1 - indicator(q_rank > 0), "", "1 if one matrix computes the queries, else 0")
    query_params = formula(direct_queries * d_attn * (d_model + qkv_bias), "param", "Queries: matrix and bias")
    latent_query_params = formula(
        q_rank * (d_model + norm_vectors + d_attn), "param", "Latent queries: down, norm and up"
    )

    # Keys and values: one matrix each, or a rank that both share beside a rotary key
    direct_keys = formula(1 - indicator(kv_rank > 0), "", "1 if keys and values have one matrix each, else 0")
    key_value_params = formula(
        direct_keys * (d_keys + d_values) * (d_model + qkv_bias),
        "param",
        "Keys and values: matrices and biases",
    )
    d_unrotated = formula(d_head - d_rope, "", "Part of a head that does not bear the position")
    latent_key_value_params = formula(
        d_rope * d_model + kv_rank * (d_model + norm_vectors + n_heads * d_unrotated + d_mixed),
        "param",
        "Latent keys and values: rotary key, down, norm and up",
    )

    latent_input_params = formula(
        (q_rank + kv_rank) * (d_model + norm_vectors) + d_rope * d_model,
        "param",
        "Matrices from the residual stream to latent queries, keys and values, with norms",
    )

    # Norms, gate and sinks of the heads
    head_norm_params = formula(
        2 * head_norm * d_head + wide_norm * (d_attn + d_keys),
        "param",
        "Norms of queries and keys: scales",
    )
    gate_params = formula(output_gate * d_mixed * d_model, "param", "Matrix that gates the mixed values")
    sink_params = formula(sinks * n_heads, "param", "Sinks of the heads")

    # Indexer of sparse attention: queries from the latent ones, one key with a norm, and a weight a head
    indexer_params = formula(
        indexer.n_heads * (q_rank * indexer.d_head + d_model) + indexer.d_head * (d_model + 2),
        "param",
        "Indexer: its queries, weights of its heads, and its key with scale and shift",
    )

    # Output, and the sum
    attention_out_params = formula(d_model * (d_mixed + output_bias), "param", "Output: matrix and bias")
    attention_params = formula(
        (query_params + latent_query_params)
        + (key_value_params + latent_key_value_params)
        + (head_norm_params + gate_params + sink_params + indexer_params)
        + attention_out_params,
        "param",
        "Attention parameters of a layer",
    )

    # Of these, what no format quantizes
    query_bias_params = formula(qkv_bias * direct_queries * d_attn, "param", "Bias of the queries")
    key_value_bias_params = formula(qkv_bias * direct_keys * (d_keys + d_values), "param", "Biases of keys and values")
    output_bias_params = formula(output_bias * d_model, "param", "Bias of the output of attention")
    latent_norm_params = formula(norm_vectors * (q_rank + kv_rank), "param", "Norms of latent queries, keys and values")
    indexer_vector_params = formula(
        indexer.n_heads * d_model + 2 * indexer.d_head, "param", "Indexer: weights of its heads, and norm of its key"
    )
    attention_vector_params = formula(
        (query_bias_params + key_value_bias_params + output_bias_params)
        + (latent_norm_params + head_norm_params + sink_params + indexer_vector_params),
        "param",
        "Biases, norms and sinks of the attention of a layer, and weights of the indexer's heads",
    )

    assumptions = ("Norms of queries and keys have a scale and no shift; those of latent attention are as all norms.",)
    sources = ("attention", "gqa", "deepseek-v2")
