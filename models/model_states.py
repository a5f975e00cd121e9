from flopsheet import choice, equal, formula, given, limit, max_, mod, override, select
from flopsheet.builtin.models.expert_size import ExpertSize
from flopsheet.builtin.models.parallel_degrees import ParallelDegrees
from flopsheet.builtin.models.training_recipe import ADAPTERS, FULL, TrainingRecipe

SHARDED = ("optimizer", "gradients", "weights")


class ModelStates(TrainingRecipe, ExpertSize, ParallelDegrees):
    """Memory of weights, gradients and optimizer state on one chip in training: ZeRO, FSDP and HSDP, with offload.

    Tensor, pipeline and expert parallelism say which parameters a chip works on; sharding divides their states over
    the ranks that have the same parameters. Without any of it the chip holds the states of the whole model.
    """

    model = override(example="llama-3-70b")
    recipe = override(example="mixed_18")
    params = override(example=70e9)
    n_dp = override(example=64)

    # Parameters of one chip
    rank_expert_params = given(
        "Parameters of experts that one chip works on: an even share of those of the model, none without one",
        "param",
        inferred=n_moe_blocks * n_experts * single_expert_params / (n_pp * n_ep * n_etp),
        default=0,
        example=1e9,
        minimum=0,
    )
    rank_params = given(
        "Parameters that one chip works on, experts aside; an even share of the model by default",
        "param",
        inferred=(
            (params - n_moe_blocks * n_experts * single_expert_params) / (n_tp * n_pp),
            params / (n_tp * n_pp),
        ),
    )
    rank_outer_params = given(
        "Parameters of one chip outside the matrices of the layers: none by default, as few recipes distinguish them",
        "param",
        default=0,
        example=1e8,
        minimum=0,
    )
    rank_kept_params = given(
        "Parameters of the layers on one chip that no format quantizes, as norms and routers: none by default",
        "param",
        default=0,
        example=1e6,
        minimum=0,
    )
    rank_adapter_params = given(
        "Parameters of adapters on one chip, those of experts aside",
        "param",
        inferred=adapter_params * rank_params / params,
        minimum=0,
    )
    rank_expert_adapter_params = given(
        "Parameters of adapters of experts on one chip",
        "param",
        inferred=adapter_params * rank_expert_params / params,
        minimum=0,
    )

    # How their states are sharded
    sharding = choice(
        "none",
        *SHARDED,
        doc="States sharded over ranks: none, or up to this (ZeRO 1, a distributed optimizer; ZeRO 2; ZeRO 3, FSDP)",
        default="none",
        example="weights",
    )
    weight_ranks = formula(data_ranks, "", "Ranks with the same weights, experts aside", integer=True)
    expert_weight_ranks = formula(n_edp, "", "Ranks with the weights of the same experts")
    n_shard = given(
        "Ranks that share sharded states: all with the same weights, or fewer, in groups with copies (HSDP)",
        inferred=weight_ranks,
        maximum=10**7,
        integer=True,
    )
    n_expert_shard = given(
        "Ranks that share sharded states of experts: all with the same experts, or fewer",
        inferred=expert_weight_ranks,
        integer=True,
    )
    shards_divide = limit(
        equal(mod(weight_ranks, n_shard), 0), "Ranks with the same weights make up whole groups that share states"
    )
    expert_shards_divide = limit(
        equal(mod(expert_weight_ranks, n_expert_shard), 0),
        "Ranks with the same experts make up whole groups that share their states",
    )

    param_ranks = formula(
        select(sharding, none=1, optimizer=1, gradients=1, weights=n_shard), "", "Ranks that share the weights"
    )
    gradient_ranks = formula(
        select(sharding, none=1, optimizer=1, gradients=n_shard, weights=n_shard), "", "Ranks that share the gradients"
    )
    optimizer_ranks = formula(
        select(sharding, none=1, **dict.fromkeys(SHARDED, n_shard)),
        "",
        "Ranks that share the optimizer's state",
    )
    expert_param_ranks = formula(
        select(sharding, none=1, optimizer=1, gradients=1, weights=n_expert_shard),
        "",
        "Ranks that share the weights of experts",
    )
    expert_gradient_ranks = formula(
        select(sharding, none=1, optimizer=1, gradients=n_expert_shard, weights=n_expert_shard),
        "",
        "Ranks that share the gradients of experts",
    )
    expert_optimizer_ranks = formula(
        select(sharding, none=1, **dict.fromkeys(SHARDED, n_expert_shard)),
        "",
        "Ranks that share the optimizer's state of experts",
    )

    # States before sharding
    rank_unquantized_params = formula(
        rank_outer_params + rank_kept_params, "param", "Parameters of the chip that no format quantizes, experts aside"
    )
    rank_matrix_params = formula(
        rank_params - rank_unquantized_params,
        "param",
        "Parameters of the chip in matrices of the layers, experts aside",
    )
    rank_weights = formula(
        rank_matrix_params * bytes_per_param
        + rank_unquantized_params * bytes_per_outer_param
        + select(
            recipe, **dict.fromkeys(FULL, 0), **dict.fromkeys(ADAPTERS, rank_adapter_params * bytes_per_adapter_param)
        ),
        "GiB",
        "Weights that the chip works with, experts aside",
    )
    rank_trained_params = formula(
        select(recipe, **dict.fromkeys(FULL, rank_params), **dict.fromkeys(ADAPTERS, rank_adapter_params)),
        "param",
        "Parameters of one chip that are trained, experts aside",
    )
    rank_gradients = formula(rank_trained_params * bytes_per_gradient, "GiB", "Gradients of one chip, experts aside")
    rank_optimizer = formula(
        select(
            recipe,
            **dict.fromkeys(
                FULL,
                rank_matrix_params * bytes_per_optimizer + rank_unquantized_params * bytes_per_outer_optimizer,
            ),
            **dict.fromkeys(ADAPTERS, rank_adapter_params * bytes_per_optimizer),
        ),
        "GiB",
        "Their optimizer state",
    )
    rank_expert_weights = formula(
        rank_expert_params * bytes_per_param
        + select(
            recipe,
            **dict.fromkeys(FULL, 0),
            **dict.fromkeys(ADAPTERS, rank_expert_adapter_params * bytes_per_adapter_param),
        ),
        "GiB",
        "Weights of the experts of the chip",
    )
    trained_expert_params = formula(
        select(
            recipe, **dict.fromkeys(FULL, rank_expert_params), **dict.fromkeys(ADAPTERS, rank_expert_adapter_params)
        ),
        "param",
        "Parameters of experts of the chip that are trained: all, or their adapters",
    )

    # States of one chip
    param_memory = formula(
        rank_weights / param_ranks + rank_expert_weights / expert_param_ranks, "GiB", "Memory of the weights"
    )
    gradient_memory = formula(
        rank_gradients / gradient_ranks + trained_expert_params * bytes_per_gradient / expert_gradient_ranks,
        "GiB",
        "Memory of the gradients",
    )
    optimizer_memory = formula(
        rank_optimizer / optimizer_ranks + trained_expert_params * bytes_per_optimizer / expert_optimizer_ranks,
        "GiB",
        "Memory of the optimizer's state",
    )
    state_memory = formula(
        param_memory + gradient_memory + optimizer_memory, "GiB", "Memory of weights, gradients and optimizer state"
    )

    # What the host holds of them
    offload = choice(
        "none",
        "optimizer",
        "all",
        doc="States that the host holds: none, the optimizer's with the gradients, or the weights too",
        default="none",
    )
    host_state_memory = formula(
        select(offload, none=0, optimizer=gradient_memory + optimizer_memory, all=state_memory),
        "GiB",
        "States of one chip that the host holds",
    )
    device_state_memory = formula(state_memory - host_state_memory, "GiB", "States that the chip holds itself")

    # Buffers of one chip
    largest_layer_params = given("Parameters of the largest layer that one chip works on", "param", example=1e9)
    n_prefetched = given(
        "Layers whose weights are gathered ahead of the layer that computes",
        default=1,
        minimum=0,
        integer=True,
        source="pytorch-fsdp",
    )
    bucket_params = given(
        "Gradients in the buckets in which ranks add them up: none by default, as where they are reduced in place",
        "param",
        default=0,
        example=5e8,
        minimum=0,
    )

    largest_layer_memory = given(
        "Weights of the largest layer that one chip works on: of a matrix of the vocabulary in its own format",
        "GiB",
        inferred=largest_layer_params * bytes_per_param,
    )
    whole_layer_memory = formula(
        (1 + n_prefetched) * largest_layer_memory + largest_layer_params * bytes_per_new_gradient,
        "GiB",
        "Whole layers on the chip where it gathers them: their weights, and gradients of one on their way to others",
    )
    gathered_memory = formula(
        select(
            sharding,
            **dict.fromkeys(
                ("none", "optimizer", "gradients"), select(offload, none=0, optimizer=0, all=whole_layer_memory)
            ),
            weights=whole_layer_memory,
        ),
        "GiB",
        "Memory of layers that the chip gathers, from other ranks or from the host",
    )
    bytes_per_gradient_copy = given(
        "Bytes of copies of a gradient that a chip makes of its shard to update it: none where it updates in place",
        "byte/param",
        default=0,
        minimum=0,
    )

    bucket_memory = formula(bucket_params * bytes_per_new_gradient, "GiB", "Memory of the buckets of gradients")
    gradient_copy_memory = formula(
        (rank_trained_params / optimizer_ranks + trained_expert_params / expert_optimizer_ranks)
        * bytes_per_gradient_copy,
        "GiB",
        "Memory of the copies of gradients for the update",
    )
    model_memory = formula(
        device_state_memory + gathered_memory + bucket_memory + gradient_copy_memory,
        "GiB",
        "States on one chip with gathered layers, buckets and copies",
        headline=True,
    )

    # The host of a node
    chips_per_node = given("Chips per node: eight in most servers", "chip", default=8, integer=True)
    loading = choice(
        "layer",
        "model",
        "shard",
        doc="What each rank has in the host's memory when it loads: a layer at a time, the model, or its share",
        default="layer",
    )
    host_buffer_factor = given(
        "Memory of the host over what it holds: room for buffers", default=1.5, source="deepspeed-estimators"
    )

    load_memory = formula(
        chips_per_node * select(loading, layer=largest_layer_params, model=params, shard=params / n_shard) * fp32_bytes,
        "GiB",
        "Weights that the ranks of a node have in the host's memory when they load the model, in fp32",
    )
    host_memory = formula(
        host_buffer_factor * max_(load_memory, chips_per_node * host_state_memory),
        "GiB",
        "Memory that the host of a node needs",
        headline=True,
    )

    assumptions = (
        "An even share of the model divides norms and routers too.",
        "Sharding divides evenly: padding of shards is left out.",
        "Whole matrices that Muon gathers for its update are left out.",
    )
    notes = (
        "ZeRO 1 of DeepSpeed flattens 16-bit gradients, then copies in fp32: bytes_per_gradient_copy = 6 byte/param.",
        "DeepSpeed's estimators gather no layer ahead: n_prefetched = 0 does the same.",
        "DeepSpeed's estimator of ZeRO 2 counts gradients in 16 and in 32 bits: bytes_per_gradient = 6 byte/param.",
        "Its BF16_Optimizer keeps new gradients in bf16 and adds them in fp32: 6 too, with bytes_per_new_gradient = 4.",
        "EleutherAI's script leaves gradients undivided by tensor and pipeline parallelism.",
        "Under ZeRO 3 it divides weights by the degree of tensor parallelism twice.",
    )
    sources = (
        "zero",
        "megatron-dist-optimizer",
        "pytorch-fsdp",
        "deepspeed-estimators",
        "deepspeed-engine",
    )
