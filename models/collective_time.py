from flopsheet import ceil, choice, formula, given, indicator, limit, log2, max_, min_, ratio, select
from flopsheet.builtin.models.chip_links import ChipLinks

SWITCHED = ("ring", "tree", "in_fabric", "hierarchical")
LEVELLED = ("tree", "in_fabric", "hierarchical", "torus")
LAUNCHED_AT_ONCE = "Launches of kernels take no time."
GATHERS = ("all_gather", "reduce_scatter")


class CollectiveTime(ChipLinks):
    """Time of one collective: the latency of its hops, and the transfer of what each rank sends.

    Sheets embed it as a part for each collective of a step. The ranks are spread evenly over as few scale-up domains as
    have room for them; what leaves a domain takes the scale-out network, over the ports of all its ranks.
    """

    # The collective
    operation = choice(
        "all_reduce", *GATHERS, "all_to_all", "point_to_point", doc="What the ranks exchange", default="all_reduce"
    )
    algorithm = choice(
        *SWITCHED,
        "torus",
        doc="Route: one ring, recursive halving, sums in the switches, a ring on each level, or a torus in each domain",
        default="ring",
    )
    n_ranks = given("Ranks of the collective, one on each chip", example=128, maximum=10**7, integer=True)
    payload = given("Payload: the whole array, of all-to-all that of one rank", "MB", example=1000, minimum=0)
    domain_ranks = given("Ranks for which a scale-up domain has room", inferred=domain_chips, minimum=1, maximum=10**7)
    in_fabric_needs_switches = limit(
        select(
            algorithm,
            in_fabric=link_axes * link_peers,
            **dict.fromkeys(("ring", "tree", "hierarchical", "torus"), 1),
        )
        <= 1,
        "Where switches are to add, links lead to switches: to no neighbours on a torus, and not to each peer",
    )
    tree_needs_paths = limit(
        select(algorithm, tree=torus_links, **dict.fromkeys(("ring", "in_fabric", "hierarchical", "torus"), 0)) <= 0,
        "Partners in a tree have a path of their own: links lead to switches or to each peer, not along a torus",
    )

    # The ranks in their domains
    n_domains = formula(ceil(n_ranks / domain_ranks), "", "Domains of the ranks", integer=True)
    local_ranks = formula(n_ranks / n_domains, "", "Ranks in one domain: the mean")
    fewest_axes = formula(
        1
        + torus_links
        * (
            indicator(link_axes > 1) * indicator(local_ranks > longest_side)
            + max_(link_axes - 2, 0) * indicator(local_ranks > longest_side * second_side)
        ),
        "",
        "Axes of the torus that have room for the ranks: one, two, or all, and no more than links have",
    )
    rank_axes = given("Axes of the torus to give the ranks", inferred=fewest_axes, example=1, maximum=8, integer=True)
    spanned_axes = formula(
        max_(
            fewest_axes,
            min_(
                rank_axes,
                select(
                    algorithm,
                    torus=torus_links * link_axes + (1 - torus_links) * rank_axes,
                    **dict.fromkeys(SWITCHED, link_axes),
                ),
            ),
        ),
        "",
        "Axes of the torus that the ranks span: no more than links have, and no fewer than have room for them",
    )
    crossing = formula(indicator(n_domains > 1), "", "1 if the ranks span several domains, else 0")
    inside = formula(indicator(local_ranks > 1) * (1 - crossing), "", "1 if all ranks are in one domain, else 0")
    rank_share = formula(
        select(own_shard, kept=1 - 1 / n_ranks, sent=indicator(n_ranks > 1)), "", "Share moved among all ranks"
    )
    local_share = formula(
        select(own_shard, kept=1 - 1 / local_ranks, sent=indicator(local_ranks > 1)),
        "",
        "Share moved among ranks of one domain",
    )
    domain_share = formula(select(own_shard, kept=1 - 1 / n_domains, sent=crossing), "", "Share moved among domains")
    further_sides = formula(
        third_side ** max_(spanned_axes - 2, 0), "", "Room of the axes that the ranks span beyond two"
    )
    torus_side = given(
        "Ranks along the longest axis that they span: axes are equally long where the machine has room for that",
        inferred=max_(
            local_ranks ** (1 / spanned_axes),
            torus_links * indicator(spanned_axes > 1) * local_ranks / (second_side * further_sides),
            torus_links * indicator(spanned_axes > 2) * (local_ranks / further_sides) ** ratio(1, 2),
        ),
        example=8,
        maximum=10**7,
    )
    next_side = formula(
        max_(
            (local_ranks / torus_side) ** (1 / max_(spanned_axes - 1, 1)),
            torus_links * local_ranks / (torus_side * further_sides) * indicator(spanned_axes > 2),
        ),
        "",
        "Ranks along the second longest axis that they span: as long as further ones where these have room",
    )
    side_sum = formula(
        torus_side
        + indicator(spanned_axes > 1) * next_side
        + max_(spanned_axes - 2, 0) * (local_ranks / (torus_side * next_side)) ** (1 / max_(spanned_axes - 2, 1)),
        "",
        "Ranks along all axes that they span, one after the other",
    )
    torus_hops = formula(
        indicator(local_ranks > 1) * select(torus_ends, closed=side_sum / 2, open=side_sum - spanned_axes),
        "",
        "Hops to the farthest rank of the torus",
    )
    forwarded_share = formula(
        indicator(local_ranks > 1) * spanned_axes * torus_side / 4,
        "",
        "Bytes that a rank of the torus sends or passes on in an all-to-all, over those of the payload",
        source="scaling-book-sharding",
    )

    ring_hops = formula(
        (1 - torus_links) * (local_ranks - 1) + torus_links * (side_sum - spanned_axes),
        "",
        "Hops of rings in one domain: one ring through all ranks, or on a torus one along each axis",
    )

    # An all-gather, or a reduce-scatter, which is the same backwards
    gather_out_share = formula(
        select(algorithm, ring=rank_share * crossing, **dict.fromkeys(LEVELLED, domain_share)) / local_ranks,
        "",
        "Share of the payload that a rank sends out of its domain in an all-gather",
        source="ring-allreduce",
    )
    gather_share = formula(
        select(algorithm, ring=rank_share - gather_out_share, **dict.fromkeys(LEVELLED, local_share)),
        "",
        "Share of the payload that a rank sends inside its domain in an all-gather",
        source="ring-allreduce",
    )
    gather_hops = formula(
        select(
            algorithm,
            ring=n_domains * ring_hops,
            tree=log2(local_ranks),
            in_fabric=indicator(local_ranks > 1),
            hierarchical=ring_hops,
            torus=torus_hops,
        ),
        "",
        "Hops inside domains, one after the other, of an all-gather; to the farthest rank of a torus",
    )
    gather_out_hops = formula(
        select(
            algorithm,
            tree=log2(n_domains),
            **dict.fromkeys(("ring", "in_fabric", "hierarchical", "torus"), n_domains - 1),
        ),
        "",
        "Hops between domains, one after the other, of an all-gather",
    )

    # What one rank sends
    scale_up_share = formula(
        select(
            operation,
            all_reduce=select(
                algorithm,
                in_fabric=indicator(local_ranks > 1),
                **dict.fromkeys(("ring", "tree", "hierarchical", "torus"), 2 * gather_share),
            ),
            **dict.fromkeys(GATHERS, gather_share),
            all_to_all=select(
                algorithm,
                torus=forwarded_share,
                **dict.fromkeys(SWITCHED, (1 - torus_links) * local_share + torus_links * forwarded_share),
            )
            * local_ranks
            / n_ranks,
            point_to_point=inside,
        ),
        "",
        "Bytes that one rank sends inside its domain over those of the payload",
    )
    scale_out_share = formula(
        select(
            operation,
            all_reduce=2 * gather_out_share,
            **dict.fromkeys(GATHERS, gather_out_share),
            all_to_all=1 - local_ranks / n_ranks,
            point_to_point=crossing,
        ),
        "",
        "Bytes that one rank sends out of its domain over those of the payload",
    )
    scale_up_traffic = formula(
        payload * scale_up_share,
        "MB",
        "Bytes that one rank sends inside its domain, or receives if more; on a torus with what it forwards",
    )
    scale_out_traffic = formula(payload * scale_out_share, "MB", "Bytes that one rank sends out of its domain")

    # The time
    reached_links = formula(
        select(
            operation,
            **dict.fromkeys(
                ("all_reduce", *GATHERS, "all_to_all"),
                min_(max_(local_ranks - 1, 1) / link_peers, 1) * spanned_axes,
            ),
            point_to_point=1 / link_peers,
        )
        / link_axes,
        "",
        "Share of its links over which a chip reaches ranks: those to them, or along the axes that they span",
    )
    both_ways = formula(
        select(
            operation,
            **dict.fromkeys(("all_reduce", *GATHERS, "all_to_all"), select(torus_ends, closed=1, open=ratio(1, 2))),
            point_to_point=ratio(1, 2),
        ),
        "",
        "Share of the links of an axis that carry the payload: one way along lines, and to a single rank",
    )
    scale_up_rate = formula(
        bandwidth_efficiency
        * select(
            algorithm,
            torus=spanned_axes * axis_bandwidth * both_ways,
            **dict.fromkeys(
                SWITCHED, reached_links * scale_up_bandwidth * ((1 - torus_links) + torus_links * both_ways)
            ),
        ),
        "GB/s",
        "Rate at which one rank sends inside its domain; half of it along lines, or to a single rank of a torus",
    )
    scale_up_time = formula(scale_up_traffic / scale_up_rate, "ms", "Time to transfer what stays inside domains")
    scale_out_time = formula(
        scale_out_traffic / (bandwidth_efficiency * scale_out_bandwidth), "ms", "Time to transfer what leaves domains"
    )
    byte_time = formula(
        select(
            levels,
            overlapped=max_(
                scale_up_share / scale_up_rate, scale_out_share / (bandwidth_efficiency * scale_out_bandwidth)
            ),
            in_turn=scale_up_share / scale_up_rate + scale_out_share / (bandwidth_efficiency * scale_out_bandwidth),
        ),
        "ns/MB",
        "Time to transfer a byte of the payload",
    )
    transfer_time = formula(payload * byte_time, "ms", "Time of the transfer: the longer of both levels, or their sum")
    gather_latency = formula(
        gather_hops * scale_up_latency + gather_out_hops * scale_out_latency,
        "us",
        "Latency of the hops of a gather, one after the other",
    )
    exchange_hops = formula(
        select(
            algorithm,
            torus=(1 - crossing) * torus_hops,
            **dict.fromkeys(SWITCHED, (1 - torus_links) * inside + torus_links * (1 - crossing) * torus_hops),
        ),
        "",
        "Hops inside a domain to the farthest rank of an all-to-all",
    )
    message_hops = formula(
        select(algorithm, torus=(1 - crossing) * torus_hops, **dict.fromkeys(SWITCHED, inside)),
        "",
        "Hops inside a domain to the target of a message",
    )
    latency_time = formula(
        select(
            operation,
            all_reduce=2 * gather_latency,
            **dict.fromkeys(GATHERS, gather_latency),
            all_to_all=exchange_hops * scale_up_latency + crossing * scale_out_latency,
            point_to_point=message_hops * scale_up_latency + crossing * scale_out_latency,
        ),
        "us",
        "Latency of all hops that follow one another",
    )
    collective_time = formula(latency_time + transfer_time, "ms", "Time of the collective", headline=True)

    assumptions = (
        "A payload is that of nccl-tests: all of the array reduced, gathered or scattered, not one rank's shard.",
        "The payload of all-to-all is what one rank has for all ranks, itself included; of a message, its bytes.",
        "Sums take no time; no other traffic is on the links.",
        LAUNCHED_AT_ONCE,
        "The switches of a domain and the network behind it let all chips send at their full bandwidth.",
        "Ranks fill their domains evenly: of 9 in domains of 8, one domain has 5 and the other 4.",
        "Hops of a tree are the logarithm of its ranks, between powers of two too.",
        "On a torus, a ring runs along each axis that the ranks span; in_fabric and tree need switches.",
        "Ranks of a torus take a second axis when the first is full; both are then equally long if there is room.",
        "On the torus of a record, a ring sends a message to a neighbour, and all-to-all passes on what goes farther.",
        "All-to-all sends to all ranks at once; the farthest rank of a torus is the target of point_to_point.",
        "The sides of a torus are even.",
    )
    notes = (
        "tree is recursive halving and doubling, with the bytes of a ring; NCCL's double trees send n/(n - 1) as many.",
        "in_fabric is SHARP over NVLink: each byte is sent once. Eight chips gain 1.2 to 1.3 by it, in place of 1.75.",
        "The scaling book takes the longer of latency and transfer; here they add up, as in NCCL.",
        "BudSimulator takes 40 % of NVLink between nodes; here it is the network of the system, 50 GB/s without one.",
    )
    sources = (
        "ring-allreduce",
        "nccl-tests",
    )
