from flopsheet import formula, indicator, override
from flopsheet.builtin.models.activation_estimates import ActivationEstimates
from flopsheet.builtin.models.model_size import ModelSize
from flopsheet.builtin.models.model_states import ModelStates


class MegatronEstimate(ModelSize, ModelStates, ActivationEstimates):
    """Memory of the most loaded chip as Megatron-LM estimates it before a run.

    The chip has the embedding and an equal share of the layers, and recomputes only the scores of attention.
    """

    model = override(example="llama-3.1-8b")
    recipe = override(default="mixed_18", example="mixed_18")
    n_dp = override(default=1, example=8)
    megatron_d_ff = override(
        doc="Feed-forward width that Megatron-LM is told: d_ff, or that of an expert where no layer has a dense part",
        inferred=d_ff + (1 - indicator(d_ff > 0)) * d_expert,
    )

    # Parameters by how chips share them: tensor parallelism, expert parallelism, or not at all
    split_params = formula(
        block_stack_params - n_moe_blocks * shared_gate_params,
        "param",
        "Matrices of all layers but experts, which tensor parallelism divides",
    )
    copied_params = formula(
        params - embedding_params - split_params - expert_stack_params,
        "param",
        "Norms, routers and the like of all layers, of which each chip of a stage has a copy",
    )
    mtp_split_params = formula(
        mtp.n_modules
        * (
            attention_params
            + (1 - mtp.experts) * ffn_params
            + mtp.experts * (shared_matrix_params + dense_branch * ffn_params)
        ),
        "param",
        "Matrices of modules that predict further tokens, but experts",
    )
    mtp_expert_params = formula(
        mtp.n_modules * mtp.experts * n_experts * expert_matrix_params, "param", "Matrices of the experts of modules"
    )
    mtp_copied_params = formula(
        mtp.n_modules * mtp_block_params - mtp_split_params - mtp_expert_params, "param", "Norms and routers of modules"
    )

    # The most loaded chip: a stage, all modules, the embedding, and the output matrix where there is one stage
    single_stage = formula(1 - indicator(n_pp > 1), "", "1 if one stage has all layers, else 0")
    end_params = formula(
        embedding_params * (single_stage + (1 - single_stage) / embedding_matrices),
        "param",
        "Embedding, and output matrix if it is another and there is one stage",
    )
    rank_params = override(
        (split_params / n_pp + mtp_split_params + end_params) / n_tp + copied_params / n_pp + mtp_copied_params
    )
    rank_expert_params = override((expert_stack_params / n_pp + mtp_expert_params) / (n_etp * n_ep))

    device_memory = formula(
        state_memory + megatron_memory,
        "GiB",
        "Weights, gradients, optimizer state and activations on the most loaded chip",
        headline=True,
    )

    lifted = ("An even share of the model divides norms and routers too.",)
    assumptions = ("Stages have the same layers, and neither buffers nor the framework take memory.",)
    notes = (
        "A distributed optimizer is sharding = optimizer.",
        "Megatron-LM leaves out biases, learned positions and norms of heads; here they count.",
    )
