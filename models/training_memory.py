from flopsheet import equal, formula, given, indicator, limit, max_, min_, mod, override, select
from flopsheet.builtin.models.adapter_size import AdapterSize
from flopsheet.builtin.models.framework_memory import FrameworkMemory
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.machine import Machine
from flopsheet.builtin.models.model_states import ModelStates
from flopsheet.builtin.models.stage_params import StageParams
from flopsheet.builtin.models.training_recipe import ADAPTERS, FULL


class TrainingMemory(Machine, StageParams, AdapterSize, ModelStates, GlobalBatch, FrameworkMemory):
    """Memory that the most loaded chip needs to train a language model: states, activations, buffers and framework.

    The chip of the first or the last pipeline stage holds most: an end of the model beside its layers. Its states are
    sharded over the ranks with the same weights, its activations are those of all micro-batches in flight.
    """

    model = override(example="llama-3-70b")
    n_tp = override(example=8)
    n_pp = override(example=4)
    n_dp = override(example=8)
    recipe = override(default="mixed_16")

    # The batch
    seq_len = override(example=8192)
    batch = override(
        doc="Sequences in a global batch; twice as many micro-batches as stages by default, which fills any schedule",
        inferred=2 * n_pp * n_dp * micro_batch,
        example=512,
    )
    n_microbatches = override(batch / (n_dp * micro_batch))
    whole_microbatches = limit(
        equal(mod(batch, n_dp * micro_batch), 0), "Each replica has a whole number of micro-batches"
    )

    whole_replicas = limit(equal(mod(n_dp, 1), 0), "Chips make up a whole number of replicas")
    sequence_chunk = given(
        "Tokens that stay together where ranks share a sequence: one", "token", default=1, minimum=1, integer=True
    )
    sequence_divides = limit(
        equal(indicator(n_cp > 1) * mod(seq_len / sequence_chunk, n_cp), 0), "Ranks share a sequence in equal parts"
    )
    stages_have_layers = limit(n_pp <= n_blocks, "Each stage has a layer or more")
    heads_divide = limit(equal(mod(n_heads, n_tp), 0), "Each tensor-parallel rank has as many heads")
    state_heads_divide = limit(
        equal(mod(state.n_heads, n_tp), 0), "Each tensor-parallel rank has as many heads of recurrent states"
    )
    key_heads_divide = limit(
        equal(mod(max_(n_kv_heads, n_tp), min_(max_(n_kv_heads, 1), n_tp)), 0),
        "Each has as many key and value heads, or a copy of one that as many ranks have",
    )
    whole_experts = limit(equal(mod(n_experts, n_ep), 0), "Each expert-parallel rank has as many experts of a layer")

    # Parameters of the most loaded chip
    rank_outer_params = override(
        joined_ends * both_end_params + (1 - joined_ends) * max_(first_end_params, last_end_params),
        "Parameters outside the layers on the most loaded chip",
    )

    rank_params = override(
        inferred=(
            weight_copies * n_stage_blocks * rank_block_params + further_mtp * rank_mtp_params + rank_outer_params
        )
    )
    rank_kept_params = override(weight_copies * n_stage_blocks * rank_block_kept_params)
    rank_expert_params = override(
        inferred=(weight_copies * n_stage_moe_blocks + further_mtp * mtp.experts)
        * n_experts
        * single_expert_params
        / (n_ep * n_etp)
    )
    rank_adapter_params = override(
        inferred=(adapter_params - expert_adapter_params) * weight_copies * n_stage_blocks / (n_blocks * n_tp)
    )
    rank_expert_adapter_params = override(
        inferred=expert_adapter_params * weight_copies * n_stage_moe_blocks / (max_(n_moe_blocks, 1) * n_ep * n_etp)
    )
    largest_layer_params = override(inferred=max_(rank_layer_params, widest_outer_params))
    largest_layer_memory = override(
        inferred=max_(rank_layer_params * bytes_per_param, widest_outer_params * bytes_per_outer_param)
    )
    weight_ranks = override(weight_copies * data_ranks)
    expert_weight_ranks = override(weight_copies * n_edp)

    # One chip
    chips_per_node = override(inferred=system.n_chips)
    states_fit = limit(model_memory <= chip.memory, "One chip holds the states alone, however short sequences are")
    new_gradient_memory = formula(
        select(
            sharding,
            **dict.fromkeys(("none", "optimizer", "gradients"), buffered_params),
            weights=largest_layer_params,
        )
        * bytes_per_new_gradient,
        "GiB",
        "New gradients, before they are added to those that are accumulated: of a layer with its experts if gathered",
    )
    end_weight_memory = formula(
        rank_outer_params * bytes_per_outer_param / param_ranks,
        "GiB",
        "Weights of the embedding or the output matrix, and what is beside it, on the chip",
    )
    end_training_memory = formula(
        rank_outer_params
        * select(
            recipe,
            **dict.fromkeys(FULL, bytes_per_gradient / gradient_ranks + bytes_per_outer_optimizer / optimizer_ranks),
            **dict.fromkeys(ADAPTERS, 0),
        ),
        "GiB",
        "Gradients and optimizer state of the embedding or the output matrix, and what is beside it, on the chip",
    )
    end_state_memory = formula(
        select(offload, none=end_weight_memory + end_training_memory, optimizer=end_weight_memory, all=0),
        "GiB",
        "States of the embedding or the output matrix, and what is beside it, that the chip holds itself",
    )
    freed_blocks = formula(
        joined_ends * indicator(n_pp > 1) * min_(free_places, n_stage_blocks * weight_copies / 2),
        "",
        "Layers that the chip with both ends of a V has fewer than others, as those of the last stage are fewer",
    )
    freed_share = formula(
        freed_blocks / (weight_copies * n_stage_blocks),
        "",
        "Layers that the chip with both ends has fewer, over those of others",
    )
    freed_memory = formula(
        min_(
            freed_share * (device_state_memory - end_state_memory) + freed_blocks * n_loss_in_flight * layer_memory,
            max_(end_state_memory + activation_memory - stage_memory, 0),
        ),
        "GiB",
        "Memory of layers that the chip with both ends has fewer, at most that of the ends, which others lack",
    )
    tensor_memory = formula(
        model_memory + peak_activation_memory + new_gradient_memory - freed_memory,
        "GiB",
        "Memory of all tensors: what a framework calls allocated",
    )
    reserved_share = given(
        "Memory that the allocator reserves beside tensors, over theirs: none; 3 to 9 % were measured",
        default=0,
        minimum=0,
        maximum=1,
        source="simumax",
    )
    device_memory = formula(
        tensor_memory * (1 + reserved_share) + framework_memory,
        "GiB",
        "Memory that the most loaded chip needs",
        headline=True,
    )
    first_chip_memory = formula(
        device_memory + (first_stage_memory - activation_memory) * (1 + reserved_share),
        "GiB",
        "Memory that a chip of the first stage needs",
    )
    last_chip_memory = formula(
        device_memory + (last_stage_memory - activation_memory) * (1 + reserved_share),
        "GiB",
        "Memory that a chip of the last stage needs, if it has as many layers as others",
    )
    inner_chip_memory = formula(
        device_memory + (freed_memory + stage_memory - activation_memory - end_state_memory) * (1 + reserved_share),
        "GiB",
        "Memory that a chip of a stage between them needs at most: without embedding and output matrix",
    )
    state_share = formula(model_memory / device_memory, "percent", "Share of states in the memory of one chip")
    activation_share = formula(
        peak_activation_memory / device_memory, "percent", "Share of activations in the memory of one chip"
    )
    memory_fill = formula(device_memory / chip.memory, "", "Memory needed on one chip over what it has", headline=True)
    fits = limit(device_memory <= chip.memory, "The most loaded chip holds its share")

    lifted = (
        "Pipeline stages share no weights.",
        "An even share of the model divides norms and routers too.",
        "Buffers of communication and fragmentation are left out.",
        "Memory is not fragmented: allocators of frameworks reserve some percent more than tensors take.",
    )
    assumptions = (
        "Where both ends of a pipeline hold the same vocabulary matrix, each has a copy.",
        "Tensor-parallel ranks divide adapters evenly, of matrices that they copy too.",
        "Biases of experts, and modules that predict further tokens, are held in the precision of the matrices.",
        "Beside adapters, inputs of frozen matrices count as kept too, though their gradients do not need them.",
    )
    notes = (
        "FSDP2 holds gradients of two layers: of the one it computes, and of the one before, which are being reduced.",
        "Allocators hold more than tensors take: what fits by less than 3 to 9 % may not fit (reserved_share).",
        "With --figures usable, chip.memory is what the chip gives to programs, where its record says so.",
    )
    sources = (
        "bigscience-chronicles",
        "simumax",
    )
