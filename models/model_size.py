from flopsheet import formula, override
from flopsheet.builtin.models.attention_size import AttentionSize
from flopsheet.builtin.models.feed_forward_size import FeedForwardSize
from flopsheet.builtin.models.state_size import StateSize


class ModelSize(AttentionSize, StateSize, FeedForwardSize):
    """Total and active parameters of a language model, from its architecture, and the bytes of its weights.

    Every matrix, bias and norm is counted: the parts of a layer, then the layers that have them, then the model.
    """

    model = override(example="deepseek-v3")

    # Outside the layers
    embedding_params = formula(
        vocab * embedding_matrices * d_model, "param", "Embedding, and output matrix if it is another"
    )
    position_params = formula(n_positions * d_model, "param", "Parameters of the position embedding")
    head_bias_params = formula(head_bias * vocab, "param", "Bias of the output layer")
    norm_params = formula(norm_vectors * d_model, "param", "Parameters of one norm")
    outer_norm_params = formula(outer_norms * norm_params, "param", "Parameters of the norms outside the layers")

    # All layers
    attention_stack_params = formula(
        n_attention_blocks * attention_params - (n_shared_kv_blocks + n_shared_window_blocks) * key_value_params,
        "param",
        "Attention parameters of all layers",
    )
    state_stack_params = formula(state.n_blocks * state_params, "param", "Parameters of all recurrent mixers")
    dense_stack_params = formula(n_dense_blocks * ffn_params, "param", "Parameters of all dense feed-forward parts")
    moe_stack_params = formula(n_moe_blocks * moe_params, "param", "Parameters of all layers' experts and routers")
    block_norm_params = formula(n_blocks * block_norms * norm_params, "param", "Norms of all layers")
    stored_rope_params = formula(
        n_blocks * stored_rope, "param", "Rotary frequencies that the files count as parameters"
    )

    # The whole model
    params = formula(
        (embedding_params + position_params + head_bias_params + outer_norm_params)
        + (attention_stack_params + state_stack_params)
        + (dense_stack_params + moe_stack_params)
        + (block_norm_params + stored_rope_params + other_params),
        "param",
        "Parameters of the model",
        headline=True,
    )
    idle_params = formula(
        n_moe_blocks * (n_experts - computed_experts) * single_expert_params + layer_embedding_params,
        "param",
        "Parameters that compute nothing for a token: other experts, and embeddings that single layers have",
    )
    active_params = formula(params - idle_params, "param", "Parameters used for one token: all but the idle ones")
    non_embedding_params = formula(
        params - embedding_params - position_params - layer_embedding_params,
        "param",
        "Parameters without the embeddings and the output matrix",
    )

    # What the published files hold: modules that predict further tokens, encoders and scales too
    mtp_block_params = formula(
        attention_params + mtp.experts * moe_params + (1 - mtp.experts) * ffn_params + block_norms * norm_params,
        "param",
        "Parameters of the layer of a module that predicts a further token",
    )
    mtp_join_params = formula(2 * d_model**2, "param", "Matrix that joins the two inputs of a module")
    mtp_copy_params = formula(
        mtp.matrices * vocab * d_model,
        "param",
        "Vocabulary matrices that files hold again for a module that predicts a further token",
    )
    mtp_params = formula(
        mtp.n_modules * (mtp_block_params + mtp.norms * norm_params + mtp_join_params + mtp_copy_params),
        "param",
        "Parameters of all modules that predict further tokens",
    )
    file_params = formula(
        params + mtp_params + encoder_params + scale_params, "param", "Elements of the published files"
    )

    # Bytes of the weights, without those further parts
    expert_stack_params = formula(n_moe_blocks * n_experts * expert_matrix_params, "param", "Matrices of all experts")
    block_stack_params = formula(
        attention_stack_params
        + state_stack_params
        + dense_stack_params
        + n_moe_blocks * (shared_expert_params + dense_branch * ffn_params),
        "param",
        "Other parameters of the layers but for norms, routers and biases of experts",
    )
    block_vector_params = formula(
        (
            n_attention_blocks * attention_vector_params
            - (n_shared_kv_blocks + n_shared_window_blocks) * key_value_bias_params
        )
        + state.n_blocks * state_vector_params
        + n_dense_blocks * ffn_bias_params
        + n_moe_blocks * (shared_gate_params + dense_branch * ffn_bias_params),
        "param",
        "Vectors in the layers that no format quantizes: biases, norms, sinks, convolutions, gates of shared experts",
    )
    block_matrix_params = formula(
        block_stack_params - block_vector_params, "param", "Matrices of the layers, experts and routers aside"
    )
    expert_bias_stack_params = formula(n_moe_blocks * n_experts * expert_bias_params, "param", "Biases of all experts")
    copied_stack_params = formula(
        n_moe_blocks * (router_params + latent_expert_params),
        "param",
        "Routers of all layers, and matrices into the latent space of experts and back",
    )
    weight_memory = formula(
        expert_stack_params * stored.expert
        + block_matrix_params * stored.block
        + (params - expert_stack_params - block_matrix_params) * stored.other,
        "GiB",
        "Memory of the weights in the precision of the published files",
        headline=True,
    )

    assumptions = (
        "Blocks have the same heads, widths and norms, and differ only in which parts they have.",
        (
            "Formats of few bits hold the matrices of linear layers in the blocks: not biases, norms, sinks, routers, "
            "gates of shared experts, latents of experts, weights of an indexer's heads, convolutions and numbers of "
            "recurrent mixers, embedding and output matrix."
        ),
    )
    notes = (
        "Active parameters include the whole embedding and the output matrix; some authors leave out one or both.",
        "The parameter count that the record states is model.params; compare it with params, and file_params too.",
    )
    sources = ("llm-compressor", "deepseek-v3.2")
