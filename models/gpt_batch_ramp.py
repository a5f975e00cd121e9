"""Steps and samples until a batch that grows in equal stages reaches a size."""

from flopsheet import Expr, Sheet, formula, given, limit, log


def harmonic(count: Expr) -> Expr:
    """Return the sum of 1/k up to a count, less Euler's constant: four terms, Euler and Maclaurin for others."""
    beyond = count + 4
    late = log(beyond) + 1 / (2 * beyond) - 1 / (12 * beyond**2) + 1 / (120 * beyond**4)
    return late - (1 / (count + 1) + 1 / (count + 2) + 1 / (count + 3) + 1 / beyond)


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

    stages_before = formula(
        start_batch / batch_increment - 1, "", "Stages that smaller batches would have had", signed=True, symbol="k_0"
    )
    stages_reached = formula(batch / batch_increment, "", "Stages from there to this batch", symbol="k_b")
    harmonic_before = formula(
        harmonic(stages_before),
        "",
        "Sum of reciprocals up to the first, less Euler's constant",
        signed=True,
        symbol="h_0",
    )
    harmonic_reached = formula(
        harmonic(stages_reached),
        "",
        "Sum of reciprocals up to this batch, less Euler's constant",
        signed=True,
        symbol="h_b",
    )
    reached_steps = formula(
        stage_samples * (harmonic_reached - harmonic_before) / batch_increment,
        "step",
        "Steps of these stages",
        signed=True,
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
        "The sum over stages is within a millionth of the exact one where the first batch is at least one increment.",
    )
    notes = ("The source takes 76,894 whole samples a stage; both count 18,146 steps to a batch of 384.",)
    sources = ("bigscience-tr11",)
