from flopsheet import Chip, System, ceil, choice, floor, formula, given, limit, override, part, select
from flopsheet.builtin.models.parallel_layout import ParallelLayout
from flopsheet.builtin.models.transformer_shape import TransformerShape


class NotebookMemory(TransformerShape, ParallelLayout):
    """Memory of a transformer in training and inference as the DiLoCo notebook counts it, and the chips needed for it.

    Each memory is that of one chip; without parallelism it is the whole model, from which the number of chips follows.
    Activations are counted per layer, with a row for each stored tensor.
    """

    # The model
    d_model = override(example=8192)
    d_ff = override(example=32768)
    n_blocks = override(example=80)
    n_heads = override(example=64)
    n_kv_heads = override(example=8)
    seq_len = given("Tokens in a sequence", "token", example=2048, maximum=10**9, integer=True)
    micro_batch = given("Sequences that a chip trains on at once", "sequence", example=2, integer=True)

    kv_fraction = formula(n_kv_heads / n_heads, "", "Width of keys or values over that of queries")
    attention_params = formula(
        (2 + 2 * kv_fraction) * d_model**2, "param", "Attention parameters of a layer: query, key, value and output"
    )
    norm_params = formula(2 * d_model, "param", "Parameters of a layer norm: scale and shift", integer=True)
    layer_params = formula(
        attention_params + block_params + 2 * norm_params, "param", "Parameters of a layer, with two norms"
    )
    params = formula(n_blocks * layer_params, "param", "Parameters of the model")

    # How it is divided
    sharding = choice(
        "none",
        "optimizer",
        "gradients",
        "weights",
        doc="State sharded over the replicas: none, or up to this (ZeRO 1, 2, 3)",
        default="none",
        example="weights",
    )
    division = choice(
        "consistent",
        "notebook",
        doc="Whether tensor and pipeline parallelism divide all state, or what the source divides",
        default="consistent",
    )
    sequence_parallel = choice(
        "no", "yes", doc="Whether tensor-parallel chips also share norms, masks and inputs", default="no"
    )

    n_chips = formula(replica_chips * n_dp, "chip", "Chips that train the model", integer=True)
    param_shards = formula(
        replica_chips * select(sharding, none=1, optimizer=1, gradients=1, weights=n_dp),
        "chip",
        "Chips that share the weights",
    )
    gradient_shards = formula(
        select(division, consistent=replica_chips, notebook=n_pp)
        * select(sharding, none=1, optimizer=1, gradients=n_dp, weights=n_dp),
        "chip",
        "Chips that share the gradients",
    )
    optimizer_shards = formula(
        select(division, consistent=replica_chips, notebook=1)
        * select(sharding, none=1, optimizer=n_dp, gradients=n_dp, weights=n_dp),
        "chip",
        "Chips that share the state of the optimizer",
    )

    # Weights, gradients, optimizer
    bytes_per_param = given("Bytes of a bf16 weight", "byte/param", default=2, source="bfloat16")
    bytes_per_gradient = given("Bytes of a bf16 gradient", "byte/param", default=2, source="bfloat16")
    bytes_per_mean = given(
        "Bytes of the fp32 first moment of AdamW", "byte/param", default=4, source="ieee-754", minimum=0
    )
    bytes_per_variance = given(
        "Bytes of the fp32 second moment of AdamW", "byte/param", default=4, source="ieee-754", minimum=0
    )
    bytes_per_master = given(
        "Bytes of the fp32 master weight, zero for none", "byte/param", default=4, source="ieee-754", minimum=0
    )

    param_memory = formula(params * bytes_per_param / param_shards, "GiB", "Memory of the weights")
    gradient_memory = formula(params * bytes_per_gradient / gradient_shards, "GiB", "Memory of the gradients")
    optimizer_memory = formula(
        params * (bytes_per_mean + bytes_per_variance + bytes_per_master) / optimizer_shards,
        "GiB",
        "Memory of moments and master weights",
    )

    # Activations of a layer
    bytes_per_activation = given("Bytes of a bf16 activation of one token", "byte/token", default=2, source="bfloat16")
    bytes_per_mask = given(
        "Bytes of the dropout mask of one value, zero for no dropout",
        "byte/token",
        default=1,
        source="korthikanti",
        minimum=0,
    )
    bytes_per_score = given("Bytes of the bf16 score of a pair of tokens", "byte/token^2", default=2, source="bfloat16")
    bytes_per_score_mask = given(
        "Bytes of the dropout mask of one score, zero for no dropout",
        "byte/token^2",
        default=1,
        source="korthikanti",
        minimum=0,
    )

    n_sp = formula(select(sequence_parallel, no=1, yes=n_tp), "chip", "Chips that share norms, masks and inputs")
    microbatch_tokens = formula(micro_batch * seq_len, "token", "Tokens in a micro-batch", integer=True)
    input_memory = formula(
        microbatch_tokens * d_model * bytes_per_activation / n_sp,
        "MiB",
        "Input of the layer, or another tensor as large",
    )
    scores = formula(
        n_heads * micro_batch * seq_len**2 / n_tp, "token^2", "Attention scores: one per head and pair of tokens"
    )

    norm_memory = formula(2 * input_memory, "MiB", "Inputs of both norms")
    qkv_memory = formula(input_memory, "MiB", "Input of the query, key and value matrices")
    query_key_memory = formula(
        (1 + kv_fraction) * microbatch_tokens * d_model * bytes_per_activation / n_tp,
        "MiB",
        "Queries and keys, for the scores",
    )
    softmax_memory = formula(scores * bytes_per_score, "MiB", "Output of the softmax")
    dropout_memory = formula(scores * bytes_per_score_mask, "MiB", "Dropout mask of the scores")
    weighting_memory = formula(scores * bytes_per_score, "MiB", "Scores after dropout, for attention over values")
    value_memory = formula(
        kv_fraction * microbatch_tokens * d_model * bytes_per_activation / n_tp,
        "MiB",
        "Values, for attention over values",
    )
    projection_memory = formula(
        microbatch_tokens * d_model * bytes_per_activation / n_tp, "MiB", "Input of the output matrix"
    )
    mask_memory = formula(microbatch_tokens * d_model * bytes_per_mask / n_sp, "MiB", "Dropout mask after attention")
    mlp_memory = formula(
        input_memory + mask_memory + 2 * microbatch_tokens * d_ff * bytes_per_activation / n_tp,
        "MiB",
        "Feed-forward block: its input, both sides of the nonlinearity, and its dropout mask",
    )

    # Activations of a chip
    recomputation = choice(
        "none",
        "selective",
        "full",
        doc="What the backward pass recomputes: nothing, scores or layers",
        default="none",
    )
    in_flight = choice(
        "stages",
        "one",
        doc="Micro-batches in flight in the first stage: as many as stages (1F1B), or one",
        default="stages",
    )

    score_memory = formula(
        softmax_memory + dropout_memory + weighting_memory, "MiB", "Activations that grow with pairs of tokens"
    )
    token_memory = formula(
        norm_memory + qkv_memory + query_key_memory + value_memory + projection_memory + mask_memory + mlp_memory,
        "MiB",
        "Activations that grow with tokens",
    )
    layer_memory = formula(
        select(
            recomputation,
            none=token_memory + score_memory,
            selective=token_memory,
            full=input_memory,
        ),
        "MiB",
        "Activations of a layer",
    )
    activation_memory = formula(
        layer_memory * select(in_flight, stages=n_blocks, one=n_blocks / n_pp), "GiB", "Memory of the activations"
    )

    # Training
    system = part(System, "Server or rack of the chips, which gives the chip too")
    chip = part(Chip, "Chip that holds its share", example="h100-sxm", of=system)
    rounding = choice("up", "down", doc="How the number of chips is rounded", default="up")

    device_memory = formula(
        param_memory + gradient_memory + optimizer_memory + activation_memory,
        "GiB",
        "Memory held by one chip in training",
    )
    param_share = formula(param_memory / device_memory, "percent", "Share of the weights in the memory of one chip")
    gradient_share = formula(
        gradient_memory / device_memory, "percent", "Share of the gradients in the memory of one chip"
    )
    optimizer_share = formula(
        optimizer_memory / device_memory, "percent", "Share of the optimizer in the memory of one chip"
    )
    activation_share = formula(
        activation_memory / device_memory, "percent", "Share of the activations in the memory of one chip"
    )
    total_memory = formula(n_chips * device_memory, "GiB", "Memory held by all chips together", headline=True)
    exact_memory_chips = formula(
        total_memory / chip.memory, "chip", "Chips whose memory holds what training needs, not rounded"
    )
    memory_chips = formula(
        select(rounding, up=ceil(exact_memory_chips), down=floor(exact_memory_chips)),
        "chip",
        "Whole chips whose memory holds what training needs",
        headline=True,
    )
    memory_fill = formula(device_memory / chip.memory, "", "Memory needed on one chip over what it has")
    fits = limit(device_memory <= chip.memory, "One chip holds its share")

    # Inference
    bytes_per_cached = given("Bytes of a bf16 key or value of one token", "byte/token", default=2, source="bfloat16")
    n_served = given("Sequences served at once: one as in the source", "sequence", default=1, example=16, integer=True)

    sequence_cache = formula(
        2 * n_blocks * kv_fraction * d_model * seq_len * bytes_per_cached,
        "GiB",
        "Memory of keys and values of a sequence, all layers",
    )
    cache_memory = formula(
        n_served * sequence_cache / select(division, consistent=replica_chips, notebook=1),
        "GiB",
        "Memory of keys and values on one chip",
    )
    served_memory = formula(
        select(division, consistent=params * bytes_per_param / replica_chips, notebook=param_memory),
        "GiB",
        "Memory of the weights on one chip in inference, not sharded over replicas",
    )
    inference_memory = formula(
        served_memory + cache_memory, "GiB", "Memory held by one chip in inference", headline=True
    )

    assumptions = (
        "Feed-forward blocks have two matrices; biases of matrices, embeddings and the output layer are left out.",
        "Scores are stored in full unless recomputed; fused attention is recomputation = selective.",
        "The layer being recomputed, communication buffers and memory fragmentation are left out.",
        "Every chip holds as much as a chip of the first stage.",
    )
    notes = (
        "The source divides gradients by the stages only, the optimizer by neither; division = notebook does the same.",
        "The source shards over all its chips, stages included: n_dp is that count there.",
        "The source calls sharding of everything zero1, and recomputing only the scores checkpointing.",
        "The source rounds chips down; rounding = down does the same.",
    )
    sources = ("korthikanti", "diloco-notebook", "zero")
