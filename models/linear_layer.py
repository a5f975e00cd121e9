from flopsheet import choice, formula, given, max_, select
from flopsheet.builtin.models.chip_rates import ChipRates


class LinearLayer(ChipRates):
    """Time of one sharded linear layer for a micro-batch, forward and backward, and its bottleneck.

    The matrix is sharded along its inputs and its outputs, the micro-batch over the data-parallel replicas. A chip
    computes, reads its memory and communicates at the same time: the slowest of the three sets the time of the layer.
    """

    # The layer, the micro-batch and how they are sharded
    d_in = given("Inputs of the layer", example=16384, integer=True)
    d_out = given("Outputs of the layer", example=81920, integer=True)
    microbatch_tokens = given("Tokens in a micro-batch, all replicas together", "token", example=32768)
    n_tp_in = given("Tensor-parallel shards of the inputs", example=8, integer=True)
    n_tp_out = given("Tensor-parallel shards of the outputs", example=40, integer=True)
    n_dp = given("Data-parallel replicas", example=32, integer=True)

    n_chips = formula(n_tp_in * n_tp_out * n_dp, "chip", "Chips that share the layer", integer=True)
    local_d_in = formula(d_in / n_tp_in, "", "Inputs on one chip")
    local_d_out = formula(d_out / n_tp_out, "", "Outputs on one chip")
    local_params = formula(local_d_in * local_d_out, "param", "Weights of the layer on one chip")
    local_tokens = formula(microbatch_tokens / n_dp, "token", "Tokens of a micro-batch on one chip")

    # Bytes of a number, beside those of a weight
    bytes_per_gradient = given("Bytes of a bf16 gradient, accumulated", "byte/param", default=2, source="bfloat16")
    bytes_per_activation = given("Bytes of a bf16 activation of one token", "byte/token", default=2, source="bfloat16")

    # Computation
    work_per_param_token = given(
        "FLOP per parameter and token: two forward, two for each gradient",
        "FLOP/param/token",
        default=6,
        source="kaplan",
    )

    local_work = formula(work_per_param_token * local_params * local_tokens, "GFLOP", "Computation of one chip")
    compute_time = formula(local_work / chip_rate, "us", "Time of the computation")

    # Communication: all-reduces of the outputs forward and of the gradients of the inputs backward
    reduction = choice(
        "chips", "fabric", doc="Where an all-reduce adds: in the chips or in the switches", default="chips"
    )

    all_reduce_transfers = formula(
        select(reduction, chips=3, fabric=2),
        "",
        "Transfers per shard: chips send terms, receive terms and receive sums; an adding fabric saves the second",
        source="run-optimizer",
    )
    output_traffic = formula(
        all_reduce_transfers * (1 - 1 / n_tp_in) * local_d_out * local_tokens * bytes_per_activation,
        "MB",
        "Traffic of outputs, all-reduced over the shards of the inputs",
    )
    input_gradient_traffic = formula(
        all_reduce_transfers * (1 - 1 / n_tp_out) * local_d_in * local_tokens * bytes_per_activation,
        "MB",
        "Traffic of input gradients, all-reduced over the shards of the outputs",
    )
    network_traffic = formula(output_traffic + input_gradient_traffic, "MB", "Bytes sent and received by one chip")
    network_time = formula(network_traffic / network_rate, "us", "Time of the communication")

    # Memory
    memory_counts = choice(
        "everything", "weights", doc="Whether activations pass through memory or stay in a cache", default="everything"
    )

    weight_traffic = formula(
        2 * local_params * (bytes_per_param + bytes_per_gradient),
        "MB",
        "Two reads of the weights, forward and backward; a read and a write of their gradients",
    )
    activation_traffic = formula(
        local_d_in * local_tokens * bytes_per_activation + network_traffic,
        "MB",
        "Inputs read again for the backward pass, and all-reduced values",
    )
    memory_traffic = formula(
        select(memory_counts, everything=weight_traffic + activation_traffic, weights=weight_traffic),
        "MB",
        "Bytes read and written by one chip",
    )
    memory_time = formula(memory_traffic / memory_rate, "us", "Time of memory traffic")

    # The slowest of the three
    layer_time = formula(
        max_(compute_time, memory_time, network_time), "us", "Time of a micro-batch in the layer", headline=True
    )

    # Once a batch: the gradients of the replicas are added up
    gradient_traffic = formula(
        all_reduce_transfers * (1 - 1 / n_dp) * local_params * bytes_per_gradient,
        "MB",
        "Traffic of weight gradients, all-reduced over the replicas",
    )
    gradient_memory_time = formula(gradient_traffic / memory_rate, "us", "Memory time of the weight gradients")
    gradient_network_time = formula(gradient_traffic / network_rate, "us", "Network time of the weight gradients")
    gradient_time = formula(
        max_(gradient_memory_time, gradient_network_time), "us", "Time of the weight gradients", headline=True
    )

    assumptions = (
        "Computation, memory traffic and communication overlap fully.",
        "Attention, norms, activation functions, the optimizer and transfers between pipeline stages take no time.",
        "A chip has few tokens beside its inputs and outputs: weights pass through memory once per use.",
        "A chip's own broadcast of the sums in an all-reduce is free.",
    )
    notes = (
        "Shards need not divide inputs and outputs evenly, as in the source; sizes are then averages.",
        "A later version of the source reduces in the fabric and counts only weights in memory; both are choices.",
        "The source uses one width for all numbers; here weights, gradients and activations have their own.",
        "The last cell of the source passes arguments that its class does not accept; the figure is that of the class.",
    )
    sources = ("run-optimizer", "kaplan")
