from flopsheet import given, override
from flopsheet.builtin.models.parallel_layout import ParallelLayout


class TensorMesh(ParallelLayout):
    """Parallel layout with two axes of tensor parallelism: the residual stream, and the inner layers.

    The inner layers are the attention heads and the hidden layer of the feed-forward block.
    """

    n_tp_hidden = given("Shards of heads and hidden layer: one for no sharding", default=1, example=8, integer=True)
    n_tp_residual = given("Shards of the residual stream: one for no sharding", default=1, example=2, integer=True)
    n_tp = override(n_tp_hidden * n_tp_residual)
