"""Time of a compute-optimal training run on sharded, pipelined chips, from its compute budget."""

from flopsheet import choice, formula, given, limit, max_, ratio, select, sqrt
from flopsheet.builtin.models.chip_rates import ChipRates


class OptimalRun(ChipRates):
    """Time of a compute-optimal training run on sharded, pipelined chips, from its compute budget.

    The budget decides the model, its data and its batch. A block is two linear layers, as in sheet `linear_layer`;
    chips compute, read memory and communicate at the same time, and the slowest of the three bounds each phase.
    """

    # The model, from the budget
    total_work = given("Computation of the run", "EFLOP", example="4e26 FLOP")
    work_per_param_token = given(
        "Computation of a parameter for a token: two forward, four backward",
        "FLOP/param/token",
        default=6,
        source="kaplan",
    )
    tokens_per_param = given("Training tokens per parameter", "token/param", default=20, source="chinchilla")
    reference_work = given(
        "Computation of the run that others are scaled from", "EFLOP", default="1e25 FLOP", source="run-optimizer"
    )
    reference_tokens = given("Tokens in its batch: 2048^2", "token", default=2048**2, source="run-optimizer")
    reference_blocks = given("Blocks of its model", default=120, source="run-optimizer")
    ffn_ratio = given("Hidden width over residual width", default=5, source="run-optimizer")
    params_per_pair = given(
        "Weights between a place of the residual and one of the hidden layer: one in, one out", "param", default=2
    )

    params = formula(
        sqrt(total_work / (work_per_param_token * tokens_per_param)),
        "param",
        "Parameters of the model: root of the budget over 6 times 20",
        source="chinchilla",
    )
    dataset_tokens = formula(tokens_per_param * params, "token", "Tokens that the model is trained on")
    compute_scale = formula(
        (total_work / reference_work) ** ratio(1, 6),
        "",
        "Growth of batch and depth: sixth root",
        source="run-optimizer",
    )
    tokens = formula(reference_tokens * compute_scale, "token", "Tokens in a global batch")
    n_blocks = formula(reference_blocks * compute_scale, "", "Blocks in the stack, not rounded")
    d_model = formula(
        sqrt(params / (params_per_pair * ffn_ratio * n_blocks)), "", "Width of the residual stream, not rounded"
    )
    d_ff = formula(ffn_ratio * d_model, "", "Width of the hidden layer, not rounded")
    n_steps = formula(dataset_tokens / tokens, "step", "Steps of the run")

    # How it is cut
    n_pp = given("Pipeline stages", example=16, integer=True)
    n_dp = given("Data-parallel replicas", example=64, integer=True)
    n_tp_residual = given("Tensor-parallel parts of the residual stream", example=2, integer=True)
    n_tp_hidden = given("Tensor-parallel parts of the hidden layer", example=8, integer=True)
    n_microbatches = given("Micro-batches of a batch", example=256, integer=True)

    n_chips = formula(n_pp * n_dp * n_tp_residual * n_tp_hidden, "chip", "Chips of the run", integer=True)
    stage_layers = formula(2 * n_blocks / n_pp, "layer", "Linear layers of a pipeline stage: two a block")
    local_d_model = formula(d_model / n_tp_residual, "", "Part of the residual stream on one chip")
    local_d_ff = formula(d_ff / n_tp_hidden, "", "Part of the hidden layer on one chip")
    local_params = formula(local_d_model * local_d_ff, "param", "Weights of a layer on one chip")
    local_tokens = formula(tokens / (n_microbatches * n_dp), "token", "Tokens of a micro-batch on one chip")
    stages_have_blocks = limit(n_pp <= n_blocks, "Each stage has a block")
    stages_have_work = limit(n_pp <= n_microbatches, "Each stage has a micro-batch to work on")

    # Bytes of a number, beside those of a weight
    bytes_per_gradient = given("bf16 gradient, accumulated", "byte/param", default=2, source="bfloat16")
    bytes_per_activation = given("bf16 value of one token", "byte/token", default=2, source="bfloat16")

    # A layer, for one micro-batch: the time that each resource takes
    reduction = choice("fabric", "chips", doc="What adds up in an all-reduce: switches or chips", default="fabric")

    all_reduce_transfers = formula(
        select(reduction, fabric=2, chips=3),
        "",
        "Transfers of a part: chips send terms, receive terms and receive sums; a fabric that adds saves the second",
        source="run-optimizer",
    )
    compute_time = formula(
        work_per_param_token * local_params * local_tokens / chip_rate, "us", "Computation, forward and backward"
    )
    memory_time = formula(
        2 * local_params * (bytes_per_param + bytes_per_gradient) / memory_rate,
        "us",
        "Two reads of the weights; a read and a write of their gradients",
    )
    network_time = formula(
        all_reduce_transfers
        * ((1 - 1 / n_tp_residual) * local_d_ff + (1 - 1 / n_tp_hidden) * local_d_model)
        * local_tokens
        * bytes_per_activation
        / network_rate,
        "us",
        "All-reduces of activations, forward and backward",
    )
    layer_time = formula(max_(compute_time, memory_time, network_time), "us", "Time of a micro-batch in a layer")

    # A layer, once a batch: gradients are all-reduced over the replicas
    gradient_traffic = formula(
        all_reduce_transfers * (1 - 1 / n_dp) * local_params * bytes_per_gradient, "MB", "Gradients of a layer"
    )
    gradient_memory_time = formula(gradient_traffic / memory_rate, "us", "Time of the gradients in memory")
    gradient_network_time = formula(gradient_traffic / network_rate, "us", "Time of the gradients on the links")

    # A batch: phases follow each other; within one, resources overlap
    boundary_time = formula(
        max_(compute_time, memory_time + gradient_memory_time, network_time + gradient_network_time),
        "second",
        "One layer, one micro-batch and its gradients: start and end of a batch",
    )
    sustained_time = formula(
        (stage_layers - 1)
        * max_(
            n_microbatches * compute_time,
            n_microbatches * memory_time + gradient_memory_time,
            n_microbatches * network_time + gradient_network_time,
        ),
        "second",
        "All layers of a stage but one, all micro-batches, gradients overlapped",
    )
    last_layer_time = formula(
        (n_microbatches - 1) * layer_time, "second", "The remaining layer, all micro-batches but one, no gradients"
    )
    bubble_time = formula(2 * (n_pp - 1) * layer_time, "second", "Filling and draining the pipeline, interleaved")
    step_time = formula(boundary_time + sustained_time + last_layer_time + bubble_time, "second", "Time of a batch")

    # The run
    train_time = formula(n_steps * step_time, "day", "Time of the run")
    run_utilization = formula(
        total_work / (n_chips * peak_rate * train_time), "", "Share of the peak rate that the run reaches"
    )

    assumptions = (
        *ChipRates.assumptions,
        "Computation, memory traffic and communication overlap fully within a phase.",
        "Activations stay in the cache: only weights and their gradients pass through memory.",
        "Attention, norms, embeddings, the optimizer and transfers between pipeline stages take no time.",
    )
    notes = (
        *ChipRates.notes,
        "The source writes params = sqrt(total_work / 120): 120 is 6 FLOP times 20 tokens a parameter.",
        "Parts need not divide widths, nor stages blocks, as in the source: sizes are then averages.",
        "The source has one width for all numbers; here weights, gradients and activations have their own.",
        "The gradients of the replicas add no computation: adding them up is bound by memory or links.",
    )
    sources = ("run-optimizer", "chinchilla", "kaplan")
