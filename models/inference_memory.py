from flopsheet import equal, floor, formula, given, indicator, limit, max_, mod, override, ratio, select
from flopsheet.builtin.models.framework_memory import FrameworkMemory
from flopsheet.builtin.models.kv_cache import KvCache
from flopsheet.builtin.models.machine import Machine
from flopsheet.builtin.models.rank_params import RankParams
from flopsheet.builtin.models.weight_format import WeightFormat


class InferenceMemory(Machine, WeightFormat, RankParams, KvCache, FrameworkMemory):
    """Memory that the most loaded chip needs to serve a language model: weights, caches, activations and framework.

    The most sequences, the longest context and the fewest chips are what the limit `fits` leaves.
    """

    model = override(example="llama-3-70b")
    n_tp = override(example=8)
    n_sequences = override(example=64)
    seq_len = override(example=8192)
    fp32_weights = override(
        doc="Weights that the files have in fp32 are loaded in 16 bits, or as they are", default="halved"
    )

    # Weights on the most loaded chip
    n_redundant = given(
        "Experts of a layer that are held twice, to balance the load: none",
        default=0,
        example=32,
        minimum=0,
        maximum=10**5,
        integer=True,
    )
    whole_experts = limit(equal(mod(n_experts + n_redundant, n_ep), 0), "Each group has as many experts of a layer")
    rank_expert_params = formula(
        stage_share * expert_stack_params * (1 + n_redundant / max_(n_experts, 1)) / stage_chips,
        "param",
        "Weights of experts on one chip",
    )
    rank_expert_bias_params = formula(
        stage_share * expert_bias_stack_params * (1 + n_redundant / max_(n_experts, 1)) / stage_chips,
        "param",
        "Biases of the experts on one chip",
    )
    copied_key_params = formula(
        direct_keys
        * select(cache_split, heads=local_kv_heads - n_kv_heads / n_tp, sequences=0)
        * (d_head + d_value)
        * (d_model + qkv_bias),
        "param",
        "Keys and values of a layer that a chip has beyond an even share: a head each, where ranks are more than heads",
    )
    copied_key_bias_params = formula(
        copied_key_params * qkv_bias / (d_model + qkv_bias),
        "param",
        "Biases of the keys and values of a layer that a chip has beyond an even share",
    )
    rank_matrix_params = formula(
        stage_share
        * (
            (
                block_matrix_params
                + (n_tp - 1) * n_attention_blocks * (copied_latent_params - copied_latent_vector_params)
            )
            / n_tp
            + (n_full_caches + n_window_caches) * (copied_key_params - copied_key_bias_params)
            + state.n_blocks * (copied_state_params - copied_conv_params)
        ),
        "param",
        "Matrices of the layers on one chip, experts and routers aside",
    )
    rank_vector_params = formula(
        stage_share
        * (
            (
                block_vector_params
                + (n_tp - 1) * (n_attention_blocks * copied_latent_vector_params + whole_vector_params)
            )
            / n_tp
            + (n_full_caches + n_window_caches) * copied_key_bias_params
            + state.n_blocks * copied_conv_params
        ),
        "param",
        "Biases, norms and other vectors of the layers on one chip that no format quantizes, experts aside",
    )
    single_stage = formula(1 - indicator(n_pp > 1), "", "1 if one stage has all layers, else 0")
    rank_outer_params = formula(
        single_stage * both_end_params
        + (1 - single_stage) * max_(first_end_params, last_end_params)
        + stage_share * (block_norm_params + stored_rope_params + (other_params - layer_embedding_params) / n_tp),
        "param",
        "Parameters of one chip outside the matrices of the layers: an end, norms whole, and its part of others",
    )
    draft_memory = given("Weights and caches of a draft model on one chip: none", "GiB", default=0, minimum=0)
    rank_expert_weights = formula(
        rank_expert_params * bytes_per_expert_param + rank_expert_bias_params * bytes_per_outer_param,
        "GiB",
        "Experts on one chip",
    )
    rank_block_weights = formula(
        rank_matrix_params * bytes_per_param
        + (rank_vector_params + stage_share * copied_stack_params) * bytes_per_outer_param,
        "GiB",
        "Other weights of the layers on one chip, norms of layers aside: routers and latents of experts whole",
    )
    served_memory = formula(
        rank_expert_weights + rank_block_weights + rank_outer_params * bytes_per_outer_param,
        "GiB",
        "Weights on one chip",
    )

    # Activations of one step
    batched_tokens = given(
        "Tokens that one step computes at most: 8,192 in vLLM on a large chip",
        "token",
        default=8192,
        minimum=0,
        source="vllm",
    )
    bytes_per_activation = given("Bytes of a bf16 activation of one token", "byte/token", default=2, source="bfloat16")
    bytes_per_logit = given("Bytes of an fp32 logit of one token", "byte/token", default=4, source="vllm")
    logit_tokens = given(
        "Tokens whose logits live at once: 256 sequences in vLLM", "token", default=256, minimum=0, source="vllm"
    )
    stream_copies = given("Copies of the residual stream that live at once: input, norm, sum, output", default=4)
    hidden_copies = given("Copies of the hidden layer that live at once: gate, value, product", default=3)
    widest_hidden = formula(
        max_(d_ff, computed_experts * d_expert + d_shared), "", "Hidden units that a token passes in the widest layer"
    )
    working_memory = formula(
        batched_tokens * bytes_per_activation * (stream_copies * d_model + hidden_copies * widest_hidden / n_tp)
        + logit_tokens * vocab * bytes_per_logit,
        "GiB",
        "Activations of a step, and logits",
    )

    # One chip
    communicator_memory = given(
        "Memory of the buffers of collectives of several chips: about 1 GiB for some communicators",
        "MiB",
        default=1024,
        minimum=0,
    )
    communication_memory = override(
        doc="Memory of the buffers of collectives: none where a replica is one chip",
        inferred=communicator_memory * indicator(replica_chips > 1),
    )
    memory_utilization = given(
        "Share of the chip's memory that the server takes", default=ratio(9, 10), maximum=1, source="vllm"
    )
    fixed_memory = formula(
        served_memory + working_memory + draft_memory + framework_memory,
        "GiB",
        "Memory of one chip that does not depend on the sequences",
    )
    weights_fit = limit(
        fixed_memory <= memory_utilization * chip.memory,
        "The most loaded chip holds its weights and activations, however few and short the sequences are",
    )
    inference_memory = formula(fixed_memory + cache_memory, "GiB", "Memory that the most loaded chip needs")
    memory_fill = formula(
        inference_memory / chip.memory, "", "Memory needed on one chip over what it has", headline=True
    )
    fits = limit(inference_memory <= memory_utilization * chip.memory, "The most loaded chip holds its share")

    # What fits
    cache_room = formula(
        memory_utilization * chip.memory - fixed_memory,
        "GiB",
        "Memory of one chip that is left for caches",
        signed=True,
    )
    max_sequences = formula(
        n_adp * floor(max_(0, cache_room) / rank_sequence_cache),
        "",
        "Sequences of the given length that one replica has room for",
        headline=True,
    )
    max_tokens = formula(
        n_adp * max_(0, cache_room) / rank_sequence_cache * seq_len,
        "token",
        "Tokens for which the caches of one replica have room, in sequences of the given length",
    )

    assumptions = (
        (
            "Tensor parallelism divides matrices evenly; norms, routers, biases of outputs, latents of experts and "
            "gates of shared experts are whole on each chip."
        ),
        "In int8, matrices that ranks copy bear the mean share of scales: within 0.012 % of the bytes of known models.",
        "Modules that predict further tokens are left out; as drafts, they are draft_memory.",
    )
    notes = (
        "With --figures usable, chip.memory is what the chip gives to programs, where its record says so.",
        (
            "Estimates that count weights and caches alone have batched_tokens = 0 token, kernel_memory = 0 MiB and "
            "communication_memory = 0 MiB."
        ),
    )
