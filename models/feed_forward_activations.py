from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.expert_size import ExpertSize
from flopsheet.builtin.models.layer_input import LayerInput


class FeedForwardActivations(LayerInput, ExpertSize):
    """Activations of the feed-forward part of one layer that the backward pass needs: dense, or experts."""

    model = override(example="deepseek-v3")

    # Bytes of the hidden layer: one or two inputs of the nonlinearity, with a gate, and the product that leads back
    bytes_per_nonlinear_input = given(
        "Bytes of an input of the nonlinearity of one token: one where it is kept in fp8",
        "byte/token",
        inferred=bytes_per_activation,
        example=2,
    )
    bytes_per_hidden = formula(
        (ffn_matrices - 1) * bytes_per_nonlinear_input + kept_products * bytes_per_matmul_input,
        "byte/token",
        "Bytes of a hidden unit of one token: both sides of the nonlinearity",
    )

    # Dense
    hidden_memory = formula(
        local_tokens * d_ff / n_tp * bytes_per_hidden, "MiB", "Hidden layer of a dense part, all its tensors"
    )
    mlp_memory = formula(
        part_input_memory + hidden_memory + mask_memory,
        "MiB",
        "Dense part: its input, both sides of the nonlinearity, and its dropout mask",
    )

    # Experts: with a balanced load, a chip gets as many tokens as it sends, however many chips share the experts
    capacity_factor = given(
        "Tokens that an expert has room for, over those of a balanced load: 1 drops or pads none", default=1
    )
    expert_weights = choice(
        "hidden",
        "outputs",
        doc="Whether weights of experts multiply hidden layers, or outputs, which are then kept",
        default="hidden",
    )
    bytes_per_router_value = given(
        "Bytes of an fp32 score of one expert for one token", "byte/token", default=4, source="switch-transformers"
    )

    router_memory = formula(
        2 * stream_tokens * (n_experts + n_empty_experts) * bytes_per_router_value,
        "MiB",
        "Scores of all experts, and their probabilities",
    )
    routed_tokens = formula(
        capacity_factor * computed_experts * local_tokens * n_etp / n_tp,
        "token",
        "Tokens that reach the experts of one chip, a copy for each that computes",
    )
    routed_input_memory = formula(
        routed_tokens * d_expert_in * bytes_per_matmul_input,
        "MiB",
        "Inputs of the experts",
    )
    expert_hidden_memory = formula(
        routed_tokens * d_expert / n_etp * bytes_per_hidden, "MiB", "Hidden layers of the experts"
    )
    expert_output_memory = formula(
        select(expert_weights, hidden=0, outputs=1) * routed_tokens / n_etp * d_expert_in * bytes_per_activation,
        "MiB",
        "Outputs of the experts, before their weights",
    )
    latent_output_memory = formula(
        stream_tokens * d_latent * bytes_per_matmul_input, "MiB", "Sum of the experts in their latent space"
    )
    shared_hidden_memory = formula(
        local_tokens * d_shared / n_tp * bytes_per_hidden + shared_gate * input_memory,
        "MiB",
        "Hidden layer of the shared experts, and their output where a gate weighs it",
    )
    moe_memory = formula(
        (part_input_memory + router_memory)
        + (routed_input_memory + expert_hidden_memory + expert_output_memory + latent_output_memory)
        + (shared_hidden_memory + dense_branch * mlp_memory + mask_memory),
        "MiB",
        "Part with experts: its input, the router, experts and shared experts",
        headline=True,
    )

    # Computed again, not kept
    repeated_mlp_memory = formula(
        (1 - kept_norms) * norm_output_memory
        + (1 - kept_products) * local_tokens * d_ff / n_tp * bytes_per_matmul_input,
        "MiB",
        "Activations of a dense part that are computed again: outputs of norm and nonlinearity",
        headline=True,
    )
    repeated_moe_memory = formula(
        dense_branch * repeated_mlp_memory
        + (1 - dense_branch) * (1 - kept_norms) * norm_output_memory
        + (1 - kept_products)
        * (routed_tokens * d_expert / n_etp + local_tokens * d_shared / n_tp)
        * bytes_per_matmul_input,
        "MiB",
        "Activations of a part with experts that are computed again",
        headline=True,
    )

    assumptions = ("Experts are equally loaded, and tensor-parallel chips send each token once.",)
    sources = ("korthikanti", "megatron-core-moe", "deepseek-v3")
