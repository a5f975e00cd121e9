from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.block_matrices import BlockMatrices
from flopsheet.builtin.models.model_size import ModelSize


class MatrixWork(ModelSize, BlockMatrices):
    """Computation of a token in the matrices and recurrent states of a language model, part by part, forward.

    Every matrix that multiplies a token counts twice its elements. Pairs of tokens are counted in sheets that extend
    this one.
    """

    model = override(example="deepseek-v3")

    # FLOP of a multiplication and an addition, by what is multiplied
    forward_work_per_param_token = given(
        "Forward FLOP per parameter and token: a multiplication and an addition",
        "FLOP/param/token",
        default=2,
        fixed=True,
        source="kaplan",
    )
    work_per_pair = given(
        "FLOP per product of a pair of tokens: a multiplication and an addition",
        "FLOP/token^2",
        default=2,
        fixed=True,
        source="kaplan",
    )
    work_per_state_value = given(
        "FLOP per pass over a value of a state: a multiplication and an addition",
        "FLOP/token",
        default=2,
        fixed=True,
        source="mamba-2",
    )
    lookup_work_per_value = given(
        "FLOP to look up a value of an embedding: none, it is copied", "FLOP/token", default=0, example=4, minimum=0
    )

    # Blocks, with those of modules that predict further tokens
    mtp_counted = choice("no", "yes", doc="Whether modules that predict further tokens count", default="no")
    n_counted_mtp = formula(select(mtp_counted, no=0, yes=mtp.n_modules), "", "Modules that count")
    n_worked_attention = formula(n_attention_blocks + n_counted_mtp, "", "Attentions that a token passes")
    n_worked_global = formula(n_global_blocks + n_counted_mtp, "", "Attentions without a window that a token passes")
    n_worked_moe = formula(n_moe_blocks + n_counted_mtp * mtp.experts, "", "Parts with experts")
    n_worked_dense = formula(n_dense_blocks + n_counted_mtp * (1 - mtp.experts), "", "Dense feed-forward parts")

    # Forward, by part
    projection_work_per_token = formula(
        forward_work_per_param_token
        * (
            n_worked_attention * attention_matrix_params
            - (n_shared_kv_blocks + n_shared_window_blocks) * key_value_matrix_params
        ),
        "GFLOP/token",
        "Projections of attention: queries, keys, values, output",
    )
    state_passes = formula(
        2 + state.delta_rule, "", "Passes over a state: a write, a read, and one more with a delta rule"
    )
    mixer_work_per_token = formula(
        state.n_blocks
        * (
            forward_work_per_param_token * state_matrix_params
            + work_per_state_value * state_passes * d_state_values * state.d_state
        ),
        "GFLOP/token",
        "Recurrent mixers: matrices, convolution and states",
    )
    ffn_work_per_token = formula(
        forward_work_per_param_token * (n_worked_dense * ffn_matrix_params + n_worked_moe * moe_dense_params),
        "GFLOP/token",
        "Dense feed-forward parts, shared experts included",
    )
    expert_work_per_token = formula(
        forward_work_per_param_token * n_worked_moe * routed_matrix_params, "GFLOP/token", "Routed experts"
    )
    router_work_per_token = formula(
        forward_work_per_param_token * n_worked_moe * router_matrix_params, "GFLOP/token", "Routers"
    )
    latent_expert_work_per_token = formula(
        forward_work_per_param_token * n_worked_moe * latent_expert_params,
        "GFLOP/token",
        "Matrices into the latent space of experts and back",
    )
    mtp_join_matrix_params = formula(
        2 * d_model**2 + select(latent_norms_counted, no=0, yes=mtp.norms * d_model),
        "param",
        "Matrix that joins the two inputs of a module, with the norms that count",
    )
    mtp_join_work_per_token = formula(
        forward_work_per_param_token * n_counted_mtp * mtp_join_matrix_params,
        "GFLOP/token",
        "Matrices that join the inputs of modules",
    )
    block_work_per_token = formula(
        (projection_work_per_token + mixer_work_per_token)
        + (ffn_work_per_token + expert_work_per_token)
        + (router_work_per_token + latent_expert_work_per_token + mtp_join_work_per_token),
        "GFLOP/token",
        "Matrices and recurrent states of all layers",
    )
    head_counted = choice(
        "all", "forward", "no", doc="Whether the output layer counts in all passes, forward only, or not", default="all"
    )
    head_matrix_params = formula(vocab * d_model, "param", "Matrix of the output layer")
    n_worked_heads = formula(
        select(head_counted, all=1 + n_counted_mtp, forward=1 + n_counted_mtp, no=0),
        "",
        "Output layers that a token passes, one more in each module",
    )
    head_work_per_token = formula(
        forward_work_per_param_token * n_worked_heads * head_matrix_params, "GFLOP/token", "Output layer"
    )
    lookup_work_per_token = formula(lookup_work_per_value * d_model, "GFLOP/token", "Lookup of the embedding")

    assumptions = (
        "The work of norms, softmax, activation functions, biases and parameters counted as others is left out.",
        "States count as a recurrence; kernels that work in chunks compute more.",
    )
    notes = ("EleutherAI counts the output layer once (head_counted = forward) and 4 FLOP per value looked up.",)
    sources = ("kaplan", "mamba-2", "gated-delta-net", "eleutherai-cookbook")
