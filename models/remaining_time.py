from flopsheet import formula, given, limit, override
from flopsheet.builtin.models.global_batch import GlobalBatch


class RemainingTime(GlobalBatch):
    """Steps and time until a training run has seen its tokens, from the time of a step now."""

    dataset_tokens = given("Tokens that the model is trained on in all", "token", example=341e9)
    consumed_tokens = given(
        "Tokens that it has been trained on so far: none at the start", "token", default=0, example=193e9, minimum=0
    )
    step_time = given("Time of a step", "second", example=105)
    batch = override(example=2048)

    unfinished = limit(consumed_tokens <= dataset_tokens, "The run is not finished")
    remaining_tokens = formula(
        dataset_tokens - consumed_tokens, "token", "Tokens that the model is yet to be trained on", signed=True
    )
    remaining_steps = formula(remaining_tokens / tokens, "step", "Steps that are left", signed=True, headline=True)
    remaining_time = formula(remaining_steps * step_time, "day", "Time that is left", signed=True, headline=True)

    assumptions = ("Batch and time of a step stay as they are, and nothing fails.",)
    sources = ("bigscience-tr11",)
