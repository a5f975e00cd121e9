from flopsheet import formula, given, max_, override, part, select
from flopsheet.builtin.models.chip_links import ChipLinks
from flopsheet.builtin.models.collective_time import CollectiveTime
from flopsheet.builtin.models.model_states import SHARDED
from flopsheet.builtin.models.sent_states import SentStates


class StateExchanges(ChipLinks, SentStates):
    """Time per step to add up gradients over data-parallel ranks and to gather weights, over the links of a machine."""

    chip = override(example="h100-sxm")
    n_tp = override(example=8)

    n_buckets = given("Messages into which gradients and weights are divided: one for each layer", example=80)

    dp = part(
        CollectiveTime,
        "Gradients and weights of a step, experts aside: reduce-scatters and all-gathers",
        operation="reduce_scatter",
        n_ranks=select(sharding, none=weight_ranks, **dict.fromkeys(SHARDED, n_shard)),
        payload=step_reductions * sent_gradients + step_gathers * gathered_weights,
        domain_ranks=max_(1, domain_chips / n_tp),
    )
    expert_dp = part(
        CollectiveTime,
        "Gradients and weights of experts",
        operation="reduce_scatter",
        n_ranks=select(sharding, none=expert_weight_ranks, **dict.fromkeys(SHARDED, n_expert_shard)),
        payload=step_reductions * sent_expert_gradients + step_gathers * gathered_expert_weights,
        domain_ranks=max_(1, domain_chips / (n_ep * n_etp)),
    )
    groups = part(
        CollectiveTime,
        "Gradients that groups with copies of the shards add up (HSDP), experts aside",
        operation="all_reduce",
        n_ranks=select(sharding, none=1, **dict.fromkeys(SHARDED, n_shard_groups)),
        payload=sent_gradients / n_shard,
        domain_ranks=max_(1, domain_chips / (n_tp * n_shard)),
    )
    expert_groups = part(
        CollectiveTime,
        "Gradients of experts that groups with copies of their shards add up",
        operation="all_reduce",
        n_ranks=select(sharding, none=1, **dict.fromkeys(SHARDED, n_expert_shard_groups)),
        payload=sent_expert_gradients / n_expert_shard,
        domain_ranks=max_(1, domain_chips / (n_ep * n_etp * n_expert_shard)),
    )
    dp_latency_time = formula(
        n_buckets * (step_reductions + step_gathers) * dp.latency_time + n_buckets * groups.latency_time,
        "second",
        "Latency of all messages of a step",
    )
    dp_time = formula(
        dp_latency_time
        + (dp.transfer_time + expert_dp.transfer_time)
        + (groups.transfer_time + expert_groups.transfer_time),
        "second",
        "Time to exchange gradients and weights per step",
        headline=True,
    )

    assumptions = (
        "Experts are exchanged after the other weights; the latency of their messages is hidden behind those.",
    )
