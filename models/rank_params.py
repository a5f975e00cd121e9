from flopsheet import choice, formula, override, select
from flopsheet.builtin.models.model_size import ModelSize
from flopsheet.builtin.models.state_share import StateShare


class RankParams(ModelSize, StateShare):
    """Parameters that one chip has at an end of the pipeline, and those that tensor-parallel ranks copy.

    The first end has the embeddings, the last one the output matrix and the last norm.
    """

    model = override(example="llama-3-70b")
    n_tp = override(example=8)

    # Parameters outside the layers: all on one chip, or those of one end of the pipeline
    outer_params = formula(
        embedding_params + layer_embedding_params + position_params + head_bias_params + outer_norm_params,
        "param",
        "Parameters outside the layers: embeddings, those of single layers too, output matrix and norms",
    )
    vocabulary_params = formula(vocab * d_model, "param", "One matrix of the vocabulary: embedding, or output")
    first_end_params = formula(
        (vocabulary_params + layer_embedding_params) / n_tp + position_params,
        "param",
        "Parameters of the first end on one chip: its part of the embeddings, and all positions",
    )
    last_end_params = formula(
        (vocabulary_params + head_bias_params) / n_tp + outer_norm_params,
        "param",
        "Parameters of the last end on one chip: its part of the output matrix, and all of the norm",
    )
    both_end_params = formula(
        (embedding_params + layer_embedding_params + head_bias_params) / n_tp + position_params + outer_norm_params,
        "param",
        "Parameters of both ends on one chip",
    )

    # Matrices of a layer that ranks copy
    latent_inputs = choice(
        "copied",
        "divided",
        doc="Whether tensor-parallel ranks copy or divide the matrices from the residual stream to latent attention",
        default="copied",
    )
    copied_latent_params = formula(
        select(latent_inputs, copied=latent_input_params + indexer_params, divided=0),
        "param",
        "Matrices from the residual stream to latent attention of a layer on each rank, with its indexer",
    )
    copied_latent_vector_params = formula(
        select(latent_inputs, copied=latent_norm_params + indexer_vector_params, divided=0),
        "param",
        "Norms of latents of a layer, and vectors of its indexer, that each rank has whole",
    )
    whole_vector_params = formula(
        n_attention_blocks * (output_bias_params + (1 - wide_norm) * head_norm_params)
        + (n_dense_blocks + n_moe_blocks * dense_branch) * ffn_output_bias_params
        + n_moe_blocks * shared_gate_params,
        "param",
        "Biases of outputs, norms of heads and gates of shared experts in all layers, which each rank has whole",
    )
    copied_conv_params = formula(
        copied_state_keys * (state.d_conv + state.conv_bias),
        "param",
        "Convolution of keys and queries of a mixer that a chip has beyond an even share",
    )
    copied_state_params = formula(
        copied_state_keys * (d_model + state.d_conv + state.conv_bias),
        "param",
        "Keys and queries of a mixer that a chip has beyond an even share: a group, where ranks are more than groups",
    )

    notes = (
        "Megatron-LM and DeepSeek copy the matrices into latents on each rank; others have latent_inputs = divided.",
    )
