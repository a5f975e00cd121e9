from flopsheet import formula, override
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

    assumptions = ("A feed-forward block has two matrices and no biases.",)
