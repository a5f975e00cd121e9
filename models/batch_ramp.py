from flopsheet import Sheet, choice, formula, given, limit, log, select


class BatchRamp(Sheet):
    """Steps of a training run whose batch grows to its full size, then stays there.

    It grows by equal amounts per step, so that its mean over the ramp is halfway between first and last, or per
    sequence, as Megatron-LM does in many stages: then small batches take more steps.
    """

    dataset_tokens = given("Tokens that the model is trained on", "token", example=150e9)
    seq_len = given("Tokens in a sequence", "token", example=2048, maximum=10**9, integer=True)

    # The ramp
    start_batch = given("Sequences in the first global batch", "sequence", example=192)
    final_batch = given("Sequences in the last global batch", "sequence", example=512)
    ramp_samples = given(
        "Sequences of the whole ramp", "sequence", default=9765625, minimum=0, source="bigscience-tr11"
    )

    ramp_growth = choice(
        "per_step",
        "per_sequence",
        doc="Whether the batch grows as much with each step, or with each sequence: then it must start smaller",
        default="per_step",
    )
    grows = limit(start_batch <= final_batch, "The batch grows to its full size")
    mean_ramp_batch = formula(
        select(
            ramp_growth,
            per_step=(start_batch + final_batch) / 2,
            per_sequence=(final_batch - start_batch) / log(final_batch / start_batch),
        ),
        "sequence",
        "Sequences in a global batch, averaged over the steps of the ramp",
    )
    ramp_steps = formula(ramp_samples / mean_ramp_batch, "step", "Steps of the ramp", headline=True)
    ramp_tokens = formula(ramp_samples * seq_len, "token", "Tokens of the ramp")
    ends = limit(ramp_tokens <= dataset_tokens, "The ramp ends within the run")

    # The run
    final_tokens = formula(final_batch * seq_len, "token", "Tokens in the last global batch")
    full_steps = formula((dataset_tokens - ramp_tokens) / final_tokens, "step", "Steps at the full batch", signed=True)
    n_steps = formula(ramp_steps + full_steps, "step", "Steps of the run", headline=True)

    assumptions = ("Steps of a ramp may be a fraction: they are not rounded.",)
    notes = (
        "Megatron-LM has stages of equally many sequences: ramp_growth = per_sequence is their limit for small stages.",
        "The sheet gpt_batch_ramp counts these stages; BigScience planned runs with the mean, ramp_growth = per_step.",
    )
    sources = ("bigscience-tr11",)
