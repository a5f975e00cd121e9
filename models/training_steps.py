from flopsheet import Sheet, choice, floor, formula, given, ratio, select


class TrainingSteps(Sheet):
    """Steps of a training run, from its data and its batch."""

    dataset_tokens = given("Tokens that the model is trained on", "token", example=1.4e12)
    tokens = given("Tokens in a global batch", "token", example=4e6)
    last_batch = choice(
        "partial",
        "drop",
        "nearest",
        doc="What an incomplete last batch becomes: a fraction of a step, no step, or the nearest whole number",
        default="partial",
    )

    trained_tokens = formula(
        select(
            last_batch,
            partial=dataset_tokens,
            drop=tokens * floor(dataset_tokens / tokens),
            nearest=tokens * floor(dataset_tokens / tokens + ratio(1, 2)),
        ),
        "token",
        "Tokens of all steps: all data, or whole batches",
    )
    n_steps = formula(trained_tokens / tokens, "step", "Steps of the run")

    assumptions = ("Each token is seen once, and all batches but the last are full.",)
