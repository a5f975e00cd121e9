from flopsheet import choice, formula, override, select
from flopsheet.builtin.models.attention_size import AttentionSize
from flopsheet.builtin.models.feed_forward_size import FeedForwardSize
from flopsheet.builtin.models.state_size import StateSize


class BlockMatrices(AttentionSize, StateSize, FeedForwardSize):
    """Matrix elements that multiply a token in the parts of a layer: no biases, no norms, no idle experts."""

    model = override(example="deepseek-v3")

    # Attention
    query_matrix_params = formula(direct_queries * d_attn * d_model, "param", "Matrix of queries, without a rank")
    key_value_matrix_params = formula(
        direct_keys * (d_keys + d_values) * d_model, "param", "Matrices of keys and values, one each"
    )
    latent_norms_counted = choice(
        "no",
        "yes",
        doc="Whether norms of latent attention and of modules that predict further tokens count as a matrix",
        default="no",
    )
    latent_matrix_params = formula(
        q_rank * (d_model + d_attn)
        + d_rope * d_model
        + kv_rank * (d_model + n_heads * d_unrotated + d_mixed)
        + select(latent_norms_counted, no=0, yes=q_rank + kv_rank),
        "param",
        "Matrices of latent queries, keys and values, from the residual stream to all heads",
    )
    indexer_matrix_params = formula(
        indexer.n_heads * (q_rank * indexer.d_head + d_model) + indexer.d_head * d_model,
        "param",
        "Matrices of the indexer: queries, weights of heads, key",
    )
    latent_input_matrix_params = formula(
        (q_rank + kv_rank + d_rope) * d_model, "param", "Matrices from the residual stream to latents"
    )
    latent_head_matrix_params = formula(
        q_rank * d_attn + kv_rank * (n_heads * d_unrotated + d_mixed), "param", "Matrices from latents to heads"
    )
    output_matrix_params = formula(d_model * d_mixed, "param", "Matrix of the output of attention")
    attention_matrix_params = formula(
        (query_matrix_params + key_value_matrix_params + latent_matrix_params)
        + (indexer_matrix_params + gate_params + output_matrix_params),
        "param",
        "Matrices of attention: queries, keys, values, gate and output",
    )

    # Recurrent mixer
    conv_matrix_params = formula(d_state_conv * state.d_conv, "param", "Short convolution without its bias")
    gate_rank_params = formula(
        state.gate_rank * (2 * d_model + d_state_values + d_state_keys),
        "param",
        "Matrices of gate and decay through a rank",
    )
    state_matrix_params = formula(
        (state_in_params + conv_matrix_params)
        + (full_gate_params + gate_rank_params + selection_params)
        + state_out_params,
        "param",
        "Matrices and short convolution of one recurrent mixer",
    )

    # Feed-forward parts
    ffn_matrix_params = formula(ffn_matrices * d_model * d_ff, "param", "Matrices of a dense feed-forward part")
    router_counted = choice("yes", "no", doc="Whether routers and the gate of shared experts count", default="yes")
    router_matrix_params = formula(
        select(router_counted, yes=(n_experts + n_empty_experts) * d_model, no=0),
        "param",
        "Matrix of the router",
    )
    routed_matrix_params = formula(
        computed_experts * expert_matrix_params, "param", "Matrices of the experts that compute a token"
    )
    moe_dense_params = formula(
        shared_matrix_params + select(router_counted, yes=shared_gate_params, no=0) + dense_branch * ffn_matrix_params,
        "param",
        "Matrices of shared experts, their gate, and a dense part beside them",
    )

    assumptions = ("Tokens spread evenly over experts, those that compute nothing included.",)
    notes = (
        "Megatron-LM leaves routers out (router_counted = no) and counts latent norms (latent_norms_counted = yes).",
    )
    sources = ("attention", "deepseek-v2", "megatron-flop", "longcat-flash")
