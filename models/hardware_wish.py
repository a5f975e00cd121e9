from flopsheet import Expr, formula, given, indicator, limit, max_, override, part, select
from flopsheet.builtin.models.attention_span import AttentionSpan
from flopsheet.builtin.models.decode import Decode


def slowest(layers: Expr, output: Expr, last_share: Expr, spared: Expr) -> Expr:
    """Return the time at the pace of the slowest stage; a last one has the output, and spares some of the time."""
    return max_(layers, last_share * layers + output - spared)


def needed(layers: Expr, output: Expr, last_share: Expr, left: Expr, held: Expr) -> Expr:
    """Return this pace over what is left of a step beside the time that full stages hold; a last one holds less."""
    spared = indicator(left > 0) * (1 - last_share) * held
    return max_(layers / left, (last_share * layers + output) / (left + spared))


class HardwareWish(Decode):
    """What a chip must have to generate tokens in a time that is promised: bandwidths, peak rate and memory.

    Each need is the least with which that part alone keeps the promise, were all others free. Where parts take turns,
    a chip needs more: `rates_need` is what all of its rates together need, and its own figures, asked as unknowns, are
    what it needs beside the others as they are. The largest need over what the chip has is what binds.
    """

    token_target = given("Time of a token that is promised", "ms", example=100)
    context = override(example=8192)

    # What no rate of a chip shortens
    step_target = formula(
        token_target * tokens_per_step / (1 + n_draft * draft_ratio),
        "ms",
        "Time of a step with which tokens come in time",
    )
    scheduler_time = formula(
        host_time + n_pp * stage_sequences * sequence_host_time, "ms", "Time of the scheduler and of sampling in a step"
    )
    gap_time = formula(n_pp * launch_overhead, "ms", "Gaps between the kernels of a step")
    n_tp_sums = formula(n_pp * n_stage_blocks * tp_sums, "", "Sums of a step over tensor-parallel ranks")
    n_tp_streams = formula(n_pp * n_stage_blocks * tp_streams, "", "What they sum, in residual streams")
    n_cp_sums = formula(n_pp * cp_sums, "", "Sums of a step over context-parallel ranks")
    n_ep_exchanges = formula(2 * n_pp * stage_share * n_moe_blocks, "", "Exchanges of a step with experts")
    exchange_latency = formula(
        n_tp_sums * (tp.latency_time + indicator(n_tp > 1) * exchange_launch_time)
        + n_cp_sums * (cp.latency_time + indicator(n_cp > 1) * exchange_launch_time)
        + n_ep_exchanges * (ep.latency_time + indicator(n_token_ranks > 1) * exchange_launch_time)
        + n_pp * (pp.latency_time + indicator(n_pp > 1) * exchange_launch_time),
        "ms",
        "Latency and launches of all exchanges of a step",
    )
    fixed_time = formula(
        scheduler_time + gap_time + exchange_latency,
        "ms",
        "Time of a step that passes before a chip of any rates has computed it",
    )
    sending_time = formula(step_target - fixed_time, "ms", "Time of a step that is left for transfers", signed=True)
    working_time = formula(
        sending_time + select(overlap, none=0, full=exchange_latency),
        "ms",
        "Time of a step that is left for reading and computation",
        signed=True,
    )

    # Each part alone, on this chip
    held_time = formula(
        gap_time + select(overlap, none=exchange_latency, full=0),
        "ms",
        "Time of a step that passes while a chip neither reads nor computes, the scheduler aside",
    )
    spared_time = formula(
        (1 - last_stage_share) * held_time / n_pp, "ms", "Part of it that a last stage of fewer layers spares"
    )
    layers_memory_time = formula(
        stage_read_traffic / memory_rate, "ms", "Time to read the weights and the past of a stage"
    )
    memory_time = formula(
        n_pp * slowest(layers_memory_time, output_read_time, last_stage_share, spared_time),
        "ms",
        "Time to read weights and past in a step, at the pace of the slowest stage, less what a last one spares",
    )
    layers_compute_time = formula(
        (dense_work + expert_work) / sustained_matmul_rate + pair_work / sustained_attention_rate,
        "ms",
        "Time to compute the layers of a stage",
    )
    compute_time = formula(
        n_pp * slowest(layers_compute_time, output_compute_time, last_stage_share, spared_time),
        "ms",
        "Time to compute a step, at the pace of the slowest stage, less what a last one spares",
    )
    link_time = formula(
        n_tp_streams * tp.scale_up_time
        + n_pp * cp_streams * cp.scale_up_time
        + n_ep_exchanges * ep.scale_up_time
        + n_pp * pp.scale_up_time,
        "ms",
        "Time of transfers inside domains in a step",
    )
    network_time = formula(
        n_tp_streams * tp.scale_out_time
        + n_pp * cp_streams * cp.scale_out_time
        + n_ep_exchanges * ep.scale_out_time
        + n_pp * pp.scale_out_time,
        "ms",
        "Time of transfers between domains in a step",
    )

    # Needed over what the chip has
    bandwidth_need = formula(
        needed(n_pp * layers_memory_time, n_pp * output_read_time, last_stage_share, working_time, held_time),
        "",
        "Memory bandwidth needed over that of the chip",
        signed=True,
    )
    rate_need = formula(
        needed(n_pp * layers_compute_time, n_pp * output_compute_time, last_stage_share, working_time, held_time),
        "",
        "Peak rate needed over that of the chip",
        signed=True,
    )
    link_need = formula(link_time / sending_time, "", "Bandwidth of links needed over that of the chip", signed=True)
    network_need = formula(network_time / sending_time, "", "Bandwidth needed into the network over that", signed=True)
    memory_need = formula(memory_fill / memory_utilization, "", "Memory needed over that of the chip")
    rates_need = formula(
        select(
            overlap,
            none=needed(
                n_pp * (stage_time + stage_exchange_time) - exchange_latency,
                n_pp * output_time,
                last_stage_share,
                max_(sending_time, 0),
                held_time,
            ),
            full=max_(
                needed(n_pp * stage_time, n_pp * output_time, last_stage_share, max_(working_time, 0), held_time),
                needed(
                    n_pp * stage_exchange_time - exchange_latency,
                    n_pp * output_time,
                    last_stage_share,
                    max_(sending_time, 0),
                    gap_time + exchange_latency,
                ),
            ),
        ),
        "",
        "Rates needed over those of the chip, all of them together: parts that take turns share the time",
        signed=True,
    )
    largest_need = formula(
        max_(bandwidth_need, rate_need, link_need, network_need, memory_need, rates_need),
        "",
        "Largest need over what the chip has: what binds",
    )

    # The least that a chip must have
    needed_memory_bandwidth = formula(
        bandwidth_need * chip.memory_bandwidth,
        "TB/s",
        "Memory bandwidth with which reading alone is in time",
        signed=True,
    )
    needed_peak_rate = formula(
        rate_need * peak_rate,
        "TFLOP/s",
        "Peak rate with which computation alone is in time, pairs of tokens at their share of it",
        signed=True,
    )
    needed_link_bandwidth = formula(
        link_need * scale_up_bandwidth, "GB/s", "Bandwidth of links with which they alone are in time", signed=True
    )
    needed_network_bandwidth = formula(
        network_need * scale_out_bandwidth,
        "GB/s",
        "Bandwidth into the network with which it alone is in time",
        signed=True,
    )
    needed_memory = formula(memory_need * chip.memory, "GiB", "Memory of a chip that holds its share")

    # The first token
    prompt_len = given(
        "Tokens of a prompt: the whole sequence unless stated", "token", inferred=seq_len, example=6144, integer=True
    )
    first_token_target = given("Time to the first token that is promised", "ms", example=2000)
    prompt = part(AttentionSpan, "Tokens that a token of a prompt attends to", seq_len=prompt_len)
    prompt_work = formula(
        prompt_len * block_work_per_token + single_token * head_work_per_token,
        "PFLOP",
        "Computation of a prompt in matrices, and of its first token in the output layer",
    )
    prompt_pair_work = formula(
        work_per_pair
        * prompt_len
        * (
            (d_attn + d_mixed) * (n_global_blocks * prompt.global_span + n_window_blocks * prompt.window_span)
            + indexer.n_heads * (indexer.d_head + 1) * n_global_blocks * prompt.past_tokens
        ),
        "TFLOP",
        "Computation of pairs of tokens of a prompt, all blocks",
    )
    needed_prompt_rate = formula(
        (prompt_work / sustained_matmul_rate + prompt_pair_work / sustained_attention_rate)
        * peak_rate
        / (replica_chips * first_token_target),
        "TFLOP/s",
        "Peak rate with which all chips of a replica compute a prompt in time, pairs of tokens at their share of it",
    )
    prompt_need = formula(needed_prompt_rate / peak_rate, "", "Peak rate needed for prompts over that of the chip")

    # FLOP per byte
    intensity = formula(decode_work / read_traffic, "FLOP/byte", "Computation of a step per byte that is read")
    ridge_point = formula(
        sustained_matmul_rate / memory_rate, "FLOP/byte", "Intensity above which a step is compute-bound"
    )

    launches_in_time = limit(
        scheduler_time + n_pp * host_overhead <= step_target, "The host starts all kernels in the time of a step"
    )
    latency_in_time = limit(fixed_time <= step_target, "Scheduler, launches and latency leave time in a step")
    memory_in_time = limit(memory_time <= working_time, "The memory is read in time")
    computation_in_time = limit(compute_time <= working_time, "Computation is in time")
    links_in_time = limit(link_time <= sending_time, "Transfers inside domains are in time")
    network_in_time = limit(network_time <= sending_time, "Transfers between domains are in time")
    tokens_in_time = limit(token_time <= token_target, "Tokens come in time")

    prompts_in_time = limit(prompt_need <= 1, "The computation of a prompt is in time")

    assumptions = ("For prompts, latent attention computes keys and values of all heads.",)
    notes = (
        "A need below 1 is met by the chip: by that part alone, or rates_need by all that take turns.",
        "With no time left, needs are negative, largest_need has no value, and latency_in_time is violated.",
        "Ask for chip.memory_bandwidth, chip.memory or scale_up_bandwidth: what the promise leaves is the answer.",
    )
    sources = ("roofline",)
