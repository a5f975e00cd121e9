from flopsheet import Expr, choice, formula, given, indicator, min_, override
from flopsheet.builtin.models.scale_up_links import ScaleUpLinks


def side_of(recorded: Expr, whole: Expr, domain: Expr, even: Expr) -> Expr:
    """Return a side of the torus: that of the record for the domain of the record, an even one for another domain."""
    same = indicator(domain >= whole) * indicator(domain <= whole)
    return same * recorded + (1 - same) * even


class ChipLinks(ScaleUpLinks):
    """Links of a chip: inside its scale-up domain, along the axes of a torus, and into the scale-out network.

    Sheets that time collectives extend this one, so that several of them share its figures.
    """

    chip = override(example="gb200")

    # Inside the domain
    scale_up_latency = given(
        "Latency of one hop over the links of a domain", "us", default=1, minimum=0, source="scaling-book-sharding"
    )
    domain_chips = given(
        "Chips that the links of a domain join: one where no record has links",
        inferred=(system.link.domain, chip.link.domain),
        default=1,
        example=72,
        maximum=10**7,
        integer=True,
    )
    axis_bandwidth = given(
        "Send rate of one chip along one axis of the torus, its links both ways together",
        "GB/s",
        inferred=(scale_up_bandwidth / system.link.dimensions, scale_up_bandwidth / chip.link.dimensions),
        example=180,
    )
    link_axes = given(
        "Axes of the torus over which the links of a chip are spread: one where they are none",
        inferred=(system.link.dimensions, chip.link.dimensions),
        default=1,
        maximum=8,
        integer=True,
    )
    link_peers = given(
        "Chips to each of which a chip has links of its own: one where they lead to switches",
        inferred=(system.link.peers, chip.link.peers),
        default=1,
        maximum=1000,
        integer=True,
    )
    torus_links = given(
        "1 where links run along the axes of a torus, else 0: to switches, to each peer, or none",
        inferred=(min_(1, system.link.dimensions), min_(1, chip.link.dimensions)),
        default=0,
        minimum=0,
        maximum=1,
        integer=True,
    )
    longest_side = given(
        "Chips along the longest axis of the torus: its axes are equally long but in a whole domain of the record",
        inferred=(
            side_of(system.link.longest_side, system.link.domain, domain_chips, domain_chips ** (1 / link_axes)),
            side_of(chip.link.longest_side, chip.link.domain, domain_chips, domain_chips ** (1 / link_axes)),
            domain_chips ** (1 / link_axes),
        ),
        example=8,
        maximum=10**7,
    )
    second_side = given(
        "Chips along the second longest axis",
        inferred=(
            side_of(system.link.second_side, system.link.domain, domain_chips, domain_chips ** (1 / link_axes)),
            side_of(chip.link.second_side, chip.link.domain, domain_chips, domain_chips ** (1 / link_axes)),
            domain_chips ** (1 / link_axes),
        ),
        example=8,
        maximum=10**7,
    )
    third_side = given(
        "Chips along the third axis, and each further one",
        inferred=(
            side_of(system.link.third_side, system.link.domain, domain_chips, domain_chips ** (1 / link_axes)),
            side_of(chip.link.third_side, chip.link.domain, domain_chips, domain_chips ** (1 / link_axes)),
            domain_chips ** (1 / link_axes),
        ),
        example=8,
        maximum=10**7,
    )
    torus_ends = choice(
        "closed", "open", doc="Whether an axis of the torus is a ring or, in a small slice, a line", default="closed"
    )

    # Between domains
    card_bandwidth = given(
        "Bandwidth of a network card, one way: 400 Gbit/s", "GB/s", default=50, source="ml-engineering-network"
    )
    scale_out_bandwidth = given(
        "Bandwidth of one chip into the scale-out network, one way: where no record has it that of a card, at most "
        "that of the links of the chip, such as PCIe",
        "GB/s",
        inferred=(system.network.bandwidth, min_(card_bandwidth, chip.link.bandwidth), card_bandwidth),
    )
    scale_out_latency = given("Latency of one hop over that network", "us", default=5, minimum=0, source="nccl-tuning")
    scale_up_bandwidth = override(
        inferred=(system.link.bandwidth, chip.link.bandwidth, scale_out_bandwidth),
    )
    domain_bandwidth = formula(
        domain_chips * scale_out_bandwidth, "GB/s", "Bandwidth of all chips of a domain into the network, one way"
    )

    # How collectives use them
    bandwidth_efficiency = given(
        "Share of the bandwidth of links that a collective reaches: all, where it is measured", default=1, maximum=1
    )
    levels = choice(
        "overlapped", "in_turn", doc="Whether transfers inside domains and between them overlap", default="overlapped"
    )
    own_shard = choice(
        "kept", "sent", doc="Whether a rank keeps its own shard, (n - 1)/n moves, or all is counted", default="kept"
    )

    assumptions = ("All axes of the torus have the same bandwidth.",)
    notes = (
        "NCCL reckons with 0.6 to 3.4 us for a hop over NVLink and 2.7 to 14 us over the network, by protocol.",
        "The scaling book often counts all of the payload, as if ranks were many: own_shard = sent.",
    )
    sources = ("scaling-book-sharding", "scaling-book-gpus", "nccl-tuning", "ml-engineering-network")
