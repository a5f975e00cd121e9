from flopsheet import formula, given, limit, max_, override, part, ratio, sqrt
from flopsheet.builtin.models.chip_rates import ChipRates
from flopsheet.builtin.models.linear_layer import LinearLayer
from flopsheet.builtin.models.tensor_mesh import TensorMesh
from flopsheet.builtin.models.training_data import TrainingData
from flopsheet.builtin.models.training_steps import TrainingSteps


class OptimalRun(TrainingData, TrainingSteps, TensorMesh, ChipRates):
    """Time of a compute-optimal training run on sharded, pipelined chips, from its compute budget.

    The budget determines the model, its data and its batch. A block is two linear layers, as in sheet `linear_layer`;
    chips compute, read memory and communicate at the same time, and the slowest of the three bounds each phase.
    """

    # The model, from the budget
    total_work = given("Computation of the run", "EFLOP", example="4e26 FLOP")
    reference_work = given("Computation of the reference run", "EFLOP", default="1e25 FLOP", source="run-optimizer")
    reference_tokens = given("Tokens in the reference batch: 2048^2", "token", default=2048**2, source="run-optimizer")
    reference_blocks = given("Blocks of the reference model", default=120, source="run-optimizer")
    ffn_ratio = given("Hidden width over residual width", default=5, source="run-optimizer")
    params_per_pair = given(
        "Weights between a residual unit and a hidden unit: one in, one out", "param", default=2, fixed=True
    )

    params = override(
        sqrt(total_work / (work_per_param_token * tokens_per_param)),
        "Parameters of the model: square root of the budget over 6 times 20",
        source="chinchilla",
    )
    compute_scale = formula(
        (total_work / reference_work) ** ratio(1, 6),
        "",
        "Growth of batch and depth over the reference: sixth root of that of the budget",
        source="run-optimizer",
    )
    tokens = override(reference_tokens * compute_scale)
    n_blocks = override(reference_blocks * compute_scale, "Blocks in the stack, not rounded", integer=False)
    d_model = override(
        sqrt(params / (params_per_pair * ffn_ratio * n_blocks)),
        "Width of the residual stream, not rounded",
        integer=False,
    )
    d_ff = override(ffn_ratio * d_model, "Width of the hidden layer, not rounded", integer=False)

    # How it is sharded
    n_pp = override(example=16)
    n_dp = override(example=64)
    n_microbatches = given("Micro-batches per global batch", example=256, integer=True)

    n_chips = formula(replica_chips * n_dp, "chip", "Chips of the run", integer=True)
    stage_layers = formula(2 * n_blocks / n_pp, "layer", "Linear layers of a pipeline stage: two per block")
    stages_have_blocks = limit(n_pp <= n_blocks, "Each stage has at least one block")
    stages_have_work = limit(n_pp <= n_microbatches, "Each stage has at least one micro-batch")

    # A linear layer, for one micro-batch; its gradients once per batch
    layer = part(
        LinearLayer,
        "Each of the two layers of a block",
        d_in=d_model,
        d_out=d_ff,
        n_tp_in=n_tp_residual,
        n_tp_out=n_tp_hidden,
        n_dp=n_dp,
        microbatch_tokens=tokens / n_microbatches,
        work_per_param_token=work_per_param_token,
        reduction="fabric",
        memory_counts="weights",
    )

    # A batch: phases follow each other; within one, resources overlap
    boundary_time = formula(
        max_(
            layer.compute_time,
            layer.memory_time + layer.gradient_memory_time,
            layer.network_time + layer.gradient_network_time,
        ),
        "second",
        "Start and end of a batch: one layer, one micro-batch and its gradients",
    )
    sustained_time = formula(
        (stage_layers - 1)
        * max_(
            n_microbatches * layer.compute_time,
            n_microbatches * layer.memory_time + layer.gradient_memory_time,
            n_microbatches * layer.network_time + layer.gradient_network_time,
        ),
        "second",
        "All layers of a stage but one, all micro-batches, with gradients overlapped",
    )
    last_layer_time = formula(
        (n_microbatches - 1) * layer.layer_time,
        "second",
        "The remaining layer, all micro-batches but one, without gradients",
    )
    bubble_time = formula(
        2 * (n_pp - 1) * layer.layer_time, "second", "Time to fill and drain the pipeline, interleaved"
    )
    step_time = formula(
        boundary_time + sustained_time + last_layer_time + bubble_time, "second", "Time of a batch", headline=True
    )

    # The run
    train_time = formula(n_steps * step_time, "day", "Time of the run", headline=True)
    utilization = formula(
        total_work / (n_chips * matmul_rate * train_time),
        "",
        "Share of the peak rate that the run reaches",
        headline=True,
    )

    lifted = ("Computation, memory traffic and communication overlap fully.",)
    assumptions = (
        "Computation, memory traffic and communication overlap fully within a phase.",
        "Activations stay in the cache: only weights and their gradients pass through memory.",
        "Embeddings take no time.",
    )
    notes = (
        "The source writes params = sqrt(total_work / 120): 120 is 6 FLOP times 20 tokens per parameter.",
        "Shards need not divide the widths, nor stages the blocks, as in the source; sizes are then averages.",
        "The source uses one width for all numbers; here weights, gradients and activations have their own.",
        "The gradients of the replicas add no computation: adding them up is bound by memory or links.",
    )
    sources = ("run-optimizer", "chinchilla", "kaplan")
