from flopsheet import choice, formula, given, indicator, max_, min_, mod, override, part, select
from flopsheet.builtin.models.collective_time import CollectiveTime
from flopsheet.builtin.models.drafts import Drafts
from flopsheet.builtin.models.forward_pass import ForwardPass


class Decode(ForwardPass, Drafts):
    """Time of a token and tokens per second of a model that generates for many sequences at once, on any machine.

    A step gives each sequence one token, or several with speculative decoding. It reads the weights and the past of
    all sequences; the batch at which computation takes longer than reading the weights is stated.
    """

    model = override(example="llama-3-70b")
    chip = override(example="h100-sxm")
    n_tp = override(example=8)

    # Tokens of a step
    context = given(
        "Tokens of the past that a step attends to, on average: the whole sequence unless stated",
        "token",
        inferred=seq_len,
        example=6144,
    )
    chip_sequences = formula(
        n_sequences / (n_pp * n_adp),
        "",
        "Sequences over groups of chips: those of each stage, and of data-parallel attention",
    )
    stage_sequences = formula(max_(1, chip_sequences), "", "Sequences that a stage computes at once on one chip")
    local_tokens = override(stage_sequences * (1 + n_draft) * single_token)
    n_token_ranks = override(n_adp)
    stage_tokens = override(max_(1, n_sequences / n_pp) * (1 + n_draft) * single_token)

    # Attention over the past: one read for all tokens of a step
    global_reach = formula(
        min_(context, indexer.top_k + (1 - indicator(indexer.top_k > 0)) * context),
        "token",
        "Tokens that a token attends to in a block without a window",
    )
    window_reach = formula(min_(context, window), "token", "Most tokens that a token attends to in a window")
    last_chunk = choice(
        "full",
        "mean",
        "cut",
        doc="Whether a chunk of attention counts as full, as filled on average, or as what the context leaves of it",
        default="full",
    )
    unread_tokens = formula(
        chunked
        * select(
            last_chunk,
            full=0,
            mean=indicator(context > window) * (window_reach - single_token) / 2,
            cut=window_reach - single_token - mod(context - single_token, max_(window_reach, single_token)),
        ),
        "token",
        "Tokens that are still to come in a chunk that does not count as full, or none",
    )
    attended_tokens = formula(
        n_global_blocks * global_reach + n_window_blocks * (window_reach - unread_tokens),
        "token",
        "Tokens that a token attends to, over all blocks",
    )
    sequence_traffic = formula(
        stage_share
        * (
            bytes_per_cached * (local_d_cached * attended_tokens + indexer.d_head * n_global_blocks * context) / n_cp
            + 2 * rank_state_cache
        ),
        "MB",
        "Past of a sequence that one chip reads in a stage; states are written too",
    )
    cache_traffic = formula(stage_sequences * sequence_traffic, "GB", "Past that one chip reads in a stage")
    pair_width = formula(
        n_heads * ((1 - latent) * (d_head + d_value) + latent * (2 * kv_rank + d_rope)),
        "",
        "Products of a pair of tokens: keys and values of all heads, or latent ones as they are kept",
    )
    sequence_pair_work = formula(
        (1 + n_draft)
        * single_token
        * stage_share
        * work_per_pair
        * (pair_width * attended_tokens / n_tp + indexer.n_heads * (indexer.d_head + 1) * n_global_blocks * context)
        / n_cp,
        "TFLOP",
        "Computation of one chip for pairs of tokens of a sequence in a stage",
    )
    pair_work = formula(
        stage_sequences * sequence_pair_work, "TFLOP", "Computation of one chip for pairs of tokens in a stage"
    )
    cache_time = formula(cache_traffic / memory_rate, "ms", "Time to read the past")
    sequence_attention_time = formula(
        max_(sequence_traffic / memory_rate, sequence_pair_work / sustained_attention_rate),
        "us",
        "Time of attention of a sequence: the longer of computation and reading its past",
    )
    attention_time = override(
        stage_sequences * sequence_attention_time, "Time of attention: reading the past, or computation if longer"
    )
    shared_moe_blocks = formula(
        n_moe_blocks * indicator(n_token_ranks <= 1), "", "Layers with experts whose tokens all chips of a stage have"
    )
    cp_sums = formula(
        stage_share * (n_attention_blocks + shared_moe_blocks),
        "",
        "Sums of a stage over the ranks of a sequence: outputs of attention, and of experts divided over them",
    )
    cp_streams = formula(
        stage_share * (n_attention_blocks * n_heads * d_value / d_model + shared_moe_blocks),
        "",
        "What they sum, in residual streams",
    )
    cp = part(
        CollectiveTime,
        "A residual stream, summed over the ranks of a sequence",
        operation="all_reduce",
        n_ranks=n_cp,
        payload=local_tokens * token_payload / n_tp,
        domain_ranks=max_(1, domain_chips / n_tp),
    )
    stage_cp_time = override(
        cp_sums * (cp.latency_time + indicator(n_cp > 1) * exchange_launch_time) + cp_streams * cp.transfer_time,
        doc="Context parallelism of a stage",
    )

    # A step: the sequences are divided over the stages, and each passes all of them at the pace of the slowest
    last_stage_share = formula(
        max_(1, n_blocks - (n_pp - 1) * n_stage_blocks) / n_stage_blocks,
        "",
        "Layers of the last stage over those of a full one: what full ones before it leave, or one",
    )
    slowest_stage_time = formula(
        max_(stage_pass_time, last_stage_share * stage_pass_time + output_time),
        "ms",
        "Time of the slowest stage: the last one also computes the output layer",
    )
    decode_time = formula(
        n_pp * slowest_stage_time + host_time + n_pp * stage_sequences * sequence_host_time,
        "ms",
        "Time of a step, that of its drafts aside",
    )
    draft_time = formula(
        n_draft * draft_ratio * decode_time,
        "ms",
        "Time of the drafts of a step",
    )
    token_time = formula(
        (decode_time + draft_time) / tokens_per_step, "ms", "Time of a token of a sequence", headline=True
    )

    # Rates
    user_token_rate = formula(single_token / token_time, "token/s", "Tokens per second of one sequence")
    replica_token_rate = formula(n_sequences * user_token_rate, "token/s", "Tokens per second of one replica")
    chip_token_rate = formula(replica_token_rate / replica_chips, "token/s", "Tokens per second over the chips")
    token_rate = formula(n_dp * replica_token_rate, "token/s", "Tokens per second of all replicas", headline=True)

    # What bounds them
    stage_read_traffic = formula(
        (dense_memory_time + expert_memory_time) * memory_rate + cache_traffic,
        "GB",
        "Weights and past that one chip reads in a stage",
    )
    read_traffic = formula(
        min_(1, chip_sequences)
        * (
            (dense_memory_time + expert_memory_time) * memory_rate / stage_share
            + head_matrix_params * bytes_per_outer_param / n_tp
        )
        + chip_sequences * sequence_traffic / stage_share,
        "GB",
        "Weights and past that one chip reads per step: the mean over the chips",
    )
    bandwidth_utilization = formula(
        read_traffic / (decode_time * chip.memory_bandwidth), "percent", "Share of the memory bandwidth that is reached"
    )
    decode_work = formula(
        chip_sequences
        * (
            (1 + n_draft)
            * single_token
            * ((dense_token_work + expert_token_work) / stage_share + head_work_per_token / n_tp)
            + sequence_pair_work / stage_share
        ),
        "TFLOP",
        "Computation of one chip per step: the mean over the chips",
    )
    utilization = formula(decode_work / (decode_time * peak_rate), "percent", "Share of the peak rate that is reached")
    exchange_share = formula(n_pp * stage_exchange_time / decode_time, "percent", "Exchanges over the time of a step")
    critical_tokens = formula(
        (dense_memory_time + all_experts_time) * sustained_matmul_rate / (dense_token_work + expert_token_work),
        "token",
        "Tokens of a step on one chip above which matrices take longer to compute than to read",
    )
    critical_sequences = formula(
        critical_tokens * n_pp * n_adp / (single_token * (1 + n_draft)),
        "",
        "Sequences of a replica above which matrices take longer to compute than to read",
    )

    assumptions = (
        "Latent attention multiplies by its up-projections as part of queries and outputs, and reads latents as kept.",
        "A step takes as long as with sequences spread evenly over groups of chips; memory is that of the fullest.",
        "All sequences have the same context; a token that is written takes no time.",
        "Chunks of attention are full, unless last_chunk = mean or cut.",
    )
    notes = (
        "The scaling book has matmul_efficiency = 1, memory_efficiency = 1 and no gaps: launch_time = 0 us.",
        "A draft that takes part of the chip's memory has draft_memory.",
        "Drafts are timed by the step that checks them, in speculative_decoding by a shorter one without them.",
    )
    sources = ("scaling-book-inference",)
