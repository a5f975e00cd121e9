from flopsheet import Expr, formula, geometric_sum, given, indicator, max_, min_, override, select
from flopsheet.builtin.models.decode import Decode


def in_progress(n_places: Expr, bound_room: Expr, growing_room: Expr, taken: Expr) -> Expr:
    """Return the sequences in progress, from one over the places up, by the rooms and what reading takes of one."""
    return 1 / max_(1 / n_places, min_(bound_room, growing_room / taken))


def reached(token_share: Expr, tokens: Expr) -> Expr:
    """Return the share of the experts that tokens reach, each a share of its own, evenly."""
    return token_share * geometric_sum(1 - token_share, tokens)


class DecodeAtLoad(Decode):
    """Sequences in progress and time of a token where a replica is asked for fewer tokens per second than it can give.

    A step of a few sequences takes less time than one of all: it has as many tokens as sequences, and its experts are
    those that these tokens reach. The full step is that of `decode`; here its parts are those of the load.
    """

    n_sequences = override(doc="Sequences that a replica decodes for at once, at most")
    head_tokens = override(local_tokens)

    # The load
    offered_token_rate = given("Tokens per second that a replica is asked for", "token/s", example=900)
    answer_share = given(
        "Share of the time that a replica has for its steps: all of it, or what prompts leave",
        default=1,
        example=0.9,
        minimum=0,
    )

    # What a step takes, however few its sequences are
    n_groups = formula(n_pp * n_adp, "", "Groups of sequences of a step: of each stage and each chip with its own")
    time_per_step = formula(
        (1 + n_draft * draft_ratio) / tokens_per_step, "", "Time of a token over that of a step without its drafts"
    )
    kernel_gap_time = formula(n_pp * launch_overhead, "ms", "Gaps between kernels, all stages")
    stage_gap_time = formula(
        n_stage_blocks * tp_sums * (tp.latency_time + indicator(n_tp > 1) * exchange_launch_time)
        + cp_sums * (cp.latency_time + indicator(n_cp > 1) * exchange_launch_time)
        + 2 * stage_share * n_moe_blocks * (ep.latency_time + indicator(n_token_ranks > 1) * exchange_launch_time)
        + pp.latency_time
        + indicator(n_pp > 1) * exchange_launch_time,
        "ms",
        "Latencies and launches of the exchanges of a stage",
    )
    exposed_output_time = formula(
        max_(
            0,
            output_read_time
            - (1 - last_stage_share) * (dense_memory_time + token_expert_share * all_experts_time + launch_overhead),
        ),
        "ms",
        "Time to read the output matrix that a last stage of fewer layers does not make up for",
    )
    waiting_time = formula(
        host_time + kernel_gap_time + select(overlap, none=n_pp * stage_gap_time, full=0),
        "ms",
        "Gaps and latencies of a step that nothing hides",
    )
    reading_time = formula(
        waiting_time + n_pp * (dense_memory_time + exposed_output_time),
        "ms",
        "Gaps, latencies and the time to read the matrices of a step, experts aside",
    )

    # What a sequence adds to it
    step_sequence_tokens = formula((1 + n_draft) * single_token, "token", "Tokens of a sequence in a step")
    sequence_exchange_time = formula(
        step_sequence_tokens
        * (
            token_payload
            * (n_stage_blocks * tp_streams * tp.byte_time + (pp.byte_time + cp_streams * cp.byte_time) / n_tp)
            + 2 * stage_share * n_moe_blocks * dispatch_payload * ep.byte_time
        ),
        "us",
        "Exchanges of a stage for a sequence, without latencies and launches",
    )
    sequence_matrix_time = formula(
        step_sequence_tokens * (dense_token_work + expert_token_work) / sustained_matmul_rate,
        "us",
        "Computation of a stage in matrices for a sequence",
    )
    sequence_output_time = formula(
        step_sequence_tokens * head_work_per_token / (n_tp * sustained_matmul_rate),
        "us",
        "Computation of the output layer for a sequence",
    )
    growing_time = formula(
        (sequence_attention_time + select(overlap, none=sequence_exchange_time, full=0) + sequence_host_time) / n_adp,
        "us",
        "Time that a sequence adds to a step, matrices aside",
    )
    computing_time = formula(
        growing_time + (sequence_matrix_time + sequence_output_time) / n_adp,
        "us",
        "Time that a sequence adds to a step, with the computation in matrices",
    )
    shared_share = formula(
        (reading_time + n_pp * read_expert_share * all_experts_time) * time_per_step / token_time,
        "",
        "Share of the time of a token that does not grow with the sequences, where matrices are read",
    )

    # Sequences in progress: each shares the steps with those that it meets, itself included
    step_rate = formula(
        offered_token_rate * time_per_step / single_token,
        "1/s",
        "Steps per second that a replica is asked for, if each had one sequence",
    )
    computing_room = formula(
        (answer_share - step_rate * computing_time) / (answer_share + step_rate * waiting_time),
        "",
        "One over the sequences in progress, if matrices took as long as they are computed",
        source="kelly",
        signed=True,
    )
    exchange_room = formula(
        (answer_share - step_rate * (sequence_exchange_time + sequence_host_time) / n_adp)
        / (answer_share + step_rate * (host_time + kernel_gap_time + n_pp * (stage_gap_time + exposed_output_time))),
        "",
        "One over the sequences in progress, if exchanges hid all else",
        source="kelly",
        signed=True,
    )
    launch_room = formula(
        (answer_share - step_rate * sequence_host_time / n_adp)
        / (answer_share + step_rate * (host_time + n_pp * (host_overhead + exposed_output_time))),
        "",
        "One over the sequences in progress, if the host hid all else",
        source="kelly",
        signed=True,
    )
    bound_room = formula(
        min_(computing_room, exchange_room, launch_room),
        "",
        "Least room of computation, exchanges and launches: where no matrix is read",
        signed=True,
    )
    growing_room = formula(
        answer_share - step_rate * growing_time,
        "",
        "Share of the time for parts of a step that do not grow with its sequences",
        signed=True,
    )
    group_tokens = formula(1 + n_draft, "", "Tokens of a step of one sequence")
    first_estimate = formula(
        in_progress(
            n_sequences,
            bound_room,
            growing_room,
            answer_share + step_rate * (reading_time + n_pp * read_expert_share * all_experts_time),
        ),
        "",
        "Sequences in progress if steps read as many experts as those of all places: an estimate, and too high",
        source="kelly",
    )
    first_experts = formula(
        reached(token_expert_share, group_tokens * max_(1, first_estimate / n_pp)),
        "",
        "Share of the experts that the estimated sequences reach",
    )
    second_estimate = formula(
        in_progress(
            n_sequences,
            bound_room,
            growing_room,
            answer_share + step_rate * (reading_time + n_pp * first_experts * all_experts_time),
        ),
        "",
        "Sequences in progress if steps read as many experts as that: a closer estimate",
        source="kelly",
    )
    second_experts = formula(
        reached(token_expert_share, group_tokens * max_(1, second_estimate / n_pp)),
        "",
        "Share of the experts that the estimated sequences reach",
    )
    third_estimate = formula(
        in_progress(
            n_sequences,
            bound_room,
            growing_room,
            answer_share + step_rate * (reading_time + n_pp * second_experts * all_experts_time),
        ),
        "",
        "Sequences in progress if steps read as many experts as that: a still closer one",
        source="kelly",
    )
    third_experts = formula(
        reached(token_expert_share, group_tokens * max_(1, third_estimate / n_pp)),
        "",
        "Share of the experts that the estimated sequences reach",
    )
    running_sequences = formula(
        in_progress(
            n_sequences,
            bound_room,
            growing_room,
            answer_share + step_rate * (reading_time + n_pp * third_experts * all_experts_time),
        ),
        "",
        "Sequences in progress on average, as one of them meets them: itself, and as many as there are",
        source="kelly",
        headline=True,
    )

    # A step of these sequences
    running_groups = formula(
        max_(1, running_sequences / n_groups), "", "Sequences that a stage computes at once on one chip"
    )
    running_dense_time = formula(
        max_(running_groups * step_sequence_tokens * dense_token_work / sustained_matmul_rate, dense_memory_time),
        "ms",
        "Time of the matrices of a stage, experts aside",
    )
    running_experts = formula(
        token_expert_share * geometric_sum(1 - token_expert_share, group_tokens * max_(1, running_sequences / n_pp)),
        "",
        "Share of the experts that are read",
    )
    running_expert_time = formula(
        max_(
            running_groups * step_sequence_tokens * expert_token_work / sustained_matmul_rate,
            running_experts * all_experts_time,
        ),
        "ms",
        "Time of the experts of a stage",
    )
    running_stage_time = formula(
        running_dense_time + running_expert_time + running_groups * sequence_attention_time,
        "ms",
        "Time that a stage computes and reads",
    )
    running_exchange_time = formula(
        stage_gap_time + running_groups * sequence_exchange_time, "ms", "Time of all exchanges of a stage"
    )
    running_work_time = formula(
        select(
            overlap,
            none=running_stage_time + running_exchange_time,
            full=max_(running_stage_time, running_exchange_time),
        ),
        "ms",
        "Time of a stage with its exchanges",
    )
    running_pass_time = formula(
        max_(running_work_time + launch_overhead, host_overhead),
        "ms",
        "Time of a stage, with the gaps between its kernels",
    )
    running_output_time = formula(
        max_(running_groups * sequence_output_time, output_read_time), "ms", "Time of the output layer"
    )
    running_token_time = formula(
        time_per_step
        * (
            n_pp * max_(running_pass_time, last_stage_share * running_pass_time + running_output_time)
            + host_time
            + n_pp * running_groups * sequence_host_time
        ),
        "ms",
        "Time of a token of a sequence at the load, while no prompts are computed",
        headline=True,
    )

    assumptions = (
        "Answers begin at random times and share steps evenly; they meet as many others as are in progress on average.",
        "The sequences in progress are those of steps whose parts all read, or all compute, their matrices.",
    )
    notes = (
        "Where more is asked for than a replica can give, all places are taken, and the time is that of a full step.",
    )
    sources = ("kelly",)
