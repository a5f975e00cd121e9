from flopsheet import choice, formula, given, limit, max_, override, select, sqrt
from flopsheet.builtin.models.ffn_shape import FfnShape
from flopsheet.builtin.models.scale_up_links import ScaleUpLinks


class ComputeBoundBatch(FfnShape, ScaleUpLinks):
    """Smallest batch at which a feed-forward block under FSDP and tensor parallelism is compute-bound.

    The forward pass of one block on a torus of chips. FSDP gathers the weights, tensor parallelism gathers and reduces
    the activations; both times are compared with that of the matrix products. Asking for which tokens the limit
    compute_bound holds gives the same batch.
    """

    # The block
    bytes_per_param = given("Bytes of a bf16 weight", "byte/param", default=2, source="bfloat16")
    bytes_per_activation = given("Bytes of a bf16 activation of one token", "byte/token", default=2, source="bfloat16")
    forward_work_per_param_token = given(
        "Forward FLOP per parameter and token: a multiplication and an addition",
        "FLOP/param/token",
        default=2,
        fixed=True,
        source="kaplan",
    )

    # The chip and the axes of its torus
    chip = override(example="tpu-v5p")

    n_axes = formula(chip.link.dimensions, "", "Axes of the torus of the chips", integer=True)
    axis_bandwidth = formula(
        scale_up_bandwidth / n_axes, "GB/s", "Send rate of one chip along one axis, its links both ways together"
    )
    critical_intensity = formula(
        peak_rate / axis_bandwidth,
        "FLOP/byte",
        "Peak FLOP of one chip per byte sent along one axis",
        symbol=r"\alpha_{\text{axis}}",
    )

    # The mesh
    n_fsdp = given("Devices over which the training state is sharded", example=16, integer=True)
    n_tp = given("Tensor-parallel degree: devices that share each matrix product", example=4, integer=True)
    fsdp_axes = given("Axes of the torus that FSDP uses", example=2, integer=True, symbol=r"M_X")
    tp_axes = given("Axes of the torus that tensor parallelism uses", example=1, integer=True, symbol=r"M_Y")

    n_chips = formula(n_fsdp * n_tp, "chip", "Chips of the mesh", integer=True)

    # Time of one block, forward
    axes = choice(
        "overlapped", "summed", doc="Whether FSDP and tensor-parallel communication overlap", default="overlapped"
    )
    axes_exist = limit(
        select(axes, overlapped=fsdp_axes + tp_axes, summed=max_(fsdp_axes, tp_axes)) <= n_axes,
        "The torus has that many axes: communication that overlaps has axes of its own",
    )
    tokens = given("Tokens in a global batch", "token", example=32768)

    tokens_per_chip = formula(tokens / n_chips, "token", "Tokens of the global batch per chip")
    math_time = formula(
        forward_work_per_param_token * block_params * tokens / (n_chips * peak_rate),
        "ms",
        "Time of the matrix products",
        symbol=r"t_{\text{math}}",
    )
    fsdp_time = formula(
        bytes_per_param * block_params / (n_tp * axis_bandwidth * fsdp_axes),
        "ms",
        "Time to gather the weights",
        symbol=r"t_{\text{fsdp}}",
    )
    tp_time = formula(
        2 * bytes_per_activation * d_model * tokens / (n_fsdp * axis_bandwidth * tp_axes),
        "ms",
        "Time to gather the inputs and to reduce the outputs, of equal size",
        symbol=r"t_{\text{tp}}",
    )
    communication_time = formula(
        select(axes, overlapped=max_(fsdp_time, tp_time), summed=fsdp_time + tp_time),
        "ms",
        "Communication time of the block",
        symbol=r"t_{\text{comm}}",
    )
    compute_bound = limit(communication_time <= math_time, "Communication takes no longer than computation")

    # One axis alone
    one_axis_tokens_per_chip = formula(
        critical_intensity * bytes_per_param / forward_work_per_param_token,
        "token",
        "Smallest compute-bound batch per chip with FSDP alone on one axis",
        symbol=r"b_1",
    )
    all_axes_tokens_per_chip = formula(
        one_axis_tokens_per_chip / n_axes,
        "token",
        "Smallest compute-bound batch per chip with FSDP alone on all axes",
        symbol=r"b_{\text{all}}",
    )
    max_n_tp = formula(
        forward_work_per_param_token
        * block_params
        * tp_axes
        / (2 * bytes_per_activation * d_model * critical_intensity),
        "",
        "Largest compute-bound tensor-parallel degree, at any batch",
        symbol=r"n_{\text{tp,max}}",
    )
    tp_bound = limit(n_tp <= max_n_tp, "Tensor-parallel communication takes no longer than computation")

    # Both together: the smallest batch
    min_tokens_per_chip = formula(
        select(axes, overlapped=1, summed=1 / (1 - n_tp / max_n_tp)) * one_axis_tokens_per_chip / (n_tp * fsdp_axes),
        "token",
        "Smallest compute-bound batch per chip on the mesh, if n_tp is at most max_n_tp",
        symbol=r"b_{\min}",
        headline=True,
    )
    min_tokens = formula(
        n_chips * min_tokens_per_chip,
        "token",
        "Smallest compute-bound batch of the mesh, if n_tp is at most max_n_tp",
        symbol=r"B_{\min}",
        headline=True,
    )
    min_tokens_per_shard = formula(
        n_tp * min_tokens_per_chip, "token", "Smallest compute-bound batch per FSDP shard", symbol=r"b_{\text{shard}}"
    )

    # The best split of as many chips
    best_n_fsdp = formula(
        sqrt(
            2
            * bytes_per_activation
            * d_model
            * tokens
            * n_chips
            * fsdp_axes
            / (bytes_per_param * block_params * tp_axes)
        ),
        "",
        "FSDP shards at which both communication times are equal and their sum is smallest",
        symbol=r"n_{\text{fsdp}}^{*}",
    )
    best_min_tokens_per_chip = formula(
        select(axes, overlapped=1, summed=4) * one_axis_tokens_per_chip / (max_n_tp * fsdp_axes),
        "token",
        "Smallest compute-bound batch per chip at the best split: four times as large if the times add up",
        symbol=r"b_{\min}^{*}",
        headline=True,
    )

    assumptions = (
        "A block is two linear layers, d_model to d_ff and back, and nothing else; its forward pass alone is timed.",
        "Computation runs at the peak rate, communication at the full bandwidth of its axes, without latency.",
        "All axes of the torus have the same bandwidth.",
        "Weights are gathered, and activations gathered and reduced, in bf16, while the chip computes.",
    )
    notes = (
        "Chips whose links lead to switches are in no torus: their records have no link.dimensions, hence no n_axes.",
        "Switched links act as one axis of their full bandwidth, used by both in turn: n_axes = 1, axes = summed.",
        "Later editions of the source overlap both axes; that of early 2025 adds the times: axes = summed.",
        "With n_tp above max_n_tp no batch suffices: tp_bound is violated, and min_tokens has no meaning.",
    )
    sources = ("cs336-systems", "scaling-book-training", "scaling-book-tpus")
