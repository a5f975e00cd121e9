from flopsheet import formula, indicator, min_, ratio, select
from flopsheet.builtin.models.collective_time import SWITCHED, CollectiveTime


class Collectives(CollectiveTime):
    """Time and bandwidths of a collective: all-reduce, all-gather, reduce-scatter, all-to-all or a message.

    The algorithm is a ring, a tree, a reduction in the switches, rings inside and between domains, or a torus. The
    bandwidths are those that nccl-tests prints, which compare with that of the links whatever the number of ranks.
    """

    sent_traffic = formula(scale_up_traffic + scale_out_traffic, "MB", "Bytes that one rank sends, or receives if more")
    algorithm_bandwidth = formula(
        payload / collective_time, "GB/s", "Algorithm bandwidth: payload over time", headline=True
    )
    bus_factor = formula(
        select(
            operation,
            all_reduce=2 * (n_ranks - 1) / n_ranks,
            all_gather=(n_ranks - 1) / n_ranks,
            reduce_scatter=(n_ranks - 1) / n_ranks,
            all_to_all=(n_ranks - 1) / n_ranks,
            point_to_point=1,
        ),
        "",
        "Bus bandwidth over algorithm bandwidth: bytes that each rank must send without help of switches",
        source="nccl-tests",
    )
    bus_bandwidth = formula(bus_factor * algorithm_bandwidth, "GB/s", "Bus bandwidth", headline=True)
    cut_axes = formula(
        2 / torus_side * select(torus_ends, closed=1, open=ratio(1, 2)),
        "",
        "Axes through a cut across the longest one of a torus, over its ranks",
    )
    bisection_bandwidth = formula(
        n_ranks
        * (
            crossing * scale_out_bandwidth
            + (1 - crossing)
            * indicator(n_ranks > 1)
            * select(
                algorithm,
                torus=cut_axes * axis_bandwidth,
                **dict.fromkeys(
                    SWITCHED,
                    torus_links * cut_axes * scale_up_bandwidth / link_axes
                    + (1 - torus_links) * scale_up_bandwidth * min_(1, n_ranks / (2 * link_peers)),
                ),
            )
        ),
        "TB/s",
        "Bandwidth between two halves of the ranks, both ways together",
    )
    hidden_work = formula(
        peak_rate * collective_time, "TFLOP", "Work of one chip at its peak rate that takes as long, and could hide it"
    )
