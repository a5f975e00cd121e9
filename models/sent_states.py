from flopsheet import choice, formula, given, select
from flopsheet.builtin.models.model_states import SHARDED, ModelStates
from flopsheet.builtin.models.training_recipe import ADAPTERS, FP8, FULL, RECIPES


class SentStates(ModelStates):
    """Gradients and weights that one chip sends to its data-parallel ranks per step, by what is sharded: ZeRO, FSDP.

    Unsharded states need an all-reduce of the gradients, which is a reduce-scatter and an all-gather. Sharded ones need
    the first of gradients and the second of weights, under full sharding for each micro-batch forward and backward.
    """

    n_accumulation = given("Micro-batches accumulated per step: one", default=1, example=4, integer=True)
    bytes_per_sent_gradient = given(
        "Bytes of a gradient as ranks exchange it, by default as it is accumulated",
        "byte/param",
        inferred=bytes_per_gradient,
        minimum=0,
    )
    bytes_per_sent_param = given(
        "Bytes of a weight as ranks gather it: an fp8 weight in one of its layouts",
        "byte/param",
        inferred=select(
            recipe, **dict.fromkeys(RECIPES, bytes_per_param) | dict.fromkeys(FP8, bytes_per_param / fp8_layouts)
        ),
    )
    n_gathers = given(
        "Times that a micro-batch gathers a fully sharded weight: forward and backward",
        default=2,
        integer=True,
        source="zero",
    )
    own_part = choice(
        "kept",
        "sent",
        doc="Whether the part of a tensor that a rank itself adds up or holds counts as sent",
        default="kept",
    )

    # How often, and which share of a tensor
    step_reductions = formula(
        select(sharding, none=2, optimizer=1, gradients=n_accumulation, weights=n_accumulation),
        "",
        "Times that gradients are sent per step, two of them in an all-reduce",
    )
    step_gathers = formula(
        select(sharding, none=0, optimizer=1, gradients=1, weights=n_gathers * n_accumulation),
        "",
        "Times that weights are sent per step",
    )
    sent_share = formula(
        select(own_part, kept=1 - 1 / select(sharding, none=weight_ranks, **dict.fromkeys(SHARDED, n_shard)), sent=1),
        "",
        "Share of a tensor that a rank sends, experts aside",
    )
    sent_expert_share = formula(
        select(
            own_part,
            kept=1 - 1 / select(sharding, none=expert_weight_ranks, **dict.fromkeys(SHARDED, n_expert_shard)),
            sent=1,
        ),
        "",
        "Share of a tensor of experts that a rank sends",
    )

    # Once a step, or once a micro-batch
    sent_gradients = formula(
        select(recipe, **dict.fromkeys(FULL, rank_params), **dict.fromkeys(ADAPTERS, rank_adapter_params))
        * bytes_per_sent_gradient,
        "GB",
        "Gradients of the chip as ranks exchange them, experts aside",
    )
    sent_expert_gradients = formula(
        trained_expert_params * bytes_per_sent_gradient, "GB", "Gradients of the experts of the chip"
    )
    sent_weights = formula(
        rank_weights + rank_matrix_params * (bytes_per_sent_param - bytes_per_param),
        "GB",
        "Weights of the chip as ranks gather them, experts aside",
    )
    gathered_weights = formula(
        select(
            sharding,
            **dict.fromkeys(
                ("none", "optimizer", "gradients"),
                select(
                    recipe,
                    **dict.fromkeys(FULL, sent_weights),
                    **dict.fromkeys(ADAPTERS, rank_adapter_params * bytes_per_adapter_param),
                ),
            ),
            weights=sent_weights,
        ),
        "GB",
        "Weights that ranks gather, experts aside: of adapters only, unless all weights are sharded",
    )
    sent_expert_weights = formula(
        rank_expert_weights + rank_expert_params * (bytes_per_sent_param - bytes_per_param),
        "GB",
        "Weights of the experts of the chip as ranks gather them",
    )
    trained_expert_weights = formula(
        select(
            recipe,
            **dict.fromkeys(FULL, sent_expert_weights),
            **dict.fromkeys(ADAPTERS, rank_expert_adapter_params * bytes_per_adapter_param),
        ),
        "GB",
        "Weights of the experts of the chip that are trained, or of their adapters",
    )
    gathered_expert_weights = formula(
        select(
            sharding,
            **dict.fromkeys(("none", "optimizer", "gradients"), trained_expert_weights),
            weights=sent_expert_weights,
        ),
        "GB",
        "Weights of experts that ranks gather: of adapters only, unless all weights are sharded",
    )
    reduce_traffic = formula(
        step_reductions * (sent_share * sent_gradients + sent_expert_share * sent_expert_gradients),
        "GB",
        "Gradients that one chip sends per step",
    )
    gather_traffic = formula(
        step_gathers * (sent_share * gathered_weights + sent_expert_share * gathered_expert_weights),
        "GB",
        "Weights that one chip sends per step",
    )

    # Between groups with copies of the shards (HSDP)
    n_shard_groups = formula(weight_ranks / n_shard, "", "Groups with copies of the same shards")
    n_expert_shard_groups = formula(
        expert_weight_ranks / n_expert_shard, "", "Groups with copies of the same shards of experts"
    )
    group_traffic = formula(
        select(
            sharding,
            none=0,
            **dict.fromkeys(
                SHARDED,
                2 * (1 - 1 / n_shard_groups) * sent_gradients / n_shard
                + 2 * (1 - 1 / n_expert_shard_groups) * sent_expert_gradients / n_expert_shard,
            ),
        ),
        "GB",
        "Gradients that one chip sends to other groups per step, in an all-reduce of its shard",
    )

    sync_traffic = formula(
        reduce_traffic + gather_traffic + group_traffic,
        "GB",
        "Gradients and weights that one chip sends per step",
        headline=True,
    )

    assumptions = (
        "Collectives send as little as a ring does.",
        "Gradients of states that are sharded no further than the optimizer are exchanged once a step.",
    )
    notes = ("ZeRO states 2, 2 and 3 parameters sent per step and parameter: own_part = sent counts the same.",)
    sources = ("ml-engineering",)
