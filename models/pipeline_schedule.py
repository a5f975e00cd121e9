from flopsheet import choice, formula, given, indicator, limit, max_, min_, mod, select
from flopsheet.builtin.models.parallel_degrees import ParallelDegrees


class PipelineSchedule(ParallelDegrees):
    """Activations that a pipeline keeps, the time that its stages wait, and the copies of weights it needs.

    Activations are counted in those of one micro-batch in all layers of one stage.
    """

    schedule = choice(
        "one_f_one_b",
        "gpipe",
        "interleaved",
        "zb_h1",
        "zb_h2",
        "zb_v",
        "dualpipe",
        doc="Order of forward and backward passes of micro-batches",
        default="one_f_one_b",
    )
    n_microbatches = given(
        "Micro-batches of a replica in a step; twice the stages is enough to fill every schedule",
        inferred=2 * n_pp,
        example=64,
        integer=True,
    )
    n_interleave = given(
        "Model chunks of a stage in the schedule interleaved: two or more",
        default=2,
        example=3,
        integer=True,
        minimum=2,
    )

    # Micro-batches whose activations a stage keeps at once
    pipeline_depth = formula(min_(n_pp, n_microbatches), "", "Stages that are filled, at most all")
    interleaved_depth = formula(
        min_(n_pp + (n_pp - 1) / n_interleave, n_microbatches),
        "",
        "Micro-batches in flight in the first stage when its chunks are interleaved",
    )
    n_in_flight = formula(
        select(
            schedule,
            one_f_one_b=pipeline_depth,
            gpipe=n_microbatches,
            interleaved=interleaved_depth,
            zb_h1=pipeline_depth,
            zb_h2=min_(2 * n_pp - 1, n_microbatches),
            zb_v=pipeline_depth,
            dualpipe=min_(n_pp + 1, n_microbatches),
        ),
        "",
        "Micro-batches in flight in the first stage",
    )
    n_last_in_flight = formula(
        select(
            schedule,
            one_f_one_b=1,
            gpipe=n_microbatches,
            interleaved=min_(n_pp - (n_pp - 1) / n_interleave, n_microbatches),
            zb_h1=pipeline_depth,
            zb_h2=min_(2 * n_pp - 1, n_microbatches),
            zb_v=pipeline_depth,
            dualpipe=min_(n_pp + 1, n_microbatches),
        ),
        "",
        "Micro-batches in flight in the last stage",
    )
    n_loss_in_flight = formula(
        select(schedule, one_f_one_b=1, gpipe=n_microbatches, interleaved=1, zb_h1=1, zb_h2=1, zb_v=1, dualpipe=1),
        "",
        "Micro-batches whose logits are kept at once",
    )
    joined_ends = formula(
        max_(
            indicator(n_pp <= 1),
            select(schedule, one_f_one_b=0, gpipe=0, interleaved=0, zb_h1=0, zb_h2=0, zb_v=1, dualpipe=1),
        ),
        "",
        "1 if one chip has the first and the last layers, else 0",
    )
    weight_copies = formula(
        select(schedule, one_f_one_b=1, gpipe=1, interleaved=1, zb_h1=1, zb_h2=1, zb_v=1, dualpipe=2),
        "",
        "Copies of the weights over all chips of a pipeline",
        headline=True,
    )
    stage_chunks = formula(
        select(schedule, one_f_one_b=1, gpipe=1, interleaved=n_interleave, zb_h1=1, zb_h2=1, zb_v=2, dualpipe=1),
        "",
        "Chunks of layers of a stage, between which micro-batches pass other stages",
    )

    # Waiting: times in units of the forward pass of a micro-batch through a stage
    backward_ratio = given("Time of a backward pass over that of a forward pass", default=2, source="kaplan")
    weight_share = given(
        "Share of a backward pass that computes gradients of weights", default=0.5, maximum=1, source="zero-bubble"
    )
    pair_ratio = given(
        "Time of a forward and a backward pass that overlap, over the sum of both: 1 gains nothing", default=1
    )

    pass_time = formula(1 + backward_ratio, "", "Forward and backward pass", symbol=r"\tau_{\text{pass}}")
    weight_time = formula(
        weight_share * backward_ratio, "", "Gradients of weights, which can wait", symbol=r"\tau_{\text{w}}"
    )
    input_time = formula(
        backward_ratio - weight_time,
        "",
        "Gradients of inputs, for which the stage before waits",
        symbol=r"\tau_{\text{b}}",
    )
    first_wait = formula(
        n_pp - n_microbatches + (n_pp - 1) * input_time,
        "",
        "Time until the first gradient reaches the first stage, less the forward passes that it has meanwhile",
        signed=True,
        symbol=r"\tau_{\text{first}}",
    )
    wait = formula(
        select(
            schedule,
            one_f_one_b=(n_pp - 1) * pass_time,
            gpipe=(n_pp - 1) * pass_time,
            interleaved=(n_pp - 1) * pass_time / n_interleave,
            zb_h1=max_((n_pp - 1) * (pass_time - 2 * weight_time), first_wait),
            zb_h2=max_((n_pp - 1) * (pass_time - 3 * weight_time), first_wait),
            zb_v=0,
            dualpipe=(n_pp / 2 - 1) * ((pair_ratio + 1) * pass_time - 1 - 3 * weight_time),
        ),
        "",
        "Time that a stage waits in a step; less than nothing if weights could wait longer",
        symbol=r"\tau_{\text{wait}}",
    )
    bubble_ratio = formula(
        max_(wait, 0) / (n_microbatches * pass_time), "", "Time that a stage waits over the time that it computes"
    )
    bubble_share = formula(
        bubble_ratio / (1 + bubble_ratio), "", "Time that a stage waits over that of a step", headline=True
    )

    # What schedules need
    ungrouped_microbatches = formula(
        select(
            schedule,
            one_f_one_b=0,
            gpipe=0,
            interleaved=mod(n_microbatches, n_pp),
            zb_h1=0,
            zb_h2=0,
            zb_v=0,
            dualpipe=0,
        ),
        "",
        "Micro-batches that interleaved stages cannot take in groups of as many as stages",
    )
    unpaired = formula(
        select(
            schedule,
            one_f_one_b=0,
            gpipe=0,
            interleaved=0,
            zb_h1=0,
            zb_h2=0,
            zb_v=0,
            dualpipe=mod(n_pp, 2) + mod(n_microbatches, 2) + max_(2 * n_pp - n_microbatches, 0),
        ),
        "",
        "Stages and micro-batches of DualPipe without a pair, and those that two per stage lack",
    )
    least_microbatches = formula(
        select(
            schedule,
            one_f_one_b=1,
            gpipe=1,
            interleaved=1,
            zb_h1=n_pp,
            zb_h2=2 * n_pp - 1,
            zb_v=2 * n_pp - 1,
            dualpipe=1,
        ),
        "",
        "Micro-batches from which on stages wait no longer than their schedule says",
        symbol=r"n_{\text{least}}",
    )
    schedule_is_filled = limit(
        n_microbatches >= least_microbatches, "Zero-bubble schedules have the micro-batches that they need"
    )
    microbatches_are_grouped = limit(ungrouped_microbatches <= 0, "Interleaved stages take all micro-batches in groups")
    both_ends_are_fed = limit(unpaired <= 0, "DualPipe has pairs of stages, and two micro-batches per stage or more")

    assumptions = (
        "Stages take equal times, and transfers between them none.",
        "Activations that only gradients of weights wait for count like others.",
    )
    notes = (
        "zb_v never waits where forward, backward and weight passes take equal times; elsewhere a little remains.",
        "With fewer micro-batches than a zero-bubble schedule needs, stages wait longer: zb_v counts none of that.",
        "Where DualPipe overlaps passes, pair_ratio is below 1; its source calls the product F&B.",
    )
    sources = ("gpipe", "megatron-lm", "korthikanti", "zero-bubble", "deepseek-v3")
