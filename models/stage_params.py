from flopsheet import ceil, formula, given, max_, min_, override
from flopsheet.builtin.models.activation_memory import ActivationMemory
from flopsheet.builtin.models.rank_params import RankParams


class StageParams(RankParams, ActivationMemory):
    """Parameters of a language model on one chip in training: of a mean layer, and of the ends of the pipeline.

    Tensor-parallel ranks divide most matrices and copy some; the ends of a pipeline have embedding and output matrix.
    """

    model = override(example="llama-3-70b")
    n_pp = override(example=4)

    widest_outer_params = formula(
        max_(vocabulary_params, layer_embedding_params) / n_tp,
        "param",
        "Parameters of the largest matrix outside the layers, on one chip",
    )

    # Layers
    n_stage_moe_blocks = given(
        "Blocks with experts of the most loaded stage",
        inferred=min_(n_stage_blocks, ceil(n_stage_blocks * n_moe_blocks / n_blocks)),
        minimum=0,
    )
    all_expert_params = formula(
        n_moe_blocks * n_experts * single_expert_params, "param", "Parameters of the routed experts of all layers"
    )
    mean_block_params = formula(
        (params - outer_params - all_expert_params) / n_blocks,
        "param",
        "Parameters of a layer, experts aside: the mean",
    )
    undivided_attention_params = formula(
        copied_latent_params + output_bias_params + (1 - wide_norm) * head_norm_params,
        "param",
        "Attention parameters that tensor parallelism does not divide: into latents, output bias, norms of heads",
    )
    undivided_moe_params = formula(
        router_params + latent_expert_params + shared_gate_params + dense_branch * ffn_output_bias_params,
        "param",
        "Parameters of a part with experts that it does not divide: router, latents, gate, bias of the output",
    )
    undivided_params = formula(
        block_norms * norm_params
        + (
            n_attention_blocks * undivided_attention_params
            + n_moe_blocks * undivided_moe_params
            + n_dense_blocks * ffn_output_bias_params
        )
        / n_blocks,
        "param",
        "Parameters of a layer that it does not divide: the mean",
    )
    copied_key_params = formula(
        (n_full_caches + n_window_caches)
        / n_blocks
        * direct_keys
        * (local_kv_heads - n_kv_heads / n_tp)
        * (d_head + d_value)
        * (d_model + qkv_bias),
        "param",
        "Keys and values that a chip has beyond an even share: a head each, where there are more ranks than heads",
    )
    rank_block_params = formula(
        (mean_block_params - undivided_params) / n_tp
        + undivided_params
        + copied_key_params
        + state.n_blocks / n_blocks * copied_state_params,
        "param",
        "Parameters of a layer on one chip, experts aside: the mean",
    )
    kept_params = formula(
        (params - outer_params - all_expert_params - block_matrix_params) / n_blocks,
        "param",
        "Parameters of a layer that no format quantizes, experts aside: the mean",
    )
    undivided_kept_params = formula(
        block_norms * norm_params
        + (whole_vector_params + copied_stack_params + n_attention_blocks * copied_latent_vector_params) / n_blocks,
        "param",
        "Parameters of a layer that no format quantizes and that tensor parallelism does not divide: the mean",
    )
    rank_block_kept_params = formula(
        (kept_params - undivided_kept_params) / n_tp
        + undivided_kept_params
        + copied_key_params * qkv_bias / (d_model + qkv_bias)
        + state.n_blocks / n_blocks * copied_conv_params,
        "param",
        "Parameters of a layer on one chip that no format quantizes, experts aside: the mean",
    )
    rank_layer_params = formula(
        rank_block_params + min_(1, n_moe_blocks) * n_experts * single_expert_params / (n_ep * n_etp),
        "param",
        "Parameters of a layer on one chip with its experts",
    )
    mtp_module_params = formula(
        mtp_block_params - mtp.experts * n_experts * single_expert_params + mtp.norms * norm_params + mtp_join_params,
        "param",
        "Parameters of a module that predicts a further token, experts aside",
    )
    undivided_mtp_params = formula(
        undivided_attention_params
        + (block_norms + mtp.norms) * norm_params
        + mtp.experts * undivided_moe_params
        + (1 - mtp.experts) * ffn_output_bias_params,
        "param",
        "Parameters of such a module that tensor parallelism does not divide",
    )
    rank_mtp_params = formula(
        (mtp_module_params - undivided_mtp_params) / n_tp + undivided_mtp_params,
        "param",
        "Parameters of a module that predicts a further token on one chip",
    )
    buffered_params = formula(
        max_(widest_outer_params, rank_block_params),
        "param",
        "Matrices on the chip whose gradients are new at once: those of a layer, or the largest outside the layers",
    )

    assumptions = (
        (
            "Tensor-parallel ranks copy norms, routers, positions, output biases, latents of experts and inputs of "
            "latent attention, and divide all else."
        ),
        "Products of experts add their gradients in place; those of other matrices are new, layer by layer, first.",
        "In memory, modules that predict further tokens take the places that layers leave free on the last stage.",
    )
