"""Time of a GPT training run, and the rate that a step's time shows, with recomputed activations."""

from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.training_time import TrainingTime


class GptTraining(TrainingTime, GlobalBatch):
    """Time of a GPT training run, and the rate that a step's time shows, with recomputed activations.

    The run takes 8 T P / (n X): tokens, parameters, chips and the rate of a chip, where the backward pass computes the
    forward pass again. A measured step_time gives chip_rate and the time to the goal.
    """

    # The model and its data: a goal of 300e9 tokens
    params = override(example=200e9)
    tokens_per_param = override(example=1.5)

    # The computation: 8 = 2 * (1 + 1 + 2) with recomputation, 6 = 2 * (1 + 2) without
    recomputation = choice(
        "full", "none", doc="Whether the backward pass computes the forward pass again", default="full"
    )
    forward_work_per_param_token = given(
        "Computation of a parameter for a token, forward: a multiplication and an addition",
        "FLOP/param/token",
        default=2,
        source="kaplan",
    )
    backward_ratio = given(
        "Backward passes over forward: gradients of inputs and of weights", default=2, source="kaplan"
    )

    model_work_per_param_token = formula(
        forward_work_per_param_token * (1 + backward_ratio),
        "FLOP/param/token",
        "Computation of a parameter for a token, each thing once",
        symbol=r"\phi_{\text{model}}",
    )
    work_per_param_token = override(
        model_work_per_param_token + select(recomputation, full=forward_work_per_param_token, none=0),
        "Computation of a parameter for a token, all that chips do",
    )

    # The rate and the time
    n_chips = override(example=384)
    chip_rate = override(doc="Rate that a chip sustains, recomputation included", example=150)
    model_rate = formula(
        chip_rate * model_work_per_param_token / work_per_param_token, "TFLOP/s", "Rate without the recomputation"
    )

    # The rest of a run
    done_tokens = given(
        "Tokens that the model has seen: none unless said",
        "token",
        default=0,
        example=50e9,
        minimum=0,
        symbol=r"D_{\text{done}}",
    )
    remaining_steps = formula((dataset_tokens - done_tokens) / tokens, "step", "Steps to the goal", symbol="S_+")
    remaining_time = formula(remaining_steps * step_time, "day", "Time to the goal", symbol="T_+")

    assumptions = (
        "Attention scores, embeddings and the optimizer's own work are left out.",
        "The rate is that of the whole run: waiting and restarts are in it.",
    )
    notes = (
        "The source's hardware rate is chip_rate, its model rate (6 in place of 8) is model_rate.",
        "A later revision of the source divides by 3660 for hours; an hour has 3600 seconds.",
    )
    sources = ("bigscience-tr11", "megatron-lm", "kaplan")
