from flopsheet import Sheet, formula, given


class FfnShape(Sheet):
    """Shape of a feed-forward block: the widths of its two layers."""

    d_model = given("Width of the residual stream", example=16384, integer=True)
    d_ff = given("Width of the hidden layer of a feed-forward block", example=53248, integer=True)

    block_params = formula(
        2 * d_model * d_ff, "param", "Parameters of a block: two matrices, in and out, without a gate", integer=True
    )

    assumptions = ("A feed-forward block has two matrices and no biases.",)
