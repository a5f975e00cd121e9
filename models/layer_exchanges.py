from flopsheet import formula, given, indicator, limit, max_, min_, override, part, ratio, select
from flopsheet.builtin.models.activation_memory import ActivationMemory
from flopsheet.builtin.models.chip_links import ChipLinks
from flopsheet.builtin.models.collective_time import CollectiveTime
from flopsheet.builtin.models.tensor_sums import TensorSums


class LayerExchanges(ChipLinks, ActivationMemory, TensorSums):
    """Time to exchange activations of one layer: tensor, context and expert parallelism, and pipeline stages.

    Tensor-parallel ranks are next to each other, then those of a sequence, then replicas, then stages, so that the
    first fill the scale-up domains. Experts are next to each other in a stage of all replicas.
    """

    model = override(example="deepseek-v3")
    chip = override(example="h100-sxm")
    n_tp = override(example=8)
    n_dp = override(example=8)
    n_ep = override(example=8)

    exchange_passes = formula(
        2 + select(recomputation, none=0, selective=0, full=recomputed_share),
        "",
        "Times that a layer exchanges activations: forward, backward and again",
    )

    # Tensor parallelism: a sum of the outputs of each part of a layer; experts that are not split need none
    tp = part(
        CollectiveTime,
        "Sum over tensor-parallel ranks: an all-reduce, or a reduce-scatter and an all-gather of the same bytes",
        operation="all_reduce",
        n_ranks=n_tp,
        payload=local_tokens * d_model * bytes_per_activation,
    )
    expert_sums = override(indicator(n_etp > 1))
    layer_tp_time = formula(
        exchange_passes * (tp_sums * tp.latency_time + tp_streams * tp.transfer_time),
        "ms",
        "Time of tensor parallelism in a layer",
        headline=True,
    )

    # Context parallelism: keys and values of the whole sequence, and their gradients
    key_value_width = formula(local_kv_heads * (d_head + d_value), "", "Keys and values of a token on one chip")
    cp = part(
        CollectiveTime,
        "Keys and values for the ranks of a sequence: an all-gather, or a ring that passes them on",
        operation="all_gather",
        n_ranks=n_cp,
        payload=microbatch_tokens * key_value_width * bytes_per_activation,
        domain_ranks=max_(1, domain_chips / n_tp),
    )
    layer_cp_time = formula(
        n_attention_blocks / n_blocks * (1 + exchange_passes) * cp.collective_time,
        "ms",
        "Time of context parallelism in a layer: keys and values in each pass, and their gradients",
        headline=True,
    )

    mixers_keep_sequences = limit(
        indicator(n_cp > 1) * state.n_blocks <= 0,
        "No recurrent mixer shares a sequence: the time to exchange its states or heads is not counted",
    )

    # Expert parallelism: tokens go to their experts and come back
    sent_copies = given(
        "Copies of a token that leave its chip: one for each expert, fewer if copies to one node travel together",
        inferred=computed_experts,
        example=8,
        minimum=0,
    )
    bytes_per_dispatched = given(
        "Bytes of a value on the way to an expert: those that its matrices read",
        "byte/token",
        inferred=bytes_per_matmul_input,
        example=2,
    )
    ep = part(
        CollectiveTime,
        "Tokens on their way to experts and back: an all-to-all, the mean of both",
        operation="all_to_all",
        n_ranks=n_ep,
        payload=capacity_factor
        * sent_copies
        * (local_tokens * n_etp / n_tp)
        * d_expert_in
        * (bytes_per_dispatched + bytes_per_activation)
        * ratio(1, 2),
        domain_ranks=max_(1, domain_chips / n_etp),
    )
    layer_ep_time = formula(
        2 * n_moe_blocks / n_blocks * exchange_passes * ep.collective_time,
        "ms",
        "Time of expert parallelism in a layer",
        headline=True,
    )

    # Pipeline stages: the residual stream to the next stage, its gradient back
    pp = part(
        CollectiveTime,
        "The residual stream on its way to the next stage, between domains unless one has all stages",
        operation="point_to_point",
        n_ranks=min_(n_pp, 2),
        payload=local_tokens * d_model * bytes_per_activation / n_tp,
        domain_ranks=1 + indicator(domain_chips >= n_chips),
    )
    microbatch_pp_time = formula(
        2 * stage_chunks * pp.collective_time,
        "ms",
        "Time to send a micro-batch to the next stage, and its gradient back",
        headline=True,
    )

    assumptions = (
        "Ranks of a sequence exchange all keys and values, in layers with a window too.",
        "Latent attention exchanges those of its heads, not the smaller latent that gives them.",
        "On a torus, ranks of each kind have axes of their own: groups of them side by side share no links.",
        "Inputs that sequence parallelism gathers again are gathered beside the products of the backward pass.",
    )
    notes = (
        "DeepSeek-V3 sends a token to four nodes at most: sent_copies = 4, and bytes_per_dispatched = 1 byte/token.",
    )
    sources = ("megatron-lm",)
