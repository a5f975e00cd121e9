from flopsheet import formula, override
from flopsheet.builtin.models.expert_size import ExpertSize
from flopsheet.builtin.models.model_blocks import ModelBlocks


class FeedForwardSize(ModelBlocks, ExpertSize):
    """Parameters of the feed-forward part of one layer: dense, or experts with their router."""

    model = override(example="deepseek-v3")

    # Dense
    ffn_outputs = formula((ffn_matrices - 1) * d_ff + d_model, "", "Outputs of the matrices of a dense part")
    ffn_params = formula(
        ffn_matrices * d_model * d_ff + ffn_bias * ffn_outputs,
        "param",
        "Dense feed-forward part: matrices and biases",
    )
    ffn_bias_params = formula(ffn_bias * ffn_outputs, "param", "Biases of a dense part")
    ffn_output_bias_params = formula(ffn_bias * d_model, "param", "Bias of the output of a dense part")

    # What serves all experts of a layer
    router_params = formula((n_experts + n_empty_experts) * (d_model + router_bias), "param", "Router")
    latent_expert_params = formula(2 * d_model * d_latent, "param", "Matrices into that space and back")
    shared_matrix_params = formula(ffn_matrices * d_model * d_shared, "param", "Matrices of shared experts")
    shared_gate_params = formula(shared_gate * d_model, "param", "Gate that weighs the shared experts")
    shared_expert_params = formula(
        shared_matrix_params + shared_gate_params, "param", "Shared experts, and the gate that weighs them"
    )
    moe_params = formula(
        n_experts * single_expert_params
        + (router_params + latent_expert_params + shared_expert_params)
        + dense_branch * ffn_params,
        "param",
        "Feed-forward parameters of a layer with experts, and of a dense part beside them",
    )

    assumptions = ("The dense parts of all layers are alike.",)
    sources = ("attention", "switch-transformers", "deepseek-v2")
