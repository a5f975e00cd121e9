from flopsheet import formula, limit, override
from flopsheet.builtin.models.model_shape import ModelShape


class FfnShape(ModelShape):
    """Shape of a feed-forward block: the widths of its two layers."""

    d_model = override(example=16384)
    d_ff = override(example=53248)

    block_params = formula(
        2 * d_model * d_ff,
        "param",
        "Parameters of a block: two matrices, in and out, without a gate",
        integer=True,
        headline=True,
    )

    has_dense_part = limit(d_ff >= 1, "The hidden layer has a width: a model of experts alone has no d_ff, state one")

    assumptions = ("A feed-forward block has two matrices and no biases.",)
