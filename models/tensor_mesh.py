"""A parallel layout whose tensor parallelism has two axes: one along the residual stream, one along what is inside."""

from flopsheet import given, override
from flopsheet.builtin.models.parallel_layout import ParallelLayout


class TensorMesh(ParallelLayout):
    """A parallel layout whose tensor parallelism has two axes: one along the residual stream, one along what is inside.

    Inside are the heads of attention and the hidden layer of the feed-forward block.
    """

    n_tp_hidden = given("Parts of heads and hidden layer: one is a whole", default=1, example=8, integer=True)
    n_tp_residual = given("Parts of the residual stream: one is a whole", default=1, example=2, integer=True)
    n_tp = override(n_tp_hidden * n_tp_residual)

    assumptions = ParallelLayout.assumptions
