from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.training_time import TrainingTime


class GptTraining(TrainingTime, GlobalBatch):
    """Time of a GPT training run with recomputation, and the chip rate that a measured step implies.

    The run takes 8 T P / (n X) for T tokens, P parameters and n chips of rate X if the backward pass recomputes the
    forward pass. A measured step_time gives chip_rate, utilization and the remaining time.
    """

    # The model and its data: a goal of 300e9 tokens
    params = override(example=200e9)
    tokens_per_param = override(example=1.5)

    # The computation: 8 = 2 * (1 + 1 + 2) with recomputation, 6 = 2 * (1 + 2) without
    recomputation = choice("full", "none", doc="Whether the backward pass recomputes the forward pass", default="full")
    forward_work_per_param_token = given(
        "Forward FLOP per parameter and token: a multiplication and an addition",
        "FLOP/param/token",
        default=2,
        fixed=True,
        source="kaplan",
    )
    backward_ratio = given(
        "Backward over forward computation: gradients of inputs and of weights", default=2, source="kaplan"
    )

    model_work_per_param_token = formula(
        forward_work_per_param_token * (1 + backward_ratio),
        "FLOP/param/token",
        "FLOP per parameter and token, without recomputation",
        symbol=r"\phi_{\text{model}}",
    )
    work_per_param_token = override(
        model_work_per_param_token + select(recomputation, full=forward_work_per_param_token, none=0),
        "FLOP per parameter and token, with recomputation",
    )

    # The rate and the time
    n_chips = override(example=384)
    chip = override(example="a100-80gb")
    utilization = override(doc="Share of the peak rate that the run reaches, with recomputation", example=0.48)
    chip_rate = override(doc="Sustained rate of one chip, with recomputation")
    model_rate = formula(
        chip_rate * model_work_per_param_token / work_per_param_token,
        "TFLOP/s",
        "Sustained rate of one chip, without recomputation",
    )
    model_utilization = formula(
        model_rate / peak_rate, "", "Share of the peak rate that the run reaches, without recomputation"
    )

    # The remaining run
    done_tokens = given(
        "Tokens already trained on: none by default",
        "token",
        default=0,
        example=50e9,
        minimum=0,
        symbol=r"D_{\text{done}}",
    )
    remaining_steps = formula((dataset_tokens - done_tokens) / tokens, "step", "Remaining steps")
    remaining_time = formula(remaining_steps * step_time, "day", "Remaining time")

    lifted = (
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
    )
    assumptions = ("Attention scores, embeddings and the optimizer's own work are left out.",)
    notes = (
        "The source's hardware rate is chip_rate, its model rate (6 in place of 8) is model_rate.",
        "Others call the shares of the peak rate HFU (utilization) and MFU (model_utilization).",
        "A later revision of the source divides by 3660 for hours; an hour has 3600 seconds.",
    )
    sources = ("bigscience-tr11", "megatron-lm", "kaplan")
