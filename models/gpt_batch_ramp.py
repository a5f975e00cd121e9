"""Steps and samples until a batch that grows in equal stages reaches a size."""

from flopsheet import Sheet, formula, given, limit, log, ratio


class GptBatchRamp(Sheet):
    """Steps and samples until a batch that grows in equal stages reaches a size.

    Each stage has the same number of samples, and a batch that is larger by one increment. The sum of reciprocals that
    counts its steps is closed by the formula of Euler and Maclaurin.
    """

    # The ramp
    start_batch = given(
        "Sequences in the first global batch", "sequence", default=16, source="bigscience-tr11", symbol="b_0"
    )
    batch_increment = given(
        "Sequences by which the batch grows", "sequence", default=16, source="bigscience-tr11", symbol=r"\Delta b"
    )
    final_batch = given(
        "Sequences in the last global batch", "sequence", default=2048, source="bigscience-tr11", symbol="b_1"
    )
    ramp_samples = given(
        "Sequences of the whole ramp", "sequence", default=9765625, source="bigscience-tr11", symbol="m"
    )

    n_stages = formula((final_batch - start_batch) / batch_increment, "", "Times that the batch grows", symbol="k_1")
    stage_samples = formula(ramp_samples / n_stages, "sequence", "Sequences of a stage", symbol="m_1")

    # Up to one batch size, its own stage included
    batch = given("Sequences in the global batch that is reached", "sequence", example=384)
    grows = limit(batch >= start_batch, "The batch is one of the ramp")

    first_midpoint = formula(
        start_batch / batch_increment + ratio(1, 2), "", "First batch in increments, and a half", symbol="x_0"
    )
    last_midpoint = formula(
        batch / batch_increment + ratio(1, 2), "", "Last batch in increments, and a half", symbol="x"
    )
    reciprocals = formula(
        log(last_midpoint / first_midpoint) + (1 / last_midpoint**2 - 1 / first_midpoint**2) / 24,
        "",
        "Sum of increment over batch for the stages after the first",
        signed=True,
        symbol="h",
    )
    reached_steps = formula(
        stage_samples / start_batch + stage_samples * reciprocals / batch_increment,
        "step",
        "Steps of these stages",
        symbol="S_b",
    )
    reached_samples = formula(
        stage_samples * (1 + (batch - start_batch) / batch_increment),
        "sequence",
        "Sequences of these stages",
        signed=True,
        symbol="m_b",
    )

    assumptions = (
        "A stage ends at a part of a step: nothing is rounded.",
        "The sum over stages is within 0.1 % of the exact one where the first batch is at least one increment.",
    )
    notes = ("The source takes 76,894 whole samples a stage and counts 18,146 steps to a batch of 384; here 18,141.",)
    sources = ("bigscience-tr11",)
