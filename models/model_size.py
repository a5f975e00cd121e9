from flopsheet import Architecture, Sheet, formula, indicator, part


class ModelSize(Sheet):
    """Total and active parameters of a language model, from its architecture.

    Every matrix, bias and norm is counted: the embedding, then a layer part by part, then the model. A layer has a
    dense feed-forward part or experts.
    """

    model = part(Architecture, "Architecture whose parameters are counted", example="deepseek-v3")

    # Outside the layers
    embedding_params = formula(
        model.vocab * model.embedding_matrices * model.d_model,
        "param",
        "Parameters of the vocabulary embedding, and of the output layer if it has its own matrix",
    )
    position_params = formula(model.n_positions * model.d_model, "param", "Parameters of the position embedding")
    head_bias_params = formula(model.head_bias * model.vocab, "param", "Bias of the output layer")
    norm_params = formula(model.norm_vectors * model.d_model, "param", "Parameters of one norm")
    outer_norm_params = formula(model.outer_norms * norm_params, "param", "Parameters of the norms outside the layers")

    # Attention of a layer
    d_attn = formula(model.n_heads * model.d_head, "", "Width of the queries of all heads")
    d_keys = formula(model.n_kv_heads * model.d_head, "", "Width of the keys of all heads")
    d_values = formula(model.n_kv_heads * model.d_value, "", "Width of the values of all heads")
    d_mixed = formula(model.n_heads * model.d_value, "", "Width of the mixed values of all heads")
    direct_queries = formula(
        1 - indicator(model.q_rank > 0), "", "1 if one matrix computes the queries, else 0", symbol=r"b_{\text{q}}"
    )
    direct_keys = formula(
        1 - indicator(model.kv_rank > 0),
        "",
        "1 if keys and values have one matrix each, else 0",
        symbol=r"b_{\text{kv}}",
    )
    query_params = formula(
        direct_queries * d_attn * (model.d_model + model.qkv_bias), "param", "Matrix and bias of the queries"
    )
    key_value_params = formula(
        direct_keys * (d_keys + d_values) * (model.d_model + model.qkv_bias),
        "param",
        "Matrices and biases of keys and values",
    )
    latent_query_params = formula(
        model.q_rank * (model.d_model + 1 + d_attn), "param", "Latent queries: down-projection, norm and up-projection"
    )
    latent_key_value_params = formula(
        model.d_rope * model.d_model
        + model.kv_rank * (model.d_model + 1 + model.n_heads * (model.d_head - model.d_rope) + d_mixed),
        "param",
        "Latent keys and values: rotary key, down-projection, norm and up-projections",
    )
    head_norm_params = formula(
        2 * model.head_norm * model.d_head + model.wide_norm * (d_attn + d_keys),
        "param",
        "Norms of queries and keys: scales only",
    )
    attention_out_params = formula(
        model.d_model * (d_mixed + model.output_bias), "param", "Matrix and bias of the attention output"
    )
    attention_params = formula(
        query_params
        + key_value_params
        + latent_query_params
        + latent_key_value_params
        + head_norm_params
        + attention_out_params,
        "param",
        "Attention parameters of a layer",
    )

    # Feed-forward part of a layer
    ffn_params = formula(
        model.ffn_matrices * model.d_model * model.d_ff
        + model.ffn_bias * ((model.ffn_matrices - 1) * model.d_ff + model.d_model),
        "param",
        "Dense feed-forward part: its matrices, each with a bias where the model has them",
    )
    single_expert_params = formula(
        model.ffn_matrices * model.d_model * model.d_expert
        + model.ffn_bias * ((model.ffn_matrices - 1) * model.d_expert + model.d_model),
        "param",
        "Parameters of one expert of a layer",
    )
    router_params = formula(
        model.n_experts * (model.d_model + model.router_bias),
        "param",
        "Router, with a bias per expert where the model has it",
    )
    shared_expert_params = formula(
        model.ffn_matrices * model.d_model * model.d_shared + model.shared_gate * model.d_model,
        "param",
        "Shared experts, and the gate that weighs them",
    )
    moe_params = formula(
        model.n_experts * single_expert_params + router_params + shared_expert_params,
        "param",
        "Feed-forward parameters of a layer with experts",
    )

    # A layer
    layer_params = formula(
        attention_params + ffn_params + model.block_norms * norm_params,
        "param",
        "Parameters of a layer with a dense part",
    )
    moe_layer_params = formula(
        attention_params + moe_params + model.block_norms * norm_params, "param", "Parameters of a layer with experts"
    )

    # The whole model
    dense_stack_params = formula(
        (model.n_blocks - model.n_moe_blocks) * layer_params, "param", "Parameters of all layers with a dense part"
    )
    moe_stack_params = formula(model.n_moe_blocks * moe_layer_params, "param", "Parameters of all layers with experts")
    stored_rope_params = formula(
        model.n_blocks * model.stored_rope, "param", "Rotary frequencies that the files count as parameters"
    )
    params = formula(
        embedding_params
        + position_params
        + head_bias_params
        + outer_norm_params
        + dense_stack_params
        + moe_stack_params
        + stored_rope_params,
        "param",
        "Parameters of the model",
    )
    idle_params = formula(
        model.n_moe_blocks * (model.n_experts - model.n_routed) * single_expert_params,
        "param",
        "Parameters of the experts that a token is not routed to",
    )
    active_params = formula(params - idle_params, "param", "Parameters used for one token: all but those experts")
    non_embedding_params = formula(
        params - embedding_params - position_params, "param", "Parameters without the embeddings and the output matrix"
    )

    assumptions = (
        "Blocks have the same heads, widths and norms, and differ only in their feed-forward part.",
        "Norms of queries and keys, and those of latent attention, have a scale and no shift.",
        "Multi-token prediction modules, and encoders of images or audio, are not counted.",
    )
    notes = (
        "Active parameters include the whole embedding and the output matrix; some authors leave out one or both.",
        "The parameter count that the record states is model.params; compare it with params.",
    )
    sources = ("attention", "gqa", "deepseek-v2")
