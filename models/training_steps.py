"""Steps of a training run, from its data and its batch."""

from flopsheet import Sheet, choice, floor, formula, given, ratio, select


class TrainingSteps(Sheet):
    """Steps of a training run, from its data and its batch."""

    dataset_tokens = given("Tokens that the model is trained on", "token", example=1.4e12)
    tokens = given("Tokens in a global batch", "token", example=4e6)
    last_batch = choice(
        "partial",
        "drop",
        "nearest",
        doc="Whether what is left of the data makes a part of a step, none, or a whole one from half a batch on",
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
        "Tokens of all steps: those of the data, or of whole batches",
    )
    n_steps = formula(trained_tokens / tokens, "step", "Steps through the data")

    assumptions = ("Each token is seen once, and all batches but the last are full.",)
