from flopsheet import formula, given, limit
from flopsheet.builtin.models.model_shape import ModelShape


class TrainingData(ModelShape):
    """Training tokens of a model, from its parameters, and the computation per token."""

    params = given("Parameters of the model", "param", inferred=model.params, example=70e9)
    active_params = given(
        "Parameters used for one token: all of them, but for idle experts",
        "param",
        inferred=(model.active_params, params),
    )
    has_active_params = limit(active_params <= params, "A token uses no more parameters than the model has")
    tokens_per_param = given("Training tokens per parameter", "token/param", default=20, source="chinchilla")
    work_per_param_token = given(
        "FLOP per parameter and token: two forward, four backward",
        "FLOP/param/token",
        default=6,
        fixed=True,
        source="kaplan",
    )

    dataset_tokens = formula(tokens_per_param * params, "token", "Tokens that the model is trained on")

    assumptions = (
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
    )
    sources = ("chinchilla", "kaplan")
