from flopsheet import choice, formula, given, indicator, max_, override, select
from flopsheet.builtin.models.model_shape import ModelShape
from flopsheet.builtin.models.parallel_degrees import ParallelDegrees

SHARDED = ("optimizer", "gradients", "weights")


class CookbookEstimate(ModelShape, ParallelDegrees):
    """Memory of a chip in training as EleutherAI's cookbook estimates it, from the widths of a plain transformer.

    It counts an output matrix beside the embedding, learned positions, and eight vectors in each layer for its norms
    and biases.
    """

    # The model
    model = override(example="llama-3-70b")
    sequence_positions = given(
        "Positions of a sequence, each with an embedding: the tokens of a sequence", example=2048, integer=True
    )
    kv_fraction = given(
        "Width of keys or values over that of queries: one where each head has its own",
        inferred=n_kv_heads / n_heads,
        maximum=1,
    )
    ffn_ratio = given(
        "Width of a feed-forward part or expert over that of the residual stream: four in GPT",
        inferred=(d_ff + indicator(n_experts > 0) * (d_expert - d_ff)) / d_model,
        example=4,
    )
    layer_experts = formula(max_(n_experts, 1), "", "Experts of each layer: one for a dense model")

    embedding_params = formula(2 * vocab * d_model, "param", "Embedding and output matrix")
    position_params = formula(sequence_positions * d_model, "param", "Parameters of the position embedding")
    vector_params = formula(8 * n_blocks * d_model + 2 * d_model, "param", "Norms and biases of all layers")
    attention_stack_params = formula(
        2 * (1 + kv_fraction) * n_blocks * d_model**2, "param", "Attention parameters of all layers"
    )
    dense_stack_params = formula(
        ffn_matrices * ffn_ratio * n_blocks * d_model**2, "param", "Parameters of all feed-forward parts"
    )
    params = formula(
        embedding_params + position_params + vector_params + attention_stack_params + dense_stack_params,
        "param",
        "Parameters of the model, with one expert in each layer",
    )
    held_params = formula(
        params + (layer_experts / n_ep - 1) * dense_stack_params,
        "param",
        "Parameters that expert parallelism leaves a rank",
    )

    # Weights, gradients and optimizer
    bytes_per_param = given("Bytes of a weight", "byte/param", default=2, source="bfloat16")
    bytes_per_gradient = given("Bytes of a gradient", "byte/param", default=4, source="eleuther-memory")
    bytes_per_optimizer = given(
        "Bytes of the fp32 copy and the two moments of a weight", "byte/param", default=12, source="zero"
    )
    sharding = choice(
        "none",
        *SHARDED,
        doc="States sharded over ranks: none, or up to this (ZeRO 1, 2 and 3)",
        default="optimizer",
    )
    division = choice(
        "even",
        "script",
        doc="Whether tensor and pipeline parallelism divide all states once, or as in the script",
        default="even",
    )

    param_memory = formula(
        bytes_per_param
        * held_params
        / replica_chips
        / select(sharding, none=1, optimizer=1, gradients=1, weights=select(division, even=n_dp, script=n_chips)),
        "GiB",
        "Memory of the weights",
    )
    undivided = formula(select(division, even=replica_chips, script=1), "", "Chips that share unsharded states")
    gradient_memory = formula(
        bytes_per_gradient
        * held_params
        / select(sharding, none=undivided, optimizer=undivided, gradients=n_chips, weights=n_chips),
        "GiB",
        "Memory of the gradients",
    )
    optimizer_memory = formula(
        bytes_per_optimizer * held_params / select(sharding, none=undivided, **dict.fromkeys(SHARDED, n_chips)),
        "GiB",
        "Memory of the optimizer's state",
    )

    # Buffers of ZeRO
    bucket_params = given("Weights in the buckets of ZeRO", "param", default=5e8, source="eleuther-memory")
    live_params = given("Weights that ZeRO 3 keeps gathered", "param", default=1e9, source="eleuther-memory")
    buffer_memory = formula(
        indicator(n_chips > 1)
        * bytes_per_param
        * select(
            sharding, none=0, optimizer=bucket_params, gradients=bucket_params, weights=bucket_params + live_params
        ),
        "GiB",
        "Memory of the buffers of ZeRO",
    )

    # Activations, by Korthikanti et al. without tensor parallelism
    micro_batch = given("Sequences that a chip trains on at once", "sequence", example=1, integer=True)
    recomputation = choice("none", "selective", doc="Whether scores are computed again", default="none")
    partitioned = choice("no", "yes", doc="Whether tensor-parallel chips share the activations", default="no")
    bytes_per_activation = given(
        "Bytes of a 16-bit activation of one token", "byte/token", default=2, source="bfloat16"
    )
    bytes_per_mask = given("Bytes of one element of a dropout mask", "byte/token", default=1, source="korthikanti")

    seq_len = formula(sequence_positions, "token", "Tokens in a sequence")
    microbatch_tokens = formula(micro_batch * seq_len, "token", "Tokens in a micro-batch")
    stream_activations = formula(
        n_blocks * microbatch_tokens * d_model * (16 * bytes_per_activation + 2 * bytes_per_mask),
        "GiB",
        "Activations of all layers but scores",
    )
    score_activations = formula(
        n_blocks * microbatch_tokens * n_heads * sequence_positions * (2 * bytes_per_activation + bytes_per_mask),
        "GiB",
        "Scores of all layers, their softmax and mask",
    )
    activation_memory = formula(
        (stream_activations + select(recomputation, none=score_activations, selective=0))
        / select(partitioned, no=1, yes=n_tp),
        "GiB",
        "Activations on one chip",
    )

    other_memory = given("Memory that frameworks take: none is counted", "GiB", default=0, example=5, minimum=0)
    device_memory = formula(
        (param_memory + gradient_memory + optimizer_memory) + buffer_memory + activation_memory + other_memory,
        "GiB",
        "Memory that one chip needs",
        headline=True,
    )

    assumptions = (
        "Pipeline stages do not divide activations, as a stage keeps one micro-batch for each later stage.",
        "Experts are sharded like all else, and each has the width of the dense part.",
    )
    notes = (
        "The script leaves gradients undivided by tensor and pipeline parallelism: division = script does the same.",
        "Under ZeRO 3 it divides weights by these degrees twice: division = script again.",
    )
    sources = ("eleuther-memory", "korthikanti", "zero")
