from flopsheet import Expr, Sheet, formula, given, limit, log


def harmonic(count: Expr) -> Expr:
    """Return the sum of 1/k up to a count, less Euler's constant, to nine digits.

    The Euler-Maclaurin formula is accurate for large counts: it is used four terms further up, which are subtracted.
    """
    beyond = count + 4
    series = 1 / (12 * beyond**2) - 1 / (120 * beyond**4) + 1 / (252 * beyond**6)
    late = log(beyond) + 1 / (2 * beyond) - series + 1 / (240 * beyond**8) - 1 / (132 * beyond**10)
    return late - (1 / (count + 1) + 1 / (count + 2) + 1 / (count + 3) + 1 / beyond)


class GptBatchRamp(Sheet):
    """Steps and samples of a batch ramp with equal stages, up to a given batch size.

    Every stage has the same number of samples, and a batch one increment larger than the stage before. The sum of
    reciprocals that counts the steps is evaluated by the Euler-Maclaurin formula.
    """

    # The ramp
    start_batch = given("Sequences in the first global batch", "sequence", default=16, source="bigscience-tr11")
    batch_increment = given(
        "Sequences added to the batch at each stage",
        "sequence",
        default=16,
        source="bigscience-tr11",
    )
    final_batch = given("Sequences in the last global batch", "sequence", default=2048, source="bigscience-tr11")
    ramp_samples = given("Sequences of the whole ramp", "sequence", default=9765625, source="bigscience-tr11")

    n_stages = formula((final_batch - start_batch) / batch_increment, "", "Number of increments", symbol="k_1")
    stage_samples = formula(ramp_samples / n_stages, "sequence", "Sequences per stage", symbol="m_1")

    # Up to one batch size, its own stage included
    batch = given("Sequences in the global batch to reach", "sequence", example=384)
    grows = limit(batch >= start_batch, "The batch is within the ramp")

    stages_before = formula(
        start_batch / batch_increment - 1,
        "",
        "Stage before the first, counted from a batch of one increment",
        signed=True,
        symbol="k_0",
    )
    stages_reached = formula(batch / batch_increment, "", "Stage of the given batch, counted alike", symbol="k_b")
    harmonic_before = formula(
        harmonic(stages_before),
        "",
        "Harmonic sum up to the stage before the first, less Euler's constant",
        signed=True,
        symbol="h_0",
    )
    harmonic_reached = formula(
        harmonic(stages_reached),
        "",
        "Harmonic sum up to the stage of the given batch, less Euler's constant",
        signed=True,
        symbol="h_b",
    )
    reached_steps = formula(
        stage_samples * (harmonic_reached - harmonic_before) / batch_increment,
        "step",
        "Steps to the end of the stage of the given batch",
        signed=True,
        symbol="S_b",
        headline=True,
    )
    reached_samples = formula(
        stage_samples * (1 + (batch - start_batch) / batch_increment),
        "sequence",
        "Sequences to the end of the stage of the given batch",
        signed=True,
        symbol="m_b",
        headline=True,
    )

    assumptions = (
        "A stage may end within a step: nothing is rounded.",
        "The sum over stages is exact to nine digits if the first batch is at least one increment.",
    )
    notes = ("The source uses 76,894 whole samples per stage; both give 18,146 steps to a batch of 384.",)
    sources = ("bigscience-tr11",)
