from flopsheet import (
    ceil,
    choice,
    equal,
    formula,
    given,
    indicator,
    limit,
    max_,
    mod,
    override,
    ratio,
    select,
)
from flopsheet.builtin.models.chip_rates import ChipRates
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.tensor_mesh import TensorMesh
from flopsheet.builtin.models.training_data import TrainingData
from flopsheet.builtin.models.training_steps import TrainingSteps


class PipelineStep(TrainingData, GlobalBatch, TrainingSteps, TensorMesh, ChipRates):
    """Time of a training step of a stack of experts on a pipeline with data, tensor and expert parallelism.

    A step is the pipeline bubble, the full pipeline and the gradient reduction. An expert is two matrices,
    d_model to d_inner and back, with the width of the attention heads in d_inner, and has ranks of its own.
    """

    # The model
    d_model = override(example=12288)
    inner_ratio = given("Inner width over d_model: heads and feed-forward layer", example=5)
    n_blocks = override(example=120)
    n_experts = override(example=16)
    n_routed = override(example=2)

    block_experts = formula(max_(1, n_experts), "", "Experts of a block: one in a dense model", integer=True)
    token_experts = formula(max_(1, n_routed), "", "Experts that a token passes: one in a dense model", integer=True)
    d_inner = formula(inner_ratio * d_model, "", "Inner width of an expert")
    expert_params = formula(
        2 * d_model * d_inner * n_blocks, "param", "Parameters of one expert, two matrices per block"
    )
    params = override(block_experts * expert_params, "Parameters of all experts")
    active_params = override(token_experts * expert_params, "Parameters of the experts that a token is routed to")

    # The data
    batch = override(example=30720)
    microbatch = given("Sequences in a micro-batch, all replicas together", "sequence", example=48, integer=True)
    counted_params = choice("total", "active", doc="Parameters that set the number of training tokens", default="total")
    microbatch_tokens = formula(microbatch * seq_len, "token", "Tokens in a micro-batch", integer=True)
    n_microbatches = formula(batch / microbatch, "", "Micro-batches per global batch")
    dataset_tokens = override(tokens_per_param * select(counted_params, total=params, active=active_params))

    # How chips share the work
    n_pp = override(example=15)
    n_interleave = given(
        "Passes of a sequence through each stage: one for no interleaving", default=1, example=8, integer=True
    )
    n_dp = override(example=12)

    n_chips = formula(
        replica_chips * n_dp * block_experts,
        "chip",
        "Chips of the run: every expert has its own",
        integer=True,
    )
    n_pipeline_steps = formula(
        n_pp * n_interleave, "", "Passes of a sequence through all stages together", integer=True
    )
    pass_layers = formula(n_blocks / n_pipeline_steps, "layer", "Layers per pass through a stage")
    bubble_layers = formula((n_pp - 1) * pass_layers, "layer", "Layers that other stages wait for")

    # The rates of a chip, and the bytes of a number
    revision = choice(
        "head",
        "readme",
        doc="Revision of the source: head, the later one, has base_utilization and may wait for the network",
        default="head",
    )
    base_utilization = override(
        doc="Share of the peak compute and memory rates that a product reaches; revision = readme reaches them in full",
        default=0.6,
        source="ml-par-sim",
    )
    precision = override(default="fp8")
    bytes_per_gradient = given("Bytes of a gradient", "byte/param", inferred=precision_bytes)
    activation_numbers = given("Numbers in one activation of one token: one", "param/token", default=1, fixed=True)
    bytes_per_activation = given(
        "Bytes of an activation of one token", "byte/token", inferred=precision_bytes * activation_numbers
    )

    reached_share = formula(
        select(revision, head=base_utilization, readme=1),
        "",
        "Share of the peak compute and memory rates in the revision",
    )
    chip_rate = override(reached_share * matmul_rate)
    memory_rate = override(reached_share * chip.memory_bandwidth)

    # One matrix product
    forward_work_per_param_token = given(
        "Forward FLOP per parameter and token: a multiplication and an addition",
        "FLOP/param/token",
        default=2,
        fixed=True,
        source="kaplan",
    )
    n_products = given(
        "Products per matrix: one forward, two backward",
        default=3,
        integer=True,
        source="kaplan",
        symbol=r"n_{\text{prod}}",
    )
    memory_words = choice(
        "own", "quoted", doc="Bytes of a number in memory: its own, or those of the quoted rate", default="own"
    )

    local_d_inner = formula(d_inner / n_tp_hidden, "", "Part of d_inner on one chip", symbol=r"d'_{\text{inner}}")
    local_d_model = formula(d_model / n_tp_residual, "", "Part of d_model on one chip")
    local_params = formula(local_d_inner * local_d_model, "param", "Weights of a matrix on one chip")
    local_tokens = formula(
        microbatch_tokens * token_experts / (n_dp * block_experts), "token", "Tokens of a micro-batch on one chip"
    )
    matmul_work = formula(
        forward_work_per_param_token * local_params * local_tokens,
        "GFLOP",
        "Computation of a matrix product on one chip",
    )
    matmul_traffic = formula(
        (local_params * bytes_per_param + (local_d_inner + local_d_model) * local_tokens * bytes_per_activation)
        * select(memory_words, own=1, quoted=quoted_bytes_per_param / bytes_per_param),
        "MB",
        "Memory traffic of a matrix product: weights, inputs and outputs",
    )
    matmul_time = formula(
        max_(matmul_work / chip_rate, matmul_traffic / memory_rate),
        "ms",
        "Time of a matrix product: the slower of computation and memory",
    )

    # One layer and micro-batch, forward and backward: each chip sends its share, and receives as much
    residual_traffic = formula(
        2 * microbatch_tokens * d_model * bytes_per_activation,
        "MB",
        "Residual stream of a micro-batch, sent and received",
        symbol=r"Q_{\text{res}}",
    )
    inner_traffic = formula(
        2 * microbatch_tokens * token_experts * d_inner * bytes_per_activation,
        "MB",
        "Inner values of a micro-batch, sent and received",
        symbol=r"Q_{\text{inner}}",
    )

    layer_compute_time = formula(
        2 * n_products * matmul_time, "ms", "Time of the products with both matrices", symbol=r"t_{\text{layer,mm}}"
    )
    inner_reduce_time = formula(
        2 * indicator(n_tp_residual > 1) * inner_traffic / (n_dp * n_tp_hidden * block_experts * network_rate),
        "ms",
        "Time to sum inner values over the shards of d_model, forward and backward",
        symbol=r"t_{\text{inner}}",
    )
    outer_reduce_time = formula(
        2
        * indicator(token_experts * n_tp_hidden > 1)
        * token_experts
        * residual_traffic
        / (n_dp * n_tp_residual * block_experts * network_rate),
        "ms",
        "Time to sum outputs over the shards of d_inner and the experts, forward and backward",
        symbol=r"t_{\text{outer}}",
    )
    layer_reduce_time = formula(
        inner_reduce_time + outer_reduce_time, "ms", "Time of both sums of a layer", symbol=r"t_{\text{layer,sum}}"
    )
    crossing_time = formula(
        2 * residual_traffic * n_pp / (n_chips * network_rate),
        "ms",
        "Time to send the residual stream to another stage or expert, forward and backward",
        symbol=r"t_{\text{cross}}",
    )

    # The bubble
    exchanges = formula(
        indicator(block_experts > 1) * indicator(token_experts * n_tp_hidden <= 1),
        "",
        "1 if tokens move to another expert after each layer without a sum, else 0",
        symbol="x_{e}",
    )
    bubble_time = formula(
        bubble_layers * (layer_compute_time + layer_reduce_time)
        + (n_pp - 1) * crossing_time * select(revision, head=ratio(1, 2), readme=1)
        + (n_pp - 1) * (pass_layers - 1) * exchanges * (1 - 1 / block_experts) * crossing_time,
        "second",
        "Time to fill and drain the pipeline",
    )

    # The full pipeline
    lone_stage = choice(
        "keeps", "sends", doc="Whether a single stage keeps the residual stream, or sends it to itself", default="keeps"
    )

    layer_crossings = formula(
        exchanges + (1 - exchanges) * select(lone_stage, keeps=indicator(n_pp > 1), sends=1) / pass_layers,
        "",
        "Transfers of a micro-batch per layer",
        symbol=r"c_{\text{layer}}",
    )
    layer_runs = formula(
        n_microbatches * n_blocks / n_pp,
        "layer",
        "Layer passes of a stage over all micro-batches",
        symbol=r"l_{\text{all}}",
    )
    full_compute_time = formula(
        layer_runs * layer_compute_time, "second", "Computation time of the full pipeline", symbol=r"t_{\text{full,mm}}"
    )
    full_network_time = formula(
        layer_runs * (layer_reduce_time + layer_crossings * crossing_time),
        "second",
        "Communication time of the full pipeline",
        symbol=r"t_{\text{full,net}}",
    )
    full_time = formula(
        select(revision, head=max_(full_compute_time, full_network_time), readme=full_compute_time),
        "second",
        "Time of the full pipeline: communication overlaps with computation",
    )

    # The step and the run
    reduction_time = formula(
        2 * indicator(n_dp > 1) * n_dp * params * bytes_per_gradient / (n_chips * network_rate),
        "second",
        "Time to sum the gradients over the replicas, sent and received",
    )
    step_time = formula(bubble_time + full_time + reduction_time, "second", "Time of a step", headline=True)
    train_time = formula(n_steps * step_time, "day", "Time of the run", headline=True)
    work_per_param_token = override(n_products * forward_work_per_param_token)
    step_work = formula(work_per_param_token * active_params * tokens, "PFLOP", "Computation of a step")
    utilization = formula(
        step_work / (n_chips * matmul_rate * step_time), "", "Share of the peak rate that is reached", headline=True
    )

    # Divisibility
    whole_experts = limit(equal(mod(block_experts, token_experts), 0), "Routed experts divide the experts")
    whole_microbatches = limit(equal(mod(batch, microbatch), 0), "Micro-batches divide the batch")
    whole_tokens = limit(equal(ceil(local_tokens), local_tokens), "A matrix product has a whole number of tokens")
    whole_passes = limit(equal(mod(n_blocks, n_pipeline_steps), 0), "Passes through stages divide the blocks")
    several_stages = limit(indicator(n_interleave > 1) <= indicator(n_pp > 1), "Interleaving needs several stages")
    whole_replicas = limit(
        equal(ceil(microbatch_tokens / n_dp), microbatch_tokens / n_dp), "Replicas divide the tokens of a micro-batch"
    )
    whole_inner = limit(equal(mod(d_inner, n_tp_hidden), 0), "Shards divide d_inner")
    whole_model = limit(equal(mod(d_model, n_tp_residual), 0), "Shards divide d_model")

    assumptions = (
        "Only the matrices of the experts compute: no attention scores, embeddings or recomputation.",
        "The network performs the reductions: a chip sends its share once and receives it once.",
        "Experts are evenly loaded. Nothing overlaps in the bubble and in the reduction of the gradients.",
    )
    notes = (
        "The source halves the 8-bit rate for bf16; precision = bf16 takes the rate and the bytes of bf16.",
        "The source counts one byte per number in memory at any width; memory_words = quoted does the same.",
        "The source drops the last, partial batch; last_batch = drop does the same.",
        "Training tokens scale with all experts, as in the source; with counted_params = active, with routed ones.",
        "In the later revision, a single stage sends to itself; lone_stage = sends does the same.",
        "Transfers in the bubble count both directions in revision readme, and one direction in head.",
        "The source's 900 GB/s of an H100 are both directions of 450 GB/s: network_rate.",
    )
    sources = ("ml-par-sim", "chinchilla", "kaplan")
