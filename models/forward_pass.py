from flopsheet import formula, given, indicator, max_, min_, override, part, select
from flopsheet.builtin.models.collective_time import LAUNCHED_AT_ONCE, CollectiveTime
from flopsheet.builtin.models.served_model import ServedModel
from flopsheet.builtin.models.tensor_sums import TensorSums


class ForwardPass(ServedModel, TensorSums):
    """Time of some tokens in a pipeline stage that serves a model: matrices, experts, exchanges and launches.

    Each part takes the longer of its computation and of reading its weights. Attention over the past is timed by
    sheets that extend this one: a step of decoding, and a prefill.
    """

    model = override(example="llama-3-70b")

    # The tokens
    local_tokens = given("Tokens of a pass on one chip", "token", example=64)
    n_token_ranks = given("Groups of chips of a stage that have tokens of their own", example=1, integer=True)
    head_tokens = given("Tokens of a pass that the output layer computes", "token", inferred=local_tokens, example=64)
    stage_tokens = formula(local_tokens * n_token_ranks, "token", "Tokens of a pass on all chips of a stage")

    # Matrices of the layers, experts aside
    copied_work = formula(
        select(
            latent_inputs,
            copied=forward_work_per_param_token
            * n_worked_attention
            * (latent_input_matrix_params + indexer_matrix_params),
            divided=0,
        ),
        "GFLOP/token",
        "Computation in matrices that each tensor-parallel rank has whole",
    )
    copied_key_work = formula(
        forward_work_per_param_token
        * (
            (n_full_caches + n_window_caches) * copied_key_params * d_model / (d_model + qkv_bias)
            + state.n_blocks
            * copied_state_params
            * (d_model + state.d_conv)
            / (d_model + state.d_conv + state.conv_bias)
        ),
        "GFLOP/token",
        "Computation of keys, values and keys of states that a chip has beyond an even share",
    )
    dense_token_work = formula(
        stage_share
        * (
            (projection_work_per_token + mixer_work_per_token + ffn_work_per_token + mtp_join_work_per_token) / n_tp
            + copied_work * (1 - 1 / n_tp)
            + copied_key_work
            + router_work_per_token
            + latent_expert_work_per_token
        ),
        "GFLOP/token",
        "Computation of one chip in the matrices of a stage for a token; routers and latents of experts whole",
    )
    dense_work = formula(local_tokens * dense_token_work, "TFLOP", "Computation of one chip in the matrices of a stage")
    dense_time = formula(
        max_(dense_work / sustained_matmul_rate, dense_memory_time),
        "ms",
        "Time of the matrices of a stage: reading them, or computation if longer",
    )

    # Experts: those that some token of the pass is routed to
    token_expert_share = formula(
        min_(1, n_routed / max_(n_experts + n_empty_experts + n_redundant, 1)),
        "",
        "Share of the experts that a token reaches",
    )
    read_expert_share = formula(
        1 - (1 - token_expert_share) ** (stage_tokens / single_token),
        "",
        "Share of the experts that some token reaches: what is expected if tokens choose evenly, each on its own",
    )
    expert_token_work = formula(
        expert_imbalance * n_token_ranks * stage_share * expert_work_per_token / stage_chips,
        "GFLOP/token",
        "Computation of one chip in experts for a token of each group",
    )
    expert_work = formula(
        stage_tokens / n_token_ranks * expert_token_work, "TFLOP", "Computation of one chip in experts"
    )
    expert_memory_time = formula(read_expert_share * all_experts_time, "ms", "Time to read experts")
    expert_time = formula(
        max_(expert_work / sustained_matmul_rate, expert_memory_time),
        "ms",
        "Time of experts: reading them, or computation if longer",
    )

    # Output layer, once per pass through all stages
    output_compute_time = formula(
        head_tokens * head_work_per_token / (n_tp * sustained_matmul_rate), "ms", "Time to compute the output layer"
    )
    output_read_time = formula(
        head_matrix_params * bytes_per_outer_param / (n_tp * memory_rate), "ms", "Time to read the output matrix"
    )
    output_time = formula(
        max_(output_compute_time, output_read_time),
        "ms",
        "Time of the output layer: the longer of computation and reading",
    )

    token_payload = formula(d_model * bytes_per_activation, "kB/token", "Residual stream of a token")

    # Tensor parallelism: sums of the outputs of attention and of the feed-forward part
    tp = part(
        CollectiveTime,
        "Sum over tensor-parallel ranks",
        operation="all_reduce",
        n_ranks=n_tp,
        payload=local_tokens * token_payload,
    )
    expert_sums = override(indicator(n_token_ranks <= 1))
    stage_tp_time = formula(
        n_stage_blocks
        * (tp_sums * (tp.latency_time + indicator(n_tp > 1) * exchange_launch_time) + tp_streams * tp.transfer_time),
        "ms",
        "Tensor parallelism of a stage",
    )

    # Expert parallelism: tokens go to experts on other chips and come back, where ranks have tokens of their own
    dispatch_payload = formula(
        sent_copies * n_etp * d_expert_in * (bytes_per_dispatched + bytes_per_activation) / (2 * n_tp),
        "kB/token",
        "Copies of a token that a chip sends to experts and gets back: the mean of both",
    )
    ep = part(
        CollectiveTime,
        "Tokens on their way to experts and back: an all-to-all, the mean of both",
        operation="all_to_all",
        n_ranks=1 + indicator(n_token_ranks > 1) * (stage_chips - 1),
        payload=local_tokens * dispatch_payload,
    )
    stage_ep_time = formula(
        (2 * stage_share * n_moe_blocks) * (ep.collective_time + indicator(n_token_ranks > 1) * exchange_launch_time),
        "ms",
        "Expert parallelism of a stage: dispatch and combine",
    )

    # Pipeline: the residual stream to the next stage
    pp = part(
        CollectiveTime,
        "The residual stream on its way to the next stage, between domains unless one has all stages",
        operation="point_to_point",
        n_ranks=min_(n_pp, 2),
        payload=local_tokens * token_payload / n_tp,
        domain_ranks=1 + indicator(domain_chips >= stage_chips * n_pp),
    )

    # A stage
    attention_time = given("Time of attention in a stage", "ms", example=1, minimum=0)
    stage_cp_time = given("Context parallelism of a stage: none", "ms", default=0, example=1, minimum=0)
    stage_time = formula(
        dense_time + expert_time + attention_time, "ms", "Time that a stage computes and reads, without exchanges"
    )
    stage_exchange_time = formula(
        stage_tp_time + stage_cp_time + stage_ep_time + pp.collective_time + indicator(n_pp > 1) * exchange_launch_time,
        "ms",
        "Time of all exchanges of a stage",
    )
    stage_work_time = formula(
        select(overlap, none=stage_time + stage_exchange_time, full=max_(stage_time, stage_exchange_time)),
        "ms",
        "Time of a stage with its exchanges",
    )
    stage_pass_time = formula(
        max_(stage_work_time + launch_overhead, host_overhead),
        "ms",
        "Time of a stage, with the gaps between its kernels",
        headline=True,
    )

    lifted = (LAUNCHED_AT_ONCE,)
    assumptions = (
        "Activations stay in caches: only matrices and the past pass through memory.",
        "A token is routed to experts evenly and independently of others.",
        "Groups of experts are alike, unless expert_imbalance is above 1.",
        "The most loaded stage sets the pace of all stages.",
    )
